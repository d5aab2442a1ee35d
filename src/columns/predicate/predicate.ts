import { compareBytes, utf8Bytes } from "../../platform/node/bytes.js";
import type { Operator } from "../../spec/vocabulary.js";
import { type Data, DataType, type RecordBatch } from "../arrow/arrow.js";
import { alignedBits, countBits } from "../arrow/bits.js";
import { chunkReader } from "../arrow/cell-reader.js";
import { instantsOf } from "../arrow/instants.js";
import { both, isValid, presentOf, type Validity } from "../compute/chunks.js";
import { type Constant, exactConstant, numberConstant, SECONDS_PER_DAY, timeConstant } from "../compute/constant.js";
import { LEAST_ROWS, mapBlocks } from "../compute/in-blocks.js";
import { doublesOf, isNumber } from "../compute/operands.js";
import { type Place, wrongConstant, wrongType } from "../compute/place.js";
import { isText, textMarks } from "../compute/texts.js";
import { big, exactType, isDays, small, timestampType, type Units, unitsOf } from "../compute/units.js";
import { compareText } from "../table/sort.js";

/** How two values compare: as the methods of columns and the operators of row filters (spec 4.7) are called. */
export type Comparison = "eq" | "ne" | "lt" | "le" | "gt" | "ge" | Operator;

/** A set of the orders of two values: bit 0 less, bit 1 equal, bit 2 more. */
export type Orders = number;

export const ORDERS: Readonly<Record<Comparison, Orders>> = {
  lt: 1,
  eq: 2,
  le: 3,
  lte: 3,
  gt: 4,
  ge: 6,
  gte: 6,
  ne: 5,
};

/** Whether an order, below 0, 0 or above 0, is in a set. */
export const accepts = (orders: Orders, order: number): boolean => ((orders >> (Math.sign(order) + 1)) & 1) === 1;

/** Least and greatest value of some rows, or bounds below and above them; undefined where unknown. */
export interface Bounds {
  /** An integer in the units of the column, a double, or the bytes of a text. */
  readonly least: bigint | number | Uint8Array | undefined;
  readonly most: bigint | number | Uint8Array | undefined;
}

/** A constant of a column; null is left to the callers. */
export type Value = Exclude<Constant, null>;

/**
 * A comparison of the cells of a column with constants, which are read once, in the units of the column. The methods of
 * columns, conditions on files, the checks of replies and the SQL of filters share its meanings:
 *
 * | Cells | Constant | Comparison |
 * | --- | --- | --- |
 * | null, NaN | any | matches nothing; as a truth value, null |
 * | any | null, NaN | matches nothing; as a truth value, null |
 * | any | a list | matches where one of its values does |
 * | integers, decimals | a number, bigint or digits | exact, with every digit of the constant: 0.5 is between 0 and 1 |
 * | doubles | a number, bigint or digits | as the nearest double; 0 equals −0, infinities are the outermost values |
 * | text | a string | by code point, the order of UTF-8 |
 * | booleans | a boolean | `false` is less than `true` |
 * | timestamps | a timestamp, a `Date` | exact, also where the constant is finer than the unit of the column |
 * | timestamps | a date | its midnight, in UTC or in the local time of a column without a zone |
 * | dates | a date, a `Date` | by day; a `Date` is its day in UTC |
 * | dates | a timestamp | the cell is its midnight in UTC |
 */
export interface Predicate {
  /** Whether the constant is NaN: truth values are null. */
  readonly isNull: boolean;
  /**
   * One bit for each row of a chunk, set where it holds a value that matches.
   *
   * @param valid the rows that hold values, as {@link presentOf} finds them
   */
  marks(data: Data, valid: Validity): Uint8Array;
  /** How many of the values between two bounds match, null and NaN left out. */
  within(bounds: Bounds): "none" | "some" | "all";
}

/**
 * The predicate of a comparison with a value, or for `eq` with any of several.
 *
 * @throws {InputError} WrongType, BadArgument
 */
