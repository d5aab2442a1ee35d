/** Memory that is not cleared first; every byte of it that counts is written. */
export function unsafeBytes(length: number): Uint8Array {
  return new Uint8Array(Buffer.allocUnsafeSlow(length).buffer as ArrayBuffer, 0, length);
}

/** Buffers kept at most: what four batches of a table of 64 columns leave. */
const MOST_KEPT = 256;

/**
 * A pool of the memory of finished batches, for later ones. Fresh memory costs more than reading a batch into it: the
 * system clears each page of it first, and the garbage collector is called to free it.
 */
export class SpareMemory {
  private readonly kept: ArrayBuffer[] = [];

  /** Takes memory that is no longer read or written. */
  give(buffer: ArrayBuffer): void {
    this.kept.push(buffer);
    if (this.kept.length > MOST_KEPT) this.kept.shift();
  }

  /** Bytes that are not cleared first; the buffer under them may be up to twice as long. */
  take(length: number): Uint8Array {
    const { kept } = this;
    const i = kept.findIndex(({ byteLength }) => byteLength >= length && byteLength <= length * 2);
    return i < 0 ? unsafeBytes(length) : new Uint8Array(kept.splice(i, 1)[0], 0, length);
  }
}
