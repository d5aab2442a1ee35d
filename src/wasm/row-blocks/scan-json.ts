import { bits, oddUpTo, storeMarks } from "./bitmaps";
import { beginBlock, endsAt, noteEscape, noteSpace, rowMarks } from "./block";
import { BACKSLASH_MARK, CLOSE_MARK, COMMA, MARKS, OPEN, OPEN_MARK, QUOTE_MARK, SPACE, SPACE_MARK } from "./bytes";

/** `],[` and `], [` as bytes of a word, and the bytes of a word that the first takes. */
const BETWEEN: u32 = 0x5b2c5d;
const SPACED_BETWEEN: u32 = 0x5b202c5d;
const THREE_BYTES: u32 = 0xffffff;
const EVEN: u64 = 0x5555555555555555;

/**
 * Finds where the cells of up to `rows` rows `[cell,cell],` end, from the `[` of a row at `from`, up to `end`: the
 * addresses of the brackets and commas outside strings go to {@link endsAt}, after that of the byte before the `[`.
 * There must be room for 66 more. Column `k` ends at the mark `k + 1` of the {@link rowMarks} of a row.
 *
 * @returns how many rows were found that have all their marks, no bracket within them, at most one space after each
 *   bracket or comma and no other white space between them, and a further row after them
 */
export function scanJson(from: usize, end: usize, rows: i32): i32 {
  const comma = v128.load(MARKS), quote = v128.load(MARKS, QUOTE_MARK), backslash = v128.load(MARKS, BACKSLASH_MARK);
  const opener = v128.load(MARKS, OPEN_MARK), closer = v128.load(MARKS, CLOSE_MARK), space = v128.load(MARKS, SPACE_MARK);
  beginBlock(true);
  from += <usize>(load<u8>(from) == SPACE);
  if (load<u8>(from) != OPEN) return 0;
  store<u32>(endsAt, from - 1);
  const ends = endsAt + 4, marksOfRow = rowMarks;
  // The bracket behind the last row is that of the next one.
  const stop = ends + (<usize>(rows * marksOfRow + 1) << 2);
  let out = ends;
  let brackets: i32 = 0;
  // What the 64 bytes before ended in: a string (all bits set), a closing quote, a mark, a space after a mark, a
  // backslash that escapes.
  let inside: u64 = 0, closed: u64 = 0, marked: u64 = 0, spaced: u64 = 0, escaping: u64 = 0;
  for (let p = from; p < end && out < stop; p += 64) {
    const a = v128.load(p), b = v128.load(p, 16), c = v128.load(p, 32), d = v128.load(p, 48);
    const valid = end - p < 64 ? ((<u64>1) << <u64>(end - p)) - 1 : ~(<u64>0);
    let quotes = bits(i8x16.eq(a, quote), i8x16.eq(b, quote), i8x16.eq(c, quote), i8x16.eq(d, quote)) & valid;
    const slashes = v128.or(
      v128.or(i8x16.eq(a, backslash), i8x16.eq(b, backslash)), v128.or(i8x16.eq(c, backslash), i8x16.eq(d, backslash)),
    );
    let wrong: u64 = 0, bare: u64 = 0, spaces: u64 = 0;
    if (v128.any_true(slashes) || escaping != 0) {
      const found = bits(i8x16.eq(a, backslash), i8x16.eq(b, backslash), i8x16.eq(c, backslash), i8x16.eq(d, backslash)) & valid;
      // Of a run of backslashes every second one is escaped, and so is the byte after a run of odd length.
      const free = found & ~escaping;
      const follows = (free << 1) | escaping;
      const oddStarts = free & ~EVEN & ~follows;
      const sum = oddStarts + free;
      const escaped = (EVEN ^ (sum << 1)) & follows;
      escaping = u64(sum < free);
      quotes &= ~escaped;
      bare = found;
      noteEscape();
    }
    const within = oddUpTo(quotes) ^ inside;
    const bracketsHere = bits(
      v128.or(i8x16.eq(a, opener), i8x16.eq(a, closer)), v128.or(i8x16.eq(b, opener), i8x16.eq(b, closer)),
      v128.or(i8x16.eq(c, opener), i8x16.eq(c, closer)), v128.or(i8x16.eq(d, opener), i8x16.eq(d, closer)),
    ) & valid & ~within;
    let marks = bracketsHere |
      (bits(i8x16.eq(a, comma), i8x16.eq(b, comma), i8x16.eq(c, comma), i8x16.eq(d, comma)) & valid & ~within);
    const lowA = i8x16.le_u(a, space), lowB = i8x16.le_u(b, space), lowC = i8x16.le_u(c, space), lowD = i8x16.le_u(d, space);
    if (v128.any_true(v128.or(v128.or(lowA, lowB), v128.or(lowC, lowD)))) {
      spaces = bits(lowA, lowB, lowC, lowD) & ~within;
      bare |= spaces;
      // A control character anywhere.
      wrong = bits(i8x16.lt_u(a, space), i8x16.lt_u(b, space), i8x16.lt_u(c, space), i8x16.lt_u(d, space));
    }
    const opening = quotes & within, closing = quotes & ~within;
    const begins = (marks << 1) | marked;
    spaces &= begins;
    if (spaces != 0) noteSpace();
    // A string begins behind a mark, with a space between at most, and ends before one.
    wrong |= bare & ~within & ~spaces;
    wrong |= opening & ~(begins | (spaces << 1) | spaced);
    wrong |= ((closing << 1) | closed) & ~marks;
    wrong &= valid;
    inside = <u64>(<i64>within >> 63);
    closed = closing >> 63;
    marked = marks >> 63;
    spaced = spaces >> 63;
    if (wrong != 0) {
      marks &= ((<u64>1) << ctz(wrong)) - 1;
      end = p;
    }
    brackets += <i32>popcnt(bracketsHere & marks);
    out = storeMarks(out, p, marks, true);
  }
  const whole = min(rows, (<i32>((out - ends) >> 2) - 1) / marksOfRow);
  return wellFormed(ends, out, marksOfRow, whole, brackets);
}

/** How many of `rows` rows end in `],[`, and have no other bracket; `brackets` are known up to `out`. */
function wellFormed(ends: usize, out: usize, marksOfRow: i32, rows: i32, brackets: i32): i32 {
  const stride = <usize>marksOfRow << 2;
  const last = ends + <usize>rows * stride;
  for (let at = last; at < out; at += 4) brackets -= i32(load<u8>(load<u32>(at)) != COMMA);
  let right = brackets == rows << 1;
  const close = stride - 8;
  for (let at = ends; at < last; at += stride) if (!endsRow(load<u32>(at + close))) right = false;
  if (right) return rows;
  let row = 0;
  for (let at = ends; row < rows; row++, at += stride) {
    if (!endsRow(load<u32>(at + close))) break;
    let inner = at + 4;
    while (inner < at + close && load<u8>(load<u32>(inner)) == COMMA) inner += 4;
    if (inner < at + close) break;
  }
  return row;
}

/** What follows is outside strings, since the first byte is a mark. */
@inline
function endsRow(address: usize): bool {
  const bytes = load<u32>(address);
  return (bytes & THREE_BYTES) == BETWEEN || bytes == SPACED_BETWEEN;
}
