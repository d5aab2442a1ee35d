import type { Table } from "../../../columns/arrow/arrow.js";
import { vectorToNumbers } from "../../../columns/arrow/vector-values.js";
import type { Unit } from "../parts/axes.js";
import { type Channel, type Choice, nameOf, tipName } from "../parts/channel.js";
import { type ChartValues, type Labels, labels } from "../parts/data.js";
import { type GridAxis, gridHeight, gridUnit } from "../parts/grid.js";
import { stepsOf } from "../parts/steps.js";
import { type MarkType, TIME_FIRST, type UnitContext } from "./mark.js";

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
  size: (values) => ({ height: gridHeight(values) }),
  title: ({ x, y, color }) =>
    `${color?.name ?? "rows"} by ${[x, y[0]].flatMap((channel) => channel?.name ?? []).join(" and ")}`,
};

/** The cells of a heat map: the mean of the colour column for each pair of x and y, or the number of rows. */
function heatmapValues({ numRows }: Table, choice: Choice): ChartValues {
  const [y] = choice.y;
  const xs = choice.x === undefined ? undefined : stepsOf(choice.x);
  const ys = y === undefined ? undefined : stepsOf(y);
  const heat = choice.color === undefined ? undefined : vectorToNumbers(choice.color.vector);
  const facets = choice.facet === undefined ? undefined : labels(choice.facet);
  const cells = new Map<number, { row: number; sum: number; count: number }>();
  const [manyYs, manyFacets] = [ys?.words.length ?? 1, facets?.words.length ?? 1];
  for (let row = 0; row < numRows; row++) {
    const value = heat === undefined ? 1 : heat[row];
    if (!Number.isFinite(value)) continue;
    const key = ((xs?.codes[row] ?? 0) * manyYs + (ys?.codes[row] ?? 0)) * manyFacets + (facets?.codes[row] ?? 0);
    const cell = cells.get(key);
    if (cell === undefined) cells.set(key, { row, sum: value, count: 1 });
    else {
      cell.sum += value;
      cell.count++;
    }
  }
  const values = [...cells.values()].map(({ row, sum, count }) => ({
    x: stepAt(choice.x, xs, row),
    y: stepAt(y, ys, row),
    heat: heat === undefined ? sum : sum / count,
    ...(facets && { facet: facets.words[facets.codes[row]] }),
  }));
  const coarse = [xs?.note, ys?.note].filter((note) => note !== undefined);
  return { values, notes: coarse, rows: numRows };
}

/** The step of a row; numbers as numbers, which sort by size. */
function stepAt(channel: Channel | undefined, steps: Labels | undefined, row: number): string | number {
  if (steps === undefined) return "";
  const step = steps.words[steps.codes[row]];
  return channel?.scale === "number" && step !== "null" ? Number(step) : step;
}

function heatmapUnit(choice: Choice, values: ChartValues, context: UnitContext): Unit {
  const { x, y, color, percent, middle, labels } = choice;
  const axis = (channel: Channel | undefined): GridAxis => ({
    title: channel === undefined ? null : nameOf(channel),
    tip: tipName(channel),
    sort: channel === undefined || channel.scale === "text" ? null : "ascending",
  });
  const title = color === undefined ? "rows" : nameOf(color);
  return gridUnit(values, { x: axis(x), y: axis(y[0]), title, percent, middle, labels }, context);
}
