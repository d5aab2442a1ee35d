import { Output } from "../../document/cells/output.js";
import type { Allocate } from "../../engine/contract/engine.js";

/** Lends memory until what `use` returns has settled; `use` calls its argument where it needs some. */
export type LendMemory = <T>(use: (memory: () => PageMemory) => Promise<T>) => Promise<T>;

/** About as many memories are kept as replies are made at one time. */
const MOST_KEPT = 4;

/** Memory beyond this is not kept, in bytes: of the text, and of the columns. */
const LONGEST_TEXT = 8 << 20;
const LARGEST_BLOCK = 4 << 20;

const FIRST_TEXT = 64 << 10;

/**
 * Memory for replies, which is used again. New memory for each page would have the whole heap collected every five
 * pages, for as long as it takes to make one of them.
 */
export function pageMemories(): LendMemory {
  const kept: PageMemory[] = [];
  return async (use) => {
    let memory: PageMemory | undefined;
    try {
      return await use(() => {
        memory ??= kept.pop() ?? new PageMemory();
        return memory;
      });
    } finally {
      memory?.clear();
      if (memory !== undefined && kept.length < MOST_KEPT && memory.out.bytes.length <= LONGEST_TEXT) kept.push(memory);
    }
  };
}

/** The memory in which one reply with rows is made: its columns as the engine returns them, and its text. */
export class PageMemory {
  readonly out = new Output(FIRST_TEXT);
  private block = new ArrayBuffer(0);
  private used = 0;

  /** From one block, which is as large as the columns of an earlier reply. */
  readonly allocate: Allocate = (bytes) => {
    const at = this.used;
    this.used += Math.ceil(bytes / 8) * 8;
    return this.used <= this.block.byteLength ? new Uint8Array(this.block, at, bytes) : new Uint8Array(bytes);
  };

  /** Makes the memory ready for the next reply. */
  clear(): void {
    this.out.clear();
    if (this.used > this.block.byteLength && this.used <= LARGEST_BLOCK) this.block = new ArrayBuffer(this.used);
    this.used = 0;
  }
}
