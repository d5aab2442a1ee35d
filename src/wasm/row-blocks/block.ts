import { BACKSLASH_MARK, MARKS, QUOTE_MARK } from "./bytes";

/** The byte between cells of CSV, and the one around text; those of RFC 4180 unless {@link setMarks} was called. */
export let delimiter: u8 = 44;
export let quote: u8 = 34;

/** Sets the bytes between cells and around text, for all blocks that follow. */
export function setMarks(between: u8, around: u8): void {
  delimiter = between;
  quote = around;
  memory.fill(MARKS, between, 16);
  memory.fill(MARKS + QUOTE_MARK, around, 16);
}

/** Where scans put the ends of cells, how many marks a row has, and where readers of columns note odd rows. */
export let endsAt: usize = 0;
export let rowMarks: i32 = 0;
export let oddAt: usize = 0;

/** Sets where all blocks that follow are described. */
export function setPlaces(ends: usize, marks: i32, odd: usize): void {
  endsAt = ends;
  rowMarks = marks;
  oddAt = odd;
}

/** Whether the block is of JSON: text is in quotes there, and numbers begin with one zero at most. */
export let isJson = false;
/** Whether a cell of the block holds what its text is not: a doubled quote in CSV, an escape in JSON. */
export let isEscaped = false;
/** Whether a space is before some of the cells: it is not part of them. */
export let isSpaced = false;

/** The format of the block that is being scanned. */
export function beginBlock(json: bool): void {
  isJson = json;
  isEscaped = false;
  isSpaced = false;
}

export function noteEscape(): void {
  isEscaped = true;
}

export function noteSpace(): void {
  isSpaced = true;
}

/** 16 times the byte that an escape begins with. */
@inline
export function escapeMark(): v128 {
  return isJson ? v128.load(MARKS, BACKSLASH_MARK) : v128.load(MARKS, QUOTE_MARK);
}