export function predicateOf(type: DataType, how: Comparison, values: readonly Value[], place: Place): Predicate {
  const orders = ORDERS[how];
  const refuse = (value: Value): never => {
    throw wrongConstant(place, type, value);
  };
  if (isText(type)) {
    return ofTexts(
      orders,
      values.map((value) => (typeof value === "string" ? value : refuse(value))),
    );
  }
  if (DataType.isBool(type)) {
    return ofBooleans(
      orders,
      values.map((value) => (typeof value === "boolean" ? value : refuse(value))),
    );
  }
  if (!isNumber(type) && !DataType.isDate(type) && !DataType.isTimestamp(type)) {
    throw wrongType(place, type, "numbers, text, dates, timestamps or truth values");
  }
  const tests = values.flatMap((value) => unitTest(type, how, value, place) ?? []);
  if (tests.length > 0 || values.length === 0) return ofUnits(tests);
  return ofDoubles(
    orders,
    values.map((value) => numberConstant(value, type, place)),
  );
}

/** A comparison with one constant: `order` is that of a bound, undefined where the bound is unknown. */
interface Test {
  readonly orders: Orders;
  readonly order: (bound: Bounds["least"]) => number | undefined;
}

function predicate(
  tests: readonly Test[],
  mark: (data: Data, valid: Validity) => Uint8Array,
  isNull = false,
): Predicate {
  return {
    isNull,
    marks(data, valid) {
      const bits = mark(data, valid);
      if (valid !== undefined) for (let i = 0; i < bits.length; i++) bits[i] &= valid[i];
      return bits;
    },
    within({ least, most }) {
      const each = tests.map(({ orders, order }) => {
        const [from, to] = [order(least), order(most)].map((found) => found && Math.sign(found));
        const possible = [-1, 0, 1].filter((found) => found >= (from ?? -1) && found <= (to ?? 1));
        if (!possible.some((found) => accepts(orders, found))) return "none";
        return from !== undefined && to !== undefined && possible.every((found) => accepts(orders, found))
          ? "all"
          : "some";
      });
      if (each.includes("all")) return "all";
      return each.includes("some") ? "some" : "none";
    },
  };
}

const bitsFor = ({ length }: Data): Uint8Array => new Uint8Array((length + 7) >> 3);

function ofTexts(orders: Orders, texts: readonly string[]): Predicate {
  const constants = texts.map((text) => utf8Bytes(text));
  const tests = constants.map((bytes) => ({
    orders,
    order: (bound: Bounds["least"]) => (bound instanceof Uint8Array ? compareBytes(bound, bytes) : undefined),
  }));
  const [text] = texts;
  const listed = new Set(texts);
  return predicate(
    tests,
    textMarks((data) => {
      if (texts.length === 1 && DataType.isUtf8(data.type)) return bytesTest(data, orders, constants[0]);
      const cells = chunkReader(data);
      if (texts.length !== 1) return (i) => listed.has(cells.text(i));
      return (i) => accepts(orders, compareText(cells.text(i), text));
    }),
  );
}

/** As the comparison of texts by code point, over the UTF-8 of a chunk. */
function bytesTest(data: Data, orders: Orders, constant: Uint8Array): (i: number) => boolean {
  const bytes = data.values as Uint8Array;
  const offsets = data.valueOffsets as Int32Array;
  return (i) => {
    const from = offsets[i];
    const length = offsets[i + 1] - from;
    if (orders === ORDERS.eq && length !== constant.length) return false;
    const end = Math.min(length, constant.length);
    let at = 0;
    while (at < end && bytes[from + at] === constant[at]) at++;
    return accepts(orders, at < end ? bytes[from + at] - constant[at] : length - constant.length);
  };
}

function ofBooleans(orders: Orders, values: readonly boolean[]): Predicate {
  const [no, yes] = [0, 1].map((cell) => (values.some((value) => accepts(orders, cell - Number(value))) ? 255 : 0));
  const tests = values.map(() => ({ orders, order: () => undefined }));
  return predicate(tests, (data) =>
    alignedBits(data.values as Uint8Array, data.offset, data.length).map((byte) => (byte & yes) | (~byte & no)),
  );
}

