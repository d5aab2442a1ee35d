import { padded } from "./digits";

/** Days from 0000-03-01 to 1970-01-01; days from 1970-01-01 to 9999-12-31. */
const BEFORE: i64 = 719468;
const LAST: i64 = 2932896;

const DASH: u8 = 45;
const COLON: u8 = 58;
const POINT: u8 = 46;
const TEE: u8 = 84;
const ZED: u8 = 90;

const SECONDS_PER_DAY: i64 = 86400;

/** Writes `YYYY-MM-DD` of days since 1970-01-01; returns 0 for those before 0000-03-01 or after 9999-12-31. */
export function date(days: i64, out: usize): usize {
  if (days < -BEFORE || days > LAST) return 0;
  const z = <u32>(days + BEFORE);
  const era = z / 146097;
  const dayOfEra = z - era * 146097;
  const yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146096) / 365;
  const dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
  const shifted = (5 * dayOfYear + 2) / 153;
  const month = shifted < 10 ? shifted + 3 : shifted - 9;
  padded(yearOfEra + era * 400 + (month <= 2 ? 1 : 0), 4, out);
  store<u8>(out, DASH, 4);
  padded(month, 2, out + 5);
  store<u8>(out, DASH, 7);
  return padded(dayOfYear - (153 * shifted + 2) / 5 + 1, 2, out + 8);
}

/**
 * Writes `YYYY-MM-DDThh:mm:ssZ`, with the fraction of the second in as many groups of three digits as it needs; returns
 * 0 for a day that {@link date} does not write.
 *
 * @param units units of 10^-`digits` seconds since 1970-01-01; `digits` is 0, 3, 6 or 9, `perSecond` 10^`digits`
 */
export function timestamp(units: i64, digits: u32, perSecond: i64, out: usize): usize {
  let seconds = units / perSecond;
  let rest = units - seconds * perSecond;
  if (rest < 0) {
    seconds--;
    rest += perSecond;
  }
  let days = seconds / SECONDS_PER_DAY;
  let time = seconds - days * SECONDS_PER_DAY;
  if (time < 0) {
    days--;
    time += SECONDS_PER_DAY;
  }
  let p = date(days, out);
  if (p == 0) return 0;
  const hours = <u32>time / 3600;
  const minutes = (<u32>time / 60) % 60;
  store<u8>(p, TEE);
  p = padded(hours, 2, p + 1);
  store<u8>(p, COLON);
  p = padded(minutes, 2, p + 1);
  store<u8>(p, COLON);
  p = padded(<u32>time % 60, 2, p + 1);
  if (rest > 0) {
    let width = digits;
    for (; rest % 1000 == 0; rest /= 1000) width -= 3;
    store<u8>(p, POINT);
    p = padded(rest, width, p + 1);
  }
  store<u8>(p, ZED);
  return p + 1;
}
