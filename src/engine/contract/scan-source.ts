import type { Schema, Vector } from "../../columns/arrow/arrow.js";

/** Rows that a statement reads: only the columns that it uses are requested. */
export interface ScanSource {
  readonly schema: Schema;
  readonly numRows: number;
  /** A column of the rows, which may have to be copied for it. */
  column(at: number): Vector;
  /** The column of which {@link column} has the rows, with the same dictionary; never copied. */
  whole(at: number): Vector;
}
