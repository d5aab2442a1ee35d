import { type RecordBatch, type Schema, Table, Type } from "../../columns/arrow/arrow.js";
import { recordBatch, sliceData } from "../../columns/arrow/record-batch.js";
import { tableToIPCBytes } from "../../columns/ipc/stream.js";
import { checkValues } from "./types.js";

/** Rows and bytes of one INSERT: the server stores such a block whole or not at all. */
const BLOCK_ROWS = 262_144;
const BLOCK_BYTES = 1 << 25;

/** The rows of one INSERT as an Arrow stream. */
export interface Block {
  readonly rows: number;
  readonly bytes: Uint8Array;
}

/**
 * Joins and splits batches into blocks of about {@link BLOCK_ROWS} rows, one of them in memory at a time.
 *
 * @throws {DataError} EngineData for values that ClickHouse cannot hold exactly
 */
export async function* blocks(
  batches: AsyncIterable<RecordBatch>,
  schema: Schema,
  key: readonly string[],
): AsyncGenerator<Block> {
  let held: RecordBatch[] = [];
  let rows = 0;
  let bytes = 0;
  let before = 0;
  const flush = (): Block => {
    const block = { rows, bytes: tableToIPCBytes(new Table(schema, held)) };
    before += rows;
    [held, rows, bytes] = [[], 0, 0];
    return block;
  };
  for await (const batch of batches) {
    for (const part of parts(batch, schema)) {
      schema.fields.forEach((field, i) => {
        checkValues(field, part.data.children[i], key.includes(field.name), before + rows);
      });
      held.push(part);
      rows += part.numRows;
      bytes += bytesOf(part);
      if (rows >= BLOCK_ROWS || bytes >= BLOCK_BYTES) yield flush();
    }
  }
  if (rows > 0) yield flush();
}

function* parts(batch: RecordBatch, schema: Schema): Generator<RecordBatch> {
  for (let from = 0; from < batch.numRows; from += BLOCK_ROWS) {
    const count = Math.min(BLOCK_ROWS, batch.numRows - from);
    const children = batch.data.children.map((data) => (count === batch.numRows ? data : sliceData(data, from, count)));
    yield recordBatch(schema, children, count);
  }
}

function bytesOf(batch: RecordBatch): number {
  let sum = 0;
  for (const { type, values, valueOffsets, length } of batch.data.children) {
    if (type.typeId === Type.Utf8) sum += valueOffsets[length] - valueOffsets[0] + 4 * length;
    else sum += (values as Uint8Array | undefined)?.byteLength ?? 0;
  }
  return sum;
}
