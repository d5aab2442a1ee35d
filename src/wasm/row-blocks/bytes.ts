export const COMMA: u8 = 44;
export const LF: u8 = 10;
export const CR: u8 = 13;
export const MINUS: u8 = 45;
export const ZERO: u8 = 48;
export const SPACE: u8 = 32;
export const OPEN: u8 = 91;

// Vectors are loaded from memory once before each loop: as constants they would be rebuilt for every cell.

/** 16 times each of: comma (the delimiter), LF, quote, CR, backslash, `[`, `]`, space. */
export const MARKS = memory.data<u8>([
  44,44,44,44,44,44,44,44,44,44,44,44,44,44,44,44, 10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,
  34,34,34,34,34,34,34,34,34,34,34,34,34,34,34,34, 13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,
  92,92,92,92,92,92,92,92,92,92,92,92,92,92,92,92, 91,91,91,91,91,91,91,91,91,91,91,91,91,91,91,91,
  93,93,93,93,93,93,93,93,93,93,93,93,93,93,93,93, 32,32,32,32,32,32,32,32,32,32,32,32,32,32,32,32,
]);
export const LF_MARK: usize = 16;
export const QUOTE_MARK: usize = 32;
export const CR_MARK: usize = 48;
export const BACKSLASH_MARK: usize = 64;
export const OPEN_MARK: usize = 80;
export const CLOSE_MARK: usize = 96;
export const SPACE_MARK: usize = 112;
/** From `TAILS + n`: the last `n` bytes of 16 set. From `TAILS + 32 - n`: the first `n`. */
export const TAILS = memory.data<u8>([
  0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0, 255,255,255,255,255,255,255,255,255,255,255,255,255,255,255,255,
  0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,
]);
