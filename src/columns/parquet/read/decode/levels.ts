import { ParquetFault } from "../format/fault.js";
import type { Encoding } from "../format/types.js";
import { decodeHybrid } from "./decoders.js";

/**
 * The levels of `count` values, from 0 to `most`.
 *
 * @returns undefined where all of them are `most`, as those of a column without nulls
 * @throws {ParquetFault}
 */
export function decodeLevels(
  bytes: Uint8Array,
  encoding: Encoding,
  most: number,
  count: number,
): Int32Array | undefined {
  if (encoding !== "RLE") return checked(packedLevels(bytes, most, count), most);
  const width = 32 - Math.clz32(most);
  if (isOneRun(bytes, width, most, count)) return undefined;
  return checked(decodeHybrid(bytes, width, count).slice(), most);
}

function checked(levels: Int32Array, most: number): Int32Array | undefined {
  let least = most;
  for (const level of levels) {
    if (level > most) throw new ParquetFault("a level is too high");
    if (level < least) least = level;
  }
  return least === most && levels.length > 0 ? undefined : levels;
}

/** Whether the first run holds all levels, and each is `most`. */
function isOneRun(bytes: Uint8Array, width: number, most: number, count: number): boolean {
  let head = 0;
  let p = 0;
  for (let scale = 1; p < 5; scale *= 128) {
    const byte = bytes[p++] ?? 0;
    head += (byte & 127) * scale;
    if (byte < 128) break;
  }
  return width <= 8 && head % 2 === 0 && head / 2 >= count && bytes[p] === most;
}

/** The older encoding: bits one after the other, the highest of each byte first. */
function packedLevels(bytes: Uint8Array, most: number, count: number): Int32Array {
  const width = 32 - Math.clz32(most);
  if (bytes.length * 8 < width * count) throw new ParquetFault("a page ends early");
  const levels = new Int32Array(count);
  for (let i = 0, bit = 0; i < count; i++) {
    for (let k = 0; k < width; k++, bit++) levels[i] = (levels[i] << 1) | ((bytes[bit >> 3] >> (7 - (bit & 7))) & 1);
  }
  return levels;
}

/** Bytes of the older encoding. */
export function packedBytes(most: number, count: number): number {
  return Math.ceil(((32 - Math.clz32(most)) * count) / 8);
}
