import type { Table } from "../../columns/arrow/arrow.js";
import { chunkReader } from "../../columns/arrow/cell-reader.js";
import { vectorToNumbers } from "../../columns/arrow/vector-values.js";
import type { Channel } from "./channel.js";
import type { Choice } from "./choose.js";
import { lttb } from "./downsample.js";
import { ALL_LINE_POINTS, LINE_POINTS, MAX_CANDLES, MAX_POINTS, MAX_SERIES } from "./options.js";

/**
 * One datum as the spec holds it. The member names are ours, so that a column name never becomes part of an expression.
 */
type Datum = Readonly<Record<string, string | number | boolean | null>>;

/** The data of a chart and what was done to them. */
export interface ChartValues {
  readonly values: readonly Datum[];
  /** Sentences for the caption: points left out, merged, refused by a logarithmic axis. */
  readonly notes: readonly string[];
  /** Rows the chart stands for. */
  readonly rows: number;
}

/** The inline data of a line, area, bar or point chart, and for several y columns one series each. */
export function pointValues(table: Table, choice: Choice): ChartValues {
  const { mark, x, y, color, isKeyColor, facet, log } = choice;
  const xs = xNumbers(x, table.numRows);
  const colors = color === undefined ? undefined : labels(color);
  const facets = facet === undefined ? undefined : labels(facet);
  const most = Math.max(1, Math.floor(MAX_SERIES / y.length));
  const drawn = isKeyColor && colors !== undefined && colors.words.length > most ? largest(colors, most) : undefined;
  const series = y.flatMap((channel) =>
    seriesOf(
      xs,
      channel,
      { name: y.length > 1 ? channel.name : undefined, colors, facets, drawn },
      x?.scale !== "text",
    ),
  );
  const total = series.reduce((sum, { rows }) => sum + rows.length, 0);
  const notes: string[] = [];
  if (drawn !== undefined)
    notes.push(
      `${drawn.size} of ${count(colors?.words.length ?? 0)} series (${color?.name}) drawn, those with the most rows`,
    );
  const path = mark === "line" || mark === "area";
  const limit = path ? Math.min(LINE_POINTS, Math.max(200, Math.floor(ALL_LINE_POINTS / series.length))) : 0;
  const datum = datumMaker(x, xs);
  const values: Datum[] = [];
  const step = path ? 1 : Math.ceil(total / MAX_POINTS);
  let seen = 0;
  let below = 0;
  for (const one of series) {
    const rows = path && total > MAX_POINTS && x?.scale !== "text" ? thinned(one, xs, limit) : one.rows;
    for (const row of rows) {
      if (seen++ % step !== 0) continue;
      const value = one.y[row];
      if (log && value <= 0) below++;
      else values.push({ ...datum(row), y: Number.isNaN(value) ? null : value, ...one.tags });
    }
  }
  if (values.length < total - below) {
    notes.push(
      path
        ? `${count(values.length)} of ${count(total)} points drawn, the shape kept`
        : `every ${ordinal(step)} of ${count(total)} rows drawn`,
    );
  }
  if (below > 0) notes.push(`${count(below)} values of 0 or less left out`);
  return { values, notes, rows: total };
}

export const count = (n: number): string => String(n).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
const ordinal = (n: number): string => `${n}${n === 2 ? "nd" : n === 3 ? "rd" : "th"}`;

interface Series {
  readonly rows: readonly number[];
  readonly y: Float64Array;
  readonly tags: Datum;
}

/** What a series is identified by. */
interface Tags {
  readonly name: string | undefined;
  readonly colors: Labels | undefined;
  readonly facets: Labels | undefined;
  /** Codes of the colours that are drawn; all where undefined. */
  readonly drawn: ReadonlySet<number> | undefined;
}

/** The codes of the colours with the most rows, of equal ones those that come first. */
function largest({ codes, words }: Labels, most: number): Set<number> {
  const counts = new Float64Array(words.length);
  for (const code of codes) counts[code]++;
  return new Set([...counts.keys()].sort((a, b) => counts[b] - counts[a] || a - b).slice(0, most));
}

