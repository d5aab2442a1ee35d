import type { OneOrMore } from "../../spec/columns.js";
import type { Mark } from "./marks/marks.js";

/** A Vega-Lite 5 specification including its data. */
export type ChartSpec = Readonly<Record<string, unknown>>;

/** What to draw. Columns are named exactly; defaults are chosen from the table and its source. */
export interface PlotOptions<Name extends string = string> {
  /** Default: the first date or timestamp; for `histogram` the first number column. */
  readonly x?: Name;
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
  /** Draw one small chart per value of this column. */
  readonly facet?: Name;
  /** Logarithmic y axis; values of 0 or less are omitted, and the caption reports it. */
  readonly log?: boolean;
  /** The title; default: what is drawn, and its source. */
  readonly title?: string;
  /** Size of the drawing area in pixels; default 640 × 320. */
  readonly width?: number;
  /** Height of the drawing in pixels; default 320, 180 for each facet. */
  readonly height?: number;
}
