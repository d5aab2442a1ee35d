import type { RandomAccess } from "../../../format/random-access.js";
import { SpareMemory } from "../../build/buffer-pool.js";
import { readRange } from "./format/footer.js";
import type { PageRange } from "./format/types.js";

/** Chunks with at most this many bytes between them are read together, up to a total that a file may raise. */
const GAP = 65_536;
const MOST_TOGETHER = 8_388_608;
/** Bytes of a longer chunk that are read at a time. */
const WINDOW = 1_048_576;

interface Block {
  readonly start: number;
  readonly end: number;
  bytes?: Promise<Uint8Array>;
}

/** Reads the chunks of a row group from a file: neighbours together, long ones in windows. */
export class GroupBytes {
  private readonly blocks: Block[] = [];
  private readonly most: number;

  constructor(
    private readonly file: RandomAccess,
    chunks: readonly PageRange[],
    private readonly spare = new SpareMemory(),
  ) {
    this.most = file.mostAtOnce ?? MOST_TOGETHER;
    for (const { start, end } of [...chunks].sort((a, b) => a.start - b.start)) {
      const last = this.blocks.at(-1);
      const joins = last !== undefined && start <= last.end + GAP && end - last.start <= this.most;
      if (joins) this.blocks[this.blocks.length - 1] = { start: last.start, end: Math.max(last.end, end) };
      else this.blocks.push({ start, end });
    }
  }

  /** Bytes of all chunks. */
  get size(): number {
    return this.blocks.reduce((sum, { start, end }) => sum + end - start, 0);
  }

  /** Starts to read the chunks that are read whole. */
  prefetch(): void {
    for (const block of this.blocks) if (block.end - block.start <= this.most) void this.whole(block);
  }

  /** Releases the memory of the chunks that were read whole. */
  async release(): Promise<void> {
    for (const { bytes } of this.blocks) {
      const held = await bytes?.catch(() => undefined);
      if (held !== undefined) this.spare.give(held.buffer as ArrayBuffer);
    }
  }

  /** Reads the bytes of one chunk, as {@link ReadBytes}. */
  reader({ start, end }: PageRange): (from: number, length: number) => Promise<Uint8Array> {
    const block = this.blocks.find((one) => start >= one.start && end <= one.end) as Block;
    if (block.end - block.start <= this.most) {
      return async (from) => (await this.whole(block)).subarray(from - block.start, end - block.start);
    }
    let at = 0;
    let held: Uint8Array = new Uint8Array(0);
    return async (from, length) => {
      if (from < at || from + length > at + held.length) {
        held = await readRange(this.file, from, Math.min(Math.max(length, this.file.mostAtOnce ?? WINDOW), end - from));
        at = from;
      }
      return held.subarray(from - at);
    };
  }

  private whole(block: Block): Promise<Uint8Array> {
    if (block.bytes === undefined) {
      const length = block.end - block.start;
      block.bytes = readRange(this.file, block.start, length, this.spare.take(length));
      // An error is met when the bytes are due.
      block.bytes.catch(() => {});
    }
    return block.bytes;
  }
}
