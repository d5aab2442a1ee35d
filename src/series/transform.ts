import type { Table } from "../columns/arrow/arrow.js";
import { oneOf, refuseUnknown } from "../errors/options.js";
import { TRANSFORMS, type Transform, transformType } from "../spec/vocabulary.js";
import { ALONG, type ColumnChoice, choose, vectorAt, wholeNumber } from "./core/choose.js";
import { rounderOf } from "./core/digits.js";
import { differencePrecision, exactColumn, exactOf, isExact, sumPrecision } from "./core/exact.js";
import { type Computed, doublesColumn } from "./core/numbers.js";
import type { PieceKernel } from "./core/pieces.js";
import { type Ranges, rangesWithout } from "./core/ranges.js";
import { inBatches, withColumns } from "./core/tables.js";
import { runAlong } from "./track/kernel.js";
import { seriesTrack } from "./track/series-track.js";
import { exactDifferences } from "./track/steps.js";
import { rowAt, rowsAt, type Track } from "./track/track.js";

export interface TransformOptions<Name extends string = string> extends Omit<ColumnChoice<Name>, "suffix"> {
  /**
   * Significant digits of a computed double, 14 by default as the service rounds; 16 or more to leave them as they are.
   */
  readonly digits?: number;
}

/**
 * The service's transforms (spec 4.2; the formulas as observed), each series by ascending day whatever the order of its
 * rows:
 *
 * | name | value | first row | null and zero |
 * |---|---|---|---|
 * | `diff` | y[t] − y[t−1] | dropped | null where either is null |
 * | `rdiff` | (y[t] − y[t−1]) / y[t−1] | dropped | null where either is null or y[t−1] is 0 |
 * | `rdiff_from` | (y[latest] − y[t]) / y[t] | kept | null where y[t] is null or 0; the latest value's own is 0 |
 * | `cumul` | sum of y up to t | kept | a null repeats the sum; null before the first value |
 * | `normalize` | y[t] / y[first] · 100 | kept | first: the first value that is neither null nor 0; zeros before it are 0 |
 *
 * The row before is the previous row, not the previous value. Doubles are computed in binary and rounded to 14
 * significant digits; `diff` and `cumul` of integers and decimals are exact and not rounded; the rest of their
 * transforms are `Float64`. NaN counts as null, and a result that is not finite is null. Rows keep their order; where
 * first rows are dropped, the batches of the result have 65,536 rows at most, and none is empty.
 *
 * @throws {InputError} UnknownValue, UnknownColumn, WrongType, EmptyDate
 * @throws {DataError} Overflow
 * @example
 * ```ts
 * import { Frame } from "arrowbook";
 * const days = Frame.fromRows(
 *   [{ Date: "2024-02-28", Close: 4 }, { Date: "2024-02-29", Close: 5 }],
 *   [{ name: "Date", type: "Date" }, { name: "Close", type: "double" }],
 * );
 * [...days.transform("rdiff").rows()]; // 2024-02-29: 0.25
 * ```
 */
export function transform(table: Table, name: Transform, options: TransformOptions = {}): Table {
  refuseUnknown(options, [...ALONG, "columns", "digits"], "transform()");
  const word = oneOf(name, TRANSFORMS, "transform");
  if (word === "none") return table;
  const digits = wholeNumber(options.digits ?? 14, 1, "digits");
  const chosen = choose(table, options);
  const drops = transformType(word).dropsFirst;
  const source = drops ? inBatches(table) : table;
  const track = seriesTrack(source, chosen);
  const gone = drops ? firstRows(track) : undefined;
  const made = new Map<number, Computed>();
  for (const at of chosen.values) made.set(at, transformed(source, at, { word, digits, track, gone }));
  return withColumns(source, made, [], gone && keptOf(source, gone));
}

type Word = Exclude<Transform, "none">;

/** The first row of each series, ascending. */
function firstRows(track: Track): Int32Array {
  const firsts = rowsAt(track, track.starts.subarray(0, track.starts.length - 1));
  return track.rows === undefined ? firsts : firsts.sort();
}

/** What each batch keeps when the rows at `gone` are left out. */
function keptOf(table: Table, gone: Int32Array): readonly Ranges[] {
  let start = 0;
  let k = 0;
  return table.batches.map(({ numRows }) => {
    const end = start + numRows;
    const first = k;
    while (k < gone.length && gone[k] < end) k++;
    const ranges = rangesWithout(gone.subarray(first, k), start, end);
    start = end;
    return ranges;
  });
}