function ofDoubles(orders: Orders, numbers: readonly number[]): Predicate {
  const tests = numbers.map((number) => ({
    orders: Number.isNaN(number) ? 0 : orders,
    order: (bound: Bounds["least"]) => (typeof bound === "number" ? compared(bound, number) : undefined),
  }));
  const [number] = numbers;
  const listed = new Set(numbers);
  const isNull = numbers.length === 1 && Number.isNaN(number);
  return predicate(
    tests,
    (data) => {
      const cells = doublesOf(data);
      if (numbers.length === 1 && cells.length >= LEAST_ROWS) {
        return mapBlocks(cells, cells.length, 1, ({ run, left, count, out }) =>
          run.compareDoubles(left, count, orders, number, out),
        );
      }
      const bits = bitsFor(data);
      if (numbers.length === 1) compareDoubles(cells, Float64Array.of(number), 0, orders, bits);
      else for (let i = 0; i < cells.length; i++) if (listed.has(cells[i])) bits[i >> 3] |= 1 << (i & 7);
      return bits;
    },
    isNull,
  );
}

const compared = <T extends number | bigint>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);

function ofUnits(found: readonly UnitTest[]): Predicate {
  const tests = found.map(({ orders, units }) => ({
    orders,
    order: (bound: Bounds["least"]) => (typeof bound === "bigint" ? compared(bound, units) : undefined),
  }));
  if (found.length === 1) {
    return predicate(tests, (data, valid) => compareUnits(wholeUnits(data), found[0], valid, data.length));
  }
  const exact = found.filter(({ orders }) => orders !== 0).map(({ units }) => units);
  return predicate(tests, (data, valid) => markListed(wholeUnits(data), exact, valid, data.length));
}

/** The units of a chunk; of dates in milliseconds their days. */
function wholeUnits(data: Data): Units {
  if (!DataType.isDate(data.type) || isDays(data.type)) return unitsOf(data);
  const { days } = instantsOf(data);
  return { words: Int32Array.from({ length: data.length }, (_, i) => days(i)), count: 1, step: 1 };
}

const HALF = 2 ** 52;

function compareUnits(cells: Units, test: UnitTest, valid: Validity, length: number): Uint8Array {
  const { words, count } = cells;
  const mark = unitMarker(cells, test, valid);
  if (count !== 4 || length < LEAST_ROWS || BigInt.asIntN(64, test.units) !== test.units) {
    const bits = new Uint8Array((length + 7) >> 3);
    mark(0, length, bits);
    return bits;
  }
  const large: number[] = [];
  const bits = mapBlocks(words, length, 1, ({ run, left, count: rows, out, first }) => {
    for (let i = 0; i < rows; i += 8) {
      i += run.compareIntegers(left + i * 16, rows - i, test.orders, test.units, out + i / 8);
      if (i < rows) large.push(first + i);
    }
  });
  for (const from of large) {
    bits[from >> 3] = 0;
    mark(from, Math.min(from + 8, length), bits);
  }
  return bits;
}

/** Sets the bits of the rows from one to another (exclusive) that meet a test. */
function unitMarker({ words, count, step }: Units, { orders, units }: UnitTest, valid: Validity) {
  const near = units >= -BigInt(HALF) && units <= BigInt(HALF) ? Number(units) : Number.NaN;
  return (from: number, to: number, bits: Uint8Array): void => {
    for (let i = from; i < to; i++) {
      const value = small(words, i * step, count);
      let order = (value > near ? 1 : 0) - (value < near ? 1 : 0);
      if (order === 0 && value !== near) {
        if (!isValid(valid, i)) continue;
        order = compared(big({ words, count, step }, i), units);
      }
      if (((orders >> (order + 1)) & 1) === 1) bits[i >> 3] |= 1 << (i & 7);
    }
  };
}

