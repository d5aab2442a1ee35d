import { boxplot } from "./boxplot.js";
import { candlestick } from "./candlestick.js";
import { correlation } from "./correlation.js";
import { heatmap } from "./heatmap.js";
import { histogram } from "./histogram.js";
import type { MarkType } from "./mark.js";
import { months } from "./months.js";
import { area, bar, drawdown, line, point } from "./points.js";
import { regression } from "./regression.js";

const TYPES = {
  line,
  area,
  bar,
  point,
  candlestick,
  histogram,
  heatmap,
  boxplot,
  regression,
  correlation,
  months,
  drawdown,
} as const satisfies Record<string, MarkType>;

/** The available marks: each is one file of this folder and one entry of this list. */
export type Mark = keyof typeof TYPES;
export const MARKS = Object.keys(TYPES) as readonly Mark[];

export const markType = (mark: Mark): MarkType => TYPES[mark];