/** The rows of each series in order of x; a series is one y column of one colour in one facet. */
function seriesOf(
  xs: Float64Array,
  channel: Channel,
  { name, colors, facets, drawn }: Tags,
  ordered: boolean,
): Series[] {
  const y = vectorToNumbers(channel.vector);
  if (colors === undefined && facets === undefined) {
    const rows: number[] = [];
    for (let row = 0; row < y.length; row++) if (!ordered || !Number.isNaN(xs[row])) rows.push(row);
    if (rows.length === 0) return [];
    return [{ rows: ordered ? ascending(rows, xs) : rows, y, tags: name === undefined ? {} : { color: name } }];
  }
  const groups = new Map<number, number[]>();
  const size = (facets?.words.length ?? 0) + 1;
  for (let row = 0; row < y.length; row++) {
    if (ordered && Number.isNaN(xs[row])) continue;
    if (drawn !== undefined && !drawn.has(colors?.codes[row] as number)) continue;
    const group =
      (colors === undefined ? 0 : colors.codes[row]) * size + (facets === undefined ? 0 : facets.codes[row]);
    const rows = groups.get(group);
    if (rows === undefined) groups.set(group, [row]);
    else rows.push(row);
  }
  return [...groups].map(([group, rows]) => {
    const color = colors?.words[Math.floor(group / size)];
    const text = [name, color].filter((word) => word !== undefined).join(" ");
    const tags: Record<string, string> = {};
    if (name !== undefined || color !== undefined) tags["color"] = text;
    if (facets !== undefined) tags["facet"] = facets.words[group % size];
    return { rows: ordered ? ascending(rows, xs) : rows, y, tags };
  });
}

function ascending(rows: number[], xs: Float64Array): number[] {
  for (let i = 1; i < rows.length; i++) if (xs[rows[i]] < xs[rows[i - 1]]) return rows.sort((a, b) => xs[a] - xs[b]);
  return rows;
}

function thinned({ rows, y }: Series, xs: Float64Array, limit: number): number[] {
  const x = new Float64Array(rows.length);
  const values = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) {
    x[i] = xs[rows[i]];
    values[i] = y[rows[i]];
  }
  return lttb(x, values, limit).map((at) => rows[at]);
}

/** Positions on the x axis as numbers: timestamps in milliseconds, numbers, or the row number for text. */
function xNumbers(x: Channel | undefined, numRows: number): Float64Array {
  if (x !== undefined && x.scale !== "text") return vectorToNumbers(x.vector);
  return Float64Array.from({ length: numRows }, (_, row) => row);
}

/** Makes the x member of a datum: milliseconds since 1970 for dates, the number, or the text of the cell. */
function datumMaker(x: Channel | undefined, xs: Float64Array): (row: number) => { x: string | number } {
  if (x === undefined || x.scale !== "text") return (row) => ({ x: xs[row] });
  const { codes, words } = labels(x);
  return (row) => ({ x: words[codes[row]] });
}

/** A column as codes into its distinct texts; null is the text `null`. */
interface Labels {
  readonly codes: Uint32Array;
  readonly words: readonly string[];
}

function labels({ vector }: Channel): Labels {
  const places = new Map<string, number>();
  const codes = new Uint32Array(vector.length);
  let at = 0;
  for (const data of vector.data) {
    const { valid, text } = chunkReader(data);
    for (let i = 0; i < data.length; i++, at++) {
      const word = valid(i) ? text(i) : "null";
      let code = places.get(word);
      if (code === undefined) {
        code = places.size;
        places.set(word, code);
      }
      codes[at] = code;
    }
  }
  return { codes, words: [...places.keys()] };
}

/** The data of a candlestick chart: one candle for each row, or for each run of rows where there are too many. */
export function candleValues(choice: Choice): ChartValues {
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
  const notes = run > 1 ? [`each candle stands for ${run} of ${count(rows.length)} rows`] : [];
  return { values, notes, rows: rows.length };
}

