import type { FileHandle } from "node:fs/promises";
import type { ColumnSource, SchemaElement, Writer } from "hyparquet-writer";
import type { Data, DataType, Decimal, RecordBatch, Schema } from "./arrow.js";
import { DateUnit, TimeUnit, Type } from "./arrow.js";
import { warnOnce } from "./batches.js";
import { type ChunkReader, chunkReader } from "./chunks.js";
import { atomicFile, noBatches, type Written } from "./file.js";
import { columnsOf, DECIMAL128_DIGITS } from "./schema.js";

/** Key of the file metadata that carries the service's columns, as JSON. */
export const COLUMNS_KEY = "arrowbook.columns";

/** Rows of a row group, at least. */
const GROUP_ROWS = 131_072;

/** Most digits a 64-bit decimal of Parquet holds. */
const INT64_DIGITS = 18;

/** How one column is written: its element of the Parquet schema and the values of a chunk. */
interface ParquetColumn {
  readonly element: SchemaElement;
  readonly values: (data: Data) => unknown[];
}

/** How a Parquet file is written. */
export interface ParquetOptions {
  /** Takes the warning that a column of more than 38 digits is written as text; default `process.emitWarning`. */
  readonly warn?: (message: string) => void;
  /** The schema, for a file without batches. */
  readonly schema?: Schema;
}

/**
 * Writes batches as a Parquet file, one row group of about 131,072 rows in memory at a time: decimals of up to 38 digits exactly, wider
 * ones as text, the service's types in the metadata. The file appears under its name when it is complete.
 *
 * @throws FileError when it cannot be written; whatever the batches throw
 */
export async function writeParquet(
  batches: AsyncIterable<RecordBatch> | Iterable<RecordBatch>,
  path: string,
  options: ParquetOptions = {},
): Promise<Written> {
  return atomicFile(path, (file) => writeGroups(batches, file, options));
}

async function writeGroups(
  batches: AsyncIterable<RecordBatch> | Iterable<RecordBatch>,
  file: FileHandle,
  options: ParquetOptions,
): Promise<Written> {
  const { ByteWriter, ParquetWriter } = await import("hyparquet-writer");
  const bytes = new ByteWriter();
  const flush = async (): Promise<void> => {
    await file.writeFile(new Uint8Array(bytes.buffer, 0, bytes.index));
    bytes.index = 0;
  };
  let columns: readonly ParquetColumn[] = [];
  let parquet: InstanceType<typeof ParquetWriter> | undefined;
  const begin = (schema: Schema): InstanceType<typeof ParquetWriter> => {
    columns = schema.fields.map((field) => parquetColumn(field.name, field.type as DataType, options.warn ?? warnOnce));
    const root = { name: "root", num_children: columns.length };
    return new ParquetWriter({
      writer: Object.assign(bytes, { flush }) as Writer,
      schema: [root, ...columns.map((column) => column.element)],
      kvMetadata: [{ key: COLUMNS_KEY, value: JSON.stringify(columnsOf(schema)) }],
      createdBy: "arrowbook",
    });
  };
  if (options.schema !== undefined) parquet = begin(options.schema);
  let group: RecordBatch[] = [];
  let waiting = 0;
  let rows = 0;
  const writeGroup = async (): Promise<void> => {
    const held = group;
    group = [];
    rows += waiting;
    const columnData: ColumnSource[] = columns.map(({ element, values }, i) => ({
      name: element.name,
      data: held.flatMap((batch) => values(batch.data.children[i])) as ColumnSource["data"],
    }));
    await parquet?.write({ columnData, rowGroupSize: waiting });
    waiting = 0;
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
  await parquet.finish();
  await flush();
  return { rows, bytes: bytes.offset };
}

function parquetColumn(name: string, type: DataType, warn: (message: string) => void): ParquetColumn {
  const element = (rest: Omit<SchemaElement, "name">): SchemaElement => ({
    name,
    repetition_type: "OPTIONAL",
    ...rest,
  });
  const text = {
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
      const decimal = { converted_type: "DECIMAL", precision, scale } as const;
      const wide = { type: "FIXED_LEN_BYTE_ARRAY", type_length: 16, ...decimal } as const;
      const small = precision <= INT64_DIGITS;
      return { element: element(small ? { type: "INT64", ...decimal } : wide), values: each((r) => r.integer) };
    }
    case Type.Int:
      return { element: element({ type: "INT64" }), values: each((r) => r.integer) };
    case Type.Float:
      return { element: element({ type: "DOUBLE" }), values: each((r) => r.value) };
    case Type.Bool:
      return { element: element({ type: "BOOLEAN" }), values: each((r) => r.value) };
    case Type.Date:
      if ((type as unknown as { unit: DateUnit }).unit !== DateUnit.DAY) return text;
      return {
        element: element({ type: "INT32", converted_type: "DATE" }),
        values: each((r) => (i) => Number(r.integer?.(i))),
      };
    case Type.Timestamp: {
      const { unit, timezone } = type as unknown as { unit: TimeUnit; timezone?: string };
      if (unit !== TimeUnit.MILLISECOND) return text;
      const logical_type = { type: "TIMESTAMP", isAdjustedToUTC: Boolean(timezone), unit: "MILLIS" } as const;
      return {
        element: element({ type: "INT64", converted_type: "TIMESTAMP_MILLIS", logical_type }),
        values: each((r) => r.integer),
      };
    }
    default:
      return text;
  }
}

/** The values of a chunk by one of its readers, null as null. */
function each(choose: (reader: ChunkReader) => ((i: number) => unknown) | undefined): (data: Data) => unknown[] {
  return (data) => {
    const reader = chunkReader(data);
    const read = choose(reader) ?? reader.text;
    return Array.from({ length: data.length }, (_, i) => (reader.valid(i) ? read(i) : null));
  };
}
