import { isArrowbookError } from "../../../errors/errors.js";
import { decompressBlock } from "../../../format/block-codecs.js";
import { decompressZstdBlock } from "../../../format/zstd-blocks.js";
import { LONGEST_INLINE, VIEW_BYTES } from "../../arrow/data-faults.js";
import { badArrow, columnName, unsupportedArrow } from "./bad-arrow.js";
import type { FlatStructs, FlatTable } from "./flat-table.js";

/** Length and null count of a column as the metadata declare them; -1 nulls if they were not counted. */
export interface Node {
  readonly length: number;
  readonly nullCount: number;
  readonly at: number;
}

/** The names of a column and its parents, outermost first; empty for the values of a dictionary. */
export type ColumnPath = readonly string[];

/** One buffer of a column. */
export interface Region {
  readonly bytes: Uint8Array;
  /** Offset of its first byte in the stream or file. */
  readonly at: number;
}

/**
 * Most rows that need not be backed by bytes, such as those of a null column; or the number of bits of the input if
 * that is greater.
 */
const FREE_ROWS = 2 ** 24;

/** The rows that all batches of one input together may still declare without bytes to back them. */
export interface Allowance {
  rowsLeft: number;
}

export const allowanceOf = (bytes: number): Allowance => ({ rowsLeft: Math.max(FREE_ROWS, 8 * bytes) });

/** The origin of a record batch or dictionary. */
export interface BatchSource {
  /** Its name in errors, such as `batch 0`. */
  readonly name: string;
  readonly body: Uint8Array;
  readonly bodyAt: number;
  readonly version: number;
  readonly bigEndian: boolean;
  readonly allowance: Allowance;
}

const BATCH = { length: 0, nodes: 1, buffers: 2, compression: 3, variadicCounts: 4 };
const NODE_BYTES = 16;
const BUFFER_BYTES = 16;
const RAW = -1;

/** Column lengths and buffers of one record batch, consumed in the order of the schema. */
export class BatchBody {
  readonly length: number;
  private readonly nodes: FlatStructs;
  private readonly buffers: readonly Region[];
  private readonly variadicCounts: FlatStructs;
  private readonly codec: BufferCodec | undefined;
  private nextNode = 0;
  private nextBuffer = 0;
  private nextCount = 0;

  constructor(
    private readonly header: FlatTable,
    readonly source: BatchSource,
  ) {
    this.length = header.int64(BATCH.length);
    if (this.length < 0) throw this.fault(`declares ${this.length} rows`, header.at);
    this.nodes = header.structs(BATCH.nodes, NODE_BYTES);
    this.buffers = this.regions(header.structs(BATCH.buffers, BUFFER_BYTES));
    this.variadicCounts = header.structs(BATCH.variadicCounts, 8);
    const compression = header.table(BATCH.compression);
    if (compression !== undefined) this.codec = codecOf(compression, source.name);
  }

  /** Offset of the batch's metadata in the stream or file. */
  get at(): number {
    return this.header.at;
  }

  /** The name of a column in errors, or of the batch without a path. */
  place(path?: ColumnPath): string {
    if (path === undefined || path.length === 0) return this.source.name;
    return `column ${columnName(path)} of ${this.source.name}`;
  }

  fault(what: string, at: number, path?: ColumnPath, row?: number): Error {
    const column = path === undefined || path.length === 0 ? {} : { column: path.join(".") };
    return badArrow(`${this.place(path)} ${what}`, { at, ...column, ...(row !== undefined && { row }) });
  }

  /** Reads the buffers in order; none may overlap another or exceed the body. */
  private regions(buffers: FlatStructs): Region[] {
    const { body, bodyAt } = this.source;
    let last = 0;
    return Array.from({ length: buffers.count }, (_, i) => {
      const offset = buffers.int64(i, 0);
      const length = buffers.int64(i, 8);
      if (length < 0 || offset < 0 || offset + length > body.length) {
        const what = `declares buffer ${i} as bytes ${offset} to ${offset + length} of a body of ${body.length}`;
        throw this.fault(what, buffers.at(i));
      }
      if (length === 0) return { bytes: body.subarray(0, 0), at: bodyAt };
      if (offset < last) throw this.fault(`declares buffer ${i} inside the one before it`, buffers.at(i));
      last = offset + length;
      return { bytes: body.subarray(offset, last), at: bodyAt + offset };
    });
  }

  node(path: ColumnPath): Node {
    const i = this.nextNode++;
    if (i >= this.nodes.count)
      throw this.fault(`is missing; there are ${i} columns, nested ones included`, this.at, path);
    const [length, nullCount, at] = [this.nodes.int64(i, 0), this.nodes.int64(i, 8), this.nodes.at(i)];
    if (length < 0) throw this.fault(`declares ${length} rows`, at, path);
    if (nullCount < -1 || nullCount > length)
      throw this.fault(`declares ${nullCount} nulls in ${length} rows`, at, path);
    return { length, nullCount, at };
  }

  /** The next buffer, decompressed. */
  region(path: ColumnPath): Region {
    const i = this.nextBuffer++;
    if (i >= this.buffers.length) throw this.fault(`has a missing buffer; there are ${i}`, this.at, path);
    const region = this.buffers[i];
    return this.codec === undefined || region.bytes.length === 0 ? region : this.inflated(region, this.codec, path);
  }

