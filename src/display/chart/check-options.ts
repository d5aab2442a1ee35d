import { InputError } from "../../errors/errors.js";
import { suggestion } from "../../errors/nearest.js";
import { checkWords, refuseUnknown } from "../../errors/options.js";
import { shown } from "../../errors/shown.js";
import { MOST_BINS } from "./marks/histogram.js";
import { MARKS, markType } from "./marks/marks.js";
import type { LayerOptions, PlotOptions } from "./options.js";

const LAYER = [
  "y",
  "color",
  "mark",
  "axis",
  "log",
  "percent",
  "returns",
  "volume",
] as const satisfies (keyof LayerOptions)[];
const CHART = [
  ...["x", "y", "color", "mark", "layers", "facet", "columns", "scales", "bins", "gaps", "middle", "labels"],
  ...["log", "percent", "returns", "volume", "title", "width", "height"],
];

/** The most pixels per side: an image has four times as many, and a typing error should not exhaust the memory. */
const MAX_SIDE = 10_000;

const isNumber = (value: unknown, most: number): boolean => typeof value === "number" && value > 0 && value <= most;
const isBoolean = (value: unknown): boolean => typeof value === "boolean";
const isCount = (most: number) => (value: unknown) => Number.isInteger(value) && isNumber(value, most);

/** By option, which values it may have, and the hint for others. */
const VALUES: Readonly<Record<string, readonly [isValid: (value: unknown) => boolean, hint: string]>> = {
  title: [(value) => typeof value === "string", "Give a text."],
  log: [isBoolean, "Pass true or false."],
  percent: [(value) => isBoolean(value) || value === "both", 'Pass true, false or "both".'],
  gaps: [isBoolean, "Pass true or false."],
  returns: [isBoolean, "Pass true or false."],
  labels: [isBoolean, "Pass true or false."],
  middle: [Number.isFinite, "Pass a number."],
  columns: [isCount(100), "Pass a whole number of facets in a row, up to 100."],
  bins: [
    (value) =>
      isCount(MOST_BINS)(value) ||
      (typeof value === "object" &&
        value !== null &&
        Object.keys(value).join() === "width" &&
        isNumber((value as { width: unknown }).width, Number.MAX_VALUE)),
    `Pass a number of bins up to ${MOST_BINS}, or their width: { width: 0.5 }.`,
  ],
  width: [(value) => isNumber(value, MAX_SIDE), `Pass a number of pixels up to ${MAX_SIDE}.`],
  height: [(value) => isNumber(value, MAX_SIDE), `Pass a number of pixels up to ${MAX_SIDE}.`],
  layers: [
    (value) => Array.isArray(value) && value.length > 0,
    'Pass an array of marks, such as [{ mark: "bar", y: "volume" }, { y: "close", axis: "right" }].',
  ],
};

/**
 * Checks the names and values of options, not the columns.
 *
 * @throws {InputError} BadArgument, UnknownValue, UnknownOption
 */
export function checkPlotOptions(options: PlotOptions): void {
  refuseUnknown(options, CHART, "plot()");
  checkValues(options);
  checkWords(options, { scales: ["shared", "independent"] });
  for (const [at, layer] of (options.layers ?? []).entries()) {
    refuseUnknown(layer, LAYER, `layers[${at}] of plot()`);
    checkValues(layer);
    checkWords(layer, { axis: ["left", "right"] });
    const mark = layer.mark ?? options.mark;
    if (mark === undefined || markType(mark).isLayer) continue;
    const marks = MARKS.filter((name) => markType(name).isLayer);
    throw new InputError(`plot() cannot draw ${shown(mark)} in a layer.`, {
      code: "BadArgument",
      hint: `Layers can be ${marks.map(shown).join(", ")}.`,
    });
  }
}

function checkValues(options: PlotOptions | LayerOptions): void {
  if (options.mark !== undefined && !MARKS.includes(options.mark)) throw noneToPlot("mark", options.mark, MARKS);
  for (const [name, [isValid, hint]] of Object.entries(VALUES)) {
    const value = (options as Readonly<Record<string, unknown>>)[name];
    if (value === undefined || isValid(value)) continue;
    throw new InputError(`plot() cannot use ${shown(value)} as ${name}.`, { code: "BadArgument", hint });
  }
}

/** The error for a column or a mark that does not exist, with the nearest name. */
export function noneToPlot(what: "column" | "mark", name: string, names: readonly string[]): InputError {
  return new InputError(`There is no ${what} ${shown(name)} to plot.`, {
    code: what === "column" ? "UnknownColumn" : "UnknownValue",
    ...(what === "column" ? { column: String(name) } : {}),
    hint: suggestion(String(name), names, `${what}s`),
  });
}