function markListed(cells: Units, wanted: readonly bigint[], valid: Validity, length: number): Uint8Array {
  const { words, count, step } = cells;
  const bits = new Uint8Array((length + 7) >> 3);
  const listed = new Set<number | bigint>(wanted.flatMap((value) => [value, Number(value)]));
  // Values are made only where their lowest 32 bits are among those of the constants.
  const lowest = new Set(wanted.map((value) => Number(BigInt.asIntN(32, value))));
  for (let i = 0; i < length; i++) {
    if (!lowest.has(words[i * step]) || !isValid(valid, i)) continue;
    const value = small(words, i * step, count);
    if (listed.has(Number.isNaN(value) ? big(cells, i) : value)) bits[i >> 3] |= 1 << (i & 7);
  }
  return bits;
}

/**
 * Sets the bits of the rows whose doubles compare so; NaN compares with nothing. Returns whether there is one.
 *
 * @param step 0 if `b` has one value for all rows
 */
export function compareDoubles(
  a: Float64Array,
  b: Float64Array,
  step: 0 | 1,
  orders: Orders,
  bits: Uint8Array,
): boolean {
  let hasNaN = false;
  for (let i = 0; i < a.length; i++) {
    const x = a[i];
    const y = b[i * step];
    const order = x < y ? 1 : x === y ? 2 : x > y ? 4 : 0;
    if ((orders & order) !== 0) bits[i >> 3] |= 1 << (i & 7);
    else if (order === 0) hasNaN = true;
  }
  return hasNaN;
}

/** A comparison with a whole number of the units of a column. */
export interface UnitTest {
  readonly orders: Orders;
  readonly units: bigint;
}

/**
 * The comparison in the units of a column of integers, decimals, timestamps or dates; undefined for other columns, and
 * for a constant that is not finite. A constant between two numbers of units is compared as the lower one, to which
 * equal is less.
 *
 * @throws {InputError} BadArgument for what is not such a constant
 */
export function unitTest(type: DataType, how: Comparison, value: Value, place: Place): UnitTest | undefined {
  const found = fractionOf(type, value, place);
  if (found === undefined) return undefined;
  const { units, divisor } = found;
  const rest = remainder(units, divisor);
  const orders = ORDERS[how];
  return { units: (units - rest) / divisor, orders: rest === 0n ? orders : (orders & 5) | ((orders & 1) << 1) };
}

const remainder = (units: bigint, divisor: bigint): bigint => ((units % divisor) + divisor) % divisor;

/** Units of a column divided by a number. */
interface Fraction {
  readonly units: bigint;
  readonly divisor: bigint;
}

function fractionOf(type: DataType, value: Value, place: Place): Fraction | undefined {
  const exact = exactType(type);
  if (exact !== undefined) {
    const found = exactConstant(value, type, place);
    return found && atScale(found.units, found.scale, exact.scale);
  }
  const timestamps = timestampType(type);
  if (timestamps === undefined && !DataType.isDate(type)) return undefined;
  const { units, scale } = timeConstant(value, type, place);
  if (timestamps !== undefined) return atScale(units, scale, timestamps.scale);
  const divisor = BigInt(SECONDS_PER_DAY) * 10n ** BigInt(scale);
  // A `Date` is its UTC day, as in the cells of such a column.
  return { units: value instanceof Date ? units - remainder(units, divisor) : units, divisor };
}

const atScale = (units: bigint, from: number, to: number): Fraction =>
  from <= to ? { units: units * 10n ** BigInt(to - from), divisor: 1n } : { units, divisor: 10n ** BigInt(from - to) };

/** A predicate on a column of batches, by its position. */
export interface ColumnPredicate {
  readonly column: number;
  readonly predicate: Predicate;
}

/** The numbers of the rows of a batch that meet all predicates; undefined where all rows do. */
export function rowsMeeting({ data, numRows }: RecordBatch, all: readonly ColumnPredicate[]): Uint32Array | undefined {
  const marks = all.map(({ column, predicate }) => {
    const cells = data.children[column] as Data;
    return predicate.marks(cells, presentOf(cells));
  });
  const bits = marks.reduce<Validity>((met, own) => both(met, own), undefined);
  if (bits === undefined) return undefined;
  const count = countBits(bits, numRows);
  if (count === numRows) return undefined;
  const rows = new Uint32Array(count);
  for (let i = 0, k = 0; k < count; i++) if (isValid(bits, i)) rows[k++] = i;
  return rows;
}
