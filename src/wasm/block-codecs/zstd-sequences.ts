import { copyMatch } from "../bytes/copy-match";
import { bitsAt, markedBits } from "./bits";
import { accuracy, fillSingle, fillTable, readTable, tableEnd } from "./fse";
import { copyLiteral } from "./literal";
import { literals, literalsSize, useLiterals } from "./zstd-literals";

/** Least length of each code, and how many bits are added (RFC 8878, 3.1.1.3.2.1.1). */
const LITERAL_BASE = memory.data<u32>([
  0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,18,20,22,24,28,32,40,48,64,128,256,512,1024,2048,4096,8192,16384,32768,65536,
]);
const LITERAL_BITS = memory.data<u8>([0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1,1,1,1,2,2,3,3,4,6,7,8,9,10,11,12,13,14,15,16]);
const MATCH_BASE = memory.data<u32>([
  3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,37,39,41,43,47,51,59,67,83,99,131,
  259,515,1027,2051,4099,8195,16387,32771,65539,
]);
const MATCH_BITS = memory.data<u8>([
  0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1,1,1,1,2,2,3,3,4,4,5,7,8,9,10,11,12,13,14,15,16,
]);
const LITERAL_CODES: u32 = 36;
const MATCH_CODES: u32 = 53;
const OFFSET_CODES: u32 = 32;

/** The predefined tables: how often each code occurs (RFC 8878, 3.1.1.3.2.2). */
const LITERAL_COUNTS = memory.data<i16>([
  4,3,2,2,2,2,2,2,2,2,2,2,2,1,1,1,2,2,2,2,2,2,2,2,2,3,2,1,1,1,1,1,-1,-1,-1,-1,
]);
const MATCH_COUNTS = memory.data<i16>([
  1,4,3,2,2,2,2,2,2,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,-1,-1,-1,-1,-1,-1,-1,
]);
const OFFSET_COUNTS = memory.data<i16>([1,1,1,1,1,1,2,2,2,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,-1,-1,-1,-1,-1]);

const literalTable = memory.data(2048, 16);
const matchTable = memory.data(2048, 16);
const offsetTable = memory.data(1024, 16);
/** Accuracies of the tables; -1 where there is none yet. */
let literalAccuracy: i32 = -1;
let matchAccuracy: i32 = -1;
let offsetAccuracy: i32 = -1;

/** The last three distances. */
let recent1: u32 = 1;
let recent2: u32 = 4;
let recent3: u32 = 8;

let p: usize = 0;

/** Where the output of the last {@link decodeSequences} ends. */
export let sequencesOut: usize = 0;

/** Begins a frame. */
export function forgetTables(): void {
  literalAccuracy = -1;
  matchAccuracy = -1;
  offsetAccuracy = -1;
  recent1 = 1;
  recent2 = 4;
  recent3 = 8;
}

/** Reads a table in one of four ways; its accuracy, or -1 for a malformed one. */
function table(mode: u32, end: usize, at: usize, most: u32, codes: u32, usual: usize, usualCodes: u32, usualBits: u32, before: i32): i32 {
  if (mode == 0) {
    fillTable(usual, usualCodes, usualBits, at);
    return usualBits;
  }
  if (mode == 1) {
    if (p >= end) return -1;
    const code = <u32>load<u8>(p++);
    if (code >= codes) return -1;
    fillSingle(code, at);
    return 0;
  }
  if (mode == 2) {
    if (!readTable(p, end, most, codes, at)) return -1;
    p = tableEnd;
    return accuracy;
  }
  return before;
}

/**
 * Reads the sequences' section of a block (RFC 8878, 3.1.1.3.2) and does what they say: copies literals and matches.
 */
