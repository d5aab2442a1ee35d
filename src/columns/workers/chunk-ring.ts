/** Bytes of a chunk at most: each takes both threads a millisecond, and few are passed on. */
export const RING_CHUNK = 1 << 20;
/** Chunks in flight: enough that neither thread waits for the other while one does something else. */
const SLOTS = 4;

/** 32-bit words before the chunks: how many were written, how many were released, and the length of each slot. */
const WRITTEN = 0;
const RELEASED = 1;
const LENGTHS = 2;
const HEADER_BYTES = 128;

/**
 * A queue of byte chunks in shared memory from one thread to another: nothing is allocated or sent for a chunk. Each
 * thread makes its own over the same memory; one only writes, the other only reads.
 */
export class ChunkRing {
  private readonly words: Int32Array;
  private readonly slots: readonly Uint8Array[];
  private closed = false;

  constructor(readonly memory = new SharedArrayBuffer(HEADER_BYTES + SLOTS * RING_CHUNK)) {
    this.words = new Int32Array(memory, 0, LENGTHS + SLOTS);
    this.slots = Array.from({ length: SLOTS }, (_, i) => {
      return new Uint8Array(memory, HEADER_BYTES + i * RING_CHUNK, RING_CHUNK);
    });
  }

  /**
   * Appends a copy of the bytes, in chunks; waits while the ring is full.
   *
   * @param meanwhile called while it is full, as long as it returns true
   */
  async write(bytes: Uint8Array, meanwhile = (): boolean => false): Promise<void> {
    for (let at = 0; at < bytes.length; at += RING_CHUNK) {
      const chunk = bytes.subarray(at, at + RING_CHUNK);
      while (this.isFull() && meanwhile());
      const slot = await this.freeSlot();
      this.slots[slot].set(chunk);
      this.pass(slot, chunk.length);
    }
  }

  async end(): Promise<void> {
    this.pass(await this.freeSlot(), 0);
  }

  /**
   * The oldest chunk, which is valid until {@link ChunkRing.release}; undefined at the end, and once the ring is
   * closed. Waits for one.
   */
  async next(): Promise<Uint8Array | undefined> {
    const { words } = this;
    const released = words[RELEASED];
    await this.until(WRITTEN, (written) => written !== released || this.closed);
    const slot = released % SLOTS;
    if (this.closed) return undefined;
    const length = words[LENGTHS + slot];
    return length === 0 ? undefined : this.slots[slot].subarray(0, length);
  }

  /** Gives the memory of the oldest chunk back to the writer. */
  release(): void {
    Atomics.add(this.words, RELEASED, 1);
    Atomics.notify(this.words, RELEASED);
  }

  /** Ends the reading on this thread: nothing waits for a chunk any longer. */
  close(): void {
    this.closed = true;
    Atomics.notify(this.words, WRITTEN);
  }

  private isFull(): boolean {
    return this.words[WRITTEN] - Atomics.load(this.words, RELEASED) >= SLOTS;
  }

  private async freeSlot(): Promise<number> {
    const written = this.words[WRITTEN];
    await this.until(RELEASED, (released) => written - released < SLOTS);
    return written % SLOTS;
  }

  private pass(slot: number, length: number): void {
    this.words[LENGTHS + slot] = length;
    Atomics.add(this.words, WRITTEN, 1);
    Atomics.notify(this.words, WRITTEN);
  }

  private async until(word: number, isEnough: (value: number) => boolean): Promise<void> {
    for (let value = Atomics.load(this.words, word); !isEnough(value); value = Atomics.load(this.words, word)) {
      await Atomics.waitAsync(this.words, word, value).value;
    }
  }
}
