import type { Mark } from "./marks/marks.js";

/** A Vega-Lite 5 specification with its data inside. */
export type ChartSpec = Readonly<Record<string, unknown>>;

/** What to draw. Columns are named exactly; whatever is left out is chosen from the table and its source. */
export interface PlotOptions<Name extends string = string> {
  /** Default: the first date or timestamp; for `histogram` the first column of numbers. */
  readonly x?: Name;
  /** One column, or several that become one line each. Default: every column of numbers (`point`, `bar`: the first). */
  readonly y?: Name | readonly Name[];
  /**
   * A column whose values identify the series; for `heatmap` the numbers to colour by. Default for lines, areas, points
   * and bars over the date of the frame's key: the other columns of the key; of more than 12 series those with the most
   * rows are drawn.
   */
  readonly color?: Name;
  /** Default `line` where x is a date or number, else `bar`. */
  readonly mark?: Mark;
  /** One small chart for each value of this column. */
  readonly facet?: Name;
  /** Logarithmic y axis; values of 0 or less are left out, and the caption says so. */
  readonly log?: boolean;
  readonly title?: string;
  /** Size of the drawing area in pixels; default 640 × 320. */
  readonly width?: number;
  readonly height?: number;
}
