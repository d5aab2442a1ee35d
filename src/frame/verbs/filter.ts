import { type Data, DataType, type Table, Vector } from "../../columns/arrow/arrow.js";
import { alignedBits, countBits, validityBits } from "../../columns/arrow/bits.js";
import { InputError } from "../../errors/errors.js";
import { Column } from "../cells/column.js";
import { needList } from "../cells/given.js";
import { RowViews } from "../cells/row-views.js";

/** Which rows to keep: one boolean per row. */
export type Mask = ArrayLike<boolean | number | null> | Column<boolean | null> | Vector;

/** Rows of a table; all in order if there are no numbers. */
interface RowsOf {
  readonly base: Table;
  readonly rows: Int32Array | undefined;
  readonly numRows: number;
}

/**
 * The positions of the rows that pass: a test of each row's view, or one boolean per row.
 *
 * @throws {InputError} DifferentLength, BadArgument
 */
export function passing<Row>(test: ((row: Row) => unknown) | Mask, of: RowsOf): Int32Array {
  if (typeof test === "function") return placesWhere(of, test);
  needList(test, "filter()", "Pass a function of the row, a boolean column, or an array with one boolean per row.");
  const mask = test instanceof Column ? test.vector : test;
  if (test instanceof Column && !isTruth(test.vector.type)) {
    const name = JSON.stringify(test.name);
    throw new InputError(`filter() expects a boolean column; ${name} is ${test.type}.`, {
      code: "WrongType",
      column: test.name,
      hint: `Compare it: filter(frame.column(${name}).gt(0)), or ne(0) for all but zeros and nulls.`,
    });
  }
  if (mask.length !== of.numRows) {
    throw new InputError(`The mask has ${mask.length} values; the frame has ${of.numRows} rows.`, {
      code: "DifferentLength",
      hint: "Pass one boolean per row, or a function of the row: filter((row) => row.close > 5).",
    });
  }
  if (!(mask instanceof Vector)) return placesOfTruths(mask);
  return DataType.isBool(mask.type) ? placesOfBits(mask) : placesOfTruths(new Column("", "", mask).toArray() as []);
}

/** Booleans, or numbers of which 0 is false; decimals, dates and text are columns that were not compared. */
const isTruth = (type: DataType): boolean => DataType.isBool(type) || DataType.isInt(type) || DataType.isFloat(type);

/** The positions at which `mask` is true; null and 0 are false. */
function placesOfTruths(mask: ArrayLike<boolean | number | null>): Int32Array {
  const places = new Int32Array(mask.length);
  let count = 0;
  for (let i = 0; i < mask.length; i++) if (mask[i]) places[count++] = i;
  return trimmed(places, count);
}

/** The positions of true values in a boolean column; null is false. */
function placesOfBits(mask: Vector): Int32Array {
  const pieces = mask.data.map(truths);
  const count = pieces.reduce((sum, bits, k) => sum + countBits(bits, mask.data[k].length), 0);
  const places = new Int32Array(count);
  let base = 0;
  let at = 0;
  for (const [k, bits] of pieces.entries()) {
    const { length } = mask.data[k];
    for (let b = 0; b < bits.length; b++) {
      let byte = b === length >> 3 ? bits[b] & ((1 << (length & 7)) - 1) : bits[b];
      for (let row = base + b * 8; byte !== 0; byte >>= 1, row++) if ((byte & 1) !== 0) places[at++] = row;
    }
    base += length;
  }
  return places;
}

function truths(data: Data): Uint8Array {
  const bits = alignedBits(data.values as Uint8Array, data.offset, data.length);
  const valid = validityBits(data);
  return valid === undefined ? bits : bits.map((byte, i) => byte & valid[i]);
}

function placesWhere<Row>({ base, rows, numRows }: RowsOf, test: (row: Row) => unknown): Int32Array {
  const views = new RowViews<Row>(base, "filter()");
  const places = new Int32Array(numRows);
  let count = 0;
  try {
    if (rows === undefined) {
      while (views.to < numRows) {
        views.enter(views.to);
        count = testRows(views, test, places, count);
      }
    } else {
      for (let i = 0; i < numRows; i++) {
        if (rows[i] < views.from || rows[i] >= views.to) views.enter(rows[i]);
        const passed = test(views.at(rows[i], i));
        if (passed === true || (passed && isTrue(passed))) places[count++] = i;
      }
    }
  } finally {
    views.close();
  }
  return trimmed(places, count);
}

/**
 * Adds the positions of the rows that were entered and pass; returns how many there are then. The test is compiled into
 * its loop.
 */
function testRows<Row>(views: RowViews<Row>, test: (row: Row) => unknown, places: Int32Array, before: number): number {
  const { from, to } = views;
  let count = before;
  for (let row = from; row < to; row++) {
    const passed = test(views.at(row));
    if (passed === true || (passed && isTrue(passed))) places[count++] = row;
  }
  return count;
}

/** @throws {InputError} BadArgument for a promise, which would let all rows pass */
function isTrue(passed: unknown): true {
  if (typeof (passed as { then?: unknown }).then !== "function") return true;
  throw new InputError("filter() expects a test that returns a boolean; it returned a promise.", {
    code: "BadArgument",
    hint: "Await what the test needs before filter(), or await a mask with one boolean per row.",
  });
}

/** The first positions: a view, or a copy if a view would keep much more memory alive. */
const trimmed = (places: Int32Array, count: number): Int32Array =>
  count * 2 < places.length ? places.slice(0, count) : places.subarray(0, count);
