import { readFile } from "node:fs/promises";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import type { AsyncBuffer, Compressors, FileMetaData, ParquetParsers, SchemaElement } from "hyparquet";
import { DataError, isArrowbookError } from "../errors/errors.js";
import type { ColumnSpec } from "../spec/columns.js";
import { formatDate } from "../value/date.js";
import { unscaledText } from "../value/decimal.js";
import { formatInstant } from "../value/instant.js";
import { formatNumber } from "../value/number.js";
import type { RecordBatch, Table } from "./arrow.js";
import { fileError } from "./file.js";
import { distinctNames } from "./names.js";
import type { ReadOptions } from "./options.js";
import { COLUMNS_KEY } from "./parquet.js";
import { textBatches } from "./texts.js";
import { tableOf } from "./unify.js";

/**
 * A Parquet file as a table: decimals by their digits, dates as days, the service's types where this package wrote the file.
 *
 * @throws FileError when it cannot be read; DataError for what is no Parquet file, has nested columns, or is compressed in an
 * unknown way
 */
export async function readParquet(path: string, options: ReadOptions = {}): Promise<Table> {
  const bytes = await readFile(path).catch((error: unknown) => Promise.reject(fileError(path, error)));
  const { buffer, byteOffset, length } = bytes;
  try {
    return await parquetTable(buffer.slice(byteOffset, byteOffset + length) as ArrayBuffer, options);
  } catch (error) {
    if (isArrowbookError(error)) throw error;
    const what = error instanceof Error ? error.message : String(error);
    throw new DataError(`${path}: not a readable Parquet file: ${what}.`, { code: "BadParquet", cause: error });
  }
}

async function parquetTable(bytes: ArrayBuffer, options: ReadOptions): Promise<Table> {
  const { parquetMetadataAsync, parquetRead } = await import("hyparquet");
  const file: AsyncBuffer = { byteLength: bytes.byteLength, slice: (start, end) => bytes.slice(start, end) };
  const metadata = await parquetMetadataAsync(file, { geoparquet: false });
  const leaves = metadata.schema.slice(1);
  if (leaves.some((leaf) => leaf.num_children !== undefined)) {
    throw new DataError("The Parquet file has nested columns.", {
      code: "UnsupportedType",
      hint: "Read it with an SQL engine and select their parts.",
    });
  }
  const columns = declaredColumns(metadata, leaves);
  const texts = leaves.map(textOf);
  // The library's own decimals pass through doubles; without the type it hands out the bytes.
  for (const leaf of leaves) if (isDecimal(leaf)) forgetType(leaf);
  separateNames(metadata, leaves);
  const compressors = await knownCompressors();
  const batches: RecordBatch[] = [];
  let rowStart = 0;
  do {
    const rowEnd = rowStart + Number(metadata.row_groups[batches.length]?.num_rows ?? 0);
    let rows: unknown[][] = [];
    const onComplete = (found: unknown[][]): void => {
      rows = found;
    };
    if (rowEnd > rowStart) {
      await parquetRead({ file, metadata, rowStart, rowEnd, utf8: false, parsers: PARSERS, compressors, onComplete });
    }
    const schema = batches[0]?.schema;
    const cells = rows.map((row) =>
      texts.map((text, i) => (row[i] === null || row[i] === undefined ? null : text(row[i]))),
    );
    batches.push(
      ...textBatches(cells, columns, { ...options, batchRows: Math.max(rows.length, 1), ...(schema && { schema }) }),
    );
    rowStart = rowEnd;
  } while (batches.length < metadata.row_groups.length);
  return tableOf(batches);
}

/** Everything that is not text stays what the file holds. */
const PARSERS: ParquetParsers = {
  timestampFromMilliseconds: (ms) => ms,
  timestampFromMicroseconds: (us) => us,
  timestampFromNanoseconds: (ns) => ns,
  dateFromDays: (days) => days,
  stringFromBytes: utf8Text,
  jsonFromBytes: utf8Text,
  geometryFromBytes: (bytes) => bytes,
  geographyFromBytes: (bytes) => bytes,
  uuidFromBytes: (bytes) => bytes,
};

function utf8Text(bytes: Uint8Array): string {
  return bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}

