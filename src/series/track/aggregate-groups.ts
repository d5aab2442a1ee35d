import { type Data, DataType, type Decimal, type Field, type Vector } from "../../columns/arrow/arrow.js";
import { missingCount, presentBits } from "../../columns/arrow/bits.js";
import { chunkReader } from "../../columns/arrow/cell-reader.js";
import { compareText } from "../../columns/table/sort.js";
import { POWERS } from "../../value/decimal.js";
import { isNumber } from "../core/choose.js";
import { ownIndices } from "../core/codes.js";
import { exactColumn, isExact, sumPrecision } from "../core/exact.js";
import { type Column, countColumn, doubleColumn, numbersOf, picked } from "../core/numbers.js";
import { type Aggregate, aggregate, truthsAsUnits } from "./aggregate.js";
import type { Groups } from "./groups.js";
import { summariesOf, unitSums } from "./summaries.js";

/**
 * As {@link aggregate}, for groups: in one pass over the rows as they are, by the group of each, where the aggregate
 * allows it.
 */
export function aggregateGroups(field: Field, vector: Vector, how: Aggregate, groups: Groups): Column {
  if (DataType.isBool(vector.type) && (how === "sum" || how === "mean")) {
    return aggregateGroups(field, truthsAsUnits(vector), how, groups);
  }
  return inOnePass(field, vector, how, groups) ?? aggregate(field, vector, how, groups.spans());
}

function inOnePass(field: Field, vector: Vector, how: Aggregate, groups: Groups): Column | undefined {
  const ofRows = (rows: Int32Array | undefined) => rows && picked(field, vector, rows);
  const ofDoubles = (values: Float64Array | undefined) => values && doubleColumn(field, values);
  switch (how) {
    case "count":
      return countColumn(field.name, counts(vector, groups));
    case "first":
      return ofRows(missingCount(vector.data as readonly Data[]) === 0 ? groups.first : firstRows(vector, groups));
    case "last":
      return ofRows(lastRows(vector, groups));
    case "min":
    case "max":
      return ofRows(extremeRows(vector, how, groups) ?? rankedRows(vector, how, groups));
    case "sum":
      if (isExact(vector.type)) return exactSums(field, vector, groups);
      return ofDoubles(isNumber(vector.type) ? doubleSums(numbersOf(vector), groups)?.totals : undefined);
    case "mean":
      return ofDoubles(isNumber(vector.type) ? means(vector, groups) : undefined);
    default:
      return undefined;
  }
}

/** Calls back for each chunk with the row that it begins at, and bits of the rows that hold values. */
function eachChunk(vector: Vector, visit: (data: Data, from: number, valid: Uint8Array | undefined) => void): void {
  let from = 0;
  for (const data of vector.data as readonly Data[]) {
    visit(data, from, DataType.isNull(data.type) ? new Uint8Array((data.length + 7) >> 3) : presentBits(data));
    from += data.length;
  }
}

function counts(vector: Vector, { of, count, sizes }: Groups): Int32Array {
  const found = new Int32Array(count);
  eachChunk(vector, (data, from, valid) => {
    for (let i = 0; i < data.length; i++) {
      if (valid === undefined || (valid[i >> 3] & (1 << (i & 7))) !== 0) found[of[from + i]]++;
    }
  });
  return vector.length === 0 ? sizes : found;
}

function firstRows(vector: Vector, { of, count }: Groups): Int32Array {
  const rows = new Int32Array(count).fill(-1);
  eachChunk(vector, (data, from, valid) => {
    for (let i = 0; i < data.length; i++) {
      if (valid !== undefined && (valid[i >> 3] & (1 << (i & 7))) === 0) continue;
      if (rows[of[from + i]] === -1) rows[of[from + i]] = from + i;
    }
  });
  return rows;
}

function lastRows(vector: Vector, { of, count }: Groups): Int32Array {
  const rows = new Int32Array(count).fill(-1);
  eachChunk(vector, (data, from, valid) => {
    for (let i = 0; i < data.length; i++) {
      if (valid === undefined || (valid[i >> 3] & (1 << (i & 7))) !== 0) rows[of[from + i]] = from + i;
    }
  });
  return rows;
}

/**
 * The row of the smallest or largest value of each group, of equal ones the first, −1 of none; undefined for columns
 * that are neither numbers nor dates, and for values of more than 64 bits.
 */
