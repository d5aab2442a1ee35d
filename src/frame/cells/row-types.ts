import type { Vector } from "../../columns/arrow/arrow.js";
import type { Column } from "./column.js";
import type { Cell } from "./rows.js";

/** A row of a frame whose columns are unknown to the compiler. */
export type AnyRow = Record<string, Cell>;

/** The key of the type of a frame that may have more columns than its row type. It has no value. */
export declare const OPENED: unique symbol;

/** The type of a frame, opened to columns of any name if an option names columns. */
export type OpenedBy<Opened extends { readonly [OPENED]: object }, Naming> = [Naming] extends [never]
  ? Opened
  : Opened[typeof OPENED];

/** The members of an intersection in one object type; a row of unknown columns stays as it is. */
export type Flat<Row> = string extends keyof Row ? Row : { [K in keyof Row]: Row[K] };

/**
 * What `with()` accepts for one column: a function of the row, a column, an array with one value per row, or one value
 * for all rows.
 */
export type NewColumn<Row, Value = unknown> = ((row: Row) => Value) | Column<Value> | Vector | ArrayLike<Value> | Cell;

/** A sort key: a name (ascending), or a name and a direction. */
type SortKey<Column extends string> = Column | readonly [column: Column, direction: "asc" | "desc"];

/** A sort key, or a list of them. */
export type SortKeys<Column extends string> = SortKey<Column> | readonly SortKey<Column>[];

/** The row type after `rename()`; unknown columns where all have new names, or names that the running code makes. */
export type Renamed<Row, Names> = string extends keyof Row
  ? AnyRow
  : Names extends readonly unknown[]
    ? AnyRow
    : string extends keyof Names
      ? Row & AnyRow
      : { [K in keyof Row as K extends keyof Names ? (Names[K] extends string ? Names[K] : K) : K]: Row[K] };

/** The row type after `with()`; unknown columns besides where the running code makes their names. */
export type Extended<Row, Added> = string extends keyof Added
  ? Row & AnyRow
  : Flat<Omit<Row, keyof Added> & { -readonly [K in keyof Added]: ValueOf<Added[K]> }>;

/** The row type of columns by name, as `fromColumns()` takes them. */
export type ColumnRow<Columns> = { [K in keyof Columns]: ValueOf<Columns[K]> };

type ValueOf<New> = New extends (row: never) => infer Value
  ? Value
  : New extends Cell
    ? Widened<New>
    : New extends Column<infer Value>
      ? Value
      : New extends ArrayLike<infer Value>
        ? Value
        : Cell;

type Widened<Value> = Value extends string
  ? string
  : Value extends number
    ? number
    : Value extends bigint
      ? bigint
      : Value extends boolean
        ? boolean
        : Cell;
