import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { RecordBatch } from "../../columns/arrow/arrow.js";
import { cellTexts } from "../../columns/arrow/to-text-rows.js";
import { tempName } from "../../columns/io/temp-name.js";
import { csvRow } from "../../document/cells.js";
import { toFileError } from "../../errors/file-error.js";
import { csvCell } from "../../format/csv-records.js";
import type { ColumnSpec } from "../../spec/columns.js";
import type { Profile } from "../../spec/profile.js";

/** A finished zip file. */
export interface ZipFile {
  readonly path: string;
  readonly bytes: number;
  /** Strong: the same for the same bytes only. */
  readonly etag: string;
}

/** What goes into a zip: one CSV entry, rows as they come. */
export interface CsvToZip {
  /** Name of the entry. */
  readonly name: string;
  readonly columns: readonly ColumnSpec[];
  readonly batches: AsyncIterable<RecordBatch>;
  /** Time of the entry in the archive. */
  readonly at: Date;
  readonly signal: AbortSignal;
}

/**
 * Streams rows as one zipped CSV file (spec 2.5, 4.9) to `path`; only a few batches are in memory. The file appears
 * under its name once it is whole.
 */
export async function writeCsvZip(path: string, csv: CsvToZip, profile: Profile): Promise<ZipFile> {
  const { default: yazl } = await import("yazl");
  const zip = new yazl.ZipFile();
  const lines = Readable.from(csvPieces(csv, profile), { objectMode: true });
  const part = tempName(path, "file");
  const hash = createHash("sha256");
  let bytes = 0;
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  const failed = new Promise<never>((_, reject) => {
    lines.once("error", reject);
    zip.once("error", reject);
  });
  try {
    zip.addReadStream(lines, csv.name, { mtime: csv.at, mode: 0o100644 });
    zip.end();
    const written = pipeline(zip.outputStream, measure, createWriteStream(part), { signal: csv.signal });
    await Promise.race([written, failed]);
    await rename(part, path);
  } catch (error) {
    lines.destroy();
    await rm(part, { force: true });
    throw toFileError(path, "write", error);
  }
  return { path, bytes, etag: `"${hash.digest("base64url").slice(0, 22)}"` };
}

/** The CSV in pieces of a few thousand rows, the header line first. */
async function* csvPieces({ columns, batches, signal }: CsvToZip, profile: Profile): AsyncGenerator<Buffer> {
  yield Buffer.from(`${columns.map(({ name }) => csvCell(name, true)).join(",")}\n`);
  const line = csvRow(columns, profile.csvQuotesEmptyText.value, true);
  for await (const batch of batches) {
    let text = "";
    for (const row of cellTexts(batch)) {
      text += line(row);
      if (text.length < PIECE) continue;
      yield Buffer.from(text);
      text = "";
      signal.throwIfAborted();
    }
    if (text !== "") yield Buffer.from(text);
  }
}

const PIECE = 256 * 1024;
