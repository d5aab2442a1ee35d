import { type Windows, widest } from "./windows.js";

/** The weights of the values; undefined for those of a linear mean: 1 for the first row of a window, then 2, 3, …. */
type Weights = Float64Array | undefined;

/**
 * Σ value · weight / Σ weight over the rows of every window with both; NaN where the weights add to 0 or fewer rows
 * count than the windows need. Slides as `windowPairs` does: over the end of a block of rows and the rows after it. The
 * pivot is a value of the window itself.
 */
export function windowWeighted(
  y: Float64Array,
  weights: Weights,
  out: Float64Array,
  windows: Windows,
  [from, to]: readonly [number, number],
): void {
  const { low, high } = windows;
  const enough = Math.max(windows.least, 1);
  const block = new Block(y, weights, widest(windows, from, to));
  const { tails, counts } = block;
  let pivot = 0;
  let blockStart = 0;
  let blockEnd = -1;
  // Sums over the rows after the block: of deviations from the pivot, of weights, and of their products.
  let sum = 0;
  let weighing = 0;
  let product = 0;
  let held = 0;
  let end = from;
  for (let i = from; i < to; i++) {
    if (end < low[i]) end = low[i];
    for (; end < high[i]; end++) {
      const distance = y[end] - pivot;
      const weight = weights === undefined ? end - blockStart + 1 : weights[end];
      if (!isFinitePair(distance, weight)) continue;
      sum += distance;
      weighing += weight;
      product += distance * weight;
      held++;
    }
    if (low[i] >= blockEnd) {
      blockStart = low[i];
      block.fill(blockStart, high[i]);
      blockEnd = block.end;
      pivot = block.pivot;
      sum = weighing = product = held = 0;
    }
    const row = low[i] - blockStart;
    const count = counts[row] + held;
    // By as much the weights of a linear mean are less than those from the start of the block.
    const less = weights === undefined ? row : 0;
    const total = tails[SUMS * row + 1] + weighing - less * count;
    const products = tails[SUMS * row + 2] + product - less * (tails[SUMS * row] + sum);
    out[i] = count < enough || total === 0 ? Number.NaN : pivot + products / total;
  }
}

const isFinitePair = (a: number, b: number): boolean => a - a === 0 && b - b === 0;

/** The sums of a window: of deviations from a pivot, of weights, of their products. */
const SUMS = 3;

/** A block of rows and the sums from every row of it to its end; the pivot is its last value that has a weight. */
class Block {
  pivot = 0;
  end = 0;
  readonly tails: Float64Array;
  readonly counts: Int32Array;
  private readonly y: Float64Array;
  private readonly weights: Weights;

  constructor(y: Float64Array, weights: Weights, rows: number) {
    this.y = y;
    this.weights = weights;
    this.tails = new Float64Array(SUMS * (rows + 1));
    this.counts = new Int32Array(rows + 1);
  }

  fill(from: number, end: number): void {
    const { y, weights, tails, counts } = this;
    const last = this.lastWeighted(from, end);
    // A window that begins after the pivot needs another one.
    this.end = last === -1 ? end : last + 1;
    this.pivot = last === -1 ? 0 : y[last];
    const { pivot } = this;
    let sum = 0;
    let weighing = 0;
    let product = 0;
    let held = 0;
    for (let i = end - 1; i >= from; i--) {
      const distance = y[i] - pivot;
      const weight = weights === undefined ? i - from + 1 : weights[i];
      if (isFinitePair(distance, weight)) {
        sum += distance;
        weighing += weight;
        product += distance * weight;
        held++;
      }
      const at = SUMS * (i - from);
      tails[at] = sum;
      tails[at + 1] = weighing;
      tails[at + 2] = product;
      counts[i - from] = held;
    }
    if (end === from) counts[0] = 0;
  }

  private lastWeighted(from: number, end: number): number {
    const { y, weights } = this;
    for (let i = end - 1; i >= from; i--) {
      if (Number.isFinite(y[i]) && (weights === undefined || (Number.isFinite(weights[i]) && weights[i] !== 0)))
        return i;
    }
    return -1;
  }
}
