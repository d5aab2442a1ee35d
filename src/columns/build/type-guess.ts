import { NO_DATE, readDate } from "../../value/date.js";
import { NO_TIMESTAMP, readTimestamp, TOO_FINE } from "../../value/timestamp.js";

// The types that all cells so far have.
const NUMBER = 1;
const DATE = 2;
const TIMESTAMP = 4;
const BOOLEAN = 8;
const ANY = NUMBER | DATE | TIMESTAMP | BOOLEAN;

/** What a value of JSON may be, by its kind. */
export const JSON_NUMBER = NUMBER;
export const JSON_STRING = DATE | TIMESTAMP;
export const JSON_BOOLEAN = BOOLEAN;

const MINUS = 45;
const POINT = 46;
const ZERO = 48;
const T = 84;
const Z = 90;

/** Whole numbers of fewer digits are within 64 bits. */
const SAFE_DIGITS = 18;
const MAX_INT64 = 2n ** 63n - 1n;
const MIN_INT64 = -(2n ** 63n);
/** Digits of the widest decimal. */
const MAX_PRECISION = 76;

/**
 * Finds the service type of a column from all its cells: one that every cell has and that writes each cell as it was,
 * except that decimals and fractions of a second are padded with zeros. `007`, `1e5`, `+1`, `.5`, `-0` and `True` are
 * text, as are timestamps without a zone or in another one than UTC (`Z`).
 */
export class TypeGuess {
  private kinds = ANY;
  private isEmpty = true;
  /** The most digits before and after the point. */
  private whole = 0;
  private scale = 0;
  private isWide = false;

  /** Adds a cell that is not null, the bytes from `start` to `end`, which can only have the `allowed` types. */
  add(b: Uint8Array, start: number, end: number, allowed = ANY): void {
    this.isEmpty = false;
    const kinds = this.kinds & allowed;
    this.kinds = kinds;
    if (kinds === 0) return;
    let fits = 0;
    if ((kinds & NUMBER) !== 0 && this.addNumber(b, start, end)) fits = NUMBER;
    else if ((kinds & DATE) !== 0 && isDate(b, start, end)) fits = DATE;
    else if ((kinds & TIMESTAMP) !== 0 && isTimestamp(b, start, end)) fits = TIMESTAMP;
    else if ((kinds & BOOLEAN) !== 0 && isBoolean(b, start, end)) fits = BOOLEAN;
    this.kinds = fits;
  }

  /** Whether it is text whatever follows. */
  get isText(): boolean {
    return this.kinds === 0;
  }

  /** The service type; `String` where no cell has a value. */
  get type(): string {
    const { kinds, isEmpty, whole, scale } = this;
    if (isEmpty) return "String";
    if (kinds === DATE) return "Date";
    if (kinds === TIMESTAMP) return "DateTime";
    if (kinds === BOOLEAN) return "Boolean";
    if (kinds !== NUMBER) return "String";
    if (scale === 0 && !this.isWide) return "Integer";
    const precision = Math.max(1, whole + scale);
    return precision > MAX_PRECISION ? "String" : `BigDecimal(${precision},${scale})`;
  }

  private addNumber(b: Uint8Array, start: number, end: number): boolean {
    const isNegative = b[start] === MINUS;
    const first = isNegative ? start + 1 : start;
    let p = first;
    let isZero = true;
    for (; p < end && b[p] - ZERO >= 0 && b[p] - ZERO <= 9; p++) if (b[p] !== ZERO) isZero = false;
    const digits = p - first;
    if (digits === 0 || (digits > 1 && b[first] === ZERO)) return false;
    let scale = 0;
    if (p < end && b[p] === POINT) {
      const point = p++;
      for (; p < end && b[p] - ZERO >= 0 && b[p] - ZERO <= 9; p++) if (b[p] !== ZERO) isZero = false;
      scale = p - point - 1;
      if (scale === 0) return false;
    }
    if (p !== end || (isNegative && isZero)) return false;
    const whole = b[first] === ZERO ? 0 : digits;
    if (whole > this.whole) this.whole = whole;
    if (scale > this.scale) this.scale = scale;
    if (whole > SAFE_DIGITS && !this.isWide) this.isWide = !fitsInt64(b, start, first + digits);
    return true;
  }
}

function fitsInt64(b: Uint8Array, start: number, end: number): boolean {
  if (end - start > 20) return false;
  const value = BigInt(String.fromCharCode(...b.subarray(start, end)));
  return value >= MIN_INT64 && value <= MAX_INT64;
}

const isDate = (b: Uint8Array, start: number, end: number): boolean =>
  end - start === 10 && readDate(b, start) !== NO_DATE;

/** Such as `2024-02-29T12:00:00Z`, with up to three digits of a fraction. */
function isTimestamp(b: Uint8Array, start: number, end: number): boolean {
  const length = end - start;
  if (length < 20 || length > 24 || length === 21 || b[start + 10] !== T || b[end - 1] !== Z) return false;
  if ((length === 20) !== (b[start + 19] === Z)) return false;
  const ms = readTimestamp(b, start, end);
  return !Object.is(ms, NO_TIMESTAMP) && ms !== TOO_FINE;
}

const TRUE = Buffer.from("true");
const FALSE = Buffer.from("false");

const isBoolean = (b: Uint8Array, start: number, end: number): boolean =>
  isWord(b, start, end, TRUE) || isWord(b, start, end, FALSE);

function isWord(b: Uint8Array, start: number, end: number, word: Uint8Array): boolean {
  if (end - start !== word.length) return false;
  for (let i = 0; i < word.length; i++) if (b[start + i] !== word[i]) return false;
  return true;
}
