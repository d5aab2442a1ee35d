import { InputError } from "../errors/errors.js";
import { shown } from "../errors/shown.js";
import { utf8Bytes, utf8Text } from "../platform/node/bytes.js";
import { formatDate } from "./date.js";
import { type DatePattern, datePattern, hourOf, minuteOf, secondOf } from "./date-pattern.js";
import { withoutEnd } from "./text.js";

/** How numbers and dates are written as text. */
export interface TextForm {
  /** Dates and timestamps (in UTC), with the directives of `strftime`: `%d/%m/%Y`, or letters: `dd/MM/yyyy`. */
  readonly format?: string | readonly string[] | undefined;
  /** The decimal point of numbers; default `.`. */
  readonly decimal?: string | undefined;
  /** What separates groups of three digits before the point; by default nothing. `" "` is any space. */
  readonly thousands?: string | undefined;
  /** Numbers are percentages, which end with `%`: `12%` is 0.12. */
  readonly percent?: boolean | undefined;
}

/**
 * Writes a cell, the bytes from `start` to `end`, as the cells of its type are: `1.234,50` as `1234.50`, `12%` as
 * `12e-2`, `31/12/2024` as `2024-12-31`. The bytes are {@link PlainCell.bytes}, until the next call.
 *
 * @returns their number; -1 for a cell of another form
 */
type ToPlain = (b: Uint8Array, start: number, end: number) => number;

/** A form as it reads the cells of each type; a type without a member is read as it is. */
export interface PlainCell {
  readonly bytes: Uint8Array;
  readonly number?: ToPlain;
  readonly date?: ToPlain;
  readonly datetime?: ToPlain;
  /** Whether a cell is a date with a time of the day. */
  readonly hasTime?: (b: Uint8Array, start: number, end: number) => boolean;
}

/** The most bytes of a cell of another form. Longer ones are neither numbers nor dates. */
const LONGEST = 1_024;

/** The exponent of a percentage. */
const HUNDREDTHS = utf8Bytes("e-2");

/**
 * @param percentages whether all numbers are percentages where `form.percent` is true, or those that end with `%`
 * @throws {InputError} BadArgument for separators that are not one character or the same, and for unknown patterns
 */
export function plainCell(form: TextForm, percentages: "all" | "some"): PlainCell {
  const bytes = new Uint8Array(LONGEST + HUNDREDTHS.length);
  const patterns = typeof form.format === "string" ? [form.format] : (form.format ?? []);
  const dates = patterns.map(datePattern);
  const hasNumbers = form.decimal !== undefined || form.thousands !== undefined || form.percent === true;
  return {
    bytes,
    ...(hasNumbers && { number: plainNumber(form, percentages, bytes) }),
    ...(dates.length > 0 && plainDates(dates, bytes)),
  };
}

const PERCENT = 37;
const PLUS = 43;
const MINUS = 45;
const POINT = 46;
const ZERO = 48;

const isDigit = (byte: number): boolean => byte >= ZERO && byte <= 57;

const SPACES = [" ", "\u00a0", "\u202f"].map((space) => utf8Bytes(space));

function plainNumber(
  { decimal = ".", thousands = "", percent = false }: TextForm,
  percentages: "all" | "some",
  out: Uint8Array,
): ToPlain {
  checkSeparators(decimal, thousands);
  const points = [utf8Bytes(decimal)];
  const groups = thousands === " " ? SPACES : thousands === "" ? [] : [utf8Bytes(thousands)];
  return (b, start, end) => {
    if (end - start > LONGEST) return -1;
    let [p, q] = [start, 0];
    if (b[p] === MINUS || b[p] === PLUS) out[q++] = b[p++];
    const first = p;
    // Digits since the last separator; three after each.
    let digits = 0;
    let isGrouped = false;
    for (; p < end; ) {
      if (isDigit(b[p])) {
        out[q++] = b[p++];
        digits++;
        continue;
      }
      const length = lengthOfAny(groups, b, p, end);
      if (length === 0) break;
      // `0.123` is not a number of thousands.
      const isFirst = !isGrouped && digits > 0 && digits <= 3 && b[first] !== ZERO;
      if (!isFirst && !(isGrouped && digits === 3)) return -1;
      isGrouped = true;
      digits = 0;
      p += length;
    }
    if (isGrouped && digits !== 3) return -1;
    const point = lengthOfAny(points, b, p, end);
    if (point > 0) {
      out[q++] = POINT;
      p += point;
    }
    let last = end;
    const isPercent = percent && b[end - 1] === PERCENT;
    if (percent && !isPercent && percentages === "all") return -1;
    if (isPercent) {
      last--;
      last -= SPACES.find((space) => endsWith(space, b, p, last))?.length ?? 0;
    }
    for (; p < last; p++) {
      // The reader of numbers checks the rest, such as an exponent.
      if (b[p] === POINT || (isPercent && !isDigit(b[p]))) return -1;
      out[q++] = b[p];
    }
    if (!isPercent) return q;
    out.set(HUNDREDTHS, q);
    return q + HUNDREDTHS.length;
  };
}

