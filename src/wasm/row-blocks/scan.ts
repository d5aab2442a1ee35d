import { bits, oddUpTo, storeMarks } from "./bitmaps";
import { beginBlock, delimiter, endsAt, noteEscape, rowMarks } from "./block";
import { CR_MARK, LF, LF_MARK, MARKS, QUOTE_MARK } from "./bytes";

/**
 * Finds where the cells of up to `rows` rows end, from a row's start at `from`, up to `end`: the addresses of the
 * delimiters and line feeds outside quotes go to {@link endsAt}, after that of the byte before the first cell. There
 * must be room for 65 more.
 *
 * @returns how many complete rows were found that have {@link rowMarks} cells, and quotes only where RFC 4180 allows
 *   them
 */
export function scan(from: usize, end: usize, rows: i32): i32 {
  const comma = v128.load(MARKS), lf = v128.load(MARKS, LF_MARK);
  const quote = v128.load(MARKS, QUOTE_MARK), cr = v128.load(MARKS, CR_MARK);
  beginBlock(false);
  store<u32>(endsAt, from - 1);
  const ends = endsAt + 4, width = rowMarks;
  const stop = ends + (<usize>(rows * width) << 2);
  let out = ends;
  let lines: i32 = 0;
  // What the 64 bytes before ended in: a cell in quotes (all bits set), a closing quote, a CR.
  let inside: u64 = 0, closed: u64 = 0, returned: u64 = 0;
  for (let p = from; p < end && out < stop; p += 64) {
    const a = v128.load(p), b = v128.load(p, 16), c = v128.load(p, 32), d = v128.load(p, 48);
    const valid = end - p < 64 ? ((<u64>1) << <u64>(end - p)) - 1 : ~(<u64>0);
    let breaks = bits(i8x16.eq(a, lf), i8x16.eq(b, lf), i8x16.eq(c, lf), i8x16.eq(d, lf)) & valid;
    let marks = bits(i8x16.eq(a, comma), i8x16.eq(b, comma), i8x16.eq(c, comma), i8x16.eq(d, comma)) & valid;
    marks |= breaks;
    const quoted = v128.or(v128.or(i8x16.eq(a, quote), i8x16.eq(b, quote)), v128.or(i8x16.eq(c, quote), i8x16.eq(d, quote)));
    const ended = v128.or(v128.or(i8x16.eq(a, cr), i8x16.eq(b, cr)), v128.or(i8x16.eq(c, cr), i8x16.eq(d, cr)));
    if (v128.any_true(v128.or(quoted, ended)) || (inside | closed | returned) != 0) {
      const quotes = bits(i8x16.eq(a, quote), i8x16.eq(b, quote), i8x16.eq(c, quote), i8x16.eq(d, quote)) & valid;
      const returns = bits(i8x16.eq(a, cr), i8x16.eq(b, cr), i8x16.eq(c, cr), i8x16.eq(d, cr)) & valid;
      const before = load<u8>(p - 1);
      const fresh = <u64>(p == from || (inside == 0 && (before == delimiter || before == LF)));
      const within = oddUpTo(quotes) ^ inside;
      marks &= ~within;
      breaks &= ~within;
      const opening = quotes & within, closing = quotes & ~within, bare = returns & ~within;
      const afterClosing = (closing << 1) | closed;
      // A quote opens a cell or doubles one; after a closing quote the cell ends; a CR precedes LF.
      let wrong = opening & ~((marks << 1) | fresh | afterClosing);
      wrong |= afterClosing & ~(marks | bare | opening) & valid;
      wrong |= ((bare << 1) | returned) & ~breaks & valid;
      if ((opening & afterClosing) != 0) noteEscape();
      inside = <u64>(<i64>within >> 63);
      closed = closing >> 63;
      returned = bare >> 63;
      if (wrong != 0) {
        const right = ((<u64>1) << ctz(wrong)) - 1;
        marks &= right;
        breaks &= right;
        end = p;
      }
    }
    lines += <i32>popcnt(breaks);
    out = storeMarks(out, p, marks, false);
  }
  const whole = min(rows, <i32>((out - ends) >> 2) / width);
  return wellFormed(ends, out, width, whole, lines);
}

/** How many of `rows` rows end in a line feed, and only there; `lines` line feeds are known up to `out`. */
function wellFormed(ends: usize, out: usize, width: i32, rows: i32, lines: i32): i32 {
  const stride = <usize>width << 2;
  const last = ends + <usize>rows * stride;
  for (let at = last; at < out; at += 4) lines -= i32(load<u8>(load<u32>(at)) == LF);
  let right = lines == rows;
  for (let at = ends + stride - 4; at < last; at += stride) if (load<u8>(load<u32>(at)) != LF) right = false;
  if (right) return rows;
  let cell = 0;
  for (let at = ends; at < last; at += 4, cell++) {
    if ((load<u8>(load<u32>(at)) == LF) != (cell % width == width - 1)) break;
  }
  return cell / width;
}
