/* Characters and names of XML by code point (XML 1.0, 2.2 and 2.3); XML 1.1 allows fewer literal control characters. */

/** The two versions of XML; every `1.x` except 1.1 is read as 1.0 (XML 1.0, 2.8). */
export type XMLVersion = "1.0" | "1.1";

/** The role of a byte in the loops over text and attribute values. */
export const PLAIN = 0;
export const LESS_THAN = 1;
export const AMPERSAND = 2;
export const CARRIAGE_RETURN = 3;
export const CLOSING_BRACKET = 4;
/** The byte may begin a character that XML does not allow. */
export const SUSPECT = 5;

function byteKinds(version: XMLVersion): Uint8Array {
  const kinds = new Uint8Array(256);
  kinds.fill(SUSPECT, 0, 0x20);
  for (const space of [0x09, 0x0a]) kinds[space] = PLAIN;
  kinds[0x0d] = CARRIAGE_RETURN;
  kinds[0x26] = AMPERSAND;
  kinds[0x3c] = LESS_THAN;
  kinds[0x5d] = CLOSING_BRACKET;
  // U+FFFE and U+FFFF begin with EF; XML 1.1 allows U+007F to U+009F, which begin with C2, as references only.
  kinds[0xef] = SUSPECT;
  if (version === "1.1") for (const byte of [0x7f, 0xc2]) kinds[byte] = SUSPECT;
  return kinds;
}

/** The kind of each byte, by version. */
export const BYTE_KINDS: Readonly<Record<XMLVersion, Uint8Array>> = {
  "1.0": byteKinds("1.0"),
  "1.1": byteKinds("1.1"),
};

/** Whether a document may contain the character at `p`, whose first byte is {@link SUSPECT}. */
export function isAllowedAt(b: Uint8Array, p: number, version: XMLVersion): boolean {
  if (b[p] === 0xef) return !(b[p + 1] === 0xbf && b[p + 2] >= 0xbe);
  return b[p] === 0xc2 && (version === "1.0" || b[p + 1] >= 0xa0 || b[p + 1] === 0x85);
}

/** Whether a reference to this character is allowed. */
export function isReferable(code: number, version: XMLVersion): boolean {
  if (code < 0x20) return code === 0x09 || code === 0x0a || code === 0x0d || (version === "1.1" && code > 0);
  return code < 0xd800 || (code > 0xdfff && code < 0xfffe) || (code > 0xffff && code <= 0x10ffff);
}

/** Ranges of code points above U+007F that may begin a name. */
const NAME_STARTS = [
  [0xc0, 0xd6],
  [0xd8, 0xf6],
  [0xf8, 0x2ff],
  [0x370, 0x37d],
  [0x37f, 0x1fff],
  [0x200c, 0x200d],
  [0x2070, 0x218f],
  [0x2c00, 0x2fef],
  [0x3001, 0xd7ff],
  [0xf900, 0xfdcf],
  [0xfdf0, 0xfffd],
  [0x10000, 0xeffff],
] as const;

/** Further ranges that may follow in a name. */
const NAME_REST = [
  [0xb7, 0xb7],
  [0x300, 0x36f],
  [0x203f, 0x2040],
] as const;

const isWithin = (code: number, ranges: readonly (readonly [number, number])[]): boolean =>
  ranges.some(([first, last]) => code >= first && code <= last);

/** By ASCII byte: 2 for characters that may begin a name, 1 for those that may only follow. */
const ASCII_NAMES = Uint8Array.from({ length: 128 }, (_, code) => {
  const letter = String.fromCharCode(code);
  return /[A-Za-z_:]/.test(letter) ? 2 : /[-.0-9]/.test(letter) ? 1 : 0;
});

/** The position after the name at `start`; `start` itself if there is none. The bytes must be valid UTF-8. */
export function nameEnd(b: Uint8Array, start: number): number {
  let p = start;
  for (let least = 2; ; least = 1) {
    while (b[p] < 128 && ASCII_NAMES[b[p]] >= least) {
      p++;
      least = 1;
    }
    if (!(b[p] >= 128)) return p;
    const code = codePointAt(b, p);
    if (!isWithin(code, NAME_STARTS) && (least === 2 || !isWithin(code, NAME_REST))) return p;
    p += utf8Length(code);
  }
}

/** The code point of the non-ASCII character at `p`. */
function codePointAt(b: Uint8Array, p: number): number {
  const rest = (i: number): number => b[p + i] & 0x3f;
  if (b[p] < 0xe0) return ((b[p] & 0x1f) << 6) | rest(1);
  if (b[p] < 0xf0) return ((b[p] & 0x0f) << 12) | (rest(1) << 6) | rest(2);
  return ((b[p] & 0x07) << 18) | (rest(1) << 12) | (rest(2) << 6) | rest(3);
}

const utf8Length = (code: number): number => (code < 0x800 ? 2 : code < 0x10000 ? 3 : 4);