/** The bars of a histogram over every row: round bounds, about 30 of them, for each colour and facet. */
export function histogramValues(choice: Choice, x: Channel): ChartValues {
  const numbers = vectorToNumbers(x.vector);
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  let rows = 0;
  for (const value of numbers) {
    if (!Number.isFinite(value)) continue;
    rows++;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (rows === 0) return { values: [], notes: ["no numbers"], rows };
  const step = roundStep((high - low) / 30);
  const first = Math.floor(low / step);
  const colors = choice.color === undefined ? undefined : labels(choice.color);
  const facets = choice.facet === undefined ? undefined : labels(choice.facet);
  const bars = new Map<string, { bin: number; count: number; row: number }>();
  for (let row = 0; row < numbers.length; row++) {
    if (!Number.isFinite(numbers[row])) continue;
    const bin = Math.floor(numbers[row] / step) - first;
    const key = `${bin} ${colors?.codes[row] ?? 0} ${facets?.codes[row] ?? 0}`;
    const bar = bars.get(key);
    if (bar === undefined) bars.set(key, { bin, count: 1, row });
    else bar.count++;
  }
  const values = [...bars.values()].map(({ bin, count, row }) => ({
    x: clean((first + bin) * step),
    x2: clean((first + bin + 1) * step),
    y: count,
    ...(colors && { color: colors.words[colors.codes[row]] }),
    ...(facets && { facet: facets.words[facets.codes[row]] }),
  }));
  return {
    values,
    notes: rows < numbers.length ? [`${count(numbers.length - rows)} rows without a number`] : [],
    rows,
  };
}

/** 1, 2 or 5 times a power of ten, not below `step`. */
function roundStep(step: number): number {
  if (!(step > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(step));
  return power * ([1, 2, 5].find((factor) => factor * power >= step) ?? 10);
}

/** Drops the noise of binary fractions in a bin's bound. */
const clean = (value: number): number => Number(value.toPrecision(12));

/** The cells of a heat map: the mean of the colour column where x and y meet, or the number of rows. */
export function heatmapValues(table: Table, choice: Choice): ChartValues {
  const [y] = choice.y;
  const xs = choice.x === undefined ? undefined : cellsOfAxis(choice.x);
  const ys = y === undefined ? undefined : cellsOfAxis(y);
  const heat = choice.color === undefined ? undefined : vectorToNumbers(choice.color.vector);
  const cells = new Map<string, { row: number; sum: number; count: number }>();
  for (let row = 0; row < table.numRows; row++) {
    const value = heat === undefined ? 1 : heat[row];
    if (Number.isNaN(value)) continue;
    const key = `${xs?.codes[row] ?? 0} ${ys?.codes[row] ?? 0}`;
    const cell = cells.get(key);
    if (cell === undefined) cells.set(key, { row, sum: value, count: 1 });
    else {
      cell.sum += value;
      cell.count++;
    }
  }
  const values = [...cells.values()].map(({ row, sum, count }) => ({
    x: xs === undefined ? "" : xs.words[xs.codes[row]],
    y: ys === undefined ? "" : ys.words[ys.codes[row]],
    heat: heat === undefined ? sum : sum / count,
  }));
  const coarse = [xs?.note, ys?.note].filter((note) => note !== undefined);
  return { values, notes: coarse, rows: table.numRows };
}

/** Steps of a heat map's axis at most; more are put together: numbers into round steps, days into months or years. */
const MAX_STEPS = 60;

function cellsOfAxis(channel: Channel): Labels & { readonly note?: string } {
  const plain = labels(channel);
  if (plain.words.length <= MAX_STEPS || channel.scale === "text") return plain;
  if (channel.scale === "time") {
    const months = regrouped(plain, (word) => word.slice(0, 7));
    if (months.words.length <= MAX_STEPS) return { ...months, note: `${channel.name} by month` };
    return { ...regrouped(plain, (word) => word.slice(0, 4)), note: `${channel.name} by year` };
  }
  const numbers = plain.words.map(Number);
  const finite = numbers.filter(Number.isFinite);
  const step = roundStep((Math.max(...finite) - Math.min(...finite)) / 30);
  return {
    ...regrouped(plain, (word) => String(clean(Math.floor(Number(word) / step) * step))),
    note: `${channel.name} in steps of ${step}`,
  };
}

function regrouped({ codes, words }: Labels, group: (word: string) => string): Labels {
  const places = new Map<string, number>();
  const map = words.map((word) => {
    const key = group(word);
    if (!places.has(key)) places.set(key, places.size);
    return places.get(key) as number;
  });
  return { codes: codes.map((code) => map[code]), words: [...places.keys()] };
}
