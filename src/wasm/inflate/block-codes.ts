// The codes of a deflate block, made from its code lengths.

import { distanceCode, END_OF_BLOCK, fillDistances, fillSymbols, sortSymbols, symbolCode } from "./codes";
import { DISTANCE_CODE, NO_END_OF_BLOCK, SYMBOL_CODE } from "./faults";

/** The code lengths of a block: of the literals and lengths, then of the distances. */
export const lengths = memory.data(320, 16);

/** Makes the codes of a block from its code lengths; 0, or the number of a fault. */
export function blockCodes(symbols: u32, distances: u32): i32 {
  if (load<u8>(lengths, END_OF_BLOCK) == 0) return NO_END_OF_BLOCK;
  if (!sortSymbols(lengths, symbols, symbolCode, true)) return SYMBOL_CODE;
  fillSymbols(lengths, symbols);
  if (!sortSymbols(lengths + symbols, distances, distanceCode, true)) return DISTANCE_CODE;
  fillDistances(lengths + symbols, distances);
  return 0;
}

/** Makes the codes of blocks that carry none (RFC 1951, 3.2.6). */
export function fixedCodes(): void {
  memory.fill(lengths, 8, 144);
  memory.fill(lengths + 144, 9, 112);
  memory.fill(lengths + 256, 7, 24);
  memory.fill(lengths + 280, 8, 8);
  sortSymbols(lengths, 288, symbolCode, false);
  fillSymbols(lengths, 288);
  memory.fill(lengths, 5, 32);
  sortSymbols(lengths, 32, distanceCode, false);
  fillDistances(lengths, 32);
}
