import { FirstRecord } from "../../format/first-record.js";

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
