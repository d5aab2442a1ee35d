import { DataError } from "../errors/errors.js";
import { isUtf8, utf8Text } from "../platform/node/bytes.js";
import { invalidUtf8, skipByteOrderMark, writeCodePoint } from "../value/text.js";

/** The deepest nesting that is accepted; far beyond any reply of the service. */
export const MAX_DEPTH = 1_000;

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const BACKSLASH = 92;
const OPEN_ARRAY = 91;
const CLOSE_ARRAY = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/** The error for malformed JSON, with the position and the text found there. */
export function jsonError(b: Uint8Array, p: number, end: number, expected: string): DataError {
  const found = p >= end ? "the end of the text" : JSON.stringify(utf8Text(b, p, Math.min(end, p + 20)));
  return new DataError(`Not valid JSON at byte ${p}: expected ${expected}, found ${found}.`, {
    code: p >= end ? "TruncatedJson" : "BadJson",
    offset: p,
    hint:
      p >= end ? "The reply is truncated; send the request again." : "The reply is not JSON; check its first bytes.",
  });
}

/** The position of the next byte that is not white space (tab, line feed, carriage return, space). */
export function skipSpace(b: Uint8Array, start: number, end: number): number {
  let p = start;
  while (p < end && (b[p] === 32 || b[p] === 10 || b[p] === 13 || b[p] === 9)) p++;
  return p;
}

/**
 * The position after the string whose opening quote is at `p`, or its bitwise complement if the string contains a
 * backslash.
 *
 * @throws {DataError} BadJson for a control character, a bad escape or a missing closing quote
 */
export function skipString(b: Uint8Array, start: number, end: number): number {
  let p = start + 1;
  let escaped = false;
  for (; p < end; p++) {
    const c = b[p];
    if (c === QUOTE) return escaped ? -p - 2 : p + 1;
    if (c < 32) throw jsonError(b, p, end, "no control character in a string");
    if (c === BACKSLASH) {
      escaped = true;
      p = skipEscape(b, p, end);
    }
  }
  throw jsonError(b, end, end, "a closing quote");
}

/** The position of the last byte of the escape at `p`. */
function skipEscape(b: Uint8Array, p: number, end: number): number {
  if (p + 1 >= end) throw jsonError(b, end, end, "an escape");
  switch (b[p + 1]) {
    case 34: // "
    case 92: // \
    case 47: // /
    case 98: // b
    case 102: // f
    case 110: // n
    case 114: // r
    case 116: // t
      return p + 1;
    case 117: // u
      for (let i = p + 2; i < p + 6; i++) {
        if (i >= end) throw jsonError(b, end, end, "four hexadecimal digits");
        if (hexDigit(b[i]) < 0) throw jsonError(b, i, end, "a hexadecimal digit");
      }
      return p + 5;
    default:
      throw jsonError(b, p, end, "a valid escape");
  }
}

function hexDigit(c: number): number {
  if (c >= 48 && c <= 57) return c - 48;
  const letter = c | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}

/**
 * The position after the number at `p`, by the grammar of RFC 8259: no leading zero or plus, digits on both sides of a
 * point.
 *
 * @throws {DataError} BadJson if the value is not a number
 */
export function skipNumber(b: Uint8Array, start: number, end: number): number {
  let p = start;
  if (b[p] === 45) p++;
  if (p < end && b[p] === 48) p++;
  else p = skipDigits(b, p, end);
  if (p < end && b[p] === 46) p = skipDigits(b, p + 1, end);
  if (p < end && (b[p] | 32) === 101) {
    p++;
    if (p < end && (b[p] === 43 || b[p] === 45)) p++;
    p = skipDigits(b, p, end);
  }
  return p;
}

function skipDigits(b: Uint8Array, start: number, end: number): number {
  let p = start;
  while (p < end && b[p] >= 48 && b[p] <= 57) p++;
  if (p === start) throw jsonError(b, p, end, "a digit");
  return p;
}

const LITERALS: readonly (readonly [number, string])[] = [
  [116, "true"],
  [102, "false"],
  [110, "null"],
];

/** The position after `true`, `false` or `null` at `p`. */
function skipLiteral(b: Uint8Array, p: number, end: number): number {
  for (const [first, word] of LITERALS) {
    if (b[p] !== first) continue;
    for (let i = 1; i < word.length; i++) {
      if (p + i >= end || b[p + i] !== word.charCodeAt(i)) throw jsonError(b, Math.min(p + i, end), end, word);
    }
    return p + word.length;
  }
  throw jsonError(b, p, end, "a value");
}

/** The position after the string, number or literal at `p`. */
export function skipScalar(b: Uint8Array, p: number, end: number): number {
  const c = b[p];
  if (c === QUOTE) {
    const after = skipString(b, p, end);
    return after < 0 ? -after - 1 : after;
  }
  if (c === 45 || (c >= 48 && c <= 57)) return skipNumber(b, p, end);
  return skipLiteral(b, p, end);
}

