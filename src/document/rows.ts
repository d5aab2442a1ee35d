import type { XMLFragment } from "../format/xml/cursor.js";
import type { ColumnSpec } from "../spec/columns.js";
import type { CellBatch } from "./cells/cell-batch.js";

/** The untyped rows of a reply: their byte range, or their texts. */
export type Rows =
  | { readonly kind: "json"; readonly bytes: Uint8Array; readonly start: number; readonly end: number }
  | { readonly kind: "csv"; readonly bytes: Uint8Array }
  | ({ readonly kind: "xml" } & XMLFragment);

/** Rows to write; the column types determine how cells are written in each format. */
export interface RowsToWrite {
  readonly columns: readonly ColumnSpec[];
  readonly batches: Iterable<CellBatch>;
}
