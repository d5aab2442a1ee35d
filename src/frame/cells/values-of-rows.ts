import { Float64, makeData, type Table, Vector } from "../../columns/arrow/arrow.js";
import { unsafeBytes } from "../../columns/build/buffer-pool.js";
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
  const chunks: Numbers[] = [];
  let nullCount = 0;
  try {
    while (views.to < numRows) {
      views.enter(views.to);
      const values = unsafeNumbers(views.to - views.from);
      const chunk: Numbers = { first: views.from, values, nulls: undefined };
      chunks.push(chunk);
      for (let i = views.from; i < views.to; i++) {
        const result = fill(chunk, i, views, value);
        i = result.row;
        if (i === views.to) break;
        if (result.value !== null && result.value !== undefined) return others(chunks, result, views, value, numRows);
        setNull(chunk, i - chunk.first);
        nullCount++;
      }
    }
  } finally {
    views.close();
  }
  if (nullCount === numRows) return new Array<null>(numRows).fill(null);
  return new Vector(
    chunks.map(({ values, nulls }) => {
      const validity = nulls === undefined ? { nullCount: 0 } : { nullCount: nulls.count, nullBitmap: nulls.bits };
      return makeData({ type: new Float64(), length: values.length, data: values, ...validity });
    }),
  );
}

/**
 * Fills in numbers from a row on, up to the first result that is not one, which is returned with its row, or to the end
 * of the rows that were entered. The callback is compiled into its loop.
 */
function fill<Row>(
  { values, first }: Numbers,
  from: number,
  views: RowViews<Row>,
  value: (row: Row) => unknown,
): Found {
  const { to } = views;
  for (let i = from; i < to; i++) {
    const result = value(views.at(i));
    if (typeof result !== "number") return { row: i, value: result };
    values[i - first] = result;
  }
  return { row: to, value: undefined };
}

/** A row whose value is not a number, or the end of the rows. */
interface Found {
  readonly row: number;
  readonly value: unknown;
}

interface Numbers {
  readonly first: number;
  readonly values: Float64Array;
  nulls: Nulls | undefined;
}

function setNull(chunk: Numbers, row: number): void {
  chunk.nulls ??= { bits: new Uint8Array(((chunk.values.length + 63) & ~63) >> 3).fill(255), count: 0 };
  chunk.nulls.bits[row >> 3] &= ~(1 << (row & 7));
  chunk.nulls.count++;
  chunk.values[row] = 0;
}

interface Nulls {
  /** 0 for null. */
  readonly bits: Uint8Array;
  count: number;
}

/** Memory of which every value is written. */
function unsafeNumbers(length: number): Float64Array {
  return new Float64Array(unsafeBytes(length * 8).buffer, 0, length);
}

/** The values so far as an array, followed by the first value that is not a number and the rest. */
function others<Row>(
  chunks: readonly Numbers[],
  { row, value: other }: Found,
  views: RowViews<Row>,
  value: (row: Row) => unknown,
  numRows: number,
): unknown[] {
  const values = new Array<unknown>(numRows);
  let to = 0;
  for (const { values: numbers, nulls } of chunks) {
    for (let i = 0; i < numbers.length && to < row; i++, to++) {
      const isNull = nulls !== undefined && (nulls.bits[i >> 3] & (1 << (i & 7))) === 0;
      values[to] = isNull ? null : numbers[i];
    }
  }
  values[row] = other;
  for (let i = row + 1; i < numRows; i++) {
    if (i === views.to) views.enter(i);
    values[i] = value(views.at(i));
  }
  return values;
}
