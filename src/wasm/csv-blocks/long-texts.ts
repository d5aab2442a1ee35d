import { MARKS, QUOTE } from "./bytes";
import { cellEnd, noteRow } from "./cells";
import { doubled } from "./scan";

/** The rows that {@link longTexts} has read. */
export let read: i32 = 0;

/**
 * Copies texts, doubled quotes undone, one after another to `heap`; where each ends, counted from `length` bytes before
 * the first, goes to `out`. Empty text is odd unless it is quoted and `blank` says that it is text; it takes no bytes.
 *
 * @returns how many rows are odd; reading ends before a text of more than `most` bytes: {@link read} says how many rows
 *   were read
 */
export function longTexts(
  ends: usize, k: i32, width: i32, rows: i32, out: usize, heap: usize, length: i32, most: u32, blank: bool, odd: usize,
): i32 {
  const quote = v128.load(MARKS, 32);
  const stride = <usize>width << 2, last = k == width - 1;
  let noted = odd, to = heap, row = 0;
  for (let at = ends + (<usize>k << 2); row < rows; row++, at += stride, out += 4) {
    let p = <usize>load<u32>(at) + 1, q = cellEnd(at + 4, last);
    const quoted = load<u8>(p) == QUOTE;
    if (quoted) {
      p++;
      q--;
    }
    if (<u32>(q - p) > most) break;
    if (p == q && !(quoted && blank)) {
      noted = noteRow(noted, row);
    }
    if (doubled) {
      while (p < q) {
        const part = v128.load(p);
        v128.store(to, part);
        const n = min<usize>(q - p, 16);
        const first = <usize>ctz(i8x16.bitmask(i8x16.eq(part, quote)) | 0x10000);
        // Up to the first of two quotes, the second left out.
        p += first < n ? first + 2 : n;
        to += first < n ? first + 1 : n;
      }
    } else {
      const n = q - p;
      for (let i: usize = 0; i < n; i += 16) v128.store(to + i, v128.load(p + i));
      to += n;
    }
    store<i32>(out, <i32>(to - heap) + length);
  }
  read = row;
  return <i32>((noted - odd) >> 2);
}
