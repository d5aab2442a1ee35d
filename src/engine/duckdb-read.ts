import type { DuckDBDataChunk, DuckDBType, DuckDBVector } from "@duckdb/node-api";
import {
  type Data,
  type DataType,
  type Dictionary,
  Int32,
  makeData,
  makeVector,
  type RecordBatch,
  type Schema,
  Utf8,
} from "../columns/arrow/arrow.js";
import { recordBatch } from "../columns/arrow/record-batch.js";
import type { OutColumn } from "./duckdb-types.js";

/** The fixed-width insides of a vector that the binding hands out; its own accessors make one object per cell. */
interface RawVector {
  readonly items?: ArrayBufferView & ArrayLike<number | bigint>;
  readonly dataView?: DataView;
  readonly validity: { readonly data: BigUint64Array | null; readonly offset: number };
}

/** Collects the chunks of an answer into columns and gives them back as record batches. */
export interface BatchBuilder {
  readonly rows: number;
  append(chunk: DuckDBDataChunk): void;
  /** The rows so far as one batch; the builder starts again with none. */
  flush(): RecordBatch;
}

/** A builder for the columns of one answer. `capacity` is the number of rows expected in a batch, at first. */
export function batchBuilder(
  schema: Schema,
  columns: readonly OutColumn[],
  types: readonly DuckDBType[],
  capacity: number,
): BatchBuilder {
  let collectors = columns.map((column, i) => collector(column, types[i], capacity));
  let rows = 0;
  return {
    get rows() {
      return rows;
    },
    append(chunk) {
      const count = chunk.rowCount;
      for (let i = 0; i < collectors.length; i++) collectors[i].append(chunk.getColumnVector(i), count);
      rows += count;
    },
    flush() {
      const children = collectors.map((each) => each.finish(rows));
      const batch = recordBatch(schema, children, rows);
      collectors = columns.map((column, i) => collector(column, types[i], capacity));
      rows = 0;
      return batch;
    },
  };
}

interface Collector {
  append(vector: DuckDBVector, count: number): void;
  finish(rows: number): Data;
}

function collector(column: OutColumn, type: DuckDBType, capacity: number): Collector {
  switch (column.read) {
    case "copy":
      return fixedCollector(column.field.type, capacity, copyBytes);
    case "narrow":
      return fixedCollector(column.field.type, capacity, copyNumbers(column.field.type));
    case "wide":
      return fixedCollector(column.field.type, capacity, widenDecimals);
    case "bool":
      return boolCollector(column.field.type, capacity);
    case "text":
      return textCollector(capacity, copyInlineText);
    case "other":
      return textCollector(capacity, otherText);
    case "enum":
      return enumCollector(column.field.type as Dictionary, type, capacity);
  }
}

