import { garbageCollector } from "../../platform/node/process.js";
import type { RecordBatch } from "../arrow/arrow.js";

/** Bytes of batches after which the young garbage is collected: before V8 starts to mark the whole heap for them. */
const MOST_BYTES = 1 << 22;

/**
 * Frees the memory of batches that are returned one at a time, soon after the consumer has dropped them. V8 counts
 * their buffers as the heap's, and would visit everything that the process holds once for every three or four of them.
 * Batches that the consumer keeps stay as they are.
 */
export class SpentBatches {
  private bytes = 0;

  /** Called after the consumer has asked for the batch that follows. */
  add({ data }: RecordBatch): void {
    this.bytes += data.byteLength;
    if (this.bytes < MOST_BYTES) return;
    this.bytes = 0;
    garbageCollector()?.({ type: "minor" });
  }
}
