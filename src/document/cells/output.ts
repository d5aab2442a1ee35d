/** Bytes written one after the other, into memory that grows where needed and is kept when it is cleared. */
export class Output {
  bytes: Buffer;
  length = 0;

  constructor(capacity: number) {
    this.bytes = Buffer.allocUnsafe(capacity);
  }

  /** Makes room for `count` bytes from `at` on. */
  need(at: number, count: number): void {
    if (at + count <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(at + count, this.bytes.length * 2));
    larger.set(this.bytes.subarray(0, at));
    this.bytes = larger;
  }

  /** Appends text as UTF-8. */
  text(text: string): void {
    this.need(this.length, text.length * 3);
    this.length += this.bytes.write(text, this.length);
  }

  /** What was written, in this memory: valid until something else is written. */
  written(): Buffer {
    return this.bytes.subarray(0, this.length);
  }

  clear(): void {
    this.length = 0;
  }
}
