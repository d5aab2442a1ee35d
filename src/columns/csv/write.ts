import { rowBlocks } from "../../document/cells/row-bytes.js";
import type { CellStyle } from "../../document/cells/row-style.js";
import { csvCell } from "../../format/csv-records.js";
import { utf8Bytes } from "../../platform/node/bytes.js";
import { datePattern } from "../../value/date-pattern.js";
import { timeOfText } from "../../value/timestamp.js";
import { type DataType, type RecordBatch, type Schema, Type } from "../arrow/arrow.js";
import { cellBatch } from "../arrow/cell-batch.js";
import { type CsvDialect, checkCsvDialect } from "../arrow/csv-dialect.js";

/** How rows are written as CSV. What `fromCSV` has too is read back with the same options. */
export interface CsvTextOptions extends Pick<CsvDialect, "delimiter" | "decimal" | "dateFormat"> {
  /**
   * Puts `'` before text that a spreadsheet would run as a formula (`=…`, `+…`, `@…`, or `-…` unless it is a number).
   * Default false.
   */
  readonly escapeFormulae?: boolean;
  /** Begins with a byte order mark, by which Excel recognizes UTF-8. Default false. */
  readonly bom?: boolean;
}

export const CSV_TEXT_OPTIONS = ["escapeFormulae", "bom", "delimiter", "decimal", "dateFormat"] as const;

/** @throws {InputError} BadArgument for a delimiter, decimal point or pattern that no file may have */
export function checkCsvText({ delimiter, decimal, dateFormat }: CsvTextOptions = {}, where: string): void {
  checkCsvDialect({ delimiter, decimal, dateFormat } as CsvDialect, where);
}

export function csvHead({ fields }: Schema, options: CsvTextOptions = {}): Uint8Array {
  const { bom = false, delimiter = "," } = options;
  const { spell } = textStyle(options);
  return utf8Bytes(`${bom ? "\ufeff" : ""}${fields.map(({ name }) => spell(name)).join(delimiter)}\n`);
}

/**
 * The rows of a batch as CSV lines (RFC 4180): null as nothing, empty text as `""`, every other value as the exact text
 * that reads back. A block is valid until the next one is requested.
 */
export function csvLineBlocks({ data, numRows }: RecordBatch, options: CsvTextOptions = {}): Generator<Uint8Array> {
  const cells = data.children.map(({ type }) => cellStyle(type as DataType, options));
  const style = { open: "", close: "\n", betweenCells: options.delimiter ?? ",", betweenRows: "", cells };
  return rowBlocks(style, [cellBatch(data.children, numRows)]);
}

const PLAIN = { open: "", close: "", nothing: "", wholeEnd: "" };

function cellStyle(type: DataType, options: CsvTextOptions): CellStyle {
  const { decimal = ".", dateFormat = [], delimiter = "," } = options;
  switch (type.typeId) {
    case Type.Decimal:
    case Type.Float:
      if (decimal === ".") break;
      return {
        ...PLAIN,
        spell: (text) => csvCell(text.replace(".", decimal), true, delimiter),
        takes: (kind) => kind !== "point",
      };
    case Type.Date:
    case Type.Timestamp: {
      const hasTime = type.typeId === Type.Timestamp;
      const patterns = (typeof dateFormat === "string" ? [dateFormat] : dateFormat).map(datePattern);
      const pattern = patterns.find((one) => one.hasTime === hasTime);
      if (pattern === undefined) break;
      const format = (text: string): string => {
        const time = timeOfText(text);
        return time === undefined ? text : pattern.format(time);
      };
      return { ...PLAIN, spell: (text) => csvCell(format(text), true, delimiter), takes: () => false };
    }
  }
  return textStyle(options);
}

function textStyle({ escapeFormulae = false, delimiter = "," }: CsvTextOptions): CellStyle {
  const spell = (text: string): string => csvCell(text, true, delimiter);
  if (!escapeFormulae) return { ...PLAIN, spell, takes: () => true };
  return {
    ...PLAIN,
    spell: (text) => (FORMULA.test(text) ? `"'${text.replaceAll('"', '""')}"` : spell(text)),
    // Text has to be looked at cell by cell.
    takes: (kind) => kind !== "other",
  };
}

const FORMULA = /^(?:[=+@\t\r]|-(?!\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$))/;
