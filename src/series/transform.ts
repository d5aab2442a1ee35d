import type { Table } from "../columns/arrow/arrow.js";
import { oneOf, refuseUnknown } from "../errors/options.js";
import { TRANSFORMS, type Transform, transformType } from "../spec/vocabulary.js";
import { ALONG, type ColumnChoice, choose, vectorAt, wholeNumber } from "./core/choose.js";
import { rounderOf } from "./core/digits.js";
import { differencePrecision, exactColumn, exactOf, isExact, sumPrecision } from "./core/exact.js";
import { type Computed, doublesColumn } from "./core/numbers.js";
import type { PieceKernel } from "./core/pieces.js";
import { inBatches, type Ranges, rangesWithout, withColumns } from "./core/tables.js";
import { runningSums } from "./running.js";
import { runAlong } from "./track/kernel.js";
import { seriesTrack } from "./track/series-track.js";
import { exactDifferences } from "./track/steps.js";
import { rowsAt, type Track } from "./track/track.js";

/** Options of {@link Frame.transform}. */
export interface TransformOptions<Name extends string = string> extends Omit<ColumnChoice<Name>, "suffix"> {
  /** Significant digits of computed doubles: 14 by default, as the service rounds; 16 or more disables rounding. */
  readonly digits?: number;
}

/**
 * The service's transforms (spec 4.2; the formulas as observed), along each series by ascending day, whatever the row
 * order:
 *
 * | name | value | first row | null and zero |
 * |---|---|---|---|
 * | `diff` | y[t] − y[t−1] | dropped | null where either is null |
 * | `rdiff` | (y[t] − y[t−1]) / y[t−1] | dropped | null where either is null or y[t−1] is 0 |
 * | `rdiff_from` | (y[latest] − y[t]) / y[t] | kept | null where y[t] is null or 0; 0 for the latest value |
 * | `cumul` | sum of y up to t | kept | a null repeats the sum; null before the first value |
 * | `normalize` | y[t] / y[first] · 100 | kept | first: the first value that is neither null nor 0; earlier zeros stay 0 |
 *
 * y[t−1] is the previous row, even if it is null. Doubles are computed in binary and rounded to 14 significant digits;
 * `diff` and `cumul` of integers and decimals are exact; their other transforms are `Float64`. NaN counts as null, and
 * results that are not finite are null. Rows keep their order; if first rows are dropped, the batches of the result
 * have at most 65,536 rows, and none is empty.
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
  oneOf(name, TRANSFORMS, "transform");
  if (name === "none") return table;
  const digits = wholeNumber(options.digits ?? 14, 1, "digits");
  const chosen = choose(table, options);
  const drops = transformType(name).dropsFirst;
  const source = drops ? inBatches(table) : table;
  const track = seriesTrack(source, chosen);
  const gone = drops ? firstRows(track) : undefined;
  const made = new Map<number, Computed>();
  for (const at of chosen.values) made.set(at, transformed(source, at, { name, digits, track, gone }));
  return withColumns(source, made, [], gone && keptOf(source, gone));
}

type AppliedTransform = Exclude<Transform, "none">;

/** The first row of each series, ascending. */
function firstRows(track: Track): Int32Array {
  const firsts = rowsAt(track, track.starts.subarray(0, track.starts.length - 1));
  return track.rows === undefined ? firsts : firsts.sort();
}

/** The rows that each batch keeps when those at `gone` are dropped. */
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

/** The parameters of a transform. */
interface Plan {
  readonly name: AppliedTransform;
  readonly digits: number;
  readonly track: Track;
  /** The first rows of the series, ascending, if they are dropped; otherwise undefined. */
  readonly gone: Int32Array | undefined;
}

function transformed(table: Table, at: number, { name, digits, track, gone }: Plan): Computed {
  const field = table.schema.fields[at];
  const vector = vectorAt(table, at);
  const { kernel, exact } = CALCULATIONS[name];
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

/** The values except those at the positions `gone`, which are ascending. */
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

/** As {@link without}, for doubles. */
function keptValues(values: Float64Array, gone: Int32Array): Float64Array {
  const { from, to, count } = rangesWithout(gone, 0, values.length);
  const kept = new Float64Array(count);
  for (let k = 0, at = 0; k < from.length; at += to[k] - from[k], k++) kept.set(values.subarray(from[k], to[k]), at);
  return kept;
}

/** How a transform is computed: doubles piece by piece, and integers and decimals exactly where possible. */
interface Calculation {
  readonly kernel: PieceKernel;
  readonly exact?: {
    readonly results: (units: readonly (bigint | null)[], track: Track) => (bigint | null)[];
    /** The digits of the results as a function of the digits of the values. */
    readonly precision: (precision: number) => number;
  };
}

const CALCULATIONS: Readonly<Record<AppliedTransform, Calculation>> = {
  diff: {
    kernel(y, out, from, to, back) {
      for (let t = from + 1; t < to; t++) out[t - back] = y[t] - y[t - 1];
    },
    exact: { results: (units, track) => exactDifferences(units, track, 1), precision: differencePrecision },
  },
  rdiff: {
    kernel(y, out, from, to, back) {
      // Division by 0 gives a result that is not finite, and thus null.
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
      // Added one by one as the service does: the last digits depend on the order.
      let t = from;
      while (t < to && Number.isNaN(y[t])) out[t++] = Number.NaN;
      let sum = -0;
      for (; t < to; t++) {
        if (!Number.isNaN(y[t])) sum += y[t];
        out[t] = sum;
      }
    },
    exact: { results: (units, track) => runningSums(units, track, true), precision: sumPrecision },
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
