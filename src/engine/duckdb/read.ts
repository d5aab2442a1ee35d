import type { DuckDBDataChunk, DuckDBType, DuckDBVector } from "@duckdb/node-api";
import {
  type Data,
  DataType,
  type Field,
  Int32,
  makeData,
  type RecordBatch,
  type Schema,
  Utf8,
  vectorFromArray,
} from "../../columns/arrow/arrow.js";
import { recordBatch } from "../../columns/arrow/record-batch.js";
import { grown, grownInts } from "../../columns/build/dictionary.js";
import type { Allocate } from "../contract/engine.js";
import { nodeApi } from "./bindings.js";
import { infinityError } from "./error.js";

/** The fixed-width buffers of a vector of the binding, whose own accessors create one object per cell. */
interface RawVector {
  readonly items?: ArrayBufferView & ArrayLike<number | bigint>;
  readonly dataView?: DataView;
  readonly validity: { readonly data: BigUint64Array | null; readonly offset: number };
}

/** A column of a result: the Arrow field, its type in the engine, and how its vectors become Arrow's. */
export interface OutColumn {
  readonly field: Field;
  readonly type: DuckDBType;
  readonly read: ColumnReader;
}

export type ColumnReader = (column: OutColumn, memory: ValueMemory) => Collector;

interface Collector {
  append(vector: DuckDBVector, count: number): void;
  finish(rows: number): Data;
}

/** Collects the chunks of a result into columns and returns them as record batches. */
export class BatchBuilder {
  rows = 0;
  #collectors: readonly Collector[] | undefined;
  readonly #memory: ValueMemory;

  /** @param capacity the estimate of the rows per batch */
  constructor(
    private readonly schema: Schema,
    private readonly columns: readonly OutColumn[],
    capacity: number,
    allocate?: Allocate,
  ) {
    this.#memory = new ValueMemory(capacity, allocate);
  }

