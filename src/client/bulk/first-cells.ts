import { csvRecords } from "../../format/csv-records.js";

/** The cells of the first line of a CSV stream; an empty stream, which is read to its end, has none. */
export async function firstCells(chunks: AsyncIterable<Uint8Array>): Promise<readonly string[]> {
  const line: Uint8Array[] = [];
  let quoted = false;
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at];
      if (byte === 0x22) quoted = !quoted;
      else if (!quoted && (byte === 0x0a || byte === 0x0d)) return cellsOf([...line, chunk.subarray(0, at)]);
    }
    // A chunk is only valid until the next.
    line.push(new Uint8Array(chunk));
  }
  return cellsOf(line);
}

function cellsOf(line: readonly Uint8Array[]): readonly string[] {
  const text = Buffer.concat(line)
    .toString("utf8")
    .replace(/^\uFEFF/, "");
  const [cells = []] = text === "" ? [] : [...csvRecords(text)];
  return cells.map((cell) => cell.text);
}
