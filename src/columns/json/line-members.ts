import { DataError } from "../../errors/errors.js";
import { jsonError, skipJson, skipSpace, skipString, unescapeString } from "../../format/json.js";
import { isUtf8, utf8Text } from "../../platform/node/bytes.js";

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN = 123;
const CLOSE = 125;

/** Receives the members of an object. */
export interface MemberReader {
  /** The number of the member whose name is between `from` and `to` if it is this one, else -1: names mostly repeat. */
  expected(b: Uint8Array, from: number, to: number): number;
  named(name: string, offset: number): number;
  /** Reads the value at `p`; returns the position after it. */
  value(member: number, p: number, end: number): number;
}

/**
 * Reads the object that fills the line from `start` to `end`, white space apart.
 *
 * @returns false for a line without anything
 * @throws {DataError} BadJson, TruncatedJson, BadUtf8, with offsets in `b`
 */
export function readMembers(b: Uint8Array, start: number, end: number, reader: MemberReader): boolean {
  let p = skipSpace(b, start, end);
  if (p >= end) return false;
  if (b[p] !== OPEN) throw jsonError(b, p, end, "an object");
  p = skipSpace(b, p + 1, end);
  if (p < end && b[p] === CLOSE) p++;
  else {
    for (;;) {
      if (p >= end || b[p] !== QUOTE) throw jsonError(b, Math.min(p, end), end, "a member name");
      const after = skipString(b, p, end);
      const to = after < 0 ? -after - 2 : after - 1;
      let member = after < 0 ? -1 : reader.expected(b, p + 1, to);
      if (member < 0) member = reader.named(nameOf(b, p + 1, to, after < 0), p);
      p = skipSpace(b, to + 1, end);
      if (p >= end || b[p] !== COLON) throw jsonError(b, p, end, '":"');
      p = skipSpace(b, p + 1, end);
      if (p >= end) throw jsonError(b, end, end, "a value");
      p = skipSpace(b, member < 0 ? skipJson(b, p, end) : reader.value(member, p, end), end);
      if (p < end && b[p] === CLOSE) break;
      if (p >= end || b[p] !== COMMA) throw jsonError(b, p, end, '"," or "}"');
      p = skipSpace(b, p + 1, end);
    }
    p++;
  }
  const rest = skipSpace(b, p, end);
  if (rest < end) throw jsonError(b, rest, end, "the end of the line");
  return true;
}

function nameOf(b: Uint8Array, from: number, to: number, isEscaped: boolean): string {
  let bytes = b.subarray(from, to);
  if (isEscaped) {
    const out = new Uint8Array(bytes.length);
    const length = unescapeString(b, from, to, out);
    bytes = out.subarray(0, Math.max(0, length));
    if (length < 0) throw badName(from);
  }
  if (!isUtf8(bytes)) throw badName(from);
  return utf8Text(bytes);
}

const badName = (offset: number): DataError =>
  new DataError(`The member name at byte ${offset} is not valid UTF-8.`, {
    code: "BadUtf8",
    offset,
    hint: "Pass the encoding of the file.",
  });
