import { DataError } from "../errors/errors.js";

/** A cell of a small CSV reply; `quoted` distinguishes empty text (`""`) from null. */
export interface CsvCell {
  readonly text: string;
  readonly quoted: boolean;
}

/**
 * The records of a small CSV text (a metadata reply, spec 2; an error pair), one at a time; skips blank lines. Unlike
 * papaparse, reports which cells were quoted, which distinguishes empty text from null.
 *
 * @throws {DataError} BadCsv for an unclosed quote and for text after a closing quote
 */
export function* csvRecords(text: string): Generator<readonly CsvCell[]> {
  let at = text.startsWith("\ufeff") ? 1 : 0;
  let record: CsvCell[] = [];
  while (at < text.length) {
    const [cell, end] = text[at] === '"' ? quotedCell(text, at) : bareCell(text, at);
    record.push(cell);
    at = end;
    if (text[at] === ",") {
      at++;
      if (at < text.length) continue;
      record.push({ text: "", quoted: false });
    }
    if (record.length > 1 || record[0].quoted || record[0].text !== "") yield record;
    record = [];
    at += text.startsWith("\r\n", at) ? 2 : 1;
  }
}

function bareCell(text: string, start: number): [CsvCell, number] {
  let end = start;
  while (end < text.length && text[end] !== "," && text[end] !== "\n" && text[end] !== "\r") end++;
  return [{ text: text.slice(start, end), quoted: false }, end];
}

function quotedCell(text: string, start: number): [CsvCell, number] {
  let out = "";
  for (let at = start + 1; ; ) {
    const quote = text.indexOf('"', at);
    if (quote < 0) throw bad("an unclosed quote", start);
    out += text.slice(at, quote);
    if (text[quote + 1] === '"') {
      out += '"';
      at = quote + 2;
      continue;
    }
    const after = text[quote + 1];
    if (after !== undefined && after !== "," && after !== "\n" && after !== "\r") {
      throw bad("text after a closing quote", quote + 1);
    }
    return [{ text: out, quoted: true }, quote + 1];
  }
}

function bad(what: string, offset: number): DataError {
  return new DataError(`The CSV text is malformed: ${what} at character ${offset}.`, { code: "BadCsv", offset });
}

/**
 * Formats a CSV cell: null as nothing, empty text as `""` (if `quoteEmpty`); other cells are quoted only if necessary.
 */
export function csvCell(text: string | null, quoteEmpty: boolean): string {
  if (text === null) return "";
  if (text === "") return quoteEmpty ? '""' : "";
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A leading byte order mark must be quoted, or readers take it for that of the file. */
const NEEDS_QUOTES = /[",\r\n]|^\ufeff/;
