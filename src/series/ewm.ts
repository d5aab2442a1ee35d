import type { Table } from "../columns/arrow/arrow.js";
import { InputError } from "../errors/errors.js";
import { oneOf, refuseUnknown } from "../errors/options.js";
import { CHOICE, type ColumnChoice, secondColumn, wholeNumber } from "./core/choose.js";
import type { PieceKernel } from "./core/pieces.js";
import { computeColumns, numbersAlong, runKernel, runWhole } from "./track/kernel.js";

/** Exactly one of the four sets the decay: `alpha`, or `span`, `halflife` or `com` (centre of mass) in rows. */
export interface EwmOptions<Name extends string = string> extends ColumnChoice<Name> {
  /** The weight of the newest value, above 0 and at most 1. */
  readonly alpha?: number;
  /** alpha = 2 / (span + 1), for span ≥ 1. */
  readonly span?: number;
  /** alpha = 1 − exp(−ln 2 / halflife), for halflife > 0. */
  readonly halflife?: number;
  /** alpha = 1 / (1 + com), for com ≥ 0. */
  readonly com?: number;
  /**
   * Divide by the sum of the weights (default), or start the recursion y = (1 − alpha) y + alpha x at the first value.
   */
  readonly adjust?: boolean;
  /** Whether nulls leave the weights of earlier values unchanged. */
  readonly ignoreNulls?: boolean;
  /** The least number of values for a result; 1 by default. */
  readonly minPeriods?: number;
  /** For `cov` and `corr`: the other column, which is not itself computed unless named in `columns`. */
  readonly with?: Name;
}

/** What {@link Frame.ewm} computes. */
export type EwmMethod = (typeof EWM_METHODS)[number];
const EWM_METHODS = ["mean", "std", "var", "cov", "corr"] as const;

/**
 * Exponentially weighted `mean`, `var` or `std` (both unbiased), or with another column `cov` (unbiased) or `corr`,
 * along each series by ascending day, as pandas' `ewm` computes them; a null repeats the previous result. Without
 * `adjust`, a value after a null weighs `alpha` beside (1 − alpha)^n, as in polars and pandas 2 (pandas 3.1:
 * 1 − (1 − alpha)^n). Returns `Float64`.
 *
 * @throws {InputError} BadArgument, UnknownValue, UnknownColumn, WrongType, EmptyDate
 * @example
 * ```ts
 * import { Frame } from "arrowbook";
 * const days = Frame.fromRows(
 *   [{ Date: "2024-02-28", Close: 1 }, { Date: "2024-02-29", Close: 4 }],
 *   [{ name: "Date", type: "Date" }, { name: "Close", type: "double" }],
 * );
 * days.ewm({ alpha: 0.5 }).column("Close").toNumbers(); // 1, 3
 * ```
 */
export function ewm(table: Table, options: EwmOptions, method: EwmMethod = "mean"): Table {
  refuseUnknown(options ?? null, [...CHOICE, ...DECAYS, "adjust", "ignoreNulls", "minPeriods", "with"], "ewm()");
  oneOf(method, EWM_METHODS, "weighted window");
  const weights: Weights = {
    alpha: alphaOf(options),
    adjust: options.adjust ?? true,
    ignoreNulls: options.ignoreNulls ?? false,
    least: wholeNumber(options.minPeriods ?? 1, 0, "minPeriods"),
  };
  const isPair = method === "cov" || method === "corr";
  const { second, choice } = secondColumn(table, options, isPair ? "with" : undefined, `ewm(…, "${method}")`);
  if (!isPair || second === undefined) {
    const kernel = kernelOf(weights, method as "mean" | "std" | "var");
    return computeColumns(table, choice, (from, at, track) => runKernel(from, at, track, kernel));
  }
  let other: Float64Array | undefined;
  return computeColumns(table, choice, (from, at, track) => {
    other ??= numbersAlong(from, second, track);
    return runWhole(from, at, track, pairKernel(weights, other, method));
  });
}

const DECAYS = ["alpha", "span", "halflife", "com"] as const;

interface Weights {
  readonly alpha: number;
  readonly adjust: boolean;
  readonly ignoreNulls: boolean;
  readonly least: number;
}

