import type { Table } from "../../columns/arrow/arrow.js";
import { type CollapseOptions, collapse, type PeriodValue } from "../../series/collapse.js";
import type { Frequency } from "../../series/core/calendar.js";
import type { ColumnChoice } from "../../series/core/choose.js";
import { quantile } from "../../series/core/quantile.js";
import { type EwmMethod, type EwmOptions, ewm } from "../../series/ewm.js";
import { type Filling, type FillOptions, fill } from "../../series/fill.js";
import { unique } from "../../series/group-by.js";
import { querySeries, type SeriesQuery } from "../../series/query.js";
import { type ResampleOptions, resample } from "../../series/resample.js";
import { type RollingOptions, rolling, type WindowMethod } from "../../series/rolling.js";
import { running } from "../../series/running.js";
import { diff, pctChange, type ReturnsOptions, returns, shift } from "../../series/track/steps.js";
import { type TransformOptions, transform } from "../../series/transform.js";
import type { Columns, OneOrMore } from "../../spec/columns.js";
import type { FrameSource } from "../../spec/frame-source.js";
import type { Collapse, Transform } from "../../spec/vocabulary.js";
import type { OPENED, OpenedBy } from "../cells/row-types.js";

/** The service's names for the operations that were applied to the rows (spec 4.2). */
export type SourceOperations = Pick<FrameSource, "collapse" | "transform">;

interface Suffixed<Suffix extends string> {
  readonly suffix?: Suffix;
}

/** Which columns a method computes, and the suffix of the results. */
type Choice<Row, Suffix extends string> = ColumnChoice<Columns<Row>["name"]> & Suffixed<Suffix>;

/** How options reduce the values of a period: a single way, or one for each column. */
interface Reduced<Name extends string, How extends PeriodValue> {
  readonly value?: How | { readonly [K in Name]?: How };
}

/**
 * The time-series methods of a `Frame`. Each one calls a function of `series/`, whose documentation covers nulls,
 * decimals and order. All take `on` (the date column, by default the first) and `by` (columns that identify the series
 * of a long table), and compute by ascending day whatever the row order.
 */
export abstract class SeriesMethods<Row extends object> {
  declare readonly [OPENED]: object;

  abstract readonly table: Table;

  /**
   * Derives a frame with another table; `applied` names the operations on its source, if the service has names for
   * them.
   */
  protected abstract like(table: Table, applied?: SourceOperations): this;

  /** Reduces each series to one row per period, dated with its end, as the service does. {@link collapse} */
  collapse<How extends PeriodValue = never>(
    frequency: Collapse,
    options?: Omit<CollapseOptions<Columns<Row>["name"]>, "value"> & Reduced<Columns<Row>["name"], How>,
  ): OpenedBy<this, Extract<How, "ohlc">> {
    const applied = options?.value === undefined || options.value === "last" ? { collapse: frequency } : {};
    return this.like(collapse(this.table, frequency, options), applied) as OpenedBy<this, Extract<How, "ohlc">>;
  }

  /** The calculations that a service applies to a series. {@link transform} */
  transform(name: Transform, options?: TransformOptions<Columns<Row>["name"]>): this {
    const applied = options?.columns === undefined ? { transform: name } : {};
    return this.like(transform(this.table, name, options), applied);
  }

  /**
   * Trims, collapses, transforms, orders and limits, as the service does with a filtered series, in its order. {@link
   * querySeries}
   */
  query<How extends PeriodValue = never>(
    query: Omit<SeriesQuery<Columns<Row>["name"]>, "value"> & Reduced<Columns<Row>["name"], How>,
  ): OpenedBy<this, Extract<How, "ohlc">> {
    const table = querySeries(this.table, query);
    const { collapse, transform, value } = query;
    const applied = value === undefined || value === "last" ? { collapse, transform } : { transform };
    return this.like(table, applied) as OpenedBy<this, Extract<How, "ohlc">>;
  }

