/** Uninitialized memory: the caller must write every byte that is read. */
export function unsafeBytes(length: number): Uint8Array {
  return new Uint8Array(Buffer.allocUnsafeSlow(length).buffer as ArrayBuffer, 0, length);
}

/** The most buffers kept: those of four batches of a table of 64 columns. */
const MAX_KEPT = 256;

/**
 * Keeps the memory of finished batches for later ones. Fresh memory costs more than reading a batch into it: the system
 * zeroes each page, and freeing it takes garbage collections.
 */
export class SpareMemory {
  private readonly kept: ArrayBuffer[] = [];

  /** Takes memory that is no longer in use. */
  give(buffer: ArrayBuffer): void {
    this.kept.push(buffer);
    if (this.kept.length > MAX_KEPT) this.kept.shift();
  }

  /** Uninitialized memory; the buffer under it may be up to twice as long. */
  take(length: number): Uint8Array {
    const { kept } = this;
    const i = kept.findIndex(({ byteLength }) => byteLength >= length && byteLength <= length * 2);
    return i < 0 ? unsafeBytes(length) : new Uint8Array(kept.splice(i, 1)[0], 0, length);
  }
}
