import { type Data, makeData, type RecordBatch, Schema, Vector } from "../../columns/arrow/arrow.js";
import { chunkReader } from "../../columns/arrow/cell-reader.js";
import { instantsOf } from "../../columns/arrow/instants.js";
import { emptyData, recordBatch } from "../../columns/arrow/record-batch.js";
import { fieldOf, schemaOf } from "../../columns/arrow/schema.js";
import { mapTexts } from "../../columns/compute/map-texts.js";
import { isText } from "../../columns/compute/texts.js";
import { takeBatch } from "../../columns/table/take.js";
import { digestTypes, RowsDigest } from "../../engine/contract/digest.js";
import { quoteName } from "../../engine/contract/statements.js";
import type { ColumnSpec } from "../../spec/columns.js";
import { numberColumn, numberedColumns, type Piece, REMOVED, type View } from "./log.js";
import type { Batches, Place } from "./place.js";

const REMOVED_NAMES = REMOVED.map(({ name }) => name);

/** Rows of a removal piece in a batch. */
const BATCH_ROWS = 65_536;

/** Batches, or an empty one with these columns if there are none. */
export async function* orEmpty(batches: Batches, columns: readonly ColumnSpec[]): AsyncGenerator<RecordBatch> {
  let isEmpty = true;
  for await (const batch of batches) {
    isEmpty = false;
    yield batch;
  }
  const schema = schemaOf(columns);
  const cells = schema.fields.map(({ type }) => emptyData(type));
  if (isEmpty) yield recordBatch(schema, cells, 0);
}

/** Rows with their numbers, from `first` on, in a column at the end; at least one batch. */
export async function* numbered(
  batches: Batches,
  columns: readonly ColumnSpec[],
  first: number,
): AsyncGenerator<RecordBatch> {
  const field = fieldOf({ name: numberColumn(columns), type: "Integer" });
  let next = first;
  for await (const { schema, data, numRows } of orEmpty(batches, columns)) {
    const from = next;
    next += numRows;
    const own = new Schema([...schema.fields, field], schema.metadata);
    yield recordBatch(own, [...data.children, integers(numRows, (i) => from + i)], numRows);
  }
}

const [{ type: INTEGER }] = schemaOf(REMOVED).fields;

function integers(length: number, at: (i: number) => number): Data {
  const values = new BigInt64Array(length);
  for (let i = 0; i < length; i++) values[i] = BigInt(at(i));
  return makeData({ type: INTEGER, length, nullCount: 0, data: values } as never);
}

/** The numbers of rows that a version removed, as rows of their piece. */
export function* removedBatches(rows: ArrayLike<number>, version: number): Generator<RecordBatch> {
  for (let from = 0; from < rows.length; from += BATCH_ROWS) {
    const length = Math.min(BATCH_ROWS, rows.length - from);
    const columns = [integers(length, (i) => rows[from + i]), integers(length, () => version)];
    yield recordBatch(schemaOf(REMOVED), columns, length);
  }
}

/** Reads the last column of a batch: the numbers of its rows. */
export const numbersIn = ({ data }: RecordBatch, column = data.children.length - 1): ((i: number) => number) =>
  chunkReader(data.children[column]).number as (i: number) => number;

/** The batch with these columns. */
export function picked({ schema, data, numRows }: RecordBatch, columns: readonly number[]): RecordBatch {
  const fields = columns.map((at) => schema.fields[at]);
  return recordBatch(
    new Schema(fields),
    columns.map((at) => data.children[at]),
    numRows,
  );
}

/** The rows that pass, of batches that have any. */
export async function* passing(
  batches: Batches,
  testOf: (batch: RecordBatch) => (row: number) => boolean,
): AsyncGenerator<RecordBatch> {
  for await (const batch of batches) {
    const passes = testOf(batch);
    const kept = new Uint32Array(batch.numRows);
    let count = 0;
    for (let i = 0; i < batch.numRows; i++) if (passes(i)) kept[count++] = i;
    if (count === batch.numRows) yield batch;
    else if (count > 0) yield recordBatch(batch.schema, takeBatch(batch, kept.subarray(0, count)).data.children, count);
  }
}

/** As {@link passing}, by the number in the last column. */
export const passingNumbers = (batches: Batches, passes: (number: number) => boolean): AsyncGenerator<RecordBatch> =>
  passing(batches, (batch) => {
    const number = numbersIn(batch);
    return (i) => passes(number(i));
  });

