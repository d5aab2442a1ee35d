import { DataType, type Field, makeVector, Table, Vector } from "../../columns/arrow/arrow.js";
import { fieldOf, schemaOf } from "../../columns/arrow/schema.js";
import { serviceTypeOfArrow } from "../../columns/arrow/types.js";
import { textRows } from "../../columns/build/text-rows.js";
import { doubleData } from "../../columns/compute/chunks.js";
import { InputError } from "../../errors/errors.js";
import { type ColumnSpec, parseType } from "../../spec/columns.js";
import { Column } from "./column.js";
import type { NewColumn } from "./row-types.js";
import { numbersOfRows, valuesOfRows } from "./values-of-rows.js";

/** A column made from JavaScript values: its field (name, Arrow type, service type) and its values. */
export interface MadeColumn {
  readonly field: Field;
  readonly vector: Vector;
}

/**
 * Makes a column from values: columns are shared, typed arrays copied, other values are read as `type`, or by
 * default as their own type (numbers `double`, bigints and integers beside them `Integer`, booleans `boolean`, `Date` a
 * timestamp, strings `String`).
 *
 * @throws {InputError} MixedTypes for values of several types without `type`, BadArgument for a value that is not an
 *   array
 */
function columnOfValues(name: string, values: Column | Vector | ArrayLike<unknown>, type?: string): MadeColumn {
  if (type === undefined) {
    if (values instanceof Column)
      return { field: retyped(fieldOf({ name, type: values.type }), values.vector), vector: values.vector };
    if (values instanceof Vector) return fromVector(name, values);
    if (ArrayBuffer.isView(values) && !(values instanceof DataView))
      return fromVector(name, makeVector((values as Float64Array).slice()));
  }
  const cells: ArrayLike<unknown> =
    values instanceof Column ? values.toArray({ decimals: "string" }) : (values as ArrayLike<unknown>);
  if (typeof cells !== "object" || cells === null || typeof cells.length !== "number") {
    throw new InputError(`${JSON.stringify(name)} expects an array of values or one value for all rows.`, {
      code: "BadArgument",
      column: name,
      hint: "Pass a function of the row, a column, an array with one value per row, or one string, number, Date or null.",
    });
  }
  const spec: ColumnSpec = { name, type: type ?? typeOfValues(name, cells, declareIt(name)) };
  if (type === undefined && spec.type === "double") return doubles(spec, cells as ArrayLike<number | null | undefined>);
  const table = tableOfTexts([spec], rowsOfOne(cells, spec));
  return { field: table.schema.fields[0], vector: table.getChildAt(0) as Vector };
}

/**
 * A column as `with()` accepts it: a function of the row, one value for all rows, or what {@link columnOfValues}
 * accepts.
 *
 * @throws {InputError} MixedTypes, BadArgument
 */
export function newColumn<Row>(
  name: string,
  values: NewColumn<Row>,
  type: string | undefined,
  table: Table,
): MadeColumn {
  if (typeof values === "function") {
    const computed =
      type === undefined ? numbersOfRows(table, values, "with()") : valuesOfRows(table, values, "with()");
    return columnOfValues(name, computed, type);
  }
  if (isConstant(values)) return columnOfValues(name, new Array<unknown>(table.numRows).fill(values), type);
  return columnOfValues(name, values as ArrayLike<unknown>, type);
}

/** One value for all rows; `undefined` is more likely a mistake. */
const isConstant = (value: unknown): boolean =>
  value !== undefined && (typeof value !== "object" || value === null || value instanceof Date);

/** The table of an array of row objects; see `Frame.fromRows`. */
export function tableOfRows(rows: Iterable<object>, columns?: readonly ColumnSpec[]): Table {
  if (!isIterable(rows)) {
    throw new InputError("fromRows() expects an iterable of row objects.", {
      code: "BadArgument",
      hint: "Pass an array such as [{ date: …, close: … }]; await a Promise first.",
    });
  }
  const list = Array.from(rows) as Readonly<Record<string, unknown>>[];
  for (const [row, object] of list.entries()) {
    if (typeof object === "object" && object !== null && !Array.isArray(object)) continue;
    throw new InputError(`Row ${row} is not an object.`, {
      code: "BadArgument",
      row,
      hint: "Pass rows such as { date: …, close: … }.",
    });
  }
  const specs = columns ?? columnsOfRows(list);
  const texts = specs.map(textOf);
  const cells = function* (): Generator<(string | null)[]> {
    for (const row of list) yield specs.map(({ name }, c) => texts[c](cellOf(row, name)));
  };
  return tableOfTexts(specs, cells());
}

const isIterable = (value: unknown): boolean =>
  value !== null && value !== undefined && typeof (value as Partial<Iterable<unknown>>)[Symbol.iterator] === "function";

function columnsOfRows(rows: readonly Readonly<Record<string, unknown>>[]): ColumnSpec[] {
  const names = new Set<string>();
  for (const row of rows) for (const name of Object.keys(row)) names.add(name);
  return [...names].map((name) => ({
    name,
    type: typeOfValues(
      name,
      rows.map((row) => cellOf(row, name)),
      "Declare the columns: fromRows(rows, [{ name, type }, …]).",
    ),
  }));
}

