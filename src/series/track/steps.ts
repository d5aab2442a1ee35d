import type { Table } from "../../columns/arrow/arrow.js";
import { InputError } from "../../errors/errors.js";
import { oneOf, refuseUnknown } from "../../errors/options.js";
import { shown } from "../../errors/shown.js";
import { CHOICE, type ColumnChoice, listOf, vectorAt } from "../core/choose.js";
import { differencePrecision, exactColumn, exactOf, isExact } from "../core/exact.js";
import { type Column, picked } from "../core/numbers.js";
import type { PieceKernel } from "../core/pieces.js";
import { computeColumns, runKernel } from "./kernel.js";
import { rowAt, type Track } from "./track.js";

/**
 * Moves every value `steps` rows later along its series (earlier if negative); vacated rows become null. Works on any
 * column type; by default on the number columns.
 *
 * @throws {InputError} BadArgument, UnknownColumn, EmptyDate
 */
export function shift(table: Table, steps = 1, options: ColumnChoice = {}): Table {
  refuseUnknown(options, CHOICE, "shift()");
  checkSteps(steps);
  return computeColumns(
    table,
    options,
    (from, at, track) => shiftOf(from, at, track, steps),
    listOf(options.columns).length > 0 ? () => true : undefined,
  );
}

/** One column moved along a track. */
export function shiftOf(table: Table, at: number, track: Track, steps: number): Column {
  const picks = new Int32Array(table.numRows).fill(-1);
  eachPair(track, steps, (now, before) => {
    picks[now] = before;
  });
  return picked(table.schema.fields[at], vectorAt(table, at), picks);
}

/**
 * y[t] − y[t − steps] along each series by ascending day; null if either is null or missing. Exact for integers and
 * decimals (one digit wider); `Float64` without rounding for doubles. Unlike `transform("diff")`, drops no rows.
 *
 * @throws {InputError} BadArgument, UnknownColumn, WrongType, EmptyDate
 * @throws {DataError} Overflow
 */
export function diff(table: Table, steps = 1, options: ColumnChoice = {}): Table {
  refuseUnknown(options, CHOICE, "diff()");
  checkSteps(steps);
  return computeColumns(table, options, (from, at, track) =>
    isExact(from.schema.fields[at].type)
      ? exactDiff(from, at, track, steps)
      : runKernel(from, at, track, differences(steps)),
  );
}

/**
 * (y[t] − y[t − steps]) / y[t − steps] along each series by ascending day, `Float64` without rounding; null if either
 * is null or y[t − steps] is 0. Drops no rows.
 *
 * @throws {InputError} BadArgument, UnknownColumn, WrongType, EmptyDate
 */
export function pctChange(table: Table, steps = 1, options: ColumnChoice = {}): Table {
  refuseUnknown(options, CHOICE, "pctChange()");
  checkSteps(steps);
  return computeColumns(table, options, (from, at, track) => runKernel(from, at, track, changes(steps)));
}

/** Options of {@link Frame.returns}. */
export interface ReturnsOptions<Name extends string = string> extends ColumnChoice<Name> {
  /** `simple` (default): y[t] / y[t−1] − 1; `log`: ln(y[t] / y[t−1]), null unless both are above 0. */
  readonly kind?: "simple" | "log";
}

/**
 * Returns from row to row along each series by ascending day, `Float64` without rounding; null in the first row, after
 * a null and after 0.
 *
 * @throws {InputError} UnknownValue, UnknownColumn, WrongType, EmptyDate
 */
export function returns(table: Table, options: ReturnsOptions = {}): Table {
  refuseUnknown(options, [...CHOICE, "kind"], "returns()");
  const { kind = "simple", ...choice } = options;
  if (oneOf(kind, ["simple", "log"], "kind") === "simple") return pctChange(table, 1, choice);
  return computeColumns(table, choice, (from, at, track) => runKernel(from, at, track, logReturns));
}

/** @throws {InputError} BadArgument for what is not a whole number */
export function checkSteps(steps: number): void {
  if (Number.isInteger(steps)) return;
  throw new InputError(`The number of rows must be a whole number; got ${shown(steps)}.`, {
    code: "BadArgument",
    hint: "Pass 1 for the previous row.",
  });
}

/** Positions whose partner `steps` before them is in the same series; sets the other positions of the series to NaN. */
function paired(out: Float64Array, from: number, to: number, steps: number): readonly [first: number, end: number] {
  const first = Math.min(to, Math.max(from, from + steps));
  const end = Math.max(first, Math.min(to, to + steps));
  out.fill(Number.NaN, from, first);
  out.fill(Number.NaN, end, to);
  return [first, end];
}

const differences =
  (steps: number): PieceKernel =>
  (y, out, from, to) => {
    const [first, end] = paired(out, from, to, steps);
    for (let i = first; i < end; i++) out[i] = y[i] - y[i - steps];
  };

const changes =
  (steps: number): PieceKernel =>
  (y, out, from, to) => {
    const [first, end] = paired(out, from, to, steps);
    for (let i = first; i < end; i++) {
      const before = y[i - steps];
      out[i] = (y[i] - before) / before;
      if (before === 0) out[i] = Number.NaN;
    }
  };

const logReturns: PieceKernel = (y, out, from, to) => {
  const [first, end] = paired(out, from, to, 1);
  for (let i = first; i < end; i++) {
    out[i] = Math.log(y[i] / y[i - 1]);
    if (!(y[i] > 0 && y[i - 1] > 0)) out[i] = Number.NaN;
  }
};

function eachPair(track: Track, steps: number, visit: (now: number, before: number) => void): void {
  for (let g = 0; g + 1 < track.starts.length; g++) {
    const from = track.starts[g];
    const to = track.starts[g + 1];
    for (let i = Math.max(from, from + steps); i < Math.min(to, to + steps); i++) {
      visit(rowAt(track, i), rowAt(track, i - steps));
    }
  }
}

function exactDiff(table: Table, at: number, track: Track, steps: number): Column {
  const { units, scale, precision } = exactOf(vectorAt(table, at));
  const differences = exactDifferences(units, track, steps);
  return exactColumn(table.schema.fields[at], differences, { scale, precision: differencePrecision(precision) });
}

/**
 * By row, the difference between each value and the one `steps` positions before it in its series; null if either is
 * null or missing.
 */
export function exactDifferences(units: readonly (bigint | null)[], track: Track, steps: number): (bigint | null)[] {
  const out = new Array<bigint | null>(units.length).fill(null);
  eachPair(track, steps, (now, before) => {
    const a = units[now];
    const b = units[before];
    if (a !== null && b !== null) out[now] = a - b;
  });
  return out;
}