  append(chunk: DuckDBDataChunk): void {
    const count = chunk.rowCount;
    this.#collectors ??= this.columns.map((column) => column.read(column, this.#memory));
    for (const [i, collector] of this.#collectors.entries()) collector.append(chunk.getColumnVector(i), count);
    this.rows += count;
  }

  /** Returns the rows so far as one batch and begins the next. */
  flush(): RecordBatch {
    const { rows } = this;
    const children = (this.#collectors ?? []).map((each) => each.finish(rows));
    this.#collectors = undefined;
    this.rows = 0;
    return recordBatch(this.schema, children, rows);
  }
}

/** Memory for the values of columns: that of the caller where it lends some. */
class ValueMemory {
  constructor(
    readonly capacity: number,
    private readonly lent: Allocate | undefined,
  ) {}

  allocate(bytes: number): Bytes {
    return this.lent?.(bytes) ?? new Uint8Array(bytes);
  }

  grown(bytes: Bytes, needed: number): Bytes {
    const larger = this.allocate(Math.max(needed, bytes.length * 2));
    larger.set(bytes);
    return larger;
  }

  /** The first bytes; copied where the others would be kept with them for long. */
  first(bytes: Bytes, size: number): Bytes {
    if (bytes.length === size) return bytes;
    return this.lent === undefined ? bytes.slice(0, size) : bytes.subarray(0, size);
  }
}

type Bytes = Uint8Array<ArrayBuffer>;

/** The cells of a column, but for their nulls. */
interface Cells {
  /** Stores the cells of a vector from row `at` on. */
  store(vector: RawVector, at: number, count: number, source: DuckDBVector): void;
  buffers(rows: number): object;
}

function collected(type: DataType, { capacity }: ValueMemory, { store, buffers }: Cells): Collector {
  const validity = new Validity(capacity);
  let rows = 0;
  return {
    append(source, count) {
      const vector = source as unknown as RawVector;
      store(vector, rows, count, source);
      validity.append(vector, rows, count);
      rows += count;
    },
    finish: (length) => makeData({ type, length, ...buffers(length), ...validity.buffers() } as never),
  };
}

/** Validity bits in Arrow's order: 1 is a value, least significant bit first. Allocated at the first null. */
class Validity {
  #bits: Uint8Array | undefined;
  #nulls = 0;

  constructor(private readonly capacity: number) {}

  append(vector: RawVector, at: number, count: number): void {
    const words = vector.validity.data;
    let bits = this.#bits;
    if (words === null && bits === undefined) return;
    const needed = (at + count + 7) >> 3;
    if (bits === undefined) bits = new Uint8Array(Math.max(needed, this.capacity >> 3)).fill(255);
    else if (bits.length < needed) bits = grown(bits, needed).fill(255, bits.length);
    this.#bits = bits;
    if (words === null) return;
    const source = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
    const from = vector.validity.offset;
    let nulls = 0;
    for (let i = 0; i < count; i++) {
      const bit = from + i;
      if ((source[bit >> 3] & (1 << (bit & 7))) === 0) {
        bits[(at + i) >> 3] &= ~(1 << ((at + i) & 7));
        nulls++;
      }
    }
    this.#nulls += nulls;
  }

  buffers() {
    return { nullBitmap: this.#bits, nullCount: this.#nulls };
  }
}

function isNullAt({ validity: { data, offset } }: RawVector, i: number): boolean {
  if (data === null) return false;
  const bit = offset + i;
  return (data[bit >> 6] & (1n << BigInt(bit & 63))) === 0n;
}

/** Fills the bytes of `count` cells from cell `at` on. */
type Fill = (target: Bytes, at: number, vector: RawVector, count: number) => void;

function fixedCells(type: DataType, memory: ValueMemory, fill: Fill): Cells {
  const width = byteWidth(type);
  let bytes = memory.allocate(memory.capacity * width);
  return {
    store(vector, at, count) {
      const needed = (at + count) * width;
      if (needed > bytes.length) bytes = memory.grown(bytes, needed);
      fill(bytes, at, vector, count);
    },
    buffers: (rows) => ({
      data: viewAs(type.ArrayType as unknown as ArrayView<never>, memory.first(bytes, rows * width)),
    }),
  };
}

const fixedReader =
  (fillOf: (field: Field) => Fill): ColumnReader =>
  ({ field }, memory) =>
    collected(field.type, memory, fixedCells(field.type, memory, fillOf(field)));

interface ArrayView<T> {
  new (memory: ArrayBuffer, start: number, length: number): T;
  readonly BYTES_PER_ELEMENT: number;
}

const viewAs = <T>(ArrayType: ArrayView<T>, { buffer, byteOffset, length }: Bytes): T =>
  new ArrayType(buffer, byteOffset, length / ArrayType.BYTES_PER_ELEMENT);

/** Bytes per cell: an element of the Arrow array, four for a 128-bit decimal, two for a 64-bit integer. */
function byteWidth(type: DataType): number {
  const bits = (type as { bitWidth?: number }).bitWidth;
  if (bits !== undefined) return bits / 8;
  return (type.ArrayType as unknown as { BYTES_PER_ELEMENT: number }).BYTES_PER_ELEMENT;
}

const bytesOf = (vector: RawVector): Uint8Array => {
  const view = (vector.items ?? vector.dataView) as ArrayBufferView;
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
};

const copyBytes: Fill = (target, at, vector, count) => {
  const source = bytesOf(vector);
  const width = count === 0 ? 0 : source.length / count;
  target.set(source, at * width);
};

export const copyReader = fixedReader(() => copyBytes);

/** Dates and timestamps as they are. The engine's infinities, the largest number and its negative, are not in Arrow. */
export const timeReader = fixedReader(({ name, type }) => {
  const isWide = DataType.isTimestamp(type);
  return (target, at, vector, count) => {
    copyBytes(target, at, vector, count);
    const { buffer, byteOffset } = bytesOf(vector);
    const words = new Int32Array(buffer, byteOffset, isWide ? count * 2 : count);
    for (let i = 0; i < count; i++) {
      const high = words[isWide ? 2 * i + 1 : i];
      if (high !== 0x7fff_ffff && high > -0x7fff_ffff) continue;
      const isInfinite = isWide
        ? words[2 * i] === (high > 0 ? -1 : 1) && (high > 0 || high === -0x8000_0000)
        : high !== -0x8000_0000;
      if (!isInfinite || isNullAt(vector, i)) continue;
      throw infinityError(name, high > 0);
    }
  };
});

/** Integers of up to 32 bits as those of 64, floats as doubles. */
export const narrowReader = fixedReader(({ type }) => {
  const whole = (type.ArrayType as unknown) === BigInt64Array;
  return (target, at, vector, count) => {
    const items = vector.items as ArrayLike<number>;
    if (whole) {
      const cells = viewAs(BigInt64Array, target);
      for (let i = 0; i < count; i++) cells[at + i] = BigInt(items[i]);
    } else {
      const cells = viewAs(Float64Array, target);
      for (let i = 0; i < count; i++) cells[at + i] = items[i];
    }
  };
});

/** Decimals of up to 18 digits have 16, 32 or 64 bits, as unsigned integers have; Arrow's have 128, sign-extended. */
const widenDecimals: Fill = (target, at, vector, count) => {
  const cells = viewAs(Int32Array, target);
  const source = bytesOf(vector);
  const width = count === 0 ? 8 : source.length / count;
  const signed = vector.items === undefined;
  if (width === 8) {
    const words = new Int32Array(source.buffer, source.byteOffset, count * 2);
    for (let i = 0, to = at * 4; i < count; i++, to += 4) {
      const sign = signed ? words[2 * i + 1] >> 31 : 0;
      cells[to] = words[2 * i];
      cells[to + 1] = words[2 * i + 1];
      cells[to + 2] = sign;
      cells[to + 3] = sign;
    }
    return;
  }
  const { buffer, byteOffset } = source;
  const items = width === 4 ? new Int32Array(buffer, byteOffset, count) : new Int16Array(buffer, byteOffset, count);
  for (let i = 0, to = at * 4; i < count; i++, to += 4) {
    cells[to] = items[i];
    cells.fill(items[i] >> 31, to + 1, to + 4);
  }
};

/** Decimals of up to 64 bits, and unsigned integers of 64, as decimals of 128 bits. */
export const wideReader = fixedReader(() => widenDecimals);

export const boolReader: ColumnReader = ({ field }, memory) => {
  let bits: Uint8Array = new Uint8Array((memory.capacity + 7) >> 3);
  return collected(field.type, memory, {
    store(vector, at, count) {
      const needed = (at + count + 7) >> 3;
      if (needed > bits.length) bits = grown(bits, needed);
      const source = bytesOf(vector);
      for (let i = 0; i < count; i++) {
        if (source[i] !== 0 && !isNullAt(vector, i)) bits[(at + i) >> 3] |= 1 << ((at + i) & 7);
      }
    },
    buffers: () => ({ data: bits }),
  });
};

/**
 * Text of up to 12 bytes is stored in the vector itself; longer text behind a pointer that only the binding can follow.
 */
const INLINE_BYTES = 12;
const encoder = new TextEncoder();

class Texts {
  bytes: Bytes;
  size = 0;

  constructor(private readonly memory: ValueMemory) {
    this.bytes = memory.allocate(memory.capacity * 8);
  }

  add(vector: DuckDBVector, index: number): void {
    const view = (vector as unknown as { dataView: DataView }).dataView;
    const at = index * 16;
    const length = view.getUint32(at, true);
    if (length > INLINE_BYTES) {
      const text = vector.getItem(index) as string;
      this.#ensure(text.length * 3);
      this.size += encoder.encodeInto(text, this.bytes.subarray(this.size)).written;
      return;
    }
    this.#ensure(INLINE_BYTES);
    const { bytes, size } = this;
    for (let i = 0; i < length; i++) bytes[size + i] = view.getUint8(at + 4 + i);
    this.size += length;
  }

  #ensure(count: number): void {
    const most = this.size + count;
    if (most > this.bytes.length) this.bytes = this.memory.grown(this.bytes, most);
  }
}

export const textReader: ColumnReader = ({ field }, memory) => {
  const texts = new Texts(memory);
  let offsets: Int32Array = new Int32Array(memory.capacity + 1);
  return collected(field.type, memory, {
    store(vector, at, count, source) {
      if (at + count + 1 > offsets.length) offsets = grownInts(offsets, at + count + 1);
      for (let i = 0; i < count; i++) {
        if (!isNullAt(vector, i)) texts.add(source, i);
        offsets[at + i + 1] = texts.size;
      }
    },
    buffers: (rows) => ({
      valueOffsets: offsets.subarray(0, rows + 1),
      data: memory.first(texts.bytes, texts.size),
    }),
  });
};

/** Other types as the engine's text. Vectors of maps, unions and variants have no validity of their own. */
export const otherReader: ColumnReader = ({ type }) => {
  const hasTimes = /DATE|TIMESTAMP|VARIANT/.test(type.toString());
  const texts: (string | null)[] = [];
  return {
    append(vector, count) {
      for (let i = 0; i < count; i++) {
        const value = vector.getItem(i);
        texts.push(value === null ? null : String(hasTimes ? withTimes(value) : value));
      }
    },
    finish: () => vectorFromArray(texts, new Utf8()).data[0],
  };
};

/**
 * A value in which times print as the engine does: the binding prints infinite ones as days that are far away, and
 * those with a zone in that of the machine.
 */
function withTimes(value: unknown): unknown {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  if ("isFinite" in value) {
    const [count] = Object.values(value) as (number | bigint)[];
    if (!value.isFinite) return new TimeText(count < 0 ? "-infinity" : "infinity");
    const { DuckDBTimestampTZValue, DuckDBTimestampValue } = nodeApi();
    return value instanceof DuckDBTimestampTZValue
      ? new TimeText(`${new DuckDBTimestampValue(value.micros)}+00`)
      : value;
  }
  for (const [name, each] of Object.entries(value)) Object.assign(value, { [name]: withTimes(each) });
  return value;
}

/** Text that is printed without quotes. */
class TimeText {
  constructor(private readonly text: string) {}

  toString(): string {
    return this.text;
  }
}

export const enumReader: ColumnReader = ({ field, type }, memory) => {
  const { values } = type as unknown as { values: readonly string[] };
  const dictionary = vectorFromArray(values, new Utf8());
  const indices = fixedCells(new Int32(), memory, (bytes, at, vector, count) => {
    const cells = viewAs(Int32Array, bytes);
    const items = vector.items as ArrayLike<number>;
    for (let i = 0; i < count; i++) cells[at + i] = items[i];
  });
  return collected(field.type, memory, {
    store: indices.store,
    buffers: (rows) => ({ ...indices.buffers(rows), dictionary }),
  });
};
