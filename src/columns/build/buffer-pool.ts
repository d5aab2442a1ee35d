import { unsetBytes } from "../../platform/node/bytes.js";
/** Uninitialized memory: the caller must write every byte that is read. */
export function unsafeBytes(length: number): Uint8Array {
  return new Uint8Array(unsetBytes(length).buffer as ArrayBuffer, 0, length);
}

/**
 * A view of the bytes as a plain Uint8Array: loops over bytes become slower for all callers once they also see a
 * Buffer.
 */
export function plainBytes(bytes: Uint8Array, start = 0, end = bytes.length): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset + start, end - start);
}

/** The most buffers kept: those of four batches of a table of 64 columns. */
const MAX_KEPT = 256;

export interface ColumnMemory {
  /** Uninitialized memory; the buffer under it may be longer. */
  take(length: number): Uint8Array;
}

/** Where memory comes from besides finished batches. */
export interface MemorySource {
  /** Buffers that are ready. One of `length` bytes is about to be used, and others like it later. */
  next(length: number): readonly ArrayBuffer[];
}

/**
 * Keeps the memory of finished batches for later ones. Fresh memory costs more than reading a batch into it: the system
 * zeroes each page, and freeing it takes garbage collections.
 */
export class SpareMemory implements ColumnMemory {
  private readonly kept: ArrayBuffer[] = [];
  source: MemorySource | undefined;

  /** Takes memory that is no longer in use. */
  give(buffer: ArrayBuffer): void {
    this.kept.push(buffer);
    if (this.kept.length > MAX_KEPT) this.kept.shift();
  }

  /** Uninitialized memory; the buffer under it may be up to twice as long. */
  take(length: number): Uint8Array {
    const { kept } = this;
    if (this.source !== undefined) kept.push(...this.source.next(length));
    const i = kept.findIndex(({ byteLength }) => byteLength >= length && byteLength <= length * 2);
    return i < 0 ? unsafeBytes(length) : new Uint8Array(kept.splice(i, 1)[0], 0, length);
  }
}

/** The most bytes allocated at once for the batches of a column. */
const MOST_AT_ONCE = 67_108_864;

/**
 * Memory for the batches of one column that are all kept: that of many is allocated at once. V8 counts each buffer as
 * the heap's and starts a round of marking for every few; one large buffer starts one.
 */
export class KeptMemory implements ColumnMemory {
  private slab: Uint8Array = new Uint8Array(0);

  /** @param batches how many are expected, or an estimate of how many follow */
  constructor(private batches: number | (() => number)) {}

  take(length: number): Uint8Array {
    const size = Math.ceil(length / 64) * 64;
    const { batches } = this;
    if (size > this.slab.length) {
      const expected = typeof batches === "number" ? batches : batches();
      this.slab = unsafeBytes(Math.max(size, Math.min(size * expected, Math.floor(MOST_AT_ONCE / size) * size)));
    }
    const taken = this.slab.subarray(0, length);
    this.slab = this.slab.subarray(size);
    if (typeof batches === "number") this.batches = Math.max(1, batches - 1);
    return taken;
  }
}
