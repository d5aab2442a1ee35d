import type { Table } from "../../columns/arrow/arrow.js";
import { scrub } from "../../errors/secrets.js";
import { unreachable } from "../../errors/unreachable.js";
import type { FrameSource } from "../../spec/frame-source.js";
import { cutTo } from "../base/width.js";
import type { Channel } from "./channel.js";
import { type Choice, chooseColumns } from "./choose.js";
import type { ChartSpec, Mark, PlotOptions } from "./options.js";
import { titleOf } from "./title.js";
import { type ChartValues, candleValues, count, heatmapValues, histogramValues, pointValues } from "./values.js";

const SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json";

/** Colours for rising and falling that remain distinct without telling red from green. */
const UP = "#2a7f9e";
const DOWN = "#d1603d";

/** A chart as data: its Vega-Lite 5 spec, and the line that stands for it as plain text. */
export interface PlannedChart {
  readonly spec: ChartSpec;
  readonly text: string;
  readonly values: ChartValues;
}

/**
 * The Vega-Lite 5 spec of a table, with its data inside. Only text and numbers of the table reach it, never as an
 * expression.
 */
export function planChart(table: Table, options: PlotOptions, source: FrameSource | undefined): PlannedChart {
  const choice = chooseColumns(table, options);
  const values = valuesOf(table, choice);
  const { title, subtitle } = titleOf(choice, options, source);
  const caption = [...subtitle, ...values.notes].map((line) => drawable(line, 160));
  const size = {
    width: options.width ?? (choice.facet ? 280 : 640),
    height: options.height ?? (choice.facet ? 180 : 320),
  };
  const unit = unitOf(choice, values, size, source);
  const text = `${choice.mark} chart · ${title} · ${count(values.rows)} rows${caption.length > 0 ? ` · ${caption.join(" · ")}` : ""}`;
  const spec = {
    $schema: SCHEMA,
    description: drawable(text, 400),
    title: { text: drawable(title, 160), ...(caption.length > 0 && { subtitle: caption }), anchor: "start" },
    data: { values: values.values },
    ...(choice.facet === undefined
      ? { ...size, ...unit }
      : {
          facet: { field: "facet", type: "nominal", title: nameOf(choice.facet) },
          columns: 2,
          spec: { ...size, ...unit },
        }),
    config: {
      axis: { labelFontSize: 11, titleFontSize: 12, gridOpacity: 0.4, labelLimit: 160, titleLimit: 400 },
      title: { fontSize: 14, subtitleFontSize: 11, offset: 8, limit: 640 },
      legend: { labelLimit: 160, titleLimit: 160 },
      view: { stroke: null },
      // Vega builds the aria label of a mark from an expression with unescaped column names; the description
      // replaces it.
      mark: { aria: false },
    },
  };
  return { spec, text: scrub(text), values };
}

function valuesOf(table: Table, choice: Choice): ChartValues {
  switch (choice.mark) {
    case "candlestick":
      return candleValues(choice);
    case "histogram":
      return histogramValues(choice, choice.x as Channel);
    case "heatmap":
      return heatmapValues(table, choice);
    case "line":
    case "area":
    case "bar":
    case "point":
      return pointValues(table, choice);
    default:
      return unreachable(choice.mark, "mark");
  }
}

type Unit = Readonly<Record<string, unknown>>;

function unitOf(choice: Choice, values: ChartValues, size: { readonly width: number }, source?: FrameSource): Unit {
  switch (choice.mark) {
    case "candlestick":
      return candleUnit(choice, values, size.width);
    case "histogram":
      return histogramUnit(choice);
    case "heatmap":
      return heatmapUnit(choice);
    case "line":
    case "area":
    case "bar":
    case "point":
      return pointUnit(choice, choice.mark, values, source);
    default:
      return unreachable(choice.mark, "mark");
  }
}

const nameOf = (channel: Channel | undefined): string => drawable(channel?.name ?? "row", 80);

/**
 * A name as the title of a line in a tooltip. Vega-Lite writes these titles into an expression and escapes only the
 * quote, so that a backslash would break out of it: backslashes and quotes are replaced by signs that look like them.
 */
const tipName = (channel: Channel | undefined): string => tipText(nameOf(channel));
const tipText = (text: string): string =>
  text
    .replace(/\\/g, "\u29f5")
    .replace(/"/g, "\u2033")
    .replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]/g, " ");

/**
 * A text as the chart shows it: no key in it, not too long; Vega fails on the names of Object's own members unless a
 * space follows.
 */
function drawable(text: string, limit: number): string {
  const cut = cutTo(scrub(text), limit);
  return cut in {} ? `${cut} ` : cut;
}

