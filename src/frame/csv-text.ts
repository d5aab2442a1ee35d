import type { Table } from "../columns/arrow.js";
import { cellTexts } from "../columns/cells.js";
import { csvLine } from "../format/csv.js";
import { namesOf } from "./names.js";

/** The table as CSV: header, exact texts, nulls as empty cells and empty text as `""` (spec 1). */
export function csvText(table: Table): string {
  let text = csvLine(namesOf(table));
  for (const batch of table.batches) for (const cells of cellTexts(batch)) text += csvLine(cells);
  return text;
}
