import { DataType, Decimal, type Field, Int64, type Vector } from "../../columns/arrow/arrow.js";
import { vectorToBigInts } from "../../columns/arrow/vector-values.js";
import { valuesData } from "../../columns/compute/chunks.js";
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
  const type = isInteger ? new Int64() : new Decimal(scale, precision, words * 64);
  const values = isInteger ? data : new Uint32Array(data.buffer);
  const name = isInteger ? "Integer" : `BigDecimal(${precision},${scale})`;
  return { field: retyped(field, type, name), data: valuesData(type, units.length, values, valid) };
}

function overflow(field: Field, value: bigint, limit: string): DataError {
  return new DataError(`A result in column ${JSON.stringify(field.name)} exceeds ${limit}: ${value}.`, {
    code: "Overflow",
    column: field.name,
    value: String(value),
    hint: 'Read the column with decimals: "float64", or scale the values down first.',
  });
}
