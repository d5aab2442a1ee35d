import { type Data, DataType, type Vector } from "../../columns/arrow/arrow.js";
import { chunkReader } from "../../columns/arrow/cell-reader.js";
import type { ServiceType } from "../../spec/columns.js";
import { NO_DATE, parseDate } from "../../value/date.js";
import type { FilterComparison } from "./may-meet.js";

/**
 * Whether all rows of a column are found to meet a filter by a look at its dictionary, or at its least and greatest
 * value: a fraction of the time that a comparison row by row takes. False says nothing.
 */
export function surelyMeets(comparison: FilterComparison, type: ServiceType, data: Data): boolean {
  if (data.length === 0) return true;
  if (data.nullCount !== 0) return false;
  if (DataType.isDictionary(data.type)) return dictionaryMeets(comparison, data);
  const { operator, values } = comparison;
  const constants = values.map((value) => constantOf(value, type, data));
  if (constants.some((constant) => constant === undefined)) return false;
  const [constant] = constants as number[];
  if (data.values instanceof Int32Array && operator === "eq") return daysMeet(constants as number[], data);
  const extremes = extremesOf(data);
  if (extremes === undefined || values.length > 1) return false;
  const [least, most] = extremes;
  switch (operator) {
    case "eq":
      return least === constant && most === constant;
    case "gt":
      return least > constant;
    case "gte":
      return least >= constant;
    case "lt":
      return most < constant;
    case "lte":
      return most <= constant;
  }
}

function dictionaryMeets({ operator, values }: FilterComparison, data: Data): boolean {
  const dictionary = data.dictionary as Vector;
  const [entries] = dictionary.data;
  if (dictionary.data.length !== 1 || entries.nullCount !== 0 || entries.length > data.length) return false;
  const { text } = chunkReader(entries as Data);
  const [value] = values;
  const listed = new Set(values);
  for (let i = 0; i < entries.length; i++) {
    const entry = text(i);
    const meets =
      operator === "eq"
        ? listed.has(entry)
        : operator === "gt"
          ? entry > value
          : operator === "gte"
            ? entry >= value
            : operator === "lt"
              ? entry < value
              : entry <= value;
    if (!meets) return false;
  }
  return true;
}

/** Beyond this, doubles are not exact integers. */
const EXACT = 2 ** 53;

/** A value as the number that the column holds: days, milliseconds, unscaled digits; undefined where it is inexact. */
function constantOf(value: string, { kind, scale = 0 }: ServiceType, data: Data): number | undefined {
  const day = parseDate(value);
  switch (kind) {
    case "date":
      return day === NO_DATE ? undefined : day;
    case "datetime":
      return day === NO_DATE ? undefined : day * 86_400_000;
    case "double":
      return NUMBER.test(value) ? Number(value) : undefined;
    case "decimal":
    case "integer": {
      const match = NUMBER.exec(value);
      if (match === null) return undefined;
      if (DataType.isFloat(data.type)) return Number(value);
      const [, whole, fraction = ""] = match;
      if (fraction.length > scale) return undefined;
      const number = Number(`${whole}${fraction.padEnd(scale, "0")}`);
      return Math.abs(number) < EXACT ? number : undefined;
    }
    case "text":
    case "boolean":
    case "unknown":
      return undefined;
  }
}

const NUMBER = /^(-?\d+)(?:\.(\d+))?$/;

/** Days that may be looked up in one byte each. */
const MOST_DAYS = 100_000;

function daysMeet(days: readonly number[], data: Data): boolean {
  const first = days.reduce((a, b) => Math.min(a, b));
  const span = days.reduce((a, b) => Math.max(a, b)) - first + 1;
  if (span > MOST_DAYS) return false;
  const listed = new Uint8Array(span);
  for (const day of days) listed[day - first] = 1;
  const values = data.values as Int32Array;
  for (let i = 0; i < data.length; i++) if (listed[values[i] - first] !== 1) return false;
  return true;
}

/** The least and the greatest number of a column without nulls; undefined where they are not exact. */
function extremesOf(data: Data): readonly [least: number, most: number] | undefined {
  const { values, length } = data;
  if (values instanceof Int32Array || values instanceof Float64Array) {
    let [least, most] = [values[0], values[0]];
    for (let i = 0; i < length; i++) {
      const value = values[i];
      if (value < least) least = value;
      else if (value > most) most = value;
      else if (Number.isNaN(value)) return undefined;
    }
    return [least, most];
  }
  const words = wordsOf(data);
  if (words === undefined) return undefined;
  const stride = words.length / length;
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let at = 0; at < words.length; at += stride) {
    const high = words[at + 1];
    // The upper halves of a number that fits in 64 bits repeat its sign.
    for (let k = 2; k < stride; k++) if (words[at + k] !== high >> 31) return undefined;
    const value = high * 2 ** 32 + (words[at] >>> 0);
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return least > -EXACT && most < EXACT ? [least, most] : undefined;
}

/** The 32-bit words of integers, timestamps and decimals; undefined for other layouts. */
function wordsOf({ type, values, length }: Data): Int32Array | undefined {
  const stride = DataType.isDecimal(type) ? type.bitWidth / 32 : values instanceof BigInt64Array ? 2 : 0;
  if (stride < 2) return undefined;
  const { buffer, byteOffset } = values as ArrayBufferView;
  return new Int32Array(buffer, byteOffset, length * stride);
}
