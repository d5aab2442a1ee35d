import { DataType, type Vector } from "../../columns/arrow/arrow.js";
import {
  cellAt,
  vectorToBigInts,
  vectorToDates,
  vectorToNumbers,
  vectorToStrings,
} from "../../columns/arrow/vector-values.js";
import { showAs } from "../../display/base/show.js";
import { columnBundle, columnText } from "../../display/table/column.js";
import { InputError } from "../../errors/errors.js";
import { shown } from "../../errors/shown.js";
import { type Cell, cellReader, checkRowsOptions, type RowsOptions } from "./rows.js";

/**
 * One column of a frame: a name, the service's type and the values, read from Arrow buffers when asked.
 *
 * @example
 * ```ts
 * import { Frame } from "arrowbook";
 * const close = Frame.fromRows([{ close: "1.50" }, { close: null }], [{ name: "close", type: "BigDecimal(10,2)" }]).column("close");
 * close.toStrings(); // ["1.50", null]
 * close.toNumbers(); // Float64Array [1.5, NaN]
 * ```
 */
export class Column<Value = Cell> {
  readonly name: string;
  /** The service's type name, such as `BigDecimal(15,4)`. */
  readonly type: string;
  readonly vector: Vector;

  constructor(name: string, type: string, vector: Vector) {
    this.name = name;
    this.type = type;
    this.vector = vector;
    Object.freeze(this);
  }

  get length(): number {
    return this.vector.length;
  }

  get nullCount(): number {
    // Arrow counts none in a column of nulls alone, or -1.
    return this.vector.data.reduce((sum, data) => sum + (DataType.isNull(data.type) ? data.length : data.nullCount), 0);
  }

  get arrowType(): DataType {
    return this.vector.type;
  }

  /**
   * The value at a row, counted from 0, as `rows()` gives it.
   *
   * @throws {InputError} OutOfRange
   */
  get(row: number): Value {
    if (!Number.isInteger(row) || row < 0 || row >= this.length) {
      throw new InputError(`Row ${shown(row)} is not in the column ${JSON.stringify(this.name)}.`, {
        code: "OutOfRange",
        column: this.name,
        hint: this.length === 0 ? "The column is empty." : `Rows go from 0 to ${this.length - 1}.`,
      });
    }
    return cellAt(this.vector, row) as Value;
  }

  /** Every value as the nearest double; dates as milliseconds since 1970, booleans 0 and 1; null as `NaN`. */
  toNumbers(): Float64Array {
    return vectorToNumbers(this.vector);
  }

  /** Every value as the service writes it: exact decimals with all their fraction digits, ISO dates; null as null. */
  toStrings(): (string | null)[] {
    return vectorToStrings(this.vector);
  }

  /** Dates and timestamps as `Date` (midnight UTC for days); null as null. */
  toDates(): (Date | null)[] {
    return vectorToDates(this.vector);
  }

  /** Integers as they are, decimals as their unscaled whole number; null as null. */
  toBigInts(): (bigint | null)[] {
    return vectorToBigInts(this.vector);
  }

  /** Every value as `rows()` gives it. */
  toArray(options: RowsOptions = {}): Value[] {
    return Array.from(this.values(options));
  }

  /** The values one by one, as `rows()` gives them. */
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
}

showAs<Column>(Column.prototype, {
  bundle: (column) => columnBundle(column.name, column.type, column.vector),
  text: (column, width) => columnText(column.name, column.type, column.vector, width),
  brief: ({ name, type, length }) => `Column ${JSON.stringify(name)} ${type}, ${length} rows`,
});
