import { type RecordBatch, Table, type Vector } from "../../columns/arrow/arrow.js";
import { columnIndex } from "../../columns/arrow/column-names.js";
import { schemaLike } from "../../columns/arrow/key.js";
import { recordBatch, sliceData } from "../../columns/arrow/record-batch.js";
import { tableOfVectors } from "../../columns/table/of-vectors.js";
import { InputError } from "../../errors/errors.js";
import { shown } from "../../errors/shown.js";
import { needList } from "../cells/given.js";
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

/** Whether a row number occurs twice. */
export function hasRepeats(rows: Int32Array, numRows: number): boolean {
  const seen = new Uint8Array(numRows);
  for (let i = 0; i < rows.length; i++) {
    if (seen[rows[i]] === 1) return true;
    seen[rows[i]] = 1;
  }
  return false;
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
