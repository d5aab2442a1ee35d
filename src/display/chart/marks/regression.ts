import type { Table } from "../../../columns/arrow/arrow.js";
import { vectorToNumbers } from "../../../columns/arrow/vector-values.js";
import { InputError } from "../../../errors/errors.js";
import { shown } from "../../../errors/shown.js";
import { fitLine, type LineFit } from "../../../series/core/least-squares.js";
import { grouped } from "../../base/number-text.js";
import { numberAxis, numberTip, seriesColors, type Unit, xChannel, xTip } from "../parts/axes.js";
import { type Choice, nameOf, tipName } from "../parts/channel.js";
import { type ChartValues, type Datum, groupsOf, xNumbers } from "../parts/data.js";
import { firstNumber, type MarkType, type UnitContext } from "./mark.js";

/** The most points drawn; the line and its band are computed from all rows. */
const MAX_POINTS = 3_000;
/** The places at which the band is computed, as in ggplot2. */
const PLACES = 80;

/** Points with a line fitted by least squares and the 95 % confidence band of its mean, for each colour. */
export const regression: MarkType = {
  xScales: ["number", "time"],
  defaultY: firstNumber,
  needsY: true,
  byKey: false,
  isLayer: true,
  values: regressionValues,
  unit: regressionUnit,
  title: ({ x, y }) => `${y[0].name} by ${x?.name}`,
};

function regressionValues(table: Table, choice: Choice): ChartValues {
  const { x } = choice;
  if (x === undefined || x.scale === "text") {
    throw new InputError(`A regression expects numbers or dates as x; got ${shown(x?.name)}.`, {
      code: "WrongType",
      column: x?.name,
      hint: 'Pass a number column: plot({ x: …, y: …, mark: "regression" }).',
    });
  }
  const xs = xNumbers(x, table.numRows);
  const ys = vectorToNumbers(choice.y[0].vector);
  const groups = groupsOf(choice, table.numRows).map(({ rows, tags }) => ({
    tags: choice.isLayer && !choice.color ? { color: nameOf(choice.y[0]), ...tags } : tags,
    rows: rows.filter((row) => Number.isFinite(xs[row]) && Number.isFinite(ys[row])),
  }));
  const total = groups.reduce((sum, { rows }) => sum + rows.length, 0);
  const step = Math.max(1, Math.ceil(total / MAX_POINTS));
  const values: Datum[] = [];
  const lines: LineFit[] = [];
  for (const { rows, tags } of groups) {
    for (let i = 0; i < rows.length; i += step) values.push({ x: xs[rows[i]], y: ys[rows[i]], ...tags });
    const groupXs = rows.map((row) => xs[row]);
    const line = fitLine(
      groupXs,
      rows.map((row) => ys[row]),
    );
    if (line === undefined) continue;
    lines.push(line);
    for (const at of placesOf(groupXs, choice.gaps)) values.push({ x: at, ...bandAt(line, at), ...tags });
  }
  const notes =
    step > 1 ? [`${grouped(Math.ceil(total / step))} of ${grouped(total)} points drawn, all of them fitted`] : [];
  const text = lines.length === 1 && groups.length === 1 ? lineText(lines[0], x.scale === "time") : undefined;
  return { values, notes: text === undefined ? notes : [text, ...notes], rows: total };
}

/** Equal steps from the least x to the largest; on an axis without gaps, dates that are there. */
function placesOf(xs: readonly number[], gaps: boolean): readonly number[] {
  const low = xs.reduce((least, x) => Math.min(least, x));
  const high = xs.reduce((most, x) => Math.max(most, x));
  if (gaps) return Array.from({ length: PLACES }, (_, i) => low + ((high - low) * i) / (PLACES - 1));
  const dates = [...new Set(xs)].sort((a, b) => a - b);
  const step = Math.max(1, (dates.length - 1) / (PLACES - 1));
  return Array.from({ length: Math.min(PLACES, dates.length) }, (_, i) => dates[Math.round(i * step)]);
}

function bandAt(line: LineFit, x: number): Datum {
  const { fit, margin } = line.at(x);
  return Number.isNaN(margin) ? { fit } : { fit, from: fit - margin, to: fit + margin };
}

function lineText({ slope, intercept, r2, count }: LineFit, isTime: boolean): string {
  const short = (value: number): string => String(Number(value.toPrecision(4))).replace("-", "−");
  const equation = isTime ? "" : `${short(intercept)} ${slope < 0 ? "−" : "+"} ${short(Math.abs(slope))} x · `;
  const share = Number.isNaN(r2) ? "" : `R² ${short(r2)} · `;
  return `${equation}${share}${grouped(count)} points · 95 % confidence`;
}

function regressionUnit(choice: Choice, values: ChartValues, { width }: UnitContext): Unit {
  const { y, color, log, percent } = choice;
  const isColored = values.values.some((datum) => "color" in datum);
  const number = (field: string): Unit => ({
    field,
    type: "quantitative",
    title: nameOf(y[0]),
    scale: log ? { type: "log", nice: false } : { zero: false },
    axis: numberAxis(percent),
  });
  const format = percent ? ".2%" : undefined;
  const only = (field: string): Unit => ({ transform: [{ filter: { field, valid: true } }] });
  const tips = [numberTip("fit", "line", format), numberTip("from", "from", format), numberTip("to", "to", format)];
  const tooltip = [xTip(choice), ...tips];
  return {
    encoding: {
      x: xChannel(choice, values, width),
      ...(isColored && { color: seriesColors(color ? nameOf(color) : null) }),
    },
    layer: [
      {
        ...only("y"),
        mark: { type: "point", filled: true, size: 22, fillOpacity: 0.45 },
        encoding: { y: number("y"), tooltip: [xTip(choice), numberTip("y", tipName(y[0]), format)] },
      },
      {
        ...only("from"),
        mark: { type: "area", fillOpacity: 0.25 },
        encoding: { y: number("from"), y2: { field: "to" }, tooltip },
      },
      {
        ...only("fit"),
        mark: { type: "line", strokeWidth: 2, ...(!isColored && { color: LINE }) },
        encoding: { y: number("fit"), tooltip },
      },
    ],
  };
}

/** The line among points of one colour. */
const LINE = "#e08a00";
