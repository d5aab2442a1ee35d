import type { RecordBatch } from "../arrow/arrow.js";
import type { RawBatch } from "./builder.js";

/** Lent batches: the consumer returns each batch when it is done with it, and its memory is reused for later ones. */
export class LentBatches {
  private readonly raws = new WeakMap<RecordBatch, RawBatch>();

  /** Notes what a batch was made of. */
  lend(batch: RecordBatch, raw: RawBatch): void {
    if (raw.spare !== undefined) this.raws.set(batch, raw);
  }

  /** Returns a batch that is no longer read: its cells are about to change. */
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
