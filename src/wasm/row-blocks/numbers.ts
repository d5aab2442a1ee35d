import { MINUS, TAILS, ZERO } from "./bytes";
import { endsAt, isJson, isSpaced, oddAt, quote, rowMarks } from "./block";
import { cellEnd, cellStart, noteRow } from "./cells";
import { DIGITS, valueOf, WITHOUT } from "./digits";
import { DECIMAL, INTEGER, longNumber } from "./long-number";

/**
 * Numbers of at most 32 characters, a sign apart. `table` holds 17 pairs: for a point at place `j` of 16 (16: none)
 * what the digits are multiplied by (as a double: divided by), and the most they may be (-1: no number may have its
 * point there); behind them scale and precision.
 */
export function numbers(k: i32, rows: i32, kind: i32, out: usize, table: usize): i32 {
  const zeros = v128.load(DIGITS), point = v128.load(DIGITS, 16), over = v128.load(DIGITS, 32);
  const ones = v128.load(DIGITS, 48), pairs = v128.load(DIGITS, 64), fours = v128.load(DIGITS, 80);
  const stride = <usize>rowMarks << 2, last = k == rowMarks - 1, step: usize = kind == DECIMAL ? 16 : 8;
  // No number of JSON has a needless zero in front.
  const padded: u32 = isJson ? 9 : 0;
  const spaced = isSpaced, mark = quote;
  let noted = oddAt;
  for (let row = 0, at = endsAt + (<usize>k << 2); row < rows; row++, at += stride, out += step) {
    let p = cellStart(at, spaced), q = cellEnd(at + 4, last);
    let c = load<u8>(p);
    let negative: i64 = 0;
    if (c < ZERO) {
      if (c == mark) {
        c = load<u8>(++p);
        q--;
      }
      if (c == MINUS) {
        c = load<u8>(++p);
        negative = -1;
      }
      if (c < ZERO) {
        noted = noteRow(noted, row);
        continue;
      }
    }
    const length = <u32>(q - p);
    if (c == ZERO && <u32>load<u8>(p, 1) - ZERO < padded) {
      noted = noteRow(noted, row);
      continue;
    }
    if (length - 1 > 15) {
      if (length - 1 > 31 || !longNumber(p, q, negative, kind, out, table)) {
        noted = noteRow(noted, row);
      }
      continue;
    }
    const text = v128.and(i8x16.sub(v128.load(q - 16), zeros), v128.load(TAILS + length));
    const j = <usize>ctz(i8x16.bitmask(i8x16.eq(text, point)) | 0x10000) << 4;
    const digits = v128.swizzle(text, v128.load(WITHOUT + j));
    if (i8x16.bitmask(i8x16.add_sat_u(digits, over))) {
      noted = noteRow(noted, row);
      continue;
    }
    const value = valueOf(digits, ones, pairs, fours);
    if (value > load<i64>(table + j, 8)) {
      noted = noteRow(noted, row);
      continue;
    }
    if (kind <= INTEGER) {
      const scaled = ((value * load<i64>(table + j)) ^ negative) - negative;
      store<i64>(out, scaled);
      if (kind == DECIMAL) store<i64>(out, scaled >> 63, 8);
    } else {
      const quotient = <f64>value / load<f64>(table + j);
      store<f64>(out, negative ? -quotient : quotient);
    }
  }
  return <i32>((noted - oddAt) >> 2);
}
