import { type Choice, nameOf, tipName } from "./channel.js";
import type { ChartValues } from "./data.js";

/** A part of a Vega-Lite spec. */
export type Unit = Readonly<Record<string, unknown>>;

/** Pixels of the x axis for each label. */
const LABEL_WIDTH = 80;

/** The name of the parameter that holds the dates of an axis without gaps. */
export const DATES = "axis_dates";

/** The x channel; dates in UTC, so that they show the same day in every time zone. */
export function xChannel({ x, gaps, percentX }: Choice, values: ChartValues, width: number): Unit {
  if (x?.scale === "time" && !gaps) {
    return {
      field: "x",
      type: "quantitative",
      title: nameOf(x),
      scale: { zero: false, nice: false, padding: 10 },
      axis: { tickCount: tickCount(width), tickMinStep: 1, labelOverlap: true, labelExpr: DATE_LABEL, grid: false },
    };
  }
  if (x?.scale === "time") {
    return {
      field: "x",
      type: "temporal",
      title: nameOf(x),
      scale: { type: "utc" },
      axis: { tickCount: tickCount(width), labelOverlap: true },
    };
  }
  if (x?.scale === "text") return { ...textChannel("x", nameOf(x), values, width), sort: null };
  return {
    field: "x",
    type: "quantitative",
    title: nameOf(x),
    scale: { zero: false },
    axis: numberAxis(percentX, width),
  };
}

/**
 * The label of a position on an axis without gaps: the day and below it the year, or for timestamps of a few days the
 * time.
 */
const DATE_LABEL =
  `!isValid(${DATES}[datum.value]) ? '' : ` +
  `${DATES}[${DATES}.length - 1] - ${DATES}[0] < 2592e5 ? utcFormat(${DATES}[datum.value], '%b %-d %H:%M') : ` +
  `[utcFormat(${DATES}[datum.value], '%b %-d'), utcFormat(${DATES}[datum.value], '%Y')]`;

/** A channel of text; its labels are slanted where they do not fit side by side. */
export function textChannel(field: string, title: string | null, { values }: ChartValues, width: number): Unit {
  const words = new Set(values.map((datum) => String(datum[field])));
  const longest = Math.max(0, ...Array.from(words, (word) => word.length));
  const fits = 8 + 7 * longest <= width / Math.max(1, words.size);
  const axis = { labelOverlap: true, ...(fits ? { labelAngle: 0 } : { labelAngle: -40, labelAlign: "right" }) };
  return { field, type: "nominal", title, axis };
}

/** Number labels: commas between thousands, k from 100,000 and M and B from a million on; fractions as percent. */
export function numberAxis(percent: boolean, width?: number): Unit {
  const ticks = width === undefined ? {} : { tickCount: tickCount(width) };
  if (percent) return { format: ".1~%", ...ticks };
  const big = "abs(datum.value) >= 1e5";
  const labelExpr = `${big} ? replace(format(datum.value, '.4~s'), 'G', 'B') : format(datum.value, ',.6~g')`;
  return { labelExpr, ...ticks };
}

const tickCount = (width: number): number => Math.max(2, Math.round(width / LABEL_WIDTH));

export const xTip = ({ x, gaps, percentX }: Choice): Unit => {
  const title = tipName(x);
  if (x?.scale === "text") return { field: "x", type: "nominal", title };
  if (x?.scale !== "time") return numberTip("x", title, percentX ? ".2%" : undefined);
  const format = x.days ? "%Y-%m-%d" : "%Y-%m-%d %H:%M:%S";
  return { field: gaps ? "x" : "date", type: "temporal", title, format, scale: { type: "utc" } };
};

export const numberTip = (field: string, title: string, format = ",.10~g"): Unit => ({
  field,
  type: "quantitative",
  title,
  format,
});

export const seriesColors = (title: string | null): Unit => ({ field: "color", type: "nominal", title, sort: null });
