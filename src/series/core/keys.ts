import { DataType, type Field, type Table, Utf8, Vector, vectorFromArray } from "../../columns/arrow/arrow.js";
import { typeNames } from "../../columns/arrow/schema.js";
import { vectorToStrings } from "../../columns/arrow/vector-values.js";
import { InputError } from "../../errors/errors.js";
import { vectorAt } from "./choose.js";
import { type Codes, codesOf, combine } from "./codes.js";

/** Key columns of several tables, brought to like types. */
export interface Keys {
  readonly fields: readonly Field[];
  /** By key column, then by table. */
  readonly vectors: readonly (readonly Vector[])[];
  /** Equal keys of all tables, and only those, have equal codes. */
  readonly codes: Codes;
}

/**
 * The key columns of several tables, `columns[t]` their positions in table t. Nulls equal each other.
 *
 * @throws {InputError} DifferentTypes where the types of a key do not agree (text layouts aside)
 */
export function keysOf(tables: readonly Table[], columns: readonly (readonly number[])[]): Keys {
  const fields = columns[0].map((at) => tables[0].schema.fields[at]);
  const vectors = fields.map((field, k) =>
    alike(
      field,
      tables.map((table, t) => vectorAt(table, columns[t][k])),
    ),
  );
  return { fields, vectors, codes: combine(vectors.map((parts) => codesOf(parts))) };
}

/** One key column's values over all tables, table after table. */
export function joinedKey(vectors: readonly Vector[]): Vector {
  const chunks = vectors.flatMap((vector) => vector.data.filter((data) => data.length > 0));
  return chunks.length === 0 ? vectors[0] : new Vector(chunks);
}

function alike(field: Field, vectors: readonly Vector[]): readonly Vector[] {
  const types = new Map(vectors.map(({ type }) => valueType(type)).map((type) => [String(type), type]));
  if (types.size > 1) {
    const names = typeNames([...types.values()]);
    throw new InputError(`The key ${JSON.stringify(field.name)} is ${names.join(" here and ")} there.`, {
      code: "DifferentTypes",
      column: field.name,
      hint: "Bring the key to one type in every frame first.",
    });
  }
  const isMixed = new Set(vectors.map((vector) => DataType.isDictionary(vector.type))).size > 1;
  return isMixed ? vectors.map((vector) => vectorFromArray(vectorToStrings(vector), new Utf8())) : vectors;
}

function valueType(type: DataType): DataType {
  return DataType.isDictionary(type) ? valueType(type.dictionary) : type;
}
