import { candlestick } from "./candlestick.js";
import { heatmap } from "./heatmap.js";
import { histogram } from "./histogram.js";
import type { MarkType } from "./mark.js";
import { area, bar, line, point } from "./points.js";

const TYPES = { line, area, bar, point, candlestick, histogram, heatmap } as const satisfies Record<string, MarkType>;

/** The available marks: each is one file of this folder and one entry of this list. */
export type Mark = keyof typeof TYPES;
export const MARKS = Object.keys(TYPES) as readonly Mark[];

export const markType = (mark: Mark): MarkType => TYPES[mark];
