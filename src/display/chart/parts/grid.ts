import { numberAxis, numberTip, type Unit } from "./axes.js";
import { tipText } from "./channel.js";
import type { ChartValues, Datum } from "./data.js";

/** One axis of a grid of cells. */
export interface GridAxis {
  readonly title: string | null;
  readonly tip: string;
  /** The order of the steps: by size, listed, or as in the data. */
  readonly sort: "ascending" | readonly string[] | null;
}

export interface Grid {
  readonly x: GridAxis;
  readonly y: GridAxis;
  /** What the colour means. */
  readonly title: string;
  readonly percent: boolean;
  /** The value in the middle of a diverging scale; default 0 if there are values on both sides of it. */
  readonly middle: number | undefined;
  /** The distance from the middle with the strongest colour; default: of the farthest value. */
  readonly reach?: number;
  /** Numbers in the cells; default: where they fit. */
  readonly labels: boolean | undefined;
}

/** The least height of a row with its number, and the greatest by default, in pixels. */
const LABEL_HEIGHT = 14;
const ROW_HEIGHT = 34;
/** The width of a character of a number, and the space beside the number. */
const DIGIT_WIDTH = 6.5;
const LABEL_SPACE = 6;
/** Text on a light and on a dark cell. */
const DARK_INK = "#1c2430";
const LIGHT_INK = "#ffffff";

const stepsOf = ({ values }: ChartValues, field: string): number =>
  Math.max(1, new Set(values.map((datum) => datum[field])).size);

/** A height at which few rows are not stretched. */
export const gridHeight = (values: ChartValues): number =>
  Math.max(60, Math.min(320, ROW_HEIGHT * stepsOf(values, "y")));

/** Cells of `x` and `y` coloured by `heat`, with their numbers where they fit. */
export function gridUnit(values: ChartValues, grid: Grid, { width, height }: { width: number; height: number }): Unit {
  const { x, y, title, percent } = grid;
  const [columns, rows] = [stepsOf(values, "x"), stepsOf(values, "y")];
  const scale = scaleOf(values.values, grid);
  const format = percent ? ".1%" : labelFormat(scale.largest);
  const longest = percent ? 6 : Math.min(7, 4 + Math.floor(Math.log10(Math.max(1, scale.largest))));
  const fits = width / columns >= LABEL_SPACE + DIGIT_WIDTH * longest && height / rows >= LABEL_HEIGHT;
  const isLabelled = grid.labels ?? fits;
  const cells = {
    mark: { type: "rect" },
    encoding: {
      color: {
        field: "heat",
        type: "quantitative",
        title,
        scale: scale.spec,
        legend: isLabelled ? null : numberAxis(percent),
      },
    },
  };
  const numbers = {
    mark: { type: "text", fontSize: 11, aria: false },
    encoding: {
      text: { field: "heat", type: "quantitative", format },
      color: { condition: { test: scale.isLight, value: DARK_INK }, value: LIGHT_INK },
    },
  };
  const encoding = {
    x: gridChannel("x", x, isLabelled, labelAngle(values, width / columns)),
    y: gridChannel("y", y, isLabelled, {}),
    tooltip: [
      { field: "x", type: "nominal", title: x.tip },
      { field: "y", type: "nominal", title: y.tip },
      numberTip("heat", tipText(title), percent ? ".2%" : ",.6~g"),
    ],
  };
  return isLabelled
    ? { encoding, layer: [cells, numbers] }
    : { mark: cells.mark, encoding: { ...encoding, ...cells.encoding } };
}

function gridChannel(field: string, { title, sort }: GridAxis, isLabelled: boolean, angle: Unit): Unit {
  const axis = { labelOverlap: true, ...angle, ...(isLabelled && { domain: false, ticks: false }) };
  return { field, type: "ordinal", title, sort, axis, ...(isLabelled && { scale: { padding: 0.03 } }) };
}

/** Labels side by side where they fit. */
function labelAngle({ values }: ChartValues, cell: number): Unit {
  const longest = Math.max(0, ...values.map((datum) => String(datum["x"]).length));
  return cell >= LABEL_SPACE + DIGIT_WIDTH * longest ? { labelAngle: 0 } : { labelAngle: -40, labelAlign: "right" };
}

interface HeatScale {
  readonly spec: Unit;
  readonly largest: number;
  /** An expression that is true for a cell of a light colour. */
  readonly isLight: string;
}

/** Diverging colours around the middle, or from dark to light. */
function scaleOf(values: readonly Datum[], { middle, reach }: Grid): HeatScale {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const { heat } of values) {
    if (typeof heat !== "number") continue;
    if (heat < low) low = heat;
    if (heat > high) high = heat;
  }
  const largest = Math.max(Math.abs(low), Math.abs(high));
  const center = middle ?? (low < 0 && high > 0 ? 0 : undefined);
  if (center === undefined) {
    const isLight = `datum.heat > ${low + 0.55 * (high - low)}`;
    return { spec: { range: "heatmap" }, largest, isLight };
  }
  const distance = reach ?? (Math.max(Math.abs(high - center), Math.abs(low - center)) || 1);
  const domain = [center - distance, center + distance];
  const isLight = `abs(datum.heat - (${center})) < ${0.65 * distance}`;
  return { spec: { range: "diverging", domain, domainMid: center, clamp: true }, largest, isLight };
}

const labelFormat = (largest: number): string => {
  if (largest >= 10_000) return ".3~s";
  return largest >= 100 ? ",.0f" : largest >= 10 ? ".1f" : ".2f";
};
