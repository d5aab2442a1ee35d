import type { Table } from "../columns/arrow/arrow.js";
import { InputError } from "../errors/errors.js";
import { oneOf, refuseUnknown } from "../errors/options.js";
import { CHOICE, type ColumnChoice, requireTime, secondColumn, vectorAt, wholeNumber } from "./core/choose.js";
import { exactTimesOf, spanOf, TIME_UNITS, type TimeUnitName, timesAt } from "./core/days.js";
import { exactColumn, exactOf, isExact, sumPrecision } from "./core/exact.js";
import { type Column, picked } from "./core/numbers.js";
import type { PieceKernel } from "./core/pieces.js";
import { type Calendar, type SessionCalendar, sessionCalendar } from "./core/session-calendar.js";
import { computeColumns, numbersAlong, runWhole } from "./track/kernel.js";
import { byRow, rowAt, type Track } from "./track/track.js";
import { extremePositions, windowExtreme, windowQuantile } from "./track/window-order.js";
import { windowPairs } from "./track/window-pairs.js";
import { type WindowKernel, windowCount, windowMean, windowStd, windowSum, windowVar } from "./track/window-sums.js";
import { windowWeighted } from "./track/window-weights.js";
import { rowWindows, timeWindows, type WindowShape, type Windows } from "./track/windows.js";

/** Names of the functions over a sliding window. */
const ALONE = ["mean", "sum", "min", "max", "std", "var", "median", "quantile", "count", "wma"] as const;
/** Of those that take a second column, the option that names it. */
const SECOND = { cov: "with", corr: "with", beta: "with", vwap: "weights" } as const;
const WINDOW_METHODS = [...ALONE, ...(Object.keys(SECOND) as (keyof typeof SECOND)[])] as const;
/** A calculation over a window of rows or days. */
export type WindowMethod = (typeof WINDOW_METHODS)[number];

/** Options of {@link Frame.rolling}. */
export interface RollingOptions<Name extends string = string> extends ColumnChoice<Name> {
  /**
   * The unit of the window size: `rows` (default); `days`: calendar days of dates, 24 hours of timestamps; `hours` and
   * smaller ones; `sessions`: those of the `calendar`, where a day without one belongs to the next.
   */
  readonly unit?: "rows" | "sessions" | TimeUnitName;
  /** The trading days that `sessions` counts. */
  readonly calendar?: Calendar;
  /** The least number of values for a result (rows, for `count`); by default the window size, or 1 with other units. */
  readonly minPeriods?: number;
  /** Centre the window on the row instead of ending it there. */
  readonly center?: boolean;
  /** For `quantile`: from 0 to 1. */
  readonly quantile?: number;
  /** For `cov`, `corr` and `beta`: the other column, which is not itself computed unless named in `columns`. */
  readonly with?: Name;
  /** For `vwap`: the column of weights, such as volumes. */
  readonly weights?: Name;
}

/**
 * Computes a value over a window that slides along each series by ascending day: `size` rows, or with `unit: "days"`
 * all rows of the last `size` days (including that of the row), over timestamps of the last `size` times 24 hours, and
 * with `unit: "sessions"` of the last `size` sessions of a calendar.
 * Null, NaN and infinite values are missing; a window with fewer than `minPeriods` values gives null. Rows keep their
 * order and columns their names (or name + `suffix`).
 *
 * `cov`, `corr` and `beta` (the slope of a regression on `with`) use the rows where both columns have values. `vwap` is
 * Σ value · weight / Σ weight with the column `weights`, and `wma` a mean with weights 1, 2, … by the position of a row
 * in its window. They are null where they are not defined: `corr` with a constant column, `beta` on one, `vwap` where
 * the weights add to 0.
 *
 * `min` and `max` keep the column's type, `sum` of integers and decimals is exact, the rest is `Float64`. Sums are kept
 * in two doubles: sums and means are within two units in the last place of the exact result, `std` and `var` within
 * 10^-12 of it, whatever the earlier values; the others within 10^-12 of what the values of the window could make
 * (`cov` of the product of the standard deviations, `beta` of their ratio, `vwap` and `wma` of the largest value).
 * `std`, `var` and `cov` divide by n − 1; quantiles are interpolated linearly.
 *
 * @throws {InputError} BadArgument, UnknownValue, UnknownColumn, WrongType, NoDateColumn, EmptyDate
 * @throws {DataError} Overflow
 * @example
 * ```ts
 * import { Frame } from "arrowbook";
 * const days = Frame.fromRows(
 *   [{ Date: "2024-02-28", Close: 1 }, { Date: "2024-02-29", Close: 2 }, { Date: "2024-03-01", Close: 6 }],
 *   [{ name: "Date", type: "Date" }, { name: "Close", type: "double" }],
 * );
 * days.rolling(2, "mean").column("Close").toNumbers(); // NaN, 1.5, 4
 * ```
 */
