import { type Data, DataType, type Decimal, type Field, type Vector } from "../../columns/arrow/arrow.js";
import { vectorToBigInts } from "../../columns/arrow/vector-values.js";
import { isValid, unitsData, validOf, wordsOf } from "../../columns/compute/chunks.js";
import { small, store, unitsOf } from "../../columns/compute/units.js";
import { DataError } from "../../errors/errors.js";
import { type Column, retyped } from "./numbers.js";

/**
 * A column of integer units: an integer itself, or a decimal's digits without the point. Sums and differences are
 * exact.
 */
export interface Exact {
  readonly units: readonly (bigint | null)[];
  /** Digits after the point; undefined for integers. */
  readonly scale: number | undefined;
  /** Total digits; 19 for integers. */
  readonly precision: number;
}

const INT64_MAX = 2n ** 63n - 1n;
const NARROW = 38;
const WIDE = 76;

/** Whether sums and differences of this type are computed exactly: integers and decimals, not floating point. */
export function isExact(type: DataType): boolean {
  return DataType.isInt(type) || DataType.isDecimal(type);
}

export function exactOf(vector: Vector): Exact {
  const type = vector.type as DataType;
  const units = vectorToBigInts(vector);
  if (DataType.isDecimal(type))
    return { units, scale: (type as Decimal).scale, precision: (type as Decimal).precision };
  return { units, scale: undefined, precision: 19 };
}

/** The units of integers or decimals as doubles, null as NaN; undefined where one is 2^53 or more in size. */
export function smallUnits(vector: Vector): Float64Array | undefined {
  const out = new Float64Array(vector.length);
  let row = 0;
  for (const data of vector.data as readonly Data[]) {
    if (data.length === 0) continue;
    const { words, count } = unitsOf(data);
    const valid = validOf(data);
    for (let i = 0; i < data.length; i++, row++) {
      out[row] = isValid(valid, i) ? small(words, i * count, count) : Number.NaN;
      if (Number.isNaN(out[row]) && isValid(valid, i)) return undefined;
    }
  }
  return out;
}

/** The precision of a sum: the most that the storage of `precision` digits allows (38 or 76), as in SQL engines. */
export function sumPrecision(precision: number): number {
  return precision <= NARROW ? NARROW : WIDE;
}

/** The precision of a difference: one digit more, within the same storage. */
export function differencePrecision(precision: number): number {
  return Math.min(precision + 1, sumPrecision(precision));
}

/**
 * Converts units to a column: `Int64` if `scale` is undefined, otherwise a decimal of that scale and precision.
 *
 * @throws {DataError} Overflow for a value with more digits
 */
export function exactColumn(
  field: Field,
  units: readonly (bigint | null)[],
  { scale, precision }: Omit<Exact, "units">,
): Column {
  const isInteger = scale === undefined;
  const words = isInteger ? 1 : precision > NARROW ? 4 : 2; // of 64 bits
  const most = isInteger ? INT64_MAX : 10n ** BigInt(precision) - 1n;
  const least = isInteger ? -most - 1n : -most;
  const data = new BigInt64Array(units.length * words);
  const valid = new Uint8Array((units.length + 7) >> 3);
  for (let i = 0; i < units.length; i++) {
    let value = units[i];
    if (value === null) continue;
    if (value > most || value < least) throw overflow(field, value, isInteger ? "64 bits" : `${precision} digits`);
    valid[i >> 3] |= 1 << (i & 7);
    for (let w = 0; w < words; w++) {
      data[i * words + w] = BigInt.asIntN(64, value);
      value >>= 64n;
    }
  }
  return columnOf(field, new Int32Array(data.buffer), valid, { scale, precision });
}

/** As {@link exactColumn}, of whole doubles below 2^53 in size, NaN as null. */
export function smallColumn(field: Field, units: Float64Array, shape: Omit<Exact, "units">): Column {
  const count = shape.scale === undefined ? 2 : shape.precision > NARROW ? 8 : 4;
  const words = new Int32Array(units.length * count);
  const valid = new Uint8Array((units.length + 7) >> 3);
  for (let i = 0; i < units.length; i++) {
    if (Number.isNaN(units[i])) continue;
    store(words, i * count, count, units[i]);
    valid[i >> 3] |= 1 << (i & 7);
  }
  return columnOf(field, words, valid, shape);
}

/** A column of finished parts of 32 bits. */
function columnOf(
  field: Field,
  words: Int32Array,
  valid: Uint8Array,
  { scale, precision }: Omit<Exact, "units">,
): Column {
  const type = { scale: scale ?? 0, precision, isInteger: scale === undefined };
  const name = scale === undefined ? "Integer" : `BigDecimal(${precision},${scale})`;
  const data = unitsData(type, words.length / wordsOf(type), words, valid);
  return { field: retyped(field, data.type, name), data };
}

function overflow(field: Field, value: bigint, limit: string): DataError {
  return new DataError(`A result in column ${JSON.stringify(field.name)} exceeds ${limit}: ${value}.`, {
    code: "Overflow",
    column: field.name,
    value: String(value),
    hint: 'Read the column with decimals: "float64", or scale the values down first.',
  });
}
