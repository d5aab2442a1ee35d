import {
  Bool,
  type Data,
  DataType,
  DateDay,
  type Decimal,
  type Field,
  type Int,
  makeData,
  type Table,
  Vector,
  vectorFromArray,
} from "../columns/arrow/arrow.js";
import { typeName } from "../columns/arrow/schema.js";
import { InputError } from "../errors/errors.js";
import { oneOf, refuseUnknown } from "../errors/options.js";
import { plainNumber } from "../value/json-number.js";
import { ALONG, type ColumnChoice, choose, isNumber, isPlainText, vectorAt, wholeNumber } from "./core/choose.js";
import { type Column, picked } from "./core/numbers.js";
import type { Calendar } from "./core/session-calendar.js";
import { parseDay } from "./query.js";
import { withMissingSessions } from "./sessions.js";
import { presentOf } from "./track/aggregate.js";
import { computeColumns, eachColumn } from "./track/kernel.js";
import { rowsTo } from "./track/picks.js";
import { rowAt, type Track } from "./track/track.js";

/** What replaces a null: the previous value, the next one, or a value of the column's type. */
export type Filling = "forward" | "backward" | { readonly value: number | string | bigint | boolean } | number;

/** Options of {@link Frame.fill}. */
export interface FillOptions<Name extends string = string> extends Omit<ColumnChoice<Name>, "suffix"> {
  /** The most consecutive nulls to fill, for `forward` and `backward`. */
  readonly limit?: number;
  /**
   * First adds a row to each series for every session of a calendar between its first and last row that has none:
   * series follow one another, as in `resample()`.
   */
  readonly calendar?: Calendar;
}

/**
 * Fills nulls (and NaN) along each series by ascending day: `forward` and `backward` in every column (except `on` and
 * `by`), a number in the number columns, a string `{ value }` in the text columns. With `columns`, date columns accept
 * `{ value: "2024-02-29" }` and number columns exact decimals as strings. Types stay.
 *
 * @throws {InputError} BadArgument, UnknownValue, UnknownColumn, EmptyDate; with `calendar` also NoDateColumn,
 *   RepeatedDate, DateOutOfRange, WrongType
 * @example
 * ```ts
 * import { Frame } from "arrowbook";
 * const days = Frame.fromRows(
 *   [{ Date: "2024-02-28", Close: 1 }, { Date: "2024-02-29", Close: null }],
 *   [{ name: "Date", type: "Date" }, { name: "Close", type: "double" }],
 * );
 * days.fill("forward").column("Close").toNumbers(); // 1, 1
 * ```
 */
export function fill(table: Table, filling: Filling, given: FillOptions = {}): Table {
  refuseUnknown(given, [...ALONG, "columns", "limit", "calendar"], "fill()");
  const { calendar, ...options } = given;
  if (calendar !== undefined) return fill(withMissingSessions(table, calendar, options, "fill()"), filling, options);
  if ((typeof filling === "object" && filling !== null) || typeof filling === "number") {
    const value = typeof filling === "object" ? filling.value : filling;
    if (value === undefined) {
      throw new InputError("fill() expects what replaces a null.", {
        code: "BadArgument",
        hint: 'Pass "forward", "backward", a number, or { value: "text" }.',
      });
    }
    const fits = options.columns === undefined ? fitsKind : canHold;
    const { values } = choose(table, options, (type) => fits(type, value));
    return eachColumn(table, values, (at) => filledWith(table, at, value));
  }
  const forward = oneOf(filling, ["forward", "backward"], "filling") === "forward";
  const limit = options.limit === undefined ? Number.POSITIVE_INFINITY : wholeNumber(options.limit, 1, "limit");
  return computeColumns(
    table,
    options,
    (from, at, track) => filledFromNeighbours(from, at, track, forward, limit),
    () => true,
  );
}

function filledFromNeighbours(table: Table, at: number, track: Track, forward: boolean, limit: number): Column {
  const field = table.schema.fields[at];
  const vector = vectorAt(table, at);
  const present = presentOf(vector);
  if (present === undefined) return whole(field, vector);
  const picks = new Int32Array(vector.length).fill(-1);
  for (let g = 0; g + 1 < track.starts.length; g++) {
    const from = track.starts[g];
    const to = track.starts[g + 1];
    let last = -1;
    let age = 0;
    for (let k = 0; k < to - from; k++) {
      const row = rowAt(track, forward ? from + k : to - 1 - k);
      age++;
      if (present[row] === 1) {
        last = row;
        age = 0;
      }
      picks[row] = age <= limit ? last : -1;
    }
  }
  return picked(field, vector, picks);
}

