import type { Table } from "../../../columns/arrow/arrow.js";
import { vectorToNumbers } from "../../../columns/arrow/vector-values.js";
import { numberAxis, tip, type Unit, xChannel, xTip } from "../parts/axes.js";
import type { Channel, Choice } from "../parts/channel.js";
import {
  ascending,
  type ChartValues,
  count,
  type Datum,
  datumMaker,
  type Labels,
  labels,
  xNumbers,
} from "../parts/data.js";
import { lttb } from "../parts/downsample.js";
import { nameOf, tipName, tipText } from "../parts/names.js";
import { type MarkType, TIME_FIRST } from "./mark.js";

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
  /** Whether the y axis starts at zero. */
  readonly fromZero: boolean;
  readonly isStacked: boolean;
  /** Whether the points form a path, which keeps its shape with fewer of them. */
  readonly isPath: boolean;
}

/** Defines a mark that draws each row of each y column: lines, areas, points and bars. */
export function pointMark(look: PointLook, defaultY: MarkType["defaultY"] = firstNumber): MarkType {
  return {
    xScales: TIME_FIRST,
    defaultY,
    needsY: true,
    byKey: true,
    values: (table, choice) => pointValues(table, choice, look.isPath),
    unit: (choice, values, { percent }) => pointUnit(choice, values, percent, look),
    title: ({ y, color }) => `${y.map(({ name }) => name).join(", ")}${color === undefined ? "" : ` by ${color.name}`}`,
  };
}

/** The number columns without another use. */
export const freeNumbers = (
  channels: readonly Channel[],
  x: Channel | undefined,
  taken: ReadonlySet<string | undefined>,
): Channel[] => channels.filter((c) => c.scale === "number" && c !== x && !taken.has(c.name));

function firstNumber(...choice: Parameters<MarkType["defaultY"]>): readonly Channel[] {
  return freeNumbers(...choice).slice(0, 1);
}

/** The inline data of a line, area, bar or point chart; with several y columns, one series each. */
function pointValues(table: Table, choice: Choice, isPath: boolean): ChartValues {
  const { x, y, color, isKeyColor, facet, log } = choice;
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
      `${drawn.size} of ${count(colors?.words.length ?? 0)} series (${color?.name}) drawn: those with the most rows`,
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
        ? `${count(values.length)} of ${count(total)} points drawn, preserving the shape`
        : `every ${ordinal(step)} of ${count(total)} rows drawn`,
    );
  }
  if (below > 0) notes.push(`${count(below)} values of 0 or less omitted`);
  return { values, notes, rows: total };
}

const ordinal = (n: number): string => `${n}${n === 2 ? "nd" : n === 3 ? "rd" : "th"}`;

interface Series {
  readonly rows: readonly number[];
  readonly y: Float64Array;
  readonly tags: Datum;
}

/** The identity of a series. */
interface Tags {
  readonly name: string | undefined;
  readonly colors: Labels | undefined;
  readonly facets: Labels | undefined;
  /** The codes of the drawn colours; undefined for all. */
  readonly drawn: ReadonlySet<number> | undefined;
}

/** The codes of the colours with the most rows, ties in order of first appearance. */
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
  percent: boolean,
  { mark, fromZero, isStacked }: PointLook,
): Unit {
  const { x, y, color, log } = choice;
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
  const tooltip = [
    tip(xTip(x), tipName(x)),
    { field: "y", type: "quantitative", title: tipText(title ?? "value"), format: percent ? ".2%" : ",.10~g" },
  ];
  const tagged = values.values.some((datum) => "color" in datum);
  if (tagged) tooltip.splice(1, 0, { field: "color", type: "nominal", title: color ? tipName(color) : "column" });
  return {
    mark,
    encoding: {
      x: xChannel(x),
      y: yChannel,
      ...(tagged && { color: { field: "color", type: "nominal", title: color ? nameOf(color) : null, sort: null } }),
      tooltip,
    },
  };
}
