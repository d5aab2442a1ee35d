import type { DuckDBDataChunk, DuckDBType, DuckDBVector } from "@duckdb/node-api";
import {
  type Data,
  DataType,
  type Dictionary,
  Int32,
  makeData,
  makeVector,
  type RecordBatch,
  type Schema,
  Utf8,
  vectorFromArray,
} from "../../columns/arrow/arrow.js";
import { recordBatch } from "../../columns/arrow/record-batch.js";
import { DataError } from "../../errors/errors.js";
import type { Allocate } from "../contract/engine.js";
import { nodeApi } from "./bindings.js";
import type { OutColumn } from "./types.js";

/** The fixed-width buffers of a vector of the binding, whose own accessors create one object per cell. */
interface RawVector {
  readonly items?: ArrayBufferView & ArrayLike<number | bigint>;
  readonly dataView?: DataView;
  readonly validity: { readonly data: BigUint64Array | null; readonly offset: number };
}

/** Collects the chunks of a result into columns and returns them as record batches. */
export interface BatchBuilder {
  readonly rows: number;
  append(chunk: DuckDBDataChunk): void;
  /** Returns the rows so far as one batch and resets the builder. */
  flush(): RecordBatch;
}

/** The columns of a result. */
interface ResultColumns {
  readonly schema: Schema;
  readonly columns: readonly OutColumn[];
  readonly types: readonly DuckDBType[];
}

/** Creates a builder for the columns of a result. `capacity` is the estimate of the rows per batch. */
export function batchBuilder(
  { schema, columns, types }: ResultColumns,
  capacity: number,
  allocate?: Allocate,
): BatchBuilder {
  const memory = new ValueMemory(capacity, allocate);
  let collectors: Collector[] | undefined;
  let rows = 0;
  return {
    get rows() {
      return rows;
    },
    append(chunk) {
      const count = chunk.rowCount;
      collectors ??= columns.map((column, i) => collector(column, types[i], memory));
      for (let i = 0; i < collectors.length; i++) collectors[i].append(chunk.getColumnVector(i), count);
      rows += count;
    },
    flush() {
      const children = (collectors ?? []).map((each) => each.finish(rows));
      const batch = recordBatch(schema, children, rows);
      collectors = undefined;
      rows = 0;
      return batch;
    },
  };
}

interface Collector {
  append(vector: DuckDBVector, count: number): void;
  finish(rows: number): Data;
}

/** Memory for the values of columns: that of the caller where it lends some. */
class ValueMemory {
  constructor(
    /** Rows to make room for. */
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

function collector(column: OutColumn, type: DuckDBType, memory: ValueMemory): Collector {
  switch (column.read) {
    case "copy":
      return fixedCollector(
        column.field.type,
        memory,
        hasInfinities(column.field.type) ? copyTimes(column) : copyBytes,
      );
    case "narrow":
      return fixedCollector(column.field.type, memory, copyNumbers(column.field.type));
    case "wide":
      return fixedCollector(column.field.type, memory, widenDecimals);
    case "bool":
      return boolCollector(column.field.type, memory.capacity);
    case "text":
      return textCollector(memory, copyInlineText);
    case "other":
      return otherCollector(type);
    case "enum":
      return enumCollector(column.field.type as Dictionary, type, memory);
  }
}

/** Validity bits in Arrow's order: 1 is a value, least significant bit first. Allocated at the first null. */
function validityCollector(capacity: number) {
  let bits: Uint8Array | undefined;
  let nulls = 0;
  return {
    append(vector: RawVector, at: number, count: number) {
      const words = vector.validity.data;
      if (words === null && bits === undefined) return;
      const needed = (at + count + 7) >> 3;
      if (bits === undefined) bits = new Uint8Array(Math.max(needed, capacity >> 3)).fill(255);
      else if (bits.length < needed) bits = grownBits(bits, needed).fill(255, bits.length);
      if (words === null) return;
      const source = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
      const from = vector.validity.offset;
      for (let i = 0; i < count; i++) {
        const bit = from + i;
        if ((source[bit >> 3] & (1 << (bit & 7))) === 0) {
          bits[(at + i) >> 3] &= ~(1 << ((at + i) & 7));
          nulls++;
        }
      }
    },
    isNull: isNullAt,
    finish: () => ({ nullBitmap: bits, nullCount: nulls }),
  };
}

function isNullAt({ validity: { data, offset } }: RawVector, i: number): boolean {
  if (data === null) return false;
  const bit = offset + i;
  return (data[bit >> 6] & (1n << BigInt(bit & 63))) === 0n;
}

function grownBits(bytes: Uint8Array, needed: number): Uint8Array {
  const larger = new Uint8Array(Math.max(needed, bytes.length * 2));
  larger.set(bytes);
  return larger;
}

/** Fills the bytes of `count` cells from cell `at` on. */
type Fill = (target: Bytes, at: number, vector: RawVector, count: number) => void;

function fixedCollector(type: DataType, memory: ValueMemory, fill: Fill): Collector {
  const width = byteWidth(type);
  const validity = validityCollector(memory.capacity);
  let bytes = memory.allocate(memory.capacity * width);
  let rows = 0;
  return {
    append(vector, count) {
      const needed = (rows + count) * width;
      if (needed > bytes.length) bytes = memory.grown(bytes, needed);
      const raw = vector as unknown as RawVector;
      fill(bytes, rows, raw, count);
      validity.append(raw, rows, count);
      rows += count;
    },
    finish(length) {
      const data = viewAs(type.ArrayType as unknown as ArrayView<never>, memory.first(bytes, length * width));
      return makeData({ type, length, data, ...validity.finish() } as never);
    },
  };
}

/** An array class that views memory. */
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

const hasInfinities = (type: DataType): boolean => DataType.isDate(type) || DataType.isTimestamp(type);

/** Dates and timestamps as they are. The engine's infinities, the largest number and its negative, are not in Arrow. */
function copyTimes({ field: { name, type } }: OutColumn): Fill {
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
      throw new DataError(`Column ${JSON.stringify(name)} has the value ${high > 0 ? "" : "-"}infinity.`, {
        code: "BadCell",
        column: name,
        hint: `No Arrow column can hold it: select CASE WHEN isfinite(x) THEN x END, or CAST(x AS VARCHAR).`,
      });
    }
  };
}

