import { TEXT_LIMIT, textTooLong } from "./text-limit.js";

/** Limits of a dictionary, in bytes and values, after which a stream starts a new one: they bound its memory. */
const MAX_BYTES = 16_777_216;
const MAX_VALUES = 262_144;

/** Initial value of the hash of a text. */
const HASH_SEED = 0x811c9dc5 | 0;
/** Factor of the hash (FNV-1a): `hash = imul(hash ^ byte, HASH_PRIME)`. */
const HASH_PRIME = 0x01000193;

/** The distinct values of a text column, byte for byte. */
export interface DictionaryValues {
  readonly size: number;
  /** Bytes of text `i`: `bytes[offsets[i]]` to `bytes[offsets[i + 1]]`. */
  readonly offsets: Int32Array;
  readonly bytes: Uint8Array;
  readonly byteLength: number;
}

/**
 * The distinct values of a text column as bytes, numbered by first appearance. Append-only: returned values, offsets
 * and numbers stay valid.
 */
export class TextDictionary implements DictionaryValues {
  /** Number of distinct values. */
  size = 0;
  /** Bytes of text `i`: `bytes[offsets[i]]` to `bytes[offsets[i + 1]]`. */
  offsets: Int32Array = new Int32Array(257);
  bytes: Uint8Array = new Uint8Array(2048);
  private hashes: Int32Array = new Int32Array(256);
  /** Open addressing: number + 1, or 0 for a free slot. The length is a power of two, at most half full. */
  private slots = new Int32Array(512);

  /** Whether `start` to `end` of `b` is text `i`. */
  equals(i: number, b: Uint8Array, start: number, end: number): boolean {
    const from = this.offsets[i];
    if (this.offsets[i + 1] - from !== end - start) return false;
    const { bytes } = this;
    for (let p = start, q = from; p < end; p++, q++) if (b[p] !== bytes[q]) return false;
    return true;
  }

  /** The number of the text, which is added if it is new. */
  take(b: Uint8Array, start: number, end: number, hash: number): number {
    const found = this.find(b, start, end, hash);
    return found < 0 ? this.add(b, start, end, hash) : found;
  }

  /** The number of the text, or -1 if it is new. */
  find(b: Uint8Array, start: number, end: number, hash: number): number {
    const { slots, hashes } = this;
    const mask = slots.length - 1;
    for (let slot = spread(hash) & mask; ; slot = (slot + 1) & mask) {
      const i = slots[slot] - 1;
      if (i < 0) return -1;
      if (hashes[i] === hash && this.equals(i, b, start, end)) return i;
    }
  }

  /** Adds a text that {@link find} did not find; returns its number. */
  add(b: Uint8Array, start: number, end: number, hash: number): number {
    const i = this.size;
    const from = this.offsets[i];
    const to = from + end - start;
    if (to > this.bytes.length) {
      if (to > TEXT_LIMIT.bytes) throw textTooLong(to);
      this.bytes = grown(this.bytes, to);
    }
    this.bytes.set(b.subarray(start, end), from);
    if (i + 2 > this.offsets.length) this.offsets = grownInts(this.offsets, i + 2);
    if (i + 1 > this.hashes.length) this.hashes = grownInts(this.hashes, i + 1);
    this.offsets[i + 1] = to;
    this.hashes[i] = hash;
    this.size = i + 1;
    if (this.size * 2 > this.slots.length) this.rehash();
    else this.place(i);
    return i;
  }

  get byteLength(): number {
    return this.offsets[this.size];
  }

  /** Whether a stream should start a new dictionary with its next batch. */
  get full(): boolean {
    return this.size > MAX_VALUES || this.byteLength > MAX_BYTES;
  }

  private place(i: number): void {
    const mask = this.slots.length - 1;
    let slot = spread(this.hashes[i]) & mask;
    while (this.slots[slot] !== 0) slot = (slot + 1) & mask;
    this.slots[slot] = i + 1;
  }

  private rehash(): void {
    this.slots = new Int32Array(this.slots.length * 4);
    for (let i = 0; i < this.size; i++) this.place(i);
  }
}

/** Mixes the high bits of a hash into the low bits that select a slot. */
function spread(hash: number): number {
  return hash ^ (hash >>> 15);
}

export function hashText(b: Uint8Array, start: number, end: number): number {
  let hash = HASH_SEED;
  for (let p = start; p < end; p++) hash = Math.imul(hash ^ b[p], HASH_PRIME);
  return hash;
}

/** A copy with room for `length` bytes, at least twice the old capacity. */
export function grown(bytes: Uint8Array, length: number): Uint8Array {
  const copy = new Uint8Array(Math.max(length, bytes.length * 2));
  copy.set(bytes);
  return copy;
}

/** As {@link grown}, for 32-bit words. */
export function grownInts(ints: Int32Array, length: number): Int32Array {
  const copy = new Int32Array(Math.max(length, ints.length * 2));
  copy.set(ints);
  return copy;
}
