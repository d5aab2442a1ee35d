import { Data, makeData, type RecordBatch, Schema, Table } from "../../columns/arrow/arrow.js";
import { chunkReader } from "../../columns/arrow/cell-reader.js";
import { instantsOf } from "../../columns/arrow/instants.js";
import { recordBatch } from "../../columns/arrow/record-batch.js";
import { fieldOf, schemaOf } from "../../columns/arrow/schema.js";
import { isText } from "../../columns/compute/texts.js";
import { takeBatch } from "../../columns/table/take.js";
import { digestTypes, RowsDigest } from "../../engine/contract/digest.js";
import type { ColumnSpec } from "../../spec/columns.js";
import { formatDate, parseDate } from "../../value/date.js";
import { type Piece, REMOVED } from "./log.js";

/** Rows of a removal piece in a batch. */
const BATCH_ROWS = 65_536;

type Batches = AsyncIterable<RecordBatch> | Iterable<RecordBatch>;

/**
 * Lends batches and the schema of the first of them, as readers choose how text is kept. The batches are closed after
 * `use`, read or not.
 */
export async function described<T>(
  batches: AsyncIterable<RecordBatch>,
  columns: readonly ColumnSpec[],
  use: (rows: AsyncIterable<RecordBatch>, schema: Schema) => Promise<T>,
): Promise<T> {
  const iterator = batches[Symbol.asyncIterator]();
  try {
    const first = await iterator.next();
    const all = async function* (): AsyncGenerator<RecordBatch> {
      for (let next = first; !next.done; next = await iterator.next()) yield next.value;
    };
    return await use(all(), first.done ? schemaOf(columns) : first.value.schema);
  } finally {
    await iterator.return?.();
  }
}

/** The schema of rows with their numbers, in the column `name` at the end. */
export const numberedSchema = (schema: Schema, name: string): Schema =>
  new Schema([...schema.fields, fieldOf({ name, type: "Integer" })], schema.metadata);

/** Rows with their numbers, from `first` on. */
export async function* numbered(batches: Batches, schema: Schema, first: number): AsyncGenerator<RecordBatch> {
  let next = first;
  for await (const { data, numRows } of batches) {
    const from = next;
    next += numRows;
    yield recordBatch(schema, [...data.children, integers(numRows, (i) => from + i)], numRows);
  }
}

const [{ type: INTEGER }] = schemaOf(REMOVED).fields;

function integers(length: number, at: (i: number) => number): Data {
  const values = new BigInt64Array(length);
  for (let i = 0; i < length; i++) values[i] = BigInt(at(i));
  return makeData({ type: INTEGER, length, nullCount: 0, data: values } as never);
}

/** The numbers of rows that a version removed, as rows of their piece. */
export function* removedBatches(rows: readonly number[], version: number): Generator<RecordBatch> {
  for (let from = 0; from < rows.length; from += BATCH_ROWS) {
    const length = Math.min(BATCH_ROWS, rows.length - from);
    const columns = [integers(length, (i) => rows[from + i]), integers(length, () => version)];
    yield recordBatch(schemaOf(REMOVED), columns, length);
  }
}

/** Reads the last column of a batch: the numbers of its rows. */
export const numbersIn = ({ data }: RecordBatch, column = data.children.length - 1): ((i: number) => number) =>
  chunkReader(data.children[column]).number as (i: number) => number;

/** The rows whose number, in the last column, passes; the table itself if all do. */
export function passingRows(table: Table, passes: (number: number) => boolean): Table {
  const batches = table.batches.map((batch) => passingBatch(batch, passes));
  if (batches.every((batch, i) => batch === table.batches[i])) return table;
  const filled = batches.filter(({ numRows }) => numRows > 0);
  return new Table(table.schema, filled);
}

/** As {@link passingRows}, of batches. */
export async function* passing(batches: Batches, passes: (number: number) => boolean): AsyncGenerator<RecordBatch> {
  for await (const batch of batches) {
    const kept = passingBatch(batch, passes);
    if (kept.numRows > 0) yield kept;
  }
}

