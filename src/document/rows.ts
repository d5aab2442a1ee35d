import type { XMLFragment } from "../format/xml/cursor.js";
import type { ColumnSpec } from "../spec/columns.js";

/** The rows of a reply, not yet typed: their range in its bytes. */
export type Rows =
  | { readonly kind: "json"; readonly bytes: Uint8Array; readonly start: number; readonly end: number }
  | { readonly kind: "csv"; readonly bytes: Uint8Array }
  | ({ readonly kind: "xml" } & XMLFragment);

/** Rows to write as exact texts; the type of its column decides how a cell is spelt in each format. */
export interface RowsToWrite {
  readonly columns: readonly ColumnSpec[];
  readonly rows: Iterable<readonly (string | null)[]>;
}
