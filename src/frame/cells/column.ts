import type { Data, DataType, Vector } from "../../columns/arrow/arrow.js";
import { missingCount } from "../../columns/arrow/bits.js";
import { cellType, showTypeArguments } from "../../columns/arrow/row-type.js";
import { serviceTypeOfArrow } from "../../columns/arrow/types.js";
import {
  cellAt,
  vectorToBigInts,
  vectorToDates,
  vectorToNumbers,
  vectorToStrings,
} from "../../columns/arrow/vector-values.js";
import { add } from "../../columns/compute/add.js";
import { type DatePart, datePart, daysSince, format, moved } from "../../columns/compute/calendar.js";
import { type CastOptions, cast, typeNamed } from "../../columns/compute/cast.js";
import type { Constant } from "../../columns/compute/constant.js";
import { type DivideOptions, divide } from "../../columns/compute/divide.js";
import { logarithm, mod, ofDoubles, power, sign } from "../../columns/compute/functions.js";
import { combine, not } from "../../columns/compute/logic.js";
import { mapTexts } from "../../columns/compute/map-texts.js";
import { multiply } from "../../columns/compute/multiply.js";
import { fill, isNull } from "../../columns/compute/nulls.js";
import type { Operand } from "../../columns/compute/operands.js";
import type { Place } from "../../columns/compute/place.js";
import { floor, round, signed } from "../../columns/compute/round.js";
import {
  contains,
  extract,
  padStart,
  replace,
  slice,
  split,
  type TextPattern,
  textLength,
} from "../../columns/compute/text-functions.js";
import { clip } from "../../columns/predicate/clip.js";
import { compare, cut, isIn } from "../../columns/predicate/compare.js";
import type { Comparison } from "../../columns/predicate/predicate.js";
import { showAs } from "../../display/base/show.js";
import { htmlTable } from "../../display/table/html.js";
import { textTable } from "../../display/table/text.js";
import { columnTable } from "../../display/table/view.js";
import { InputError } from "../../errors/errors.js";
import { refuseUnknown } from "../../errors/options.js";
import { shown } from "../../errors/shown.js";
import { type Cell, cellReader, checkRowsOptions, type RowsOptions } from "./rows.js";
import { distinct, quantileBuckets, reduced } from "./statistics.js";

/**
 * `unknown` for a column that may hold values of a kind; otherwise never, so that methods for other types do not
 * compile.
 */
type Holding<Value, Kind> = [Extract<Value, Kind>] extends [never] ? never : unknown;
type Numeric = number | bigint;

/** A column, or a constant of the column's type; numbers also as decimal strings, dates as ISO strings. */
type Other<Value> =
  | Column<unknown>
  | (Extract<Value, Numeric> extends never ? never : Numeric | string)
  | (Extract<Value, string> extends never ? never : string | Date)
  | (Extract<Value, boolean> extends never ? never : boolean)
  | null;

type ValueIn<Given> = Given extends Column<infer Value> ? Value : Given;
type NullOf<Value, Given = never> = Extract<Value | ValueIn<Given>, null>;

/** The cells of an arithmetic result: integers may exceed 2^53. */
type Computed<Value, Given> =
  | (Extract<Value | (Given extends Column<infer V> ? V : never), bigint> extends never ? number : Numeric)
  | NullOf<Value, Given>;

/**
 * One column of a frame: its name, the service's type and the values, which are read from Arrow buffers on access.
 * Computing methods return a column with the same number of rows, for `filter()`, `with()` and further methods; null if
 * an operand is null, as in SQL. Integers and decimals are computed exactly; a JavaScript number counts as its shortest
 * decimal, and decimals may be strings.
 *
 * @example
 * ```ts
 * import { Frame } from "arrowbook";
 * const rows = [{ close: "1.50" }, { close: null }];
 * const close = Frame.fromRows(rows, [{ name: "close", type: "BigDecimal(10,2)" }]).column("close");
 * close.toStrings(); // ["1.50", null]
 * close.toNumbers(); // Float64Array [1.5, NaN]
 * ```
 */
