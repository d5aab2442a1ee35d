import type { OneOrMore } from "../../spec/columns.js";
import type { Mark } from "./marks/marks.js";
import type { Bins } from "./parts/channel.js";

/** A Vega-Lite 5 specification including its data. */
export type ChartSpec = Readonly<Record<string, unknown>>;

/** What one mark draws. Columns are named exactly; defaults are chosen from the table and its source. */
export interface LayerOptions<Name extends string = string> {
  /** One column, or several, each drawn as a line. Default: every number column (`point`, `bar`: the first). */
  readonly y?: OneOrMore<Name>;
  /**
   * A column whose values identify the series; for `heatmap`, the numbers that determine the colour. Default for lines,
   * areas, points and bars over the date of the frame's key: the other columns of the key; of more than 12 series,
   * those with the most rows are drawn.
   */
  readonly color?: Name;
  /** Default `line` if x is a date or number, else `bar`. */
  readonly mark?: Mark;
  /** The side of the y axis; layers at the right have a scale of their own. Default `left`. */
  readonly axis?: "left" | "right";
  /** Logarithmic y axis; values of 0 or less are omitted, and the caption reports it. */
  readonly log?: boolean;
  /**
   * Show fractions in percent: 0.12 as 12 %; `both` also for a number on the x axis. Default: for relative changes of
   * the query or of `transform`.
   */
  readonly percent?: boolean | "both";
  /**
   * For `drawdown` and `months`: y holds simple returns, such as 0.01, instead of prices. Default: for relative changes
   * of the query or of `transform`.
   */
  readonly returns?: boolean;
  /** For `candlestick`: a column drawn as bars in the lowest part, with an axis at the right. */
  readonly volume?: Name;
}

/** What to draw. Columns are named exactly; defaults are chosen from the table and its source. */
export interface PlotOptions<Name extends string = string> extends Omit<LayerOptions<Name>, "axis"> {
  /** Default: the first date or timestamp; for `histogram` the first number column. */
  readonly x?: Name;
  /** Several marks over the same x, the first one behind; options of the chart apply to each layer without its own. */
  readonly layers?: readonly LayerOptions<Name>[];
  /** Draw one small chart per value of this column; of more than 36 values, those with the most rows. */
  readonly facet?: Name;
  /** The number of facets in a row; default 2, of more than 4 facets 3. */
  readonly columns?: number;
  /** `independent`: each facet has its own y axis, and x axis of numbers. Default `shared`. */
  readonly scales?: "shared" | "independent";
  /** For `histogram`: the number of bins of equal width, or the width of each. Default: about 30 with round bounds. */
  readonly bins?: Bins;
  /** For grids: the value in the middle of two colours; default 0 if there are values on both sides of it. */
  readonly middle?: number;
  /** For grids: the numbers in the cells; default: where they fit. */
  readonly labels?: boolean;
  /**
   * `false` omits dates without rows, such as weekends, from the axis. Default `true`, with a `candlestick` `false`.
   */
  readonly gaps?: boolean;
  /** The title; default: what is drawn, and its source. */
  readonly title?: string;
  /** Size of the drawing area in pixels; default 640 × 320. */
  readonly width?: number;
  /** Height of the drawing in pixels; default 320, 180 for each facet. */
  readonly height?: number;
}
