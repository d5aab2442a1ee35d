import { DataError } from "../errors/errors.js";
import { csvRecords } from "./csv-records.js";

/** The byte order mark of UTF-8. */
const MARK = [0xef, 0xbb, 0xbf];

/** The most bytes of a first line: an unclosed quote would keep the whole input in memory. */
const MOST_BYTES = 67_108_864;

/**
 * Finds the cells of the first line of CSV chunks of any size. Pass chunks to {@link FirstRecord.push} until it returns
 * cells, or call {@link FirstRecord.end} at the end of the input.
 */
export class FirstRecord {
  /** Copies of the chunks before the end of the line, so that nothing is read twice. */
  readonly chunks: Uint8Array[] = [];
  #quoted = false;
  /** Whether the next byte is the first of a cell, where alone a quote opens. */
  #isFirst = true;
  #length = 0;

  /**
   * The cells, if this chunk contains the end of the line.
   *
   * @throws {DataError} RowTooLong beyond 64 MiB
   */
  push(chunk: Uint8Array): readonly string[] | undefined {
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at];
      if (byte === 0x22 && (this.#quoted || this.#isFirst)) this.#quoted = !this.#quoted;
      else if (!this.#quoted && (byte === 0x0a || byte === 0x0d)) {
        return cellsOf([...this.chunks, chunk.subarray(0, at)]);
      }
      // Of doubled quotes, the second reopens what the first one closed.
      const isMark = byte === MARK[this.#length + at];
      this.#isFirst = byte === 0x2c || isMark || (byte === 0x22 && !this.#quoted);
    }
    this.#length += chunk.length;
    if (this.#length > MOST_BYTES) {
      throw new DataError(`The first line of the CSV text is longer than ${MOST_BYTES} bytes.`, {
        code: "RowTooLong",
        row: 0,
        hint: "Check that its quotes are closed.",
      });
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