export class Column<Value = Cell> {
  /** Name of the column. */
  readonly name: string;
  /** The service's type name, such as `BigDecimal(15,4)`. */
  readonly type: string;
  /** The Arrow vector; values of a decimal are its units. */
  readonly vector: Vector;

  constructor(name: string, type: string, vector: Vector) {
    this.name = name;
    this.type = type;
    this.vector = vector;
    Object.freeze(this);
  }

  /** Number of rows. */
  get length(): number {
    return this.vector.length;
  }

  /** Number of rows without a value; NaN counts as null. */
  get nullCount(): number {
    return missingCount(this.vector.data as readonly Data[]);
  }

  /** The Arrow type. */
  get arrowType(): DataType {
    return this.vector.type;
  }

  /**
   * The value at a row, counted from 0, as `rows()` returns it.
   *
   * @throws {InputError} OutOfRange
   */
  get(row: number): Value {
    if (!Number.isInteger(row) || row < 0 || row >= this.length) {
      throw new InputError(`Row ${shown(row)} is outside the column ${JSON.stringify(this.name)}.`, {
        code: "OutOfRange",
        column: this.name,
        hint: this.length === 0 ? "The column is empty." : `Rows go from 0 to ${this.length - 1}.`,
      });
    }
    return cellAt(this.vector, row) as Value;
  }

  /** All values as the nearest doubles; dates as milliseconds since 1970, booleans as 0 and 1; null as `NaN`. */
  toNumbers(): Float64Array {
    return vectorToNumbers(this.vector);
  }

  /** All values as the service writes them: exact decimals with all their fraction digits, ISO dates; null as null. */
  toStrings(): (string | null)[] {
    return vectorToStrings(this.vector);
  }

  /** Dates and timestamps as `Date` (midnight UTC for dates, milliseconds rounded down); null as null. */
  toDates(): (Date | null)[] {
    return vectorToDates(this.vector);
  }

  /** Integers, and decimals as their unscaled integers; null as null. */
  toBigInts(): (bigint | null)[] {
    return vectorToBigInts(this.vector);
  }

  /** All values as `rows()` returns them. */
  toArray(options: RowsOptions = {}): Value[] {
    return Array.from(this.values(options));
  }

  /** Iterates over the values as `rows()` returns them. */
  *values(options: RowsOptions = {}): Generator<Value> {
    checkRowsOptions(options, "values()");
    for (const data of this.vector.data) {
      const read = cellReader(data, options);
      for (let i = 0; i < data.length; i++) yield read(i) as Value;
    }
  }

  [Symbol.iterator](): Generator<Value> {
    return this.values();
  }

  /** The sum; of decimals with the larger scale and one more digit. {@link add} */
  add<const O extends Other<Value>>(this: Holding<Value, Numeric>, other: O): Column<Computed<Value, O>>;
  add(other: unknown): Column<never> {
    return computed(this, "add()", (place) => add(this.vector, operand(other), 1, place));
  }

  /** The difference; of decimals with the larger scale and one more digit. {@link add} */
  sub<const O extends Other<Value>>(this: Holding<Value, Numeric>, other: O): Column<Computed<Value, O>>;
  sub(other: unknown): Column<never> {
    return computed(this, "sub()", (place) => add(this.vector, operand(other), -1, place));
  }

  /** The product; of decimals with the sum of the scales. {@link multiply} */
  mul<const O extends Other<Value>>(this: Holding<Value, Numeric>, other: O): Column<Computed<Value, O>>;
  mul(other: unknown): Column<never> {
    return computed(this, "mul()", (place) => multiply(this.vector, operand(other), place));
  }

  /**
   * The quotient; of integers and decimals rounded half to even to `scale` digits, null for division by 0. {@link
   * divide}
   */
  div(this: Holding<Value, Numeric>, other: Other<Value>, options?: DivideOptions): Column<number | null>;
  div(other: unknown, options: DivideOptions = {}): Column<never> {
    refuseUnknown(options, ["scale"], "div()");
    return computed(this, "div()", (place) => divide(this.vector, operand(other), options, place));
  }

