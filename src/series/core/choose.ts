import { DataType, type Table, type Vector } from "../../columns/arrow/arrow.js";
import { columnIndex } from "../../columns/arrow/column-names.js";
import { keyOf } from "../../columns/arrow/key.js";
import { typeName } from "../../columns/arrow/schema.js";
import { columnType } from "../../columns/arrow/types.js";
import { InputError } from "../../errors/errors.js";
import { shown } from "../../errors/shown.js";
import type { OneOrMore } from "../../spec/columns.js";

/** The time column, and the columns whose values identify the series of a long table. */
export interface Along<Name extends string = string> {
  /** The date column; by default the first one. */
  readonly on?: Name;
  /**
   * The columns that identify a series; each series is computed separately. Default: the columns of the frame's key
   * that are not dates, if the key contains the date column; `[]` treats all rows as one series.
   */
  readonly by?: OneOrMore<Name>;
}

/** As {@link Along}, with the columns to compute and the names of the results. */
export interface ColumnChoice<Name extends string = string> extends Along<Name> {
  /** The columns to compute; by default every number column except `on` and `by`. */
  readonly columns?: OneOrMore<Name>;
  /** With a suffix, results are added beside the originals as name + suffix; without one they replace them. */
  readonly suffix?: string;
}

/** The option names of {@link Along} and {@link ColumnChoice}. */
export const ALONG = ["on", "by"] as const;
export const CHOICE = [...ALONG, "columns", "suffix"] as const;

/** Positions of the date column and of the columns that identify a series. */
export interface SeriesColumns {
  readonly on: number | undefined;
  readonly by: readonly number[];
  /** `by` is an empty list: all rows are intended to be one series, even if dates repeat. */
  readonly isOne: boolean;
}

export interface Chosen extends SeriesColumns {
  readonly values: readonly number[];
}

/** Normalizes one name, several or none to a list. */
export function listOf(names: string | readonly string[] | undefined): readonly string[] {
  const list: readonly unknown[] = names === undefined ? [] : Array.isArray(names) ? names : [names];
  const other = list.find((name) => typeof name !== "string");
  if (other === undefined) return list as readonly string[];
  throw new InputError(`Column names must be strings; got ${String(other)}.`, {
    code: "BadArgument",
    hint: "Pass a column name or an array of names.",
  });
}

export function vectorAt(table: Table, column: number): Vector {
  const vector = table.getChildAt(column);
  if (vector === null) throw new InputError(`There is no column at position ${column}.`, { code: "UnknownColumn" });
  return vector;
}

/** Whether the column holds dates or timestamps. */
export function isTime(type: DataType): boolean {
  return columnType(type).scale === "time";
}

/** Whether the column holds numbers: integers, floating point or decimals. */
export function isNumber(type: DataType): boolean {
  return columnType(type).scale === "number";
}

/** Whether the column holds text, in any layout, without a dictionary. */
export function isPlainText(type: DataType): boolean {
  return DataType.isUtf8(type) || DataType.isLargeUtf8(type) || DataType.isUtf8View(type);
}

/** The date column: the named one, or the first; undefined if there is none. */
function timeColumn(table: Table, on: string | undefined): number | undefined {
  if (on !== undefined) {
    const at = columnIndex(table, on);
    if (isTime(table.schema.fields[at].type)) return at;
    throw new InputError(
      `Column ${JSON.stringify(on)} does not hold dates: ${typeName(table.schema.fields[at].type, table.schema.fields[at].metadata)}.`,
      {
        code: "WrongType",
        column: on,
        hint: "Pass a Date column as `on`.",
      },
    );
  }
  const at = table.schema.fields.findIndex((field) => isTime(field.type));
  return at === -1 ? undefined : at;
}

/**
 * As {@link timeColumn}, for operations that require one.
 *
 * @throws {InputError} NoDateColumn
 */
export function requireTime(table: Table, on: string | undefined, what: string): number {
  const at = timeColumn(table, on);
  if (at !== undefined) return at;
  throw new InputError(`${what} needs a date column and the table has none.`, {
    code: "NoDateColumn",
    hint: "Read the dates as type Date.",
  });
}

