import { utf8Bytes } from "../../../platform/node/bytes.js";
/** A value of Thrift's compact protocol: a number has 32 bits, a bigint 64; items of a list are of one type. */
export type ThriftValue = boolean | number | bigint | string | Uint8Array | readonly ThriftValue[] | ThriftFields;

/** A struct: its fields by their numbers; those that are undefined are left out. */
export interface ThriftFields {
  readonly [id: number]: ThriftValue | undefined;
}

const TRUE = 1;
const FALSE = 2;
const I32 = 5;
const I64 = 6;
const BINARY = 8;
const LIST = 9;
const STRUCT = 12;

/** Collects the bytes of a file until they are taken. */
export class ByteWriter {
  private held = new Uint8Array(65_536);
  private length = 0;
  private taken = 0;

  /** Bytes written, those that were taken included. */
  get offset(): number {
    return this.taken + this.length;
  }

  /** How many bytes were not taken. */
  get waiting(): number {
    return this.length;
  }

  /** The bytes since the last call; they hold until the next are written. */
  take(): Uint8Array {
    const bytes = this.held.subarray(0, this.length);
    this.taken += this.length;
    this.length = 0;
    return bytes;
  }

  bytes(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.held.set(bytes, this.length);
    this.length += bytes.length;
  }

  byte(value: number): void {
    this.reserve(1);
    this.held[this.length++] = value;
  }

  /** 32 bits, lowest byte first. */
  uint32(value: number): void {
    for (let shift = 0; shift < 32; shift += 8) this.byte(value >>> shift);
  }

  /** A whole number of at most 2^53 in groups of seven bits, lowest first. */
  varint(value: number): void {
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.byte((rest % 128) | 128);
    this.byte(rest);
  }

  struct(fields: ThriftFields): void {
    let last = 0;
    for (const [name, value] of Object.entries(fields)) {
      if (value === undefined) continue;
      const id = Number(name);
      this.byte(((id - last) << 4) | typeOf(value));
      // The type of a boolean field is its value.
      if (typeof value !== "boolean") this.value(value);
      last = id;
    }
    this.byte(0);
  }

  private value(value: ThriftValue): void {
    if (typeof value === "number" || typeof value === "bigint") this.zigzag(Number(value));
    else if (typeof value === "string") this.value(utf8Bytes(value));
    else if (value instanceof Uint8Array) {
      this.varint(value.length);
      this.bytes(value);
    } else if (Array.isArray(value)) this.list(value);
    else this.struct(value as ThriftFields);
  }

  private list(items: readonly ThriftValue[]): void {
    const type = items.length === 0 ? STRUCT : typeOf(items[0]);
    if (items.length < 15) this.byte((items.length << 4) | type);
    else {
      this.byte(0xf0 | type);
      this.varint(items.length);
    }
    for (const item of items) this.value(item);
  }

  private zigzag(value: number): void {
    this.varint(value < 0 ? -2 * value - 1 : 2 * value);
  }

  private reserve(count: number): void {
    if (this.length + count <= this.held.length) return;
    const larger = new Uint8Array(Math.max(this.length + count, this.held.length * 2));
    larger.set(this.held.subarray(0, this.length));
    this.held = larger;
  }
}

function typeOf(value: ThriftValue): number {
  if (typeof value === "boolean") return value ? TRUE : FALSE;
  if (typeof value === "number") return I32;
  if (typeof value === "bigint") return I64;
  if (typeof value === "string" || value instanceof Uint8Array) return BINARY;
  return Array.isArray(value) ? LIST : STRUCT;
}