  /** The negative of each value. */
  neg(this: Holding<Value, Numeric>): Column<Value>;
  neg(): Column<never> {
    return computed(this, "neg()", (place) => signed(this.vector, "negate", place));
  }

  /** The absolute values. */
  abs(this: Holding<Value, Numeric>): Column<Value>;
  abs(): Column<never> {
    return computed(this, "abs()", (place) => signed(this.vector, "size", place));
  }

  /**
   * Rounds half to even to this many digits after the point (default 0); negative values round to tens, hundreds, ….
   * {@link round}
   */
  round(this: Holding<Value, Numeric>, digits?: number): Column<Value>;
  round(digits = 0): Column<never> {
    return computed(this, "round()", (place) => round(this.vector, digits, place));
  }

  /** Rounds down to whole numbers. {@link floor} */
  floor(this: Holding<Value, Numeric>): Column<Value>;
  floor(): Column<never> {
    return computed(this, "floor()", (place) => floor(this.vector, place));
  }

  /** −1, 0 or 1; integers, of doubles doubles. */
  sign(this: Holding<Value, Numeric>): Column<Computed<Value, null>>;
  sign(): Column<never> {
    return computed(this, "sign()", (place) => sign(this.vector, place));
  }

  /**
   * The remainder of a division, exact, with the sign of this column as in SQL and JavaScript; null where the divisor
   * is 0. {@link mod}
   */
  mod<const O extends Other<Value>>(this: Holding<Value, Numeric>, other: O): Column<Computed<Value, O> | null>;
  mod(other: unknown): Column<never> {
    return computed(this, "mod()", (place) => mod(this.vector, operand(other), place));
  }

  /** The values within bounds: those beyond one become the bound. A bound that is null or left out is none. */
  clip<const L extends Other<Value>, const H extends Other<Value> = null>(
    this: Holding<Value, Numeric>,
    low: L,
    high?: H,
  ): Column<Computed<Value, Exclude<L | H, null>>>;
  clip(low: unknown, high: unknown = null): Column<never> {
    return computed(this, "clip()", (place) => clip(this.vector, operand(low), operand(high), place));
  }

  /**
   * The name of the interval in which each value is, above one edge up to and with the next, null outside of all:
   * `cut([0, 100, Infinity], ["small", "large"])`; without names `(0, 100]`. {@link cut}
   */
  cut<const Label extends string = string>(
    edges: readonly Exclude<Other<Value>, Column<unknown> | null>[],
    labels?: readonly Label[],
  ): Column<Label | null>;
  cut(edges: readonly Constant[], labels?: readonly string[]): Column<never> {
    return computed(this, "cut()", (place) => cut(this.vector, edges, labels, place));
  }

  /**
   * The number, from 1, of the interval between quantiles in which each value is: `qcut(4)` are quartiles. Quantiles as
   * in `quantile()`; equal values are in one interval.
   */
  qcut(this: Holding<Value, Numeric>, count: number): Column<Numeric | null>;
  qcut(count: number): Column<never> {
    return computed(this, "qcut()", () => quantileBuckets(this, count));
  }

  /** The logarithms as doubles, by default natural: `log(10)`, `log(2)`. */
  log(this: Holding<Value, Numeric>, base?: number): Column<number | null>;
  log(base?: number): Column<never> {
    return computed(this, "log()", (place) => logarithm(this.vector, base, place));
  }

  /** e to the power of each value, as doubles. */
  exp(this: Holding<Value, Numeric>): Column<number | null>;
  exp(): Column<never> {
    return computed(this, "exp()", (place) => ofDoubles(this.vector, Math.exp, place));
  }

