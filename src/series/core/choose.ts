import type { DataType, Table, Vector } from "../../columns/arrow/arrow.js";
import { columnIndex } from "../../columns/arrow/column-names.js";
import { keyOf } from "../../columns/arrow/key.js";
import { typeName } from "../../columns/arrow/schema.js";
import { columnType } from "../../columns/arrow/types.js";
import { InputError } from "../../errors/errors.js";
import { shown } from "../../errors/shown.js";

/** The time column, and the columns whose values identify the series of a long table. */
export interface Along<Name extends string = string> {
  /** The column of days; the first date column where left out. */
  readonly on?: Name;
  /**
   * Columns that identify a series: each series is computed by itself. The columns of the frame's key that are not
   * dates where left out, if the key holds the date column; `[]` treats all rows as one series.
   */
  readonly by?: Name | readonly Name[];
}

/** As {@link Along}, with the columns to compute and what to call the results. */
export interface ColumnChoice<Name extends string = string> extends Along<Name> {
  /** The columns to compute; every number column but `on` and `by` where left out. */
  readonly columns?: Name | readonly Name[];
  /** With a suffix the results are added beside the originals, as name + suffix; without one they replace them. */
  readonly suffix?: string;
}

/** The options of {@link Along} and {@link ColumnChoice}. */
export const ALONG = ["on", "by"] as const;
export const CHOICE = [...ALONG, "columns", "suffix"] as const;

/** Positions of the columns that make the series of a table. */
export interface SeriesColumns {
  readonly on: number | undefined;
  readonly by: readonly number[];
  /** `by` is an empty list: all rows are one series on purpose, also where dates repeat. */
  readonly isOne: boolean;
}

/** Positions of the chosen columns. */
export interface Chosen extends SeriesColumns {
  readonly values: readonly number[];
}

/** One name, several or none, as a list. */
export function listOf(names: string | readonly string[] | undefined): readonly string[] {
  const list: readonly unknown[] = names === undefined ? [] : Array.isArray(names) ? names : [names];
  const other = list.find((name) => typeof name !== "string");
  if (other === undefined) return list as readonly string[];
  throw new InputError(`Column names must be strings; got ${String(other)}.`, {
    code: "BadArgument",
    hint: "Name columns by their names: one, or a list of them.",
  });
}

/** The column itself, by position. */
export function vectorAt(table: Table, column: number): Vector {
  const vector = table.getChildAt(column);
  if (vector === null) throw new InputError(`There is no column at position ${column}.`, { code: "UnknownColumn" });
  return vector;
}

/** Columns that hold dates or timestamps. */
export function isTime(type: DataType): boolean {
  return columnType(type).scale === "time";
}

/** Columns that hold numbers: integers, floating point and decimals. */
export function isNumber(type: DataType): boolean {
  return columnType(type).scale === "number";
}

/** The column of days: the named one, or the first that holds days; undefined where there is none. */
function timeColumn(table: Table, on: string | undefined): number | undefined {
  if (on !== undefined) {
    const at = columnIndex(table, on);
    if (isTime(table.schema.fields[at].type)) return at;
    throw new InputError(
      `Column ${JSON.stringify(on)} holds no dates: ${typeName(table.schema.fields[at].type, table.schema.fields[at].metadata)}.`,
      {
        code: "WrongType",
        column: on,
        hint: "Name a Date column with `on`.",
      },
    );
  }
  const at = table.schema.fields.findIndex((field) => isTime(field.type));
  return at === -1 ? undefined : at;
}

/**
 * As {@link timeColumn}, for what cannot be done without one.
 *
 * @throws {InputError} NoDateColumn
 */
export function needTime(table: Table, on: string | undefined, what: string): number {
  const at = timeColumn(table, on);
  if (at !== undefined) return at;
  throw new InputError(`${what} needs a date column and the table has none.`, {
    code: "NoDateColumn",
    hint: "Read the dates as type Date.",
  });
}

/**
 * The date column and the columns that identify a series; without `by` those of the key that are not dates, if the key
 * holds the date column.
 */
export function seriesOf(table: Table, { on, by }: Along): SeriesColumns {
  const time = timeColumn(table, on);
  if (by === undefined) return { on: time, by: keyedBy(table, time), isOne: false };
  const names = listOf(by);
  return { on: time, by: names.map((name) => columnIndex(table, name)), isOne: names.length === 0 };
}

/**
 * As {@link seriesOf}, for what cannot be done without a date column.
 *
 * @throws {InputError} NoDateColumn
 */
export function datedSeriesOf(table: Table, along: Along, what: string): SeriesColumns & { readonly on: number } {
  return { ...seriesOf(table, along), on: needTime(table, along.on, what) };
}

function keyedBy(table: Table, on: number | undefined): number[] {
  const key = on === undefined ? [] : keyOf(table.schema);
  if (on === undefined || !key.includes(table.schema.fields[on].name)) return [];
  const columns = key.map((name) => columnIndex(table, name));
  return columns.filter((at) => !isTime(table.schema.fields[at].type));
}

/** The chosen columns; without `columns` every one that `fits` but `on` and `by`. */
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

function fitting(table: Table, name: string, fits: (type: DataType) => boolean): number {
  const at = columnIndex(table, name);
  const { type, metadata } = table.schema.fields[at];
  if (fits(type)) return at;
  throw new InputError(`Column ${JSON.stringify(name)} holds nothing to compute with: ${typeName(type, metadata)}.`, {
    code: "WrongType",
    column: name,
    hint: "Choose number columns, or read this one as a number.",
  });
}

/**
 * `value` if it is a whole number from `least` on.
 *
 * @throws {InputError} BadArgument
 */
export function wholeNumber(value: number, least: number, what: string): number {
  if (Number.isInteger(value) && value >= least) return value;
  throw new InputError(`${what} is ${shown(value)}.`, {
    code: "BadArgument",
    hint: `Give a whole number from ${least} on.`,
  });
}
