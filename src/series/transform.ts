import type { Table } from "../columns/arrow.js";
import { oneOf, refuseUnknown } from "../errors/options.js";
import { TRANSFORMS, type Transform } from "../spec/vocabulary.js";
import { inOrder } from "./aggregate.js";
import { ALONG, type ColumnChoice, choose, vectorAt, wholeNumber } from "./choose.js";
import { rounderOf } from "./digits.js";
import { differencePrecision, exactColumn, exactOf, isExact, sumPrecision } from "./exact.js";
import { byRow, rowAt } from "./kernel.js";
import { type Column, doubleColumn, numbersOf } from "./numbers.js";
import { rowsIn, takeRanges } from "./ranges.js";
import { tableOf, withColumns } from "./tables.js";
import { type Track, trackOf } from "./track.js";

export interface TransformOptions<Name extends string = string> extends Omit<ColumnChoice<Name>, "suffix"> {
  /** Significant digits of a computed double, 14 by default as the service rounds; 16 or more to leave them as they are. */
  readonly digits?: number;
}

/**
 * The service's transforms (spec 4.2; the formulas as observed), each series by ascending day whatever the order of its rows:
 *
 * | word | value | first row | null and zero |
 * |---|---|---|---|
 * | `diff` | y[t] − y[t−1] | dropped | null where either is null |
 * | `rdiff` | (y[t] − y[t−1]) / y[t−1] | dropped | null where either is null or y[t−1] is 0 |
 * | `rdiff_from` | (y[latest] − y[t]) / y[t] | kept | null where y[t] is null or 0; the latest value's own is 0 |
 * | `cumul` | sum of y up to t | kept | a null repeats the sum; null before the first value |
 * | `normalize` | y[t] / y[first] · 100 | kept | first: the first value that is neither null nor 0; zeros before it are 0 |
 *
 * The row before is the previous row, not the previous value. Doubles are computed in binary and rounded to 14 significant
 * digits; `diff` and `cumul` of integers and decimals are exact and not rounded; the rest of their transforms are `Float64`.
 * NaN counts as null, and a result that is not finite is null. Rows keep their order.
 *
 * @throws InputError `UnknownWord`, `UnknownColumn`, `NotANumber`, `EmptyDate`; DataError `Overflow`
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
  const { on, by, values } = choose(table, options);
  const track = trackOf(table, on, by);
  const kept = word === "diff" || word === "rdiff" ? withoutFirsts(track) : undefined;
  const made = new Map<number, Column>();
  for (const at of values) made.set(at, transformed(table, at, word, track, kept, digits));
  return kept === undefined ? withColumns(table, made) : keptRows(table, made, kept);
}

type Word = Exclude<Transform, "none">;

/** Ranges of rows that have a row before them in their series, ascending. */
interface Kept {
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly count: number;
}

/** The rows that have a row before them, in the order of the table: what lies between the first rows of the series. */
function withoutFirsts({ rows, starts }: Track): Kept {
  const total = starts[starts.length - 1];
  const firsts = starts.subarray(0, starts.length - 1);
  const gone = rows === undefined ? firsts : Int32Array.from(firsts, (at) => rows[at]).sort();
  const from = new Int32Array(gone.length + 1);
  const to = new Int32Array(gone.length + 1);
  for (let k = 0; k < gone.length; k++) {
    from[k + 1] = gone[k] + 1;
    to[k] = gone[k];
  }
  to[gone.length] = total;
  return { from, to, count: total - gone.length };
}

/** The kept rows: the made columns as they are, the others copied. */
function keptRows(table: Table, made: ReadonlyMap<number, Column>, { from, to, count }: Kept): Table {
  const columns = table.schema.fields.map(
    (field, at) => made.get(at) ?? { field, data: takeRanges(vectorAt(table, at), from, to) },
  );
  return tableOf(columns, count, table.schema.metadata);
}

