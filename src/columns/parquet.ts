import type { FileHandle } from "node:fs/promises";
import type { ColumnSource, SchemaElement, Writer } from "hyparquet-writer";
import { InputError } from "../errors/errors.js";
import type { Data, DataType, Decimal, RecordBatch, Schema } from "./arrow.js";
import { DateUnit, TimeUnit, Type } from "./arrow.js";
import { warnOnce } from "./batches.js";
import { type ChunkReader, chunkReader } from "./chunks.js";
import { atomicFile, noBatches, type OnWritten, type Written } from "./file.js";
import { distinctNames } from "./names.js";
import { columnsOf, DECIMAL128_DIGITS } from "./schema.js";

/** Key of the file metadata that carries the service's columns, as JSON. */
export const COLUMNS_KEY = "arrowbook.columns";

/** Rows of a row group, at least. */
const GROUP_ROWS = 32_768;

/** Bytes of a page: the writer's buffers for a page are of about this size. */
const PAGE_BYTES = 262_144;

/** Most digits a 64-bit decimal of Parquet holds. */
const INT64_DIGITS = 18;

/** How one column is written: its element of the Parquet schema and the values of its chunks. */
interface ParquetColumn {
  /** While rows are written this says the physical type alone; {@link ParquetColumn.logical} is added at the end. */
  readonly element: SchemaElement;
  /**
   * What the physical values mean. The writer would turn each value of a decimal or date into an object of its own to convert it;
   * ours are converted already, so it learns of the meaning only when it writes the file's schema.
   */
  readonly logical?: Partial<SchemaElement>;
  readonly values: (chunks: readonly Data[], rows: number) => Values;
  readonly statistics?: false;
}

type Values = unknown[] | Float64Array | BigInt64Array | Int32Array;

/** How a Parquet file is written. */
export interface ParquetOptions {
  /** Takes the warning that a column of more than 38 digits is written as text; default `process.emitWarning`. */
  readonly warn?: (message: string) => void;
  /** The schema, for a file without batches. */
  readonly schema?: Schema;
  /** How pages are compressed. Default `zstd` where Node has it (22.15 and newer), else `snappy`. */
  readonly compression?: Compression;
}

/** A compression every common reader of Parquet knows. */
export type Compression = "zstd" | "snappy" | "none";

/**
 * Writes batches as a Parquet file, one row group of about 32,768 rows in memory at a time: decimals of up to 38 digits exactly, wider
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
  const { ByteWriter, ParquetWriter } = await import("hyparquet-writer");
  const codec = await codecOf(options.compression);
  const bytes = new ByteWriter();
  const flush = async (): Promise<void> => {
    await file.writeFile(new Uint8Array(bytes.buffer, 0, bytes.index));
    bytes.index = 0;
  };
  let columns: readonly ParquetColumn[] = [];
  let parquet: InstanceType<typeof ParquetWriter> | undefined;
  const begin = (schema: Schema): InstanceType<typeof ParquetWriter> => {
    // The writer and most readers tell columns apart by name; the names as they are stand in the metadata.
    const names = distinctNames(schema.fields.map((field) => field.name));
    columns = schema.fields.map(({ type }, i) => parquetColumn(names[i], type as DataType, options.warn ?? warnOnce));
    const root = { name: "root", num_children: columns.length };
    return new ParquetWriter({
      writer: Object.assign(bytes, { flush }) as Writer,
      schema: [root, ...columns.map((column) => column.element)],
      kvMetadata: [{ key: COLUMNS_KEY, value: JSON.stringify(columnsOf(schema)) }],
      createdBy: "arrowbook",
      ...codec,
    });
  };
  if (options.schema !== undefined) parquet = begin(options.schema);
  let group: RecordBatch[] = [];
  let waiting = 0;
  let rows = 0;
  const writeGroup = async (): Promise<void> => {
    const [held, size] = [group, waiting];
    group = [];
    waiting = 0;
    rows += size;
    // The values of a column are made when the writer comes to it, so that one column at a time is in memory.
    const columnData = columns.map(({ element, values, statistics }, i) => ({
      name: element.name,
      get data(): Values {
        const chunks = held.map((batch) => batch.data.children[i]);
        return values(chunks, size);
      },
      offsetIndex: false,
      ...(statistics === false && { statistics }),
    }));
    await parquet?.write({ columnData: columnData as ColumnSource[], rowGroupSize: size, pageSize: PAGE_BYTES });
    if (options.onWritten !== undefined) held.forEach(options.onWritten);
  };
  for await (const batch of batches) {
    parquet ??= begin(batch.schema);
    if (batch.numRows === 0) continue;
    group.push(batch);
    waiting += batch.numRows;
    if (waiting >= GROUP_ROWS) await writeGroup();
  }
  if (waiting > 0) await writeGroup();
  if (parquet === undefined) throw noBatches();
  for (const { element, logical } of columns) Object.assign(element, logical);
  await parquet.finish();
  await flush();
  return { rows, bytes: bytes.offset };
}

/** The writer's codec for a compression. @throws InputError for one this Node does not have */
async function codecOf(wanted: Compression | undefined): Promise<Codec> {
  const zlib: unknown = await import("node:zlib");
  const zstd = (zlib as { zstdCompressSync?: (bytes: Uint8Array) => Uint8Array }).zstdCompressSync;
  const compression = wanted ?? (zstd === undefined ? "snappy" : "zstd");
  if (compression === "snappy") return { codec: "SNAPPY" };
  if (compression === "none") return { codec: "UNCOMPRESSED" };
  if (compression === "zstd" && zstd !== undefined)
    return { codec: "ZSTD", compressors: { ZSTD: (bytes) => zstd(bytes) } };
  throw new InputError(`Parquet cannot be compressed by ${JSON.stringify(compression)} here.`, {
    code: "UnknownCompression",
    hint: 'Take "snappy" or "none"; "zstd" needs Node 22.15 or newer.',
  });
}

