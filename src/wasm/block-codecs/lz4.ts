import { copyMatch } from "../bytes/copy-match";
import { copyLiteral } from "./literal";

let p: usize = 0;

/** The length that begins with `length` of 15: each byte of 255 says that another follows. */
@inline
function whole(length: u32, end: usize): u32 {
  if (length < 15) return length;
  // A length beyond the memory is as wrong as one that never ends.
  while (p < end && length < 0x40000000) {
    const byte = <u32>load<u8>(p++);
    length += byte;
    if (byte < 255) return length;
  }
  return -1;
}

/** Undoes a block of LZ4: the bytes `from` to `end` must become exactly those `out` to `stop`. */
export function lz4(from: usize, end: usize, out: usize, stop: usize): bool {
  return lz4Block(from, end, out, out, stop) == stop;
}

/**
 * Undoes a block of LZ4 whose output begins at `out`, ends at `stop` at most and may repeat bytes from `begin` on;
 * where it ends, 0 for a malformed one.
 */
export function lz4Block(from: usize, end: usize, begin: usize, out: usize, stop: usize): usize {
  p = from;
  while (p < end) {
    const token = <u32>load<u8>(p++);
    const literals = whole(token >> 4, end);
    if (<usize>literals > end - p || <usize>literals > stop - out) return 0;
    copyLiteral(out, p, literals);
    p += literals;
    out += literals;
    // The last sequence has no match.
    if (p == end) return out;
    if (end - p < 2) return 0;
    const distance = <u32>load<u16>(p);
    p += 2;
    const more = whole(token & 15, end);
    const length = more + 4;
    if (more == <u32>-1 || distance == 0 || <usize>distance > out - begin || <usize>length > stop - out) return 0;
    copyMatch(out, length, distance);
    out += length;
  }
  return out;
}
