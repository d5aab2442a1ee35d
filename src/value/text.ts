/**
 * The position of the first byte of `start` to `end` that is not valid UTF-8 (including overlong forms and surrogates),
 * or -1.
 */
export function invalidUtf8(b: Uint8Array, start: number, end: number): number {
  for (let p = start; p < end; ) {
    const c = b[p];
    if (c < 128) {
      p++;
      continue;
    }
    const length = c >= 0xc2 && c <= 0xdf ? 2 : c >= 0xe0 && c <= 0xef ? 3 : c >= 0xf0 && c <= 0xf4 ? 4 : 0;
    if (length === 0 || p + length > end) return p;
    const low = c === 0xe0 ? 0xa0 : c === 0xf0 ? 0x90 : 0x80;
    const high = c === 0xed ? 0x9f : c === 0xf4 ? 0x8f : 0xbf;
    if (b[p + 1] < low || b[p + 1] > high) return p;
    for (let i = 2; i < length; i++) if ((b[p + i] & 0xc0) !== 0x80) return p;
    p += length;
  }
  return -1;
}

/** Writes the UTF-8 of a code point and returns the position after it. */
export function writeCodePoint(code: number, out: Uint8Array, at: number): number {
  let n = at;
  if (code < 0x80) out[n++] = code;
  else if (code < 0x800) out[n++] = 0xc0 | (code >> 6);
  else if (code < 0x10000) out[n++] = 0xe0 | (code >> 12);
  else {
    out[n++] = 0xf0 | (code >> 18);
    out[n++] = 0x80 | ((code >> 12) & 0x3f);
  }
  if (code >= 0x800) out[n++] = 0x80 | ((code >> 6) & 0x3f);
  if (code >= 0x80) out[n++] = 0x80 | (code & 0x3f);
  return n;
}

/** Decodes percent-encoded UTF-8; undefined for a `%` or bytes that encode nothing. */
export function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** A text without the given characters at its end, in time that grows with its length; `/[x]+$/` takes its square. */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1])) end--;
  return text.slice(0, end);
}

/** 3 if the bytes start with a UTF-8 byte order mark, else 0. */
export function skipByteOrderMark(b: Uint8Array): number {
  return b[0] === 0xef && b[1] === 0xbb && b[2] === 0xbf ? 3 : 0;
}
