import { type Data, DataType, Field, Int64, List, makeData, type Vector } from "../../columns/arrow/arrow.js";
import { alignedBits, missingCount, presentBits } from "../../columns/arrow/bits.js";
import { typeName } from "../../columns/arrow/schema.js";
import { vectorToBigInts, vectorToStrings } from "../../columns/arrow/vector-values.js";
import { mapChunks, validOf, valuesData } from "../../columns/compute/chunks.js";
import { compareText } from "../../columns/table/sort.js";
import { takeVector } from "../../columns/table/take.js";
import { InputError } from "../../errors/errors.js";
import { oneOf } from "../../errors/options.js";
import { isNumber, isPlainText } from "../core/choose.js";
import { codesOf } from "../core/codes.js";
import { exactColumn, exactOf, isExact, sumPrecision } from "../core/exact.js";
import { type Column, countColumn, doubleColumn, numbersOf, picked } from "../core/numbers.js";
import { quantileOfSorted } from "../core/quantile.js";
import { deviationOf, meanOf, sumOf, varianceOf } from "../core/sums.js";
import { inOrder } from "./track.js";

/** Names of the functions that reduce many values to one. */
export const AGGREGATES = [
  "last",
  "first",
  "mean",
  "sum",
  "min",
  "max",
  "count",
  "std",
  "var",
  "median",
  "nunique",
  "list",
] as const;

/**
 * How values are reduced to one; nulls and NaN are skipped. If all are null, so is the result. `last`, `first`, `min`
 * and `max` select a value and keep the column's type, including text, dates and booleans (`false` before `true`);
 * `sum` of integers and decimals is exact (`Int64`; 38 digits, or 76 if wider), of floating point compensated, of
 * booleans the number of those that are true, and their `mean` the share; `count` counts values and `nunique`
 * distinct ones (`Int64`); `list` collects all cells, nulls included, in row order (`List`); `mean`, `std`
 * and `var` (divisor n − 1), `median` and `{ quantile }` (linear interpolation) are `Float64`.
 */
export type Aggregate = AggregateOption["name"];

/** `AggregateOption["name"]` is {@link Aggregate}, which messages of the compiler show by its names. */
export interface AggregateOption {
  readonly name: (typeof AGGREGATES)[number] | { readonly quantile: number };
}

/** Ranges of positions, each of which is reduced to one value. */
export interface Spans {
  /** Position → row; undefined if they are the same. */
  readonly rows: Int32Array | undefined;
  readonly from: Int32Array;
  /** Exclusive. */
  readonly to: Int32Array;
}

/** One value per span of a column, under the column's name. */
export function aggregate(field: Field, vector: Vector, how: Aggregate, spans: Spans): Column {
  if (DataType.isBool(vector.type) && (how === "sum" || how === "mean")) vector = truthsAsUnits(vector);
  if (typeof how === "object" && how !== null) return quantiles(field, vector, how.quantile, spans);
  switch (oneOf(how, AGGREGATES, "aggregate")) {
    case "last":
      return picked(field, vector, endRows(presentOf(vector), spans, -1));
    case "first":
      return picked(field, vector, endRows(presentOf(vector), spans, 1));
    case "min":
      return picked(field, vector, extremeRows(field, vector, spans, -1));
    case "max":
      return picked(field, vector, extremeRows(field, vector, spans, 1));
    case "sum":
      return sums(field, vector, spans);
    case "count":
      return countColumn(field.name, counts(presentOf(vector), spans));
    case "list":
      return lists(field, vector, spans);
    case "nunique":
      return countColumn(field.name, uniques(vector, spans));
    case "mean":
      return doubles(field, vector, spans, meanOf);
    case "std":
      return doubles(field, vector, spans, deviationOf);
    case "var":
      return doubles(field, vector, spans, varianceOf);
    case "median":
      return quantiles(field, vector, 0.5, spans);
  }
}

/** Booleans as integers, 1 for true. */
export function truthsAsUnits(vector: Vector): Vector {
  return mapChunks(vector, new Int64(), (data) => {
    const bits = alignedBits(data.values as Uint8Array, data.offset, data.length);
    const units = new BigInt64Array(data.length);
    for (let i = 0; i < units.length; i++) if ((bits[i >> 3] & (1 << (i & 7))) !== 0) units[i] = 1n;
    return valuesData(new Int64(), units.length, units, validOf(data));
  });
}

function lists(field: Field, vector: Vector, { rows, from, to }: Spans): Column {
  const offsets = new Int32Array(from.length + 1);
  for (let s = 0; s < from.length; s++) offsets[s + 1] = offsets[s] + to[s] - from[s];
  const picks = new Int32Array(offsets[from.length]);
  for (let s = 0; s < from.length; s++) {
    for (let at = from[s]; at < to[s]; at++) picks[offsets[s] + at - from[s]] = rows === undefined ? at : rows[at];
  }
  const taken = takeVector(vector, picks).data[0];
  const child = DataType.isFloat(taken.type)
    ? valuesData(taken.type, taken.length, taken.values, presentBits(taken))
    : taken;
  const type = new List(new Field("item", child.type, true, field.metadata));
  const data = makeData({ type, length: from.length, nullCount: 0, valueOffsets: offsets, child });
  return { field: new Field(field.name, type, true), data };
}

/** Whether each row has a value, NaN not among them; undefined if all have. */
export function presentOf(vector: Vector): Uint8Array | undefined {
  const chunks = vector.data as readonly Data[];
  if (missingCount(chunks) === 0) return undefined;
  const present = new Uint8Array(vector.length);
  let at = 0;
  for (const data of chunks) {
    const bits = DataType.isNull(data.type) ? new Uint8Array((data.length + 7) >> 3) : presentBits(data);
    if (bits === undefined) present.fill(1, at, at + data.length);
    else for (let i = 0; i < data.length; i++) present[at + i] = (bits[i >> 3] >> (i & 7)) & 1;
    at += data.length;
  }
  return present;
}

