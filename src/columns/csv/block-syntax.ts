import { CR, type CsvSyntax } from "../../format/csv.js";
import type { BlockSyntax } from "../build/row-blocks.js";
import { readCsvCell } from "./plain-rows.js";

/** CSV by blocks: the rows are those that the plain loop or the grammar would read (docs/decisions.md). */
export function csvBlocks(syntax: CsvSyntax): BlockSyntax {
  return {
    scan: "scan",
    delimiter: syntax.delimiter,
    quote: syntax.quote,
    before: 0,
    after: 0,
    readCell(b, from, to, end, field, row, last) {
      if (from === to) {
        field.setNull(row);
        return true;
      }
      const q = readCsvCell(b, from, end, field, row, syntax);
      return q === to || (q === to - 1 && last && b[q] === CR);
    },
  };
}
