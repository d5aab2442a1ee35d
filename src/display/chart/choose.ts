import { DataType, type Table, type Vector } from "../../columns/arrow/arrow.js";
import { keyOf } from "../../columns/arrow/key.js";
import { columnsOf } from "../../columns/arrow/schema.js";
import { columnType, type Scale } from "../../columns/arrow/types.js";
import { vectorToNumbers } from "../../columns/arrow/vector-values.js";
import { InputError } from "../../errors/errors.js";
import { suggestion } from "../../errors/nearest.js";
import { refuseUnknown } from "../../errors/options.js";
import { shown } from "../../errors/shown.js";
import type { Channel } from "./channel.js";
import { MARKS, type Mark, type PlotOptions } from "./options.js";
import { seriesColor } from "./series-color.js";

/** Every channel of a chart, chosen or defaulted. */
export interface Choice {
  readonly mark: Mark;
  readonly x: Channel | undefined;
  readonly y: readonly Channel[];
  readonly color: Channel | undefined;
  /** The colour is the key's, not named by the caller: of very many series some are drawn. */
  readonly isKeyColor: boolean;
  readonly facet: Channel | undefined;
  readonly log: boolean;
}

const OPTIONS = ["x", "y", "color", "mark", "facet", "log", "title", "width", "height"];

/**
 * Picks the columns of a chart: the named ones, and for what is left out the first date for x and the columns of
 * numbers for y.
 *
 * @throws {InputError} UnknownColumn, UnknownValue, UnknownOption, NothingToPlot
 */
export function chooseColumns(table: Table, options: PlotOptions): Choice {
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
  if (mark === "candlestick" && given.length > 0) needFour(given);
  const isKeyColor = ownColor === undefined && BY_KEY.includes(mark);
  const color = isKeyColor
    ? seriesColor(table, channels, x, new Set([facet?.name, ...given.map(({ name }) => name)]))
    : ownColor;
  if (isKeyColor && color !== undefined) for (const name of keyOf(table.schema)) taken.add(name);
  const y = given.length > 0 ? given : defaultY(channels, mark, x, taken);
  if (y.length === 0 && mark !== "histogram" && mark !== "heatmap") {
    throw new InputError("The table has no column of numbers to draw.", {
      code: "NothingToPlot",
      hint: `Name one: plot({ y: … }). The columns are ${namesOf(channels).join(", ")}.`,
    });
  }
  return { mark, x, y, color, isKeyColor, facet, log: options.log ?? false };
}

/** Marks whose series the key of the table colours. */
const BY_KEY: readonly Mark[] = ["line", "area", "point", "bar"];

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
  if (options.log !== undefined && typeof options.log !== "boolean") wrong("log", "It is true or false.");
  for (const name of ["width", "height"] as const) {
    const size = options[name];
    if (size !== undefined && !(typeof size === "number" && size > 0 && size <= LARGEST))
      wrong(name, `Give a number of pixels up to ${LARGEST}.`);
  }
}

/** Pixels of a side at most: a picture has four times as many, and a process should not die of a slip. */
const LARGEST = 10_000;

function needFour(given: readonly Channel[]): void {
  if (given.length === 4 && given.every(({ scale }) => scale === "number")) return;
  throw new InputError("A candlestick chart takes four columns of numbers as y.", {
    code: "BadArgument",
    hint: 'Name them in this order: plot({ mark: "candlestick", y: [open, high, low, close] }).',
  });
}

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
  const first = (scale: Scale): Channel | undefined => free.find((channel) => channel.scale === scale);
  if (mark === "histogram") return first("number");
  return first("time") ?? first("text") ?? first("number");
}

const defaultMark = (x: Channel | undefined): Mark => (x === undefined || x.scale === "text" ? "bar" : "line");

function defaultY(channels: readonly Channel[], mark: Mark, x: Channel | undefined, taken: Set<string | undefined>) {
  if (mark === "histogram") return [];
  if (mark === "candlestick") return candleChannels(channels);
  if (mark === "heatmap")
    return channels.filter((c) => c.scale === "text" && c !== x && !taken.has(c.name)).slice(0, 1);
  const numbers = channels.filter((c) => c.scale === "number" && c !== x && !taken.has(c.name));
  const free = [...taken].every((name) => name === undefined);
  return mark === "line" && free ? alike(numbers).slice(0, MAX_LINES) : numbers.slice(0, 1);
}

/** Lines that are drawn without being asked for. */
const MAX_LINES = 8;

/**
 * The columns whose numbers are of the size of the first one's, so that no line flattens the others (prices beside a
 * volume).
 */
function alike(channels: readonly Channel[]): Channel[] {
  const sizes = channels.map(({ vector }) => {
    let largest = 0;
    for (const value of vectorToNumbers(vector)) if (Math.abs(value) > largest) largest = Math.abs(value);
    return largest;
  });
  return channels.filter((_, i) => sizes[i] <= 30 * sizes[0] && sizes[0] <= 30 * sizes[i]);
}

/** Open, high, low and close by name, letter case aside. */
function candleChannels(channels: readonly Channel[]): Channel[] {
  return ["open", "high", "low", "close"].map((word) => {
    const found = channels.find(({ name, scale }) => scale === "number" && name.trim().toLowerCase() === word);
    if (found !== undefined) return found;
    throw new InputError(`A candlestick chart needs a column of numbers called ${JSON.stringify(word)}.`, {
      code: "UnknownColumn",
      column: word,
      hint: 'Name the four: plot({ mark: "candlestick", y: [open, high, low, close] }).',
    });
  });
}
