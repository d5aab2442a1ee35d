import { InputError } from "../../errors/errors.js";
import { suggestion } from "../../errors/nearest.js";
import { latin1Text, utf8Bytes } from "../../platform/node/bytes.js";
import { unitDigits } from "../../spec/columns.js";
import { NO_DATE, readDate } from "../../value/date.js";
import { isSpelledDouble } from "../../value/json-number.js";
import type { PlainCell } from "../../value/text-form.js";
import { readTime, time } from "../../value/timestamp.js";

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

const PERCENT = 37;
/** Bytes of the exponent that a percentage is written with. */
const EXPONENT = 3;
const MINUS = 45;
const POINT = 46;
const ZERO = 48;

/** Whole numbers of fewer digits are within 64 bits. */
const SAFE_DIGITS = 18;
const MAX_INT64 = 2n ** 63n - 1n;
const MIN_INT64 = -(2n ** 63n);
/** The most digits of a second that Arrow has, and the milliseconds that 64 bits hold as nanoseconds. */
const MAX_SECOND_DIGITS = 9;
const MAX_NANOS_MS = 9_223_372_036_853;
/** Digits of the widest decimal. */
const MAX_PRECISION = 76;

/**
 * Finds the service type of a column from all its cells: one that every cell has and that writes each cell as it was,
 * except that decimals and fractions of a second are padded with zeros and timestamps are in UTC, as those without a
 * zone are. Numbers beside `NaN` or infinities are doubles. `007`, `1e5`, `+1`, `.5`, `-0` and `True` are text, as are
 * timestamps with a zone beside others without, and percentages beside other numbers. Cells of another form
 * ({@link PlainCell}) have the types of what they mean.
 */
export class TypeGuess {
  private kinds = ANY;
  /** Whether no cell has a value. */
  isEmpty = true;
  /** The most digits before and after the point. */
  private whole = 0;
  private scale = 0;
  private isWide = false;
  private hasNumber = false;
  /** Whether a cell is NaN or an infinity. */
  private isNamed = false;
  /** Whether doubles hold all numbers, as far as their digits say; the first long ones are compared at the end. */
  private fitsDouble = true;
  private readonly long: string[] = [];
  /** The most digits of a second, and whether nanoseconds of 64 bits hold all times. */
  private secondDigits = 0;
  private fitsNanos = true;
  /** Whether all times have a zone, or none; undefined before the first one. */
  private hasZone: boolean | undefined;
  /** Whether all numbers are percentages, or none; undefined before the first one. */
  private hasPercent: boolean | undefined;

  constructor(private readonly plain?: PlainCell) {}

  /** Adds a cell that is not null, the bytes from `start` to `end`, which can only have the `allowed` types. */
  add(b: Uint8Array, start: number, end: number, allowed = ANY): void {
    this.isEmpty = false;
    const kinds = this.kinds & allowed;
    this.kinds = kinds;
    if (kinds === 0) return;
    let fits = 0;
    if ((kinds & NUMBER) !== 0 && this.addAnyNumber(b, start, end)) fits = NUMBER;
    else if ((kinds & NUMBER) !== 0 && allowed === ANY && isNamedDouble(b, start, end)) fits = this.addNamed();
    else if ((kinds & DATE) !== 0 && this.isDate(b, start, end)) fits = DATE;
    else if ((kinds & TIMESTAMP) !== 0 && this.isTimestamp(b, start, end)) fits = TIMESTAMP;
    else if ((kinds & BOOLEAN) !== 0 && isBoolean(b, start, end)) fits = BOOLEAN;
    this.kinds = fits;
  }

  /** Whether it is text whatever follows. */
  get isText(): boolean {
    return this.kinds === 0;
  }

  /** The service type; `String` where no cell has a value. */
  get type(): string {
    const { kinds, isEmpty } = this;
    const shift = this.hasPercent ? 2 : 0;
    const [whole, scale] = [Math.max(0, this.whole - shift), this.scale + shift];
    if (isEmpty) return "String";
    if (kinds === DATE) return "Date";
    if (kinds === TIMESTAMP) return this.timeType;
    if (kinds === BOOLEAN) return "Boolean";
    if (kinds !== NUMBER) return "String";
    if (this.isNamed)
      return this.hasNumber && !this.hasPercent && this.fitsDouble && this.long.every(isSpelledDouble)
        ? "double"
        : "String";
    if (scale === 0 && !this.isWide) return "Integer";
    const precision = Math.max(1, whole + scale);
    return precision > MAX_PRECISION ? "String" : `BigDecimal(${precision},${scale})`;
  }

  private addAnyNumber(b: Uint8Array, start: number, end: number): boolean {
    const { plain } = this;
    if (plain?.number === undefined) return this.addNumber(b, start, end);
    const length = plain.number(b, start, end);
    if (length < 0) return false;
    const hasPercent = b[end - 1] === PERCENT;
    const last = hasPercent ? length - EXPONENT : length;
    if (!this.addNumber(plain.bytes, 0, last) || (this.hasPercent ?? hasPercent) !== hasPercent) return false;
    this.hasPercent = hasPercent;
    return true;
  }