/** The row of the first value of each span (`step` 1), or of the last one (-1). */
function endRows(valid: Uint8Array | undefined, { rows, from, to }: Spans, step: 1 | -1): Int32Array {
  const picks = new Int32Array(from.length).fill(-1);
  for (let s = 0; s < picks.length; s++) {
    for (let at = step === 1 ? from[s] : to[s] - 1; at >= from[s] && at < to[s]; at += step) {
      const row = rows === undefined ? at : rows[at];
      if (valid !== undefined && valid[row] === 0) continue;
      picks[s] = row;
      break;
    }
  }
  return picks;
}

/** The row of the smallest (`sign` -1) or largest (1) value of each span; the first of equal values. */
function extremeRows(field: Field, vector: Vector, { rows, from, to }: Spans, sign: 1 | -1): Int32Array {
  const picks = new Int32Array(from.length).fill(-1);
  const above = comparison(field, vector, sign);
  for (let s = 0; s < picks.length; s++) {
    let best = -1;
    for (let at = from[s]; at < to[s]; at++) {
      const row = rows === undefined ? at : rows[at];
      if (above(row, best)) best = row;
    }
    picks[s] = best;
  }
  return picks;
}

/** Returns whether the value of a row beats that of another row (-1: none yet). */
function comparison(field: Field, vector: Vector, sign: 1 | -1): (row: number, best: number) => boolean {
  const type = DataType.isDictionary(vector.type) ? vector.type.dictionary : (vector.type as DataType);
  if (DataType.isFloat(type) || DataType.isBool(type)) {
    const values = numbersOf(vector);
    return (row, best) => {
      const value = values[row];
      return !Number.isNaN(value) && (best === -1 || (sign === 1 ? value > values[best] : value < values[best]));
    };
  }
  if (isExact(type) || DataType.isDate(type) || DataType.isTimestamp(type)) {
    const units = vectorToBigInts(vector);
    return (row, best) => {
      const value = units[row];
      if (value === null) return false;
      return best === -1 || (sign === 1 ? value > (units[best] as bigint) : value < (units[best] as bigint));
    };
  }
  if (isPlainText(type)) {
    const texts = vectorToStrings(vector);
    return (row, best) => {
      const value = texts[row];
      if (value === null) return false;
      return best === -1 || sign * compareText(value, texts[best] as string) > 0;
    };
  }
  throw wrongType(field, "min and max need ordered values");
}

function sums(field: Field, vector: Vector, spans: Spans): Column {
  const { rows, from, to } = spans;
  if (!isExact(vector.type)) {
    return doubles(field, vector, spans, (values, start, end) => {
      const { total, count } = sumOf(values, start, end);
      return count === 0 ? Number.NaN : total;
    });
  }
  const { units, scale, precision } = exactOf(vector);
  const totals = new Array<bigint | null>(from.length).fill(null);
  for (let s = 0; s < totals.length; s++) {
    let total: bigint | null = null;
    for (let at = from[s]; at < to[s]; at++) {
      const value = units[rows === undefined ? at : rows[at]];
      if (value !== null) total = total === null ? value : total + value;
    }
    totals[s] = total;
  }
  return exactColumn(field, totals, { scale, precision: sumPrecision(precision) });
}

function counts(valid: Uint8Array | undefined, { rows, from, to }: Spans): Int32Array {
  const found = new Int32Array(from.length);
  for (let s = 0; s < found.length; s++) {
    if (valid === undefined) found[s] = to[s] - from[s];
    else for (let at = from[s]; at < to[s]; at++) found[s] += valid[rows === undefined ? at : rows[at]];
  }
  return found;
}

function uniques(vector: Vector, { rows, from, to }: Spans): Int32Array {
  const { rows: codes, size } = codesOf([vector]);
  const valid = presentOf(vector);
  const lastSpan = new Int32Array(size).fill(-1);
  const found = new Int32Array(from.length);
  for (let s = 0; s < found.length; s++) {
    for (let at = from[s]; at < to[s]; at++) {
      const row = rows === undefined ? at : rows[at];
      if ((valid !== undefined && valid[row] === 0) || lastSpan[codes[0][row]] === s) continue;
      lastSpan[codes[0][row]] = s;
      found[s]++;
    }
  }
  return found;
}

type Reduce = (values: Float64Array, from: number, to: number) => number;

function doubles(field: Field, vector: Vector, { rows, from, to }: Spans, reduce: Reduce): Column {
  if (!isNumber(vector.type)) throw wrongType(field, "it is not a number column");
  const values = inOrder(numbersOf(vector), rows);
  const out = new Float64Array(from.length);
  for (let s = 0; s < out.length; s++) out[s] = from[s] < to[s] ? reduce(values, from[s], to[s]) : Number.NaN;
  return doubleColumn(field, out);
}

function quantiles(field: Field, vector: Vector, quantile: number, spans: Spans): Column {
  return doubles(field, vector, spans, (values, from, to) => {
    const sorted = values.slice(from, to).sort(); // NaN last
    let count = sorted.length;
    while (count > 0 && Number.isNaN(sorted[count - 1])) count--;
    return quantileOfSorted(sorted, count, quantile);
  });
}

function wrongType(field: Field, why: string): InputError {
  return new InputError(
    `Column ${JSON.stringify(field.name)} (${typeName(field.type, field.metadata)}) does not support this aggregate: ${why}.`,
    {
      code: "WrongType",
      column: field.name,
      hint: 'Use "first", "last", "count" or "nunique", or another column.',
    },
  );
}