const copyNumbers = (type: DataType): Fill => {
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
};

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

function boolCollector(type: DataType, capacity: number): Collector {
  const validity = validityCollector(capacity);
  let bits: Uint8Array = new Uint8Array((capacity + 7) >> 3);
  let rows = 0;
  return {
    append(vector, count) {
      const raw = vector as unknown as RawVector;
      const needed = (rows + count + 7) >> 3;
      if (needed > bits.length) bits = grownBits(bits, needed);
      const source = bytesOf(raw);
      for (let i = 0; i < count; i++) {
        if (source[i] !== 0 && !validity.isNull(raw, i)) bits[(rows + i) >> 3] |= 1 << ((rows + i) & 7);
      }
      validity.append(raw, rows, count);
      rows += count;
    },
    finish: (length) => makeData({ type, length, data: bits, ...validity.finish() } as never),
  };
}

/**
 * Text of up to 12 bytes is stored in the vector itself; longer text behind a pointer that only the binding can follow.
 */
const INLINE_BYTES = 12;
const encoder = new TextEncoder();

interface TextTarget {
  readonly memory: ValueMemory;
  bytes: Bytes;
  size: number;
}

function push(target: TextTarget, text: string): void {
  const most = target.size + text.length * 3;
  if (most > target.bytes.length) target.bytes = target.memory.grown(target.bytes, most);
  target.size += encoder.encodeInto(text, target.bytes.subarray(target.size)).written;
}

type AppendText = (target: TextTarget, vector: DuckDBVector, index: number) => void;

const copyInlineText: AppendText = (target, vector, index) => {
  const view = (vector as unknown as { dataView: DataView }).dataView;
  const at = index * 16;
  const length = view.getUint32(at, true);
  if (length > INLINE_BYTES) return push(target, vector.getItem(index) as string);
  const { bytes, memory } = target;
  if (target.size + INLINE_BYTES > bytes.length) target.bytes = memory.grown(bytes, target.size + INLINE_BYTES);
  for (let i = 0; i < length; i++) target.bytes[target.size + i] = view.getUint8(at + 4 + i);
  target.size += length;
};

function textCollector(memory: ValueMemory, append: AppendText): Collector {
  const { capacity } = memory;
  const validity = validityCollector(capacity);
  const target: TextTarget = { memory, bytes: memory.allocate(capacity * 8), size: 0 };
  let offsets = new Int32Array(capacity + 1);
  let rows = 0;
  return {
    append(vector, count) {
      const raw = vector as unknown as RawVector;
      if (rows + count + 1 > offsets.length) {
        const larger = new Int32Array(Math.max(rows + count + 1, offsets.length * 2));
        larger.set(offsets);
        offsets = larger;
      }
      for (let i = 0; i < count; i++) {
        if (!validity.isNull(raw, i)) append(target, vector, i);
        offsets[rows + i + 1] = target.size;
      }
      validity.append(raw, rows, count);
      rows += count;
    },
    finish: (length) =>
      makeData({
        type: new Utf8(),
        length,
        valueOffsets: offsets.subarray(0, length + 1),
        data: memory.first(target.bytes, target.size),
        ...validity.finish(),
      }),
  };
}

/** Other types as the engine's text. Vectors of maps, unions and variants have no validity of their own. */
function otherCollector(type: DuckDBType): Collector {
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
}

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

function enumCollector(type: Dictionary, duckType: DuckDBType, memory: ValueMemory): Collector {
  const words = (duckType as unknown as { values: readonly string[] }).values;
  const target: TextTarget = { memory: new ValueMemory(0, undefined), bytes: new Uint8Array(64), size: 0 };
  const offsets = new Int32Array(words.length + 1);
  for (const [i, word] of words.entries()) {
    push(target, word);
    offsets[i + 1] = target.size;
  }
  const dictionary = makeVector(
    makeData({
      type: new Utf8(),
      length: words.length,
      valueOffsets: offsets,
      data: target.bytes.slice(0, target.size),
    }),
  );
  const indices = fixedCollector(new Int32(), memory, (bytes, at, vector, count) => {
    const cells = viewAs(Int32Array, bytes);
    const items = vector.items as ArrayLike<number>;
    for (let i = 0; i < count; i++) cells[at + i] = items[i];
  });
  return {
    append: indices.append,
    finish(length) {
      const { values, nullBitmap, nullCount } = indices.finish(length);
      return makeData({ type, length, data: values, nullBitmap, nullCount, dictionary } as never);
    },
  };
}
