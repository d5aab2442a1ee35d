import { csvRecords } from "../format/csv-records.js";

/** The cells of the first line of a CSV stream, and the whole stream again. An empty stream has no cells. */
export async function firstLine(
  chunks: AsyncIterable<Uint8Array>,
): Promise<{ readonly cells: readonly string[]; readonly chunks: AsyncGenerator<Uint8Array> }> {
  const rest = chunks[Symbol.asyncIterator]();
  const seen: Uint8Array[] = [];
  let line: Buffer | undefined;
  while (line === undefined) {
    const { done, value } = await rest.next();
    if (!done) seen.push(value);
    const start =
      seen.length === 1 ? Buffer.from(seen[0].buffer, seen[0].byteOffset, seen[0].length) : Buffer.concat(seen);
    const end = lineEnd(start);
    if (end !== -1 || done) line = start.subarray(0, end === -1 ? start.length : end);
  }
  const text = line.toString("utf8").replace(/^\uFEFF/, "");
  const [cells = []] = text === "" ? [] : [...csvRecords(text)];
  return { cells: cells.map((cell) => cell.text), chunks: again(seen, rest) };
}

async function* again(seen: Uint8Array[], rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    while (seen.length > 0) yield seen.shift() as Uint8Array;
    for (let step = await rest.next(); !step.done; step = await rest.next()) yield step.value;
  } finally {
    await rest.return?.();
  }
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