/**
 * The date column and the columns that identify a series; by default those of the key that are not dates, if the key
 * contains the date column.
 */
export function seriesOf(table: Table, { on, by }: Along): SeriesColumns {
  const time = timeColumn(table, on);
  if (by === undefined) return { on: time, by: keyedBy(table, time), isOne: false };
  const names = listOf(by);
  return { on: time, by: names.map((name) => columnIndex(table, name)), isOne: names.length === 0 };
}

/**
 * As {@link seriesOf}, for operations that require a date column.
 *
 * @throws {InputError} NoDateColumn
 */
export function datedSeriesOf(table: Table, along: Along, what: string): SeriesColumns & { readonly on: number } {
  return { ...seriesOf(table, along), on: requireTime(table, along.on, what) };
}

function keyedBy(table: Table, on: number | undefined): number[] {
  const key = on === undefined ? [] : keyOf(table.schema);
  if (on === undefined || !key.includes(table.schema.fields[on].name)) return [];
  const columns = key.map((name) => columnIndex(table, name));
  return columns.filter((at) => !isTime(table.schema.fields[at].type));
}

/** The selected columns; by default all that pass `fits`, except `on` and `by`. */
export function choose(table: Table, choice: ColumnChoice, fits: (type: DataType) => boolean = isNumber): Chosen {
  const series = seriesOf(table, choice);
  if (choice.columns !== undefined) {
    const values = listOf(choice.columns).map((name) => fitting(table, name, fits));
    return { ...series, values };
  }
  const values: number[] = [];
  for (const [at, field] of table.schema.fields.entries()) {
    if (at !== series.on && !series.by.includes(at) && fits(field.type)) values.push(at);
  }
  return { ...series, values };
}

/** How a second column of numbers is passed: the other of a pair, or weights. */
interface SecondOptions extends ColumnChoice {
  readonly with?: string;
  readonly weights?: string;
}

/**
 * The position of the second column that a method `needs`, if it does, and the choice without it: it is not computed
 * itself unless it is named.
 *
 * @throws {InputError} BadArgument if the method needs one and none is passed, or needs none and one is
 */
export function secondColumn(
  table: Table,
  options: SecondOptions,
  needs: "with" | "weights" | undefined,
  method: string,
): { readonly second: number | undefined; readonly choice: ColumnChoice } {
  const unused = (["with", "weights"] as const).find((name) => name !== needs && options[name] !== undefined);
  const name = needs && options[needs];
  if (unused !== undefined || (needs !== undefined && name === undefined)) {
    const expected = needs === undefined ? "no second column" : `a second column as \`${needs}\``;
    throw new InputError(`${method} expects ${expected}; got ${unused === undefined ? "none" : `\`${unused}\``}.`, {
      code: "BadArgument",
      hint: 'Such as { columns: "close", with: "index" } for corr, { columns: "close", weights: "volume" } for vwap.',
    });
  }
  if (name === undefined) return { second: undefined, choice: options };
  const second = fitting(table, name, isNumber);
  if (options.columns !== undefined) return { second, choice: options };
  const others = choose(table, options).values.filter((at) => at !== second);
  return { second, choice: { ...options, columns: others.map((at) => table.schema.fields[at].name) } };
}

function fitting(table: Table, name: string, fits: (type: DataType) => boolean): number {
  const at = columnIndex(table, name);
  const { type, metadata } = table.schema.fields[at];
  if (fits(type)) return at;
  throw new InputError(`Column ${JSON.stringify(name)} is not a number column: ${typeName(type, metadata)}.`, {
    code: "WrongType",
    column: name,
    hint: "Select number columns, or read this one as a number.",
  });
}

/**
 * Returns `value` if it is a whole number of `least` or more.
 *
 * @throws {InputError} BadArgument
 */
export function wholeNumber(value: number, least: number, what: string): number {
  if (Number.isInteger(value) && value >= least) return value;
  throw new InputError(`${what} is ${shown(value)}.`, {
    code: "BadArgument",
    hint: `Pass a whole number of ${least} or more.`,
  });
}