/** The column unchanged, in one chunk. */
function whole(field: Field, vector: Vector): Column {
  if (vector.data.length === 1) return { field, data: vector.data[0] };
  return picked(field, vector, rowsTo(vector.length));
}

function filledWith(table: Table, at: number, value: number | string | bigint | boolean): Column {
  const field = table.schema.fields[at];
  const vector = vectorAt(table, at);
  const present = presentOf(vector);
  if (present === undefined) return whole(field, vector);
  const withConstant = new Vector([...vector.data, constantData(field, value)]);
  const picks = Int32Array.from(present, (isPresent, row) => (isPresent === 1 ? row : vector.length));
  return picked(field, withConstant, picks);
}

/** Whether a column accepts such a value without being listed in `columns`. */
function fitsKind(type: DataType, value: number | string | bigint | boolean): boolean {
  if (typeof value === "boolean") return DataType.isBool(type);
  return typeof value === "string" ? isText(type) : isNumber(type);
}

/** Whether a column can store such a value; dates and exact decimals are passed as strings. */
function canHold(type: DataType, value: number | string | bigint | boolean): boolean {
  if (fitsKind(type, value)) return true;
  if (typeof value !== "string") return false;
  return isNumber(type) ? isPlainNumber(value) : DataType.isDate(type) && type.unit === 0;
}

const isText = (type: DataType): boolean => isPlainText(DataType.isDictionary(type) ? type.dictionary : type);

const isPlainNumber = (value: unknown): boolean => typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value);

/** One value as a column of one row, in the type of `field`. */
function constantData(field: Field, value: number | string | bigint | boolean): Data {
  const type = field.type as DataType;
  if (DataType.isBool(type)) return makeData({ type: new Bool(), length: 1, data: Uint8Array.of(value ? 1 : 0) });
  if (DataType.isDate(type)) {
    return makeData({ type: new DateDay(), length: 1, data: Int32Array.of(parseDay(String(value), "value")) });
  }
  if (isText(type)) return vectorFromArray([String(value)], type).data[0];
  if (DataType.isFloat(type)) return vectorFromArray([Number(value)], type).data[0];
  if (DataType.isDecimal(type))
    return decimalData(type, unitsOf(field, value, type.scale, 10n ** BigInt(type.precision)));
  const { bitWidth, isSigned } = type as Int;
  const units = unitsOf(field, value, 0, 2n ** BigInt(isSigned ? bitWidth - 1 : bitWidth));
  if (units < 0n && !isSigned) throw unfit(field, value);
  return vectorFromArray([bitWidth === 64 ? units : Number(units)], type).data[0];
}

function decimalData(type: Decimal, units: bigint): Data {
  const data = Uint32Array.from({ length: type.bitWidth / 32 }, (_, word) =>
    Number(BigInt.asUintN(32, units >> BigInt(word * 32))),
  );
  return makeData({ type, length: 1, nullCount: 0, data });
}

/**
 * A number as units of `scale`, from −`limit` (included for integers only) to below `limit`.
 *
 * @throws {InputError} BadArgument
 */
function unitsOf(field: Field, value: number | string | bigint | boolean, scale: number, limit: bigint): bigint {
  const [, sign, digits, fraction = ""] = /^(-?)(\d+)(?:\.(\d*?)0*)?$/.exec(plainNumber(String(value)) ?? "") ?? [];
  if (digits === undefined || fraction.length > scale) throw unfit(field, value);
  const size = BigInt(digits + fraction.padEnd(scale, "0"));
  const units = sign === "-" ? -size : size;
  if (units >= limit || units < -limit || (units === -limit && DataType.isDecimal(field.type)))
    throw unfit(field, value);
  return units;
}

function unfit(field: Field, value: unknown): InputError {
  const type = typeName(field.type, field.metadata);
  return new InputError(`${value} does not fit the type of column ${JSON.stringify(field.name)}: ${type}.`, {
    code: "BadArgument",
    column: field.name,
    hint: "Pass a value of fewer digits, or cast the column first.",
  });
}