export function decodeSequences(from: usize, end: usize, begin: usize, out: usize, stop: usize): bool {
  sequencesOut = out;
  if (from >= end) return false;
  p = from;
  let count = <u32>load<u8>(p++);
  if (count == 0) return p == end;
  if (count > 127) {
    const more: usize = count == 255 ? 2 : 1;
    if (more > end - p) return false;
    count = count == 255 ? <u32>load<u16>(p) + 0x7f00 : ((count - 128) << 8) + load<u8>(p);
    p += more;
  }
  if (p >= end) return false;
  const modes = <u32>load<u8>(p++);
  if (modes & 3) return false;
  literalAccuracy = table(modes >> 6, end, literalTable, 9, LITERAL_CODES, LITERAL_COUNTS, 36, 6, literalAccuracy);
  if (literalAccuracy < 0) return false;
  offsetAccuracy = table((modes >> 4) & 3, end, offsetTable, 8, OFFSET_CODES, OFFSET_COUNTS, 29, 5, offsetAccuracy);
  if (offsetAccuracy < 0) return false;
  matchAccuracy = table((modes >> 2) & 3, end, matchTable, 9, MATCH_CODES, MATCH_COUNTS, 53, 6, matchAccuracy);
  if (matchAccuracy < 0) return false;
  return run(count, end, begin, out, stop);
}

function run(count: u32, end: usize, begin: usize, out: usize, stop: usize): bool {
  const stream = p;
  let at = markedBits(stream, end);
  if (at < 0) return false;
  at -= literalAccuracy;
  let literalState = <u32>bitsAt(stream, at, literalAccuracy);
  at -= offsetAccuracy;
  let offsetState = <u32>bitsAt(stream, at, offsetAccuracy);
  at -= matchAccuracy;
  let matchState = <u32>bitsAt(stream, at, matchAccuracy);
  for (let left = count; ; ) {
    const literal = load<u32>(literalTable + (literalState << 2));
    const match = load<u32>(matchTable + (matchState << 2));
    const offset = load<u32>(offsetTable + (offsetState << 2));
    const literalCode = literal >> 24, matchCode = match >> 24, offsetCode = offset >> 24;
    at -= offsetCode;
    const value = <u32>((<u64>1 << offsetCode) + bitsAt(stream, at, offsetCode));
    const matchBits = <u32>load<u8>(MATCH_BITS + matchCode);
    at -= matchBits;
    const length = load<u32>(MATCH_BASE + (matchCode << 2)) + <u32>bitsAt(stream, at, matchBits);
    const literalBits = <u32>load<u8>(LITERAL_BITS + literalCode);
    at -= literalBits;
    const many = load<u32>(LITERAL_BASE + (literalCode << 2)) + <u32>bitsAt(stream, at, literalBits);
    if (at < 0) return false;
    const distance = distanceOf(value, many);
    if (many > literalsSize || <usize>many > stop - out) return false;
    copyLiteral(out, literals, many);
    useLiterals(many);
    out += many;
    if (distance == 0 || <usize>distance > out - begin || <usize>length > stop - out) return false;
    copyMatch(out, length, distance);
    out += length;
    if (--left == 0) break;
    const literalMore = (literal >> 16) & 255, matchMore = (match >> 16) & 255, offsetMore = (offset >> 16) & 255;
    at -= literalMore;
    literalState = (literal & 0xffff) + <u32>bitsAt(stream, at, literalMore);
    at -= matchMore;
    matchState = (match & 0xffff) + <u32>bitsAt(stream, at, matchMore);
    at -= offsetMore;
    offsetState = (offset & 0xffff) + <u32>bitsAt(stream, at, offsetMore);
    if (at < 0) return false;
  }
  sequencesOut = out;
  return at == 0;
}

/**
 * The distance of a match: one of the last three where the value is small; one before `many` literals of 0 counts from
 * the second.
 */
function distanceOf(value: u32, many: u32): u32 {
  let distance: u32;
  if (value > 3) {
    distance = value - 3;
    recent3 = recent2;
    recent2 = recent1;
    recent1 = distance;
    return distance;
  }
  const index = value + u32(many == 0);
  if (index == 1) return recent1;
  if (index == 2) distance = recent2;
  else distance = index == 3 ? recent3 : recent1 - 1;
  if (index > 2) recent3 = recent2;
  recent2 = recent1;
  recent1 = distance;
  return distance;
}
