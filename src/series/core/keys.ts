import { DataType, type Field, type Table, Utf8, Vector, vectorFromArray } from "../../columns/arrow/arrow.js";
import { typeNames } from "../../columns/arrow/schema.js";
import { serviceTypeOfArrow } from "../../columns/arrow/types.js";
import { vectorToStrings } from "../../columns/arrow/vector-values.js";
import { widened } from "../../columns/compute/cast.js";
import { InputError } from "../../errors/errors.js";
import { isNumber, isPlainText, vectorAt } from "./choose.js";
import { type Codes, codesOf, combine } from "./codes.js";
import { retyped } from "./numbers.js";

/** Key columns of several tables, converted to common types. */
export interface Keys {
  readonly fields: readonly Field[];
  /** By key column, then by table. */
  readonly vectors: readonly (readonly Vector[])[];
  /** Across all tables, codes are equal exactly if the keys are. */
  readonly codes: Codes;
}

/**
 * The key columns of several tables; `columns[t]` are their positions in table t. Nulls equal each other. Numbers of
 * different types are compared as one that holds all of them exactly.
 *
 * @throws {InputError} DifferentTypes if the types of a key differ (ignoring the layout of text) and have no such type
 */
export function keysOf(tables: readonly Table[], columns: readonly (readonly number[])[]): Keys {
  const own = columns[0].map((at) => tables[0].schema.fields[at]);
  const vectors = own.map((field, k) =>
    alike(
      field,
      tables.map((table, t) => vectorAt(table, columns[t][k])),
    ),
  );
  const fields = own.map((field, k) => fieldAs(field, vectors[k][0].type));
  return { fields, vectors, codes: combine(vectors.map((parts) => codesOf(parts))) };
}

/** The field of a key whose numbers were widened. */
export const fieldAs = (field: Field, type: DataType): Field =>
  isNumber(type) && String(type) !== String(field.type) ? retyped(field, type, serviceTypeOfArrow(type)) : field;

/** The values of one key column over all tables, table after table. */
export function joinedKey(vectors: readonly Vector[]): Vector {
  const chunks = vectors.flatMap((vector) => vector.data.filter((data) => data.length > 0));
  return chunks.length === 0 ? vectors[0] : new Vector(chunks);
}

function alike(field: Field, vectors: readonly Vector[]): readonly Vector[] {
  const types = new Map(vectors.map(({ type }) => valueType(type)).map((type) => [String(type), type]));
  if (types.size > 1) {
    const wide = widened(vectors, { column: field.name, method: "the key" });
    if (wide !== undefined) return wide;
    const names = typeNames([...types.values()]);
    throw new InputError(`The types of the key ${JSON.stringify(field.name)} differ: ${names.join(" and ")}.`, {
      code: "DifferentTypes",
      column: field.name,
      hint: "Convert the key to one type in every frame first.",
    });
  }
  // Text of several layouts, or with and without a dictionary.
  const isMixed =
    new Set(vectors.map(({ type }) => (DataType.isDictionary(type) ? 0 : (type as DataType).typeId))).size > 1;
  return isMixed ? vectors.map((vector) => vectorFromArray(vectorToStrings(vector), new Utf8())) : vectors;
}

/** The type of the values, of text without its layout. */
function valueType(type: DataType): DataType {
  if (DataType.isDictionary(type)) return valueType(type.dictionary);
  return isPlainText(type) ? new Utf8() : type;
}
