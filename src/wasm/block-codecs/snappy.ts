import { copyMatch } from "../bytes/copy-match";
import { copyLiteral } from "./literal";

/** Undoes Snappy: the bytes `from` to `end` must become exactly those `out` to `stop`. */
export function snappy(from: usize, end: usize, out: usize, stop: usize): bool {
  const begin = out;
  let p = from;
  let size: u64 = 0;
  for (let shift: u64 = 0; ; shift += 7) {
    if (p >= end || shift > 28) return false;
    const byte = load<u8>(p++);
    size |= <u64>(byte & 127) << shift;
    if (byte < 128) break;
  }
  if (size != <u64>(stop - out)) return false;
  while (p < end) {
    const tag = <u32>load<u8>(p++);
    const kind = tag & 3;
    let length: u32;
    let distance: u32;
    if (kind == 0) {
      length = tag >> 2;
      if (length >= 60) {
        const more = <usize>(length - 59);
        if (more > end - p) return false;
        length = load<u32>(p) & (~(<u32>0) >> (32 - (<u32>more << 3)));
        p += more;
      }
      // One more than 2^32 - 1 bytes is more than there are.
      if (<u64>length + 1 > <u64>(end - p) || <u64>length + 1 > <u64>(stop - out)) return false;
      length++;
      copyLiteral(out, p, length);
      p += length;
      out += length;
      continue;
    }
    if (kind == 1) {
      if (p >= end) return false;
      length = ((tag >> 2) & 7) + 4;
      distance = ((tag >> 5) << 8) | load<u8>(p++);
    } else {
      const bytes: usize = kind == 2 ? 2 : 4;
      if (bytes > end - p) return false;
      length = (tag >> 2) + 1;
      distance = kind == 2 ? <u32>load<u16>(p) : load<u32>(p);
      p += bytes;
    }
    if (distance == 0 || <usize>distance > out - begin || <usize>length > stop - out) return false;
    copyMatch(out, length, distance);
    out += length;
  }
  return out == stop;
}
