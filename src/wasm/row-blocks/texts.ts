import { endsAt, escapeMark, isEscaped, isJson, isSpaced, oddAt, quote, rowMarks } from "./block";
import { TAILS } from "./bytes";
import { cellEnd, cellStart, noteRow } from "./cells";

/** The texts that {@link texts} met for the first time. */
export let added: i32 = 0;

/** Bytes of a slot, for a text {@link texts} has met: 32 bytes (zeros behind it), length, number + 1. */
export const SLOT_BYTES: i32 = 64;
const SLOT_LENGTH: usize = 32;
export const SLOT_NUMBER: usize = 36;
/** Fields of a note at `fresh`: slot, address and length of the text. */
export const NOTE_WORDS: i32 = 3;
/** Slots examined; when all hold other texts, the last one is replaced. */
const PROBES = 8;
/** Longest text with a slot. */
const LONGEST: u32 = 32;

/**
 * Numbers of the texts of 1 to 32 bytes, at most `most`, without an escape in them; those of JSON are in quotes. Of the
 * `mask + 1` texts in `slots` the number is known; others are put there with numbers from `next` on and noted at
 * `fresh`: {@link added} of them.
 */
export function texts(k: i32, rows: i32, out: usize, slots: usize, mask: i32, most: u32, next: i32, fresh: usize): i32 {
  const escape = escapeMark(), escaped = isEscaped, json = isJson, spaced = isSpaced, mark = quote;
  const stride = <usize>rowMarks << 2, last = k == rowMarks - 1;
  const longest = min(most, LONGEST);
  let noted = oddAt, note = fresh;
  // The text of the row before: columns that are sorted repeat it.
  let first = i8x16.splat(0), second = i8x16.splat(0), before: u32 = 0, number: i32 = 0;
  for (let row = 0, at = endsAt + (<usize>k << 2); row < rows; row++, at += stride, out += 4) {
    let p = cellStart(at, spaced), q = cellEnd(at + 4, last);
    const quoted = load<u8>(p) == mark;
    if (quoted) {
      p++;
      q--;
    }
    const length = <u32>(q - p);
    if (length - 1 >= longest || (json && !quoted)) {
      noted = noteRow(noted, row);
      continue;
    }
    const one = v128.and(v128.load(p), v128.load(TAILS + 32 - min<u32>(length, 16)));
    let two = i8x16.splat(0);
    if (length > 16) two = v128.and(v128.load(p, 16), v128.load(TAILS + 48 - length));
    if (length != before || v128.any_true(v128.or(v128.xor(one, first), v128.xor(two, second)))) {
      if (escaped && v128.any_true(v128.or(i8x16.eq(one, escape), i8x16.eq(two, escape)))) {
        noted = noteRow(noted, row);
        continue;
      }
      first = one;
      second = two;
      before = length;
      let slot = hash(one, two, length);
      for (let probe = 1; ; probe++, slot++) {
        const place = slots + <usize>((slot & mask) * SLOT_BYTES);
        const held = load<i32>(place, SLOT_NUMBER);
        if (held != 0 && load<u32>(place, SLOT_LENGTH) == length) {
          const other = v128.or(v128.xor(one, v128.load(place)), v128.xor(two, v128.load(place, 16)));
          if (!v128.any_true(other)) {
            number = held - 1;
            break;
          }
        }
        if (held == 0 || probe == PROBES) {
          number = next++;
          v128.store(place, one);
          v128.store(place, two, 16);
          store<u32>(place, length, SLOT_LENGTH);
          store<i32>(place, next, SLOT_NUMBER);
          store<u32>(note, place);
          store<u32>(note, p, 4);
          store<u32>(note, length, 8);
          note += NOTE_WORDS << 2;
          break;
        }
      }
    }
    store<i32>(out, number);
  }
  added = <i32>((note - fresh) >> 2) / NOTE_WORDS;
  return <i32>((noted - oddAt) >> 2);
}

@inline
function hash(one: v128, two: v128, length: u32): i32 {
  let h = (i64x2.extract_lane(one, 0) ^ <i64>length) * 0x9e3779b97f4a7c15;
  h = (h ^ i64x2.extract_lane(one, 1)) * 0xc2b2ae3d27d4eb4f;
  if (length > 16) h = ((h ^ i64x2.extract_lane(two, 0)) * 0x9e3779b97f4a7c15 ^ i64x2.extract_lane(two, 1)) * 0xc2b2ae3d27d4eb4f;
  return <i32>((h ^ (h >>> 29)) >>> 24);
}
