import { indexOfBytes, isUtf8, joinedBytes, latin1Text, utf8Bytes, utf8Text } from "../../platform/node/bytes.js";
import { invalidUtf8 } from "../../value/text.js";
import type { XMLVersion } from "./characters.js";
import { XMLCursor, xmlError } from "./cursor.js";

/**
 * Opens a document in UTF-8, with or without a byte order mark, after its XML declaration.
 *
 * @throws {DataError} BadXml for another encoding or a malformed declaration
 */
export function openXML(source: Uint8Array): XMLCursor {
  // A Buffer among plain arrays would slow down every loop over bytes.
  const bytes = new Uint8Array(source.buffer, source.byteOffset, source.length);
  refuseOtherEncodings(bytes);
  if (!isUtf8(bytes)) throw xmlError(bytes, invalidUtf8(bytes, 0, bytes.length), "expected UTF-8");
  const mark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  const { version, end } = readDeclaration(bytes, mark);
  const b = version === "1.1" ? withLineFeeds(bytes, end) : bytes;
  return new XMLCursor(b, end, b.length, version);
}

function refuseOtherEncodings(b: Uint8Array): void {
  const marked = (b[0] === 0xfe && b[1] === 0xff) || (b[0] === 0xff && b[1] === 0xfe);
  if (!marked && b[0] !== 0 && !(b[0] === 0x3c && b[1] === 0)) return;
  throw xmlError(b, 0, "expected UTF-8; this is UTF-16 or UTF-32", ENCODING_HINT);
}

const ENCODING_HINT = "The service writes UTF-8; a proxy may have changed the reply.";

const SPACE = "[ \\t\\r\\n]";
const QUOTED = (value: string): string => `${SPACE}*=${SPACE}*(?:"${value}"|'${value}')`;
/** XMLDecl of XML 1.0, 2.8, which is a regular language. */
const DECLARATION = new RegExp(
  `^<\\?xml${SPACE}+version${QUOTED("(1\\.[0-9]+)")}(?:${SPACE}+encoding${QUOTED("([A-Za-z][-A-Za-z0-9._]*)")})?` +
    `(?:${SPACE}+standalone${QUOTED("(?:yes|no)")})?${SPACE}*\\?>$`,
);

const DECLARATION_END = utf8Bytes("?>");

/** The declared version (1.0 by default), and the position after the declaration. */
function readDeclaration(b: Uint8Array, start: number): { readonly version: XMLVersion; readonly end: number } {
  // Another instruction may start with the same letters, such as xml-stylesheet.
  if (!/^<\?xml(?:[ \t\r\n?]|$)/.test(latin1Text(b, start, start + 6))) return { version: "1.0", end: start };
  const close = indexOfBytes(b, DECLARATION_END, start);
  if (close < 0) throw xmlError(b, b.length, 'expected "?>" after the XML declaration');
  const match = DECLARATION.exec(latin1Text(b, start, close + 2));
  if (match === null) throw xmlError(b, start, 'expected an XML declaration such as <?xml version="1.0"?>');
  const encoding = match[3] ?? match[4];
  if (encoding !== undefined && !/^(?:utf-?8|us-ascii)$/i.test(encoding)) {
    throw xmlError(b, start, `expected UTF-8; the encoding is ${encoding}`, ENCODING_HINT);
  }
  return { version: (match[1] ?? match[2]) === "1.1" ? "1.1" : "1.0", end: close + 2 };
}

const LINE_ENDS = ["\u0085", "\u2028"].map(utf8Bytes);

/**
 * In XML 1.1, U+0085 and U+2028 are line ends everywhere (2.11). If a document contains one of these rare characters,
 * all of its line ends are normalized before parsing.
 */
function withLineFeeds(bytes: Uint8Array, start: number): Uint8Array {
  if (LINE_ENDS.every((end) => indexOfBytes(bytes, end, start) < 0)) return bytes;
  const text = utf8Text(bytes, start).replace(/\r\n|\r\u0085|[\r\u0085\u2028]/g, "\n");
  return joinedBytes([bytes.subarray(0, start), utf8Bytes(text)]);
}
