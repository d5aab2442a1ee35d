import type { Table } from "../../columns/arrow/arrow.js";
import { cellTexts } from "../../columns/arrow/cell-batch.js";
import { namesOf } from "../../columns/arrow/column-names.js";
import { type CsvTextOptions, csvText } from "../../format/csv-text.js";

/** Formats a table as CSV: header, exact texts, nulls as empty cells and empty text as `""` (spec 1). */
export function frameCsv(table: Table, options?: CsvTextOptions): string {
  const rows: (string | null)[][] = [namesOf(table)];
  for (const batch of table.batches) for (const cells of cellTexts(batch)) rows.push(cells);
  return csvText(rows, options);
}