export function rolling(table: Table, size: number, method: WindowMethod, options: RollingOptions = {}): Table {
  refuseUnknown(options, [...CHOICE, ...WINDOW_OPTIONS], "rolling()");
  wholeNumber(size, 1, "window");
  const unit = oneOf(options.unit ?? "rows", ["rows", "sessions", ...TIME_UNITS], "unit");
  const least = wholeNumber(options.minPeriods ?? (unit === "rows" ? size : 1), 0, "minPeriods");
  const on = unit === "rows" ? undefined : requireTime(table, options.on, `A window of ${unit}`);
  const sessions = sessionsOf(unit, options);
  oneOf(method, WINDOW_METHODS, "window");
  checkQuantile(method, options);
  const needed = (SECOND as Partial<Record<WindowMethod, "with" | "weights">>)[method];
  const { second, choice } = secondColumn(table, options, needed, `rolling(…, "${method}")`);
  const shape = { size, center: options.center ?? false, least };
  let cut: Windows | undefined;
  let others: Float64Array | undefined;
  return computeColumns(table, choice, (from, at, track) => {
    const windows = (): Windows => {
      cut ??= windowsOf(from, on, track, { ...shape, unit, sessions });
      return cut;
    };
    if (isExact(from.schema.fields[at].type)) {
      if (method === "sum") return exactSums(from, at, track, windows());
      if (method === "min" || method === "max")
        return exactExtremes(from, at, track, windows(), method === "max" ? 1 : -1);
    }
    others ??= second === undefined ? new Float64Array(0) : numbersAlong(from, second, track);
    if (unit === "rows") return runWhole(from, at, track, byRows(method, options, others, shape));
    const [kernel, all] = [kernelOf(method, options, others), windows()];
    return runWhole(from, at, track, (y, out, start, end) => kernel(y, out, all, start, end));
  });
}

/**
 * The kernel of a window of rows. All series of one length have the same windows, relative to their first row: they are
 * in the cache, unlike those of a whole track.
 */
function byRows(method: WindowMethod, options: RollingOptions, others: Float64Array, shape: WindowShape): PieceKernel {
  let windows = rowWindows({ starts: Int32Array.of(0, 0) }, shape);
  return (y, out, start, end) => {
    const length = end - start;
    if (windows.low.length !== length) windows = rowWindows({ starts: Int32Array.of(0, length) }, shape);
    const kernel = kernelOf(method, options, others.subarray(start, end));
    kernel(y.subarray(start, end), out.subarray(start, end), windows, 0, length);
  };
}

const WINDOW_OPTIONS = ["unit", "calendar", "minPeriods", "center", "quantile", "with", "weights"] as const;

function sessionsOf(unit: string, { calendar }: RollingOptions): SessionCalendar | undefined {
  if ((unit === "sessions") === (calendar !== undefined)) {
    return calendar === undefined ? undefined : sessionCalendar(calendar);
  }
  const expected = calendar === undefined ? "a calendar for windows of sessions" : "a calendar only with sessions";
  throw new InputError(`rolling() expects ${expected}; got the unit "${unit}".`, {
    code: "BadArgument",
    hint: 'Such as rolling(20, "mean", { unit: "sessions", calendar: "XNYS" }).',
  });
}

interface TimedShape extends WindowShape {
  readonly unit: NonNullable<RollingOptions["unit"]>;
  readonly sessions: SessionCalendar | undefined;
}

