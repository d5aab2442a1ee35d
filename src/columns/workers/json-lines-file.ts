import { DataError, InputError } from "../../errors/errors.js";
import { suggestion } from "../../errors/nearest.js";
import type { ColumnSpec } from "../../spec/columns.js";
import type { RecordBatch, Table } from "../arrow/arrow.js";
import { checkKey, type OnBytes } from "../arrow/read-options.js";
import { BatchMaker, textModes, warnUnknownTypes } from "../build/batch-maker.js";
import type { RawBatch } from "../build/builder.js";
import { rawBatches } from "../csv/raw-batches.js";
import { writeBlocks } from "../io/write-blocks.js";
import type { JsonArrayOptions } from "../json/array-table.js";
import { columnsOfLines } from "../json/infer-lines.js";
import { JsonLinesParser } from "../json/lines-parser.js";
import { jsonLines } from "../json/write.js";
import { withLine } from "./line-of.js";
import { type TextOptions, textChunks } from "./text-chunks.js";

/** How a file of JSON lines is read. */
export interface JsonLinesOptions extends JsonArrayOptions, TextOptions {}

/**
 * Reads a file of JSON lines, or its bytes, as a table; either may be compressed.
 *
 * @throws {DataError} with row, line, column, value and byte offset
 * @throws {FileError}
 */
export async function jsonLinesTable(source: string | Uint8Array, options: JsonLinesOptions & OnBytes): Promise<Table> {
  const raws: RawBatch[] = [];
  let maker: BatchMaker | undefined;
  for await (const read of linesRead(source, options)) {
    maker = read.maker;
    raws.push(read.raw);
  }
  return (maker as BatchMaker).table(raws);
}

/** As {@link jsonLinesTable}, one batch at a time. Yields at least one batch, which may be empty. */
export async function* jsonLinesFileBatches(
  source: string | Uint8Array,
  options: JsonLinesOptions & OnBytes,
): AsyncGenerator<RecordBatch> {
  for await (const { maker, raw } of linesRead(source, options)) yield maker.batch(raw);
}

async function* linesRead(source: string | Uint8Array, options: JsonLinesOptions & OnBytes) {
  try {
    const columns = await columnsFor(source, options);
    checkKey(options.key, columns, "the JSON lines");
    warnUnknownTypes(columns, options);
    const maker = new BatchMaker(columns, options);
    const parser = new JsonLinesParser(columns, options, textModes(options.schema));
    for await (const raw of rawBatches(parser, textChunks(source, options), options.signal)) yield { maker, raw };
    parser.batch.policy.report();
  } catch (error) {
    throw await withLine(error, source, options);
  }
}

async function columnsFor(
  source: string | Uint8Array,
  options: JsonLinesOptions & OnBytes,
): Promise<readonly ColumnSpec[]> {
  const { columns = "infer", types = {}, onBadCell = "error" } = options;
  if (columns !== "infer") return columns;
  const { onBytes: _, ...quiet } = options;
  const found = await columnsOfLines(textChunks(source, quiet), types, onBadCell);
  if (found.length === 0) {
    throw new DataError("The JSON lines have no members, so that there are no columns.", {
      code: "EmptyJsonLines",
      hint: "Pass columns to read an empty file.",
    });
  }
  const names = found.map(({ name }) => name);
  for (const name of Object.keys(types)) {
    if (names.includes(name)) continue;
    throw new InputError(`types names ${JSON.stringify(name)}, which is not a member of any line.`, {
      code: "UnknownColumn",
      column: name,
      hint: suggestion(name, names, "columns"),
    });
  }
  return found;
}

/**
 * Writes a table as a file of JSON lines, compressed if the path ends in `.gz`. The file gets its name once it is
 * complete.
 *
 * @throws {FileError} if it cannot be written
 */
export async function writeJsonLines({ schema, batches }: Table, path: string): Promise<void> {
  await writeBlocks(path, jsonLines(schema, batches));
}
