import { DataType, type Table } from "../columns/arrow/arrow.js";
import { refuseUnknown } from "../errors/options.js";
import { CHOICE, type ColumnChoice, vectorAt } from "./core/choose.js";
import { exactColumn, exactOf, isExact, smallColumn, smallUnits, sumPrecision } from "./core/exact.js";
import { type Column, type Computed, picked } from "./core/numbers.js";
import type { PieceKernel } from "./core/pieces.js";
import { drawdownKernel } from "./core/returns.js";
import { ExactSum } from "./core/sums.js";
import { type Compute, computeColumns, runKernel } from "./track/kernel.js";
import { rowAt, type Track } from "./track/track.js";

/**
 * Calculations of every value and those before it in its series, by ascending day; nulls stay null and are skipped.
 *
 * - `cumsum`: the sum, exact for integers and decimals; doubles are summed in two doubles, without rounding. Unlike
 *   `transform("cumul")`, which repeats the sum for a null and rounds.
 * - `cumprod`: the product, `Float64`.
 * - `cummax`, `cummin`: the largest and smallest value so far, in the column's type.
 * - `drawdown`: from the highest value so far: y[t] / max(y[0..t]) − 1, at most 0, `Float64`; null until the first
 *   value above 0.
 */
export const RUNNING = {
  cumsum: (table, at, track) =>
    isExact(table.schema.fields[at].type) ? exactCumsum(table, at, track) : runKernel(table, at, track, sumKernel),
  cumprod: (table, at, track) => runKernel(table, at, track, productKernel),
  cummax: (table, at, track) => runningExtreme(table, at, track, 1),
  cummin: (table, at, track) => runningExtreme(table, at, track, -1),
  drawdown: (table, at, track) => runKernel(table, at, track, drawdownKernel),
} as const satisfies Readonly<Record<string, Compute>>;

/**
 * One of the running calculations, see {@link RUNNING}.
 *
 * @throws {InputError} UnknownColumn, WrongType, EmptyDate
 * @throws {DataError} Overflow
 */
export function running(table: Table, name: keyof typeof RUNNING, options: ColumnChoice = {}): Table {
  refuseUnknown(options, CHOICE, `${name}()`);
  return computeColumns(table, options, RUNNING[name]);
}

const sumKernel: PieceKernel = (y, out, from, to) => {
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

const productKernel: PieceKernel = (y, out, from, to) => {
  let product = 1;
  for (let i = from; i < to; i++) {
    if (!Number.isNaN(y[i])) product *= y[i];
    out[i] = product;
    if (Number.isNaN(y[i])) out[i] = Number.NaN;
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
  return picked(field, vector, picks);
}

function exactCumsum(table: Table, at: number, track: Track): Column {
  const [field, vector] = [table.schema.fields[at], vectorAt(table, at)];
  const small = smallUnits(vector);
  const sums = small && smallSums(small, track);
  if (sums !== undefined) return smallColumn(field, sums, sumShape(vector.type));
  return exactColumn(field, runningSums(exactOf(vector).units, track, false), sumShape(vector.type));
}

const sumShape = (type: DataType) => ({
  scale: DataType.isDecimal(type) ? type.scale : undefined,
  precision: DataType.isDecimal(type) ? sumPrecision(type.precision) : 19,
});

/** As {@link runningSums}, of whole doubles, NaN as null; undefined where a sum is beyond those that doubles hold. */
function smallSums(units: Float64Array, track: Track): Float64Array | undefined {
  const out = new Float64Array(units.length).fill(Number.NaN);
  for (let g = 0; g + 1 < track.starts.length; g++) {
    let sum = 0;
    for (let i = track.starts[g]; i < track.starts[g + 1]; i++) {
      const row = rowAt(track, i);
      if (Number.isNaN(units[row])) continue;
      sum += units[row];
      if (Math.abs(sum) > Number.MAX_SAFE_INTEGER) return undefined;
      out[row] = sum;
    }
  }
  return out;
}

/** By row, the sum of the values up to it in its series; at a null the last sum if it `repeats`, else null. */
export function runningSums(
  units: readonly (bigint | null)[],
  { rows, starts }: Track,
  repeats: boolean,
): (bigint | null)[] {
  const out = new Array<bigint | null>(units.length).fill(null);
  for (let g = 0; g + 1 < starts.length; g++) {
    let sum: bigint | null = null;
    for (let i = starts[g]; i < starts[g + 1]; i++) {
      const row = rows === undefined ? i : rows[i];
      const now = units[row];
      if (now !== null) sum = sum === null ? now : sum + now;
      if (now !== null || repeats) out[row] = sum;
    }
  }
  return out;
}