/** How a transform runs: what it computes, and the rows it leaves out. */
interface Plan {
  readonly word: Word;
  readonly digits: number;
  readonly track: Track;
  /** Rows without a row before them, ascending; undefined where all rows stay. */
  readonly gone: Int32Array | undefined;
}

function transformed(table: Table, at: number, { word, digits, track, gone }: Plan): Computed {
  const field = table.schema.fields[at];
  const vector = vectorAt(table, at);
  const { kernel, exact } = CALCULATIONS[word];
  if (isExact(vector.type) && exact !== undefined) {
    const { units, scale, precision } = exactOf(vector);
    const results = exact.results(units, track);
    const kept = gone === undefined ? results : without(results, gone);
    return exactColumn(field, kept, { scale, precision: exact.precision(precision) });
  }
  const { results, missing } = runAlong(vector, track, kernel, {
    withoutFirsts: gone !== undefined,
    finish: digits < 16 ? (part) => rounderOf(part, digits) : finiteOf,
  });
  const shown = gone === undefined || track.rows === undefined ? results : [keptValues(results[0], gone)];
  return doublesColumn(field, shown, missing);
}

/** The values but those at the places `gone`, which ascend. */
function without<Value>(values: readonly Value[], gone: Int32Array): Value[] {
  let k = 0;
  return values.filter((_, at) => {
    if (at !== gone[k]) return true;
    k++;
    return false;
  });
}

/** As `rounderOf`, without rounding. */
function finiteOf(results: Float64Array): (from: number, to: number) => number {
  return (from, to) => {
    let missing = 0;
    for (let i = from; i < to; i++) {
      if (Number.isFinite(results[i])) continue;
      results[i] = Number.NaN;
      missing++;
    }
    return missing;
  };
}

/** As {@link without}, of doubles. */
function keptValues(values: Float64Array, gone: Int32Array): Float64Array {
  const { from, to, count } = rangesWithout(gone, 0, values.length);
  const kept = new Float64Array(count);
  for (let k = 0, at = 0; k < from.length; at += to[k] - from[k], k++) kept.set(values.subarray(from[k], to[k]), at);
  return kept;
}

/** How a transform is computed: doubles piece by piece and, where it can be, integers and decimals exactly. */
interface Calculation {
  readonly kernel: PieceKernel;
  readonly exact?: {
    readonly results: (units: readonly (bigint | null)[], track: Track) => (bigint | null)[];
    /** Digits of the results for so many digits of the values. */
    readonly precision: (precision: number) => number;
  };
}

const CALCULATIONS: Readonly<Record<Word, Calculation>> = {
  diff: {
    kernel(y, out, from, to, back) {
      for (let t = from + 1; t < to; t++) out[t - back] = y[t] - y[t - 1];
    },
    exact: { results: (units, track) => exactDifferences(units, track, 1), precision: differencePrecision },
  },
  rdiff: {
    kernel(y, out, from, to, back) {
      // What is divided by 0 is not finite, and null for that.
      for (let t = from + 1; t < to; t++) out[t - back] = (y[t] - y[t - 1]) / y[t - 1];
    },
  },
  rdiff_from: {
    kernel(y, out, from, to) {
      let latest = to - 1;
      while (latest >= from && Number.isNaN(y[latest])) latest--;
      for (let t = from; t < to; t++) out[t] = (y[latest] - y[t]) / y[t];
      if (latest >= from) out[latest] = 0;
    },
  },
  cumul: {
    kernel(y, out, from, to) {
      // Added one by one as the service does: its last digits depend on it.
      let sum = Number.NaN;
      for (let t = from; t < to; t++) {
        if (!Number.isNaN(y[t])) sum = Number.isNaN(sum) ? y[t] : sum + y[t];
        out[t] = sum;
      }
    },
    exact: { results: exactCumul, precision: sumPrecision },
  },
  normalize: {
    kernel(y, out, from, to) {
      let base = 0;
      for (let t = from; t < to; t++) {
        if (base === 0 && !Number.isNaN(y[t])) base = y[t];
        out[t] = base === 0 ? y[t] + 0 : (y[t] / base) * 100;
      }
    },
  },
};

function exactCumul(units: readonly (bigint | null)[], track: Track): (bigint | null)[] {
  const out = new Array<bigint | null>(units.length).fill(null);
  const { starts } = track;
  for (let g = 0; g + 1 < starts.length; g++) {
    let sum: bigint | null = null;
    for (let t = starts[g]; t < starts[g + 1]; t++) {
      const row = rowAt(track, t);
      const now = units[row];
      if (now !== null) sum = sum === null ? now : sum + now;
      out[row] = sum;
    }
  }
  return out;
}
