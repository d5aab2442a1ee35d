import { DataError } from "../errors/errors.js";
import { csvCell } from "../format/csv-records.js";
import { escapeXML } from "../format/xml/text.js";
import { type ColumnSpec, parseType, type TypeKind } from "../spec/columns.js";

/** One row of exact texts as a format spells it. */
export type RowSpeller = (row: readonly (string | null)[]) => string;

const JSON_NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

/** A row as a JSON array: numbers plain, dates and texts quoted, null for null (spec 2.6). */
export function jsonRow(columns: readonly ColumnSpec[]): RowSpeller {
  const kinds = columns.map(({ type }) => parseType(type).kind);
  return (row) => {
    let out = "[";
    for (let i = 0; i < kinds.length; i++) {
      const text = row[i];
      if (i > 0) out += ",";
      out += text === null ? "null" : jsonCell(text, kinds[i], columns[i].name);
    }
    return `${out}]`;
  };
}

function jsonCell(text: string, kind: TypeKind, column: string): string {
  switch (kind) {
    case "decimal":
    case "integer":
    case "double":
      return numberText(text, column) ?? "null";
    case "boolean":
      return text === "true" || text === "false" ? text : JSON.stringify(text);
    case "date":
      return `"${text}"`;
    case "datetime":
    case "text":
    case "unknown":
      return JSON.stringify(text);
  }
}

/** A row as a CSV line; `decimalPoint`: decimals and doubles carry one always. Null is nothing, empty text is `""`. */
export function csvRow(columns: readonly ColumnSpec[], quoteEmpty: boolean, decimalPoint: boolean): RowSpeller {
  const kinds = columns.map(({ type }) => parseType(type).kind);
  return (row) => {
    let out = "";
    for (let i = 0; i < kinds.length; i++) {
      if (i > 0) out += ",";
      const text = row[i];
      if (text === null) continue;
      if (!isNumber(kinds[i])) out += csvCell(text, quoteEmpty);
      else {
        const number = numberText(text, columns[i].name);
        if (number !== null) out += decimalPoint && kinds[i] !== "integer" ? withPoint(number) : number;
      }
    }
    return `${out}\n`;
  };
}

const XML_TYPES: Readonly<Partial<Record<TypeKind, string>>> = {
  decimal: "float",
  double: "float",
  integer: "integer",
  date: "date",
  datetime: "dateTime",
  boolean: "boolean",
};

/**
 * A row as nested elements: numbers `type="float"`, dates `type="date"`, texts without a type, null `nil="true"` (spec
 * 1, 2.6).
 */
export function xmlRow(columns: readonly ColumnSpec[]): RowSpeller {
  const kinds = columns.map(({ type }) => parseType(type).kind);
  const starts = kinds.map((kind) => (XML_TYPES[kind] ? `<datum type="${XML_TYPES[kind]}">` : "<datum>"));
  return (row) => {
    let out = '<datum type="array">';
    for (let i = 0; i < kinds.length; i++) {
      const cell = row[i];
      const text = cell !== null && isNumber(kinds[i]) ? numberText(cell, columns[i].name) : cell;
      out += text === null ? '<datum nil="true"/>' : `${starts[i]}${escapeXML(text)}</datum>`;
    }
    return `${out}</datum>`;
  };
}

/** Whether cells of this kind are written as numbers. */
function isNumber(kind: TypeKind): boolean {
  return kind === "decimal" || kind === "integer" || kind === "double";
}

/** The number as JSON allows it; null for NaN and infinities, which no format of the service can carry. */
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
