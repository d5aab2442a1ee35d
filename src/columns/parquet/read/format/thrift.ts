import { ParquetFault } from "./fault.js";

/** A value of Thrift's compact protocol. Integers beyond 2^53 are NaN. */
export type ThriftValue = boolean | number | Uint8Array | readonly ThriftValue[] | ThriftStruct;

/**
 * The parts of a struct, or of the structs of a list, that are kept: all, some fields, or its position alone, as a
 * number. The rest is read past, with the same checks.
 */
export type Wanted = "all" | "place" | { readonly [id: number]: Wanted };

/** A struct: its fields by their numbers, unknown ones included. */
export interface ThriftStruct {
  readonly fields: ReadonlyMap<number, ThriftValue>;
}

/** Structs and lists inside one another: more than the format ever has. */
const MOST_LEVELS = 32;

const STRUCT = 12;

const unknownType = (type: number): ParquetFault => new ParquetFault(`a value has the unknown type ${type}`);

/** Reads structs in Thrift's compact protocol. All allocations are bounded by the available bytes. */
export class ThriftReader {
  private levels = 0;

  constructor(
    private readonly bytes: Uint8Array,
    /** Where the next struct begins. */
    public offset = 0,
  ) {}

  /** @throws {ParquetFault} where the bytes end early or are not a struct */
  struct(wanted: Wanted = "all"): ThriftStruct {
    const fields = new Map<number, ThriftValue>();
    this.enter();
    for (let last = 0; ; ) {
      const head = this.byte();
      if (head === 0) break;
      last = this.fieldAfter(last, head);
      const type = head & 15;
      const inner = typeof wanted === "string" ? wanted : wanted[last];
      if (inner === "place" && type === STRUCT) fields.set(last, this.offset);
      if (inner === undefined || inner === "place") this.skip(type);
      else fields.set(last, this.value(type, inner));
    }
    this.levels--;
    return { fields };
  }

  /** The bytes of one field of the next struct; undefined where it has none. @throws {ParquetFault} */
  fieldBytes(id: number): Uint8Array | undefined {
    for (let last = 0, head = this.byte(); head !== 0; head = this.byte()) {
      last = this.fieldAfter(last, head);
      const start = this.offset;
      this.skip(head & 15);
      if (last === id) return this.bytes.subarray(start, this.offset);
    }
    return undefined;
  }

  private fieldAfter(last: number, head: number): number {
    const delta = head >> 4;
    const id = delta === 0 ? this.zigzag() : last + delta;
    if (!(id > 0 && id < 32_768)) throw new ParquetFault("a field has no number");
    return id;
  }

  private enter(): void {
    if (++this.levels > MOST_LEVELS) throw new ParquetFault("structs are nested too deeply");
  }

  private value(type: number, wanted: Wanted): ThriftValue {
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
        return this.list(wanted);
      case 11:
        return this.map();
      case STRUCT:
        return this.struct(wanted);
      default:
        throw unknownType(type);
    }
  }

  private list(wanted: Wanted): ThriftValue[] {
    const head = this.byte();
    const count = this.count(head >> 4);
    this.enter();
    const items: ThriftValue[] = [];
    for (let i = 0; i < count; i++) items.push(this.item(head & 15, wanted));
    this.levels--;
    return items;
  }

  /** The length of a list: each of its items takes a byte at least. */
  private count(short: number): number {
    return this.room(short === 15 ? this.varint() : short);
  }

  private map(): ThriftValue[] {
    const count = this.varint();
    if (count === 0) return [];
    const types = this.byte();
    // Nothing of the format is a map: its keys and values are only read past.
    for (let left = this.room(count); left > 0; left--) {
      this.skipItem(types >> 4);
      this.skipItem(types & 15);
    }
    return [];
  }

  private room(count: number): number {
    if (!(count <= this.bytes.length - this.offset)) throw new ParquetFault("a list is longer than its bytes");
    return count;
  }

  /** A value in a list, where truth values take a byte. */
  private item(type: number, wanted: Wanted): ThriftValue {
    return type === 1 || type === 2 ? this.byte() === 1 : this.value(type, wanted);
  }

  /** Reads past a value, with the checks of {@link ThriftReader.value}. */
  private skip(type: number): void {
    switch (type) {
      case 1:
      case 2:
        return;
      case 3:
        this.byte();
        return;
      case 4:
      case 5:
      case 6:
        this.varint();
        return;
      case 7:
        this.pass(8);
        return;
      case 8:
        this.pass(this.varint());
        return;
      case 9:
      case 10: {
        const head = this.byte();
        const count = this.count(head >> 4);
        this.enter();
        for (let i = 0; i < count; i++) this.skipItem(head & 15);
        this.levels--;
        return;
      }
      case 11:
        this.map();
        return;
      case STRUCT:
        this.enter();
        for (let last = 0, head = this.byte(); head !== 0; head = this.byte()) {
          last = this.fieldAfter(last, head);
          this.skip(head & 15);
        }
        this.levels--;
        return;
      default:
        throw unknownType(type);
    }
  }

  private skipItem(type: number): void {
    if (type === 1 || type === 2) this.byte();
    else this.skip(type);
  }

  private byte(): number {
    if (this.offset >= this.bytes.length) throw new ParquetFault("it ends early");
    return this.bytes[this.offset++];
  }

  private take(length: number): Uint8Array {
    const start = this.offset;
    this.pass(length);
    return this.bytes.subarray(start, this.offset);
  }

  private pass(length: number): void {
    const end = this.offset + length;
    if (!(end <= this.bytes.length)) throw new ParquetFault("a text is longer than its bytes");
    this.offset = end;
  }

  private double(): number {
    const bytes = this.take(8);
    return new DataView(bytes.buffer, bytes.byteOffset, 8).getFloat64(0, true);
  }

  /** About its value from 2^53 on. */
  private varint(): number {
    const first = this.byte();
    if (first < 128) return first;
    let value = first & 127;
    for (let scale = 128; scale < 2 ** 70; scale *= 128) {
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
