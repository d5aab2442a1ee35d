import { NO_DATE, parseDate } from "../../value/date.js";
import { namedDouble } from "../../value/number.js";
import { readTimestamp } from "../../value/timestamp.js";
import { DataType } from "../arrow/arrow.js";
import { type Place, wrongConstant } from "./place.js";

/** One value for all rows. A number counts as its shortest decimal, a string as what the column's cells are. */
export type Constant = number | bigint | string | boolean | Date | null;

/** A decimal of any size: `units` × 10^−scale; the scale is 0 or more. */
export interface ExactConstant {
  readonly units: bigint;
  readonly scale: number;
}

const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,6}))?$/;

/**
 * A constant as an exact decimal; undefined for the numbers that are none (`NaN`, infinities).
 *
 * @throws {InputError} BadArgument for what is not a number
 */
export function exactConstant(value: Constant, type: DataType, place: Place): ExactConstant | undefined {
  if (typeof value === "bigint") return { units: value, scale: 0 };
  if (typeof value === "number" && !Number.isFinite(value)) return undefined;
  const text = typeof value === "number" ? String(value) : typeof value === "string" ? value.trim() : "";
  const [, sign, whole, fraction = "", exponent = "0"] = DECIMAL.exec(text) ?? [];
  if (whole === undefined || whole + fraction === "") throw wrongConstant(place, type, value);
  const digits = BigInt(sign + whole + fraction);
  const scale = fraction.length - Number(exponent);
  return scale >= 0 ? { units: digits, scale } : { units: digits * 10n ** BigInt(-scale), scale: 0 };
}

/**
 * A constant as a double.
 *
 * @throws {InputError} BadArgument for what is not a number
 */
export function numberConstant(value: Constant, type: DataType, place: Place): number {
  if (typeof value === "number") return value;
  const named = typeof value === "string" ? namedDouble(value.trim()) : undefined;
  if (named !== undefined) return named;
  const { units, scale } = exactConstant(value, type, place) as ExactConstant;
  return Number(`${units}e${-scale}`);
}

/**
 * A date or timestamp, a string in ISO 8601 with any digits of the second or a `Date`, as exact seconds since
 * 1970-01-01 UTC. Beside a column without a time zone, as its cells: a string may have no zone either.
 *
 * @throws {InputError} BadArgument for what is neither
 */
export function timeConstant(value: Constant, type: DataType, place: Place): ExactConstant {
  const isLocal = DataType.isTimestamp(type) && !type.timezone;
  const text = typeof value === "string" ? (isLocal && !ZONE.test(value) ? `${value}Z` : value) : undefined;
  const time = value instanceof Date ? millis(value.getTime()) : text === undefined ? undefined : parsedTime(text);
  if (time !== undefined) return time;
  throw wrongConstant(place, type, value instanceof Date ? "an invalid Date" : value);
}

/** The end of a timestamp with a zone, or of a date. */
const ZONE = /(?:[Zz]|UTC|[+-]\d\d:?\d\d|^[^:]*)$/;

const millis = (time: number): ExactConstant | undefined =>
  Number.isFinite(time) ? { units: BigInt(time), scale: 3 } : undefined;

function parsedTime(text: string): ExactConstant | undefined {
  const days = parseDate(text);
  if (days !== NO_DATE) return { units: BigInt(days) * BigInt(SECONDS_PER_DAY), scale: 0 };
  const [, whole, fraction = "", zone = ""] = /^([^.]*)(?:\.(\d+)([^.\d][^.]*)?)?$/.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const bytes = new TextEncoder().encode(whole + zone);
  const time = readTimestamp(bytes, 0, bytes.length);
  if (!Number.isFinite(time)) return undefined;
  return { units: BigInt(time / 1000) * 10n ** BigInt(fraction.length) + BigInt(fraction), scale: fraction.length };
}

export const SECONDS_PER_DAY = 86_400;