  private inflated({ bytes, at }: Region, codec: BufferCodec, path: ColumnPath): Region {
    if (bytes.length < 8) throw this.fault("has a compressed buffer without its size", at, path);
    const view = new DataView(bytes.buffer, bytes.byteOffset, 8);
    const size = Number(view.getBigInt64(0, true));
    const rest = bytes.subarray(8);
    if (size === RAW) return { bytes: rest, at: at + 8 };
    try {
      return { bytes: codec(rest, size), at };
    } catch (cause) {
      if (isArrowbookError(cause)) throw cause;
      throw badArrow(`${this.place(path)} has a corrupt compressed buffer`, { at, column: path.join("."), cause });
    }
  }

  /**
   * The first `length` bytes of the next buffer, which holds items of these widths; a copy if the byte order differs.
   */
  values(path: ColumnPath, length: number, widths: readonly number[]): Region {
    const { bytes, at } = this.region(path);
    if (bytes.length < length) throw this.fault(`needs ${length} bytes, its buffer has ${bytes.length}`, at, path);
    const exact = bytes.subarray(0, length);
    const swap = this.source.bigEndian && widths.some((width) => width > 1);
    return { bytes: swap ? swapped(exact, widths) : exact, at };
  }

  /** `length` bytes of views. */
  views(path: ColumnPath, length: number): Region {
    const { bytes, at } = this.values(path, length, [1]);
    return { bytes: this.source.bigEndian ? swappedViews(bytes) : bytes, at };
  }

  /** The number of buffers to which the views of the next column refer. */
  variadicCount(path: ColumnPath): number {
    const i = this.nextCount++;
    const count = i < this.variadicCounts.count ? this.variadicCounts.int64(i, 0) : -1;
    if (count < 0 || count > this.buffers.length) {
      throw this.fault(
        count < 0 ? "does not declare its number of buffers" : `declares ${count} buffers`,
        this.at,
        path,
      );
    }
    return count;
  }

  /** Counts rows that are not backed by a buffer. */
  claim(rows: number, path?: ColumnPath): void {
    const { allowance } = this.source;
    allowance.rowsLeft -= rows;
    if (allowance.rowsLeft < 0) throw this.fault(`declares ${rows} rows that no bytes back`, this.at, path);
  }

  /** Rejects columns and buffers that the schema does not use. */
  finish(): void {
    const { nodes, buffers, variadicCounts, nextNode, nextBuffer, nextCount } = this;
    if (nextNode < nodes.count) throw this.fault(`has ${nodes.count} columns, its schema ${nextNode}`, this.at);
    if (nextBuffer < buffers.length)
      throw this.fault(`has ${buffers.length} buffers, its schema ${nextBuffer}`, this.at);
    if (nextCount < variadicCounts.count) throw this.fault("has more lists of buffers than its schema", this.at);
  }
}

/** Copies bytes into the other byte order. Items have the given widths in turn, repeatedly. */
function swapped(bytes: Uint8Array, widths: readonly number[]): Uint8Array {
  const out = new Uint8Array(bytes.length);
  for (let at = 0, item = 0; at < bytes.length; item++) {
    const width = widths[item % widths.length];
    const end = Math.min(at + width, bytes.length);
    for (let byte = at; byte < end; byte++) out[byte] = bytes[end - 1 - (byte - at)];
    at = end;
  }
  return out;
}

/** Swaps the byte order of views: lengths and offsets are numbers, inline text is not. */
function swappedViews(bytes: Uint8Array): Uint8Array {
  const out = bytes.slice();
  for (let at = 0; at + VIEW_BYTES <= bytes.length; at += VIEW_BYTES) {
    out.set(swapped(bytes.subarray(at, at + 4), [4]), at);
    const size = new DataView(out.buffer, at).getInt32(0, true);
    if (size > LONGEST_INLINE) out.set(swapped(bytes.subarray(at + 8, at + VIEW_BYTES), [4]), at + 8);
  }
  return out;
}

/**
 * Decompresses one buffer to exactly `size` bytes.
 *
 * @throws {Error} if the buffer is corrupt or declares another size
 * @throws {DataError} UnsupportedArrow if the result is too large, or the codec is not available here
 */
type BufferCodec = (bytes: Uint8Array, size: number) => Uint8Array;

const COMPRESSION = { codec: 0, method: 1 };

type Decompress = (bytes: Uint8Array, size: number) => Uint8Array | undefined;

const CODECS: Readonly<Record<number, { readonly name: string; readonly decompress: Decompress }>> = {
  0: { name: "LZ4", decompress: (bytes, size) => decompressBlock("lz4Frame", bytes, size) },
  1: { name: "ZSTD", decompress: decompressZstdBlock },
};

/** The largest decompressed buffer: what 32-bit offsets address. */
const MAX_BYTES = 2 ** 31 - 1;

/**
 * The codec of a compressed record batch.
 *
 * @throws {DataError} UnsupportedArrow, with the name of the codec
 */
function codecOf(compression: FlatTable, where: string): BufferCodec {
  const { at } = compression;
  const number = compression.uint8(COMPRESSION.codec);
  const method = compression.uint8(COMPRESSION.method);
  const unsupported = (what: string): Error =>
    unsupportedArrow(`${where} is compressed ${what}`, { at }, "Write the data again, uncompressed.");
  if (method !== 0) throw unsupported(`by method ${method}`);
  const known = CODECS[number];
  if (known === undefined) throw unsupported(`with the unknown codec ${number}`);
  return (bytes, size) => {
    if (size < 0) throw new Error(`a size of ${size} bytes`);
    if (size > MAX_BYTES) throw unsupported(`with ${known.name} from a buffer of ${size} bytes`);
    let out: Uint8Array | undefined;
    try {
      out = known.decompress(bytes, size);
    } catch (error) {
      throw error instanceof Error ? unsupported(`with ${known.name}: ${error.message}`) : error;
    }
    if (out === undefined) throw new Error(`not ${known.name} of ${size} bytes`);
    return out;
  };
}
