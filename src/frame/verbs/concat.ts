import {
  type Data,
  DataType,
  type Field,
  type RecordBatch,
  Schema,
  Table,
  type Vector,
} from "../../columns/arrow/arrow.js";
import { namesOf } from "../../columns/arrow/column-names.js";
import { keyOf, withKey } from "../../columns/arrow/key.js";
import { recordBatch } from "../../columns/arrow/record-batch.js";
import { typeNames } from "../../columns/arrow/schema.js";
import { widened } from "../../columns/compute/cast.js";
import { tableOfVectors } from "../../columns/table/of-vectors.js";
import { withoutDictionary } from "../../columns/table/take.js";
import { InputError } from "../../errors/errors.js";
import { vectorAt } from "../../series/core/choose.js";
import { fieldAs } from "../../series/core/keys.js";

/**
 * Concatenates the rows of several tables; shares the batches. Names, their order and types must match; a dictionary
 * beside plain text becomes plain text, numbers of different types one that holds all of them exactly. The key is kept
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
  const tables = inOneWidth(given);
  const [first] = tables;
  const types = first.schema.fields.map((_, c) => commonType(tables, c));
  const fields = first.schema.fields.map((field, c) => {
    const nullable = tables.some((table) => table.schema.fields[c].nullable);
    return field.clone({ type: types[c], nullable });
  });
  const schema = withKey(new Schema(fields, first.schema.metadata), commonKey(tables));
  const batches = tables.flatMap((table) => table.batches).map((batch) => reshaped(batch, schema));
  return new Table(schema, batches);
}

/** The tables with numbers of one type in each column, where there is one that holds them all exactly. */
function inOneWidth(tables: readonly Table[]): readonly Table[] {
  const wide = new Map<number, readonly Vector[]>();
  for (const [c, { name, type }] of tables[0].schema.fields.entries()) {
    if (tables.every((table) => sameType(table.schema.fields[c].type, type))) continue;
    const vectors = widened(
      tables.map((table) => vectorAt(table, c)),
      { column: name, method: "concat()" },
    );
    if (vectors !== undefined) wide.set(c, vectors);
  }
  if (wide.size === 0) return tables;
  return tables.map((table, t) => {
    const vectors = table.schema.fields.map((_, c) => wide.get(c)?.[t] ?? vectorAt(table, c));
    const fields = table.schema.fields.map((field, c) => fieldAs(field, vectors[c].type));
    return tableOfVectors(new Schema(fields, table.schema.metadata), vectors, table.numRows);
  });
}

/** The key that all tables have, in whatever order. */
function commonKey(tables: readonly Table[]): readonly string[] {
  const [first, ...rest] = tables.map((table) => keyOf(table.schema));
  const isCommon = rest.every((key) => key.length === first.length && key.every((name) => first.includes(name)));
  return isCommon ? first : [];
}

function reshaped(batch: RecordBatch, schema: Schema): RecordBatch {
  const children = batch.data.children.map((data, c) => asType(data, schema.fields[c].type));
  return recordBatch(schema, children, batch.numRows);
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

/** The common type of a column: equal types, or text of any layout. */
function commonType(tables: readonly Table[], column: number): DataType {
  const fields = tables.map((table) => table.schema.fields[column]);
  const { type } = fields[0];
  if (fields.every((field) => sameType(field.type, type))) return type;
  const plain = fields.find((field) => DataType.isUtf8(field.type));
  if (plain !== undefined && fields.every((field) => isText(field))) return plain.type;
  const other = fields.find((field) => !sameType(field.type, type)) as Field;
  const [first, second] = typeNames([type, other.type]);
  throw new InputError(
    `Column ${JSON.stringify(fields[0].name)} is ${first} in the first frame and ${second} in another.`,
    { code: "DifferentColumns", column: fields[0].name, hint: "Read both with the same declared types." },
  );
}

const isText = (field: Field): boolean =>
  DataType.isUtf8(field.type) || (DataType.isDictionary(field.type) && DataType.isUtf8(field.type.dictionary));

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
  if (DataType.isDictionary(data.type) && DataType.isUtf8(type)) return withoutDictionary(data);
  const copy = data.clone(type);
  copy.dictionary = data.dictionary;
  return copy;
}
