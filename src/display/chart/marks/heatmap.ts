import type { Table } from "../../../columns/arrow/arrow.js";
import { vectorToNumbers } from "../../../columns/arrow/vector-values.js";
import { numberAxis, numberTip, type Unit } from "../parts/axes.js";
import { type Channel, type Choice, nameOf, tipName, tipText } from "../parts/channel.js";
import { type ChartValues, clean, type Labels, labels, roundStep } from "../parts/data.js";
import { type MarkType, TIME_FIRST } from "./mark.js";

/** One cell per pair of x and y, coloured by a mean or by the number of rows. */
export const heatmap: MarkType = {
  xScales: TIME_FIRST,
  defaultY: (channels, x, taken) =>
    channels.filter((c) => c.scale === "text" && c !== x && !taken.has(c.name)).slice(0, 1),
  needsY: false,
  byKey: false,
  isLayer: false,
  values: heatmapValues,
  unit: heatmapUnit,
  title: ({ x, y, color }) =>
    `${color?.name ?? "rows"} by ${[x, y[0]].flatMap((channel) => channel?.name ?? []).join(" and ")}`,
};

/** The cells of a heat map: the mean of the colour column for each pair of x and y, or the number of rows. */
function heatmapValues(table: Table, choice: Choice): ChartValues {
  const [y] = choice.y;
  const xs = choice.x === undefined ? undefined : cellsOfAxis(choice.x);
  const ys = y === undefined ? undefined : cellsOfAxis(y);
  const heat = choice.color === undefined ? undefined : vectorToNumbers(choice.color.vector);
  const facets = choice.facet === undefined ? undefined : labels(choice.facet);
  const cells = new Map<string, { row: number; sum: number; count: number }>();
  for (let row = 0; row < table.numRows; row++) {
    const value = heat === undefined ? 1 : heat[row];
    if (Number.isNaN(value)) continue;
    const key = `${xs?.codes[row] ?? 0} ${ys?.codes[row] ?? 0} ${facets?.codes[row] ?? 0}`;
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
    ...(facets && { facet: facets.words[facets.codes[row]] }),
  }));
  const coarse = [xs?.note, ys?.note].filter((note) => note !== undefined);
  return { values, notes: coarse, rows: table.numRows };
}

/** The most steps of a heat map's axis; more are merged: numbers into round steps, days into months or years. */
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

function heatmapUnit({ x, y, color }: Choice): Unit {
  const axis = (channel: Channel | undefined, field: string): Unit => ({
    field,
    type: "ordinal",
    title: channel === undefined ? null : nameOf(channel),
    sort: channel === undefined || channel.scale === "text" ? null : "ascending",
    axis: { labelOverlap: true },
  });
  const title = color === undefined ? "rows" : nameOf(color);
  return {
    mark: { type: "rect" },
    encoding: {
      x: axis(x, "x"),
      y: axis(y[0], "y"),
      color: { field: "heat", type: "quantitative", title, scale: { scheme: "viridis" }, legend: numberAxis(false) },
      tooltip: [
        { field: "x", type: "nominal", title: tipName(x) },
        { field: "y", type: "nominal", title: tipName(y[0]) },
        numberTip("heat", tipText(title), ",.6~g"),
      ],
    },
  };
}