  /** The square roots as doubles; `NaN` of negative values. */
  sqrt(this: Holding<Value, Numeric>): Column<number | null>;
  sqrt(): Column<never> {
    return computed(this, "sqrt()", (place) => ofDoubles(this.vector, Math.sqrt, place));
  }

  /** Each value to the power of the other, as doubles. */
  pow(this: Holding<Value, Numeric>, other: Other<Value>): Column<number | null>;
  pow(other: unknown): Column<never> {
    return computed(this, "pow()", (place) => power(this.vector, operand(other), place));
  }

  /** Whether each value equals the other. {@link compare} */
  eq<const O extends Other<Value>>(other: O): Column<boolean | NullOf<Value, O>> {
    return compared(this, "eq", other);
  }

  /** Whether each value differs from the other. {@link compare} */
  ne<const O extends Other<Value>>(other: O): Column<boolean | NullOf<Value, O>> {
    return compared(this, "ne", other);
  }

  /** Whether each value is less than the other. {@link compare} */
  lt<const O extends Other<Value>>(other: O): Column<boolean | NullOf<Value, O>> {
    return compared(this, "lt", other);
  }

  /** Whether each value is less than or equal to the other. {@link compare} */
  le<const O extends Other<Value>>(other: O): Column<boolean | NullOf<Value, O>> {
    return compared(this, "le", other);
  }

  /** Whether each value is greater than the other. {@link compare} */
  gt<const O extends Other<Value>>(other: O): Column<boolean | NullOf<Value, O>> {
    return compared(this, "gt", other);
  }

  /** Whether each value is greater than or equal to the other. {@link compare} */
  ge<const O extends Other<Value>>(other: O): Column<boolean | NullOf<Value, O>> {
    return compared(this, "ge", other);
  }

  /** Whether each value is between `low` and `high`, both inclusive. */
  between<const L extends Other<Value>, const H extends Other<Value>>(
    low: L,
    high: H,
  ): Column<boolean | NullOf<Value, L> | NullOf<Value, H>> {
    return computed(this, "between()", (place) => {
      const above = compare(this.vector, "ge", operand(low), place);
      return combine(above, "and", compare(this.vector, "le", operand(high), place), place);
    });
  }

  /** Whether each value is among these; if these contain null, null in place of false. {@link isIn} */
  isIn<const O extends Other<Value>>(
    values: Iterable<Exclude<O, Column<unknown>>>,
  ): Column<boolean | NullOf<Value, O>> {
    return computed(this, "isIn()", (place) => isIn(this.vector, values as Iterable<Constant>, place));
  }

  /** Logical and: false if either is false, otherwise null if either is null. {@link combine} */
  and(this: Holding<Value, boolean>, other: Column<boolean | null> | boolean | null): Column<boolean | null>;
  and(other: unknown): Column<never> {
    return computed(this, "and()", (place) => combine(this.vector, "and", operand(other), place));
  }

  /** Logical or: true if either is true, otherwise null if either is null. {@link combine} */
  or(this: Holding<Value, boolean>, other: Column<boolean | null> | boolean | null): Column<boolean | null>;
  or(other: unknown): Column<never> {
    return computed(this, "or()", (place) => combine(this.vector, "or", operand(other), place));
  }

  /** Logical not. */
  not(this: Holding<Value, boolean>): Column<Value>;
  not(): Column<never> {
    return computed(this, "not()", (place) => not(this.vector, place));
  }

  /**
   * The mean as a double, of exact sums where the values are exact; nulls and NaN are skipped, null without values. Of
   * booleans the share of those that are true.
   */
  mean(this: Holding<Value, Numeric | boolean>): number | null;
  mean(): Cell {
    return reduced(this, "mean");
  }

  /**
   * The sum of the values that are not null or NaN, as `get()` returns it; null without values. Computed exactly for
   * integers and decimals: `sum({ decimals: "string" })` has all digits. Of booleans how many are true.
   *
   * @throws {DataError} Overflow beyond 64 bits for integers, 38 or 76 digits for decimals
   */
  sum(this: Holding<Value, Numeric | boolean>): Computed<Value, null>;
  sum(this: Holding<Value, Numeric | boolean>, options: RowsOptions): Cell;
  sum(options?: RowsOptions): Cell {
    return reduced(this, "sum", options);
  }