function extremeRows(vector: Vector, how: "min" | "max", groups: Groups): Int32Array | undefined {
  if (!DataType.isFloat(vector.type)) return summariesOf(vector, groups)?.[how === "max" ? "mostRows" : "leastRows"];
  const doubles = numbersOf(vector);
  const rows = new Int32Array(groups.count).fill(-1);
  const values = new Float64Array(groups.count);
  for (let row = 0; row < doubles.length; row++) {
    const value = doubles[row];
    if (Number.isNaN(value)) continue;
    const group = groups.of[row];
    if (rows[group] !== -1 && !(how === "max" ? value > values[group] : value < values[group])) continue;
    rows[group] = row;
    values[group] = value;
  }
  return rows;
}

/** The extremes of text in one dictionary: its entries are compared once, then their ranks. */
function rankedRows(vector: Vector, how: "min" | "max", { of, count }: Groups): Int32Array | undefined {
  const own = ownIndices(vector);
  if (own === undefined || !DataType.isUtf8((vector.type as { dictionary?: DataType }).dictionary)) return undefined;
  const dictionary = vector.data.find((data) => data.length > 0)?.dictionary as Vector;
  const texts = (dictionary.data as readonly Data[]).flatMap((data) => {
    const { text } = chunkReader(data);
    return Array.from({ length: data.length }, (_, i) => text(i));
  });
  const order = texts.map((_, code) => code).sort((a, b) => compareText(texts[a], texts[b]));
  const ranks = new Int32Array(texts.length);
  for (const [rank, code] of order.entries()) ranks[code] = how === "max" ? rank : -rank;
  const rows = new Int32Array(count).fill(-1);
  const best = new Int32Array(count);
  let row = 0;
  for (const codes of own.pieces) {
    for (let i = 0; i < codes.length; i++, row++) {
      const group = of[row];
      const rank = ranks[codes[i]];
      if (rows[group] !== -1 && rank <= best[group]) continue;
      rows[group] = row;
      best[group] = rank;
    }
  }
  return rows;
}

function exactSums(field: Field, vector: Vector, groups: Groups): Column {
  const sums = unitSums(vector, groups);
  const units = Array.from(sums.counts, (count, group) => (count === 0 ? null : sums.sumOf(group)));
  if (!DataType.isDecimal(vector.type)) return exactColumn(field, units, { scale: undefined, precision: 19 });
  const { scale, precision } = vector.type as Decimal;
  return exactColumn(field, units, { scale, precision: sumPrecision(precision) });
}

function means(vector: Vector, groups: Groups): Float64Array | undefined {
  if (!isExact(vector.type)) {
    const sums = doubleSums(numbersOf(vector), groups);
    return sums?.totals.map((total, group) => total / sums.counts[group]);
  }
  const scale = DataType.isDecimal(vector.type) ? (vector.type as Decimal).scale : 0;
  const sums = unitSums(vector, groups);
  return Float64Array.from(sums.counts, (count, group) => {
    const small = scale >= 0 && scale <= 22 ? sums.smallSumOf(group) : Number.NaN;
    const total = Number.isNaN(small) ? Number(`${sums.sumOf(group)}e${-scale}`) : small / POWERS[scale];
    return count === 0 ? Number.NaN : total / count;
  });
}

/**
 * Compensated sums, NaN left out (see `sumOf`); NaN of no values. Undefined if the error of one could show, as where
 * large values cancel, or its sum overflows.
 */
function doubleSums(
  values: Float64Array,
  { of, count }: Groups,
): { totals: Float64Array; counts: Int32Array } | undefined {
  const high = new Float64Array(count);
  const low = new Float64Array(count);
  const doubt = new Float64Array(count);
  const infinite = new Float64Array(count);
  const held = new Int32Array(count);
  for (let row = 0; row < values.length; row++) {
    const value = values[row];
    if (Number.isNaN(value)) continue;
    const group = of[row];
    held[group]++;
    if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) {
      infinite[group] += value;
      continue;
    }
    const before = high[group];
    const total = before + value;
    const part = total - before;
    low[group] += before - (total - part) + (value - part);
    doubt[group] += Math.abs(low[group]);
    high[group] = total;
  }
  for (let group = 0; group < count; group++) {
    if (held[group] === 0) high[group] = Number.NaN;
    else if (infinite[group] !== 0) high[group] = infinite[group];
    else if (doubt[group] <= Math.abs(high[group] + low[group])) high[group] += low[group];
    else return undefined;
  }
  return { totals: high, counts: held };
}
