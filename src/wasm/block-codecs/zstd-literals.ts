import { codesEnd, decodeStream, readCodes, width } from "./huffman";

const BLOCK: u32 = 131072;
const buffer = memory.data(131072 + 64, 16);

/** The literals of the block that are not used yet: where they begin, and how many they are. */
export let literals: usize = 0;
export let literalsSize: u32 = 0;
/** Where the literals' section of the block ends. */
export let literalsEnd: usize = 0;

/** Takes `n` literals. */
@inline
export function useLiterals(n: u32): void {
  literals += n;
  literalsSize -= n;
}

/** Reads the literals' section of a block (RFC 8878, 3.1.1.3.1). */
export function decodeLiterals(from: usize, end: usize): bool {
  if (end - from < 2) return false;
  const head = load<u64>(from);
  const type = <u32>head & 3, format = <u32>(head >> 2) & 3;
  if (type < 2) return simpleLiterals(from, end, head, type, format);
  const sizeBits: u64 = format < 2 ? 10 : format == 2 ? 14 : 18;
  const headBytes: usize = format < 2 ? 3 : format == 2 ? 4 : 5;
  const mask = (<u64>1 << sizeBits) - 1;
  const size = <u32>((head >> 4) & mask), packed = <u32>((head >> (4 + sizeBits)) & mask);
  from += headBytes;
  if (size > BLOCK || from > end || <usize>packed > end - from) return false;
  const stop = from + packed;
  if (type == 2) {
    if (!readCodes(from, stop)) return false;
    from = codesEnd;
  } else if (width == 0) return false;
  literals = buffer;
  literalsSize = size;
  literalsEnd = stop;
  if (format == 0) return decodeStream(from, stop, buffer, buffer + size);
  return fourStreams(from, stop, size);
}

/** Literals as they are, or one byte that repeats. */
function simpleLiterals(from: usize, end: usize, head: u64, type: u32, format: u32): bool {
  const headBytes: usize = format == 1 ? 2 : format == 3 ? 3 : 1;
  const size = format == 1 ? <u32>(head >> 4) & 0xfff : format == 3 ? <u32>(head >> 4) & 0xfffff : <u32>(head >> 3) & 31;
  from += headBytes;
  literalsSize = size;
  if (size > BLOCK || from > end) return false;
  if (type == 0) {
    if (<usize>size > end - from) return false;
    literals = from;
    literalsEnd = from + size;
    return true;
  }
  if (from >= end) return false;
  memory.fill(buffer, load<u8>(from), size);
  literals = buffer;
  literalsEnd = from + 1;
  return true;
}

function fourStreams(from: usize, stop: usize, size: u32): bool {
  if (stop - from < 6) return false;
  const a = from + 6, b = a + load<u16>(from), c = b + load<u16>(from, 2), d = c + load<u16>(from, 4);
  const part = (size + 3) >> 2;
  if (d > stop || part * 3 > size) return false;
  const to = buffer + size;
  return (
    decodeStream(a, b, buffer, buffer + part) &&
    decodeStream(b, c, buffer + part, buffer + (part << 1)) &&
    decodeStream(c, d, buffer + (part << 1), buffer + part * 3) &&
    decodeStream(d, stop, buffer + part * 3, to)
  );
}
