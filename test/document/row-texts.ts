import { DataError } from "../../src/errors/errors.js";
import { csvCell } from "../../src/format/csv-records.js";
import { escapeXML } from "../../src/format/xml/text.js";
import { type ColumnSpec, parseType, SPEC_TYPES, type SpecType } from "../../src/spec/columns.js";

/** Formats one row of exact texts. */
export type RowFormatter = (row: readonly (string | null)[]) => string;

// Rows as text, cell by cell: what the writer of bytes (src/document/cells/row-bytes) is held against.

const JSON_NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

type CellStyle = SpecType["cell"];

const styleOf = ({ type }: ColumnSpec): CellStyle => SPEC_TYPES[parseType(type).kind].cell;

const isNumber = (style: CellStyle): boolean => style === "number" || style === "whole";

/** Formats rows as JSON arrays: numbers unquoted, dates and texts quoted (spec 2.6). */
export function jsonRow(columns: readonly ColumnSpec[]): RowFormatter {
  const styles = columns.map(styleOf);
  return (row) => {
    let out = "[";
    for (let i = 0; i < styles.length; i++) {
      const text = row[i];
      if (i > 0) out += ",";
      out += text === null ? "null" : jsonCell(text, styles[i], columns[i].name);
    }
    return `${out}]`;
  };
}

function jsonCell(text: string, style: CellStyle, column: string): string {
  switch (style) {
    case "number":
    case "whole":
      return numberText(text, column) ?? "null";
    case "truth":
      return text === "true" || text === "false" ? text : JSON.stringify(text);
    case "plain":
      return `"${text}"`;
    case "text":
      return JSON.stringify(text);
  }
}

/**
 * Formats rows as CSV lines; with `decimalPoint`, decimals and doubles always have one. Null is nothing, empty text is
 * `""`.
 */
export function csvRow(columns: readonly ColumnSpec[], quoteEmpty: boolean, decimalPoint: boolean): RowFormatter {
  const styles = columns.map(styleOf);
  return (row) => {
    let out = "";
    for (let i = 0; i < styles.length; i++) {
      if (i > 0) out += ",";
      const text = row[i];
      if (text === null) continue;
      if (!isNumber(styles[i])) out += csvCell(text, quoteEmpty);
      else {
        const number = numberText(text, columns[i].name);
        if (number !== null) out += decimalPoint && styles[i] === "number" ? withPoint(number) : number;
      }
    }
    return `${out}\n`;
  };
}

/**
 * Formats rows as nested elements: numbers `type="float"`, dates `type="date"`, texts without a type, null `nil="true"`
 * (spec 1, 2.6).
 */
export function xmlRow(columns: readonly ColumnSpec[]): RowFormatter {
  const styles = columns.map(styleOf);
  const starts = columns.map(({ type }) => {
    const { xml } = SPEC_TYPES[parseType(type).kind];
    return xml === undefined ? "<datum>" : `<datum type="${xml}">`;
  });
  return (row) => {
    let out = '<datum type="array">';
    for (let i = 0; i < styles.length; i++) {
      const cell = row[i];
      const text = cell !== null && isNumber(styles[i]) ? numberText(cell, columns[i].name) : cell;
      out += text === null ? '<datum nil="true"/>' : `${starts[i]}${escapeXML(text)}</datum>`;
    }
    return `${out}</datum>`;
  };
}

/** The number in JSON syntax; null for NaN and infinities, which no format of the service can represent. */
function numberText(text: string, column: string): string | null {
  if (JSON_NUMBER.test(text)) return text;
  if (/^[+-]?(?:nan|inf(?:inity)?)$/i.test(text)) return null;
  const match = /^([+-]?)0*(\d*)(?:\.(\d*))?([eE][+-]?\d+)?$/.exec(text);
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
