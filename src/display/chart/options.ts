/** A Vega-Lite 5 specification with its data inside. */
export type ChartSpec = Readonly<Record<string, unknown>>;

/** The drawings there are. */
export const MARKS = ["line", "area", "bar", "point", "candlestick", "histogram", "heatmap"] as const;
export type Mark = (typeof MARKS)[number];

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

/**
 * A point or bar more than these is not drawn: lines and areas keep their shape with fewer points, the caption says so.
 */
export const MAX_POINTS = 5_000;

/**
 * Points of one line that is drawn with fewer, and of all lines together; a screen of 640 pixels cannot show more
 * apart.
 */
export const LINE_POINTS = 1_200;
export const ALL_LINE_POINTS = 2_400;

/** Candlesticks drawn at most; more are merged: first open, highest high, lowest low, last close. */
export const MAX_CANDLES = 400;

/** Lines of series coloured by the key of the table, at most; the caption names the choice. */
export const MAX_SERIES = 12;
