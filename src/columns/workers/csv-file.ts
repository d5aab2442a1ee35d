import { open } from "node:fs/promises";
import { type CsvTextOptions, csvText } from "../../format/csv-text.js";
import type { RecordBatch, Schema, Table } from "../arrow/arrow.js";
import type { CsvOptions, OnBytes } from "../arrow/read-options.js";
import { cellTexts } from "../arrow/to-text-rows.js";
import { csvStreamTable, csvTable } from "../csv/reader.js";
import { atomicFile, fileError, type Written } from "../io/atomic-file.js";
import { csvThreadsTable } from "./split.js";

/** Bytes read from a file at a time. */
const BLOCK = 1_048_576;
/** Rows turned into text at a time. */
const LINES = 4_096;

/** The bytes of a file in blocks of 1 MB, the next one read meanwhile; each block is only good until the next is asked for. */
async function* fileBlocks(path: string, { onBytes }: OnBytes): AsyncGenerator<Uint8Array> {
  const file = await open(path).catch((error: unknown) => Promise.reject(fileError(path, error)));
  const buffers = [new Uint8Array(BLOCK), new Uint8Array(BLOCK)];
  const read = async (i: number): Promise<Uint8Array> => {
    const { bytesRead } = await file
      .read(buffers[i], 0, BLOCK)
      .catch((error: unknown) => Promise.reject(fileError(path, error)));
    return buffers[i].subarray(0, bytesRead);
  };
  let next = read(0);
  let bytes = 0;
  try {
    const { size } = await file.stat();
    for (let i = 1; ; i = 1 - i) {
      const block = await next;
      if (block.length === 0) return;
      next = read(i);
      // An error of the read ahead is met when its block is due.
      next.catch(() => {});
      yield block;
      bytes += block.length;
      onBytes?.(bytes, size);
    }
  } finally {
    await next.catch(() => {});
    await file.close();
  }
}

/** A CSV file, or CSV bytes, as a table. A file is split over threads where that pays (`threads`), with equal results. */
export async function csvFileTable(source: string | Uint8Array, options: CsvOptions & OnBytes): Promise<Table> {
  if (typeof source !== "string") return csvTable(source, options);
  return (await csvThreadsTable(source, options)) ?? csvStreamTable(fileBlocks(source, options), options);
}

/**
 * Writes batches as a CSV file with a header line: null as nothing, empty text as `""`, every value in the exact text that reads back.
 * The file appears under its name when it is complete.
 *
 * @throws FileError when it cannot be written; whatever the batches throw
 */
export async function writeCsv(
  batches: AsyncIterable<RecordBatch> | Iterable<RecordBatch>,
  path: string,
  schema?: Schema,
  options?: CsvTextOptions,
): Promise<Written> {
  return atomicFile(path, async (file) => {
    let lines: (string | null)[][] = schema === undefined ? [] : [namesOf(schema)];
    let begun = schema !== undefined;
    let rows = 0;
    let bytes = 0;
    const flush = async (): Promise<void> => {
      const block = Buffer.from(csvText(lines, options));
      await file.writeFile(block);
      bytes += block.length;
      lines = [];
    };
    for await (const batch of batches) {
      if (!begun) lines.push(namesOf(batch.schema));
      begun = true;
      for (const cells of cellTexts(batch)) {
        lines.push(cells);
        if (lines.length >= LINES) await flush();
      }
      rows += batch.numRows;
    }
    await flush();
    return { rows, bytes };
  });
}

function namesOf(schema: Schema): string[] {
  return schema.fields.map((field) => field.name);
}