function checkSeparators(decimal: unknown, thousands: unknown): void {
  const isCharacter = (value: unknown): boolean =>
    typeof value === "string" && [...value].length === 1 && !/[\d+\-%"\p{L}\r\n]/u.test(value);
  if (isCharacter(decimal) && (thousands === "" || isCharacter(thousands)) && decimal !== thousands) return;
  throw new InputError(`Numbers with ${shown(decimal)} as point and ${shown(thousands)} between thousands.`, {
    code: "BadArgument",
    hint: 'Both are one character, and not the same: { decimal: ",", thousands: "." }.',
  });
}

/** The length of the text at `p`, which is one of these; 0 if it is another one. */
function lengthOfAny(texts: readonly Uint8Array[], b: Uint8Array, p: number, end: number): number {
  for (const text of texts) if (endsWith(text, b, p, p + text.length) && p + text.length <= end) return text.length;
  return 0;
}

function endsWith(text: Uint8Array, b: Uint8Array, start: number, end: number): boolean {
  const from = end - text.length;
  if (from < start) return false;
  for (let i = 0; i < text.length; i++) if (b[from + i] !== text[i]) return false;
  return true;
}

type Time = NonNullable<ReturnType<DatePattern["parse"]>>;

function plainDates(patterns: readonly DatePattern[], out: Uint8Array): Partial<PlainCell> {
  const timed = patterns.filter(({ hasTime }) => hasTime);
  const timestamp = rewritten(timed, out, isoTimestamp);
  return {
    date: rewritten(patterns, out, ({ days, nanos }) => (nanos === 0 ? formatDate(days) : undefined)),
    datetime: rewritten(patterns, out, isoTimestamp),
    hasTime: (b, start, end) => timestamp(b, start, end) >= 0,
  };
}

function isoTimestamp({ days, nanos }: Time): string {
  const [hour, minute, second] = [hourOf, minuteOf, secondOf].map((part) => String(part(nanos)).padStart(2, "0"));
  const fraction = withoutEnd(String(nanos % 1e9).padStart(9, "0"), "0");
  return `${formatDate(days)}T${hour}:${minute}:${second}${fraction === "" ? "" : `.${fraction}`}Z`;
}

/** The results of this many different texts are kept, as dates repeat. */
const REMEMBERED = 4_096;

function rewritten(
  patterns: readonly DatePattern[],
  out: Uint8Array,
  write: (time: Time) => string | undefined,
): ToPlain {
  const known = new Map<string, Uint8Array | undefined>();
  return (b, start, end) => {
    if (end - start > LONGEST) return -1;
    const text = utf8Text(b, start, end);
    if (!known.has(text)) {
      if (known.size === REMEMBERED) known.clear();
      const plain = firstOf(patterns, text, write);
      known.set(text, plain === undefined ? undefined : utf8Bytes(plain));
    }
    const bytes = known.get(text);
    if (bytes === undefined) return -1;
    out.set(bytes);
    return bytes.length;
  };
}

function firstOf(
  patterns: readonly DatePattern[],
  text: string,
  write: (time: Time) => string | undefined,
): string | undefined {
  for (const { parse } of patterns) {
    const time = parse(text);
    if (time !== undefined) return write(time);
  }
  return undefined;
}
