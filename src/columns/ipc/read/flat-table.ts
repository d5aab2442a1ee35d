import { badArrow } from "./bad-arrow.js";

/** The bytes of one flatbuffer and the remaining budgets for reading it. */
interface FlatBuffer {
  readonly view: DataView;
  readonly bytes: Uint8Array;
  /** Offset of the first byte in the stream or file, for errors. */
  readonly at: number;
  /**
   * Tables that may still be visited: offsets may share tables, and visits to nested shared tables grow exponentially.
   */
  tablesLeft: number;
  /** Bytes of text that may still be decoded, for the same reason. */
  textLeft: number;
  readonly texts: Map<number, string>;
}

/** The smallest table: 4 bytes for the offset of its vtable and 4 for the offset that refers to it. */
const SMALLEST_TABLE = 8;
const INT32_RANGE = 2 ** 32;

/** The root table of a flatbuffer at byte `at` of the stream or file. */
export function rootTable(bytes: Uint8Array, at: number): FlatTable {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const tablesLeft = Math.floor(bytes.length / SMALLEST_TABLE) + 1;
  const buffer: FlatBuffer = { view, bytes, at, tablesLeft, textLeft: bytes.length, texts: new Map() };
  return new FlatTable(buffer, follow(buffer, 0));
}

/** The target of the unsigned offset at `position`; offsets only point forwards, so there are no cycles. */
function follow(buffer: FlatBuffer, position: number): number {
  need(buffer, position, 4, "an offset");
  const target = position + buffer.view.getUint32(position, true);
  if (target === position) throw fault(buffer, position, "an offset is zero");
  need(buffer, target, 4, "the target of an offset");
  return target;
}

function need(buffer: FlatBuffer, position: number, length: number, what: string): void {
  if (position < 0 || position + length > buffer.bytes.length) {
    throw fault(buffer, Math.max(0, position), `${what} is outside the metadata of ${buffer.bytes.length} bytes`);
  }
}

function fault(buffer: FlatBuffer, position: number, what: string): Error {
  return badArrow(what, { at: buffer.at + position });
}

/** A vector of structs of one size, such as the buffers of a record batch. */
export interface FlatStructs {
  readonly count: number;
  /** A signed 64-bit field at byte `byte` of struct `i`; rounded beyond 2^53. */
  int64(i: number, byte: number): number;
  int32(i: number, byte: number): number;
  /** Offset of struct `i` in the stream or file. */
  at(i: number): number;
}

/**
 * A table of a flatbuffer whose bytes may be corrupt: every offset and length is checked against the available bytes
 * before it is used. Fields are addressed by their position in the schema of the format; absent fields have its
 * defaults.
 */
export class FlatTable {
  private readonly vtable: number;
  private readonly vtableSize: number;
  private readonly size: number;

  constructor(
    private readonly buffer: FlatBuffer,
    private readonly start: number,
  ) {
    if (buffer.tablesLeft-- <= 0) throw fault(buffer, start, "the metadata shares more tables than its bytes can hold");
    const { view } = buffer;
    this.vtable = start - view.getInt32(start, true);
    need(buffer, this.vtable, 4, "a table's list of fields");
    this.vtableSize = view.getUint16(this.vtable, true);
    this.size = view.getUint16(this.vtable + 2, true);
    need(buffer, this.vtable, this.vtableSize, "a table's list of fields");
    need(buffer, start, this.size, "a table");
    if (this.vtableSize < 4 || this.vtableSize % 2 === 1 || this.size < 4) {
      throw fault(buffer, start, `a table of ${this.size} bytes has a list of fields of ${this.vtableSize} bytes`);
    }
  }

  /** Offset in the stream or file. */
  get at(): number {
    return this.buffer.at + this.start;
  }

  /** The position of a field of `width` bytes; 0 if it is absent. */
  private position(field: number, width: number): number {
    const slot = 4 + 2 * field;
    if (slot + 2 > this.vtableSize) return 0;
    const offset = this.buffer.view.getUint16(this.vtable + slot, true);
    if (offset === 0) return 0;
    if (offset < 4 || offset + width > this.size) throw fault(this.buffer, this.start, "a field is outside its table");
    return this.start + offset;
  }

  bool(field: number): boolean {
    return this.uint8(field) !== 0;
  }

  uint8(field: number): number {
    const position = this.position(field, 1);
    return position === 0 ? 0 : this.buffer.view.getUint8(position);
  }

  int16(field: number, absent = 0): number {
    const position = this.position(field, 2);
    return position === 0 ? absent : this.buffer.view.getInt16(position, true);
  }

  int32(field: number, absent = 0): number {
    const position = this.position(field, 4);
    return position === 0 ? absent : this.buffer.view.getInt32(position, true);
  }

  /** Rounded beyond 2^53, which exceeds any number of bytes in memory. */
  int64(field: number): number {
    const position = this.position(field, 8);
    return position === 0 ? 0 : int64At(this.buffer.view, position);
  }

  table(field: number): FlatTable | undefined {
    const position = this.position(field, 4);
    return position === 0 ? undefined : new FlatTable(this.buffer, follow(this.buffer, position));
  }

  tables(field: number): FlatTable[] {
    const { start, count } = this.vector(field, 4);
    return Array.from({ length: count }, (_, i) => new FlatTable(this.buffer, follow(this.buffer, start + 4 * i)));
  }

  /** UTF-8 text; `onBad` says how invalid bytes are handled. */
  text(field: number, onBad: "refuse" | "replace"): string | undefined {
    const position = this.position(field, 4);
    if (position === 0) return undefined;
    const { buffer } = this;
    const { start, count } = this.vector(field, 1);
    const known = buffer.texts.get(start);
    if (known !== undefined) return known;
    buffer.textLeft -= count;
    if (buffer.textLeft < 0) throw fault(buffer, start, "the strings of the metadata overlap");
    const text = decode(buffer.bytes.subarray(start, start + count), onBad === "refuse");
    if (text === undefined) throw fault(buffer, start, "a name is not UTF-8");
    buffer.texts.set(start, text);
    return text;
  }

  /** A vector of structs of `width` bytes. */
  structs(field: number, width: number): FlatStructs {
    const { view, at } = this.buffer;
    const { start, count } = this.vector(field, width);
    return {
      count,
      int64: (i, byte) => int64At(view, start + i * width + byte),
      int32: (i, byte) => view.getInt32(start + i * width + byte, true),
      at: (i) => at + start + i * width,
    };
  }

  /** The position of the first item and the number of items, of `width` bytes each, of a vector. */
  private vector(field: number, width: number): { readonly start: number; readonly count: number } {
    const position = this.position(field, 4);
    if (position === 0) return { start: 0, count: 0 };
    const vector = follow(this.buffer, position);
    const count = this.buffer.view.getUint32(vector, true);
    need(this.buffer, vector + 4, count * width, `a list of ${count} items`);
    return { start: vector + 4, count };
  }
}

function int64At(view: DataView, position: number): number {
  return view.getInt32(position + 4, true) * INT32_RANGE + view.getUint32(position, true);
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder("utf-8", { ignoreBOM: true });

function decode(bytes: Uint8Array, refuse: boolean): string | undefined {
  if (!refuse) return lenient.decode(bytes);
  try {
    return strict.decode(bytes);
  } catch {
    return undefined;
  }
}
