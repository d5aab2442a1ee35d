import type { Table } from "../../columns/arrow/arrow.js";
import { scrub } from "../../errors/secrets.js";
import type { FrameSource } from "../../spec/frame-source.js";
import { type Collapse, transformType } from "../../spec/vocabulary.js";
import { grouped } from "../base/number-text.js";
import { filterText, heldFilter, isSelected } from "../base/source-parts.js";
import { chooseColumns } from "./choose.js";
import { markType } from "./marks/marks.js";
import type { ChartSpec, PlotOptions } from "./options.js";
import { drawable, nameOf } from "./parts/channel.js";
import type { ChartValues } from "./parts/data.js";

const PADDING = 12;

const SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json";

/** A chart as data: its Vega-Lite 5 spec, and a one-line text alternative. */
export interface PlannedChart {
  readonly spec: ChartSpec;
  readonly text: string;
  readonly values: ChartValues;
}

/**
 * The Vega-Lite 5 spec of a table, including its data. Text and numbers of the table are inserted as data only, never
 * as expressions.
 */
export function planChart(table: Table, options: PlotOptions, source: FrameSource | undefined): PlannedChart {
  const { mark, choice } = chooseColumns(table, options);
  const type = markType(mark);
  const values = type.values(table, choice);
  const { title, subtitle } = titleOf(type.title(choice), options, source, table);
  const caption = [...subtitle, ...values.notes].map((line) => drawable(line, 160));
  const size = {
    width: options.width ?? (choice.facet ? 280 : 640),
    height: options.height ?? (choice.facet ? 180 : 320),
  };
  const unit = type.unit(choice, values, {
    width: size.width,
    percent: transformType(source?.transform)?.isShare === true,
  });
  const text = `${mark} chart · ${title} · ${grouped(values.rows)} rows${caption.length > 0 ? ` · ${caption.join(" · ")}` : ""}`;
  const spec = {
    $schema: SCHEMA,
    description: drawable(text, 400),
    // Front ends without Vega show a picture on a panel; the space keeps the text off its edge.
    padding: PADDING,
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
      // Vega builds the aria label of a mark from an expression with unescaped column names; the description overrides
      // it.
      mark: { aria: false },
    },
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
