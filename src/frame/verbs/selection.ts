import type { Table, Vector } from "../../columns/arrow/arrow.js";
import { keyed, pickColumns } from "../../columns/table/pick.js";
import { type SortKey, sortedRows } from "../../columns/table/sort.js";
import { takeColumn, takenTable, takeRows } from "../../columns/table/take.js";
import { copyOnTwoThreads } from "../../columns/workers/copy-columns.js";
import { byteLength } from "../../display/table/view.js";
import { hasRepeats } from "../../series/core/codes.js";
import { sliceRows } from "./pick.js";

/**
 * The rows of a frame: a table, and the row numbers unless all rows are selected in order. The rows are copied once,
 * when {@link table} is first accessed, and a single column when it is requested; until then the original table stays
 * alive.
 */
export class Selection {
  private from: Table;
  private picked: Int32Array | undefined;
  private copies: (Vector | undefined)[] = [];

  constructor(from: Table, rows?: Int32Array) {
    this.from = from;
    this.picked = rows;
  }

  /** The table to which {@link rows} refer; it has the columns, their order and the key of the selection. */
  get base(): Table {
    return this.from;
  }

  /** The row numbers; undefined for all rows in order. */
  get rows(): Int32Array | undefined {
    return this.picked;
  }

  get numRows(): number {
    return this.picked?.length ?? this.from.numRows;
  }

  /** Bytes kept alive by the table and the row numbers. */
  get nbytes(): number {
    return byteLength(this.from) + (this.picked?.byteLength ?? 0);
  }

  /** The selected rows as a table; releases the original one. */
  get table(): Table {
    if (this.picked === undefined) return this.from;
    const { schema } = this.from;
    const isBegun = this.copies.some((copy) => copy !== undefined);
    this.from = isBegun
      ? takenTable(
          schema,
          schema.fields.map((_, at) => this.column(at)),
          this.picked.length,
        )
      : takeRows(this.from, this.picked, copyOnTwoThreads());
    this.picked = undefined;
    this.copies = [];
    return this.from;
  }

  /** The values of the column at a position. */
  column(at: number): Vector {
    const whole = this.from.getChildAt(at) as Vector;
    if (this.picked === undefined) return whole;
    const copy = this.copies[at] ?? takeColumn(whole, this.picked);
    this.copies[at] = copy;
    return copy;
  }

  /** The same rows of a table with other columns. */
  over(table: Table): Selection {
    return new Selection(table, this.picked);
  }

  /** Selects rows by position, in this order; drops the key if a position repeats. */
  take(places: Int32Array): Selection {
    const repeats = hasRepeats(places, this.numRows);
    return new Selection(repeats ? keyed(this.from, []) : this.from, this.numbersAt(places));
  }

  /** As {@link take}, for positions without repeats. */
  keep(places: Int32Array): Selection {
    return places.length === this.numRows && isAscending(places)
      ? this
      : new Selection(this.from, this.numbersAt(places));
  }

  /** The rows from a position to another (exclusive). */
  slice(from: number, end: number): Selection {
    if (this.picked === undefined) return new Selection(sliceRows(this.from, from, end));
    return new Selection(this.from, this.picked.subarray(from, Math.max(from, end)));
  }

  /** Sorts the rows; see {@link sortedRows}. */
  sorted(keys: readonly SortKey[]): Selection {
    if (this.picked === undefined) return this.keep(placesOf(sortedRows(this.from, keys)));
    const columns = [...new Set(keys.map(({ column }) => column))];
    const table = takeRows(pickColumns(this.from, columns), this.picked);
    const renumbered = keys.map((key) => ({ ...key, column: columns.indexOf(key.column) }));
    return this.keep(placesOf(sortedRows(table, renumbered)));
  }

  private numbersAt(places: Int32Array): Int32Array {
    const { picked } = this;
    if (picked === undefined) return places;
    const rows = new Int32Array(places.length);
    for (let i = 0; i < rows.length; i++) rows[i] = picked[places[i]];
    return rows;
  }
}

const placesOf = ({ buffer, byteOffset, length }: Uint32Array): Int32Array =>
  new Int32Array(buffer, byteOffset, length);

function isAscending(places: Int32Array): boolean {
  for (let i = 1; i < places.length; i++) if (places[i] <= places[i - 1]) return false;
  return true;
}