function transformed(
  table: Table,
  at: number,
  word: Word,
  track: Track,
  kept: Kept | undefined,
  digits: number,
): Column {
  const field = table.schema.fields[at];
  const vector = vectorAt(table, at);
  if (isExact(vector.type) && (word === "diff" || word === "cumul")) {
    const { units, scale, precision } = exactOf(vector);
    const results = word === "diff" ? exactDiff(units, track) : exactCumul(units, track);
    const shown = kept === undefined ? results : Array.from(rowsIn(kept.from, kept.to), (row) => results[row]);
    const width = word === "diff" ? differencePrecision(precision) : sumPrecision(precision);
    return exactColumn(field, shown, { scale, precision: width });
  }
  const values = inOrder(numbersOf(vector), track.rows);
  const results = new Float64Array(kept?.count ?? values.length);
  const round = digits < 16 ? rounderOf(results, digits) : finiteOf(results);
  let missing = 0;
  for (let g = 0; g + 1 < track.starts.length; g++) {
    const back = kept === undefined ? 0 : g + 1;
    const from = track.starts[g];
    const to = track.starts[g + 1];
    KERNELS[word](values, results, from, to, back);
    // Series by series, while the results are still near.
    missing += round(kept === undefined ? from : from + 1 - back, to - back);
  }
  const shown = kept === undefined ? byRow(results, track.rows) : keptByRow(results, track, kept);
  return doubleColumn(field, shown, missing);
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

/** Results by position without the first of each series, as results of the kept rows. */
function keptByRow(results: Float64Array, { rows, starts }: Track, kept: Kept): Float64Array {
  if (rows === undefined) return results;
  const all = new Float64Array(rows.length);
  for (let g = 0; g + 1 < starts.length; g++) {
    for (let at = starts[g] + 1; at < starts[g + 1]; at++) all[rows[at]] = results[at - g - 1];
  }
  return inOrder(all, rowsIn(kept.from, kept.to));
}

/** As a kernel of `kernel.ts`, with results `back` places before their values: as many as rows have been dropped so far. */
type Kernel = (y: Float64Array, out: Float64Array, from: number, to: number, back: number) => void;

const KERNELS: Readonly<Record<Word, Kernel>> = {
  diff(y, out, from, to, back) {
    for (let t = from + 1; t < to; t++) out[t - back] = y[t] - y[t - 1];
  },
  rdiff(y, out, from, to, back) {
    for (let t = from + 1; t < to; t++) out[t - back] = y[t - 1] === 0 ? Number.NaN : (y[t] - y[t - 1]) / y[t - 1];
  },
  rdiff_from(y, out, from, to) {
    let latest = to - 1;
    while (latest >= from && Number.isNaN(y[latest])) latest--;
    for (let t = from; t < to; t++) out[t] = y[t] === 0 ? Number.NaN : (y[latest] - y[t]) / y[t];
    if (latest >= from) out[latest] = 0;
  },
  cumul(y, out, from, to) {
    // Added one by one as the service does: its last digits depend on it.
    let sum = Number.NaN;
    for (let t = from; t < to; t++) {
      if (!Number.isNaN(y[t])) sum = Number.isNaN(sum) ? y[t] : sum + y[t];
      out[t] = sum;
    }
  },
  normalize(y, out, from, to) {
    let base = 0;
    for (let t = from; t < to; t++) {
      if (base === 0 && !Number.isNaN(y[t])) base = y[t];
      out[t] = base === 0 ? y[t] + 0 : (y[t] / base) * 100;
    }
  },
};

function exactDiff(units: readonly (bigint | null)[], track: Track): (bigint | null)[] {
  const out = new Array<bigint | null>(units.length).fill(null);
  const { starts } = track;
  for (let g = 0; g + 1 < starts.length; g++) {
    for (let t = starts[g] + 1; t < starts[g + 1]; t++) {
      const row = rowAt(track, t);
      const now = units[row];
      const before = units[rowAt(track, t - 1)];
      if (now !== null && before !== null) out[row] = now - before;
    }
  }
  return out;
}

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
