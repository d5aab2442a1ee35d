import type { Table } from "../../columns/arrow/arrow.js";
import { type CollapseOptions, collapse } from "../../series/collapse.js";
import type { Frequency } from "../../series/core/calendar.js";
import type { ColumnChoice } from "../../series/core/choose.js";
import { quantile } from "../../series/core/quantile.js";
import { type EwmOptions, ewm } from "../../series/ewm.js";
import { type Filling, type FillOptions, fill } from "../../series/fill.js";
import { querySeries, type SeriesQuery } from "../../series/query.js";
import { type ResampleOptions, resample } from "../../series/resample.js";
import { type RollingOptions, rolling, type WindowWord } from "../../series/rolling.js";
import { cummax, cummin, cumprod, cumsum, drawdown } from "../../series/running.js";
import { diff, pctChange, type ReturnsOptions, returns, shift } from "../../series/track/steps.js";
import { type TransformOptions, transform } from "../../series/transform.js";
import { unique } from "../../series/unique.js";
import type { FrameSource } from "../../spec/frame-source.js";
import type { Collapse, Transform } from "../../spec/vocabulary.js";

type Name<Row> = keyof Row & string;

/** The service's names for what was done to the rows (spec 4.2). */
export type SourceWords = Pick<FrameSource, "collapse" | "transform">;

/**
 * The methods of a `Frame` that compute along time and keep its shape: each is one function of `series/`, and says
 * there what it does with nulls, decimals and order. Every one takes `on` (the date column, the first by default) and
 * `by` (columns that identify the series of a long table apart), and computes by ascending day whatever the order of
 * the rows.
 */
export abstract class SeriesMethods<Row extends object> {
  abstract readonly table: Table;

  /**
   * A frame like this one over another table; `words` say what was done to its source, where the service has a name for
   * it.
   */
  protected abstract like(table: Table, words?: SourceWords): this;

  /** One row for each period, dated with its end, as the service collapses. {@link collapse} */
  collapse(frequency: Collapse, options?: CollapseOptions<Name<Row>>): this {
    const words = options?.value === undefined || options.value === "last" ? { collapse: frequency } : {};
    return this.like(collapse(this.table, frequency, options), words);
  }

  /** The service's transforms: `diff`, `rdiff`, `rdiff_from`, `cumul`, `normalize`. {@link transform} */
  transform(name: Transform, options?: TransformOptions<Name<Row>>): this {
    const words = options?.columns === undefined ? { transform: name } : {};
    return this.like(transform(this.table, name, options), words);
  }

  /**
   * Trim, collapse, transform, order, limit: what the service does with a filtered series, in its order.
   * {@link querySeries}
   */
  query(query: SeriesQuery<Name<Row>>): this {
    const table = querySeries(this.table, query);
    const { collapse, transform, value } = query;
    const words = value === undefined || value === "last" ? { collapse, transform } : { transform };
    return this.like(table, words);
  }

  /** A row for each period from first to last, also where there is no data. {@link resample} */
  resample(frequency: Frequency, options?: ResampleOptions<Name<Row>>): this {
    return this.like(resample(this.table, frequency, options));
  }

  /** Mean, sum, min, max, std, var, median, quantile or count over a window of rows or days. {@link rolling} */
  rolling(size: number, word: WindowWord, options?: RollingOptions<Name<Row>>): this {
    return this.like(rolling(this.table, size, word, options));
  }

  /** Exponentially weighted mean, standard deviation or variance. {@link ewm} */
  ewm(options: EwmOptions<Name<Row>>, word?: "mean" | "std" | "var"): this {
    return this.like(ewm(this.table, options, word));
  }

  /** Every value some rows later (earlier where negative). {@link shift} */
  shift(steps = 1, options?: ColumnChoice<Name<Row>>): this {
    return this.like(shift(this.table, steps, options));
  }

  /** Difference to the value some rows before; no row is dropped. {@link diff} */
  diff(steps = 1, options?: ColumnChoice<Name<Row>>): this {
    return this.like(diff(this.table, steps, options));
  }

  /** Relative difference to the value some rows before; no row is dropped. {@link pctChange} */
  pctChange(steps = 1, options?: ColumnChoice<Name<Row>>): this {
    return this.like(pctChange(this.table, steps, options));
  }

  /** Simple or logarithmic returns from row to row. {@link returns} */
  returns(options?: ReturnsOptions<Name<Row>>): this {
    return this.like(returns(this.table, options));
  }

  /** Running sum; a null stays null. {@link cumsum} */
  cumsum(options?: ColumnChoice<Name<Row>>): this {
    return this.like(cumsum(this.table, options));
  }

  /** Running product; a null stays null. {@link cumprod} */
  cumprod(options?: ColumnChoice<Name<Row>>): this {
    return this.like(cumprod(this.table, options));
  }

  /** Largest value so far; a null stays null. {@link cummax} */
  cummax(options?: ColumnChoice<Name<Row>>): this {
    return this.like(cummax(this.table, options));
  }

  /** Smallest value so far; a null stays null. {@link cummin} */
  cummin(options?: ColumnChoice<Name<Row>>): this {
    return this.like(cummin(this.table, options));
  }

  /** How far below its highest value so far, as a fraction. {@link drawdown} */
  drawdown(options?: ColumnChoice<Name<Row>>): this {
    return this.like(drawdown(this.table, options));
  }

  /** Nulls filled from before, from after, or with a value. {@link fill} */
  fill(filling: Filling, options?: FillOptions<Name<Row>>): this {
    return this.like(fill(this.table, filling, options));
  }

  /** The first row of each combination of values in the named columns (in all where none is named). {@link unique} */
  unique(...names: readonly Name<Row>[] | readonly [readonly Name<Row>[]]): this {
    return this.like(unique(this.table, names.flat()));
  }

  /** A quantile of a number column, from 0 to 1; null where it has no values. {@link quantile} */
  quantile(column: Name<Row>, q: number): number | null {
    return quantile(this.table, column, q);
  }
}
