/** A count with commas: `30,180`. */
export const grouped = (count: number | string): string => String(count).replace(/\B(?=(\d{3})+(?!\d))/g, ",");

/** The text of a number with commas before its point: `-1,234.5678`. */
export const groupedNumber = (text: string): string => text.replace(/^-?\d+/, grouped);

/** A byte count in readable units: `812 B`, `2.4 MB` (steps of 1,000). */
export function sizeText(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return unit === 0 ? `${value} B` : `${value.toFixed(value < 10 ? 1 : 0)} ${units[unit]}`;
}

/** Doubles of up to this many significant digits are shown whole: prices and counts, not results of a division. */
const WHOLE_DIGITS = 10;
const SHORT_DIGITS = 6;
/** Digits after the point that a large number keeps. */
const LARGE_PLACES = 2;

/**
 * The text of a double for a table: whole where it has at most 10 significant digits, otherwise rounded to 6, or to 2
 * after the point where more digits are before it. Integers and text that is not a finite number stay.
 */
export function shortNumber(text: string): string {
  const digits = /^-?(\d+)(?:\.(\d+))?(?:e[+-]\d+)?$/.exec(text);
  if (digits === null || /^-?\d+$/.test(text)) return text;
  const [, whole, places = ""] = digits;
  if ((whole + places).replace(/^0+/, "").length <= WHOLE_DIGITS) return text;
  const isPlain = !text.includes("e");
  const precision = isPlain ? Math.max(SHORT_DIGITS, whole.length + LARGE_PLACES) : SHORT_DIGITS;
  return String(Number(Number(text).toPrecision(Math.min(precision, 17))));
}
