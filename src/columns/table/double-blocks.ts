import type { Data, Decimal } from "../arrow/arrow.js";
import { validityBits } from "../arrow/bits.js";
import { columnProgram } from "./column-program.js";
import { convertRows } from "./decimal-doubles.js";

/** Rows of a block, a power of two: with a few columns, a block stays within the processor's cache. */
export const BLOCK_ROWS = 4_096;
/** Columns that have a block, numbered from 0. */
export const MOST_BLOCKS = 64;

/** The place of a null: no decimal is so large. */
export const NULL = Number.POSITIVE_INFINITY;

let blocks: Float64Array | null | undefined;

/**
 * One block after another, each with the doubles of rows of one column, row `i` at `i % BLOCK_ROWS`, or cleared; null
 * where WebAssembly is missing. They are in the program's memory, and there is one set of them for the process.
 */
export function doubleBlocks(): Float64Array | null {
  if (blocks === undefined) {
    const program = columnProgram();
    blocks = program && new Float64Array(program.memory.buffer, program.blocks, BLOCK_ROWS * MOST_BLOCKS);
  }
  return blocks;
}

/** Stores rows of a chunk, from a multiple of {@link BLOCK_ROWS} on, as the nearest doubles; null as {@link NULL}. */
export function loadBlock(data: Data, from: number, block: number): void {
  const { blocks: address } = columnProgram() as NonNullable<ReturnType<typeof columnProgram>>;
  const count = Math.min(BLOCK_ROWS, data.length - from);
  const first = block * BLOCK_ROWS;
  convertRows(data as Data<Decimal>, from, count, address + first * 8);
  if (data.nullCount === 0) return;
  const bits = validityBits(data);
  if (bits === undefined) return;
  const doubles = doubleBlocks() as Float64Array;
  for (let i = 0; i < count; i++) {
    if ((bits[(from + i) >> 3] & (1 << ((from + i) & 7))) === 0) doubles[first + i] = NULL;
  }
}

/** Fills a block with `NaN`. */
export function clearBlock(block: number): void {
  doubleBlocks()?.fill(Number.NaN, block * BLOCK_ROWS, (block + 1) * BLOCK_ROWS);
}