function alphaOf({ alpha, span, halflife, com }: EwmOptions): number {
  const given = [alpha, span, halflife, com].filter((value) => value !== undefined);
  if (given.length === 1) {
    if (alpha !== undefined && alpha > 0 && alpha <= 1) return alpha;
    if (span !== undefined && span >= 1) return 2 / (span + 1);
    if (halflife !== undefined && halflife > 0) return 1 - Math.exp(-Math.LN2 / halflife);
    if (com !== undefined && com >= 0) return 1 / (1 + com);
  }
  throw new InputError(
    `ewm() expects exactly one of alpha, span, halflife and com; got ${JSON.stringify({ alpha, span, halflife, com })}.`,
    {
      code: "BadArgument",
      hint: "Pass alpha (above 0, at most 1), span (1 or more), halflife (above 0) or com (0 or more).",
    },
  );
}

const kernelOf =
  ({ alpha, adjust, ignoreNulls, least }: Weights, method: "mean" | "std" | "var"): PieceKernel =>
  (y, out, from, to) => {
    const added = adjust ? 1 : alpha;
    let mean = Number.NaN;
    let variance = 0;
    let count = 0;
    // The sum of the weights, of their squares, and the weight of the newest value.
    let weights = 1;
    let squares = 1;
    let weight = 1;
    // Nulls scale the weights alike: only a value changes it.
    let unbiased = Number.NaN;
    for (let i = from; i < to; i++) {
      const value = y[i];
      const missing = Number.isNaN(value);
      if (!missing) count++;
      if (Number.isNaN(mean)) mean = value;
      else if (!missing || !ignoreNulls) {
        weights *= 1 - alpha;
        squares *= (1 - alpha) ** 2;
        weight *= 1 - alpha;
        if (!missing) {
          const before = mean;
          if (mean !== value) mean = (weight * before + added * value) / (weight + added);
          variance = (weight * (variance + (before - mean) ** 2) + added * (value - mean) ** 2) / (weight + added);
          weights += added;
          squares += added * added;
          weight += added;
          if (!adjust) {
            weights /= weight;
            squares /= weight * weight;
            weight = 1;
          }
          const total = weights * weights;
          unbiased = total > squares ? (total / (total - squares)) * variance : Number.NaN;
        }
      }
      const result = method === "mean" ? mean : method === "var" ? unbiased : Math.sqrt(unbiased);
      out[i] = count >= least ? result : Number.NaN;
    }
  };

/** As {@link kernelOf}, of the rows where both columns have values. The means are kept in two doubles. */
const pairKernel =
  ({ alpha, adjust, ignoreNulls, least }: Weights, other: Float64Array, method: "cov" | "corr"): PieceKernel =>
  (y, out, from, to) => {
    const added = adjust ? 1 : alpha;
    const [x, z] = [new Moment(), new Moment()];
    let products = 0;
    let count = 0;
    let weights = 1;
    let squares = 1;
    let weight = 1;
    let result = Number.NaN;
    for (let i = from; i < to; i++) {
      const missing = Number.isNaN(y[i]) || Number.isNaN(other[i]);
      if (count > 0 && (!missing || !ignoreNulls)) {
        weights *= 1 - alpha;
        squares *= (1 - alpha) ** 2;
        weight *= 1 - alpha;
      }
      if (!missing && count++ === 0) {
        x.start(y[i]);
        z.start(other[i]);
      } else if (!missing) {
        const all = weight + added;
        x.add(y[i], added / all, weight / all);
        z.add(other[i], added / all, weight / all);
        products = (weight * (products + x.step * z.step) + added * x.rest * z.rest) / all;
        weights += added;
        squares += added * added;
        weight = all;
        if (!adjust) {
          weights /= weight;
          squares /= weight * weight;
          weight = 1;
        }
        const total = weights * weights;
        if (method === "corr") result = Math.max(-1, Math.min(1, products / Math.sqrt(x.squares * z.squares)));
        else result = total > squares ? (total / (total - squares)) * products : Number.NaN;
      }
      out[i] = count >= least ? result : Number.NaN;
    }
  };

/** The weighted mean of a column, and the mean of the squares of the deviations from it. */
class Moment {
  squares = 0;
  /** How far the value last added moved the mean, and how far it is from it now. */
  step = 0;
  rest = 0;
  private mean = 0;
  private lost = 0;

  start(value: number): void {
    this.mean = value;
  }

  /** Adds a value with its share of the weights; `old` is that of the others. */
  add(value: number, share: number, old: number): void {
    const distance = value - this.mean - this.lost;
    this.step = distance * share;
    this.rest = distance - this.step;
    const low = this.lost + this.step;
    const mean = this.mean + low;
    const part = mean - this.mean;
    this.lost = this.mean - (mean - part) + (low - part);
    this.mean = mean;
    this.squares = old * (this.squares + this.step * this.step) + share * this.rest * this.rest;
  }
}