/** The service's columns as this package noted them, or the nearest type of each leaf. */
function declaredColumns(metadata: FileMetaData, leaves: readonly SchemaElement[]): ColumnSpec[] {
  const noted = metadata.key_value_metadata?.find(({ key }) => key === COLUMNS_KEY)?.value;
  const parsed: unknown = noted === undefined ? undefined : JSON.parse(noted);
  const names = Array.isArray(parsed) ? distinctNames(parsed.map((column) => String(column?.name))) : [];
  const fits = names.length === leaves.length && names.every((name, i) => name === leaves[i].name);
  return fits ? (parsed as ColumnSpec[]) : leaves.map((leaf) => ({ name: leaf.name, type: serviceType(leaf) }));
}

/** The library finds columns by name: those of one name would all be the last one of them. */
function separateNames(metadata: FileMetaData, leaves: readonly SchemaElement[]): void {
  const names = distinctNames(leaves.map((leaf) => leaf.name));
  for (const [i, leaf] of leaves.entries()) leaf.name = names[i];
  for (const { columns } of metadata.row_groups) {
    for (const [i, { meta_data: chunk }] of columns.entries()) if (chunk) chunk.path_in_schema = [names[i]];
  }
}

function isDecimal(leaf: SchemaElement): boolean {
  return leaf.converted_type === "DECIMAL" || leaf.logical_type?.type === "DECIMAL";
}

function forgetType(leaf: SchemaElement): void {
  delete leaf.converted_type;
  delete leaf.logical_type;
}

function decimalOf(leaf: SchemaElement): { precision: number; scale: number } {
  const logical = leaf.logical_type as { precision?: number; scale?: number } | undefined;
  return { precision: leaf.precision ?? logical?.precision ?? 38, scale: leaf.scale ?? logical?.scale ?? 0 };
}

function serviceType(leaf: SchemaElement): string {
  if (isDecimal(leaf)) return `BigDecimal(${decimalOf(leaf).precision},${decimalOf(leaf).scale})`;
  const { type, converted_type: converted, logical_type: logical } = leaf;
  if (converted === "DATE" || logical?.type === "DATE") return "Date";
  if (logical?.type === "TIMESTAMP" || converted?.startsWith("TIMESTAMP_") || type === "INT96") return "DateTime";
  if (converted === "UINT_64") return "BigDecimal(20,0)";
  if (type === "BOOLEAN") return "Boolean";
  if (type === "DOUBLE" || type === "FLOAT") return "double";
  return type === "INT32" || type === "INT64" ? "Integer" : "String";
}

/** How a value of a leaf is spelt so that its service type reads it. */
function textOf(leaf: SchemaElement): (value: unknown) => string {
  if (isDecimal(leaf)) {
    const { scale } = decimalOf(leaf);
    return (value) => unscaledText(value instanceof Uint8Array ? bigEndian(value).toString() : String(value), scale);
  }
  switch (serviceType(leaf)) {
    case "Date":
      return (value) => formatDate(Number(value));
    case "DateTime": {
      const perMs = unitsPerMs(leaf);
      return (value) => instantText(BigInt(value as bigint), perMs);
    }
    case "double":
      return (value) => formatNumber(Number(value));
    default:
      return (value) => (value instanceof Uint8Array ? utf8Text(value) : String(value));
  }
}

function unitsPerMs(leaf: SchemaElement): bigint {
  const unit = (leaf.logical_type as { unit?: string } | undefined)?.unit;
  if (leaf.type === "INT96" || unit === "NANOS") return 1_000_000n;
  return unit === "MICROS" || leaf.converted_type === "TIMESTAMP_MICROS" ? 1_000n : 1n;
}

/** An instant with every digit of its unit. */
function instantText(value: bigint, perMs: bigint): string {
  const rest = ((value % perMs) + perMs) % perMs;
  const text = formatInstant(Number((value - rest) / perMs));
  if (rest === 0n) return text;
  const whole = text.includes(".") ? text.slice(0, -1) : `${text.slice(0, -1)}.000`;
  return `${whole}${rest.toString().padStart(perMs.toString().length - 1, "0")}Z`;
}

function bigEndian(bytes: Uint8Array): bigint {
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  return BigInt.asIntN(bytes.length * 8, value);
}

/** What Node itself can inflate; Snappy is built in. */
async function knownCompressors(): Promise<Compressors> {
  const zlib: unknown = await import("node:zlib");
  const zstd = (zlib as { zstdDecompressSync?: (bytes: Uint8Array) => Uint8Array }).zstdDecompressSync;
  return {
    GZIP: (bytes) => gunzipSync(bytes),
    BROTLI: (bytes) => brotliDecompressSync(bytes),
    ...(zstd && { ZSTD: (bytes: Uint8Array) => zstd(bytes) }),
  };
}
