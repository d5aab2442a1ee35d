import { Float64, makeData, type Table, Vector } from "../../columns/arrow/arrow.js";
import { RowViews } from "./row-views.js";

/** Calls a function for every row of a table and collects the results; `where` is the method that calls back. */
export function valuesOfRows<Row>(table: Table, value: (row: Row) => unknown, where: string): unknown[] {
  const views = new RowViews<Row>(table, where);
  const values = new Array<unknown>(table.numRows);
  try {
    while (views.to < values.length) {
      views.enter(views.to);
      for (let i = views.from; i < views.to; i++) values[i] = value(views.at(i));
    }
  } finally {
    views.close();
  }
  return values;
}

/**
 * As {@link valuesOfRows}; if all values are numbers or null (including `undefined`) and at least one is a number,
 * returns a column of doubles without creating an array of JavaScript values.
 */
export function numbersOfRows<Row>(table: Table, value: (row: Row) => unknown, where: string): Vector | unknown[] {
  const { numRows } = table;
  const views = new RowViews<Row>(table, where);
  const numbers = new Float64Array(numRows);
  let nulls: Nulls | undefined;
  try {
    for (let i = 0; i < numRows; ) {
      if (i === views.to) views.enter(i);
      const result = fill(numbers, i, views, value);
      i = result.row;
      if (i === views.to) continue;
      if (result.value !== null && result.value !== undefined) {
        return others(numbers, nulls, i, result.value, views, value);
      }
      nulls ??= { bits: new Uint8Array(((numRows + 63) & ~63) >> 3).fill(255), count: 0 };
      nulls.bits[i >> 3] &= ~(1 << (i & 7));
      nulls.count++;
      i++;
    }
  } finally {
    views.close();
  }
  if (nulls?.count === numRows || numRows === 0) return new Array<null>(numRows).fill(null);
  const validity = nulls === undefined ? { nullCount: 0 } : { nullCount: nulls.count, nullBitmap: nulls.bits };
  return new Vector([makeData({ type: new Float64(), length: numRows, data: numbers, ...validity })]);
}

/**
 * Fills in numbers from a row on, up to the first result that is not one, which is returned with its row, or to the end
 * of the batch. A function of its own, so small that the callback is compiled into its loop.
 */
function fill<Row>(
  numbers: Float64Array,
  from: number,
  views: RowViews<Row>,
  value: (row: Row) => unknown,
): { readonly row: number; readonly value: unknown } {
  const { to } = views;
  for (let i = from; i < to; i++) {
    const result = value(views.at(i));
    if (typeof result !== "number") return { row: i, value: result };
    numbers[i] = result;
  }
  return { row: to, value: undefined };
}

interface Nulls {
  /** 0 for null. */
  readonly bits: Uint8Array;
  count: number;
}

/** The values so far as an array, followed by the first value that is not a number and the rest. */
function others<Row>(
  numbers: Float64Array,
  nulls: Nulls | undefined,
  row: number,
  result: unknown,
  views: RowViews<Row>,
  value: (row: Row) => unknown,
): unknown[] {
  const values = new Array<unknown>(numbers.length);
  for (let i = 0; i < row; i++) {
    const isNull = nulls !== undefined && (nulls.bits[i >> 3] & (1 << (i & 7))) === 0;
    values[i] = isNull ? null : numbers[i];
  }
  values[row] = result;
  for (let i = row + 1; i < values.length; i++) {
    if (i === views.to) views.enter(i);
    values[i] = value(views.at(i));
  }
  return values;
}
