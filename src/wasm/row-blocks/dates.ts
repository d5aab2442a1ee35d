import { endsAt, isJson, isSpaced, oddAt, quote, rowMarks } from "./block";
import { cellEnd, cellStart, noteRow } from "./cells";
import { DIGITS } from "./digits";

/** The order `YYYYMMDD--` of the bytes of `YYYY-MM-DD`; the zeros to subtract; what makes wrong ones negative. */
const DATES = memory.data<u8>([
  0,1,2,3,5,6,8,9,4,7,255,255,255,255,255,255, 48,48,48,48,48,48,48,48,45,45,0,0,0,0,0,0,
  118,118,118,118,118,118,118,118,127,127,127,127,127,127,127,127,
]);
/** Days before each month (1 to 13) of a common year, from 16 on of a leap year. */
const BEFORE_MONTH = memory.data<i32>([
  0,0,31,59,90,120,151,181,212,243,273,304,334,365,0,0, 0,0,31,60,91,121,152,182,213,244,274,305,335,366,
]);

/** Dates `YYYY-MM-DD` of the years 1 to 9999 as days from 1970-01-01, the calendar checked (spec 2.6). */
export function dates(k: i32, rows: i32, out: usize): i32 {
  const order = v128.load(DATES), off = v128.load(DATES, 16), over = v128.load(DATES, 32), ones = v128.load(DIGITS, 48);
  const stride = <usize>rowMarks << 2, last = k == rowMarks - 1, spaced = isSpaced, mark = quote;
  let noted = oddAt;
  // The month before, as its text `YYYY-MM-`, the day before its first, and how many days it has: dates mostly repeat
  // it.
  let known: i64 = 0, before: i32 = 0, days: u32 = 0;
  for (let row = 0, at = endsAt + (<usize>k << 2); row < rows; row++, at += stride, out += 4) {
    let p = cellStart(at, spaced), q = cellEnd(at + 4, last);
    const quoted = load<u8>(p) == mark;
    if (quoted) {
      p++;
      q--;
    }
    if (q - p != 10 || (isJson && !quoted)) {
      noted = noteRow(noted, row);
      continue;
    }
    const text = load<i64>(p);
    if (text != known) {
      const parts = i8x16.sub(v128.swizzle(v128.load(p), order), off);
      const two = i64x2.extract_lane(i16x8.shr_u(i16x8.mul(parts, ones), 8), 0);
      const y = <u32>(two & 0xffff) * 100 + (<u32>two >>> 16), m = <u32>(two >>> 32) & 0xffff;
      if (i8x16.bitmask(i8x16.add_sat_u(parts, over)) != 0 || m - 1 > 11 || y == 0) {
        noted = noteRow(noted, row);
        continue;
      }
      const leap: u32 = (y % 100 == 0 ? y & 15 : y & 3) == 0 ? 16 : 0;
      const month = BEFORE_MONTH + (<usize>(m + leap) << 2);
      const n = y - 1;
      known = text;
      before = <i32>(365 * n + n / 4 - n / 100 + n / 400) - 719163 + load<i32>(month);
      days = <u32>(load<i32>(month, 4) - load<i32>(month));
    }
    const tens = <u32>load<u8>(p, 8) - 48, units = <u32>load<u8>(p, 9) - 48;
    const day = tens * 10 + units;
    if (units > 9 || day - 1 >= days) {
      noted = noteRow(noted, row);
      continue;
    }
    store<i32>(out, before + <i32>day);
  }
  return <i32>((noted - oddAt) >> 2);
}
