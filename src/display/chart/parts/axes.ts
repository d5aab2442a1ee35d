import { type Channel, nameOf, tipName } from "./channel.js";

/** A part of a Vega-Lite spec. */
export type Unit = Readonly<Record<string, unknown>>;

/** The x channel; dates in UTC, so that they show the same day in every time zone. */
export function xChannel(x: Channel | undefined): Unit {
  if (x?.scale === "time") {
    return {
      field: "x",
      type: "temporal",
      title: nameOf(x),
      scale: { type: "utc" },
      axis: { tickCount: 8, labelOverlap: true },
    };
  }
  if (x?.scale === "text")
    return { field: "x", type: "nominal", title: nameOf(x), sort: null, axis: { labelOverlap: true } };
  return { field: "x", type: "quantitative", title: nameOf(x), scale: { zero: false }, axis: numberAxis(false) };
}

/** Number labels: commas between thousands, M and B from a million on; fractions as percent. */
export function numberAxis(percent: boolean): Unit {
  if (percent) return { format: ".1~%" };
  const big = "abs(datum.value) >= 1e6";
  return { labelExpr: `${big} ? replace(format(datum.value, '.4~s'), 'G', 'B') : format(datum.value, ',.6~g')` };
}

export const xTip = (x: Channel | undefined): Unit => {
  const title = tipName(x);
  if (x?.scale === "text") return { field: "x", type: "nominal", title };
  if (x?.scale !== "time") return numberTip("x", title);
  const format = x.days ? "%Y-%m-%d" : "%Y-%m-%d %H:%M:%S";
  return { field: "x", type: "temporal", title, format, scale: { type: "utc" } };
};

export const numberTip = (field: string, title: string, format = ",.10~g"): Unit => ({
  field,
  type: "quantitative",
  title,
  format,
});

export const seriesColors = (title: string | null): Unit => ({ field: "color", type: "nominal", title, sort: null });