  /**
   * The smallest value, compared exactly, text by code point; null without values. Nulls and NaN are skipped.
   *
   * @param options how it is returned, as for `rows()`: `min({ decimals: "string" })`
   * @throws {InputError} WrongType
   */
  min(): Value | null;
  min(options: RowsOptions): Cell;
  min(options?: RowsOptions): never {
    return reduced(this, "min", options) as never;
  }

  /**
   * The largest value, compared exactly, text by code point; null without values. Nulls and NaN are skipped.
   *
   * @param options how it is returned, as for `rows()`: `max({ dates: "date" })`
   * @throws {InputError} WrongType
   */
  max(): Value | null;
  max(options: RowsOptions): Cell;
  max(options?: RowsOptions): never {
    return reduced(this, "max", options) as never;
  }

  /** The standard deviation of a sample (divisor n − 1) as a double; null for fewer than two values. */
  std(this: Holding<Value, Numeric>): number | null;
  std(): Cell {
    return reduced(this, "std");
  }

  /** The distinct values in order of first appearance; null is one of them. */
  unique(): Column<Value> {
    return new Column(this.name, this.type, distinct(this.vector));
  }

  /** How many distinct values there are, null not among them. */
  nunique(): number {
    return Number(reduced(this, "nunique"));
  }

  /** Whether each value is null (or NaN); never null itself. */
  isNull(): Column<boolean> {
    return computed(this, "isNull()", () => isNull(this.vector));
  }

  /** Replaces nulls (and NaN) by a constant or by the values of a column. {@link fill} */
  fill<const O extends Other<Value>>(other: O): Column<Exclude<Value, null> | NullOf<never, O>> {
    return computed(this, "fill()", (place) => fill(this.vector, operand(other), place));
  }

  /** Whether each text contains a string, case-sensitive, or matches a regular expression. */
  contains(this: Holding<Value, string>, part: TextPattern): Column<boolean | NullOf<Value>>;
  contains(part: TextPattern): Column<never> {
    return computed(this, "contains()", (place) => contains(this.vector, "within", part, place));
  }

  /** Whether each text starts with a string, case-sensitive. */
  startsWith(this: Holding<Value, string>, part: string): Column<boolean | NullOf<Value>>;
  startsWith(part: string): Column<never> {
    return computed(this, "startsWith()", (place) => contains(this.vector, "start", part, place));
  }

  /** Whether each text ends with a string, case-sensitive. */
  endsWith(this: Holding<Value, string>, part: string): Column<boolean | NullOf<Value>>;
  endsWith(part: string): Column<never> {
    return computed(this, "endsWith()", (place) => contains(this.vector, "end", part, place));
  }

  /** The texts in lower case. */
  lower(this: Holding<Value, string>): Column<string | NullOf<Value>>;
  lower(): Column<never> {
    return changed(this, "lower", (text) => text.toLowerCase());
  }

  /** The texts in upper case. */
  upper(this: Holding<Value, string>): Column<string | NullOf<Value>>;
  upper(): Column<never> {
    return changed(this, "upper", (text) => text.toUpperCase());
  }

  /** The texts without white space at both ends. */
  trim(this: Holding<Value, string>): Column<string | NullOf<Value>>;
  trim(): Column<never> {
    return changed(this, "trim", (text) => text.trim());
  }

  /** Replaces all occurrences of a string, or all matches of a regular expression (`$1` is its first group). */
  replace(this: Holding<Value, string>, part: TextPattern, by: string): Column<string | NullOf<Value>>;
  replace(part: TextPattern, by: string): Column<never> {
    return computed(this, "replace()", (place) => replace(this.vector, part, by, place));
  }

