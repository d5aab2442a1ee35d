import { DataError } from "../../errors/errors.js";
import type { AnyFile } from "../../format/random-access.js";
import type { RecordBatch, Table } from "../arrow/arrow.js";
import type { Batching, OnBytes } from "../arrow/read-options.js";
import { streamTable, type TextReader } from "../build/text-reader.js";
import { checkTyped } from "../build/type-guess.js";
import { type JsonArrayOptions, linesReader } from "../json/array-table.js";
import { columnsOfLines } from "../json/infer-lines.js";
import { fileBatches, quiet, type TextOptions, textChunks, withLine } from "./text-file.js";

/** How a file of JSON lines is read. */
export interface JsonLinesOptions extends JsonArrayOptions, TextOptions {}

/**
 * Reads a file of JSON lines, or its bytes, as a table; either may be compressed.
 *
 * @throws {DataError} with row, line, column, value and byte offset
 * @throws {FileError}
 */
export async function jsonLinesTable(source: AnyFile, options: JsonLinesOptions & OnBytes & Batching): Promise<Table> {
  try {
    return await streamTable(await openLines(source, options), textChunks(source, options), options.signal);
  } catch (error) {
    throw await withLine(error, source, options);
  }
}

/** Reads a file of JSON lines as record batches, as `csvFileBatches` reads CSV. */
export function jsonLinesFileBatches(
  source: AnyFile,
  options: JsonLinesOptions & OnBytes & Batching,
): AsyncGenerator<RecordBatch> {
  return fileBatches(source, options, () => openLines(source, options));
}

async function openLines(source: AnyFile, options: JsonLinesOptions & OnBytes & Batching): Promise<TextReader> {
  const { columns = "infer", types = {}, onBadCell = "error" } = options;
  if (columns !== "infer") return linesReader(columns, options, "the JSON lines");
  const found = await columnsOfLines(textChunks(source, quiet(options)), types, onBadCell);
  if (found.length === 0) {
    throw new DataError("The JSON lines have no members, so that there are no columns.", {
      code: "EmptyJsonLines",
      hint: "Pass columns to read an empty file.",
    });
  }
  if (!options.isPart) {
    checkTyped(
      types,
      found.map(({ name }) => name),
      "a member of any line",
    );
  }
  return linesReader(found, options, "the JSON lines");
}
