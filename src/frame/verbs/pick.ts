import { type Data, type RecordBatch, Table, type Vector } from "../../columns/arrow/arrow.js";
import { columnIndex, namesOf } from "../../columns/arrow/column-names.js";
import { schemaLike } from "../../columns/arrow/key.js";
import { recordBatch, sliceData } from "../../columns/arrow/record-batch.js";
import { isValid, presentOf } from "../../columns/compute/chunks.js";
import { tableOfVectors } from "../../columns/table/of-vectors.js";
import { InputError } from "../../errors/errors.js";
import { refuseUnknown } from "../../errors/options.js";
import { shown } from "../../errors/shown.js";
import { nearestWhole } from "../../series/core/digits.js";
import { needCount, needList, needObject } from "../cells/given.js";
import type { MadeColumn } from "../cells/values.js";

/**
 * The row range of `slice()`: `begin` (inclusive) to `stop` (exclusive), negative ones counted from the end.
 *
 * @throws {InputError} BadArgument
 */
export const sliceBounds = (begin: number, stop: number, count: number): readonly [from: number, end: number] => [
  placeOf(begin, count),
  placeOf(stop, count),
];

/** Rows `from` (inclusive) to `end` (exclusive); shares buffers. */
export function sliceRows(table: Table, from: number, end: number): Table {
  const batches: RecordBatch[] = [];
  let start = 0;
  for (const batch of table.batches) {
    const first = Math.max(0, from - start);
    const last = Math.min(batch.numRows, end - start);
    start += batch.numRows;
    if (first >= last) continue;
    const whole = first === 0 && last === batch.numRows;
    const children = batch.data.children.map((data) => sliceData(data, first, last - first));
    batches.push(whole ? batch : recordBatch(table.schema, children, last - first));
  }
  return new Table(table.schema, batches);
}

/** A slice position, clamped to the rows. */
function placeOf(at: number, count: number): number {
  if (typeof at !== "number" || Number.isNaN(at)) {
    throw new InputError(`slice() expects row numbers; got ${shown(at)}.`, {
      code: "BadArgument",
      hint: "Pass row numbers from 0, or negative ones from the end.",
    });
  }
  const whole = Math.trunc(at);
  return Math.min(count, Math.max(0, whole < 0 ? count + whole : whole));
}

/**
 * Validates the row numbers passed to `take()`.
 *
 * @throws {InputError} OutOfRange, BadArgument
 */
export function rowNumbers(positions: unknown, numRows: number): Int32Array {
  needList(positions, "take()", "Pass an array of row numbers.");
  return Int32Array.from(positions as ArrayLike<number>, (at) => {
    if (Number.isInteger(at) && at >= 0 && at < numRows) return at;
    throw new InputError(`Row ${shown(at)} is outside the ${numRows} rows.`, {
      code: "OutOfRange",
      hint: numRows === 0 ? "The frame has no rows." : `Rows go from 0 to ${numRows - 1}.`,
    });
  });
}

/**
 * Sets columns of a table: replaces an existing name in place and appends a new one. Replacing a key column drops the
 * key.
 *
 * @throws {InputError} DifferentLength; AmbiguousColumn for a name that several columns have
 */
export function setColumns(table: Table, columns: readonly MadeColumn[]): Table {
  const fields = [...table.schema.fields];
  const replaced: number[] = [];
  const vectors: Vector[] = fields.map((_, i) => table.getChildAt(i) as Vector);
  for (const { field, vector } of columns) {
    if (vector.length !== table.numRows) {
      throw new InputError(
        `Column ${JSON.stringify(field.name)} has ${vector.length} values, the frame ${table.numRows} rows.`,
        {
          code: "DifferentLength",
          column: field.name,
          hint: "Pass one value per row, or a single value for all rows.",
        },
      );
    }
    const isNew = fields.every(({ name }) => name !== field.name);
    const at = isNew ? -1 : columnIndex(table, field.name);
    if (at !== -1) replaced.push(at);
    fields[at === -1 ? fields.length : at] = field;
    vectors[at === -1 ? vectors.length : at] = vector;
  }
  return tableOfVectors(schemaLike(table.schema, fields, replaced), vectors, table.numRows);
}

