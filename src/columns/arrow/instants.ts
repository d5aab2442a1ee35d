import { type Data, DataType, DateUnit, TimeUnit } from "./arrow.js";

/**
 * The times of a chunk by row, in whole units that are rounded down, without regard to validity: nothing is computed
 * in doubles that they do not hold exactly.
 */
export interface Instants {
  /** Days since 1970-01-01 in UTC. */
  readonly days: (i: number) => number;
  /** Nanoseconds since the midnight of that day, from 0 to 86,399,999,999,999. */
  readonly nanos: (i: number) => number;
  /** Milliseconds since 1970-01-01 in UTC. */
  readonly millis: (i: number) => number;
  /** Milliseconds since then with their fraction: the nearest double. */
  readonly number: (i: number) => number;
}

const TWO_32 = 4_294_967_296;
const MS_PER_DAY = 86_400_000;
const SECONDS_PER_DAY = 86_400;
const NANOS_PER_MS = 1_000_000;

/** The times of a chunk of dates or timestamps; the only place where units of time are divided. */
export function instantsOf(data: Data): Instants {
  const { unit } = data.type as unknown as { readonly unit: number };
  const isDate = DataType.isDate(data.type);
  if (isDate && unit === DateUnit.DAY) return ofDays(data.values as Int32Array);
  const words = wordsOf(data);
  if (isDate) {
    const { days } = ofMilliseconds(words);
    const millis = (i: number): number => days(i) * MS_PER_DAY;
    return { days, nanos: () => 0, millis, number: millis };
  }
  switch (unit as TimeUnit) {
    case TimeUnit.SECOND:
      return ofSeconds(words);
    case TimeUnit.MILLISECOND:
      return ofMilliseconds(words);
    case TimeUnit.MICROSECOND:
      return ofFiner(words, 1_000);
    default:
      return ofFiner(words, NANOS_PER_MS);
  }
}

/** The low and the high half of each value; those that Arrow itself makes for no values lack their buffer. */
function wordsOf({ values, length }: Data): Int32Array {
  const { buffer, byteOffset } = (values as BigInt64Array | undefined) ?? new BigInt64Array(length);
  return new Int32Array(buffer, byteOffset, 2 * length);
}

function ofDays(values: Int32Array): Instants {
  const millis = (i: number): number => values[i] * MS_PER_DAY;
  return { days: (i) => values[i], nanos: () => 0, millis, number: millis };
}

function ofSeconds(words: Int32Array): Instants {
  const millis = (i: number): number => valueAt(words, i) * 1_000;
  return {
    days: (i) => quotient(words, i, SECONDS_PER_DAY),
    nanos: (i) => remainder(words, i, SECONDS_PER_DAY) * 1_000 * NANOS_PER_MS,
    millis,
    number: millis,
  };
}

function ofMilliseconds(words: Int32Array): Instants {
  const millis = (i: number): number => valueAt(words, i);
  const seconds = (i: number): number => quotient(words, i, 1_000);
  const days = (i: number): number => Math.floor(seconds(i) / SECONDS_PER_DAY);
  const second = (i: number): number => seconds(i) - days(i) * SECONDS_PER_DAY;
  const nanos = (i: number): number => (second(i) * 1_000 + remainder(words, i, 1_000)) * NANOS_PER_MS;
  return { days, nanos, millis, number: millis };
}

/** Timestamps of `perMs` units for a millisecond. */
function ofFiner(words: Int32Array, perMs: number): Instants {
  const unitNanos = NANOS_PER_MS / perMs;
  const millis = (i: number): number => quotient(words, i, perMs);
  const days = (i: number): number => Math.floor(millis(i) / MS_PER_DAY);
  return {
    days,
    nanos: (i) => (millis(i) - days(i) * MS_PER_DAY) * NANOS_PER_MS + remainder(words, i, perMs) * unitNanos,
    millis,
    number(i) {
      const units = valueAt(words, i);
      return Number.isSafeInteger(units) ? units / perMs : millis(i) + remainder(words, i, perMs) / perMs;
    },
  };
}

/** A 64-bit integer, exact up to 2^53 in size. */
const valueAt = (words: Int32Array, i: number): number => words[2 * i + 1] * TWO_32 + (words[2 * i] >>> 0);

/**
 * A 64-bit integer divided by a number below 2^21, rounded down. Doubles divide integers up to 2^53 exactly so far as
 * the result is rounded down.
 */
function quotient(words: Int32Array, i: number, by: number): number {
  const high = Math.floor(words[2 * i + 1] / by);
  return high * TWO_32 + Math.floor(lowerPart(words, i, by, high) / by);
}

/** What {@link quotient} leaves, from 0 to below the divisor. */
function remainder(words: Int32Array, i: number, by: number): number {
  const lower = lowerPart(words, i, by, Math.floor(words[2 * i + 1] / by));
  return lower - Math.floor(lower / by) * by;
}

const lowerPart = (words: Int32Array, i: number, by: number, high: number): number =>
  (words[2 * i + 1] - high * by) * TWO_32 + (words[2 * i] >>> 0);

const SECOND_DIGITS: Readonly<Record<TimeUnit, number>> = {
  [TimeUnit.SECOND]: 0,
  [TimeUnit.MILLISECOND]: 3,
  [TimeUnit.MICROSECOND]: 6,
  [TimeUnit.NANOSECOND]: 9,
};

/** The digits after the point of seconds that a timestamp has. */
export const secondDigits = (type: DataType): number => SECOND_DIGITS[(type as unknown as { unit: TimeUnit }).unit];
