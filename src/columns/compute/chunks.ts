import { InputError } from "../../errors/errors.js";
import { DECIMAL128_DIGITS } from "../../value/decimal.js";
import { Bool, Data, type DataType, Decimal, Float64, Int64, Type, Vector } from "../arrow/arrow.js";
import { countBits, validityBits, withoutNaN } from "../arrow/bits.js";
import { chunkReader } from "../arrow/cell-reader.js";
import { emptyData, sliceData } from "../arrow/record-batch.js";
import type { Place } from "./place.js";
import type { UnitsType } from "./units.js";

/** Bits from the first row of a chunk on, 1 for a row that holds a value; undefined where all do. */
export type Validity = Uint8Array | undefined;

/** Rows of two columns that are a chunk in both. */
interface Pair {
  readonly left: Data;
  readonly right: Data;
  /** The first row in the column. */
  readonly from: number;
}

/** A column computed chunk by chunk; a column without rows has one chunk of none. */
export function mapChunks(vector: Vector, type: DataType, compute: (data: Data, from: number) => Data): Vector {
  let from = 0;
  const chunks: Data[] = [];
  for (const data of vector.data) {
    if (data.length > 0) chunks.push(compute(data, from));
    from += data.length;
  }
  return new Vector(chunks.length === 0 ? [emptyData(type)] : chunks);
}

/** Truth values by chunk: the bits that are true, null where a row holds no value or NaN. */
export function mapTruths(vector: Vector, marks: (data: Data, valid: Validity) => Uint8Array): Vector {
  return mapChunks(vector, new Bool(), (data) => {
    const valid = presentOf(data);
    return truthData(data.length, marks(data, valid), valid);
  });
}

/** As {@link mapChunks}, over two columns, cut where either of them is. */
export function mapPairs(
  left: Vector,
  right: Vector,
  type: DataType,
  place: Place,
  compute: (pair: Pair) => Data,
): Vector {
  const chunks = pairsOf(left, right, place).map(compute);
  return new Vector(chunks.length === 0 ? [emptyData(type)] : chunks);
}

/** @throws {InputError} DifferentLength */
export function needEqualLength(left: Vector, right: Vector, { column, method }: Place): void {
  if (left.length === right.length) return;
  throw new InputError(
    `${method} of column ${JSON.stringify(column)}: it has ${left.length} values, the other column ${right.length}.`,
    { code: "DifferentLength", column, hint: "Both columns must have as many rows: take them from one frame." },
  );
}

function pairsOf(left: Vector, right: Vector, place: Place): Pair[] {
  needEqualLength(left, right, place);
  const pairs: Pair[] = [];
  let [l, r, leftAt, rightAt, from] = [0, 0, 0, 0, 0];
  while (from < left.length) {
    const [a, b] = [left.data[l] as Data, right.data[r] as Data];
    const length = Math.min(a.length - leftAt, b.length - rightAt);
    if (length > 0) pairs.push({ left: part(a, leftAt, length), right: part(b, rightAt, length), from });
    leftAt += length;
    rightAt += length;
    from += length;
    if (leftAt === a.length) [l, leftAt] = [l + 1, 0];
    if (rightAt === b.length) [r, rightAt] = [r + 1, 0];
  }
  return pairs;
}

const part = (data: Data, from: number, length: number): Data =>
  from === 0 && length === data.length ? data : sliceData(data, from, length);

/** Which rows of a chunk hold values; a dictionary may itself hold nulls. */
export function validOf(data: Data): Validity {
  if (data.type.typeId === Type.Union || (data.dictionary?.nullCount ?? 0) > 0) {
    const { valid } = chunkReader(data);
    const bits = new Uint8Array((data.length + 7) >> 3);
    for (let i = 0; i < data.length; i++) if (valid(i)) bits[i >> 3] |= 1 << (i & 7);
    return bits;
  }
  if (data.type.typeId === Type.Null) return new Uint8Array((data.length + 7) >> 3);
  return validityBits(data);
}

/** As {@link validOf}, where NaN counts as null. */
export const presentOf = (data: Data): Validity => withoutNaN(data, validOf(data));

export function both(a: Validity, b: Validity): Validity {
  if (a === undefined || b === undefined) return a ?? b;
  return a.map((byte, i) => byte & b[i]);
}

export const isValid = (valid: Validity, i: number): boolean =>
  valid === undefined || (valid[i >> 3] & (1 << (i & 7))) !== 0;

/** A chunk of truth values. Bits of rows that hold none are cleared, so that equal columns have equal bytes. */
export function truthData(length: number, bits: Uint8Array, valid: Validity): Data {
  if (valid !== undefined) for (let i = 0; i < bits.length; i++) bits[i] &= valid[i];
  return valuesData(new Bool(), length, bits, valid);
}

export const doubleData = (values: Float64Array, valid: Validity): Data =>
  valuesData(new Float64(), values.length, values, valid);

/** The Arrow type of units: 64-bit integers, or decimals of 128 or 256 bits. */
export function typeOfUnits({ precision, scale, isInteger }: UnitsType): DataType {
  return isInteger ? new Int64() : new Decimal(scale, precision, precision > DECIMAL128_DIGITS ? 256 : 128);
}

/** 32-bit parts of a value of this type. */
export function wordsOf({ precision, isInteger }: UnitsType): number {
  return isInteger ? 2 : precision > DECIMAL128_DIGITS ? 8 : 4;
}

/** A chunk over finished parts of values. */
export function unitsData(type: UnitsType, length: number, words: Int32Array, valid: Validity): Data {
  const { buffer, byteOffset, byteLength } = words;
  const values = type.isInteger
    ? new BigInt64Array(buffer, byteOffset, byteLength / 8)
    : new Uint32Array(buffer, byteOffset, byteLength / 4);
  return valuesData(typeOfUnits(type), length, values, valid);
}

/** A chunk over finished values. */
export function valuesData(type: DataType, length: number, values: ArrayBufferView, valid: Validity): Data {
  const held = valid === undefined ? length : countBits(valid, length);
  const bitmap = held === length ? undefined : trimmed(valid as Uint8Array, length);
  return new Data(type, 0, length, length - held, [undefined, values, bitmap] as never);
}

/** A copy of bits with those after the last row cleared. */
function trimmed(bits: Uint8Array, length: number): Uint8Array {
  const copy = bits.slice(0, (length + 7) >> 3);
  if ((length & 7) !== 0) copy[copy.length - 1] &= (1 << (length & 7)) - 1;
  return copy;
}

/** A column of nulls in chunks of the lengths of another's. */
export function allNull(like: Vector, make: (length: number, valid: Uint8Array) => Data, type: DataType): Vector {
  return mapChunks(like, type, ({ length }) => make(length, new Uint8Array((length + 7) >> 3)));
}

/** Doubles that are all null, cut as another column. */
export const nullDoubles = (like: Vector): Vector =>
  allNull(like, (length, valid) => doubleData(new Float64Array(length), valid), new Float64());