/** Bits of validity as Arrow has them: 1 is a value, least significant bit first. Made only once a null is seen. */
function validityCollector(capacity: number) {
  let bits: Uint8Array | undefined;
  let nulls = 0;
  return {
    append(vector: RawVector, at: number, count: number) {
      const words = vector.validity.data;
      if (words === null && bits === undefined) return;
      const needed = (at + count + 7) >> 3;
      if (bits === undefined) bits = new Uint8Array(Math.max(needed, capacity >> 3)).fill(255);
      else if (bits.length < needed) bits = grown(bits, needed).fill(255, bits.length);
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
    isNull(vector: RawVector, i: number): boolean {
      const words = vector.validity.data;
      if (words === null) return false;
      const bit = vector.validity.offset + i;
      return (words[bit >> 6] & (1n << BigInt(bit & 63))) === 0n;
    },
    finish: () => ({ nullBitmap: bits, nullCount: nulls }),
  };
}

function grown(bytes: Uint8Array, needed: number): Uint8Array {
  const larger = new Uint8Array(Math.max(needed, bytes.length * 2));
  larger.set(bytes);
  return larger;
}

/** Fills the bytes of `count` cells from cell `at` on. */
type Fill = (target: Uint8Array, at: number, vector: RawVector, count: number) => void;

function fixedCollector(type: DataType, capacity: number, fill: Fill): Collector {
  const width = byteWidth(type);
  const validity = validityCollector(capacity);
  let bytes: Uint8Array = new Uint8Array(capacity * width);
  let rows = 0;
  return {
    append(vector, count) {
      const needed = (rows + count) * width;
      if (needed > bytes.length) bytes = grown(bytes, needed);
      const raw = vector as unknown as RawVector;
      fill(bytes, rows, raw, count);
      validity.append(raw, rows, count);
      rows += count;
    },
    finish(length) {
      const ArrayType = type.ArrayType as unknown as new (buffer: ArrayBufferLike) => never;
      const exact = bytes.length === length * width ? bytes : bytes.slice(0, length * width);
      return makeData({ type, length, data: new ArrayType(exact.buffer), ...validity.finish() } as never);
    },
  };
}

/** Bytes of one cell: the Arrow array's element, four of them for a 128-bit decimal, two halves for 64-bit integers. */
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

const copyNumbers = (type: DataType): Fill => {
  const whole = (type.ArrayType as unknown) === BigInt64Array;
  return (target, at, vector, count) => {
    const items = vector.items as ArrayLike<number>;
    if (whole) {
      const cells = new BigInt64Array(target.buffer);
      for (let i = 0; i < count; i++) cells[at + i] = BigInt(items[i]);
    } else {
      const cells = new Float64Array(target.buffer);
      for (let i = 0; i < count; i++) cells[at + i] = items[i];
    }
  };
};

/** Decimals of up to 18 digits are stored in 16, 32 or 64 bits; Arrow stores them in 128, sign-extended. */
const widenDecimals: Fill = (target, at, vector, count) => {
  const cells = new BigInt64Array(target.buffer);
  if (vector.items !== undefined) {
    for (let i = 0; i < count; i++) cells[2 * (at + i)] = BigInt.asIntN(64, vector.items[i] as bigint);
    return;
  }
  const view = vector.dataView as DataView;
  const width = count === 0 ? 8 : view.byteLength / count;
  for (let i = 0; i < count; i++) {
    const value =
      width === 8
        ? view.getBigInt64(i * 8, true)
        : BigInt(width === 4 ? view.getInt32(i * 4, true) : view.getInt16(i * 2, true));
    cells[2 * (at + i)] = value;
    cells[2 * (at + i) + 1] = value < 0n ? -1n : 0n;
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
      if (needed > bits.length) bits = grown(bits, needed);
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
  bytes: Uint8Array;
  size: number;
}

function push(target: TextTarget, text: string): void {
  const most = target.size + text.length * 3;
  if (most > target.bytes.length) target.bytes = grown(target.bytes, most);
  target.size += encoder.encodeInto(text, target.bytes.subarray(target.size)).written;
}

type AppendText = (target: TextTarget, vector: DuckDBVector, index: number) => void;

const copyInlineText: AppendText = (target, vector, index) => {
  const view = (vector as unknown as { dataView: DataView }).dataView;
  const at = index * 16;
  const length = view.getUint32(at, true);
  if (length > INLINE_BYTES) return push(target, vector.getItem(index) as string);
  const { bytes } = target;
  if (target.size + INLINE_BYTES > bytes.length) target.bytes = grown(bytes, target.size + INLINE_BYTES);
  for (let i = 0; i < length; i++) target.bytes[target.size + i] = view.getUint8(at + 4 + i);
  target.size += length;
};

const otherText: AppendText = (target, vector, index) => push(target, String(vector.getItem(index)));

function textCollector(capacity: number, append: AppendText): Collector {
  const validity = validityCollector(capacity);
  const target: TextTarget = { bytes: new Uint8Array(capacity * 8), size: 0 };
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
        data: target.bytes.slice(0, target.size),
        ...validity.finish(),
      }),
  };
}

function enumCollector(type: Dictionary, duckType: DuckDBType, capacity: number): Collector {
  const words = (duckType as unknown as { values: readonly string[] }).values;
  const target: TextTarget = { bytes: new Uint8Array(64), size: 0 };
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
  const indices = fixedCollector(new Int32(), capacity, (bytes, at, vector, count) => {
    const cells = new Int32Array(bytes.buffer);
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