  /**
   * The first match of a regular expression: its group of this number or name, by default the first, or the whole match
   * where it has no groups; null without a match.
   */
  extract(this: Holding<Value, string>, pattern: RegExp, group?: number | string): Column<string | null>;
  extract(pattern: RegExp, group?: number | string): Column<never> {
    return computed(this, "extract()", (place) => extract(this.vector, pattern, group, place));
  }

  /**
   * One of the parts between separators, counted from 0, or from the end (-1 is the last); null where there
   * are fewer.
   */
  split(this: Holding<Value, string>, separator: TextPattern, index: number): Column<string | null>;
  split(separator: TextPattern, index: number): Column<never> {
    return computed(this, "split()", (place) => split(this.vector, separator, index, place));
  }

  /** The characters (code points) from `start` to before `end`; negative positions count from the end. */
  slice(this: Holding<Value, string>, start: number, end?: number): Column<string | NullOf<Value>>;
  slice(start: number, end?: number): Column<never> {
    return computed(this, "slice()", (place) => slice(this.vector, start, end, place));
  }

  /** Texts of at least so many characters (code points), filled at the start: `padStart(6, "0")`. */
  padStart(this: Holding<Value, string>, length: number, fill?: string): Column<string | NullOf<Value>>;
  padStart(length: number, fill = " "): Column<never> {
    return computed(this, "padStart()", (place) => padStart(this.vector, length, fill, place));
  }

  /** The number of characters (code points) of each text. */
  textLength(this: Holding<Value, string>): Column<Numeric | NullOf<Value>>;
  textLength(): Column<never> {
    return computed(this, "textLength()", (place) => textLength(this.vector, place));
  }

  /** The year of each date, or of each timestamp in UTC. */
  year(this: Holding<Value, string>): Column<Numeric | NullOf<Value>>;
  year(): Column<never> {
    return dated(this, "year");
  }

  /** The month, from 1, of each date, or of each timestamp in UTC. */
  month(this: Holding<Value, string>): Column<Numeric | NullOf<Value>>;
  month(): Column<never> {
    return dated(this, "month");
  }

  /** The weekday of each date, or of each timestamp in UTC: 1 for Monday to 7 for Sunday. */
  weekday(this: Holding<Value, string>): Column<Numeric | NullOf<Value>>;
  weekday(): Column<never> {
    return dated(this, "weekday");
  }

  /** The quarter, 1 to 4, of each date, or of each timestamp in UTC. */
  quarter(this: Holding<Value, string>): Column<Numeric | NullOf<Value>>;
  quarter(): Column<never> {
    return dated(this, "quarter");
  }

  /** The day of the month of each date, or of each timestamp in UTC. */
  day(this: Holding<Value, string>): Column<Numeric | NullOf<Value>>;
  day(): Column<never> {
    return dated(this, "day");
  }

  /** The day of the year, from 1, of each date, or of each timestamp in UTC. */
  dayOfYear(this: Holding<Value, string>): Column<Numeric | NullOf<Value>>;
  dayOfYear(): Column<never> {
    return dated(this, "dayOfYear");
  }

  /** The week of ISO 8601, 1 to 53, of each date, or of each timestamp in UTC. */
  week(this: Holding<Value, string>): Column<Numeric | NullOf<Value>>;
  week(): Column<never> {
    return dated(this, "week");
  }

  /** The hour, 0 to 23, of each timestamp in UTC. */
  hour(this: Holding<Value, string>): Column<Numeric | NullOf<Value>>;
  hour(): Column<never> {
    return dated(this, "hour");
  }

  /** The minute of each timestamp. */
  minute(this: Holding<Value, string>): Column<Numeric | NullOf<Value>>;
  minute(): Column<never> {
    return dated(this, "minute");
  }

  /** The whole second of each timestamp. */
  second(this: Holding<Value, string>): Column<Numeric | NullOf<Value>>;
  second(): Column<never> {
    return dated(this, "second");
  }

