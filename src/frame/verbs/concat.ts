import { type Data, DataType, type Field, Schema, Table, Utf8, Vector } from "../../columns/arrow/arrow.js";
import { namesOf } from "../../columns/arrow/column-names.js";
import { keyOf, withKey } from "../../columns/arrow/key.js";
import { recordBatch } from "../../columns/arrow/record-batch.js";
import { typeNames } from "../../columns/arrow/schema.js";
import { cast, widened } from "../../columns/compute/cast.js";
import { isText } from "../../columns/compute/texts.js";
import { tableOfVectors } from "../../columns/table/of-vectors.js";
import { withoutDictionary } from "../../columns/table/take.js";
import { InputError } from "../../errors/errors.js";
import { vectorAt } from "../../series/core/choose.js";
import { fieldAs } from "../../series/core/keys.js";

/**
 * Concatenates the rows of several tables; shares the batches. Names, their order and types must match; text of
 * different layouts becomes plain text, numbers of different types one that holds all of them exactly. The key is kept
 * if all tables have the same.
 *
 * @throws {InputError} DifferentColumns
 */
export function concatTables(given: readonly Table[]): Table {
  if (given.length === 0)
    throw new InputError("concat() expects at least one frame.", {
      code: "NoFrames",
      hint: "Pass an array of frames: [first, second].",
    });
  for (const [i, table] of given.entries()) checkNames(given[0], table, i);
  const { fields, metadata } = given[0].schema;
  const columns = fields.map((field, c) =>
    alike(
      field,
      given.map((table) => vectorAt(table, c)),
    ),
  );
  const types = fields.map((field, c) => {
    const nullable = given.some((table) => table.schema.fields[c].nullable);
    return fieldAs(field, columns[c][0].type).clone({ type: columns[c][0].type, nullable });
  });
  const schema = withKey(new Schema(types, metadata), commonKey(given));
  const batches = given.flatMap((table, t) => {
    const vectors = columns.map((parts) => parts[t]);
    const isOwn = vectors.every((vector, c) => vector.type === table.schema.fields[c].type);
    return (isOwn ? table : tableOfVectors(schema, vectors, table.numRows)).batches.map((batch) => {
      const children = batch.data.children.map((data, c) => asType(data, types[c].type));
      return recordBatch(schema, children, batch.numRows);
    });
  });
  return new Table(schema, batches);
}

/** One column of all tables in one type: equal types, numbers that one type holds exactly, or text of any layout. */
function alike({ name }: Field, vectors: readonly Vector[]): readonly Vector[] {
  const [{ type }] = vectors;
  const other = vectors.find((vector) => !sameType(vector.type, type));
  if (other === undefined) return vectors;
  const place = { column: name, method: "concat()" };
  const wide = widened(vectors, place);
  if (wide !== undefined) return wide;
  if (vectors.every((vector) => isText(vector.type))) {
    return vectors
      .map((vector) => (DataType.isDictionary(vector.type) ? new Vector(vector.data.map(withoutDictionary)) : vector))
      .map((vector) => cast(vector, new Utf8(), {}, place));
  }
  const [first, second] = typeNames([type, other.type]);
  throw new InputError(`Column ${JSON.stringify(name)} is ${first} in the first frame and ${second} in another.`, {
    code: "DifferentColumns",
    column: name,
    hint: "Read both with the same declared types.",
  });
}

/** The key that all tables have, in any order. */
function commonKey(tables: readonly Table[]): readonly string[] {
  const [first, ...rest] = tables.map((table) => keyOf(table.schema));
  const isCommon = rest.every((key) => key.length === first.length && key.every((name) => first.includes(name)));
  return isCommon ? first : [];
}

function checkNames(first: Table, table: Table, at: number): void {
  const expected = namesOf(first);
  const names = namesOf(table);
  const wrong = expected.findIndex((name, c) => names[c] !== name);
  if (wrong === -1 && names.length === expected.length) return;
  const column = wrong === -1 ? expected.length : wrong;
  throw new InputError(
    `Column ${column} of frame ${at} is ${describe(names[column])}; that of the first frame is ${describe(expected[column])}.`,
    { code: "DifferentColumns", hint: "Give both the same columns first: frame.select(…) and frame.rename(…)." },
  );
}

const describe = (name: string | undefined): string => (name === undefined ? "missing" : JSON.stringify(name));

/** Whether types are equal, ignoring dictionary ids (each reader assigns its own). */
function sameType(a: DataType, b: DataType): boolean {
  if (DataType.isDictionary(a) && DataType.isDictionary(b)) {
    return sameType(a.dictionary, b.dictionary) && sameType(a.indices, b.indices);
  }
  if (DataType.isDecimal(a) && DataType.isDecimal(b) && a.bitWidth !== b.bitWidth) return false;
  return a.typeId === b.typeId && String(a) === String(b);
}

function asType(data: Data, type: DataType): Data {
  if (data.type === type) return data;
  const copy = data.clone(type);
  copy.dictionary = data.dictionary;
  return copy;
}