/** Reads own members only: a column called `constructor` is null if the row has no such member. */
const cellOf = (row: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(row, name) ? row[name] : null;

function fromVector(name: string, vector: Vector): MadeColumn {
  const isNumber = DataType.isFloat(vector.type) || DataType.isInt(vector.type);
  const type = isNumber ? serviceTypeOfArrow(vector.type) : "String";
  const field = fieldOf({ name, type });
  // The Arrow type decides: unsigned integers of 64 bits are decimals to a service.
  if (type !== "double" && type !== "Integer") field.metadata.clear();
  return { field: retyped(field, vector), vector };
}

const retyped = (field: Field, vector: Vector): Field => field.clone({ type: vector.type });

function doubles(spec: ColumnSpec, values: ArrayLike<number | null | undefined>): MadeColumn {
  const data = new Float64Array(values.length);
  const valid = new Uint8Array((values.length + 7) >> 3);
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (value === null || value === undefined) continue;
    data[i] = value;
    valid[i >> 3] |= 1 << (i & 7);
  }
  return { field: fieldOf(spec), vector: new Vector([doubleData(data, valid)]) };
}

function* rowsOfOne(values: ArrayLike<unknown>, spec: ColumnSpec): Generator<[string | null]> {
  const text = textOf(spec);
  for (let i = 0; i < values.length; i++) yield [text(values[i])];
}

function tableOfTexts(columns: readonly ColumnSpec[], rows: Iterable<readonly (string | null)[]>): Table {
  const batches = textRows(rows, columns).batches();
  return new Table(batches[0]?.schema ?? schemaOf(columns), batches);
}

const declareIt = (name: string): string =>
  `Declare the type of the column: with({ … }, { ${JSON.stringify(name)}: "String" }).`;

/** The service type for values of this kind; safe integers beside bigints are integers too. */
export function typeOfValues(
  name: string,
  values: ArrayLike<unknown>,
  hint = "Declare the type of the column: { name, type }.",
): string {
  let found: string | undefined;
  let row = -1;
  for (const value of Array.isArray(values) ? values : Array.from(values)) {
    row++;
    if (value === null || value === undefined) continue;
    const kind = typeOfValue(value);
    const both = kind && together(found ?? kind, kind);
    if (both === undefined) {
      throw new InputError(
        `Column ${JSON.stringify(name)} has ${kind === undefined ? "a value without a column type" : `both ${found} and ${kind}`} at row ${row}.`,
        { code: "MixedTypes", column: name, row, hint },
      );
    }
    found = both;
  }
  return found === WHOLE ? "double" : (found ?? "String");
}

/** Integers, which may become either numeric type; a column of integers only is `double`. */
const WHOLE = "whole numbers";

/** The type for values of both kinds, if any. */
function together(a: string, b: string): string | undefined {
  if (a === b || b === WHOLE) return a === b || a === "double" || a === "Integer" ? a : undefined;
  return a === WHOLE && (b === "double" || b === "Integer") ? b : undefined;
}

function typeOfValue(value: unknown): string | undefined {
  switch (typeof value) {
    case "number":
      return Number.isSafeInteger(value) && !Object.is(value, -0) ? WHOLE : "double";
    case "bigint":
      return "Integer";
    case "boolean":
      return "boolean";
    case "string":
      return "String";
    default:
      return value instanceof Date ? "datetime" : undefined;
  }
}

/** Half of a pair, which UTF-8 cannot hold. */
const LONE_SURROGATE = /\p{Surrogate}/u;

function notUnicode(column: string, value: string): InputError {
  return new InputError(`A cell of column ${JSON.stringify(column)} has a lone surrogate: ${JSON.stringify(value)}.`, {
    code: "BadArgument",
    column,
    value,
    hint: "Columns hold well-formed Unicode: value.toWellFormed() replaces it.",
  });
}

/** Converts a value to the text that the column type reads; a `Date` becomes its UTC day in a date column. */
export function textOf({ name, type }: ColumnSpec): (value: unknown) => string | null {
  const { kind } = parseType(type);
  const isDay = kind === "date";
  const isExact = kind === "integer" || kind === "decimal";
  const isDouble = kind === "double";
  return (value) => {
    if (value === null || value === undefined) return null;
    if (typeof value === "string") {
      if (LONE_SURROGATE.test(value)) throw notUnicode(name, value);
      return value;
    }
    if (isDouble && Object.is(value, -0)) return "-0";
    if (value instanceof Date && !Number.isNaN(value.getTime())) {
      return isDay ? value.toISOString().slice(0, 10) : value.toISOString();
    }
    // The shortest decimal of a double beyond 2^53 may differ from the double itself.
    if (isExact && Number.isInteger(value)) return BigInt(value as number).toString();
    if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean") return String(value);
    throw new InputError(
      `A cell of column ${JSON.stringify(name)} is not text, number, bigint, boolean, Date or null.`,
      {
        code: "BadArgument",
        column: name,
        value: String(value),
        hint: "Convert the value to a string first.",
      },
    );
  };
}
