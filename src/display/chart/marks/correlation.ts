import type { Table } from "../../../columns/arrow/arrow.js";
import { vectorToNumbers } from "../../../columns/arrow/vector-values.js";
import { takeRows } from "../../../columns/table/take.js";
import { InputError } from "../../../errors/errors.js";
import { corrMatrix } from "../../../series/corr.js";
import type { Unit } from "../parts/axes.js";
import { type Channel, type Choice, drawable } from "../parts/channel.js";
import { type ChartValues, type Datum, groupsOf } from "../parts/data.js";
import { gridUnit } from "../parts/grid.js";
import type { MarkType, UnitContext } from "./mark.js";

/** The side of a cell in pixels, and of the whole grid at most. */
const CELL = 56;
const MOST_SIDE = 560;

/** The correlation of each pair of number columns, from -1 to 1, as `frame.corr()` computes it. */
export const correlation: MarkType = {
  xScales: [],
  defaultY: (channels, _, taken) => channels.filter(({ scale, name }) => scale === "number" && !taken.has(name)),
  needsY: true,
  checkY: requireTwo,
  byKey: false,
  isLayer: false,
  values: correlationValues,
  unit: correlationUnit,
  size: ({ values }) => {
    const side = Math.min(MOST_SIDE, CELL * new Set(values.map(({ x }) => x)).size);
    return { width: side, height: side };
  },
  title: ({ y }) => `correlation of ${y.length > 3 ? `${y.length} columns` : y.map(({ name }) => name).join(", ")}`,
};

function requireTwo(y: readonly Channel[]): void {
  if (y.length >= 2) return;
  throw new InputError("A correlation chart expects two or more number columns as y.", {
    code: "BadArgument",
    hint: "Series of one column become columns by frame.pivot({ index, columns, values }).",
  });
}

function correlationValues(table: Table, choice: Choice): ChartValues {
  const names = choice.y.map(({ name }) => name);
  const words = names.map((name) => drawable(name, 80));
  const values: Datum[] = [];
  for (const { rows, tags } of groupsOf(choice, table.numRows)) {
    const matrix = corrMatrix(rows.length === table.numRows ? table : takeRows(table, Uint32Array.from(rows)), names);
    const columns = names.map((_, i) => vectorToNumbers(matrix.getChildAt(i + 1) as never));
    for (const [i, x] of words.entries()) {
      for (const [j, y] of words.entries()) {
        const heat = columns[i][j];
        values.push({ x, y, heat: Number.isNaN(heat) ? null : heat, ...tags });
      }
    }
  }
  return { values, notes: [], rows: table.numRows };
}

function correlationUnit({ labels }: Choice, values: ChartValues, context: UnitContext): Unit {
  const axis = { title: null, tip: "column", sort: null };
  const grid = {
    x: axis,
    y: { ...axis, tip: "and" },
    title: "correlation",
    percent: false,
    middle: 0,
    reach: 1,
    labels,
  };
  return gridUnit(values, grid, context);
}