/** The position after the key and colon of an object member at `p`. */
export function skipKey(b: Uint8Array, p: number, end: number): number {
  if (b[p] !== QUOTE || p >= end) throw jsonError(b, Math.min(p, end), end, "a member name");
  const after = skipSpace(b, skipScalar(b, p, end), end);
  if (after >= end || b[after] !== COLON) throw jsonError(b, after, end, '":"');
  return skipSpace(b, after + 1, end);
}

/**
 * The position after the JSON value at `p` (not white space), whose grammar is checked without recursion.
 *
 * @throws {DataError} BadJson, TruncatedJson with the byte offset
 */
export function skipJson(b: Uint8Array, start: number, end: number): number {
  const closers: number[] = [];
  let p = start;
  for (;;) {
    if (p >= end) throw jsonError(b, end, end, "a value");
    const c = b[p];
    if (c === OPEN_ARRAY || c === OPEN_OBJECT) {
      if (closers.length >= MAX_DEPTH) throw jsonError(b, p, end, `at most ${MAX_DEPTH} levels`);
      const closer = c + 2;
      p = skipSpace(b, p + 1, end);
      if (p < end && b[p] === closer) p++;
      else {
        closers.push(closer);
        if (closer === CLOSE_OBJECT) p = skipKey(b, p, end);
        continue;
      }
    } else p = skipScalar(b, p, end);
    // A value has ended: close the containers that end with it, or continue with the next value.
    for (;;) {
      if (closers.length === 0) return p;
      p = skipSpace(b, p, end);
      const closer = closers[closers.length - 1];
      if (p < end && b[p] === closer) {
        closers.pop();
        p++;
        continue;
      }
      if (p >= end || b[p] !== COMMA) throw jsonError(b, p, end, closer === CLOSE_ARRAY ? '"," or "]"' : '"," or "}"');
      p = skipSpace(b, p + 1, end);
      if (closer === CLOSE_OBJECT) p = skipKey(b, p, end);
      break;
    }
  }
}

/**
 * Checks that bytes are one JSON text in UTF-8, by the grammar of RFC 8259; a leading byte order mark is allowed.
 *
 * @throws {DataError} BadJson, TruncatedJson, BadUtf8 with the byte offset
 */
export function checkJson(bytes: Uint8Array): void {
  checkUtf8(bytes);
  const p = skipJson(bytes, skipSpace(bytes, skipByteOrderMark(bytes), bytes.length), bytes.length);
  const rest = skipSpace(bytes, p, bytes.length);
  if (rest < bytes.length) throw jsonError(bytes, rest, bytes.length, "the end of the text");
}

/**
 * Rejects bytes that are not valid UTF-8.
 *
 * @throws {DataError} BadUtf8 with the byte offset
 */
export function checkUtf8(bytes: Uint8Array): void {
  if (isUtf8(bytes)) return;
  const offset = invalidUtf8(bytes, 0, bytes.length);
  throw new DataError(`The text is not valid UTF-8 at byte ${offset}.`, {
    code: "BadUtf8",
    offset,
    hint: "The reply is corrupt or in another encoding; the service writes UTF-8.",
  });
}

/**
 * Decodes the string between the quotes at `start` and `end` (both exclusive of the quotes) as UTF-8 into `out`, which
 * needs no more room than the source.
 *
 * @returns the number of bytes, or -1 for a lone surrogate, which UTF-8 cannot represent
 */
export function unescapeString(b: Uint8Array, start: number, end: number, out: Uint8Array): number {
  let n = 0;
  for (let p = start; p < end; p++) {
    if (b[p] !== BACKSLASH) {
      out[n++] = b[p];
      continue;
    }
    p++;
    if (b[p] !== 117) {
      out[n++] = plainEscape(b[p]);
      continue;
    }
    let code = fourHex(b, p + 1);
    p += 4;
    if (code >= 0xd800 && code <= 0xdfff) {
      const low = b[p + 1] === BACKSLASH && b[p + 2] === 117 && p + 6 < end ? fourHex(b, p + 3) : -1;
      if (code > 0xdbff || low < 0xdc00 || low > 0xdfff) return -1;
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
      p += 6;
    }
    n = writeCodePoint(code, out, n);
  }
  return n;
}

/** The byte that a one-letter escape denotes. */
function plainEscape(c: number): number {
  switch (c) {
    case 98:
      return 8;
    case 102:
      return 12;
    case 110:
      return 10;
    case 114:
      return 13;
    case 116:
      return 9;
    default:
      return c;
  }
}

function fourHex(b: Uint8Array, p: number): number {
  return (hexDigit(b[p]) << 12) | (hexDigit(b[p + 1]) << 8) | (hexDigit(b[p + 2]) << 4) | hexDigit(b[p + 3]);
}
