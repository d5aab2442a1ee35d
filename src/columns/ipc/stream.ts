import { atomicFile } from "../../disk/atomic-file.js";
import { checkWords, refuseUnknown } from "../../errors/options.js";
import { joinedBytes } from "../../platform/node/bytes.js";
import type { FileHandle } from "../../platform/node/files.js";
import {
  AsyncByteQueue,
  type Data,
  DataType,
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
  Vector,
} from "../arrow/arrow.js";
import { chunkReader } from "../arrow/cell-reader.js";
import { recordBatch } from "../arrow/record-batch.js";
import { noBatches, type OnWritten, type Written } from "../io/written.js";
import { conform, shareDictionaries } from "../table/conform.js";
import { takeVector } from "../table/take.js";

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

export interface ArrowStreamOptions extends OnWritten {
  /** The schema, for an empty list of batches. */
  readonly schema?: Schema;
}

type Batches = AsyncIterable<RecordBatch> | Iterable<RecordBatch>;

/**
 * Writes batches as an Arrow IPC stream, with one batch in memory at a time. The file gets its name once it is
 * complete.
 *
 * @throws {FileError} if it cannot be written; also any error of the batches
 */
export function writeArrowStream(batches: Batches, path: string, options: ArrowStreamOptions = {}): Promise<Written> {
  return writeBatches(batches, path, options, new RecordBatchStreamWriter(), (schema) => {
    const target = portableSchema(schema, false);
    return { target, converted: (batch) => underSchema(batch, target) };
  });
}

/** The schema that is written for another one, and what is written of a batch: undefined if it is left out. */
type Conversion = (schema: Schema) => {
  readonly target: Schema;
  readonly converted: (batch: RecordBatch) => RecordBatch | undefined;
};

/** Writes batches with one of Arrow's writers. */
export function writeBatches(
  batches: Batches,
  path: string,
  { schema, onWritten }: ArrowStreamOptions,
  writer: RecordBatchStreamWriter | RecordBatchFileWriter,
  conversion: Conversion,
): Promise<Written> {
  return atomicFile(path, async (file) => {
    const sink = new ArrowSink();
    const begin = (own: Schema) => {
      const { target, converted } = conversion(own);
      writer.reset(sink, target);
      return (batch: RecordBatch) => converted(conform(batch, own));
    };
    let convert = schema && begin(schema);
    let rows = 0;
    let bytes = 0;
    for await (const batch of batches) {
      convert ??= begin(batch.schema);
      const converted = convert(batch);
      if (converted !== undefined) writer.write(converted);
      rows += batch.numRows;
      bytes += await sink.flush(file);
      onWritten?.(batch);
    }
    if (convert === undefined) throw noBatches();
    writer.finish();
    return { rows, bytes: bytes + (await sink.flush(file)) };
  });
}

/** Buffers the output of one of Arrow's writers, which have no backpressure, until it is written to a file. */
class ArrowSink extends AsyncByteQueue {
  private chunks: Uint8Array[] = [];

  override write(value: unknown): void {
    const bytes = value as Uint8Array;
    if (bytes?.byteLength > 0) this.chunks.push(bytes);
  }

  /** Everything buffered. The library's own join drops columns that share their memory with the one before. */
  bytes(): Uint8Array {
    const all = new Uint8Array(this.chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0));
    let at = 0;
    for (const chunk of this.chunks) {
      all.set(chunk, at);
      at += chunk.byteLength;
    }
    return all;
  }

  /** Writes everything buffered to the file, however little each write accepts; returns the number of bytes. */
  async flush(file: FileHandle): Promise<number> {
    const { chunks } = this;
    this.chunks = [];
    const wanted = chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0);
    if (wanted === 0) return 0;
    const { bytesWritten } = await file.writev(chunks);
    const rest = bytesWritten < wanted ? joinedBytes(chunks).subarray(bytesWritten) : new Uint8Array(0);
    for (let at = 0; at < rest.length; ) at += (await file.write(rest, at)).bytesWritten;
    return wanted;
  }
}

/**
 * Prepares a column for the Arrow library's writer, which writes some slices wrong: it applies the offset of views
 * twice, takes the row count of a dense union for the length of its children, and counts the nulls of a nested column
 * without a type before the slice. Such slices, and columns that contain them, are copied.
 */
export function writable(data: Data): Data {
  if (isWhole(data)) return data;
  const rows = Uint32Array.from({ length: data.length }, (_, i) => i);
  return takeVector(new Vector([data]), rows).data[0] as Data;
}

/** Whether the library writes the column correctly as it is. */
function isWhole(data: Data): boolean {
  if (!holdsFragile(data.type)) return true;
  return isFragile(data.type) && data.offset === 0 && data.children.every(isWhole);
}

const isFragile = (type: DataType): boolean =>
  DataType.isUtf8View(type) || DataType.isBinaryView(type) || DataType.isDenseUnion(type) || DataType.isNull(type);

function holdsFragile(type: DataType): boolean {
  return isFragile(type) || (type.children ?? []).some((child: Field) => holdsFragile(child.type));
}