/** Windows of rows, or by the column `on` of time or of sessions. */
function windowsOf(table: Table, on: number | undefined, track: Track, shape: TimedShape): Windows {
  const { size, unit, sessions, center } = shape;
  if (on === undefined || unit === "rows") return rowWindows(track, shape);
  const byRow = exactTimesOf(vectorAt(table, on), table.schema.fields[on].name);
  const times = track.rows === undefined ? byRow : timesAt(byRow, track.rows);
  if (sessions === undefined) return timeWindows(track, times, spanOf(size, unit as TimeUnitName), shape);
  const numbers = (track.days as Int32Array).map((day) => sessions.from(day));
  const windows = timeWindows(track, { days: numbers, nanos: undefined }, { days: size, nanos: 0 }, shape);
  // Of several days that belong to one session, the later ones are not in the windows of the earlier ones.
  return center ? windows : { ...windows, high: timeWindows(track, times, { days: 1, nanos: 0 }, shape).high };
}

const KERNELS: Readonly<Record<Exclude<(typeof ALONE)[number], "quantile" | "wma">, WindowKernel>> = {
  mean: windowMean,
  sum: windowSum,
  min: windowExtreme(-1),
  max: windowExtreme(1),
  std: windowStd,
  var: windowVar,
  count: windowCount,
  median: windowQuantile(0.5),
};

/** The kernel of a method; `second` holds the values of its second column in the order of the track. */
function kernelOf(
  method: WindowMethod,
  { quantile = 0 }: RollingOptions,
  second: Float64Array = new Float64Array(0),
): WindowKernel {
  switch (method) {
    case "quantile":
      return windowQuantile(quantile);
    case "cov":
    case "corr":
    case "beta":
      return (y, out, windows, from, to) => windowPairs(method, [y, second], out, windows, [from, to]);
    case "vwap":
      return (y, out, windows, from, to) => windowWeighted(y, second, out, windows, [from, to]);
    case "wma":
      return (y, out, windows, from, to) => windowWeighted(y, undefined, out, windows, [from, to]);
    default:
      return KERNELS[method];
  }
}

function checkQuantile(method: WindowMethod, { quantile }: RollingOptions): void {
  if (method !== "quantile" || (quantile !== undefined && quantile >= 0 && quantile <= 1)) return;
  throw new InputError(`rolling() expects a quantile from 0 to 1; got ${quantile}.`, {
    code: "BadArgument",
    hint: "Pass { quantile: 0.9 } or another number from 0 to 1.",
  });
}

function exactSums(table: Table, at: number, track: Track, { low, high, least }: Windows): Column {
  const { units, scale, precision } = exactOf(vectorAt(table, at));
  const out = new Array<bigint | null>(units.length).fill(null);
  for (let g = 0; g + 1 < track.starts.length; g++) {
    let sum = 0n;
    let count = 0;
    let first = track.starts[g];
    let end = first;
    for (let i = first; i < track.starts[g + 1]; i++) {
      for (; end < high[i]; end++) {
        const value = units[rowAt(track, end)];
        if (value === null) continue;
        sum += value;
        count++;
      }
      for (; first < low[i]; first++) {
        const value = units[rowAt(track, first)];
        if (value === null) continue;
        sum -= value;
        count--;
      }
      if (count >= least) out[rowAt(track, i)] = sum;
    }
  }
  return exactColumn(table.schema.fields[at], out, { scale, precision: sumPrecision(precision) });
}

function exactExtremes(table: Table, at: number, track: Track, windows: Windows, sign: 1 | -1): Column {
  const vector = vectorAt(table, at);
  const { units } = exactOf(vector);
  const { rows, starts } = track;
  const inTrack = rows === undefined ? units : Array.from(rows, (row) => units[row]);
  const picks = new Int32Array(units.length);
  for (let g = 0; g + 1 < starts.length; g++) {
    const from = starts[g];
    const found = picks.subarray(from, starts[g + 1]);
    extremePositions(inTrack, sign, windows, from, found);
  }
  const taken = picks.map((position) => (position === -1 ? -1 : rowAt(track, position)));
  const byRows = rows === undefined ? taken : Int32Array.from(byRow(Float64Array.from(taken), rows));
  return picked(table.schema.fields[at], vector, byRows);
}
