import { DataError } from "../../errors/errors.js";
import { checkJson, skipJson, skipSpace } from "../../format/json.js";
import type { ColumnSpec } from "../../spec/columns.js";
import { skipByteOrderMark } from "../../value/text.js";
import { Table } from "../arrow/arrow.js";
import { checkKey } from "../arrow/read-options.js";
import { BatchMaker, textModes, warnUnknownTypes } from "../build/batch-maker.js";
import { bytesTable, type TextReader } from "../build/text-reader.js";
import { columnsOfText } from "./infer-lines.js";
import { JsonLinesParser, type LinesOptions } from "./lines-parser.js";

/** How an array of objects is read. */
export interface JsonArrayOptions extends LinesOptions {
  /** Name and service type of each column, or `infer` (default): those of all members of all objects. */
  readonly columns?: readonly ColumnSpec[] | "infer";
  /** Service types of some columns by name, instead of inferred ones. */
  readonly types?: Readonly<Record<string, string>>;
}

/**
 * The objects of a JSON array, which {@link linesOfArray} has made lines of, as a table.
 *
 * @throws {DataError} with row, column, value and byte offset
 */
export function jsonArrayTable(lines: Uint8Array, options: JsonArrayOptions): Table {
  const { columns: declared = "infer", types = {}, onBadCell = "error" } = options;
  const columns = declared === "infer" ? columnsOfText(lines, types, onBadCell) : declared;
  if (columns.length > 0) return bytesTable(linesReader(columns, options, "the JSON array"), lines);
  if (skipSpace(lines, skipByteOrderMark(lines), lines.length) === lines.length) return new Table();
  throw new DataError("The objects of the JSON array have no members, so that there are no columns.", {
    code: "EmptyJsonLines",
    hint: "Pass columns to read it.",
  });
}

/**
 * The reader of JSON lines. Warns of unknown types.
 *
 * @param where what the lines are, for the message
 * @throws {InputError} UnknownColumn for a key that is not among the columns
 */
export function linesReader(columns: readonly ColumnSpec[], options: LinesOptions, where: string): TextReader {
  checkKey(options.key, columns, where);
  warnUnknownTypes(columns, options);
  const parser = new JsonLinesParser(columns, options, textModes(options.schema));
  return { parser, maker: new BatchMaker(columns, options) };
}

const LF = 10;
const CR = 13;
const SPACE = 32;
const OPEN_ARRAY = 91;
const CLOSE_ARRAY = 93;

/**
 * A JSON array as JSON lines, an element on each line: the same bytes at the same offsets, with spaces for the brackets
 * and line feeds for the commas between elements. Undefined for JSON that is not an array.
 *
 * @throws {DataError} BadJson
 */
export function linesOfArray(json: Uint8Array): Uint8Array | undefined {
  const start = skipSpace(json, skipByteOrderMark(json), json.length);
  if (json[start] !== OPEN_ARRAY) return undefined;
  checkJson(json);
  const lines = json.slice();
  // A string holds no line end, so that all of them are between tokens.
  for (let i = 0; i < lines.length; i++) if (lines[i] === LF || lines[i] === CR) lines[i] = SPACE;
  lines[start] = SPACE;
  let p = skipSpace(json, start + 1, json.length);
  while (json[p] !== CLOSE_ARRAY) {
    p = skipSpace(json, skipJson(json, p, json.length), json.length);
    if (json[p] === CLOSE_ARRAY) break;
    lines[p] = LF;
    p = skipSpace(json, p + 1, json.length);
  }
  lines[p] = SPACE;
  return lines;
}
