import type { Table } from "../../../columns/arrow/arrow.js";
import { vectorToNumbers } from "../../../columns/arrow/vector-values.js";
import { drawdownsOf } from "../../../series/core/returns.js";
import { grouped } from "../../base/number-text.js";
import { numberAxis, numberTip, seriesColors, type Unit, xChannel, xTip } from "../parts/axes.js";
import { type Channel, type Choice, nameOf, tipName, tipText } from "../parts/channel.js";
import {
  ascending,
  type ChartValues,
  type Datum,
  datumMaker,
  type Labels,
  labels,
  largest,
  xNumbers,
} from "../parts/data.js";
import { DOWN } from "../parts/look.js";
import { firstNumber, freeNumbers, type MarkType, TIME_FIRST } from "./mark.js";

/** The most points or bars drawn: lines and areas keep their shape with fewer points; the caption reports it. */
const MAX_POINTS = 5_000;

/** The most points of one line, and of all lines together; a chart 640 pixels wide cannot show more. */
const LINE_POINTS = 1_200;
const ALL_LINE_POINTS = 2_400;

/** The most series coloured by the key of the table; the caption reports the selection. */
const MAX_SERIES = 12;

/** The appearance of a mark with one shape per row. */
interface PointLook {
  readonly mark: Unit;
  readonly fromZero: boolean;
  readonly isStacked: boolean;
  /** Whether the points form a path, which keeps its shape with fewer of them. */
  readonly isPath: boolean;
  /** Draws distances from the highest value instead of the values. */
  readonly isDrawdown?: boolean;
}

/** Defines a mark that draws each row of each y column: lines, areas, points and bars. */
function pointMark(look: PointLook, defaultY: MarkType["defaultY"] = firstNumber): MarkType {
  return {
    xScales: TIME_FIRST,
    defaultY,
    needsY: true,
    byKey: true,
    values: (table, choice) => pointValues(table, choice, look),
    isLayer: true,
    unit: (choice, values, { width }) => pointUnit(choice, values, width, look),
    title: ({ y, color }) =>
      `${look.isDrawdown ? "drawdown of " : ""}${y.map(({ name }) => name).join(", ")}${color === undefined ? "" : ` by ${color.name}`}`,
  };
}

/** One bar per row; bars of several colours are stacked. */
export const bar = pointMark({ mark: { type: "bar" }, fromZero: true, isStacked: true, isPath: false });

/** One filled line per colour. */
export const area = pointMark({
  mark: { type: "area", fillOpacity: 0.6, line: { strokeWidth: 1.5 } },
  fromZero: true,
  isStacked: false,
  isPath: true,
});

/** One point per row. */
export const point = pointMark({
  mark: { type: "point", filled: true, size: 24, fillOpacity: 0.6 },
  fromZero: false,
  isStacked: false,
  isPath: false,
});

/** One line per y column and colour. */
export const line = pointMark(
  { mark: { type: "line", strokeWidth: 1.5 }, fromZero: false, isStacked: false, isPath: true },
  (channels, x, taken) => {
    const numbers = freeNumbers(channels, x, taken);
    const isAlone = [...taken].every((name) => name === undefined);
    return isAlone ? alike(numbers).slice(0, MAX_LINES) : numbers.slice(0, 1);
  },
);

/** The distance from the highest value before, as an area below zero. */
export const drawdown = pointMark({
  mark: { type: "area", fillOpacity: 0.35, line: { strokeWidth: 1.2 } },
  fromZero: true,
  isStacked: false,
  isPath: true,
  isDrawdown: true,
});

const MAX_LINES = 8;

/**
 * The columns whose numbers are of similar size to the first one's, so that no line flattens the others (such as a
 * volume beside prices).
 */
function alike(channels: readonly Channel[]): Channel[] {
  const sizes = channels.map(({ vector }) => {
    let largest = 0;
    for (const value of vectorToNumbers(vector)) if (Math.abs(value) > largest) largest = Math.abs(value);
    return largest;
  });
  return channels.filter((_, i) => sizes[i] <= 30 * sizes[0] && sizes[0] <= 30 * sizes[i]);
}

/** The inline data of a line, area, bar or point chart; with several y columns, one series each. */
function pointValues(table: Table, choice: Choice, { isPath, isDrawdown = false }: PointLook): ChartValues {
  const { x, y, color, isKeyColor, facet, log, isLayer } = choice;
  const xs = xNumbers(x, table.numRows);
  const colors = color === undefined ? undefined : labels(color);
  const facets = facet === undefined ? undefined : labels(facet);
  const most = Math.max(1, Math.floor(MAX_SERIES / y.length));
  const drawn = isKeyColor && colors !== undefined && colors.words.length > most ? largest(colors, most) : undefined;
  const found = y.flatMap((channel) =>
    seriesOf(
      xs,
      channel,
      { name: y.length > 1 || (isLayer && !color) ? channel.name : undefined, colors, facets, drawn },
      x?.scale !== "text",
    ),
  );
  const series = isDrawdown ? found.map((one) => drawdownOf(one, choice.returns)) : found;
  const total = series.reduce((sum, { rows }) => sum + rows.length, 0);
  const notes: string[] = [];
  if (drawn !== undefined)
    notes.push(
      `${drawn.size} of ${grouped(colors?.words.length ?? 0)} series (${color?.name}) drawn: those with the most rows`,
    );
  const limit = isPath ? Math.min(LINE_POINTS, Math.max(200, Math.floor(ALL_LINE_POINTS / series.length))) : 0;
  const datum = datumMaker(x, xs);
  const values: Datum[] = [];
  const step = isPath ? 1 : Math.ceil(total / MAX_POINTS);
  let seen = 0;
  let below = 0;
  for (const one of series) {
    const rows = isPath && total > MAX_POINTS && x?.scale !== "text" ? thinned(one, xs, limit) : one.rows;
    for (const row of rows) {
      if (seen++ % step !== 0) continue;
      const value = one.y[row];
      if (log && value <= 0) below++;
      else values.push({ ...datum(row), y: Number.isNaN(value) ? null : value, ...one.tags });
    }
  }
  if (values.length < total - below) {
    notes.push(
      isPath
        ? `${grouped(values.length)} of ${grouped(total)} points drawn, preserving the shape`
        : `every ${ordinal(step)} of ${grouped(total)} rows drawn`,
    );
  }
  if (below > 0) notes.push(`${grouped(below)} values of 0 or less omitted`);
  return { values, notes, rows: total };
}

