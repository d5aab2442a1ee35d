import { DataType, type Table, Utf8, type Vector, vectorFromArray } from "../../columns/arrow/arrow.js";
import { keyOf } from "../../columns/arrow/key.js";
import { columnsOf } from "../../columns/arrow/schema.js";
import { columnType } from "../../columns/arrow/types.js";
import { vectorToStrings } from "../../columns/arrow/vector-values.js";
import { InputError } from "../../errors/errors.js";
import { suggestion } from "../../errors/nearest.js";
import { refuseUnknown } from "../../errors/options.js";
import { shown } from "../../errors/shown.js";
import { TIME_FIRST } from "./marks/mark.js";
import { MARKS, type Mark, markType } from "./marks/marks.js";
import type { PlotOptions } from "./options.js";
import type { Channel, Choice } from "./parts/channel.js";

interface Drawing {
  readonly mark: Mark;
  readonly choice: Choice;
}

const OPTIONS = ["x", "y", "color", "mark", "facet", "log", "title", "width", "height"];

/**
 * Selects the columns of a chart: the named ones, and by default the first date for x and the number columns for y.
 *
 * @throws {InputError} UnknownColumn, UnknownValue, UnknownOption, WrongType, NothingToPlot
 */
export function chooseColumns(table: Table, options: PlotOptions): Drawing {
  checkPlotOptions(options);
  const channels = channelsOf(table);
  const named = (name: string): Channel => {
    const found = channels.find((channel) => channel.name === name);
    return found ?? refuse("UnknownColumn", "column", name, namesOf(channels), "columns");
  };
  const ownColor = options.color === undefined ? undefined : named(options.color);
  const facet = options.facet === undefined ? undefined : named(options.facet);
  const taken = new Set([ownColor?.name, facet?.name]);
  const x = options.x === undefined ? defaultX(channels, options.mark, taken) : named(options.x);
  const given = options.y === undefined ? [] : [options.y].flat().map(named);
  const mark = options.mark ?? defaultMark(x);
  const { byKey, checkY, defaultY, needsY } = markType(mark);
  if (needsY) requireNumbers(given, channels);
  if (given.length > 0) checkY?.(given);
  const isKeyColor = ownColor === undefined && byKey;
  const color = isKeyColor
    ? seriesColor(table, channels, x, new Set([facet?.name, ...given.map(({ name }) => name)]))
    : ownColor;
  if (isKeyColor && color !== undefined) for (const name of keyOf(table.schema)) taken.add(name);
  const y = given.length > 0 ? given : defaultY(channels, x, taken);
  if (y.length === 0 && needsY) {
    throw new InputError("plot() expects a number column; the table has none.", {
      code: "NothingToPlot",
      hint: `Pass one: plot({ y: … }). The columns are ${namesOf(channels).join(", ")}.`,
    });
  }
  return { mark, choice: { x, y, color, isKeyColor, facet, log: options.log ?? false } };
}

/** @throws {InputError} WrongType for a column of text where a length is drawn */
function requireNumbers(y: readonly Channel[], channels: readonly Channel[]): void {
  const text = y.find(({ scale }) => scale === "text");
  if (text === undefined) return;
  const numbers = namesOf(channels.filter(({ scale }) => scale === "number"));
  throw new InputError(`plot() cannot draw ${shown(text.name)} as y: it is a column of text.`, {
    code: "WrongType",
    column: text.name,
    hint:
      numbers.length > 0
        ? `The number columns are ${numbers.map(shown).join(", ")}; text goes into x, color or facet.`
        : `Convert it first: frame.cast({ ${shown(text.name)}: "double" }).`,
  });
}

function checkPlotOptions(options: PlotOptions): void {
  refuseUnknown(options, OPTIONS, "plot()");
  if (options.mark !== undefined && !MARKS.includes(options.mark)) {
    refuse("UnknownValue", "mark", options.mark, MARKS, "marks");
  }
  const wrong = (name: keyof PlotOptions, hint: string): never => {
    throw new InputError(`plot() cannot use ${shown(options[name])} as ${name}.`, {
      code: "BadArgument",
      hint,
    });
  };
  if (options.title !== undefined && typeof options.title !== "string") wrong("title", "Give a text.");
  if (options.log !== undefined && typeof options.log !== "boolean") wrong("log", "Pass true or false.");
  for (const name of ["width", "height"] as const) {
    const size = options[name];
    if (size !== undefined && !(typeof size === "number" && size > 0 && size <= MAX_SIDE))
      wrong(name, `Pass a number of pixels up to ${MAX_SIDE}.`);
  }
}

/** The most pixels per side: an image has four times as many, and a typing error should not exhaust the memory. */
const MAX_SIDE = 10_000;

function refuse(
  code: "UnknownColumn" | "UnknownValue",
  what: string,
  word: string,
  words: readonly string[],
  many: string,
): never {
  throw new InputError(`There is no ${what} ${shown(word)} to plot.`, {
    code,
    ...(code === "UnknownColumn" ? { column: String(word) } : {}),
    hint: suggestion(String(word), words, many),
  });
}

const namesOf = (channels: readonly Channel[]): string[] => channels.map(({ name }) => name);

function channelsOf(table: Table): Channel[] {
  const specs = columnsOf(table.schema);
  return table.schema.fields.map((field, i) => ({
    name: specs[i].name,
    vector: table.getChildAt(i) as Vector,
    scale: columnType(field.type).scale,
    days: DataType.isDate(field.type),
  }));
}

function defaultX(channels: readonly Channel[], mark: Mark | undefined, taken: Set<string | undefined>) {
  const free = channels.filter(({ name }) => !taken.has(name));
  const scales = mark === undefined ? TIME_FIRST : markType(mark).xScales;
  return scales.flatMap((scale) => free.find((channel) => channel.scale === scale) ?? [])[0];
}

const defaultMark = (x: Channel | undefined): Mark => (x === undefined || x.scale === "text" ? "bar" : "line");

/**
 * The default colour channel for the series of a table: the columns of its key that are not dates and have several
 * values, combined; undefined if the key does not contain x or identifies only one series.
 *
 * @param taken names of columns with another use in the chart
 */
function seriesColor(
  table: Table,
  channels: readonly Channel[],
  x: Channel | undefined,
  taken: ReadonlySet<string | undefined>,
): Channel | undefined {
  const key = keyOf(table.schema);
  if (x?.scale !== "time" || !key.includes(x.name)) return undefined;
  const columns = channels.filter(({ name, scale }) => key.includes(name) && scale !== "time" && !taken.has(name));
  const varied = columns
    .map((channel) => ({ channel, texts: vectorToStrings(channel.vector) }))
    .filter(({ texts }) => texts.some((text) => text !== texts[0]));
  if (varied.length <= 1) return varied[0]?.channel;
  const joined = varied[0].texts.map((_, row) => varied.map(({ texts }) => texts[row] ?? "null").join(" "));
  const name = varied.map(({ channel }) => channel.name).join(", ");
  return { name, vector: vectorFromArray(joined, new Utf8()), scale: "text", days: false };
}
