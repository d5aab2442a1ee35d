import { Data, type RecordBatch, Table, Vector } from "../../columns/arrow/arrow.js";
import { chunkReader } from "../../columns/arrow/cell-reader.js";
import { recordBatch } from "../../columns/arrow/record-batch.js";
import { fill } from "../../columns/compute/nulls.js";
import { isText } from "../../columns/compute/texts.js";
import { takeRows } from "../../columns/table/take.js";
import type { MirrorQuery, SyncPlan } from "./copy.js";

/** Characters of `2024-03-01`. */
const DAY = 10;

/** Two rows have one key, so that a changed row cannot find its own. */
export class RepeatedKey extends Error {}

/** How rows are identified: by columns in which empty text may be null. */
type RowKey = Pick<SyncPlan, "key"> & Pick<MirrorQuery, "emptyIsNull">;

/**
 * The rows of a copy with changed ones in their place: rows whose key is among the changed ones are left out, then come
 * the changed ones.
 *
 * @throws {RepeatedKey}
 */
export async function* upserted(
  copy: AsyncIterable<RecordBatch>,
  changed: Table,
  key: RowKey,
): AsyncGenerator<RecordBatch> {
  const found = new Map<string, boolean>();
  for (const batch of changed.batches) {
    for (const text of keys(batch, key)) {
      if (found.has(text)) throw new RepeatedKey();
      found.set(text, false);
    }
  }
  for await (const batch of copy) {
    const kept: number[] = [];
    let i = 0;
    for (const text of keys(batch, key)) {
      const isFound = found.get(text);
      if (isFound) throw new RepeatedKey();
      if (isFound === undefined) kept.push(i);
      else found.set(text, true);
      i++;
    }
    if (kept.length === batch.numRows) yield batch;
    else if (kept.length > 0) yield* takeRows(new Table([batch]), Uint32Array.from(kept)).batches;
  }
  yield* changed.batches;
}

/**
 * The last day up to `until` of a column of dates or times; null without any. Years have four digits: the others have a
 * sign, which is less than every digit.
 */
export async function lastDayOf(
  batches: AsyncIterable<RecordBatch> | Iterable<RecordBatch>,
  until: string,
): Promise<string | null> {
  let most = "0";
  for await (const batch of batches) {
    const reader = chunkReader(batch.data.children[0]);
    for (let i = 0; i < batch.numRows; i++) {
      if (!reader.valid(i)) continue;
      const text = reader.text(i);
      if (text > most && text.slice(0, DAY) <= until) most = text;
    }
  }
  return most === "0" ? null : most.slice(0, DAY);
}

function* keys(batch: RecordBatch, { key, emptyIsNull }: RowKey): Generator<string> {
  const names = batch.schema.fields.map(({ name }) => name);
  const readers = key.map((name) => chunkReader(batch.data.children[names.indexOf(name)]));
  const cells: (string | null)[] = [];
  for (let i = 0; i < batch.numRows; i++) {
    for (const [k, reader] of readers.entries()) {
      const text = reader.valid(i) ? reader.text(i) : null;
      cells[k] = emptyIsNull && text === "" ? null : text;
    }
    yield JSON.stringify(cells);
  }
}

/** The rows since a day, as an export has them: their empty text is null if the service writes both alike in CSV. */
export async function* changedRows(
  query: MirrorQuery,
  { column, day }: NonNullable<SyncPlan["update"]>,
  signal: AbortSignal | undefined,
): AsyncGenerator<RecordBatch> {
  for await (const batch of query.since(column, day, signal)) {
    yield query.emptyIsNull ? withColumns(batch, (data) => withoutEmpty(data)) : batch;
  }
}

/** Rows whose key has empty text in place of null, of which engines accept none in a key. */
export async function* nullKeyAsEmpty(
  batches: AsyncIterable<RecordBatch>,
  key: readonly string[],
): AsyncGenerator<RecordBatch> {
  for await (const batch of batches) {
    yield withColumns(batch, (data, column) => (key.includes(column) ? withEmpty(data, column) : data));
  }
}

function withColumns(batch: RecordBatch, change: (data: Data, column: string) => Data): RecordBatch {
  const { schema, numRows } = batch;
  const before = batch.data.children;
  const children = before.map((data, i) => (isText(data.type) ? change(data, schema.fields[i].name) : data));
  return children.every((data, i) => data === before[i]) ? batch : recordBatch(schema, children, numRows);
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

function withEmpty(data: Data, column: string): Data {
  if (data.nullCount === 0) return data;
  const [filled] = fill(new Vector([data]), "", { column, method: "mirror()" }).data;
  return filled.clone(data.type);
}
