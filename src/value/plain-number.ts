import { withoutEnd } from "./without-end.js";

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