  /** One row per period from first to last, even without data. {@link resample} */
  resample<How extends PeriodValue = never>(
    frequency: Frequency,
    options?: Omit<ResampleOptions<Columns<Row>["name"]>, "value"> & Reduced<Columns<Row>["name"], How>,
  ): OpenedBy<this, Extract<How, "ohlc">> {
    return this.like(resample(this.table, frequency, options)) as OpenedBy<this, Extract<How, "ohlc">>;
  }

  /** A statistic over a window of rows or of time, also of two columns, as `corr`. {@link rolling} */
  rolling<Suffix extends string = never>(
    size: number,
    word: WindowMethod,
    options?: RollingOptions<Columns<Row>["name"]> & Suffixed<Suffix>,
  ): OpenedBy<this, Suffix> {
    return this.like(rolling(this.table, size, word, options)) as OpenedBy<this, Suffix>;
  }

  /** Exponentially weighted mean, standard deviation, variance, covariance or correlation. {@link ewm} */
  ewm<Suffix extends string = never>(
    options: EwmOptions<Columns<Row>["name"]> & Suffixed<Suffix>,
    word?: EwmMethod,
  ): OpenedBy<this, Suffix> {
    return this.like(ewm(this.table, options, word)) as OpenedBy<this, Suffix>;
  }

  /** Moves every value some rows later (earlier if negative). {@link shift} */
  shift<Suffix extends string = never>(steps = 1, options?: Choice<Row, Suffix>): OpenedBy<this, Suffix> {
    return this.like(shift(this.table, steps, options)) as OpenedBy<this, Suffix>;
  }

  /** Difference from the value some rows earlier; drops no rows. {@link diff} */
  diff<Suffix extends string = never>(steps = 1, options?: Choice<Row, Suffix>): OpenedBy<this, Suffix> {
    return this.like(diff(this.table, steps, options)) as OpenedBy<this, Suffix>;
  }

  /** Relative change from the value some rows earlier; drops no rows. {@link pctChange} */
  pctChange<Suffix extends string = never>(steps = 1, options?: Choice<Row, Suffix>): OpenedBy<this, Suffix> {
    return this.like(pctChange(this.table, steps, options)) as OpenedBy<this, Suffix>;
  }

  /** Simple or logarithmic returns from row to row. {@link returns} */
  returns<Suffix extends string = never>(
    options?: ReturnsOptions<Columns<Row>["name"]> & Suffixed<Suffix>,
  ): OpenedBy<this, Suffix> {
    return this.like(returns(this.table, options)) as OpenedBy<this, Suffix>;
  }

  /** Running sum; nulls stay null. {@link running} */
  cumsum<Suffix extends string = never>(options?: Choice<Row, Suffix>): OpenedBy<this, Suffix> {
    return this.like(running(this.table, "cumsum", options)) as OpenedBy<this, Suffix>;
  }

  /** Running product; nulls stay null. {@link running} */
  cumprod<Suffix extends string = never>(options?: Choice<Row, Suffix>): OpenedBy<this, Suffix> {
    return this.like(running(this.table, "cumprod", options)) as OpenedBy<this, Suffix>;
  }

  /** Largest value so far; nulls stay null. {@link running} */
  cummax<Suffix extends string = never>(options?: Choice<Row, Suffix>): OpenedBy<this, Suffix> {
    return this.like(running(this.table, "cummax", options)) as OpenedBy<this, Suffix>;
  }

  /** Smallest value so far; nulls stay null. {@link running} */
  cummin<Suffix extends string = never>(options?: Choice<Row, Suffix>): OpenedBy<this, Suffix> {
    return this.like(running(this.table, "cummin", options)) as OpenedBy<this, Suffix>;
  }

  /** Drawdown from the highest value so far, as a fraction. {@link running} */
  drawdown<Suffix extends string = never>(options?: Choice<Row, Suffix>): OpenedBy<this, Suffix> {
    return this.like(running(this.table, "drawdown", options)) as OpenedBy<this, Suffix>;
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
