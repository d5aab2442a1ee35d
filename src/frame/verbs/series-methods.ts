import type { Table } from "../../columns/arrow/arrow.js";
import { type CollapseOptions, collapse } from "../../series/collapse.js";
import type { Frequency } from "../../series/core/calendar.js";
import type { ColumnChoice } from "../../series/core/choose.js";
import { quantile } from "../../series/core/quantile.js";
import { type EwmOptions, ewm } from "../../series/ewm.js";
import { type Filling, type FillOptions, fill } from "../../series/fill.js";
import { querySeries, type SeriesQuery } from "../../series/query.js";
import { type ResampleOptions, resample } from "../../series/resample.js";
import { type RollingOptions, rolling, type WindowMethod } from "../../series/rolling.js";
import { cummax, cummin, cumprod, cumsum, drawdown } from "../../series/running.js";
import { diff, pctChange, type ReturnsOptions, returns, shift } from "../../series/track/steps.js";
import { type TransformOptions, transform } from "../../series/transform.js";
import { unique } from "../../series/unique.js";
import type { Columns, OneOrMore } from "../../spec/column-names.js";
import type { FrameSource } from "../../spec/frame-source.js";
import type { Collapse, Transform } from "../../spec/vocabulary.js";

/** The service's names for the operations that were applied to the rows (spec 4.2). */
export type SourceOperations = Pick<FrameSource, "collapse" | "transform">;

/**
 * The time-series methods of a `Frame`. Each one calls a function of `series/`, whose documentation covers nulls,
 * decimals and order. All take `on` (the date column, by default the first) and `by` (columns that identify the series
 * of a long table), and compute by ascending day whatever the row order.
 */
export abstract class SeriesMethods<Row extends object> {
  abstract readonly table: Table;

  /**
   * Derives a frame with another table; `applied` names the operations on its source, if the service has names for
   * them.
   */
  protected abstract like(table: Table, applied?: SourceOperations): this;

  /** Reduces each series to one row per period, dated with its end, as the service does. {@link collapse} */
  collapse(frequency: Collapse, options?: CollapseOptions<Columns<Row>["name"]>): this {
    const applied = options?.value === undefined || options.value === "last" ? { collapse: frequency } : {};
    return this.like(collapse(this.table, frequency, options), applied);
  }

  /** The service's transforms: `diff`, `rdiff`, `rdiff_from`, `cumul`, `normalize`. {@link transform} */
  transform(name: Transform, options?: TransformOptions<Columns<Row>["name"]>): this {
    const applied = options?.columns === undefined ? { transform: name } : {};
    return this.like(transform(this.table, name, options), applied);
  }

  /**
   * Trims, collapses, transforms, orders and limits, as the service does with a filtered series, in its order. {@link
   * querySeries}
   */
  query(query: SeriesQuery<Columns<Row>["name"]>): this {
    const table = querySeries(this.table, query);
    const { collapse, transform, value } = query;
    const applied = value === undefined || value === "last" ? { collapse, transform } : { transform };
    return this.like(table, applied);
  }

  /** One row per period from first to last, even without data. {@link resample} */
  resample(frequency: Frequency, options?: ResampleOptions<Columns<Row>["name"]>): this {
    return this.like(resample(this.table, frequency, options));
  }

  /** Mean, sum, min, max, std, var, median, quantile or count over a window of rows or days. {@link rolling} */
  rolling(size: number, word: WindowMethod, options?: RollingOptions<Columns<Row>["name"]>): this {
    return this.like(rolling(this.table, size, word, options));
  }

  /** Exponentially weighted mean, standard deviation or variance. {@link ewm} */
  ewm(options: EwmOptions<Columns<Row>["name"]>, word?: "mean" | "std" | "var"): this {
    return this.like(ewm(this.table, options, word));
  }

  /** Moves every value some rows later (earlier if negative). {@link shift} */
  shift(steps = 1, options?: ColumnChoice<Columns<Row>["name"]>): this {
    return this.like(shift(this.table, steps, options));
  }

  /** Difference from the value some rows earlier; drops no rows. {@link diff} */
  diff(steps = 1, options?: ColumnChoice<Columns<Row>["name"]>): this {
    return this.like(diff(this.table, steps, options));
  }

  /** Relative change from the value some rows earlier; drops no rows. {@link pctChange} */
  pctChange(steps = 1, options?: ColumnChoice<Columns<Row>["name"]>): this {
    return this.like(pctChange(this.table, steps, options));
  }

  /** Simple or logarithmic returns from row to row. {@link returns} */
  returns(options?: ReturnsOptions<Columns<Row>["name"]>): this {
    return this.like(returns(this.table, options));
  }

  /** Running sum; nulls stay null. {@link cumsum} */
  cumsum(options?: ColumnChoice<Columns<Row>["name"]>): this {
    return this.like(cumsum(this.table, options));
  }

  /** Running product; nulls stay null. {@link cumprod} */
  cumprod(options?: ColumnChoice<Columns<Row>["name"]>): this {
    return this.like(cumprod(this.table, options));
  }

  /** Largest value so far; nulls stay null. {@link cummax} */
  cummax(options?: ColumnChoice<Columns<Row>["name"]>): this {
    return this.like(cummax(this.table, options));
  }

  /** Smallest value so far; nulls stay null. {@link cummin} */
  cummin(options?: ColumnChoice<Columns<Row>["name"]>): this {
    return this.like(cummin(this.table, options));
  }

  /** Drawdown from the highest value so far, as a fraction. {@link drawdown} */
  drawdown(options?: ColumnChoice<Columns<Row>["name"]>): this {
    return this.like(drawdown(this.table, options));
  }

  /** Fills nulls from the previous or next value, or with a constant. {@link fill} */
  fill(filling: Filling, options?: FillOptions<Columns<Row>["name"]>): this {
    return this.like(fill(this.table, filling, options));
  }

  /** The first row of each combination of values in the named columns (default: all). {@link unique} */
  unique(...names: readonly OneOrMore<Columns<Row>["name"]>[]): this {
    return this.like(unique(this.table, names.flat()));
  }

  /** A quantile of a number column, from 0 to 1; null if it has no values. {@link quantile} */
  quantile(column: Columns<Row>["name"], q: number): number | null {
    return quantile(this.table, column, q);
  }
}
