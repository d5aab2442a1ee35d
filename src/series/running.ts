import type { Table } from "../columns/arrow/arrow.js";
import { takeVector } from "../columns/table/take.js";
import { refuseUnknown } from "../errors/options.js";
import { CHOICE, type ColumnChoice, vectorAt } from "./core/choose.js";
import { exactColumn, exactOf, isExact, sumPrecision } from "./core/exact.js";
import type { Column, Computed } from "./core/numbers.js";
import { ExactSum } from "./core/sums.js";
import { computeColumns, type Kernel, runKernel } from "./track/kernel.js";
import { rowAt, type Track } from "./track/track.js";

/**
 * Running sum along each series by ascending day; nulls stay null and are skipped (unlike `transform("cumul")`, which
 * repeats the sum and rounds). Exact for integers and decimals; doubles are summed in two doubles, without rounding.
 *
 * @throws {InputError} UnknownColumn, WrongType, EmptyDate
 * @throws {DataError} Overflow
 */
export function cumsum(table: Table, options: ColumnChoice = {}): Table {
  refuseUnknown(options, CHOICE, "cumsum()");
  return computeColumns(table, options, (from, at, track) =>
    isExact(from.schema.fields[at].type) ? exactCumsum(from, at, track) : runKernel(from, at, track, sumKernel),
  );
}

/**
 * Running product along each series by ascending day, `Float64`; nulls stay null and are skipped.
 *
 * @throws {InputError} as {@link cumsum}
 */
export function cumprod(table: Table, options: ColumnChoice = {}): Table {
  refuseUnknown(options, CHOICE, "cumprod()");
  return computeColumns(table, options, (from, at, track) => runKernel(from, at, track, productKernel));
}

/**
 * Largest value so far along each series by ascending day, in the column's type; nulls stay null.
 *
 * @throws {InputError} as {@link cumsum}
 */
export function cummax(table: Table, options: ColumnChoice = {}): Table {
  refuseUnknown(options, CHOICE, "cummax()");
  return computeColumns(table, options, (from, at, track) => runningExtreme(from, at, track, 1));
}

/**
 * Smallest value so far along each series by ascending day, in the column's type; nulls stay null.
 *
 * @throws {InputError} as {@link cumsum}
 */
export function cummin(table: Table, options: ColumnChoice = {}): Table {
  refuseUnknown(options, CHOICE, "cummin()");
  return computeColumns(table, options, (from, at, track) => runningExtreme(from, at, track, -1));
}

/**
 * Drawdown of each series from its highest value so far: y[t] / max(y[0..t]) − 1, at most 0, `Float64`; nulls stay
 * null, and the result is null until the first value above 0.
 *
 * @throws {InputError} as {@link cumsum}
 */
export function drawdown(table: Table, options: ColumnChoice = {}): Table {
  refuseUnknown(options, CHOICE, "drawdown()");
  return computeColumns(table, options, (from, at, track) => runKernel(from, at, track, drawdownKernel));
}

const sumKernel: Kernel = (y, out, from, to) => {
  let total = 0;
  let lost = 0;
  // 2^-53 of it bounds the error of the sum, as in `sumOf`.
  let doubt = 0;
  for (let i = from; i < to; i++) {
    const value = y[i];
    if (Number.isNaN(value)) {
      out[i] = value;
      continue;
    }
    const sum = total + value;
    const part = sum - total;
    const error = total - (sum - part) + (value - part);
    if (Number.isFinite(error)) lost += error;
    doubt += Math.abs(lost);
    total = sum;
    if (Number.isFinite(total) && doubt > Math.abs(total + lost)) {
      sumExactly(y, out, from, i, to);
      return;
    }
    out[i] = total + lost;
  }
};

/** The sums of position `first` and after it, where those in two doubles would show errors. */
function sumExactly(y: Float64Array, out: Float64Array, from: number, first: number, to: number): void {
  const sum = new ExactSum();
  // Once a sum overflows or meets an infinite value, as in IEEE 754.
  let total = 0;
  for (let i = from; i < to; i++) {
    if (Number.isNaN(y[i])) {
      if (i >= first) out[i] = y[i];
      continue;
    }
    if (Number.isFinite(total)) {
      sum.add(y[i]);
      const next = sum.total();
      total = Number.isNaN(next) ? total + y[i] : next;
    } else total += y[i];
    if (i >= first) out[i] = total;
  }
}

const productKernel: Kernel = (y, out, from, to) => {
  let product = 1;
  for (let i = from; i < to; i++) {
    if (!Number.isNaN(y[i])) product *= y[i];
    out[i] = product;
    if (Number.isNaN(y[i])) out[i] = Number.NaN;
  }
};

const drawdownKernel: Kernel = (y, out, from, to) => {
  let peak = Number.NaN;
  for (let i = from; i < to; i++) {
    if (y[i] > peak || (Number.isNaN(peak) && y[i] > 0)) peak = y[i];
    out[i] = y[i] / peak - 1;
  }
};

function runningExtreme(table: Table, at: number, track: Track, sign: 1 | -1): Computed {
  const field = table.schema.fields[at];
  if (!isExact(field.type)) {
    return runKernel(table, at, track, (y, out, from, to) => {
      let best = Number.NaN;
      for (let i = from; i < to; i++) {
        if (Number.isNaN(best) || (sign === 1 ? y[i] > best : y[i] < best)) best = y[i];
        out[i] = best;
        if (Number.isNaN(y[i])) out[i] = Number.NaN;
      }
    });
  }
  const vector = vectorAt(table, at);
  const { units } = exactOf(vector);
  const picks = new Int32Array(units.length).fill(-1);
  for (let g = 0; g + 1 < track.starts.length; g++) {
    let best = -1;
    for (let i = track.starts[g]; i < track.starts[g + 1]; i++) {
      const row = rowAt(track, i);
      const value = units[row];
      if (value === null) continue;
      const highest = best === -1 ? value : (units[best] as bigint);
      if (best === -1 || (sign === 1 ? value > highest : value < highest)) best = row;
      picks[row] = best;
    }
  }
  return { field, data: takeVector(vector, picks).data[0] };
}

function exactCumsum(table: Table, at: number, track: Track): Column {
  const { units, scale, precision } = exactOf(vectorAt(table, at));
  const out = new Array<bigint | null>(units.length).fill(null);
  for (let g = 0; g + 1 < track.starts.length; g++) {
    let sum = 0n;
    for (let i = track.starts[g]; i < track.starts[g + 1]; i++) {
      const row = rowAt(track, i);
      const value = units[row];
      if (value !== null) out[row] = sum += value;
    }
  }
  return exactColumn(table.schema.fields[at], out, { scale, precision: sumPrecision(precision) });
}