function passingBatch(batch: RecordBatch, passes: (number: number) => boolean): RecordBatch {
  const number = numbersIn(batch);
  const kept = new Uint32Array(batch.numRows);
  let count = 0;
  for (let i = 0; i < batch.numRows; i++) if (passes(number(i))) kept[count++] = i;
  if (count === batch.numRows) return batch;
  return recordBatch(batch.schema, takeBatch(batch, kept.subarray(0, count)).data.children, count);
}

/** Whether a row is among those that a version, or one before it, removed. */
export type IsRemoved = (number: number) => boolean;

/** The rows that versions up to `version` removed, of those with a number below `end`. */
export async function removedUpTo(version: number, end: number, removals: Batches): Promise<IsRemoved> {
  const bits = new Uint8Array(Math.ceil(end / 8));
  for await (const batch of removals) {
    const [row, by] = [numbersIn(batch, 0), numbersIn(batch, 1)];
    for (let i = 0; i < batch.numRows; i++) {
      const number = row(i);
      if (by(i) <= version) bits[Math.floor(number / 8)] |= 1 << (number % 8);
    }
  }
  return (number) => (bits[Math.floor(number / 8)] & (1 << (number % 8))) !== 0;
}

/** Notes of the rows that pass through it what a manifest says of their piece. */
export class Tally {
  rows = 0;
  #first = Number.POSITIVE_INFINITY;
  #last = -1;
  #digest: RowsDigest | undefined;

  add(batch: RecordBatch): void {
    this.#digest ??= new RowsDigest(digestTypes(batch.schema));
    this.#digest.add(batch);
    const number = numbersIn(batch);
    for (let i = 0; i < batch.numRows; i++) {
      this.#first = Math.min(this.#first, number(i));
      this.#last = Math.max(this.#last, number(i));
    }
    this.rows += batch.numRows;
  }

  async *of(batches: Batches): AsyncGenerator<RecordBatch> {
    for await (const batch of batches) {
      this.add(batch);
      yield batch;
    }
  }

  noted(): Pick<Piece, "rows" | "first" | "last" | "digest"> {
    const first = this.rows === 0 ? 0 : this.#first;
    return { rows: this.rows, first, last: this.#last, digest: this.#digest?.whole() ?? "" };
  }
}

/** Follows the last day up to `until` in a column of dates or times, from `day` on. */
export function lastDay(column: number, until: string, day: string | undefined) {
  const most = parseDate(until);
  let last = day === undefined ? Number.NEGATIVE_INFINITY : parseDate(day);
  return {
    add({ data, numRows }: RecordBatch): void {
      const cells = data.children[column];
      const { valid } = chunkReader(cells);
      const { days } = instantsOf(cells);
      for (let i = 0; i < numRows; i++) if (valid(i) && days(i) > last && days(i) <= most) last = days(i);
    },
    get day(): string | undefined {
      return Number.isFinite(last) ? formatDate(last) : undefined;
    },
  };
}

/** Rows as an export has them: their empty text is null, as where the service writes both alike in CSV. */
export async function* withoutEmptyText(batches: Batches): AsyncGenerator<RecordBatch> {
  for await (const batch of batches) {
    const before = batch.data.children;
    const children = before.map((data) => (isText(data.type) ? withoutEmpty(data) : data));
    const isSame = children.every((data, i) => data === before[i]);
    yield isSame ? batch : recordBatch(batch.schema, children, batch.numRows);
  }
}

function withoutEmpty(data: Data): Data {
  const { valid, text } = chunkReader(data);
  const { type, offset, length, valueOffsets, values, typeIds, children, dictionary } = data;
  const bits = new Uint8Array((offset + length + 7) >> 3);
  let nulls = 0;
  for (let i = 0; i < length; i++) {
    if (valid(i) && text(i) !== "") bits[(offset + i) >> 3] |= 1 << ((offset + i) & 7);
    else nulls++;
  }
  if (nulls === data.nullCount) return data;
  const buffers = [valueOffsets, values, bits, typeIds] as never;
  return new Data(type, offset, length, nulls, buffers, children as Data[], dictionary);
}
