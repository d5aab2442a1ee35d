import { joinedBytes } from "../../../platform/node/bytes.js";
import type { RecordBatch, Schema } from "../../arrow/arrow.js";
import type { Range, Reading } from "./reading.js";
import { openStream } from "./stream-reader.js";

/** The bytes ended before the end mark of the stream. */
export class EndedEarly extends Error {
  constructor() {
    super("the Arrow stream ends before its end mark");
  }
}

/** An Arrow stream that is read while it arrives. */
export interface ArrivingStream {
  readonly schema: Schema;
  /** The batches up to the end mark. */
  readonly batches: AsyncGenerator<RecordBatch>;
  /** The bytes that were taken from the source and not read yet: after the last batch, what follows the end mark. */
  readonly rest: () => Uint8Array;
}

/**
 * Reads an Arrow IPC stream of unknown length, one batch in memory at a time. Only its end mark ends it: bytes that end
 * anywhere else are an error. What follows the end mark
 * is not read.
 *
 * @throws {EndedEarly} also in the iteration
 * @throws {DataError} BadArrow, UnsupportedArrow; also in the iteration
 */
export async function arrivingStream(source: AsyncIterator<Uint8Array>): Promise<ArrivingStream> {
  const bytes = new ByteQueue(source);
  const reader = await bytes.run(openStream(undefined));
  async function* batches(): AsyncGenerator<RecordBatch> {
    for (;;) {
      const batch = await bytes.run(reader.next());
      if (batch === undefined) return;
      yield batch;
    }
  }
  return { schema: reader.schema, batches: batches(), rest: () => bytes.rest };
}

/** Runs readings that ask for consecutive ranges. */
class ByteQueue {
  private chunks: Uint8Array[] = [];
  private queued = 0;

  constructor(private readonly source: AsyncIterator<Uint8Array>) {}

  async run<T>(reading: Reading<T>): Promise<T> {
    let step = reading.next();
    while (!step.done) step = reading.next(await this.take(step.value));
    return step.value;
  }

  /** The next bytes in a buffer of their own, which begins at a multiple of 8. */
  private async take({ length }: Range): Promise<Uint8Array> {
    while (this.queued < length) {
      const { done, value } = await this.source.next();
      if (done) throw new EndedEarly();
      this.chunks.push(value);
      this.queued += value.length;
    }
    const out = new Uint8Array(length);
    for (let at = 0; at < length; ) {
      const [chunk] = this.chunks;
      const part = chunk.subarray(0, length - at);
      out.set(part, at);
      at += part.length;
      if (part.length === chunk.length) this.chunks.shift();
      else this.chunks[0] = chunk.subarray(part.length);
    }
    this.queued -= length;
    return out;
  }

  /** The bytes that were fetched but not read. */
  get rest(): Uint8Array {
    return joinedBytes(this.chunks);
  }
}
