import { createReadStream, createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { RecordBatch, Table } from "../columns/arrow.js";
import { cellTexts } from "../columns/cells.js";
import { csvBatches, csvTable } from "../columns/csv.js";
import { fileError } from "../columns/ipc.js";
import { jsonRowsTable } from "../columns/json.js";
import type { CsvOptions, ReadOptions } from "../columns/options.js";
import { schemaOf } from "../columns/schema.js";
import { tableOf } from "../columns/unify.js";
import type { FrameSource } from "../display/source.js";
import { jsonNode, rowPaths } from "../document/json.js";
import { readFields } from "../document/node.js";
import { DataError } from "../errors/errors.js";
import { csvLine } from "../format/csv.js";
import { type ZipOptions, zipEntry } from "../format/zip.js";
import type { ColumnSpec } from "../spec/columns.js";
import { type Resource, resources } from "../spec/resources.js";
import { namesOf } from "./names.js";

/** Bytes of one read: larger reads are what makes a long file fast. */
const READ_BYTES = 1 << 20;

/** CSV from a path or from bytes. @throws FileError, DataError naming row, column, value and byte offset */
export async function readCsv(source: string | URL | Uint8Array, options: CsvOptions): Promise<Table> {
  if (source instanceof Uint8Array) return csvTable(source, options);
  return collected(csvBatches(fileChunks(source, options.signal), options), options);
}

/** The one CSV file of an archive, read as a stream. @throws FileError, DataError */
export async function readZip(source: string | Uint8Array, options: CsvOptions & ZipOptions): Promise<Table> {
  const entry = await zipEntry(source, options);
  return collected(csvBatches(entry.chunks(), options), options);
}

async function collected(batches: AsyncIterable<RecordBatch>, options: CsvOptions): Promise<Table> {
  const all: RecordBatch[] = [];
  for await (const batch of batches) all.push(batch);
  return tableOf(all, all[0]?.schema ?? schemaOf(options.columns, options));
}

async function* fileChunks(path: string | URL, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path, { highWaterMark: READ_BYTES, ...(signal && { signal }) });
  } catch (error) {
    throw signal?.aborted ? error : fileError(String(path), error);
  }
}

/** Replies that carry rows, by the name of their root member. */
const REPLIES = [resources.tableRows, resources.datasetData, resources.dataset] as const;
const ROW_PATHS = REPLIES.flatMap(({ fields }) => rowPaths(fields));

/**
 * The rows of a JSON reply of the service (spec 2.1, 2.3, 2.6): a page of a table with its declared types, or a time series, whose
 * first column is the date and the others doubles.
 * @throws DataError `BadJSON`, `UnexpectedShape`, and for cells that do not fit
 */
export function readReply(
  bytes: Uint8Array,
  options: ReadOptions = {},
): { table: Table; source: FrameSource | undefined } {
  const root = jsonNode(bytes, ROW_PATHS);
  const reply = REPLIES.find(({ fields }) => root.member(Object.keys(fields)[0]) !== undefined);
  if (reply === undefined) {
    throw new DataError("The JSON holds no rows of this service.", {
      code: "UnexpectedShape",
      hint: "A reply has datatable, dataset_data or dataset at its root (spec 2).",
    });
  }
  const { fields, rows } = readFields((reply as Resource).fields, root, { fields: {} });
  if (rows?.kind !== "json") throw new DataError("The reply has no rows.", { code: "UnexpectedShape" });
  const columns = (fields["columns"] ?? seriesColumns(fields["column_names"])) as readonly ColumnSpec[];
  return { table: jsonRowsTable(rows.bytes, rows.start, rows.end, columns, options), source: sourceOf(fields) };
}

const seriesColumns = (names: unknown): ColumnSpec[] =>
  (names as readonly string[]).map((name, i) => ({ name, type: i === 0 ? "Date" : "double" }));

function sourceOf(fields: Readonly<Record<string, unknown>>): FrameSource | undefined {
  const text = (name: string): string | undefined => (typeof fields[name] === "string" ? fields[name] : undefined);
  const code = [text("database_code"), text("dataset_code")];
  if (code[0] === undefined || code[1] === undefined) return undefined;
  return {
    code: code.join("/"),
    name: text("name"),
    description: text("description"),
    refreshed_at: text("refreshed_at"),
    collapse: text("collapse"),
    transform: text("transform"),
    frequency: text("frequency"),
  };
}

/** The table as CSV, line by line: header, exact texts, nulls as empty cells and empty text as `""` (spec 1). */
export function* csvLines(table: Table): Generator<string> {
  yield csvLine(namesOf(table));
  for (const batch of table.batches) for (const cells of cellTexts(batch)) yield csvLine(cells);
}

/** Writes the table as CSV; the file appears under its name when it is complete. @throws FileError */
export async function writeCsv(table: Table, path: string): Promise<void> {
  const part = `${path}.${process.pid}.part`;
  try {
    await pipeline(Readable.from(pieces(csvLines(table))), createWriteStream(part));
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw fileError(path, error);
  }
}

/** Lines put together to pieces of about 64 KB. */
function* pieces(lines: Iterable<string>): Generator<string> {
  let piece = "";
  for (const line of lines) {
    piece += line;
    if (piece.length < 65_536) continue;
    yield piece;
    piece = "";
  }
  yield piece;
}
