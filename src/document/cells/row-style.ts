import { DataError } from "../../errors/errors.js";
import { csvCell } from "../../format/csv-records.js";
import { escapeXML } from "../../format/xml/text.js";
import { type ColumnSpec, parseType, SPEC_TYPES, type SpecType } from "../../spec/columns.js";
import type { CellPrinter } from "./cell-batch.js";

/** How a format writes rows: what is around and between rows and cells, and the cells of each column. */
export interface RowStyle {
  readonly open: string;
  readonly close: string;
  readonly betweenCells: string;
  readonly betweenRows: string;
  readonly cells: readonly CellStyle[];
}

export interface CellStyle {
  /** Around a cell that is not null. */
  readonly open: string;
  readonly close: string;
  readonly nothing: string;
  /** The exact text of a cell as the format spells it; null for NaN and infinities, which no format can carry. */
  readonly spell: (text: string) => string | null;
  /** Whether cells of this kind are already spelt once they are printed; `wholeEnd` follows those without a point. */
  readonly takes: (kind: CellPrinter["kind"]) => boolean;
  readonly wholeEnd: string;
}

/** The style of the cells of column `i`, whose `open` and `nothing` begin with the separator from the column before. */
export function placedCells({ cells, betweenCells }: RowStyle, i: number): CellStyle {
  const between = i === 0 ? "" : betweenCells;
  return { ...cells[i], open: between + cells[i].open, nothing: between + cells[i].nothing };
}

const JSON_NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

const isNumber = (kind: CellPrinter["kind"]): boolean => kind === "point" || kind === "whole";

type Styles = Readonly<Record<SpecType["cell"], (column: ColumnSpec) => Partial<CellStyle>>>;

function cellStyles(columns: readonly ColumnSpec[], styles: Styles, common: Partial<CellStyle> = {}): CellStyle[] {
  const plain = { open: "", close: "", nothing: "", spell: (text: string) => text, takes: () => true, wholeEnd: "" };
  return columns.map((column) => {
    const { kind } = parseType(column.type);
    return { ...plain, ...common, ...styles[SPEC_TYPES[kind].cell](column) };
  });
}

const number = ({ name }: ColumnSpec): Partial<CellStyle> => ({
  spell: (text) => numberText(text, name),
  takes: isNumber,
});

const JSON_CELLS: Styles = {
  number,
  whole: number,
  truth: () => ({
    spell: (text) => (text === "true" || text === "false" ? text : JSON.stringify(text)),
    takes: (kind) => kind === "truth",
  }),
  plain: () => ({ open: '"', close: '"' }),
  text: () => ({ open: '"', close: '"', spell: (text) => JSON.stringify(text).slice(1, -1) }),
};

/** Rows as JSON arrays: numbers plain, dates and texts quoted, null for null (spec 2.6). */
export function jsonRows(columns: readonly ColumnSpec[]): RowStyle {
  const cells = cellStyles(columns, JSON_CELLS, { nothing: "null" });
  return { open: "[", close: "]", betweenCells: ",", betweenRows: ",", cells };
}

/** Rows as CSV lines; `decimalPoint`: decimals and doubles carry one always. Null is nothing, empty text is `""`. */
export function csvLines(columns: readonly ColumnSpec[], quoteEmpty: boolean, decimalPoint: boolean): RowStyle {
  const text = () => ({ spell: (cell: string) => csvCell(cell, quoteEmpty) });
  const pointed = (column: ColumnSpec): Partial<CellStyle> => ({
    ...number(column),
    spell(cell) {
      const exact = numberText(cell, column.name);
      return exact === null ? null : withPoint(exact);
    },
    wholeEnd: ".0",
  });
  const styles = { number: decimalPoint ? pointed : number, whole: number, truth: text, plain: text, text };
  return { open: "", close: "\n", betweenCells: ",", betweenRows: "", cells: cellStyles(columns, styles) };
}

const escaped = () => ({ spell: escapeXML });
const XML_CELLS: Styles = { number, whole: number, truth: escaped, plain: escaped, text: escaped };

/**
 * Rows as nested elements: numbers `type="float"`, dates `type="date"`, texts without a type, null `nil="true"` (spec
 * 1, 2.6).
 */
export function xmlRows(columns: readonly ColumnSpec[]): RowStyle {
  const cells = cellStyles(columns, XML_CELLS, { close: "</datum>", nothing: '<datum nil="true"/>' });
  const named = cells.map((cell, i) => {
    const { xml } = SPEC_TYPES[parseType(columns[i].type).kind];
    return { ...cell, open: xml === undefined ? "<datum>" : `<datum type="${xml}">` };
  });
  return { open: '<datum type="array">', close: "</datum>", betweenCells: "", betweenRows: "", cells: named };
}

/** The number in JSON syntax; null for NaN and infinities, which no format of the service can represent. */
function numberText(text: string, column: string): string | null {
  if (JSON_NUMBER.test(text)) return text;
  if (/^[+-]?(?:nan|inf(?:inity)?)$/i.test(text)) return null;
  const match = /^([+-]?)0*(?!0)(\d*)(?:\.(\d*))?([eE][+-]?\d+)?$/.exec(text);
  if (!match || (match[2] === "" && !match[3] && !/0/.test(text))) {
    throw new DataError(`The cell ${JSON.stringify(text)} of "${column}" is not a number.`, {
      code: "BadCell",
      column,
      value: text,
    });
  }
  const [, sign, whole, fraction, exponent = ""] = match;
  return `${sign === "-" ? "-" : ""}${whole || "0"}${fraction ? `.${fraction}` : ""}${exponent}`;
}

function withPoint(number: string): string {
  if (number.includes(".")) return number;
  const exponent = number.search(/[eE]/);
  return exponent < 0 ? `${number}.0` : `${number.slice(0, exponent)}.0${number.slice(exponent)}`;
}

/** 1 for each printable ASCII character that a format leaves as it is, alone and among others. */
export function plainBytes(spell: CellStyle["spell"]): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, code) => {
    const text = `x${String.fromCharCode(code)}`;
    return code >= 0x20 && code < 0x7f && spell(text) === text ? 1 : 0;
  });
}
