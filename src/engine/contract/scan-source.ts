import type { Schema, Vector } from "../../columns/arrow/arrow.js";

/** Rows that a statement reads: only the columns that it uses are requested. */
export interface ScanSource {
  readonly schema: Schema;
  readonly numRows: number;
  column(at: number): Vector;
}
