import { DataError } from "../errors/errors.js";
import { firstRecord } from "./csv-records.js";

/** The most bytes of a first line: an unclosed quote would keep the whole input in memory. */
const MOST_BYTES = 67_108_864;

/**
 * The cells of the first line of CSV chunks of any size; none where there are no bytes. Chunks after it are not read.
 *
 * @throws {DataError} RowTooLong beyond 64 MiB; BadCsv
 */
export async function firstCells(chunks: AsyncIterable<Uint8Array>): Promise<readonly string[]> {
  const copies: Uint8Array[] = [];
  let length = 0;
  // The length from which the end of the line is searched for again, so that a long line is not for every chunk.
  let patience = 0;
  for await (const chunk of chunks) {
    copies.push(new Uint8Array(chunk));
    length += chunk.length;
    if (length >= patience) {
      const found = firstRecord(Buffer.concat(copies), false);
      if (found !== undefined) return found.cells;
      patience = length < MOST_BYTES / 64 ? 0 : length * 2;
    }
    if (length > MOST_BYTES) {
      throw new DataError(`The first line of the CSV text is longer than ${MOST_BYTES} bytes.`, {
        code: "RowTooLong",
        row: 0,
        hint: "Check that its quotes are closed.",
      });
    }
  }
  return firstRecord(Buffer.concat(copies), true)?.cells ?? [];
}
