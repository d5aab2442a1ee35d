import { Data, type RecordBatch, Vector } from "../../columns/arrow/arrow.js";
import { chunkReader } from "../../columns/arrow/cell-reader.js";
import { recordBatch } from "../../columns/arrow/record-batch.js";
import { fill } from "../../columns/compute/nulls.js";
import { isText } from "../../columns/compute/texts.js";
import type { MirrorQuery } from "./copy.js";

/** The rows since a day, as an export has them: their empty text is null if the service writes both alike in CSV. */
export async function* changedRows(
  query: MirrorQuery,
  column: string,
  day: string,
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

/** The batch with its text columns changed. */
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
