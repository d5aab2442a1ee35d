import type { Table } from "../../../columns/arrow/arrow.js";
import { vectorToNumbers } from "../../../columns/arrow/vector-values.js";
import { InputError } from "../../../errors/errors.js";
import { periodReturns } from "../../../series/core/returns.js";
import type { Unit } from "../parts/axes.js";
import { type Channel, type Choice, nameOf } from "../parts/channel.js";
import { type ChartValues, type Datum, groupsOf } from "../parts/data.js";
import { gridUnit } from "../parts/grid.js";
import { firstNumber, type MarkType, type UnitContext } from "./mark.js";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const YEAR = "Year";
const ROW_HEIGHT = 24;

/** The return of each month, one row per year, and of the year; of prices, or of returns by their product. */
export const months: MarkType = {
  xScales: ["time"],
  defaultY: firstNumber,
  needsY: true,
  byKey: false,
  isLayer: false,
  values: monthValues,
  unit: monthUnit,
  size: ({ values }) => ({ height: Math.max(48, ROW_HEIGHT * new Set(values.map(({ y }) => y)).size) }),
  title: ({ y }) => `monthly return of ${y.map(({ name }) => name).join(", ")}`,
};

function monthValues(table: Table, choice: Choice): ChartValues {
  const { x, y, returns } = choice;
  requireDates(x);
  const dates = vectorToNumbers(x.vector);
  const numbers = vectorToNumbers(y[0].vector);
  const values: Datum[] = [];
  for (const { rows, tags } of groupsOf(choice, table.numRows)) {
    const series = { dates: rows.map((row) => dates[row]), values: rows.map((row) => numbers[row]), returns };
    refuseRepeats(series.dates);
    const cells = (digits: number, label: (period: string) => string): void => {
      for (const { period, value } of periodReturns(series, digits)) {
        if (!Number.isFinite(value)) continue;
        values.push({ x: label(period), y: period.slice(0, 4), heat: value, ...tags });
      }
    };
    cells(7, (period) => MONTHS[Number(period.slice(5)) - 1]);
    cells(4, () => YEAR);
  }
  return { values, notes: [], rows: table.numRows };
}

/** @throws {InputError} RepeatedDate for several series, whose returns cannot be chained */
function refuseRepeats(dates: readonly number[]): void {
  const seen = new Set<number>();
  for (const date of dates) {
    if (seen.has(date)) {
      throw new InputError(
        `Returns by month expect one series; ${new Date(date).toISOString().slice(0, 10)} repeats.`,
        {
          code: "RepeatedDate",
          hint: 'Draw a grid for each series, facet: "ticker", or filter to one.',
        },
      );
    }
    seen.add(date);
  }
}

/** @throws {InputError} WrongType */
export function requireDates(x: Channel | undefined): asserts x is Channel {
  if (x?.scale === "time") return;
  throw new InputError("Returns by month expect a column of dates as x.", {
    code: "WrongType",
    hint: 'Pass x: "date", or convert the column first: frame.cast({ date: "Date" }).',
  });
}

function monthUnit({ y, labels, middle = 0 }: Choice, values: ChartValues, context: UnitContext): Unit {
  // Months determine the colours; those of years reach farther.
  const ofMonths = values.values.flatMap(({ x, heat }) => (x === YEAR ? [] : [Math.abs((heat as number) - middle)]));
  return gridUnit(
    values,
    {
      x: { title: null, tip: "month", sort: [...MONTHS, YEAR] },
      y: { title: null, tip: "year", sort: "ascending" },
      title: `return of ${nameOf(y[0])}`,
      percent: true,
      middle,
      reach: Math.max(0, ...ofMonths) || 1,
      labels,
    },
    context,
  );
}
