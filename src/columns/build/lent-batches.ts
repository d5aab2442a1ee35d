import type { RecordBatch } from "../arrow/arrow.js";
import type { RawBatch } from "./builder.js";

/**
 * Recycles the memory of batches: the consumer releases each batch when it is done with it, and later batches reuse its
 * buffers.
 */
export class LentBatches {
  private readonly raws = new WeakMap<RecordBatch, RawBatch>();

  /** Registers the buffers of a batch. */
  lend(batch: RecordBatch, raw: RawBatch): void {
    if (raw.spare !== undefined) this.raws.set(batch, raw);
  }

  /** Releases a batch that is no longer read: its cells are about to be overwritten. */
  takeBack(batch: RecordBatch): void {
    const raw = this.raws.get(batch);
    if (raw === undefined) return;
    this.raws.delete(batch);
    for (const { words, floats, bytes } of raw.columns) {
      for (const array of [words, floats, bytes]) {
        if (array !== undefined && array.byteLength > 0) raw.spare?.give(array.buffer as ArrayBuffer);
      }
    }
  }
}
