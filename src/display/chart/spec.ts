import type { Table } from "../../columns/arrow/arrow.js";
import { scrub } from "../../errors/secrets.js";
import type { FrameSource } from "../../spec/frame-source.js";
import { type Collapse, transformType } from "../../spec/vocabulary.js";
import { grouped } from "../base/number-text.js";
import { filterText, heldFilter, isSelected } from "../base/source-parts.js";
import { checkPlotOptions } from "./check-options.js";
import { facetedOf, facetsOf, sizeOf } from "./facets.js";
import { drawLayers, drawnTitle, unitOf, valuesOf } from "./layers.js";
import { markType } from "./marks/marks.js";
import type { ChartSpec, PlotOptions } from "./options.js";
import { DATES } from "./parts/axes.js";
import { drawable } from "./parts/channel.js";
import type { Datum } from "./parts/data.js";
import { BESIDE_CANDLES, CONFIG } from "./parts/look.js";

const PADDING = 12;

const SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json";

/** A chart as data: its Vega-Lite 5 spec, and a one-line text alternative. */
export interface PlannedChart {
  readonly spec: ChartSpec;
  readonly text: string;
  readonly values: readonly Datum[];
}

/**
 * The Vega-Lite 5 spec of a table, including its data. Text and numbers of the table are inserted as data only, never
 * as expressions.
 */
export function planChart(table: Table, options: PlotOptions, source: FrameSource | undefined): PlannedChart {
  checkPlotOptions(options);
  const { drawn, facets, notes } = facetsOf(table, options);
  const layers = drawLayers(drawn, options, source);
  const { title, subtitle } = titleOf(drawnTitle(layers), options, source, drawn);
  const caption = [...new Set([...subtitle, ...notes, ...layers.flatMap(({ values }) => values.notes)])].map((line) =>
    drawable(line, 160),
  );
  const size = sizeOf(options, facets, markType(layers[0].mark).size?.(layers[0].values) ?? {});
  const { values, dates } = valuesOf(layers);
  const unit = unitOf(layers, size);
  const marks = layers.map(({ mark }) => mark).join(" and ");
  const rows = Math.max(...layers.map(({ values }) => values.rows));
  const text = `${marks} chart · ${title} · ${grouped(rows)} rows${caption.length > 0 ? ` · ${caption.join(" · ")}` : ""}`;
  const { choice } = layers[0];
  const isBesideCandles = layers.length > 1 && layers.some(({ mark }) => mark === "candlestick");
  const spec = {
    $schema: SCHEMA,
    description: drawable(text, 400),
    // Front ends without Vega show a picture on a panel; the space keeps the text off its edge.
    padding: PADDING,
    title: { text: drawable(title, 160), ...(caption.length > 0 && { subtitle: caption }), anchor: "start" },
    ...(dates !== undefined && { params: [{ name: DATES, value: dates }] }),
    data: { values },
    ...(choice.facet === undefined ? { ...size, ...unit } : facetedOf(choice, { ...size, ...unit }, facets, options)),
    config: isBesideCandles ? { ...CONFIG, range: { ...CONFIG.range, category: BESIDE_CANDLES } } : CONFIG,
  };
  return { spec, text: scrub(text), values };
}

/** The meaning of a collapse for the values (spec 4.2). */
const COLLAPSES: Readonly<Record<Exclude<Collapse, "none">, string>> = {
  daily: "daily",
  weekly: "last value of each week",
  monthly: "last value of each month",
  quarterly: "last value of each quarter",
  annual: "last value of each year",
};

/** Title and caption: the title passed, or what is drawn and its source, including collapse and transform. */
function titleOf(
  drawn: string,
  options: PlotOptions,
  source: FrameSource | undefined,
  table: Table,
): { readonly title: string; readonly subtitle: string[] } {
  const subtitle: string[] = [];
  const meanings = [
    meaningOf(source?.collapse, (collapse) => new Map(Object.entries(COLLAPSES)).get(collapse)),
    meaningOf(source?.transform, (transform) => transformType(transform)?.meaning),
  ].filter((meaning) => meaning !== undefined);
  if (meanings.length > 0) subtitle.push(meanings.join(" · "));
  if (source?.filters !== undefined && source.filters.length > 0)
    subtitle.push(
      source.filters
        .map((filter) => filterText(heldFilter(filter, isSelected(source) ? table : undefined)))
        .join(" · "),
    );
  if (source?.computed) subtitle.push(`computed from ${source.code}`);
  if (options.title !== undefined) return { title: options.title, subtitle };
  const place = source === undefined || source.computed ? undefined : (source.name ?? source.code);
  return { title: place === undefined ? drawn : `${place}: ${drawn}`, subtitle };
}

/** The meaning of an option value of a query; unlisted values are shown unchanged. */
const meaningOf = (value: string | undefined, meaning: (value: string) => string | undefined): string | undefined =>
  value === undefined || value === "none" ? undefined : (meaning(value) ?? value);
