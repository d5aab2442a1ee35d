import type { Table } from "../../../columns/arrow/arrow.js";
import { vectorToNumbers } from "../../../columns/arrow/vector-values.js";
import { quantilesOf } from "../../../series/core/quantile.js";
import { distributionOf } from "../../../series/core/select.js";
import { grouped } from "../../base/number-text.js";
import { numberAxis, numberTip, seriesColors, textChannel, type Unit } from "../parts/axes.js";
import { type Choice, nameOf, tipName } from "../parts/channel.js";
import { type ChartValues, type Datum, groupsOf } from "../parts/data.js";
import { stepsOf } from "../parts/steps.js";
import { firstNumber, type MarkType, type UnitContext } from "./mark.js";

/** Whiskers end at the farthest value within this many times the distance of the quartiles from the box (Tukey). */
const WHISKER = 1.5;
/** The most outliers drawn for each box: the farthest, and every n-th of the others. */
const MAX_OUTLIERS = 60;
const WIDEST = 46;

/** The quartiles of y for each value of x, or of several columns side by side. */
export const boxplot: MarkType = {
  xScales: ["text"],
  defaultY: firstNumber,
  needsY: true,
  byKey: false,
  isLayer: false,
  values: boxValues,
  unit: boxUnit,
  title: ({ x, y }) => `${y.map(({ name }) => name).join(", ")}${x === undefined ? "" : ` by ${x.name}`}`,
};

function boxValues(table: Table, choice: Choice): ChartValues {
  const { x, y } = choice;
  const steps = x === undefined ? undefined : stepsOf(x);
  const values: Datum[] = [];
  let outliers = 0;
  let drawn = 0;
  for (const channel of y) {
    const numbers = vectorToNumbers(channel.vector);
    for (const { rows, tags } of groupsOf(choice, table.numRows, steps)) {
      const finite = rows.filter((row) => Number.isFinite(numbers[row])).map((row) => numbers[row]);
      if (finite.length === 0) continue;
      const box = boxOf(Float64Array.from(finite));
      const named: Datum = y.length > 1 && x !== undefined ? { color: nameOf(channel) } : {};
      const place: Datum = { x: nameOf(channel), ...tags, ...named };
      const shown = thinned(box.outliers);
      outliers += box.outliers.length;
      drawn += shown.length;
      values.push({ ...place, ...box.summary }, ...shown.map((out) => ({ ...place, out })));
    }
  }
  const notes = steps?.note === undefined ? [] : [steps.note];
  if (drawn < outliers) notes.push(`${grouped(drawn)} of ${grouped(outliers)} outliers drawn`);
  return { values: inOrder(values, x?.scale !== "text" && x !== undefined), notes, rows: table.numRows };
}

/** Dates and numbers ascend; text stays as in the table. */
function inOrder(values: Datum[], isSorted: boolean): Datum[] {
  if (!isSorted) return values;
  const numeric = values.every(({ x }) => Number.isFinite(Number(x)));
  return values.sort((a, b) => (numeric ? Number(a["x"]) - Number(b["x"]) : String(a["x"]) < String(b["x"]) ? -1 : 1));
}

function boxOf(values: Float64Array) {
  const [q1, median, q3] = quantilesOf(distributionOf(values), [0.25, 0.5, 0.75]);
  const [from, to] = [q1 - WHISKER * (q3 - q1), q3 + WHISKER * (q3 - q1)];
  let low = q1;
  let high = q3;
  const outliers: number[] = [];
  for (const value of values) {
    if (value < from || value > to) outliers.push(value);
    else if (value < low) low = value;
    else if (value > high) high = value;
  }
  return { summary: { low, q1, median, q3, high, count: values.length }, outliers };
}

function thinned(outliers: number[]): readonly number[] {
  if (outliers.length <= MAX_OUTLIERS) return outliers;
  outliers.sort((a, b) => a - b);
  const step = (outliers.length - 1) / (MAX_OUTLIERS - 1);
  return Array.from({ length: MAX_OUTLIERS }, (_, i) => outliers[Math.round(i * step)]);
}

function boxUnit({ x, y, color, log, percent }: Choice, values: ChartValues, { width }: UnitContext): Unit {
  const isColored = values.values.some((datum) => "color" in datum);
  const count = (field: string): number => Math.max(1, new Set(values.values.map((datum) => datum[field])).size);
  const size = Math.max(3, Math.min(WIDEST, (0.6 * width) / (count("x") * (isColored ? count("color") : 1))));
  const scale = log ? { type: "log", nice: false } : { zero: false };
  const title = y.length === 1 ? nameOf(y[0]) : null;
  const number = (field: string): Unit => ({ field, type: "quantitative", title, scale, axis: numberAxis(percent) });
  const format = percent ? ".2%" : undefined;
  const place: Datum = { field: "x", type: "nominal", title: tipName(x) };
  const tips = ["high", "q3", "median", "q1", "low"].map((field) => numberTip(field, field, format));
  const boxes = { transform: [{ filter: { field: "count", valid: true } }] };
  const tooltip = [place, ...tips, numberTip("count", "rows", ",")];
  return {
    encoding: {
      x: { ...textChannel("x", x === undefined ? null : nameOf(x), values, width), sort: null },
      ...(isColored && {
        xOffset: { field: "color", type: "nominal", sort: null },
        color: seriesColors(color ? nameOf(color) : null),
      }),
    },
    layer: [
      { ...boxes, mark: { type: "rule" }, encoding: { y: number("low"), y2: { field: "high" }, tooltip } },
      {
        ...boxes,
        mark: { type: "bar", size },
        encoding: { y: number("q1"), y2: { field: "q3" }, tooltip },
      },
      {
        ...boxes,
        mark: { type: "tick", size, color: "white", thickness: 2 },
        encoding: { y: number("median"), color: { value: "white" }, tooltip },
      },
      {
        transform: [{ filter: { field: "out", valid: true } }],
        mark: { type: "point", filled: true, size: 16, fillOpacity: 0.55 },
        encoding: { y: number("out"), tooltip: [place, numberTip("out", "outlier", format)] },
      },
    ],
  };
}