/**
 * The names of a table after `rename()`: by old name, or an array with all names.
 *
 * @throws {InputError} UnknownColumn, DifferentLength
 */
export function newNames(table: Table, names: unknown): string[] {
  const fresh = namesOf(table);
  if (Array.isArray(names)) {
    if (names.length === fresh.length) return names.map(checkedName);
    throw new InputError(`rename() expects ${fresh.length} names, one per column; got ${names.length}.`, {
      code: "DifferentLength",
      hint: 'Pass a name per column, or new names by old ones: rename({ close: "price" }).',
    });
  }
  needObject(names, "rename()", 'Pass new names by old ones: rename({ close: "price" }).');
  for (const [from, to] of Object.entries(names)) fresh[columnIndex(table, from)] = checkedName(to);
  return fresh;
}

function checkedName(name: unknown): string {
  if (typeof name === "string") return name;
  throw new InputError(`Column names must be strings; got ${shown(name)}.`, {
    code: "BadArgument",
    hint: "Pass a string.",
  });
}

/** The places of the rows that hold values other than NaN in every one of some columns. */
export function placesWithoutNulls(columns: readonly Vector[], numRows: number): Int32Array {
  const held = new Uint8Array(numRows).fill(1);
  for (const vector of columns) {
    let row = 0;
    for (const data of vector.data as readonly Data[]) {
      const valid = presentOf(data);
      if (valid !== undefined) for (let i = 0; i < data.length; i++) if (!isValid(valid, i)) held[row + i] = 0;
      row += data.length;
    }
  }
  const places = new Int32Array(numRows);
  let count = 0;
  for (let row = 0; row < numRows; row++) if (held[row] === 1) places[count++] = row;
  return places.slice(0, count);
}

/** Options of a random sample. */
export interface DrawOptions {
  /** A whole number; equal seeds sample the same rows. */
  readonly seed?: number;
}

/**
 * The positions of a random sample without replacement, ascending; all positions if there are fewer.
 *
 * @param size a number of rows, or `{ fraction }`
 * @throws {InputError} BadArgument, UnknownOption
 */
export function sampledPlaces(numRows: number, size: unknown, options: DrawOptions = {}): Int32Array {
  const drawn = drawnRows(numRows, size);
  refuseUnknown(options, ["seed"], "sample()");
  const next = options.seed === undefined ? Math.random : seeded(options.seed);
  const places = Int32Array.from({ length: numRows }, (_, i) => i);
  for (let i = 0; i < drawn; i++) {
    const other = i + Math.floor(next() * (numRows - i));
    [places[i], places[other]] = [places[other], places[i]];
  }
  return places.slice(0, drawn).sort();
}

function drawnRows(numRows: number, size: unknown): number {
  if (typeof size !== "object" || size === null) {
    needCount(size, "sample()", "Pass a row count of 0 or more, or a part of the rows: { fraction: 0.1 }.");
    return Math.min(numRows, Math.floor(size));
  }
  refuseUnknown(size, ["fraction"], "The first argument of sample()");
  const { fraction } = size as { readonly fraction?: unknown };
  if (typeof fraction !== "number" || !(fraction >= 0 && fraction <= 1)) {
    throw new InputError(`The fraction of sample() must be a number from 0 to 1; got ${shown(fraction)}.`, {
      code: "BadArgument",
      hint: "Pass a number from 0 to 1: { fraction: 0.1 } is a tenth of the rows.",
    });
  }
  const rows = fraction * numRows;
  return nearestWhole(Math.floor(rows), (rows % 1) - 0.5);
}

/** Numbers from 0 (inclusive) to 1, the same for the same seed (mulberry32). */
function seeded(seed: number): () => number {
  if (!Number.isInteger(seed)) {
    throw new InputError(`The seed of sample() must be a whole number; got ${shown(seed)}.`, {
      code: "BadArgument",
      hint: "Pass a number such as 1.",
    });
  }
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
