import { csvRecords } from "../format/csv-records.js";

/** The cells of the first line of a CSV stream; an empty stream, which is read to its end, has none. */
export async function firstCells(chunks: AsyncIterable<Uint8Array>): Promise<readonly string[]> {
  let start: Uint8Array = new Uint8Array(0);
  let end = -1;
  for await (const chunk of chunks) {
    start = start.length === 0 ? chunk : Buffer.concat([start, chunk]);
    end = lineEnd(start);
    if (end !== -1) break;
  }
  const line = Buffer.from(start.buffer, start.byteOffset, end === -1 ? start.length : end);
  const text = line.toString("utf8").replace(/^\uFEFF/, "");
  const [cells = []] = text === "" ? [] : [...csvRecords(text)];
  return cells.map((cell) => cell.text);
}

/** Offset of the first line end outside quotes; -1 where there is none. */
function lineEnd(bytes: Uint8Array): number {
  let quoted = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === 0x22) quoted = !quoted;
    else if (!quoted && (byte === 0x0a || byte === 0x0d)) return at;
  }
  return -1;
}
