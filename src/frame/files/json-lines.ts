import type { RecordBatch } from "../../columns/arrow/arrow.js";
import { checkColumns, checkReadOptions } from "../../columns/arrow/read-options.js";
import { columnsOf } from "../../columns/arrow/schema.js";
import type { JsonLinesOptions } from "../../columns/files/lines-file.js";
import { TEXT_ENCODINGS } from "../../columns/io/text-encoding.js";
import type { JsonArrayOptions } from "../../columns/json/array-table.js";
import { checkWords } from "../../errors/options.js";
import { checkTypes, REMEDY, typesText } from "./csv-files.js";
import type { FileSources } from "./find-files.js";
import { localFile } from "./local-source.js";
import { type FilesRead, readFiles, UNION_OPTIONS } from "./many-files.js";
import type { UnionOptions } from "./union.js";
import { type Watched, watched, watchedBatches } from "./watched.js";

const LINES = "a file of JSON lines";

/** Reads JSON lines for `Frame.fromJSONLines`. */
export async function readJsonLines(
  sources: FileSources,
  options: JsonLinesOptions & UnionOptions & Watched,
): Promise<FilesRead> {
  checkOptions(options, "fromJSONLines()", UNION_OPTIONS);
  const { jsonLinesTable } = await import("../../columns/files/lines-file.js");
  const kind = { where: "fromJSONLines()", what: LINES, names: /\.(?:jsonl|ndjson)(?:\.gz|\.zst)?$/i };
  const read = await readFiles(
    sources,
    kind,
    { source: options.source, missingColumns: options.missingColumns, types: options.types },
    REMEDY,
    (local, isPart) => watched(local, options, (onBytes) => jsonLinesTable(local, { ...options, isPart, onBytes })),
  );
  if ((options.columns ?? "infer") !== "infer") return read;
  const { table, source } = read;
  return { table, source: { code: "JSON lines", ...source, inferred: typesText(columnsOf(table.schema)) } };
}

/**
 * Reads a file of JSON lines, or its bytes, as record batches, one at a time: of a long file, one batch is in memory.
 * Without declared `columns` the file is read twice, first for its types. Yields at least one batch, which may be
 * empty.
 *
 * @param options as for `Frame.fromJSONLines`; a batch has at most 65,536 rows
 * @throws {InputError} for wrong options
 * @throws {FileError} in the iteration
 * @throws {DataError} in the iteration, with row, line, column, value and byte offset
 */
export function jsonLinesBatches(
  source: string | URL | Uint8Array | Blob,
  options: JsonLinesOptions & Watched = {},
): AsyncGenerator<RecordBatch> {
  checkOptions(options, "jsonLinesBatches()");
  const local = localFile(source, "jsonLinesBatches()", LINES);
  return watchedBatches(local, options, async function* (onBytes) {
    const { jsonLinesFileBatches } = await import("../../columns/files/lines-file.js");
    yield* jsonLinesFileBatches(local, { ...options, onBytes });
  });
}

function checkOptions(options: JsonLinesOptions & Watched, where: string, more: readonly string[] = []): void {
  const also = ["columns", "types", "onExtraMember", "encoding", "maxRatio", "maxSize", "onProgress", ...more];
  checkReadOptions(options, where, also);
  checkWords(options, { encoding: TEXT_ENCODINGS });
  checkInferred(options, where);
}

/** Checks the options of rows that are objects: their columns, or the types of some. */
export function checkInferred(options: JsonArrayOptions, where: string): void {
  checkWords(options, { onExtraMember: ["error", "ignore"] });
  const { columns = "infer", types } = options;
  if (typeof columns === "string") checkWords({ columns }, { columns: ["infer"] });
  else checkColumns(columns, where);
  checkTypes(types, where);
}
