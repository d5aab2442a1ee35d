import type { Table } from "../columns/arrow.js";
import { TRANSFORMS, type Transform } from "../spec/vocabulary.js";
import { inOrder } from "./aggregate.js";
import { type ColumnChoice, choose, oneOf, vectorAt, wholeNumber } from "./choose.js";
import { roundAll } from "./digits.js";
import { differencePrecision, exactColumn, exactOf, isExact, sumPrecision } from "./exact.js";
import { byRow, type Kernel, rowAt } from "./kernel.js";
import { type Column, doubleColumn, numbersOf } from "./numbers.js";
import { rowsOf, withColumns } from "./tables.js";
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
 * NaN counts as null. Rows keep their order.
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
  const word = oneOf(name, TRANSFORMS, "transform");
  if (word === "none") return table;
  const digits = wholeNumber(options.digits ?? 14, 1, "digits");
  const { on, by, values } = choose(table, options);
  const track = trackOf(table, on, by);
  const kept = word === "diff" || word === "rdiff" ? withoutFirsts(track) : undefined;
  const rest = rowsOf(table, kept);
  const made = new Map<number, Column>();
  for (const at of values) made.set(at, transformed(table, at, word, track, kept, digits));
  return withColumns(rest, made);
}

type Word = Exclude<Transform, "none">;

/** The rows that have a row before them, in the order of the table. */
function withoutFirsts({ rows, starts }: Track): Int32Array {
  const total = starts[starts.length - 1];
  const first = new Uint8Array(total);
  for (let g = 0; g + 1 < starts.length; g++) first[rows === undefined ? starts[g] : rows[starts[g]]] = 1;
  const kept = new Int32Array(total - (starts.length - 1));
  for (let row = 0, k = 0; row < total; row++) if (first[row] === 0) kept[k++] = row;
  return kept;
}

function transformed(
  table: Table,
  at: number,
  word: Word,
  track: Track,
  kept: Int32Array | undefined,
  digits: number,
): Column {
  const field = table.schema.fields[at];
  const vector = vectorAt(table, at);
  if (isExact(vector.type) && (word === "diff" || word === "cumul")) {
    const { units, scale, precision } = exactOf(vector);
    const results = word === "diff" ? exactDiff(units, track) : exactCumul(units, track);
    const shown = kept === undefined ? results : Array.from(kept, (row) => results[row]);
    const width = word === "diff" ? differencePrecision(precision) : sumPrecision(precision);
    return exactColumn(field, shown, { scale, precision: width });
  }
  const results = new Float64Array(vector.length);
  const values = inOrder(numbersOf(vector), track.rows);
  for (let g = 0; g + 1 < track.starts.length; g++)
    KERNELS[word](values, results, track.starts[g], track.starts[g + 1]);
  const shown = arranged(results, track.rows, kept);
  if (digits < 16) roundAll(shown, digits);
  return doubleColumn(field, shown);
}

/** Results by position as rows of the table, those kept. */
function arranged(results: Float64Array, rows: Int32Array | undefined, kept: Int32Array | undefined): Float64Array {
  const all = byRow(results, rows);
  return kept === undefined ? all : inOrder(all, kept);
}

const KERNELS: Readonly<Record<Word, Kernel>> = {
  diff(y, out, from, to) {
    for (let t = from + 1; t < to; t++) out[t] = y[t] - y[t - 1];
  },
  rdiff(y, out, from, to) {
    for (let t = from + 1; t < to; t++) out[t] = y[t - 1] === 0 ? Number.NaN : (y[t] - y[t - 1]) / y[t - 1];
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
      if (!Number.isNaN(y[t])) sum = !Number.isNaN(sum) ? sum + y[t] : y[t];
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