/** The x channel: UTC for dates, so that a day is the same day in every time zone. */
function xChannel(x: Channel | undefined): Unit {
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

/** Labels of numbers and money: thousands apart by commas, from a million in M and B; shares as percent. */
function numberAxis(percent: boolean): Unit {
  if (percent) return { format: ".1~%" };
  const big = "abs(datum.value) >= 1e6";
  return { labelExpr: `${big} ? replace(format(datum.value, '.4~s'), 'G', 'B') : format(datum.value, ',.6~g')` };
}

const isPercent = (source: FrameSource | undefined): boolean =>
  source?.transform === "rdiff" || source?.transform === "rdiff_from";

function pointUnit(choice: Choice, mark: PointMark, values: ChartValues, source?: FrameSource): Unit {
  const { x, y, color, log } = choice;
  const title = y.length === 1 ? nameOf(y[0]) : null;
  const fromZero = mark === "bar" || mark === "area";
  const scale = log ? { type: "log", nice: false } : { zero: fromZero };
  const percent = isPercent(source);
  const yChannel = {
    field: "y",
    type: "quantitative",
    title,
    scale,
    axis: numberAxis(percent),
    ...(mark !== "bar" && { stack: null }),
  };
  const tooltip = [
    tip(xTip(x), tipName(x)),
    { field: "y", type: "quantitative", title: tipText(title ?? "value"), format: percent ? ".2%" : ",.10~g" },
  ];
  const tagged = values.values.some((datum) => "color" in datum);
  if (tagged) tooltip.splice(1, 0, { field: "color", type: "nominal", title: color ? tipName(color) : "column" });
  return {
    mark: POINT_MARKS[mark],
    encoding: {
      x: xChannel(x),
      y: yChannel,
      ...(tagged && { color: { field: "color", type: "nominal", title: color ? nameOf(color) : null, sort: null } }),
      tooltip,
    },
  };
}

/** Marks of one shape for each row. */
type PointMark = Exclude<Mark, "candlestick" | "histogram" | "heatmap">;

const POINT_MARKS: Readonly<Record<PointMark, Unit>> = {
  line: { type: "line", strokeWidth: 1.5 },
  area: { type: "area", opacity: 0.6, line: { strokeWidth: 1.5 } },
  point: { type: "point", filled: true, size: 24, opacity: 0.6 },
  bar: { type: "bar" },
};

/** Type and format of x in a tooltip. */
const xTip = (x: Channel | undefined): Unit => {
  if (x?.scale === "time")
    return { field: "x", type: "temporal", format: x.days ? "%Y-%m-%d" : "%Y-%m-%d %H:%M:%S", scale: { type: "utc" } };
  return x?.scale === "text" ? { field: "x", type: "nominal" } : { field: "x", type: "quantitative", format: ",.10~g" };
};

const tip = (channel: Unit, title: string): Unit => ({ ...channel, title });

function candleUnit(choice: Choice, values: ChartValues, width: number): Unit {
  const names = choice.y.map(tipName);
  const wide = Math.max(1, Math.min(14, (0.65 * width) / Math.max(1, values.values.length)));
  const color = { condition: { test: "datum.up", value: UP }, value: DOWN };
  const tips = ["open", "high", "low", "close"].map((field, i) => ({
    field,
    type: "quantitative",
    title: names[i],
    format: ",.10~g",
  }));
  const scale = choice.log ? { type: "log", nice: false } : { zero: false };
  return {
    encoding: { x: xChannel(choice.x), color, tooltip: [tip(xTip(choice.x), tipName(choice.x)), ...tips] },
    layer: [
      {
        mark: { type: "rule" },
        encoding: {
          y: { field: "low", type: "quantitative", title: nameOf(choice.y[3]), scale, axis: numberAxis(false) },
          y2: { field: "high" },
        },
      },
      {
        mark: { type: "bar", size: wide },
        encoding: { y: { field: "open", type: "quantitative" }, y2: { field: "close" } },
      },
    ],
  };
}

function histogramUnit({ x, color, log }: Choice): Unit {
  return {
    mark: { type: "bar", binSpacing: 1 },
    encoding: {
      x: { field: "x", type: "quantitative", bin: { binned: true }, title: nameOf(x), axis: numberAxis(false) },
      x2: { field: "x2" },
      y: {
        field: "y",
        type: "quantitative",
        title: "rows",
        ...(log && { scale: { type: "log" }, stack: null }),
        axis: numberAxis(false),
      },
      ...(color && { color: { field: "color", type: "nominal", title: nameOf(color), sort: null } }),
      tooltip: [
        { field: "x", type: "quantitative", title: "from", format: ",.10~g" },
        { field: "x2", type: "quantitative", title: "to", format: ",.10~g" },
        { field: "y", type: "quantitative", title: "rows", format: "," },
      ],
    },
  };
}

function heatmapUnit({ x, y, color }: Choice): Unit {
  const axis = (channel: Channel | undefined, field: string): Unit => ({
    field,
    type: "ordinal",
    title: channel === undefined ? null : nameOf(channel),
    sort: channel === undefined || channel.scale === "text" ? null : "ascending",
    axis: { labelOverlap: true },
  });
  const title = color === undefined ? "rows" : nameOf(color);
  return {
    mark: { type: "rect" },
    encoding: {
      x: axis(x, "x"),
      y: axis(y[0], "y"),
      color: { field: "heat", type: "quantitative", title, scale: { scheme: "viridis" }, legend: numberAxis(false) },
      tooltip: [
        { field: "x", type: "nominal", title: tipName(x) },
        { field: "y", type: "nominal", title: tipName(y[0]) },
        { field: "heat", type: "quantitative", title: tipText(title), format: ",.6~g" },
      ],
    },
  };
}
