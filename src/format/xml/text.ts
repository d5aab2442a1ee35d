import { InputError } from "../../errors/errors.js";
import { latin1Text } from "../../platform/node/bytes.js";
import { writeCodePoint } from "../../value/text.js";
import { isReferable } from "./characters.js";

const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/**
 * The code point of a numeric reference, `#233` or `#xE9`; undefined for any other reference, NaN for a malformed
 * number.
 */
export function referredCode(body: string): number | undefined {
  if (!body.startsWith("#")) return undefined;
  if (/^#[0-9]+$/.test(body)) return Number(body.slice(1));
  return /^#x[0-9a-fA-F]+$/.test(body) ? Number.parseInt(body.slice(2), 16) : Number.NaN;
}

/** Whether this is a predefined entity, which needs no document type. */
export function isEntity(name: string): boolean {
  return Object.hasOwn(NAMED, name);
}

/**
 * Where text is: in a CDATA section an ampersand is literal, in an attribute white space becomes a space (XML 1.0, 2.7
 * and 3.3.3).
 */
export type TextPlace = "text" | "cdata" | "attribute";

/** Text that is decoded part by part: its bytes up to `end`. */
interface DecodedText {
  readonly bytes: Uint8Array;
  end: number;
}

/**
 * Decodes well-formed text: replaces references, normalizes line ends to line feeds (XML 1.0, 2.11) and appends UTF-8
 * to `text`, which needs no more room than the source.
 */
export function decodeXML(b: Uint8Array, start: number, end: number, place: TextPlace, text: DecodedText): void {
  const lineFeed = place === "attribute" ? 0x20 : 0x0a;
  const out = text.bytes;
  let n = text.end;
  for (let p = start; p < end; p++) {
    const c = b[p];
    if (c === 0x26 && place !== "cdata") {
      const semicolon = b.indexOf(0x3b, p);
      const body = latin1Text(b, p + 1, semicolon);
      n = writeCodePoint(referredCode(body) ?? NAMED[body].charCodeAt(0), out, n);
      p = semicolon;
    } else if (c === 0x0d || c === 0x0a) {
      if (c === 0x0d && b[p + 1] === 0x0a && p + 1 < end) p++;
      out[n++] = lineFeed;
    } else out[n++] = c === 0x09 && place === "attribute" ? 0x20 : c;
  }
  text.end = n;
}

/**
 * Decodes text of a web page or of XML that is not well-formed: the predefined entities and numeric references are
 * replaced, anything else is kept.
 */
export function decodeEntities(text: string): string {
  return text.replace(/&(#?\w{1,8});/g, (whole, body: string) => {
    const code = referredCode(body);
    if (code === undefined) return isEntity(body) ? NAMED[body] : whole;
    return isReferable(code, "1.0") ? String.fromCodePoint(code) : whole;
  });
}

/** Parses the value of a `nil` attribute, a boolean of XML Schema; undefined for any other value. */
export function readNil(value: string): boolean | undefined {
  switch (value.trim()) {
    case "true":
    case "1":
      return true;
    case "false":
    case "0":
      return false;
    default:
      return undefined;
  }
}

const IMPOSSIBLE = /[\u0000\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
const SPECIAL = /[&<>"\r\u0001-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028]/g;
const ANY_SPECIAL = /[&<>"\r\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\ud800-\udfff\ufffe\uffff]/;

/**
 * Escapes text for an element or an attribute. Control characters become references, which only XML 1.1 allows.
 *
 * @throws {InputError} NotInXml for NUL, lone surrogates, U+FFFE and U+FFFF
 */
export function escapeXML(text: string): string {
  if (!ANY_SPECIAL.test(text)) return text;
  if (IMPOSSIBLE.test(text)) {
    throw new InputError(
      "A string contains a character that XML cannot represent (NUL, a lone surrogate, U+FFFE or U+FFFF).",
      {
        code: "NotInXml",
        value: JSON.stringify(text),
        hint: "Request JSON or CSV.",
      },
    );
  }
  return text.replace(SPECIAL, (letter) => {
    switch (letter) {
      case "&":
        return "&amp;";
      case "<":
        return "&lt;";
      case ">":
        return "&gt;";
      case '"':
        return "&quot;";
      default:
        return `&#${letter.codePointAt(0)};`;
    }
  });
}

const NOT_PLAIN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Escapes any text for an element of XML 1.0; forbidden characters become U+FFFD. For messages, not for data. */
export function escapeAnyXML(text: string): string {
  return escapeXML(text.replace(NOT_PLAIN, "\ufffd"));
}
