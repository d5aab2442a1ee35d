import type { Vector } from "../../columns/arrow/arrow.js";
import type { Column } from "./column.js";
import type { Cell } from "./rows.js";

/** A row of a frame whose columns are not known to the compiler. */
export type AnyRow = Record<string, Cell>;

/** A column of a row type. */
export type Name<Row> = keyof Row & string;

/** Names one after another, or as one list. */
export type Names<Row> = readonly Name<Row>[] | readonly [readonly Name<Row>[]];

/**
 * What `with()` takes for one column: a function of the row, a column, a list with a value for each row, or one value
 * for all.
 */
export type NewColumn<Row, Value = unknown> = ((row: Row) => Value) | Column<Value> | Vector | ArrayLike<Value> | Cell;

/** A sort key: a name (ascending), or a name and a direction. */
export type Order<Row> = Name<Row> | readonly [column: Name<Row>, direction: "asc" | "desc"];

/** The row type after `rename()`. */
export type Renamed<Row, Names> = {
  [K in keyof Row as K extends keyof Names ? (Names[K] extends string ? Names[K] : K) : K]: Row[K];
};

/** The row type after `with()`. */
export type Extended<Row, Added> = Omit<Row, keyof Added> & { [K in keyof Added]: ValueOf<Added[K]> };

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
