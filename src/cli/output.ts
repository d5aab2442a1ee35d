import { extname } from "node:path";
import type { BulkFile, BulkOptions, Landed } from "../client/bulk/bulk-file.js";
import { atomicFile } from "../columns/io/atomic-file.js";
import { writeArrowFile } from "../columns/ipc/file.js";
import { InputError } from "../errors/errors.js";
import { suggestion } from "../errors/nearest.js";
import { unreachable } from "../errors/unreachable.js";
import type { Frame } from "../frame/frame.js";

const FRAME_FILES = [".csv", ".parquet", ".arrow", ".arrows", ".json"] as const;
const BULK_FILES = [".parquet", ".arrow", ".arrows", ".csv", ".zip"] as const;

/**
 * The ending of a path among those that can be written.
 *
 * @throws {InputError} for any other
 */
function ending<E extends string>(path: string, known: readonly E[]): E {
  const found = extname(path).toLowerCase();
  if ((known as readonly string[]).includes(found)) return found as E;
  throw new InputError(`${path} does not say what to write.`, {
    code: "UnknownFileType",
    hint: found === "" ? `Name a file that ends in ${known.join(", ")}.` : suggestion(found, known, "endings"),
  });
}

/** @throws {InputError} early for a path whose ending has no writer */
export function checkOutput(path: string | undefined, kind: "frame" | "bulk"): void {
  if (path !== undefined) ending(path, kind === "frame" ? FRAME_FILES : BULK_FILES);
}

/**
 * Writes a frame to a file by its ending; without a file as a table on a terminal, as CSV into a pipe, as JSON where
 * asked.
 */
export async function writeFrame(frame: Frame, path: string | undefined, json: boolean): Promise<void> {
  if (path === undefined) return print(frame, json);
  const kind = ending(path, FRAME_FILES);
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
  told({ path, rows: frame.numRows }, json);
}

function print(frame: Frame, json: boolean): void {
  if (json) process.stdout.write(`${JSON.stringify(frame.toJSON())}\n`);
  else if (process.stdout.isTTY) process.stdout.write(`${frame.toString()}\n`);
  else process.stdout.write(frame.toCSV());
}

/** Lands a bulk file by the ending of the path. */
export async function land(file: BulkFile, path: string, json: boolean, options: BulkOptions): Promise<void> {
  told(await landAs(file, path, options), json);
}

function landAs(file: BulkFile, path: string, options: BulkOptions): Promise<Landed> {
  switch (ending(path, BULK_FILES)) {
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

/** What was written: to stderr for people, to stdout as JSON for machines. */
function told(what: { path: string; rows?: number; bytes?: number }, json: boolean): void {
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
