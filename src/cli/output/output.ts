import { inspect } from "node:util";
import type { Landed } from "../../client/bulk/archive.js";
import type { BulkFile, BulkOptions } from "../../client/bulk/bulk-file.js";
import { writeBlocks } from "../../columns/io/write-blocks.js";
import { writeArrowFile } from "../../columns/ipc/file.js";
import { jsonArray } from "../../columns/json/write.js";
import { hasColors } from "../../display/base/paint.js";
import { InputError } from "../../errors/errors.js";
import { nearest } from "../../errors/nearest.js";
import type { Frame } from "../../frame/frame.js";

export interface ReportFlags {
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** The writer of a frame by the ending of the path. */
const FRAME_FILES: Readonly<Record<string, (frame: Frame, path: string) => Promise<unknown>>> = {
  ".parquet": (frame, path) => frame.toParquet(path),
  ".arrow": (frame, path) => writeArrowFile(frame.table.batches, path),
  ".arrows": (frame, path) => frame.toArrow(path),
  ".csv": (frame, path) => frame.toCSV(path),
  ".csv.gz": (frame, path) => frame.toCSV(path),
  ".jsonl": (frame, path) => frame.toJSONLines(path),
  ".jsonl.gz": (frame, path) => frame.toJSONLines(path),
  ".xlsx": (frame, path) => frame.toExcel(path),
  ".json": (frame, path) => writeBlocks(path, jsonArray(frame.table.schema, frame.table.batches)),
};

type BulkWriter = (file: BulkFile, path: string, options: BulkOptions) => Promise<Landed>;

/** The writer of a bulk file by the ending of the path. */
const BULK_FILES: Readonly<Record<string, BulkWriter>> = {
  ".parquet": (file, path, options) => file.toParquet(path, options),
  ".arrow": (file, path, options) => file.toArrow(path, { ...options, format: "file" }),
  ".arrows": (file, path, options) => file.toArrow(path, options),
  ".csv": (file, path, options) => file.toCSV(path, options),
  ".csv.gz": (file, path, options) => file.toCSV(path, options),
  ".zip": (file, path, options) => file.saveZip(path, options),
};

/** Names as an enumeration: `a, b or c`. */
export const listed = (names: readonly string[]): string => `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;

export const frameEndings: string = listed(Object.keys(FRAME_FILES));
export const bulkEndings: string = listed(Object.keys(BULK_FILES));

/** @throws {InputError} UnknownFileType for a path whose ending has no writer */
function writerOf<W>(path: string, writers: Readonly<Record<string, W>>): W {
  const name = path.toLowerCase();
  // `.csv.gz` before `.gz`: the longest ending that fits.
  const ending = Object.keys(writers)
    .filter((known) => name.endsWith(known))
    .sort((a, b) => b.length - a.length)[0];
  if (ending !== undefined) return writers[ending];
  const found = /(\.[^./\\]+)?\.[^./\\]+$/.exec(name)?.[0] ?? "";
  const [near] = nearest(found, Object.keys(writers), 1);
  throw new InputError(`The file type of ${path} is unknown.`, {
    code: "UnknownFileType",
    hint: `${near === undefined ? "" : `Did you mean "${near}"? `}Pass a path that ends in ${listed(Object.keys(writers))}.`,
  });
}

/** @throws {InputError} UnknownFileType early, for a path whose ending cannot be written */
export function checkOutput(path: string | undefined, kind: "frame" | "bulk"): void {
  if (path !== undefined) writerOf<unknown>(path, kind === "frame" ? FRAME_FILES : BULK_FILES);
}

/**
 * Writes a frame to a file by its ending; without a file, prints a table on a terminal, CSV to a pipe, or JSON if
 * requested. A file gets its name once it is complete.
 */
export async function writeFrame(frame: Frame, path: string | undefined, flags: ReportFlags): Promise<void> {
  if (path === undefined) return print(frame, flags.json === true);
  await writerOf(path, FRAME_FILES)(frame, path);
  reportWritten({ path, rows: frame.numRows }, flags);
}

function print(frame: Frame, json: boolean): void {
  if (json) for (const block of jsonArray(frame.table.schema, frame.table.batches)) process.stdout.write(String(block));
  else if (process.stdout.isTTY) process.stdout.write(`${inspect(frame, { colors: hasColors(process.stdout) })}\n`);
  else process.stdout.write(frame.toCSV());
}

export async function writeBulk(file: BulkFile, path: string, flags: ReportFlags, options: BulkOptions): Promise<void> {
  reportWritten(await writerOf(path, BULK_FILES)(file, path, options), flags);
}

/** Reports what was written: to stderr unless quiet, or as JSON to stdout. */
function reportWritten(what: { path: string; rows?: number; bytes?: number }, { json, quiet }: ReportFlags): void {
  if (json) {
    process.stdout.write(`${JSON.stringify(what)}\n`);
    return;
  }
  if (quiet) return;
  const parts = [
    ...(what.rows === undefined ? [] : [`${what.rows.toLocaleString("en-US")} rows`]),
    ...(what.bytes === undefined ? [] : [`${what.bytes.toLocaleString("en-US")} bytes`]),
  ];
  process.stderr.write(`${what.path}: ${parts.join(", ")}\n`);
}
