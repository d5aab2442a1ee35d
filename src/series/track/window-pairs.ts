import { type Pair, type PairStatistic, pairStatistic } from "../core/pair-statistics.js";
import { type Windows, widest } from "./windows.js";

/** Rows in one call, if windows are shorter: V8 optimizes a function better between calls than during a long loop. */
const STRETCH = 16_384;

/**
 * A statistic of two columns in every window of a series: fills `out` from `from` to `to` (exclusive). Rows count where
 * both values are finite; the result is NaN for fewer rows than the windows need, or than two, and `corr` and `beta`
 * are where they are not defined.
 */
export function windowPairs(
  name: PairStatistic,
  pair: Pair,
  out: Float64Array,
  windows: Windows,
  [from, to]: readonly [number, number],
): void {
  const rows = widest(windows, from, to);
  const block = new Block(pair, rows);
  const stretch = Math.max(STRETCH, 8 * rows);
  for (let at = from; at < to; at += stretch) slide(name, block, out, windows, [at, Math.min(to, at + stretch)]);
}

/**
 * Slides without subtracting, so that nothing remains of what has left a window: a window is the end of a block of rows
 * and the rows after it. A window that begins after the block becomes the next one, and so does one whose deviations
 * from the pivot of the block are too large.
 */
function slide(
  name: PairStatistic,
  block: Block,
  out: Float64Array,
  { low, high, least }: Windows,
  [from, to]: readonly [number, number],
): void {
  const { x, y, tails, counts } = block;
  const enough = Math.max(least, 2);
  let { pivotX, pivotY } = block;
  let blockStart = 0;
  let blockEnd = -1;
  /** Of the rows after the block. */
  const after = new Sums();
  const [runX, runY] = [new Run(), new Run()];
  let end = low[from];
  for (let i = from; i < to; i++) {
    for (; end < high[i]; end++) {
      if (!isPair(x[end], y[end])) continue;
      runX.add(x[end]);
      runY.add(y[end]);
      after.add(x[end] - pivotX, y[end] - pivotY);
    }
    const isNew = low[i] >= blockEnd;
    if (isNew) {
      blockStart = low[i];
      blockEnd = high[i];
      block.fill(blockStart, blockEnd);
      pivotX = block.pivotX;
      pivotY = block.pivotY;
      after.clear();
    }
    const row = low[i] - blockStart;
    const count = counts[row] + after.count;
    if (count < enough) out[i] = Number.NaN;
    else if (runX.length >= count || runY.length >= count) out[i] = ofConstant(name, runY.length >= count);
    else {
      const part = 1 / count;
      const driftX = tails[SUMS * row] + after.x;
      const driftY = tails[SUMS * row + 1] + after.y;
      const squaresX = tails[SUMS * row + 2] + after.xx;
      const squaresY = tails[SUMS * row + 4] + after.yy;
      const xx = squaresX - driftX * driftX * part;
      const yy = squaresY - driftY * driftY * part;
      const xy = tails[SUMS * row + 3] + after.xy - driftX * driftY * part;
      if (isPrecise(xx, squaresX) && isPrecise(yy, squaresY)) out[i] = statisticOf(name, xx, xy, yy, count);
      else if (isNew) out[i] = pairStatistic(pairsIn(x, y, low[i], high[i]), name);
      else {
        blockEnd = -1;
        i--;
      }
    }
  }
}

/** The length of the run of equal values at the end of a window: a constant column has no variance at all. */
class Run {
  length = 0;
  private last = Number.NaN;

  add(value: number): void {
    this.length = value === this.last ? this.length + 1 : 1;
    this.last = value;
  }
}

/** Sums of the deviations of rows from a pivot, of their squares and products. */
class Sums {
  x = 0;
  y = 0;
  xx = 0;
  xy = 0;
  yy = 0;
  count = 0;

  add(x: number, y: number): void {
    this.x += x;
    this.y += y;
    this.xx += x * x;
    this.xy += x * y;
    this.yy += y * y;
    this.count++;
  }

  clear(): void {
    this.x = this.y = this.xx = this.xy = this.yy = this.count = 0;
  }
}

/** Of a window in which a column is constant. */
const ofConstant = (name: PairStatistic, isY: boolean): number =>
  name === "cov" || (name === "beta" && !isY) ? 0 : Number.NaN;

function statisticOf(name: PairStatistic, xx: number, xy: number, yy: number, count: number): number {
  if (name === "cov") return xy / (count - 1);
  if (name === "beta") return xy / yy;
  return Math.max(-1, Math.min(1, xy / Math.sqrt(xx * yy)));
}

/** Sums of squares outside of these bounds, or products of two, may have lost digits. */
const LEAST = 2 ** -460;
const MOST = 2 ** 500;
/** How many times those from the pivot may exceed those from the mean, which costs as many units of rounding. */
const MOST_DRIFT = 16;

const isPrecise = (squares: number, fromPivot: number): boolean =>
  squares * MOST_DRIFT >= fromPivot && squares > LEAST && fromPivot < MOST;

/** Whether both values are finite. */
const isPair = (a: number, b: number): boolean => a - a === 0 && b - b === 0;

function pairsIn(x: Float64Array, y: Float64Array, from: number, to: number): Pair {
  const rows: number[] = [];
  for (let i = from; i < to; i++) if (isPair(x[i], y[i])) rows.push(i);
  return [Float64Array.from(rows, (row) => x[row]), Float64Array.from(rows, (row) => y[row])];
}

/** How many sums {@link Sums} are. */
const SUMS = 5;
/** A block of rows and the sums from every row of it to its end, of deviations from its means. */
class Block {
  pivotX = 0;
  pivotY = 0;
  readonly tails: Float64Array;
  readonly counts: Int32Array;
  readonly x: Float64Array;
  readonly y: Float64Array;

  constructor([x, y]: Pair, rows: number) {
    this.x = x;
    this.y = y;
    this.tails = new Float64Array(SUMS * (rows + 1));
    this.counts = new Int32Array(rows + 1);
  }

  fill(from: number, end: number): void {
    const { x, y, tails, counts } = this;
    const [pivotX, pivotY] = meansOf(x, y, from, end);
    this.pivotX = pivotX;
    this.pivotY = pivotY;
    const sums = new Sums();
    for (let i = end - 1; i >= from; i--) {
      if (isPair(x[i], y[i])) sums.add(x[i] - pivotX, y[i] - pivotY);
      const at = SUMS * (i - from);
      tails[at] = sums.x;
      tails[at + 1] = sums.y;
      tails[at + 2] = sums.xx;
      tails[at + 3] = sums.xy;
      tails[at + 4] = sums.yy;
      counts[i - from] = sums.count;
    }
    // Of an empty window.
    if (end === from) counts[0] = 0;
  }
}

/** Means for a pivot, which may be rounded; 0 without rows, or where the sums overflow. */
function meansOf(x: Float64Array, y: Float64Array, from: number, end: number): readonly [number, number] {
  let sumX = 0;
  let sumY = 0;
  let held = 0;
  for (let i = from; i < end; i++) {
    if (!isPair(x[i], y[i])) continue;
    sumX += x[i];
    sumY += y[i];
    held++;
  }
  return held > 0 && isPair(sumX, sumY) ? [sumX / held, sumY / held] : [0, 0];
}
