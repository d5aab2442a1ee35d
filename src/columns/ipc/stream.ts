import { atomicFile } from "../../disk/atomic-file.js";
import { checkWords, refuseUnknown } from "../../errors/options.js";
import {
  type Data,
  type DataType,
  type Decimal,
  Dictionary,
  Field,
  makeData,
  type RecordBatch,
  RecordBatchFileWriter,
  RecordBatchStreamWriter,
  Schema,
  Table,
  Type,
  Utf8,
} from "../arrow/arrow.js";
import { chunkReader } from "../arrow/cell-reader.js";
import { recordBatch } from "../arrow/record-batch.js";
import { noBatches, type OnWritten, type Written } from "../io/written.js";
import { conform, shareDictionaries } from "../table/conform.js";
import { ArrowSink } from "./sink.js";
import { writable } from "./writable.js";

/** Options for writing Arrow IPC. */
export interface IPCOptions {
  /**
   * `string` writes decimals of more than 38 digits as text, for readers without Decimal256 support, such as polars.
   */
  readonly wideDecimals?: "decimal" | "string";
}

/**
 * Writes a table as an Arrow IPC stream. Equal tables give equal bytes: dictionaries are numbered by column and shared
 * by all batches.
 */
export function tableToIPCBytes(table: Table, options: IPCOptions = {}): Uint8Array {
  return bytesOf(prepared(table, options), new RecordBatchStreamWriter());
}

/** Writes a table in the Arrow IPC file format (with a footer, also called Feather 2). */
export function tableToIPCFileBytes(table: Table, options: IPCOptions = {}): Uint8Array {
  return bytesOf(prepared(table, options), new RecordBatchFileWriter());
}

function bytesOf(table: Table, writer: RecordBatchStreamWriter | RecordBatchFileWriter): Uint8Array {
  const sink = new ArrowSink();
  writer.reset(sink, table.schema);
  for (const batch of table.batches) writer.write(batch);
  writer.finish();
  return sink.bytes();
}

function prepared(table: Table, options: IPCOptions): Table {
  refuseUnknown(options, ["wideDecimals"], "toIPC()");
  checkWords(options, { wideDecimals: ["decimal", "string"] });
  const { wideDecimals = "decimal" } = options;
  const schema = portableSchema(table.schema, wideDecimals === "string");
  return new Table(
    schema,
    shareDictionaries(schema, table.batches).map((batch) => underSchema(batch, schema)),
  );
}

/** The highest dictionary id inside a nested type; -1 if there is none. */
function highestNested(fields: readonly Field[]): number {
  const inside = (type: DataType): number[] => {
    const own = type.typeId === Type.Dictionary ? [(type as Dictionary).id] : [];
    return [...own, ...(type.children ?? []).flatMap((child) => inside(child.type as DataType))];
  };
  return Math.max(
    -1,
    ...fields.flatMap(({ type }) =>
      ((type as DataType).children ?? []).flatMap((child) => inside(child.type as DataType)),
    ),
  );
}

/**
 * The same schema with dictionaries numbered from 0 in column order: ids that the library assigns differ between
 * processes and may repeat within a table.
 */
function portableSchema(schema: Schema, widest: boolean): Schema {
  let next = highestNested(schema.fields) + 1;
  const fields = schema.fields.map((field) => {
    const type = field.type as DataType;
    if (type.typeId === Type.Dictionary) {
      const { dictionary, indices, isOrdered } = type as Dictionary;
      return field.clone({ type: new Dictionary(dictionary, indices, next++, isOrdered) });
    }
    if (widest && type.typeId === Type.Decimal && (type as Decimal).bitWidth > 128)
      return field.clone({ type: new Utf8() });
    return field;
  });
  return new Schema(namesWritten(fields as Field[]), schema.metadata);
}

/**
 * Replaces empty column names with an object without bytes that is not an empty string: Arrow's writer omits an empty
 * name, and its reader then calls the column "null".
 */
export function namesWritten(fields: readonly Field[]): Field[] {
  const none = new Uint8Array(0) as unknown as string;
  return fields.map((field) =>
    field.name === "" ? new Field(none, field.type, field.nullable, field.metadata) : field,
  );
}

function underSchema(batch: RecordBatch, schema: Schema): RecordBatch {
  const children = batch.data.children.map(writable).map((data, i) => {
    const type = schema.fields[i].type as DataType;
    if (data.type === type) return data;
    return type.typeId === Type.Utf8 && (data.type as DataType).typeId === Type.Decimal
      ? decimalTexts(data)
      : data.clone(type);
  });
  return recordBatch(schema, children, batch.numRows);
}

/** Formats a column of decimals as Utf8. */
function decimalTexts(data: Data): Data {
  const { valid, text } = chunkReader(data);
  const offsets = new Int32Array(data.length + 1);
  const nullBitmap = new Uint8Array((data.length + 7) >> 3);
  let all = "";
  for (let i = 0; i < data.length; i++) {
    if (valid(i)) {
      all += text(i);
      nullBitmap[i >> 3] |= 1 << (i & 7);
    }
    offsets[i + 1] = all.length;
  }
  const bytes = new TextEncoder().encode(all);
  return makeData({
    type: new Utf8(),
    length: data.length,
    nullCount: data.nullCount,
    nullBitmap,
    valueOffsets: offsets,
    data: bytes,
  });
}

/** Options for writing batches as a stream. */
export interface ArrowStreamOptions extends OnWritten {
  /** The schema, for an empty list of batches. */
  readonly schema?: Schema;
}

/**
 * Writes batches as an Arrow IPC stream, with one batch in memory at a time. The file gets its name once it is
 * complete.
 *
 * @throws {FileError} if it cannot be written; also any error of the batches
 */
export async function writeArrowStream(
  batches: AsyncIterable<RecordBatch> | Iterable<RecordBatch>,
  path: string,
  { schema, onWritten }: ArrowStreamOptions = {},
): Promise<Written> {
  return atomicFile(path, async (file) => {
    const sink = new ArrowSink();
    const writer = new RecordBatchStreamWriter();
    let own = schema;
    let target = own === undefined ? undefined : portableSchema(own, false);
    if (target !== undefined) writer.reset(sink, target);
    let rows = 0;
    let bytes = 0;
    for await (const batch of batches) {
      if (own === undefined || target === undefined) {
        own = batch.schema;
        target = portableSchema(own, false);
        writer.reset(sink, target);
      }
      writer.write(underSchema(conform(batch, own), target));
      rows += batch.numRows;
      bytes += await sink.flush(file);
      onWritten?.(batch);
    }
    if (target === undefined) throw noBatches();
    writer.finish();
    return { rows, bytes: bytes + (await sink.flush(file)) };
  });
}
