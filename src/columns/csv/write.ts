import { rowBlocks } from "../../document/cells/row-bytes.js";
import type { CellStyle } from "../../document/cells/row-style.js";
import { csvCell } from "../../format/csv-records.js";
import type { RecordBatch, Schema } from "../arrow/arrow.js";
import { cellBatch } from "../arrow/cell-batch.js";

/** How rows are written as CSV. */
export interface CsvTextOptions {
  /**
   * Puts `'` before text that a spreadsheet would run as a formula (`=…`, `+…`, `@…`, or `-…` unless it is a number).
   * Default false.
   */
  readonly escapeFormulae?: boolean;
}

export function csvHead({ fields }: Schema, options?: CsvTextOptions): Buffer {
  const { spell } = cellStyle(options);
  return Buffer.from(`${fields.map(({ name }) => spell(name)).join(",")}\n`);
}

/**
 * The rows of a batch as CSV lines (RFC 4180): null as nothing, empty text as `""`, every other value as the exact text
 * that reads back. A block is valid until the next one is requested.
 */
export function csvLineBlocks({ data, numRows }: RecordBatch, options?: CsvTextOptions): Generator<Buffer> {
  const cells = data.children.map(() => cellStyle(options));
  const style = { open: "", close: "\n", betweenCells: ",", betweenRows: "", cells };
  return rowBlocks(style, [cellBatch(data.children, numRows)]);
}

function cellStyle({ escapeFormulae = false }: CsvTextOptions = {}): CellStyle {
  const plain = { open: "", close: "", nothing: "", wholeEnd: "" };
  const spell = (text: string): string => csvCell(text, true);
  if (!escapeFormulae) return { ...plain, spell, takes: () => true };
  return {
    ...plain,
    spell: (text) => (FORMULA.test(text) ? `"'${text.replaceAll('"', '""')}"` : spell(text)),
    // Text has to be looked at cell by cell.
    takes: (kind) => kind !== "other",
  };
}

const FORMULA = /^(?:[=+@\t\r]|-(?!\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$))/;
