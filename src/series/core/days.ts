import { type Data, DataType, TimeUnit, type Vector } from "../../columns/arrow/arrow.js";
import { InputError } from "../../errors/errors.js";
import { joined } from "./pieces.js";

const PER_DAY: Readonly<Record<number, bigint>> = {
  [TimeUnit.SECOND]: 86_400n,
  [TimeUnit.MILLISECOND]: 86_400_000n,
  [TimeUnit.MICROSECOND]: 86_400_000_000n,
  [TimeUnit.NANOSECOND]: 86_400_000_000_000n,
};

/**
 * A date column as whole days since 1970-01-01; a timestamp counts as its UTC day. A `Date32` column of one chunk is
 * not copied.
 *
 * @throws {InputError} EmptyDate for a null: a row without a date cannot be placed in time
 */
export function daysOf(vector: Vector, name: string): Int32Array {
  return joined(dayPieces(vector, name), Int32Array);
}

/** As {@link daysOf}, chunk by chunk. */
export function dayPieces(vector: Vector, name: string): Int32Array[] {
  refuseNulls(vector, name);
  return vector.data.map(dayChunk);
}

/**
 * Checks that every row of a date column has a date.
 *
 * @throws {InputError} EmptyDate
 */
export function refuseNulls(vector: Vector, name: string): void {
  if (vector.nullCount === 0) return;
  throw new InputError(`${vector.nullCount} rows have no date in ${JSON.stringify(name)}.`, {
    code: "EmptyDate",
    column: name,
    hint: "Filter out these rows first, or pass another date column as `on`.",
  });
}

/** Days of 32 bits; later timestamps, of seconds, count as of this one. */
const MOST_DAY = 2 ** 31 - 1;

/** Whether the type is dates in days of 32 bits. */
export const isDayType = (type: DataType): boolean => DataType.isDate(type) && type.unit === 0;

/** Units of a day of a timestamp type, or of dates in milliseconds. */
export const perDayOf = (type: DataType): bigint =>
  DataType.isTimestamp(type) ? PER_DAY[(type as unknown as { unit: TimeUnit }).unit] : 86_400_000n;

function dayChunk(data: Data): Int32Array {
  if (isDayType(data.type)) return (data.values as Int32Array).subarray(0, data.length);
  const perDay = perDayOf(data.type);
  const moments = timestampValues(data);
  const days = new Int32Array(data.length);
  for (let i = 0; i < days.length; i++) {
    const day = moments[i] / perDay;
    const whole = Number(moments[i] < 0n && day * perDay !== moments[i] ? day - 1n : day);
    days[i] = Math.max(-MOST_DAY, Math.min(MOST_DAY, whole));
  }
  return days;
}

/** The timestamps of a chunk, in the unit of its type. */
export function timestampValues({ values, length }: Data): BigInt64Array {
  const raw = values as Int32Array | BigInt64Array;
  return raw instanceof BigInt64Array ? raw : new BigInt64Array(raw.buffer, raw.byteOffset, length);
}

/** A timestamp column by row, in the unit of its type; undefined for a date column. */
export function timestampsOf(vector: Vector): BigInt64Array | undefined {
  if (isDayType(vector.type)) return undefined;
  const all = new BigInt64Array(vector.length);
  let at = 0;
  for (const data of vector.data) {
    all.set(timestampValues(data).subarray(0, data.length), at);
    at += data.length;
  }
  return all;
}
