import { type RecordBatch, type Schema, Table, type Vector } from "../../columns/arrow/arrow.js";
import { schemaLike } from "../../columns/arrow/key.js";
import { recordBatch, sliceData } from "../../columns/arrow/record-batch.js";
import { keyed } from "../../columns/table/pick.js";
import { takeRows } from "../../columns/table/take.js";
import { InputError } from "../../errors/errors.js";
import { shown } from "../../errors/shown.js";
import { needList } from "../cells/given.js";
import type { MadeColumn } from "../cells/values.js";

/**
 * Rows `begin` (inclusive) to `stop` (exclusive), negative positions counted from the end; buffers are shared.
 *
 * @throws {InputError} BadArgument
 */
export function sliceRows(table: Table, begin: number, stop: number): Table {
  const from = placeOf(begin, table.numRows);
  const end = placeOf(stop, table.numRows);
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

/** A slice position, kept inside the rows. */
function placeOf(at: number, count: number): number {
  if (typeof at !== "number" || Number.isNaN(at)) {
    throw new InputError(`A position of slice() is ${shown(at)}.`, {
      code: "BadArgument",
      hint: "Give row numbers: from 0, or negative ones from the end.",
    });
  }
  const whole = Math.trunc(at);
  return Math.min(count, Math.max(0, whole < 0 ? count + whole : whole));
}

/**
 * The rows at these positions; without the key where a position repeats.
 *
 * @throws {InputError} OutOfRange, BadArgument
 */
export function takenRows(table: Table, positions: unknown): Table {
  const rows = rowNumbers(positions, table.numRows);
  const taken = takeRows(table, rows);
  return hasRepeats(rows, table.numRows) ? keyed(taken, []) : taken;
}

function hasRepeats(rows: Uint32Array, numRows: number): boolean {
  const seen = new Uint8Array(numRows);
  for (let i = 0; i < rows.length; i++) {
    if (seen[rows[i]] === 1) return true;
    seen[rows[i]] = 1;
  }
  return false;
}

function rowNumbers(positions: unknown, numRows: number): Uint32Array {
  needList(positions, "take()", "Give a list of row numbers.");
  return Uint32Array.from(positions as ArrayLike<number>, (at) => {
    if (Number.isInteger(at) && at >= 0 && at < numRows) return at;
    throw new InputError(`Row ${shown(at)} is not among the ${numRows} rows.`, {
      code: "OutOfRange",
      hint: numRows === 0 ? "The frame has no rows." : `Rows go from 0 to ${numRows - 1}.`,
    });
  });
}

/**
 * The table with these columns set: a name that exists is replaced in its place, a new one goes to the end. A replaced
 * key column drops the key.
 *
 * @throws {InputError} DifferentLength
 */
export function setColumns(table: Table, columns: readonly MadeColumn[]): Table {
  const fields = [...table.schema.fields];
  const replaced: number[] = [];
  const vectors: Vector[] = fields.map((_, i) => table.getChildAt(i) as Vector);
  for (const { field, vector } of columns) {
    if (vector.length !== table.numRows) {
      throw new InputError(
        `Column ${JSON.stringify(field.name)} has ${vector.length} values, the frame ${table.numRows} rows.`,
        { code: "DifferentLength", column: field.name },
      );
    }
    const at = fields.findIndex(({ name }) => name === field.name);
    if (at !== -1) replaced.push(at);
    fields[at === -1 ? fields.length : at] = field;
    vectors[at === -1 ? vectors.length : at] = vector;
  }
  return tableOfVectors(schemaLike(table.schema, fields, replaced), vectors, table.numRows);
}

/**
 * A table over vectors of equal length, cut into batches wherever one of them has a chunk's end; buffers are shared.
 */
function tableOfVectors(schema: Schema, vectors: readonly Vector[], numRows: number): Table {
  const cuts = new Set<number>([numRows]);
  for (const vector of vectors) {
    let at = 0;
    for (const data of vector.data) {
      at += data.length;
      if (at > 0) cuts.add(at);
    }
  }
  const batches: RecordBatch[] = [];
  let from = 0;
  for (const end of [...cuts].sort((a, b) => a - b)) {
    if (end === from && numRows > 0) continue;
    const children = vectors.map((vector) => pieceOf(vector, from, end));
    batches.push(recordBatch(schema, children, end - from));
    from = end;
  }
  return new Table(schema, batches);
}

/** The data between two rows that lie in one chunk. */
function pieceOf(vector: Vector, from: number, end: number) {
  let start = 0;
  for (const data of vector.data) {
    if (from >= start && end <= start + data.length) {
      return from === start && end === start + data.length ? data : sliceData(data, from - start, end - from);
    }
    start += data.length;
  }
  return vector.slice(from, end).data[0];
}
