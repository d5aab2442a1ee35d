import { withoutEnd } from "./text.js";

/** The most digits that are written out. */
const MOST_DIGITS = 76;

/**
 * A number of JSON without its exponent: `1.5e3` is `1500`, `-0` is `0`. Zeros at the end of a fraction stay, unless an
 * exponent makes them.
 *
 * @returns undefined for more than 76 digits
 */
export function plainNumber(text: string): string | undefined {
  const [, sign, whole, fraction = "", power = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const exponent = Number(power);
  const digits = whole + fraction;
  const isZero = /^0*$/.test(digits);
  if (exponent === 0) return (isZero && sign !== "" ? text.slice(1) : text).split(/[eE]/, 1)[0];
  if (isZero) return "0";
  const point = whole.length + exponent;
  if (Math.abs(point) > MOST_DIGITS) return undefined;
  const padded = point <= 0 ? "0".repeat(1 - point) + digits : digits.padEnd(point, "0");
  const at = Math.max(point, 1);
  const before = padded.slice(0, at).replace(/^0+(?=\d)/, "");
  const after = withoutEnd(padded.slice(at), "0");
  return `${sign}${before}${after === "" ? "" : `.${after}`}`;
}

/** The longest spelling of a double, such as `-0.0000012345678901234567`. */
const MOST_LENGTH = 25;

/** Whether a JSON number is a double: of the digits that JavaScript spells it with, in any notation. */
export function isSpelledDouble(text: string): boolean {
  if (text.length > MOST_LENGTH) return false;
  const value = Number(text);
  return Number.isFinite(value) && significantDigits(text) === significantDigits(String(value));
}

/** The digits of a number without its sign, from the first to the last that is not zero, and their power of ten. */
export function significantDigits(text: string): string {
  const [, whole = "", fraction = "", power = "0"] = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, "");
  const kept = withoutEnd(digits, "0");
  return kept === "" ? "0" : `${kept}e${Number(power) - fraction.length + digits.length - kept.length}`;
}
