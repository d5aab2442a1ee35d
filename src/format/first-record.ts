import { csvRecords } from "./csv-records.js";

/**
 * Finds the cells of the first line of CSV chunks of any size. Pass chunks to {@link FirstRecord.push} until it returns
 * cells, or call {@link FirstRecord.end} at the end of the input.
 */
export class FirstRecord {
  /** Copies of the chunks before the end of the line, so that nothing is read twice. */
  readonly chunks: Uint8Array[] = [];
  #quoted = false;

  /** The cells, if this chunk contains the end of the line. */
  push(chunk: Uint8Array): readonly string[] | undefined {
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at];
      if (byte === 0x22) this.#quoted = !this.#quoted;
      else if (!this.#quoted && (byte === 0x0a || byte === 0x0d)) {
        return cellsOf([...this.chunks, chunk.subarray(0, at)]);
      }
    }
    this.chunks.push(new Uint8Array(chunk));
    return undefined;
  }

  /** The cells of an unterminated line; none for empty input. */
  end(): readonly string[] {
    return cellsOf(this.chunks);
  }
}

function cellsOf(line: readonly Uint8Array[]): readonly string[] {
  const text = Buffer.concat(line)
    .toString("utf8")
    .replace(/^\uFEFF/, "");
  const [cells = []] = text === "" ? [] : [...csvRecords(text)];
  return cells.map((cell) => cell.text);
}