interface Codec {
  readonly codec: "SNAPPY" | "UNCOMPRESSED" | "ZSTD";
  readonly compressors?: { readonly ZSTD: (bytes: Uint8Array) => Uint8Array };
}

function parquetColumn(name: string, type: DataType, warn: (message: string) => void): ParquetColumn {
  const element = (rest: Omit<SchemaElement, "name">): SchemaElement => ({
    name,
    repetition_type: "OPTIONAL",
    ...rest,
  });
  const text: ParquetColumn = {
    element: element({ type: "BYTE_ARRAY", converted_type: "UTF8" }),
    values: each((reader) => reader.text),
  };
  switch (type.typeId as Type) {
    case Type.Decimal: {
      const { precision, scale } = type as Decimal;
      if (precision > DECIMAL128_DIGITS || scale < 0) {
        warn(`Column ${JSON.stringify(name)} has ${precision} digits; Parquet stops at 38, so it is written as text.`);
        return text;
      }
      const logical = { converted_type: "DECIMAL", precision, scale } as const;
      if (precision <= INT64_DIGITS) return { element: element({ type: "INT64" }), logical, values: narrowDecimals };
      const wide = element({ type: "FIXED_LEN_BYTE_ARRAY", type_length: 16 });
      // The writer would order these bytes without their sign.
      return { element: wide, logical, values: wideDecimals, statistics: false };
    }
    case Type.Int:
      return { element: element({ type: "INT64" }), values: each((r) => r.integer) };
    case Type.Float:
      return { element: element({ type: "DOUBLE" }), values: doubles };
    case Type.Bool:
      return { element: element({ type: "BOOLEAN" }), values: each((r) => r.value) };
    case Type.Date:
      if ((type as unknown as { unit: DateUnit }).unit !== DateUnit.DAY) return text;
      return { element: element({ type: "INT32" }), logical: { converted_type: "DATE" }, values: days };
    case Type.Timestamp: {
      const { unit, timezone } = type as unknown as { unit: TimeUnit; timezone?: string };
      if (unit !== TimeUnit.MILLISECOND) return text;
      const logical_type = { type: "TIMESTAMP", isAdjustedToUTC: Boolean(timezone), unit: "MILLIS" } as const;
      const logical = { converted_type: "TIMESTAMP_MILLIS", logical_type } as const;
      return { element: element({ type: "INT64" }), logical, values: each((r) => r.integer) };
    }
    default:
      return text;
  }
}

/** The values of chunks by one of their readers, null as null. */
function each(choose: (reader: ChunkReader) => ((i: number) => unknown) | undefined): ParquetColumn["values"] {
  return (chunks, rows) => {
    const out = new Array<unknown>(rows);
    let at = 0;
    for (const data of chunks) {
      const reader = chunkReader(data);
      const read = choose(reader) ?? reader.text;
      for (let i = 0; i < data.length; i++) out[at++] = reader.valid(i) ? read(i) : null;
    }
    return out;
  };
}

const isWhole = (chunks: readonly Data[]): boolean => chunks.every(({ nullCount }) => nullCount === 0);

const doubles: ParquetColumn["values"] = (chunks, rows) => {
  if (!isWhole(chunks) || !chunks.every(({ values }) => values instanceof Float64Array)) {
    return each((r) => r.value)(chunks, rows);
  }
  const out = new Float64Array(rows);
  let at = 0;
  for (const { values, length } of chunks) {
    out.set((values as Float64Array).subarray(0, length), at);
    at += length;
  }
  return out;
};

const days: ParquetColumn["values"] = (chunks, rows) => {
  if (!isWhole(chunks)) return each((r) => (i) => Number(r.integer?.(i)))(chunks, rows);
  const out = new Int32Array(rows);
  let at = 0;
  for (const { values, length } of chunks) {
    out.set((values as Int32Array).subarray(0, length), at);
    at += length;
  }
  return out;
};

/** Up to 18 digits stand whole in the low half of the 128 bits. */
const narrowDecimals: ParquetColumn["values"] = (chunks, rows) => {
  if (!isWhole(chunks) || !chunks.every((data) => lowWords(data) === 4)) return each((r) => r.integer)(chunks, rows);
  const out = new BigInt64Array(rows);
  const words = new Int32Array(out.buffer);
  let at = 0;
  for (const data of chunks) {
    const from = data.values as Uint32Array;
    for (let i = 0; i < data.length; i++) {
      words[at++] = from[4 * i];
      words[at++] = from[4 * i + 1];
    }
  }
  return out;
};

/** The 16 bytes of each value, highest first, as Parquet wants them. */
const wideDecimals: ParquetColumn["values"] = (chunks, rows) => {
  const out = new Array<unknown>(rows);
  const bytes = new DataView(new ArrayBuffer(rows * 16));
  let at = 0;
  for (const data of chunks) {
    const { valid } = chunkReader(data);
    const from = data.values as Uint32Array;
    for (let i = 0; i < data.length; i++, at++) {
      for (let word = 0; word < 4; word++) bytes.setUint32(16 * at + 4 * word, from[4 * i + 3 - word]);
      out[at] = valid(i) ? new Uint8Array(bytes.buffer, 16 * at, 16) : null;
    }
  }
  return out;
};

/** Words of one value of a decimal column. */
const lowWords = ({ type }: Data): number => (type as Decimal).bitWidth / 32;
