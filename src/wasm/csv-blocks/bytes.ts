export const COMMA: u8 = 44;
export const LF: u8 = 10;
export const CR: u8 = 13;
export const QUOTE: u8 = 34;
export const MINUS: u8 = 45;
export const ZERO: u8 = 48;

// Vectors are loaded from memory once before each loop: as constants they would be rebuilt for every cell.

/** 16 times each of: comma, LF, quote, CR. */
export const MARKS = memory.data<u8>([
  44,44,44,44,44,44,44,44,44,44,44,44,44,44,44,44, 10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,
  34,34,34,34,34,34,34,34,34,34,34,34,34,34,34,34, 13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,
]);
/** From `TAILS + n`: the last `n` bytes of 16 set. From `TAILS + 32 - n`: the first `n`. */
export const TAILS = memory.data<u8>([
  0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0, 255,255,255,255,255,255,255,255,255,255,255,255,255,255,255,255,
  0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,
]);
