// Zstandard, a program of its own: pages load it only for files that use it. This is AssemblyScript, as in
// block-codecs.ts, which says where bytes may be read and written.

import { copyLiteral } from "./block-codecs/literal";
import { forgetCodes } from "./block-codecs/huffman";
import { decodeLiterals, literals, literalsEnd, literalsSize } from "./block-codecs/zstd-literals";
import { decodeSequences, forgetTables, sequencesOut } from "./block-codecs/zstd-sequences";
import { xxh64 } from "./block-codecs/xxh64";

const MAGIC: u32 = 0xfd2fb528;
/** Frames that carry no data have this magic number, the lowest four bits apart. */
const SKIPPED: u32 = 0x184d2a50;
/** Most bytes of a block. */
const BLOCK: u32 = 131072;

let p: usize = 0;

/**
 * Undoes Zstandard (RFC 8878), frame after frame: the bytes `from` to `end` must become exactly those `out` to `stop`.
 */
export function zstd(from: usize, end: usize, out: usize, stop: usize): bool {
  return zstdEnd(from, end, out, stop) == stop;
}

/** As {@link zstd}, where the result may be shorter: the end of its bytes, 0 for malformed ones. */
export function zstdEnd(from: usize, end: usize, out: usize, stop: usize): usize {
  p = from;
  let frames = 0;
  while (p < end) {
    if (end - p < 8) return 0;
    const magic = load<u32>(p);
    if ((magic & ~15) == SKIPPED) {
      const size = <usize>load<u32>(p, 4);
      if (size > end - p - 8) return 0;
      p += 8 + size;
      continue;
    }
    if (magic != MAGIC) return 0;
    p += 4;
    const written = frame(end, out, stop);
    if (written == 0) return 0;
    out = written;
    frames++;
  }
  return frames > 0 ? out : 0;
}

/** Reads a frame behind its magic number; where its output ends, 0 for a malformed one. */
function frame(end: usize, begin: usize, stop: usize): usize {
  const flags = <u32>load<u8>(p++);
  const single = (flags >> 5) & 1, dictionary = flags & 3, sizes = flags >> 6;
  if (flags & 8) return 0;
  const header = 1 - single + ((1 << dictionary) >> 1) + (sizes == 0 ? single : 1 << sizes);
  if (<usize>header > end - p) return 0;
  p += 1 - single;
  // Data that need a dictionary cannot be decoded without it; 0 says that they need none.
  for (let k = (1 << dictionary) >> 1; k > 0; k--) if (load<u8>(p++) != 0) return 0;
  let size: u64 = 0;
  const isKnown = sizes > 0 || single == 1;
  const bytes = sizes == 0 ? single : 1 << sizes;
  for (let k: u32 = 0; k < bytes; k++) size |= <u64>load<u8>(p++) << <u64>(k << 3);
  if (sizes == 1) size += 256;
  if (isKnown && size > <u64>(stop - begin)) return 0;
  forgetCodes();
  forgetTables();
  let out = begin;
  for (let last = false; !last; ) {
    if (end - p < 3) return 0;
    const head = <u32>load<u16>(p) | (<u32>load<u8>(p, 2) << 16);
    p += 3;
    last = (head & 1) != 0;
    const type = (head >> 1) & 3, length = head >> 3;
    if (length > BLOCK || type == 3) return 0;
    if (type == 1) {
      if (p >= end || <usize>length > stop - out) return 0;
      memory.fill(out, load<u8>(p++), length);
      out += length;
      continue;
    }
    if (<usize>length > end - p) return 0;
    if (type == 0) {
      if (<usize>length > stop - out) return 0;
      memory.copy(out, p, length);
      out += length;
    } else {
      out = block(p, p + length, begin, out, min<usize>(stop, out + BLOCK));
      if (out == 0) return 0;
    }
    p += length;
  }
  if (isKnown && size != <u64>(out - begin)) return 0;
  if (flags & 4) {
    if (end - p < 4 || load<u32>(p) != <u32>xxh64(begin, out)) return 0;
    p += 4;
  }
  return out;
}

/** A compressed block; where its output ends, 0 for a malformed one. `begin` is where the frame's output does. */
function block(from: usize, end: usize, begin: usize, out: usize, stop: usize): usize {
  if (!decodeLiterals(from, end)) return 0;
  if (!decodeSequences(literalsEnd, end, begin, out, stop)) return 0;
  const rest = literalsSize;
  if (<usize>rest > stop - sequencesOut) return 0;
  copyLiteral(sequencesOut, literals, rest);
  return sequencesOut + rest;
}

/** Where free memory begins. */
export function start(): usize {
  return __heap_base;
}
