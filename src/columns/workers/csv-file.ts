import { type CsvTextOptions, csvText } from "../../format/csv-text.js";
import { type GzipFile, gzipFile } from "../../format/gzip.js";
import type { ZipOptions } from "../../format/zip.js";
import type { RecordBatch, Schema, Table } from "../arrow/arrow.js";
import type { CsvOptions, OnBytes } from "../arrow/read-options.js";
import { cellTexts } from "../arrow/to-text-rows.js";
import type { RawBatch } from "../build/builder.js";
import { csvReader, csvStreamTable, csvTable } from "../csv/reader.js";
import { atomicFile, type Written } from "../io/atomic-file.js";
import { fileBlocks } from "../io/file-blocks.js";
import { type PackedCsv, packedRaws } from "./packed-csv.js";
import { csvThreadsTable } from "./split.js";

/** How a CSV file is read; the limits are for gzip. */
export interface CsvFileOptions extends CsvOptions, OnBytes, ZipOptions {}

/** Rows turned into text at a time. */
const LINES = 4_096;

/**
 * A CSV file, or CSV bytes, as a table; either may be gzipped. A long file is split over threads (`threads`), with
 * equal results.
 *
 * @throws {DataError} naming row, column, value and byte offset; `BadGzip`, `GzipBomb`
 * @throws {FileError} when the file cannot be read
 */
export async function csvFileTable(source: string | Uint8Array, options: CsvFileOptions): Promise<Table> {
  const packed = await gzipFile(source, options);
  if (packed !== undefined) return gzipTable(source, packed, options);
  if (typeof source !== "string") return csvTable(source, options);
  return (await csvThreadsTable(source, options)) ?? csvStreamTable(fileBlocks(source, options), options);
}

async function gzipTable(source: string | Uint8Array, file: GzipFile, options: CsvFileOptions): Promise<Table> {
  const { parser, maker } = csvReader(options);
  const { maxRatio, maxSize } = options;
  const packed: PackedCsv = {
    size: file.declaredSize,
    chunks: () => file.chunks(),
    task: typeof source === "string" ? { kind: "gzip", path: source, limits: { maxRatio, maxSize } } : undefined,
  };
  const raws: RawBatch[] = [];
  for await (const raw of packedRaws(packed, parser, options, Number.POSITIVE_INFINITY)) raws.push(raw);
  return maker.table(raws);
}

/**
 * Writes batches as a CSV file with a header line: null as nothing, empty text as `""`, every value in the exact text
 * that reads back. The file appears under its name when it is complete.
 *
 * @throws {FileError} when it cannot be written; whatever the batches throw
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
