import { InputError } from "../../errors/errors.js";
import { drawdownsOf, periodReturns, type Wealth } from "./returns.js";

/** What a series of returns amounts to; rates are fractions, NaN where there are too few returns. */
export interface KeyFigures {
  /** The first date. */
  readonly from: string;
  /** The last date. */
  readonly to: string;
  /** The number of returns. */
  readonly returns: number;
  /** The number of returns in a year. */
  readonly periods: number;
  /** The product of 1 + return, less 1. */
  readonly totalReturn: number;
  /** The growth per year: (1 + total return) ^ (periods / returns) − 1. */
  readonly cagr: number;
  /** The standard deviation (n − 1) of the returns times the root of `periods`. */
  readonly volatility: number;
  /** The mean return above the risk-free rate by its standard deviation, times the root of `periods`. */
  readonly sharpe: number;
  /** As `sharpe`, by the root of the mean square of the returns below the risk-free rate. */
  readonly sortino: number;
  /** The largest distance from the highest value before, at most 0. */
  readonly maxDrawdown: number;
  /** The highest return of a calendar month. */
  readonly bestMonth: number;
  /** The lowest return of a calendar month. */
  readonly worstMonth: number;
  /** The share of months with a return above 0. */
  readonly positiveMonths: number;
}

/** @param riskFree the risk-free rate per year */
export function keyFigures(series: Wealth, periods: number, riskFree: number): KeyFigures {
  const { dates, wealth } = series;
  const returns = series.returns.filter((value) => !Number.isNaN(value));
  const excess = returns.map((value) => value - riskFree / periods);
  const mean = meanOf(excess);
  const deviation = Math.sqrt(
    (meanOf(excess.map((value) => (value - mean) ** 2)) * excess.length) / (excess.length - 1),
  );
  const downside = Math.sqrt(meanOf(excess.map((value) => Math.min(value, 0) ** 2)));
  const total = wealth[wealth.length - 1];
  const months = periodReturns(series, 7).map(({ value }) => value);
  return {
    from: dayOf(dates[0]),
    to: dayOf(dates[dates.length - 1]),
    returns: returns.length,
    periods,
    totalReturn: total - 1,
    cagr: total ** (periods / returns.length) - 1,
    volatility: deviation * Math.sqrt(periods),
    sharpe: (mean / deviation) * Math.sqrt(periods),
    sortino: (mean / downside) * Math.sqrt(periods),
    maxDrawdown: drawdownsOf(returns, true).reduce((least, value) => Math.min(least, value), 0),
    bestMonth: Math.max(...months),
    worstMonth: Math.min(...months),
    positiveMonths: months.filter((value) => value > 0).length / months.length,
  };
}

const meanOf = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const dayOf = (date: number): string => new Date(date).toISOString().slice(0, 10);

const DAY = 86_400_000;
/** By the largest usual distance of two dates in days, the periods of a year. */
const PERIODS = [
  [4, 252],
  [10, 52],
  [45, 12],
  [135, 4],
  [Number.POSITIVE_INFINITY, 1],
] as const;
const DAYS_OF_YEAR = 365;

/**
 * The number of returns in a year, by the median distance of two dates; for days 252, or 365 with rows at weekends.
 *
 * @throws {InputError} BadArgument for times within a day
 */
export function periodsOf({ dates }: Wealth): number {
  const gaps = dates.subarray(1).map((date, i) => (date - dates[i]) / DAY);
  const median = gaps.sort()[gaps.length >> 1];
  if (median < 1) {
    throw new InputError("tearSheet() cannot infer the returns of a year from times within days.", {
      code: "BadArgument",
      hint: "Pass their number: tearSheet({ periods: 252 * 390 }).",
    });
  }
  const weekends = dates.filter((date) => new Date(date).getUTCDay() % 6 === 0).length;
  const [, periods] = PERIODS.find(([days]) => median <= days) ?? [0, 1];
  return periods === 252 && weekends > dates.length / 20 ? DAYS_OF_YEAR : periods;
}
