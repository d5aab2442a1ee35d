import type { Table } from "../../columns/arrow/arrow.js";
import { scrub } from "../../errors/secrets.js";
import type { FrameSource } from "../../spec/frame-source.js";
import { transformType } from "../../spec/vocabulary.js";
import { chooseColumns } from "./choose.js";
import { markType } from "./marks/marks.js";
import type { ChartSpec, PlotOptions } from "./options.js";
import { type ChartValues, count } from "./parts/data.js";
import { drawable, nameOf } from "./parts/names.js";
import { titleOf } from "./title.js";

/** Pixels around a chart. */
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
  const text = `${mark} chart · ${title} · ${count(values.rows)} rows${caption.length > 0 ? ` · ${caption.join(" · ")}` : ""}`;
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