  private isDate(b: Uint8Array, start: number, end: number): boolean {
    const { plain } = this;
    if (plain?.date === undefined) return isDate(b, start, end);
    return plain.date(b, start, end) >= 0 && plain.hasTime?.(b, start, end) === false;
  }

  private isTimestamp(b: Uint8Array, start: number, end: number): boolean {
    const { plain } = this;
    if (plain?.datetime === undefined) return readTime(b, start, end) && this.addTime();
    const length = plain.hasTime?.(b, start, end) === true ? plain.datetime(b, start, end) : -1;
    return length >= 0 && readTime(plain.bytes, 0, length) && this.addTime();
  }

  /** Adds the time that was read. */
  private addTime(): boolean {
    const { finest, hasZone, ms } = time;
    if (finest > MAX_SECOND_DIGITS || (this.hasZone ?? hasZone) !== hasZone) return false;
    this.hasZone = hasZone;
    this.secondDigits = Math.max(this.secondDigits, finest);
    if (Math.abs(ms) > MAX_NANOS_MS) this.fitsNanos = false;
    return true;
  }

  private get timeType(): string {
    const digits = unitDigits(this.secondDigits);
    if (digits === 9 && !this.fitsNanos) return "String";
    return digits === 3 ? "DateTime" : `DateTime(${digits})`;
  }

  private addNamed(): number {
    this.isNamed = true;
    return NUMBER;
  }

  /** Adds a number of more characters than every double has. */
  private addLong(b: Uint8Array, start: number, first: number, end: number, whole: number): void {
    let zeros = 0;
    while (b[first + zeros] === ZERO || b[first + zeros] === POINT) zeros++;
    const significant = end - first - zeros - (zeros <= whole && whole < end - first ? 1 : 0);
    if (whole > MOST_WHOLE || significant > MOST_DIGITS) this.fitsDouble = false;
    else if (this.isNamed) this.fitsDouble = isSpelledDouble(latin1(b, start, end));
    else if (this.long.length < HELD) this.long.push(latin1(b, start, end));
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
    this.hasNumber = true;
    if (end - first > SAFE_LENGTH && this.fitsDouble) this.addLong(b, start, first, end, digits);
    const whole = b[first] === ZERO ? 0 : digits;
    if (whole > this.whole) this.whole = whole;
    if (scale > this.scale) this.scale = scale;
    if (whole > SAFE_DIGITS && !this.isWide) this.isWide = !fitsInt64(b, start, first + digits);
    return true;
  }
}

/** A double of no more characters, without its sign, has all of them. */
const SAFE_LENGTH = 16;
/** The most significant digits that a double is spelled with, and as a whole number the most that it always holds. */
const MOST_DIGITS = 17;
const MOST_WHOLE = 15;
/** This many long numbers are compared with their doubles, and all after the first name. */
const HELD = 64;

/** As Python, pandas, polars, Arrow and this package write them; `Inf` and `NAN` may be names. */
const NAMES = new Set(["nan", "NaN", "inf", "-inf", "Infinity", "-Infinity"]);

function isNamedDouble(b: Uint8Array, start: number, end: number): boolean {
  const length = end - start;
  return length >= 3 && length <= 9 && (b[end - 1] | 32) > 96 && NAMES.has(latin1(b, start, end));
}

const latin1 = (b: Uint8Array, start: number, end: number): string => latin1Text(b, start, end);

function fitsInt64(b: Uint8Array, start: number, end: number): boolean {
  if (end - start > 20) return false;
  const value = BigInt(String.fromCharCode(...b.subarray(start, end)));
  return value >= MIN_INT64 && value <= MAX_INT64;
}

const isDate = (b: Uint8Array, start: number, end: number): boolean =>
  end - start === 10 && readDate(b, start) !== NO_DATE;

const TRUE = utf8Bytes("true");
const FALSE = utf8Bytes("false");

const isBoolean = (b: Uint8Array, start: number, end: number): boolean =>
  isWord(b, start, end, TRUE) || isWord(b, start, end, FALSE);

function isWord(b: Uint8Array, start: number, end: number, word: Uint8Array): boolean {
  if (end - start !== word.length) return false;
  for (let i = 0; i < word.length; i++) if (b[start + i] !== word[i]) return false;
  return true;
}

/**
 * Refuses types that are declared for columns which a file does not have.
 *
 * @param what a name in `names`, for the message
 * @throws {InputError} UnknownColumn
 */
export function checkTyped(types: Readonly<Record<string, string>>, names: readonly string[], what: string): void {
  const unknown = Object.keys(types).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new InputError(`types names ${JSON.stringify(unknown)}, which is not ${what}.`, {
    code: "UnknownColumn",
    column: unknown,
    hint: suggestion(unknown, names, "columns"),
  });
}
