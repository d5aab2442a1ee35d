import { InputError } from "../../errors/errors.js";

const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Text with the five entities of XML and numeric references replaced, once; anything else that looks like one is kept. */
export function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|([a-z]+));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return Object.hasOwn(NAMED, name) ? NAMED[name] : whole;
    const point = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return point > 0 && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff) ? String.fromCodePoint(point) : whole;
  });
}

const IMPOSSIBLE = /[\u0000\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
const SPECIAL = /[&<>"\r\u0001-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028]/g;
const ANY_SPECIAL = /[&<>"\r\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\ud800-\udfff\ufffe\uffff]/;

/** Text for an element or an attribute; control characters as references, which only XML 1.1 allows. Throws an {@link InputError} `NotInXml` for NUL, lone surrogates and U+FFFE, U+FFFF. */
export function escapeXML(text: string): string {
  if (!ANY_SPECIAL.test(text)) return text;
  if (IMPOSSIBLE.test(text)) {
    throw new InputError(
      "A text holds a character that XML cannot carry (NUL, half a surrogate pair, U+FFFE or U+FFFF).",
      {
        code: "NotInXml",
        value: JSON.stringify(text),
        hint: "Ask for JSON or CSV.",
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

/** Text for an element of XML 1.0 whatever it holds: characters that cannot be there become U+FFFD. For messages, not for data. */
export function escapeAnyXML(text: string): string {
  return escapeXML(text.replace(NOT_PLAIN, "\ufffd"));
}
