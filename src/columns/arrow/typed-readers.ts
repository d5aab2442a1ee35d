import { hexText, utf8Text } from "../../platform/node/bytes.js";
import { formatDate } from "../../value/date.js";
import { decimalNumber, decimalText, POWERS, unscaled } from "../../value/decimal.js";
import { formatNumber } from "../../value/number.js";
import { type Data, type Decimal, TimeUnit, Type, Vector } from "./arrow.js";
import { LONGEST_INLINE, VIEW_BYTES } from "./data-faults.js";
import { instantsOf } from "./instants.js";
import { nestedText, type ReaderOf, unionCells } from "./nested-cells.js";

/** A cell as a JavaScript value, as in `rows()` with its defaults. */
export type Cell = string | number | bigint | boolean | null;

/** Reads the cells of one chunk by row number; ignores validity. */
export interface TypedReader {
  readonly value: (i: number) => Cell;
  readonly text: (i: number) => string;
  /** The nearest double (timestamps and dates in milliseconds); absent for text. */
  readonly number?: (i: number) => number;
  /**
   * The exact integer: an unscaled decimal, an integer, the days of a date, a timestamp in its unit; absent for other
   * types.
   */
  readonly integer?: (i: number) => bigint;
  /** Whole milliseconds since 1970-01-01 UTC, rounded down; dates and timestamps only. */
  readonly time?: (i: number) => number;
}

export function booleans(data: Data): TypedReader {
  const bits = data.values as Uint8Array;
  const at = (i: number): boolean => (bits[(data.offset + i) >> 3] & (1 << ((data.offset + i) & 7))) !== 0;
  return { value: at, text: (i) => String(at(i)), number: (i) => (at(i) ? 1 : 0) };
}

/** A number if it is a safe integer, else a bigint. */
function safeInteger(value: bigint): number | bigint {
  const near = Number(value);
  return Number.isSafeInteger(near) ? near : value;
}

export function integers(data: Data): TypedReader {
  const values = data.values as Int32Array | BigInt64Array;
  if (values instanceof BigInt64Array || values instanceof BigUint64Array) {
    return {
      value: (i) => safeInteger(values[i]),
      text: (i) => values[i].toString(),
      number: (i) => Number(values[i]),
      integer: (i) => values[i],
    };
  }
  return {
    value: (i) => values[i],
    text: (i) => String(values[i]),
    number: (i) => values[i],
    integer: (i) => BigInt(values[i]),
  };
}

export function floats(data: Data): TypedReader {
  const values = data.values as Float64Array | Uint16Array;
  const at = values instanceof Uint16Array ? (i: number) => half(values[i]) : (i: number) => values[i];
  return { value: at, text: (i) => formatNumber(at(i)), number: at };
}

/** The value of an IEEE 754 half. */
function half(bits: number): number {
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  const sign = bits & 0x8000 ? -1 : 1;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}

export function decimals(data: Data): TypedReader {
  const words = data.values as Uint32Array;
  const { bitWidth, scale } = data.type as Decimal;
  const count = bitWidth / 32;
  const number =
    count === 4 && scale >= 0 && scale <= MOST_EXACT_POWER
      ? decimal128Number(words, scale)
      : (i: number): number => decimalNumber(words, i * count, count, scale);
  return {
    value: number,
    number,
    text: (i) => decimalText(words, i * count, count, scale),
    integer: (i) => unscaled(words, i * count, count),
  };
}

/** Powers of ten up to this are exact doubles. */
const MOST_EXACT_POWER = 22;
/** Upper halves of values below 2^53 in size are below this. */
const MOST_HIGH = 2 ** 21;

/** As {@link decimalNumber}, for the commonest width: one division where a double holds the units. */
function decimal128Number(words: Uint32Array, scale: number): (i: number) => number {
  const parts = new Int32Array(words.buffer, words.byteOffset, words.length);
  const power = POWERS[scale];
  return (i) => {
    const at = i * 4;
    const high = parts[at + 1];
    const sign = high >> 31;
    if (parts[at + 2] !== sign || parts[at + 3] !== sign || high >= MOST_HIGH || high < -MOST_HIGH) {
      return decimalNumber(words, at, 4, scale);
    }
    return (high * 4_294_967_296 + (parts[at] >>> 0)) / power;
  };
}

/** Texts of days seen last: dates repeat, in columns and from row to row. */
const DAY_TEXTS = 8192;
// At first, days that have another slot.
const textDays = Int32Array.from({ length: DAY_TEXTS }, (_, slot) => ~slot);
const dayTexts = new Array<string>(DAY_TEXTS).fill("");

function dayText(day: number): string {
  const slot = day & (DAY_TEXTS - 1);
  if (textDays[slot] === day) return dayTexts[slot];
  const text = formatDate(day);
  if (day === (day | 0)) {
    textDays[slot] = day;
    dayTexts[slot] = text;
  }
  return text;
}

export function dates(data: Data): TypedReader {
  const { days, millis: time } = instantsOf(data);
  const text = (i: number): string => dayText(days(i));
  return { value: text, text, number: time, time, integer: (i) => BigInt(days(i)) };
}

const UNITS_PER_SECOND: Readonly<Record<number, bigint>> = {
  [TimeUnit.SECOND]: 1n,
  [TimeUnit.MILLISECOND]: 1_000n,
  [TimeUnit.MICROSECOND]: 1_000_000n,
  [TimeUnit.NANOSECOND]: 1_000_000_000n,
};

