import { lz4Block } from "./lz4";
import { xxh32 } from "./xxh32";

const MAGIC: u32 = 0x184d2204;
/** Frames that carry no data have this magic number, the lowest four bits apart. */
const SKIPPED: u32 = 0x184d2a50;
const UNCOMPRESSED: u32 = 0x80000000;

// Flags of the descriptor.
const VERSION: u32 = 0xc0;
const VERSION_1: u32 = 0x40;
const INDEPENDENT: u32 = 0x20;
const BLOCK_SUM: u32 = 0x10;
const SIZE: u32 = 0x08;
const CONTENT_SUM: u32 = 0x04;
const RESERVED: u32 = 0x02;
const DICTIONARY: u32 = 0x01;

let p: usize = 0;

/**
 * Undoes frames of LZ4, one after the other: the bytes `from` to `end` must become exactly those `out` to `stop`. All
 * checksums are compared.
 */
export function lz4Frame(from: usize, end: usize, out: usize, stop: usize): bool {
  p = from;
  let frames = 0;
  while (p < end) {
    if (end - p < 7) return false;
    const magic = load<u32>(p);
    if ((magic & ~15) == SKIPPED) {
      const size = <usize>load<u32>(p, 4);
      if (end - p < 8 || size > end - p - 8) return false;
      p += 8 + size;
      continue;
    }
    if (magic != MAGIC) return false;
    p += 4;
    const written = frame(end, out, stop);
    if (written == 0) return false;
    out = written;
    frames++;
  }
  return frames > 0 && out == stop;
}

/** Reads a frame behind its magic number; where its output ends, 0 for a malformed one. */
function frame(end: usize, begin: usize, stop: usize): usize {
  const start = p;
  const flags = <u32>load<u8>(p), sizes = <u32>load<u8>(p, 1);
  // Data that need a dictionary cannot be decoded without it.
  if ((flags & VERSION) != VERSION_1 || (flags & (RESERVED | DICTIONARY)) != 0) return 0;
  if ((sizes & 0x8f) != 0 || sizes < 0x40) return 0;
  p += 2;
  if (flags & SIZE) {
    if (end - p < 9 || load<u64>(p) > <u64>(stop - begin)) return 0;
    p += 8;
  }
  if (<u32>load<u8>(p) != ((xxh32(start, p) >> 8) & 0xff)) return 0;
  p++;
  const most: u32 = 1 << (8 + ((sizes >> 4) << 1));
  let out = begin;
  for (;;) {
    if (end - p < 4) return 0;
    const head = load<u32>(p), length = head & ~UNCOMPRESSED;
    p += 4;
    if (head == 0) break;
    if (length > most || <usize>length > end - p) return 0;
    const after = p + length;
    if (head & UNCOMPRESSED) {
      if (<usize>length > stop - out) return 0;
      memory.copy(out, p, length);
      out += length;
    } else {
      out = lz4Block(p, after, flags & INDEPENDENT ? out : begin, out, min<usize>(stop, out + most));
      if (out == 0) return 0;
    }
    if (flags & BLOCK_SUM) {
      if (end - after < 4 || load<u32>(after) != xxh32(p, after)) return 0;
      p = after + 4;
    } else p = after;
  }
  if ((flags & SIZE) != 0 && load<u64>(start, 2) != <u64>(out - begin)) return 0;
  if (flags & CONTENT_SUM) {
    if (end - p < 4 || load<u32>(p) != xxh32(begin, out)) return 0;
    p += 4;
  }
  return out;
}
