import type { RecordBatch } from "../arrow/arrow.js";
import type { RawBatch } from "./builder.js";

/** Batches that are lent: whoever reads them says when it is done with one, and the memory of that one holds batches to come. */
export class LentBatches {
  private readonly raws = new WeakMap<RecordBatch, RawBatch>();

  /** Notes what a batch was made of. */
  lend(batch: RecordBatch, raw: RawBatch): void {
    if (raw.spare !== undefined) this.raws.set(batch, raw);
  }

  /** Takes a batch back that nobody reads any more: its cells are about to change. */
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
