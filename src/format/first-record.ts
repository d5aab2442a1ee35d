import { DataError } from "../errors/errors.js";
import { firstRecord } from "./csv-records.js";

/** The most bytes of a first line: an unclosed quote would keep the whole input in memory. */
const MOST_BYTES = 67_108_864;

/**
 * Finds the cells of the first line of CSV chunks of any size. Pass chunks to {@link FirstRecord.push} until it returns
 * cells, or call {@link FirstRecord.end} at the end of the input.
 */
export class FirstRecord {
  /** Copies of the chunks before the end of the line, so that nothing is read twice. */
  readonly chunks: Uint8Array[] = [];
  #length = 0;
  /** The length from which the end of the line is searched for again, so that a long line is not for every chunk. */
  #patience = 0;

  /**
   * The cells, if the end of the line has arrived with this chunk.
   *
   * @throws {DataError} RowTooLong beyond 64 MiB; BadCsv
   */
  push(chunk: Uint8Array): readonly string[] | undefined {
    const length = this.#length + chunk.length;
    if (length >= this.#patience) {
      const found = firstRecord(this.chunks.length === 0 ? chunk : Buffer.concat([...this.chunks, chunk]), false);
      if (found !== undefined) return found.cells;
      this.#patience = length < MOST_BYTES / 64 ? 0 : length * 2;
    }
    this.#length = length;
    if (length > MOST_BYTES) {
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
    return firstRecord(Buffer.concat(this.chunks), true)?.cells ?? [];
  }
}

/** CSV chunks whose first line can be looked at before they are read. */
export interface Peeked {
  /** The cells of the first line; none where there are no bytes. */
  firstCells(): Promise<readonly string[]>;
  /** All the chunks, those that were looked at included; each is only valid until the next one is requested. */
  chunks(): AsyncGenerator<Uint8Array>;
  /** Ends the source, wherever it is. */
  close(): Promise<void>;
}

/** Lets the first line of `source` be read before its chunks are. */
export function peeked(source: AsyncGenerator<Uint8Array>): Peeked {
  const first = new FirstRecord();
  let last: Uint8Array | undefined;
  let cells: Promise<readonly string[]> | undefined;
  const read = async (): Promise<readonly string[]> => {
    for (;;) {
      const { done, value } = await source.next();
      if (done) return first.end();
      const found = first.push(value);
      if (found === undefined) continue;
      last = value;
      return found;
    }
  };
  return {
    firstCells: () => {
      cells ??= read();
      return cells;
    },
    async *chunks() {
      yield* first.chunks;
      if (last !== undefined) yield last;
      yield* source;
    },
    close: async () => void (await source.return(undefined)),
  };
}
