import type { Table } from "../../columns/arrow/arrow.js";
import { cellTexts } from "../../columns/arrow/cell-batch.js";

/** The cells of a small result as strings. */
export function texts(table: Table): (string | null)[][] {
  return table.batches.flatMap((batch) => [...cellTexts(batch)]);
}
