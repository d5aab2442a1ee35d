import { vectorToNumbers } from "../../../columns/arrow/vector-values.js";
import { InputError } from "../../../errors/errors.js";
import { grouped } from "../../base/number-text.js";
import { numberAxis, numberTip, type Unit, xChannel, xTip } from "../parts/axes.js";
import { type Channel, type Choice, nameOf, tipName } from "../parts/channel.js";
import { ascending, type ChartValues, type Datum, datumMaker, labels, xNumbers } from "../parts/data.js";
import { DOWN, UP } from "../parts/look.js";
import { type MarkType, TIME_FIRST, type UnitContext } from "./mark.js";

/** The most candlesticks drawn; more are merged: first open, highest high, lowest low, last close, sum of volumes. */
const MAX_CANDLES = 400;

/** The share of the height that volumes take. */
const VOLUME_SHARE = 0.2;

/** Open, high, low and close of each row. */
export const candlestick: MarkType = {
  xScales: TIME_FIRST,
  defaultY: candleChannels,
  needsY: true,
  checkY: requireFour,
  byKey: false,
  isLayer: true,
  values: (_, choice) => candleValues(choice),
  unit: candleUnit,
  rightUnit: volumeUnit,
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

type Candle = Datum & { readonly low: number; readonly high: number };

/** The data of a candlestick chart: in each facet one candle per row, or per run of rows if there are too many. */
function candleValues({ x, y, volume, facet, log }: Choice): ChartValues {
  const [open, high, low, close] = y.map(({ vector }) => vectorToNumbers(vector));
  const sizes = volume === undefined ? undefined : vectorToNumbers(volume.vector);
  const xs = xNumbers(x, open.length);
  const facets = facet === undefined ? undefined : labels(facet);
  const whole = Array.from(open.keys()).filter(
    (row) => ![open, high, low, close, xs].some((column) => Number.isNaN(column[row])),
  );
  const groups = new Map<number, number[]>();
  for (const row of ascending(whole, xs)) {
    const code = facets?.codes[row] ?? 0;
    const rows = groups.get(code);
    if (rows === undefined) groups.set(code, [row]);
    else rows.push(row);
  }
  const run = Math.max(1, ...Array.from(groups.values(), (rows) => Math.ceil(rows.length / MAX_CANDLES)));
  const datum = datumMaker(x, xs);
  const values: Datum[] = [];
  for (const [code, rows] of groups) {
    const candles: Candle[] = [];
    for (let from = 0; from < rows.length; from += run) {
      const part = rows.slice(from, from + run);
      const candle = {
        ...datum(part[0]),
        open: open[part[0]],
        high: Math.max(...part.map((row) => high[row])),
        low: Math.min(...part.map((row) => low[row])),
        close: close[part[part.length - 1]],
        ...(sizes && { volume: part.reduce((sum, row) => sum + (Number.isNaN(sizes[row]) ? 0 : sizes[row]), 0) }),
        ...(facets && { facet: facets.words[code] }),
      };
      candles.push({ ...candle, up: candle.close >= candle.open });
    }
    values.push(...(volume === undefined ? candles : withFloor(candles, log)));
  }
  const notes = run > 1 ? [`each candle merges ${run} of ${grouped(whole.length)} rows`] : [];
  return { values, notes, rows: whole.length };
}

/** What candles and their volumes have in common. */
function sharedOf(choice: Choice, values: ChartValues, width: number) {
  const { y, volume } = choice;
  const places = new Set(values.values.map(({ x }) => x)).size;
  const tips = ["open", "high", "low", "close"].map((field, i) => numberTip(field, tipName(y[i])));
  return {
    size: Math.max(1, Math.min(14, (0.65 * width) / Math.max(1, places))),
    encoding: {
      x: xChannel(choice, values, width),
      color: { condition: { test: "datum.up", value: UP }, value: DOWN },
      tooltip: [xTip(choice), ...tips, ...(volume ? [numberTip("volume", tipName(volume))] : [])],
    },
  };
}

function candleUnit(choice: Choice, values: ChartValues, { width }: UnitContext): Unit {
  const { y, volume, log, percent } = choice;
  const { size, encoding } = sharedOf(choice, values, width);
  const scale = log ? { type: "log", nice: false } : { zero: false };
  const prices = { type: "quantitative", title: nameOf(y[3]), axis: numberAxis(percent) };
  return {
    encoding,
    layer: [
      { mark: { type: "rule" }, encoding: { y: { ...prices, field: "low", scale }, y2: { field: "high" } } },
      { mark: { type: "bar", size }, encoding: { y: { field: "open", type: "quantitative" }, y2: { field: "close" } } },
      ...(volume === undefined ? [] : [FLOOR]),
    ],
  };
}

/** An invisible point that extends the axis of prices to leave the lowest part to the volumes. */
const FLOOR = {
  transform: [{ filter: { field: "floor", valid: true } }],
  mark: { type: "point", opacity: 0, tooltip: null },
  encoding: { y: { field: "floor", type: "quantitative" }, tooltip: null },
};

/** Bars in the lowest part, with an axis at the right that ends where they end. */
function volumeUnit(choice: Choice, values: ChartValues, { width, height }: UnitContext): Unit | undefined {
  const { volume, facet } = choice;
  if (volume === undefined) return undefined;
  const { size, encoding } = sharedOf(choice, values, width);
  const most = Math.max(0, ...values.values.map((datum) => datum["volume"] as number));
  const ticks = [0, most / 2, most].map((value) => Number(value.toPrecision(2)));
  const look = { orient: "right", grid: false, domain: false, ticks: false, values: ticks };
  const titlePlace = { titleAngle: 0, titleAlign: "left", titleX: 8, titleY: (1 - VOLUME_SHARE) * height - 12 };
  return {
    mark: { type: "bar", size, fillOpacity: 0.45 },
    encoding: {
      ...encoding,
      y: {
        field: "volume",
        type: "quantitative",
        title: nameOf(volume),
        stack: null,
        scale: { domain: [0, most / VOLUME_SHARE || 1], nice: false },
        axis: facet === undefined ? { ...numberAxis(false), ...look, ...titlePlace } : null,
      },
    },
  };
}

/** The first candle with the price at the lower end of the axis, below which volumes are drawn. */
function withFloor(candles: readonly Candle[], log: boolean): readonly Datum[] {
  if (candles.length === 0) return candles;
  const low = Math.min(...candles.map((candle) => candle.low));
  const high = Math.max(...candles.map((candle) => candle.high));
  const share = (1.15 * VOLUME_SHARE) / (1 - 1.15 * VOLUME_SHARE);
  const floor = log && low > 0 ? low * (low / high) ** share : low - (high - low) * share;
  return [{ ...candles[0], floor }, ...candles.slice(1)];
}
