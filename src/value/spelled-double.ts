import { withoutEnd } from "./without-end.js";

/** The longest spelling of a double, such as `-0.0000012345678901234567`. */
const MOST_LENGTH = 25;

/** Whether a JSON number is a double: of the digits that JavaScript spells it with, in any notation. */
export function isSpelledDouble(text: string): boolean {
  if (text.length > MOST_LENGTH) return false;
  const value = Number(text);
  return Number.isFinite(value) && significant(text) === significant(String(value));
}

/** The digits of a number without its sign, from the first to the last that is not zero, and their power of ten. */
function significant(text: string): string {
  const [, whole = "", fraction = "", power = "0"] = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, "");
  const kept = withoutEnd(digits, "0");
  return kept === "" ? "0" : `${kept}e${Number(power) - fraction.length + digits.length - kept.length}`;
}