  /** Dates and timestamps moved by days: one number, or a column of integers. {@link moved} */
  addDays(this: Holding<Value, string>, days: Numeric | Column<Numeric | null> | null): Column<string | null>;
  addDays(days: unknown): Column<never> {
    return computed(this, "addDays()", (place) => moved(this.vector, operand(days), "days", place));
  }

  /** Dates and timestamps moved by months; 31 January and one month is the last of February. {@link moved} */
  addMonths(this: Holding<Value, string>, months: Numeric | Column<Numeric | null> | null): Column<string | null>;
  addMonths(months: unknown): Column<never> {
    return computed(this, "addMonths()", (place) => moved(this.vector, operand(months), "months", place));
  }

  /** The days from another date to each date: the midnights (in UTC) between them. {@link daysSince} */
  daysSince(this: Holding<Value, string>, other: Other<Value>): Column<Numeric | null>;
  daysSince(other: unknown): Column<never> {
    return computed(this, "daysSince()", (place) => daysSince(this.vector, operand(other), place));
  }

  /**
   * Dates and timestamps (in UTC) as text, with the directives of `strftime`: `format("%d/%m/%Y")`, `%b` is `Jan`, `%q`
   * the quarter, `%G-W%V` the week of ISO 8601.
   */
  format(this: Holding<Value, string>, pattern: string): Column<string | NullOf<Value>>;
  format(pattern: string): Column<never> {
    return computed(this, "format()", (place) => format(this.vector, pattern, place));
  }

  /**
   * Converts the values to another service type, exactly. Text may have a form: `cast("Date", { format: "%d/%m/%Y" })`,
   * `cast("BigDecimal(12,2)", { decimal: ",", thousands: "." })`. {@link cast}
   */
  cast<Result extends Cell = Cell>(type: string, options: CastOptions = {}): Column<Result> {
    const vector = cast(this.vector, typeNamed(type, placeOf(this, "cast()")), options, placeOf(this, "cast()"));
    return new Column(this.name, type, vector);
  }
}

/** The other operand in the form in which it is computed. */
const operand = (other: unknown): Operand => (other instanceof Column ? other.vector : (other as Constant));

const placeOf = ({ name }: Column<unknown>, method: string): Place => ({ column: name, method });

function computed(column: Column<unknown>, method: string, compute: (place: Place) => Vector): Column<never> {
  const vector = compute(placeOf(column, method));
  return new Column(column.name, vector === column.vector ? column.type : serviceTypeOfArrow(vector.type), vector);
}

const compared = (column: Column<unknown>, how: Comparison, other: unknown): Column<never> =>
  computed(column, `${how}()`, (place) => compare(column.vector, how, operand(other), place));

const dated = (column: Column<unknown>, part: DatePart): Column<never> =>
  computed(column, `${part}()`, (place) => datePart(column.vector, part, place));

const changed = (column: Column<unknown>, method: string, change: (text: string) => string): Column<never> =>
  computed(column, `${method}()`, (place) => mapTexts(column.vector, place, change));

Object.defineProperty(Column.prototype, Symbol.toPrimitive, {
  configurable: true,
  value(this: Column, wanted: string): string {
    if (wanted === "string") return textTable(shownTable(this));
    throw new InputError(`The column ${JSON.stringify(this.name)} is not a number: operators do not compute columns.`, {
      code: "WrongType",
      column: this.name,
      hint: "Use its methods: close.add(1), close.mul(other), close.gt(50); close.get(0) is one cell.",
    });
  },
});

showTypeArguments<Column>(Column.prototype, ({ type }) => [cellType(type)]);

const shownTable = ({ name, type, vector }: Column) => columnTable(name, type, vector);

showAs<Column>(Column.prototype, {
  bundle(column) {
    const table = shownTable(column);
    return { "text/html": htmlTable(table), "text/plain": textTable(table) };
  },
  text: (column, width) => textTable(shownTable(column), { width }),
  brief: ({ name, type, length }) => `Column ${JSON.stringify(name)} ${type}, ${length} rows`,
});
