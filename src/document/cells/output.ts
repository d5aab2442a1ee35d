import { unsetBytes, writeUtf8 } from "../../platform/node/bytes.js";
/** Bytes written one after the other, into memory that grows where needed and is kept when it is cleared. */
export class Output {
  bytes: Uint8Array;
  length = 0;

  constructor(capacity: number) {
    this.bytes = unsetBytes(capacity);
  }

  /** Makes room for `count` bytes from `at` on. */
  need(at: number, count: number): void {
    if (at + count <= this.bytes.length) return;
    const larger = unsetBytes(Math.max(at + count, this.bytes.length * 2));
    larger.set(this.bytes.subarray(0, at));
    this.bytes = larger;
  }

  /** Appends text as UTF-8. */
  text(text: string): void {
    this.need(this.length, text.length * 3);
    this.length += writeUtf8(text, this.bytes, this.length);
  }

  /** What was written, in this memory: valid until something else is written. */
  written(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }

  clear(): void {
    this.length = 0;
  }
}
