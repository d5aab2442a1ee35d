import { atomicFile } from "../../../disk/atomic-file.js";
import { utf8Bytes } from "../../../platform/node/bytes.js";
import type { FileHandle } from "../../../platform/node/files.js";
import type { DataType, RecordBatch, Schema } from "../../arrow/arrow.js";
import { distinctNames } from "../../arrow/column-names.js";
import { KEY, keyOf } from "../../arrow/key.js";
import { recordBatch, sliceData } from "../../arrow/record-batch.js";
import { columnsOf } from "../../arrow/schema.js";
import { warnOnce } from "../../build/batch-maker.js";
import { noBatches, type OnWritten, type Written } from "../../io/written.js";
import { conform } from "../../table/conform.js";
import { CHECKSUM_KEY, COLUMNS_KEY, CREATED_BY, type NotedColumn, schemaChecksum } from "../read/format/schema.js";
import type { Compression } from "../read/options.js";
import { ByteWriter, type ThriftFields } from "./byte-writer.js";
import { type ParquetColumn, parquetColumn } from "./columns.js";
import { pageCodec, writeChunk } from "./pages.js";
import { elementFields } from "./types.js";

/** Rows of a row group, about, and cells of one of very many columns: its batches are in memory while it is written. */
const GROUP_ROWS = 65_536;
const GROUP_CELLS = 4_194_304;
const FEWEST_ROWS = 8_192;
/** Encoded bytes that wait for the file. */
const WAITING_BYTES = 4_194_304;
/** What a Parquet file begins and ends with. */
const MAGIC = utf8Bytes("PAR1");

/** How a Parquet file is written. */
export interface ParquetOptions {
  /** Takes the warning that a column of more than 38 digits is written as text; default `process.emitWarning`. */
  readonly warn?: (message: string) => void;
  /** The schema, for a file without batches. */
  readonly schema?: Schema;
  /** How pages are compressed. Default `zstd` where Node has it (22.15 and newer), else `snappy`. */
  readonly compression?: Compression;
}

/**
 * Writes batches as a Parquet file, one row group of about 65,536 rows in memory at a time: decimals of up to 38 digits
 * exactly, wider ones as text, the service's types in the metadata, a repeated name with `_2`. The file appears under
 * its name when it is complete.
 *
 * @throws {FileError} when it cannot be written; errors of the batches
 */
export async function writeParquet(
  batches: AsyncIterable<RecordBatch> | Iterable<RecordBatch>,
  path: string,
  options: ParquetOptions & OnWritten = {},
): Promise<Written> {
  return atomicFile(path, (file) => writeGroups(batches, file, options));
}

async function writeGroups(
  batches: AsyncIterable<RecordBatch> | Iterable<RecordBatch>,
  file: FileHandle,
  options: ParquetOptions & OnWritten,
): Promise<Written> {
  const codec = pageCodec(options.compression);
  const bytes = new ByteWriter();
  const flush = async (): Promise<void> => file.writeFile(bytes.take());
  let columns: readonly ParquetColumn[] | undefined;
  let schema = options.schema;
  const rowGroups: ThriftFields[] = [];
  let group: RecordBatch[] = [];
  let groupRows = GROUP_ROWS;
  let waiting = 0;
  let rows = 0;
  const writeGroup = async (): Promise<void> => {
    const [held, size] = [group, waiting];
    group = [];
    waiting = 0;
    rows += size;
    const start = bytes.offset;
    const chunks: ThriftFields[] = [];
    let unpacked = 0;
    for (const [i, column] of (columns ?? []).entries()) {
      const data = held.map((batch) => batch.data.children[i]);
      const chunk = writeChunk(bytes, codec, column, column.encode(data, size), size);
      chunks.push(chunk.fields);
      unpacked += chunk.unpacked;
      if (bytes.waiting >= WAITING_BYTES) await flush();
    }
    rowGroups.push({ 1: chunks, 2: BigInt(unpacked), 3: BigInt(size), 6: BigInt(bytes.offset - start) });
    await flush();
    if (options.onWritten !== undefined) held.forEach(options.onWritten);
  };
  const begin = (found: Schema): void => {
    schema ??= found;
    columns = columnsFor(schema, options.warn ?? warnOnce);
    groupRows = Math.max(FEWEST_ROWS, Math.min(GROUP_ROWS, Math.floor(GROUP_CELLS / columns.length)));
    bytes.bytes(MAGIC);
  };
  if (schema !== undefined) begin(schema);
  for await (const batch of batches) {
    if (columns === undefined) begin(batch.schema);
    if (batch.numRows === 0) continue;
    for (const part of parts(conform(batch, schema ?? batch.schema), groupRows)) {
      group.push(part);
      waiting += part.numRows;
      if (waiting >= groupRows) await writeGroup();
    }
  }
  if (waiting > 0) await writeGroup();
  if (schema === undefined || columns === undefined) throw noBatches();
  const start = bytes.offset;
  bytes.struct({ ...schemaFields(schema, columns), 1: 2, 3: BigInt(rows), 4: rowGroups, 6: CREATED_BY });
  bytes.uint32(bytes.offset - start);
  bytes.bytes(MAGIC);
  await flush();
  return { rows, bytes: bytes.offset };
}

/** The fields of a footer that follow from the schema. */
function schemaFields(schema: Schema, columns: readonly ParquetColumn[]): ThriftFields {
  const elements = [
    { 4: "root", 5: columns.length },
    ...columns.map(({ name, element }) => elementFields(name, element)),
  ];
  const noted = new ByteWriter();
  noted.struct({ 2: elements });
  return {
    2: elements,
    5: [...notedIn(schema), [CHECKSUM_KEY, schemaChecksum(noted.take())]].map(([key, value]) => ({ 1: key, 2: value })),
    // Bounds are in the order of the types.
    7: columns.map(() => ({ 1: {} })),
  };
}

/** The service's types and the key, for the reader. */
function notedIn(schema: Schema): [key: string, value: string][] {
  const noted = columnsOf(schema).map((column, i): NotedColumn => {
    const { timezone } = schema.fields[i].type as { timezone?: string | null };
    return timezone && timezone !== "UTC" ? { ...column, zone: timezone } : column;
  });
  const key = keyOf(schema);
  return [
    [COLUMNS_KEY, JSON.stringify(noted)],
    ...(key.length === 0 ? [] : [[KEY, JSON.stringify(key)] as [string, string]]),
  ];
}

/** A batch that is much longer than a row group in parts; its buffers are shared. */
function* parts(batch: RecordBatch, rows: number): Generator<RecordBatch> {
  if (batch.numRows <= 2 * rows) yield batch;
  else {
    for (let from = 0; from < batch.numRows; from += rows) {
      const length = Math.min(rows, batch.numRows - from);
      const children = batch.data.children.map((data) => sliceData(data, from, length));
      yield recordBatch(batch.schema, children, length);
    }
  }
}

function columnsFor(schema: Schema, warn: (message: string) => void): ParquetColumn[] {
  // Most readers identify columns by name; the original names are in the metadata.
  const names = distinctNames(schema.fields.map((field) => field.name));
  return schema.fields.map(({ type }, i) => parquetColumn(names[i], type as DataType, warn));
}
