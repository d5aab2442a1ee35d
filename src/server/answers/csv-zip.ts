import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { RecordBatch } from "../../columns/arrow/arrow.js";
import { cellBatch } from "../../columns/arrow/cell-batch.js";
import { atomicFile } from "../../disk/atomic-file.js";
import { rowBlocks } from "../../document/cells/row-bytes.js";
import { csvLines } from "../../document/cells/row-style.js";
import { csvCell } from "../../format/csv-records.js";
import type { ColumnSpec } from "../../spec/columns.js";
import type { Profile } from "../../spec/profile.js";

export interface ZipFile {
  readonly path: string;
  readonly bytes: number;
  /** Strong: equal only for equal bytes. */
  readonly etag: string;
}

export interface CsvToZip {
  readonly name: string;
  readonly columns: readonly ColumnSpec[];
  readonly batches: AsyncIterable<RecordBatch>;
  /** Time of the entry in the archive. */
  readonly at: Date;
  readonly signal: AbortSignal;
}

/**
 * Streams rows to `path` as one zipped CSV file (spec 2.5, 4.9) with only a few batches in memory. The file gets its
 * name once it is complete.
 */
export async function writeCsvZip(path: string, csv: CsvToZip, profile: Profile): Promise<ZipFile> {
  const { default: yazl } = await import("yazl");
  const zip = new yazl.ZipFile();
  const lines = Readable.from(csvPieces(csv, profile), { objectMode: true });
  const hash = createHash("sha256");
  let bytes = 0;
  const failed = new Promise<never>((_, reject) => {
    lines.once("error", reject);
    zip.once("error", reject);
  });
  const stop = new AbortController();
  const signal = AbortSignal.any([csv.signal, stop.signal]);
  await atomicFile(path, async (file) => {
    const write = async (chunks: AsyncIterable<Buffer>): Promise<void> => {
      for await (const chunk of chunks) {
        hash.update(chunk);
        bytes += chunk.length;
        await file.writeFile(chunk);
      }
    };
    let written: Promise<void> | undefined;
    try {
      zip.addReadStream(lines, csv.name, { mtime: csv.at, mode: 0o100644, compressionLevel: LEVEL });
      zip.end();
      written = pipeline(zip.outputStream as Readable, write, { signal });
      await Promise.race([written, failed]);
    } catch (error) {
      lines.destroy();
      // Ends the writing: rows that failed leave the archive open, to which nothing is written any more.
      stop.abort();
      await written?.catch(() => undefined);
      throw error;
    }
  });
  return { path, bytes, etag: `"${hash.digest("base64url").slice(0, 22)}"` };
}

async function* csvPieces({ columns, batches, signal }: CsvToZip, profile: Profile): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`${columns.map(({ name }) => csvCell(name, true)).join(",")}\n`);
  const lines = csvLines(columns, profile.csvQuotesEmptyText.value, true);
  for await (const { data, numRows } of batches) {
    for (const block of rowBlocks(lines, [cellBatch(data.children, numRows)])) {
      yield Buffer.from(block);
      signal.throwIfAborted();
    }
  }
}

/** Of zlib: prices take 3 % more room than at its default of 6, and well under half of the processor time. */
const LEVEL = 4;
