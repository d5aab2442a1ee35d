import { type CsvTextOptions, csvText } from "../../format/csv-text.js";
import type { RecordBatch, Schema, Table } from "../arrow/arrow.js";
import type { CsvOptions, OnBytes } from "../arrow/read-options.js";
import { cellTexts } from "../arrow/to-text-rows.js";
import { csvStreamTable, csvTable } from "../csv/reader.js";
import { atomicFile, type Written } from "../io/atomic-file.js";
import { fileBlocks } from "../io/file-blocks.js";
import { csvThreadsTable } from "./split.js";

/** Rows turned into text at a time. */
const LINES = 4_096;

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
