import type { Table } from "../../columns/arrow/arrow.js";
import { atomicFile } from "../../disk/atomic-file.js";
import { hasCode, InputError } from "../../errors/errors.js";
import { refuseUnknown } from "../../errors/options.js";
import { shown } from "../../errors/shown.js";
import { base64Text } from "../../platform/node/bytes.js";
import { extname } from "../../platform/node/files.js";
import type { FrameSource } from "../../spec/frame-source.js";
import { plainLine } from "../base/escape.js";
import { type Bundle, showAs } from "../base/show.js";
import { sparkline } from "../base/sparkline.js";
import { interactive } from "./interactive.js";
import { chartPage } from "./live-charts.js";
import type { ChartSpec, PlotOptions } from "./options.js";
import { inPageColors } from "./page-colors.js";
import { renderPng } from "./png.js";
import { renderSvg } from "./render.js";
import { type PlannedChart, planChart } from "./spec.js";

/**
 * A chart that renders itself in notebooks: interactive if the front end supports Vega-Lite 5, otherwise as an image.
 * Images are drawn without a browser, by vega 5 and a rasteriser that are loaded on first use.
 *
 * @example
 * ```ts
 * import { Frame } from "arrowbook";
 * const rows = [{ date: "2024-01-01", close: 10 }, { date: "2024-01-02", close: 12 }];
 * const chart = Frame.fromRows(rows, [{ name: "date", type: "Date" }, { name: "close", type: "double" }]).plot();
 * chart.toSVG().startsWith("<svg"); // true
 * ```
 */
export class Chart {
  /** The Vega-Lite 5 specification, for any tool that accepts one. */
  readonly spec: ChartSpec;
  /** A one-line description, with a {@link sparkline} if the chart draws one series. */
  readonly text: string;
  #svg: string | undefined;

  constructor(plan: PlannedChart) {
    this.spec = plan.spec;
    const numbers = plan.values.map((datum) => (typeof datum["y"] === "number" ? datum["y"] : null));
    const single = plan.values.every((datum) => ["color", "facet", "layer"].every((tag) => datum[tag] === undefined));
    const line = single && numbers.some((number) => number !== null) ? `\n${sparkline(numbers, 60)}` : "";
    this.text = plainLine(plan.text) + line;
  }

  /**
   * Renders SVG on a white background.
   *
   * @throws {InputError} MissingPackage without vega and vega-lite 5
   */
  toSVG(): string {
    this.#svg ??= renderSvg(this.spec);
    return this.#svg;
  }

  /**
   * Renders a PNG, by default with two image pixels per chart pixel.
   *
   * @throws {InputError} MissingPackage without `@resvg/resvg-js`
   */
  toPNG(options: { readonly scale?: number } = {}): Uint8Array {
    refuseUnknown(options, ["scale"], "toPNG()");
    const { scale = 2 } = options;
    if (typeof scale === "number" && scale > 0 && scale <= LARGEST_SCALE) return renderPng(this.toSVG(), scale);
    throw new InputError(`toPNG() expects a scale above 0; got ${shown(scale)}.`, {
      code: "BadArgument",
      hint: `Pass a number above 0 and up to ${LARGEST_SCALE}.`,
    });
  }

  /**
   * Renders a self-contained page with the interactive chart, light and dark, for use without a network (800 kB).
   *
   * @throws {InputError} MissingPackage without vega and vega-lite 5
   */
  toHTML(): string {
    const [title] = this.text.split("\n");
    return chartPage(title, interactive(this.spec), this.toSVG());
  }

  /**
   * Writes the chart to a file, as its extension says: `.html`, `.svg`, `.png` or `.json` (the specification). Creates
   * missing folders; the file is complete or absent. Returns the path.
   *
   * @throws {FileError} if the file system reports an error
   * @throws {InputError} UnknownFileType for another extension
   */
  async save(path: string): Promise<string> {
    const content = contentFor(this, path);
    await atomicFile(path, (file) => file.writeFile(content));
    return path;
  }
}

/** The most image pixels per chart pixel, in each direction. */
const LARGEST_SCALE = 20;

function contentFor(chart: Chart, path: string): string | Uint8Array {
  switch (typeof path === "string" ? extname(path).toLowerCase() : undefined) {
    case ".svg":
      return chart.toSVG();
    case ".png":
      return chart.toPNG();
    case ".html":
      return chart.toHTML();
    case ".json":
      return JSON.stringify(chart.spec, null, 1);
    default:
      throw new InputError(`A chart cannot be written to ${shown(path)}.`, {
        code: "UnknownFileType",
        hint: "Pass a path that ends in .html, .svg, .png or .json.",
      });
  }
}

/**
 * Draws a table. Omitted options are chosen: x is the first date, y all number columns.
 *
 * @throws {InputError} UnknownColumn, UnknownValue, NothingToPlot
 */
export function plotTable(table: Table, options: PlotOptions = {}, source?: FrameSource): Chart {
  return new Chart(planChart(table, options, source));
}

/** The image beside the spec: PNG, SVG where there is no rasteriser, as in a page, nothing without vega. */
function pictureOf(chart: Chart): Bundle {
  for (const [type, draw] of [
    ["image/png", () => base64Text(chart.toPNG())],
    ["image/svg+xml", () => chart.toSVG()],
  ] as const) {
    try {
      return { [type]: draw() };
    } catch (error) {
      if (!hasCode(error, "MissingPackage", "NeedsNode")) throw error;
    }
  }
  return {};
}

showAs<Chart>(Chart.prototype, {
  bundle: (chart) => ({
    "application/vnd.vegalite.v5+json": inPageColors(interactive(chart.spec)),
    ...pictureOf(chart),
    "text/plain": chart.text,
  }),
  text: (chart) => chart.text,
});
