import type { FileHandle } from "node:fs/promises";
import type { RowGroup } from "hyparquet";
import type { DataType, RecordBatch, Schema } from "./arrow.js";
import { warnOnce } from "./batches.js";
import { atomicFile, noBatches, type OnWritten, type Written } from "./file.js";
import { distinctNames } from "./names.js";
import { type ParquetColumn, parquetColumn } from "./parquet-columns.js";
import { type Compression, type ParquetForm, parquetForm, writeChunk } from "./parquet-form.js";
import { columnsOf } from "./schema.js";

/** Key of the file metadata that carries the service's columns, as JSON. */
export const COLUMNS_KEY = "arrowbook.columns";

/** Rows of a row group, at least: its columns are encoded one after the other, and all of them wait for the file. */
const GROUP_ROWS = 65_536;
/** What a Parquet file begins and ends with. */
const MAGIC = 0x31524150;

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
 * Writes batches as a Parquet file, one row group of about 65,536 rows in memory at a time: decimals of up to 38 digits exactly, wider
 * ones as text, the service's types in the metadata, a name that stands twice with `_2`. The file appears under its name when it is complete.
 *
 * @throws FileError when it cannot be written; whatever the batches throw
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
  const form = await parquetForm(options.compression);
  const bytes = new form.ByteWriter();
  const flush = async (): Promise<void> => {
    await file.writeFile(bytes.getBytes());
    bytes.index = 0;
  };
  let columns: readonly ParquetColumn[] | undefined;
  let schema = options.schema;
  const rowGroups: RowGroup[] = [];
  let group: RecordBatch[] = [];
  let waiting = 0;
  let rows = 0;
  const writeGroup = async (): Promise<void> => {
    const [held, size] = [group, waiting];
    group = [];
    waiting = 0;
    rows += size;
    const start = bytes.offset;
    const chunks = (columns ?? []).map(({ element, encode }, i) => {
      const encoded = encode(
        held.map((batch) => batch.data.children[i]),
        size,
      );
      return writeChunk(bytes, form, element, encoded, size);
    });
    const total = chunks.reduce((sum, { meta_data: chunk }) => sum + (chunk?.total_uncompressed_size ?? 0n), 0n);
    const written = BigInt(bytes.offset - start);
    rowGroups.push({
      columns: chunks,
      total_byte_size: total,
      num_rows: BigInt(size),
      total_compressed_size: written,
    });
    await flush();
    if (options.onWritten !== undefined) held.forEach(options.onWritten);
  };
  const begin = (found: Schema): void => {
    schema ??= found;
    columns = columnsFor(schema, form, options.warn ?? warnOnce);
    bytes.appendUint32(MAGIC);
  };
  if (schema !== undefined) begin(schema);
  for await (const batch of batches) {
    if (columns === undefined) begin(batch.schema);
    if (batch.numRows === 0) continue;
    group.push(batch);
    waiting += batch.numRows;
    if (waiting >= GROUP_ROWS) await writeGroup();
  }
  if (waiting > 0) await writeGroup();
  if (schema === undefined || columns === undefined) throw noBatches();
  form.writeMetadata(bytes, {
    version: 2,
    schema: [{ name: "root", num_children: columns.length }, ...columns.map(({ element }) => element)],
    num_rows: BigInt(rows),
    row_groups: rowGroups,
    key_value_metadata: [{ key: COLUMNS_KEY, value: JSON.stringify(columnsOf(schema)) }],
    created_by: "arrowbook",
    metadata_length: 0,
  });
  bytes.appendUint32(MAGIC);
  await flush();
  return { rows, bytes: bytes.offset };
}

function columnsFor(schema: Schema, form: ParquetForm, warn: (message: string) => void): ParquetColumn[] {
  // Most readers tell columns apart by name; the names as they are stand in the metadata.
  const names = distinctNames(schema.fields.map((field) => field.name));
  return schema.fields.map(({ type }, i) => parquetColumn(names[i], type as DataType, form.writeIndices, warn));
}