export async function collected(batches: Batches): Promise<RecordBatch[]> {
  const all: RecordBatch[] = [];
  for await (const batch of batches) all.push(batch);
  return all;
}

/** Whether the row of a number is in a version. */
export async function liveRows(
  place: Pick<Place, "batches">,
  { version: { end }, removed, removedUpTo }: Pick<View, "version" | "removed" | "removedUpTo">,
): Promise<(number: number) => boolean> {
  const removedBits = new Uint8Array(Math.ceil(end / 8));
  for await (const batch of place.batches(removed, REMOVED_NAMES)) {
    const [row, by] = [numbersIn(batch, 0), numbersIn(batch, 1)];
    for (let i = 0; i < batch.numRows; i++) {
      if (by(i) <= removedUpTo) removedBits[Math.floor(row(i) / 8)] |= 1 << (row(i) % 8);
    }
  }
  return (number) => number < end && (removedBits[Math.floor(number / 8)] & (1 << (number % 8))) === 0;
}

/** The rows of a version, one batch at a time, with their numbers in the last column. */
export async function* rowsOf(place: Place, view: View): AsyncGenerator<RecordBatch> {
  const names = numberedColumns(view.log.columns).map(({ name }) => name);
  const rows = place.batches(view.rows, names);
  yield* view.isWhole ? rows : passingNumbers(rows, await liveRows(place, view));
}

/**
 * The statement that selects the rows of a version.
 *
 * @param scans the table expressions of pieces
 */
export function rowsStatement(
  { log, version, isWhole, rows, removed, removedUpTo }: View,
  scans: (pieces: readonly Piece[]) => readonly string[],
  selected: readonly string[] = log.columns.map(({ name }) => name),
  conditions: readonly string[] = [],
): string {
  const number = quoteName(numberColumn(log.columns));
  const names = [...log.columns.map(({ name }) => quoteName(name)), number].join(", ");
  const all = scans(rows).map((piece) => `select ${names} from ${piece}`);
  const gone = scans(removed).map((piece) => `select "row" from ${piece} where "version" <= ${removedUpTo}`);
  const filters = [
    ...(isWhole ? [] : [`${number} < ${version.end}`]),
    ...(removed.length === 0 ? [] : [`${number} not in (${gone.join(" union all ")})`]),
    ...conditions,
  ];
  const where = filters.length === 0 ? "" : ` where ${filters.join(" and ")}`;
  return `select ${selected.map(quoteName).join(", ")} from (${all.join(" union all ")}) as log${where}`;
}

/** Notes of the rows that pass through it what a manifest says of their piece. */
export class Tally {
  #rows = 0;
  #first = Number.POSITIVE_INFINITY;
  #last = -1;
  #digest: RowsDigest | undefined;

  async *of(batches: Batches): AsyncGenerator<RecordBatch> {
    for await (const batch of batches) {
      this.#digest ??= new RowsDigest(digestTypes(batch.schema));
      this.#digest.add(batch);
      const number = numbersIn(batch);
      for (let i = 0; i < batch.numRows; i++) {
        this.#first = Math.min(this.#first, number(i));
        this.#last = Math.max(this.#last, number(i));
      }
      this.#rows += batch.numRows;
      yield batch;
    }
  }

  noted(): Pick<Piece, "rows" | "first" | "last" | "digest"> {
    const first = this.#rows === 0 ? 0 : this.#first;
    return { rows: this.#rows, first, last: this.#last, digest: this.#digest?.whole() ?? "" };
  }
}

/** The last day of a column of dates or times that is not after `most`; `last` if none is later. */
export function laterDay({ data, numRows }: RecordBatch, column: number, last: number, most: number): number {
  const cells = data.children[column];
  const { valid } = chunkReader(cells);
  const { days } = instantsOf(cells);
  let later = last;
  for (let i = 0; i < numRows; i++) if (valid(i) && days(i) > later && days(i) <= most) later = days(i);
  return later;
}

/** Rows as an export has them: their empty text is null, as where the service writes both alike in CSV. */
export async function* withoutEmptyText(batches: Batches): AsyncGenerator<RecordBatch> {
  const place = { column: "", method: "sync()" };
  for await (const { schema, data, numRows } of batches) {
    const children = data.children.map((column) => {
      if (!isText(column.type)) return column;
      const texts = mapTexts(new Vector([column]), place, (text) => (text === "" ? null : text));
      return texts.data[0].clone(column.type);
    });
    yield recordBatch(schema, children, numRows);
  }
}
