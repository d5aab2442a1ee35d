import { ParquetFault } from "./fault.js";

/** A value of Thrift's compact protocol. Integers beyond 2^53 are NaN. */
export type ThriftValue = boolean | number | Uint8Array | readonly ThriftValue[] | ThriftStruct;

/** A struct: its fields by their numbers, unknown ones included. */
export interface ThriftStruct {
  readonly fields: ReadonlyMap<number, ThriftValue>;
}

/** Structs and lists inside one another: more than the format ever has. */
const MOST_LEVELS = 32;

/** Reads structs in Thrift's compact protocol. All allocations are bounded by the available bytes. */
export class ThriftReader {
  private levels = 0;

  constructor(
    private readonly bytes: Uint8Array,
    /** Where the next struct begins. */
    public offset = 0,
  ) {}

  /** @throws {ParquetFault} where the bytes end early or are not a struct */
  struct(): ThriftStruct {
    const fields = new Map<number, ThriftValue>();
    this.enter();
    for (let last = 0; ; ) {
      const head = this.byte();
      if (head === 0) break;
      const delta = head >> 4;
      const id = delta === 0 ? this.zigzag() : last + delta;
      if (!(id > 0 && id < 32_768)) throw new ParquetFault("a field has no number");
      fields.set(id, this.value(head & 15));
      last = id;
    }
    this.levels--;
    return { fields };
  }

  private enter(): void {
    if (++this.levels > MOST_LEVELS) throw new ParquetFault("structs are nested too deeply");
  }

  private value(type: number): ThriftValue {
    switch (type) {
      case 1:
        return true;
      case 2:
        return false;
      case 3:
        return (this.byte() << 24) >> 24;
      case 4:
      case 5:
      case 6:
        return this.zigzag();
      case 7:
        return this.double();
      case 8:
        return this.take(this.varint());
      case 9:
      case 10:
        return this.list();
      case 11:
        return this.map();
      case 12:
        return this.struct();
      default:
        throw new ParquetFault(`a value has the unknown type ${type}`);
    }
  }

  private list(): ThriftValue[] {
    const head = this.byte();
    const short = head >> 4;
    return this.items(head & 15, short === 15 ? this.varint() : short);
  }

  private map(): ThriftValue[] {
    const count = this.varint();
    if (count === 0) return [];
    const types = this.byte();
    // Nothing of the format is a map: its keys and values are only read past.
    return this.room(count).flatMap(() => [this.item(types >> 4), this.item(types & 15)]);
  }

  private items(type: number, count: number): ThriftValue[] {
    this.enter();
    const items = this.room(count).map(() => this.item(type));
    this.levels--;
    return items;
  }

  /** An array of `count`, each of which takes a byte at least. */
  private room(count: number): undefined[] {
    if (!(count <= this.bytes.length - this.offset)) throw new ParquetFault("a list is longer than its bytes");
    return Array.from({ length: count });
  }

  /** A value in a list, where truth values take a byte. */
  private item(type: number): ThriftValue {
    return type === 1 || type === 2 ? this.byte() === 1 : this.value(type);
  }

  private byte(): number {
    if (this.offset >= this.bytes.length) throw new ParquetFault("it ends early");
    return this.bytes[this.offset++];
  }

  private take(length: number): Uint8Array {
    const end = this.offset + length;
    if (!(end <= this.bytes.length)) throw new ParquetFault("a text is longer than its bytes");
    const taken = this.bytes.subarray(this.offset, end);
    this.offset = end;
    return taken;
  }

  private double(): number {
    const bytes = this.take(8);
    return new DataView(bytes.buffer, bytes.byteOffset, 8).getFloat64(0, true);
  }

  /** About its value from 2^53 on. */
  private varint(): number {
    let value = 0;
    for (let scale = 1; scale < 2 ** 70; scale *= 128) {
      const byte = this.byte();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
    throw new ParquetFault("an integer never ends");
  }

  private zigzag(): number {
    const value = this.varint();
    if (value >= 2 ** 53) return Number.NaN;
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
}

/** An integer in a field; `missing` where the field is missing, or holds something else. */
export function integerOf<T>({ fields }: ThriftStruct, id: number, missing: T): number | T {
  const value = fields.get(id);
  return typeof value === "number" && Number.isInteger(value) ? value : missing;
}

/** A count, length or place in a field. @throws {ParquetFault} where it is missing or below zero */
export function countOf(struct: ThriftStruct, id: number, what: string): number {
  const value = integerOf(struct, id, -1);
  if (value < 0) throw new ParquetFault(`${what} is missing or wrong`);
  return value;
}

/** The bytes in a field; undefined where it is missing, or holds something else. */
export function bytesOf({ fields }: ThriftStruct, id: number): Uint8Array | undefined {
  const value = fields.get(id);
  return value instanceof Uint8Array ? value : undefined;
}

/** The struct in a field; undefined where it is missing, or holds something else. */
export function structOf({ fields }: ThriftStruct, id: number): ThriftStruct | undefined {
  const value = fields.get(id);
  return isStruct(value) ? value : undefined;
}

/** The structs in a list; undefined where it is missing, or holds something else. */
export function structsOf({ fields }: ThriftStruct, id: number): readonly ThriftStruct[] | undefined {
  const value = fields.get(id);
  return Array.isArray(value) && value.every(isStruct) ? (value as ThriftStruct[]) : undefined;
}

const isStruct = (value: ThriftValue | undefined): value is ThriftStruct =>
  typeof value === "object" && "fields" in value;
