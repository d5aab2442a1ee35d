import { DataError } from "../../../errors/errors.js";
import type { Data, DataType } from "../../arrow/arrow.js";
import type { Encoding } from "../read/format/types.js";
import { deltaPacked } from "./delta.js";
import type { Bounds, EncodedColumn } from "./encoded.js";
import { type Levels, levelBytes, levelsOf } from "./levels.js";
import { booleans, decimalBytes, doubles, exactInt64s, int32s, int64s, TooManyDigits } from "./numbers.js";
import { encodeTexts } from "./texts.js";
import { declared, type Element } from "./types.js";

/** How one column is written: its element of the Parquet schema, and the values of a row group. */
export interface ParquetColumn {
  readonly name: string;
  readonly element: Element;
  readonly encode: (chunks: readonly Data[], rows: number) => EncodedColumn;
}

/** How a column of an Arrow type is written. `warn` is called for decimals that become text. */
export function parquetColumn(name: string, type: DataType, warn: (message: string) => void): ParquetColumn {
  const { element, whyText, factor } = declared(type);
  if (whyText !== undefined) warn(`Column ${JSON.stringify(name)} ${whyText}, so it is written as text.`);
  const encode = factor === undefined ? encoderOf(element) : encodeTimes(factor, element.type === "INT32");
  return {
    name,
    element,
    encode(chunks, rows) {
      try {
        return encode(chunks, levelsOf(chunks, rows));
      } catch (error) {
        if (!(error instanceof TooManyDigits)) throw error;
        throw new DataError(`Column ${JSON.stringify(name)} holds a number of more digits than its type ${type} has.`, {
          code: "PrecisionLoss",
          column: name,
          hint: "Declare a wider type where the column is made.",
        });
      }
    },
  };
}

const NO_BYTES = new Uint8Array(0);

type Encode = (chunks: readonly Data[], levels: Levels) => EncodedColumn;

function encoderOf({ type, converted, width = 0 }: Element): Encode {
  switch (type) {
    case "BOOLEAN":
      return encodeBooleans;
    case "INT32":
      return encodeDays;
    case "INT64":
      return converted === "UINT_64" ? encodeUnsigned : encodeInt64;
    case "DOUBLE":
      return encodeDoubles;
    case "BYTE_ARRAY":
      return encodeTexts;
    case "FIXED_LEN_BYTE_ARRAY":
      return (chunks, levels) => encodeWideDecimals(chunks, levels, width);
  }
}

function onePage(encoding: Encoding, levels: Levels, values: Uint8Array, bounds: Bounds, dense = false): EncodedColumn {
  const { rows, present } = levels;
  const page = { rows, nulls: rows - present, levels: levelBytes(levels, 0, rows), values, dense };
  return { encoding, pages: [page], bounds };
}

const encodeDays: Encode = (chunks, levels) => {
  const { values, min, max } = int32s(chunks, levels.present);
  if (values.length === 0) return onePage("PLAIN", levels, NO_BYTES, {});
  return onePage("DELTA_BINARY_PACKED", levels, deltaPacked(values, true), bounded(Int32Array.of(min, max)), true);
};

const encodeInt64: Encode = (chunks, levels) => {
  if (levels.present === 0) return onePage("PLAIN", levels, NO_BYTES, {});
  const numbers = exactInt64s(chunks, levels.present);
  if (numbers === undefined) {
    const values = int64s(chunks, levels.present);
    return onePage("PLAIN", levels, bytesOf(values), range(values));
  }
  const bounds = bounded(BigInt64Array.of(BigInt(numbers.min), BigInt(numbers.max)));
  return onePage("DELTA_BINARY_PACKED", levels, deltaPacked(numbers.values), bounds, true);
};

function encodeTimes(factor: bigint, narrow: boolean): Encode {
  return (chunks, levels) => {
    if (levels.present === 0) return onePage("PLAIN", levels, NO_BYTES, {});
    if (narrow) {
      const values = Int32Array.from(int32s(chunks, levels.present).values, (value) => {
        const product = value * Number(factor);
        if (product !== (product | 0)) throw new TooManyDigits();
        return product;
      });
      return onePage("PLAIN", levels, bytesOf(values), {});
    }
    const values = int64s(chunks, levels.present);
    for (const [i, value] of values.entries()) {
      values[i] = value * factor;
      if (values[i] / factor !== value) throw new TooManyDigits();
    }
    return onePage("PLAIN", levels, bytesOf(values), range(values));
  };
}

/** Without least and greatest value: readers differ in how they order them. */
const encodeUnsigned: Encode = (chunks, levels) =>
  onePage("PLAIN", levels, bytesOf(int64s(chunks, levels.present)), {});

function encodeWideDecimals(chunks: readonly Data[], levels: Levels, width: number): EncodedColumn {
  const bytes = decimalBytes(chunks, levels.present, width);
  if (bytes.length === 0) return onePage("PLAIN", levels, bytes, {});
  let [min, max] = [0, 0];
  for (let at = width; at < bytes.length; at += width) {
    if (isLess(bytes, at, min, width)) min = at;
    else if (isLess(bytes, max, at, width)) max = at;
  }
  const bounds = { min: bytes.slice(min, min + width), max: bytes.slice(max, max + width) };
  return onePage("PLAIN", levels, bytes, bounds);
}

/** Whether one of two signed integers of `width` bytes, highest first, is less than the other. */
function isLess(bytes: Uint8Array, a: number, b: number, width: number): boolean {
  // The sign turned round orders the first bytes.
  const first = (bytes[a] ^ 128) - (bytes[b] ^ 128);
  if (first !== 0) return first < 0;
  for (let k = 1; k < width; k++) if (bytes[a + k] !== bytes[b + k]) return bytes[a + k] < bytes[b + k];
  return false;
}

const encodeDoubles: Encode = (chunks, levels) => {
  const { values, min, max } = doubles(chunks, levels.present);
  // Readers to whom NaN is the greatest number would leave it out by bounds without it. Zero has both signs.
  const isOrdered = min <= max && !values.includes(Number.NaN);
  const bounds = isOrdered ? bounded(Float64Array.of(min === 0 ? -0 : min, max === 0 ? 0 : max)) : {};
  return onePage("PLAIN", levels, bytesOf(values), bounds);
};

const encodeBooleans: Encode = (chunks, levels) => {
  const values = booleans(chunks, levels.present);
  const bits = new Uint8Array((values.length + 7) >> 3);
  for (let i = 0; i < values.length; i++) bits[i >> 3] |= values[i] << (i & 7);
  if (values.length === 0) return onePage("PLAIN", levels, bits, {});
  return onePage(
    "PLAIN",
    levels,
    bits,
    bounded(Uint8Array.of(Number(!values.includes(0)), Number(values.includes(1)))),
  );
};

function range(values: BigInt64Array): Bounds {
  let min = values[0];
  let max = min;
  for (const value of values) {
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return bounded(BigInt64Array.of(min, max));
}

/** The bounds out of the least and the greatest value. */
function bounded(both: Int32Array | BigInt64Array | Float64Array | Uint8Array): Bounds {
  const bytes = bytesOf(both);
  return { min: bytes.subarray(0, both.BYTES_PER_ELEMENT), max: bytes.subarray(both.BYTES_PER_ELEMENT) };
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