const ordinal = (n: number): string => `${n}${n === 2 ? "nd" : n === 3 ? "rd" : "th"}`;

interface Series {
  readonly rows: readonly number[];
  readonly y: Float64Array;
  readonly tags: Datum;
}

interface Tags {
  readonly name: string | undefined;
  readonly colors: Labels | undefined;
  readonly facets: Labels | undefined;
  /** The codes of the drawn colours; undefined for all. */
  readonly drawn: ReadonlySet<number> | undefined;
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

/** The same series with its distances from the highest value. */
function drawdownOf(series: Series, returns: boolean): Series {
  const { rows } = series;
  const distances = drawdownsOf(
    Float64Array.from(rows, (row) => series.y[row]),
    returns,
  );
  const y = new Float64Array(series.y.length);
  for (const [i, row] of rows.entries()) y[row] = distances[i];
  return { ...series, y };
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

function pointUnit(
  choice: Choice,
  values: ChartValues,
  width: number,
  { mark, fromZero, isStacked, isDrawdown = false }: PointLook,
): Unit {
  const { x, y, color, log, isLayer } = choice;
  const percent = choice.percent || isDrawdown;
  const title = y.length === 1 ? nameOf(y[0]) : null;
  const scale = log ? { type: "log", nice: false } : { zero: fromZero };
  const yChannel = {
    field: "y",
    type: "quantitative",
    title,
    scale,
    axis: numberAxis(percent),
    ...(!isStacked && { stack: null }),
  };
  const tooltip = [xTip(choice), numberTip("y", tipText(title ?? "value"), percent ? ".2%" : undefined)];
  const tagged = values.values.some((datum) => "color" in datum);
  if (tagged) tooltip.splice(1, 0, { field: "color", type: "nominal", title: color ? tipName(color) : "column" });
  const size = isStacked && x?.scale !== "text" ? { size: barWidth(values, width) } : {};
  const behind = isStacked && isLayer ? { fillOpacity: 0.55 } : {};
  return {
    mark: {
      ...mark,
      ...size,
      ...behind,
      ...(isDrawdown && (tagged ? { fillOpacity: 0.1 } : { color: DOWN, line: { color: DOWN } })),
    },
    encoding: {
      x: xChannel(choice, values, width),
      y: yChannel,
      ...(tagged && { color: seriesColors(color ? nameOf(color) : null) }),
      tooltip,
    },
  };
}

/** The width of bars over dates or numbers, so that neighbours do not overlap. */
function barWidth({ values }: ChartValues, width: number): number {
  const places = new Set(values.map(({ x }) => x)).size;
  return Math.max(1, Math.min(24, Math.floor((0.7 * width) / Math.max(1, places))));
}

/**
 * The positions of at most `limit` points that preserve the shape of a line (largest triangle three buckets, Sveinn
 * Steinarsson 2013): the first, the last, and from each bucket between them the point that forms the largest triangle
 * with its neighbours. `x` is ascending; points whose y is NaN are skipped.
 */
export function lttb(x: ArrayLike<number>, y: ArrayLike<number>, limit: number): number[] {
  const points: number[] = [];
  for (let i = 0; i < y.length; i++) if (!Number.isNaN(y[i])) points.push(i);
  if (points.length <= limit || limit < 3) return points;
  const kept = [points[0]];
  const size = (points.length - 2) / (limit - 2);
  for (let bucket = 0; bucket < limit - 2; bucket++) {
    const from = Math.floor(bucket * size) + 1;
    const end = Math.floor((bucket + 1) * size) + 1;
    const next = meanOf(x, y, points, end, Math.min(points.length, Math.floor((bucket + 2) * size) + 1));
    const last = kept[kept.length - 1];
    let best = points[from];
    let largest = -1;
    for (let i = from; i < end; i++) {
      const at = points[i];
      const area = Math.abs((x[last] - next.x) * (y[at] - y[last]) - (x[last] - x[at]) * (next.y - y[last]));
      if (area > largest) {
        largest = area;
        best = at;
      }
    }
    kept.push(best);
  }
  kept.push(points[points.length - 1]);
  return kept;
}

function meanOf(x: ArrayLike<number>, y: ArrayLike<number>, points: readonly number[], from: number, end: number) {
  let sumX = 0;
  let sumY = 0;
  for (let i = from; i < end; i++) {
    sumX += x[points[i]];
    sumY += y[points[i]];
  }
  const count = Math.max(1, end - from);
  return { x: sumX / count, y: sumY / count };
}
