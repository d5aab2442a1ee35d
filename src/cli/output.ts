import { extname } from "node:path";
import { inspect } from "node:util";
import type { BulkFile, BulkOptions, Landed } from "../client/bulk/bulk-file.js";
import { atomicFile } from "../columns/io/atomic-file.js";
import { writeArrowFile } from "../columns/ipc/file.js";
import { hasColors } from "../display/base/paint.js";
import { InputError } from "../errors/errors.js";
import { suggestion } from "../errors/nearest.js";
import { unreachable } from "../errors/unreachable.js";
import type { Frame } from "../frame/frame.js";

const FRAME_FILES = [".csv", ".parquet", ".arrow", ".arrows", ".json"] as const;
const BULK_FILES = [".parquet", ".arrow", ".arrows", ".csv", ".zip"] as const;

/**
 * The extension of a path, if it can be written.
 *
 * @throws {InputError} UnknownFileType for any other
 */
function extension<E extends string>(path: string, known: readonly E[]): E {
  const found = extname(path).toLowerCase();
  if ((known as readonly string[]).includes(found)) return found as E;
  throw new InputError(`The file type of ${path} is unknown.`, {
    code: "UnknownFileType",
    hint: found === "" ? `Pass a path that ends in ${known.join(", ")}.` : suggestion(found, known, "extensions"),
  });
}

/** @throws {InputError} UnknownFileType early, for a path whose extension cannot be written */
export function checkOutput(path: string | undefined, kind: "frame" | "bulk"): void {
  if (path !== undefined) extension(path, kind === "frame" ? FRAME_FILES : BULK_FILES);
}

/**
 * Writes a frame to a file by its extension; without a file, prints a table on a terminal, CSV to a pipe, or JSON if
 * requested.
 */
export async function writeFrame(frame: Frame, path: string | undefined, json: boolean): Promise<void> {
  if (path === undefined) return print(frame, json);
  const kind = extension(path, FRAME_FILES);
  switch (kind) {
    case ".csv":
      await frame.toCSV(path);
      break;
    case ".parquet":
      await frame.toParquet(path);
      break;
    case ".arrow":
      await writeArrowFile(frame.table.batches, path);
      break;
    case ".arrows":
      await frame.toArrow(path);
      break;
    case ".json":
      await atomicFile(path, (file) => file.writeFile(`${JSON.stringify(frame.toJSON())}\n`));
      break;
    default:
      unreachable(kind, "file type");
  }
  reportWritten({ path, rows: frame.numRows }, json);
}

function print(frame: Frame, json: boolean): void {
  if (json) process.stdout.write(`${JSON.stringify(frame.toJSON())}\n`);
  else if (process.stdout.isTTY) process.stdout.write(`${inspect(frame, { colors: hasColors(process.stdout) })}\n`);
  else process.stdout.write(frame.toCSV());
}

/** Writes a bulk file by the extension of the path. */
export async function writeBulk(file: BulkFile, path: string, json: boolean, options: BulkOptions): Promise<void> {
  reportWritten(await writeBulkAs(file, path, options), json);
}

function writeBulkAs(file: BulkFile, path: string, options: BulkOptions): Promise<Landed> {
  switch (extension(path, BULK_FILES)) {
    case ".parquet":
      return file.toParquet(path, options);
    case ".arrow":
      return file.toArrow(path, { ...options, format: "file" });
    case ".arrows":
      return file.toArrow(path, options);
    case ".csv":
      return file.toCSV(path, options);
    case ".zip":
      return file.saveZip(path, options);
  }
}

/** Reports what was written: to stderr, or as JSON to stdout. */
function reportWritten(what: { path: string; rows?: number; bytes?: number }, json: boolean): void {
  if (json) {
    process.stdout.write(`${JSON.stringify(what)}\n`);
    return;
  }
  const parts = [
    ...(what.rows === undefined ? [] : [`${what.rows.toLocaleString("en-US")} rows`]),
    ...(what.bytes === undefined ? [] : [`${what.bytes.toLocaleString("en-US")} bytes`]),
  ];
  process.stderr.write(`${what.path}: ${parts.join(", ")}\n`);
}
