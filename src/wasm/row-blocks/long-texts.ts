import { endsAt, escapeMark, isEscaped, isJson, isSpaced, oddAt, quote, rowMarks } from "./block";
import { cellEnd, cellStart, noteRow } from "./cells";

/** The rows that {@link longTexts} has read. */
export let read: i32 = 0;

/** `null` as the bytes of a word. */
const NULL: u32 = 0x6c6c756e;

/**
 * Copies texts, doubled quotes undone, one after another to `heap`; where each ends, counted from `length` bytes before
 * the first, goes to `out`. Empty text is odd unless it is quoted and `blank` says that it is text; in JSON `null` is
 * odd. Odd text takes no bytes.
 *
 * @returns how many rows are odd; reading ends before a text of more than `most` bytes, and in JSON before an escape
 *   and what is neither in quotes nor null: {@link read} says how many rows were read
 */
export function longTexts(k: i32, rows: i32, out: usize, heap: usize, length: i32, most: u32, blank: bool): i32 {
  const escape = escapeMark(), escaped = isEscaped, json = isJson, spaced = isSpaced, mark = quote;
  const stride = <usize>rowMarks << 2, last = k == rowMarks - 1;
  let noted = oddAt, to = heap, row = 0;
  for (let at = endsAt + (<usize>k << 2); row < rows; row++, at += stride, out += 4) {
    let p = cellStart(at, spaced), q = cellEnd(at + 4, last);
    const quoted = load<u8>(p) == mark;
    if (quoted) {
      p++;
      q--;
    }
    if (<u32>(q - p) > most) break;
    if (json && !quoted) {
      if (q - p != 4 || load<u32>(p) != NULL) break;
      p = q;
    }
    if (p == q && !(quoted && blank)) {
      noted = noteRow(noted, row);
    }
    if (escaped && json) {
      if (holds(p, q, escape)) break;
    }
    if (escaped && !json) {
      while (p < q) {
        const part = v128.load(p);
        v128.store(to, part);
        const n = min<usize>(q - p, 16);
        const first = <usize>ctz(i8x16.bitmask(i8x16.eq(part, escape)) | 0x10000);
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
  return <i32>((noted - oddAt) >> 2);
}

/** Whether one of the bytes `p` to `q` is that of all places of `mark`. */
@inline
function holds(p: usize, q: usize, mark: v128): bool {
  for (; p < q; p += 16) {
    if (<usize>ctz(i8x16.bitmask(i8x16.eq(v128.load(p), mark)) | 0x10000) < min<usize>(q - p, 16)) return true;
  }
  return false;
}
