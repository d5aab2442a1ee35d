import { unscaled } from "../../value/decimal.js";
import { type Data, type DataType, DateUnit, type Decimal, type Int, Type } from "../arrow/arrow.js";
import { secondDigits } from "../arrow/instants.js";

/**
 * A chunk of whole units: decimals without their point, integers, timestamps in their unit, days. 32-bit parts in
 * two's complement, least significant first, `count` for each value; value `i` begins at `i × step`, so that a step of
 * 0 repeats one value.
 */
export interface Units {
  readonly words: Int32Array;
  readonly count: number;
  readonly step: number;
}

/** What the units of a type count: the digits after the point (of seconds for timestamps), and digits in all. */
export interface UnitsType {
  readonly scale: number;
  readonly precision: number;
  readonly isInteger: boolean;
}

export const MOST_DIGITS = 76;
const INT64_DIGITS = 19;
const TWO_32 = 4_294_967_296;
const TWO_53 = 9_007_199_254_740_992;

/** Integers and decimals; undefined for other types. */
export function exactType(type: DataType): UnitsType | undefined {
  if (type.typeId === Type.Decimal) {
    const { precision, scale } = type as Decimal;
    return scale >= 0 ? { precision, scale, isInteger: false } : undefined;
  }
  if (type.typeId !== Type.Int) return undefined;
  const { isSigned, bitWidth } = type as Int;
  const isWide = bitWidth === 64 && !isSigned;
  return { precision: isWide ? INT64_DIGITS + 1 : INT64_DIGITS, scale: 0, isInteger: !isWide };
}

/** Timestamps, as decimals of seconds; undefined for other types. */
export function timestampType(type: DataType): UnitsType | undefined {
  if (type.typeId !== Type.Timestamp) return undefined;
  return { precision: INT64_DIGITS, scale: secondDigits(type), isInteger: false };
}

/** Whole days of 32 bits. */
export const isDays = (type: DataType): boolean =>
  type.typeId === Type.Date && (type as unknown as { unit: DateUnit }).unit === DateUnit.DAY;

/** The units of a chunk of integers, decimals, timestamps or dates. */
export function unitsOf(data: Data): Units {
  const values = data.values as Int32Array | BigInt64Array | Uint32Array;
  const type = data.type as DataType;
  const count = type.typeId === Type.Decimal ? (type as Decimal).bitWidth / 32 : values.BYTES_PER_ELEMENT === 8 ? 2 : 1;
  if (type.typeId === Type.Int && !(type as Int).isSigned && count === 2) return fromUnsigned(values, data.length);
  if (values.BYTES_PER_ELEMENT < 4) return { words: Int32Array.from(values as Int32Array), count: 1, step: 1 };
  if (type.typeId === Type.Int && !(type as Int).isSigned) return fromNumbers(values as Uint32Array, data.length);
  const words = new Int32Array(values.buffer, values.byteOffset, data.length * count);
  return { words, count, step: count };
}

function fromNumbers(values: Uint32Array, length: number): Units {
  const words = new Int32Array(length * 2);
  for (let i = 0; i < length; i++) words[2 * i] = values[i];
  return { words, count: 2, step: 2 };
}

function fromUnsigned(values: ArrayBufferView, length: number): Units {
  const from = new Int32Array(values.buffer, values.byteOffset, length * 2);
  const words = new Int32Array(length * 4);
  for (let i = 0; i < length; i++) {
    words[4 * i] = from[2 * i];
    words[4 * i + 1] = from[2 * i + 1];
  }
  return { words, count: 4, step: 4 };
}

/** One value for every row. */
export function constantUnits(units: bigint): Units {
  const count = units >= -(2n ** 127n) && units < 2n ** 127n ? 4 : 8;
  const words = new Int32Array(count);
  storeBig(words, 0, count, units);
  return { words, count, step: 0 };
}

/** The value at a place as a double where that is exact (below 2^53 in size), else NaN. */
export function small(words: Int32Array, at: number, count: number): number {
  const low = words[at];
  if (count === 1) return low;
  const high = words[at + 1];
  const sign = high >> 31;
  if (count > 2) {
    if (words[at + 2] !== sign || words[at + 3] !== sign) return Number.NaN;
    if (count > 4) for (let i = at + 4; i < at + count; i++) if (words[i] !== sign) return Number.NaN;
  }
  const value = high * TWO_32 + (low >>> 0);
  return value > -TWO_53 && value < TWO_53 ? value : Number.NaN;
}

/** The value at a place, whatever its size. */
export const big = ({ words, count, step }: Units, i: number): bigint => unscaled(words, i * step, count);

/** Writes a whole number below 2^53 in size. */
export function store(words: Int32Array, at: number, count: number, value: number): void {
  words[at] = value | 0;
  const high = Math.floor(value / TWO_32) | 0;
  words[at + 1] = high;
  const sign = high >> 31;
  for (let i = at + 2; i < at + count; i++) words[i] = sign;
}

/** Writes a whole number that `count` parts of 32 bits hold. */
export function storeBig(words: Int32Array, at: number, count: number, value: bigint): void {
  let rest = value;
  for (let i = at; i < at + count; i++) {
    words[i] = Number(BigInt.asIntN(32, rest));
    rest >>= 32n;
  }
}
