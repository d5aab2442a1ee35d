import type { Table } from "../../src/columns/arrow/arrow.js";
import { cellTexts } from "../../src/columns/arrow/cell-batch.js";
import type { Batching, CsvOptions } from "../../src/columns/arrow/read-options.js";
import { csvBatches } from "../../src/columns/csv/reader.js";

/** UTF-8 of a text. */
export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** All cells of a table as text, row by row. */
export const textsOf = (table: Table): (string | null)[][] => table.batches.flatMap((batch) => [...cellTexts(batch)]);

/** The same bytes in chunks of the given sizes, repeated. */
export function* chunked(bytes: Uint8Array, ...sizes: number[]): Generator<Uint8Array> {
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length];
    yield bytes.slice(at, at + size);
    at += size;
  }
}

/** Cells of a CSV text that is read as a stream of chunks. */
export const streamed = async (
  chunks: Iterable<Uint8Array>,
  options: CsvOptions & Batching,
): Promise<(string | null)[][]> => {
  const rows: (string | null)[][] = [];
  for await (const batch of csvBatches(chunks, options)) rows.push(...cellTexts(batch));
  return rows;
};
