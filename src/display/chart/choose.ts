import { DataType, type Table, Utf8, type Vector, vectorFromArray } from "../../columns/arrow/arrow.js";
import { keyOf } from "../../columns/arrow/key.js";
import { columnsOf } from "../../columns/arrow/schema.js";
import { columnType } from "../../columns/arrow/types.js";
import { vectorToStrings } from "../../columns/arrow/vector-values.js";
import { InputError } from "../../errors/errors.js";
import { shown } from "../../errors/shown.js";
import type { FrameSource } from "../../spec/frame-source.js";
import { transformType } from "../../spec/vocabulary.js";
import { noneToPlot } from "./check-options.js";
import { TIME_FIRST } from "./marks/mark.js";
import { type Mark, markType } from "./marks/marks.js";
import type { PlotOptions } from "./options.js";
import type { Channel, Choice } from "./parts/channel.js";

export interface Drawing {
  readonly mark: Mark;
  readonly choice: Choice;
}

/**
 * Selects the columns of a chart: the named ones, and by default the first date for x and the number columns for y.
 *
 * @throws {InputError} UnknownColumn, WrongType, NothingToPlot
 */
export function chooseColumns(table: Table, options: PlotOptions, source: FrameSource | undefined): Drawing {
  const channels = channelsOf(table);
  const named = (name: string): Channel => channelNamed(channels, name);
  const ownColor = options.color === undefined ? undefined : named(options.color);
  const facet = options.facet === undefined ? undefined : named(options.facet);
  const taken = new Set([ownColor?.name, facet?.name, options.volume]);
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
  const isShare = transformType(source?.transform)?.isShare === true;
  return {
    mark,
    choice: {
      x,
      y,
      color,
      isKeyColor,
      facet,
      volume: options.volume === undefined ? undefined : named(options.volume),
      log: options.log ?? false,
      percent: options.percent === undefined ? isShare : options.percent !== false,
      percentX: options.percent === "both",
      middle: options.middle,
      labels: options.labels,
      returns: options.returns ?? isShare,
      gaps: options.gaps ?? true,
      bins: options.bins,
      isLayer: options.layers !== undefined,
    },
  };
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

const namesOf = (channels: readonly Channel[]): string[] => channels.map(({ name }) => name);

/** @throws {InputError} UnknownColumn with the nearest names */
export function channelNamed(channels: readonly Channel[], name: string): Channel {
  const found = channels.find((channel) => channel.name === name);
  if (found === undefined) throw noneToPlot("column", name, namesOf(channels));
  return found;
}

export function channelsOf(table: Table): Channel[] {
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
