import { vectorToNumbers } from "../../../columns/arrow/vector-values.js";
import { InputError } from "../../../errors/errors.js";
import { grouped } from "../../base/number-text.js";
import { numberAxis, numberTip, type Unit, xChannel, xTip } from "../parts/axes.js";
import { type Channel, type Choice, nameOf, tipName } from "../parts/channel.js";
import { ascending, type ChartValues, type Datum, datumMaker, xNumbers } from "../parts/data.js";
import { type MarkType, TIME_FIRST, type UnitContext } from "./mark.js";

/** The most candlesticks drawn; more are merged: first open, highest high, lowest low, last close. */
const MAX_CANDLES = 400;

/** Colours for rising and falling that readers with red-green colour blindness can distinguish. */
const UP = "#2a7f9e";
const DOWN = "#d1603d";

/** Open, high, low and close of each row. */
export const candlestick: MarkType = {
  xScales: TIME_FIRST,
  defaultY: candleChannels,
  needsY: true,
  checkY: requireFour,
  byKey: false,
  values: (_, choice) => candleValues(choice),
  unit: candleUnit,
  title: ({ y }) => y.map(({ name }) => name).join(", "),
};

function requireFour(y: readonly Channel[]): void {
  if (y.length === 4 && y.every(({ scale }) => scale === "number")) return;
  throw new InputError("A candlestick chart expects four number columns as y.", {
    code: "BadArgument",
    hint: 'Pass them in this order: plot({ mark: "candlestick", y: [open, high, low, close] }).',
  });
}

/** Finds open, high, low and close by name, ignoring case. */
function candleChannels(channels: readonly Channel[]): Channel[] {
  return ["open", "high", "low", "close"].map((name) => {
    const found = channels.find((channel) => channel.scale === "number" && channel.name.trim().toLowerCase() === name);
    if (found !== undefined) return found;
    throw new InputError(`A candlestick chart expects a number column named ${JSON.stringify(name)}.`, {
      code: "UnknownColumn",
      column: name,
      hint: 'Pass the four columns: plot({ mark: "candlestick", y: [open, high, low, close] }).',
    });
  });
}

/** The data of a candlestick chart: one candle per row, or per run of rows if there are too many. */
function candleValues(choice: Choice): ChartValues {
  const [open, high, low, close] = choice.y.map(({ vector }) => vectorToNumbers(vector));
  const xs = xNumbers(choice.x, open.length);
  const rows = ascending(
    Array.from(open.keys()).filter((row) => ![open, high, low, close, xs].some((column) => Number.isNaN(column[row]))),
    xs,
  );
  const run = Math.ceil(rows.length / MAX_CANDLES);
  const datum = datumMaker(choice.x, xs);
  const values: Datum[] = [];
  for (let from = 0; from < rows.length; from += Math.max(1, run)) {
    const part = rows.slice(from, from + run);
    const candle = {
      ...datum(part[0]),
      open: open[part[0]],
      high: Math.max(...part.map((row) => high[row])),
      low: Math.min(...part.map((row) => low[row])),
      close: close[part[part.length - 1]],
    };
    values.push({ ...candle, up: candle.close >= candle.open });
  }
  const notes = run > 1 ? [`each candle merges ${run} of ${grouped(rows.length)} rows`] : [];
  return { values, notes, rows: rows.length };
}

function candleUnit(choice: Choice, values: ChartValues, { width }: UnitContext): Unit {
  const names = choice.y.map(tipName);
  const wide = Math.max(1, Math.min(14, (0.65 * width) / Math.max(1, values.values.length)));
  const color = { condition: { test: "datum.up", value: UP }, value: DOWN };
  const tips = ["open", "high", "low", "close"].map((field, i) => numberTip(field, names[i]));
  const scale = choice.log ? { type: "log", nice: false } : { zero: false };
  return {
    encoding: { x: xChannel(choice.x), color, tooltip: [xTip(choice.x), ...tips] },
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