export function timestamps(data: Data): TypedReader {
  const values = data.values as BigInt64Array;
  const { unit, timezone } = data.type as unknown as { unit: TimeUnit; timezone?: string | null };
  const perSecond = UNITS_PER_SECOND[unit];
  const zone = timezone ? "Z" : "";
  const { millis: time, number } = instantsOf(data);
  const text = (i: number): string => timestampText(values[i], perSecond) + zone;
  return { value: text, text, number, time, integer: (i) => values[i] };
}

/** Times of day and durations, by their text: each has a unit of its own. */
function unitsOfSeconds(data: Data, format: (seconds: bigint, fraction: string) => string): TypedReader {
  const values = data.values as Int32Array | BigInt64Array;
  const perSecond = UNITS_PER_SECOND[(data.type as unknown as { unit: TimeUnit }).unit];
  const text = (i: number): string => {
    const value = BigInt(values[i]);
    const size = value < 0n ? -value : value;
    return (value < 0n ? "-" : "") + format(size / perSecond, fractionText(size % perSecond, perSecond));
  };
  return { value: text, text, integer: (i) => BigInt(values[i]) };
}

/** `hh:mm:ss`, with a fraction as timestamps have it. */
function clockText(seconds: bigint, fraction: string): string {
  const parts = [seconds / 3600n, (seconds / 60n) % 60n, seconds % 60n];
  return parts.map((part) => String(part).padStart(2, "0")).join(":") + fraction;
}

/** Hours, minutes and seconds in ISO 8601, such as `PT26H0.5S`. */
function durationText(seconds: bigint, fraction: string): string {
  const [hours, minutes, rest] = [seconds / 3600n, (seconds / 60n) % 60n, `${seconds % 60n}${fraction}`];
  const long = (hours > 0n ? `${hours}H` : "") + (minutes > 0n ? `${minutes}M` : "");
  return `PT${long}${rest === "0" && long !== "" ? "" : `${rest}S`}`;
}

/** The digits of a part of a second after a point, in groups of three; empty for none. */
function fractionText(rest: bigint, perSecond: bigint): string {
  if (rest === 0n) return "";
  const digits = rest.toString().padStart(perSecond.toString().length - 1, "0");
  return `.${digits.replace(/(?:000){1,3}$/, "")}`;
}

/** Formats `YYYY-MM-DDThh:mm:ss` with as many fraction digits as needed, in groups of three. */
function timestampText(value: bigint, perSecond: bigint): string {
  const rest = ((value % perSecond) + perSecond) % perSecond;
  const seconds = Number((value - rest) / perSecond);
  const days = Math.floor(seconds / 86_400);
  const clock = new Date((seconds - days * 86_400) * 1000).toISOString().slice(11, 19);
  return `${formatDate(days)}T${clock}${fractionText(rest, perSecond)}`;
}

/** Decodes UTF-8. Unlike TextDecoder's default, keeps a byte order mark as a character. */
function decode(bytes: Uint8Array, start: number, end: number): string {
  return utf8Text(bytes, start, end);
}

export function strings(data: Data): TypedReader {
  const bytes = data.values as Uint8Array;
  const offsets = data.valueOffsets as Int32Array | BigInt64Array;
  const text = (i: number): string => decode(bytes, Number(offsets[i]), Number(offsets[i + 1]));
  return { value: text, text };
}

function viewedStrings({ values, variadicBuffers }: Data): TypedReader {
  const bytes = values as Uint8Array;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = (i: number): string => {
    const at = i * VIEW_BYTES;
    const size = view.getInt32(at, true);
    if (size <= LONGEST_INLINE) return decode(bytes, at + 4, at + 4 + size);
    const offset = view.getInt32(at + 12, true);
    return decode(variadicBuffers[view.getInt32(at + 8, true)], offset, offset + size);
  };
  return { value: text, text };
}

/**
 * The reader of Arrow types without a column type: views as text, nested types as JSON, the rest by {@link
 * plainValues}.
 */
export function otherCells(data: Data, readerOf: ReaderOf): TypedReader {
  switch (data.type.typeId as Type) {
    case Type.Null:
      return { value: () => null, text: () => "" };
    case Type.Utf8View:
      return viewedStrings(data);
    case Type.Union:
      return unionCells(data, readerOf);
    case Type.Time:
      return unitsOfSeconds(data, clockText);
    case Type.Duration:
      return unitsOfSeconds(data, durationText);
    default: {
      const text = nestedText(data, readerOf);
      return text === undefined ? plainValues(data) : { value: text, text };
    }
  }
}

/** Types without a reader, such as bytes: Arrow's value, bytes in hexadecimal. */
function plainValues(data: Data): TypedReader {
  const vector = new Vector([data]);
  const value = (i: number): Cell => {
    const found: unknown = vector.get(i);
    switch (typeof found) {
      case "string":
      case "number":
      case "bigint":
      case "boolean":
        return found;
      default:
        if (!ArrayBuffer.isView(found)) return null;
        return hexText(new Uint8Array(found.buffer, found.byteOffset, found.byteLength));
    }
  };
  return { value, text: (i) => String(value(i)) };
}
