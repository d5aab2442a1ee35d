/** Prices, or returns, of one series. */
export interface ReturnSeries {
  /** In milliseconds since 1970-01-01 UTC, in any order; NaN is left out. */
  readonly dates: ArrayLike<number>;
  /** NaN is left out. */
  readonly values: ArrayLike<number>;
  /** The values are simple returns, such as 0.01, instead of prices. */
  readonly returns: boolean;
}

/** A series by ascending date, without nulls. */
export interface Wealth {
  /** The position of each value in the series that was passed. */
  readonly rows: readonly number[];
  readonly dates: Float64Array;
  /** NaN for the first price. */
  readonly returns: Float64Array;
  /** The product of 1 + return up to each date; 1 for the first price. */
  readonly wealth: Float64Array;
}

/** Sorts a series and computes its returns and its wealth. */
export function wealthOf({ dates, values, returns }: ReturnSeries): Wealth {
  const rows = Array.from({ length: dates.length }, (_, i) => i)
    .filter((i) => Number.isFinite(dates[i]) && Number.isFinite(values[i]))
    .sort((a, b) => dates[a] - dates[b]);
  const sorted = Float64Array.from(rows, (row) => values[row]);
  return {
    rows,
    dates: Float64Array.from(rows, (row) => dates[row]),
    returns: returns ? sorted : sorted.map((price, i) => (i === 0 ? Number.NaN : price / sorted[i - 1] - 1)),
    wealth: returns ? productsOf(sorted).subarray(1) : sorted.map((price) => price / sorted[0]),
  };
}

export interface PeriodReturn {
  /** `2024`, `2024-03` or `2024-03-08`. */
  readonly period: string;
  readonly value: number;
}

/**
 * The return of each period in which the series has one, from the end of the period before. `digits` is the length of
 * the period's name: 4 for years, 7 for months, 10 for days.
 */
export function periodReturns(series: ReturnSeries | Wealth, digits: number): PeriodReturn[] {
  const { dates, returns, wealth } = "wealth" in series ? series : wealthOf(series);
  const found: { period: string; value: number }[] = [];
  let before = 1;
  let last = 1;
  for (const [i, date] of dates.entries()) {
    if (Number.isNaN(returns[i])) continue;
    const period = new Date(date).toISOString().slice(0, digits);
    const current = found.at(-1);
    if (current?.period === period) current.value = wealth[i] / before - 1;
    else {
      before = last;
      found.push({ period, value: wealth[i] / before - 1 });
    }
    last = wealth[i];
  }
  return found;
}

/** The distance of each value from the highest before it. */
export function drawdownKernel(y: Float64Array, out: Float64Array, from: number, to: number): void {
  let peak = Number.NaN;
  for (let i = from; i < to; i++) {
    if (y[i] > peak || (Number.isNaN(peak) && y[i] > 0)) peak = y[i];
    out[i] = y[i] / peak - 1;
  }
}

/**
 * The distance of each value from the highest before it, at most 0; of returns that of their product, which begins at
 * 1. NaN stays NaN.
 */
export function drawdownsOf(values: Float64Array, returns: boolean): Float64Array {
  const levels = returns ? productsOf(values) : values;
  const out = new Float64Array(levels.length);
  drawdownKernel(levels, out, 0, levels.length);
  return returns ? out.subarray(1) : out;
}

/** 1, and the product of 1 + return up to each value. */
function productsOf(returns: Float64Array): Float64Array {
  const out = new Float64Array(returns.length + 1).fill(Number.NaN);
  let product = 1;
  out[0] = product;
  for (const [i, value] of returns.entries()) {
    if (Number.isNaN(value)) continue;
    product *= 1 + value;
    out[i + 1] = product;
  }
  return out;
}
