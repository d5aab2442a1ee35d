import type * as node from "../node/bytes.js";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/** Shorter ASCII text is put together here: a call of the decoder costs as much as this many characters. */
const SHORT = 24;

export const utf8Text: typeof node.utf8Text = (b, start = 0, end = b.length) => {
  const to = Math.min(end, b.length);
  if (to - start > SHORT) return decoder.decode(b.subarray(start, to));
  let text = "";
  for (let i = start; i < to; i++) {
    if (b[i] > 0x7f) return decoder.decode(b.subarray(start, to));
    text += String.fromCharCode(b[i]);
  }
  return text;
};

export const latin1Text: typeof node.latin1Text = (b, start = 0, end = b.length) => {
  let text = "";
  for (let at = start; at < end; at += 8_192) text += String.fromCharCode(...b.subarray(at, Math.min(end, at + 8_192)));
  return text;
};

export const hexText: typeof node.hexText = (b) => Array.from(b, (byte) => byte.toString(16).padStart(2, "0")).join("");

export const base64Text: typeof node.base64Text = (b) => btoa(latin1Text(b));

export const base64Bytes: typeof node.base64Bytes = (text) => {
  const latin = atob(text.slice(0, text.length - (text.length % 4 === 1 ? 1 : 0)));
  const bytes = new Uint8Array(latin.length);
  for (let i = 0; i < latin.length; i++) bytes[i] = latin.charCodeAt(i);
  return bytes;
};

/** From the text that `inCharacters` makes (.config/assemblyscript.mjs), which compresses better than Base64. */
export const programBytes: typeof node.programBytes = (binary) => {
  const bytes = new Uint8Array(binary.length);
  let length = 0;
  let above = 0;
  for (let i = 0; i < binary.length; i++) {
    const code = binary.charCodeAt(i);
    const value = code - (code < 92 ? 35 : 36);
    if (value < 88) bytes[length++] = above + value;
    above = value < 88 ? 0 : (value - 87) * 88;
  }
  return bytes.subarray(0, length);
};

export const utf8Bytes: typeof node.utf8Bytes = (text) => encoder.encode(text);

export const writeUtf8: typeof node.writeUtf8 = (text, out, at) => encoder.encodeInto(text, out.subarray(at)).written;

export const joinedBytes: typeof node.joinedBytes = (chunks) => {
  const all = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
};

export const indexOfBytes: typeof node.indexOfBytes = (b, bytes, from = 0) => {
  for (let at = b.indexOf(bytes[0], from); at >= 0; at = b.indexOf(bytes[0], at + 1)) {
    if (bytes.every((byte, i) => b[at + i] === byte)) return at;
  }
  return -1;
};

export const compareBytes: typeof node.compareBytes = (a, b) => {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return a[i] - b[i];
  return a.length - b.length;
};

export const unsetBytes: typeof node.unsetBytes = (length) => new Uint8Array(length);

export const isUtf8: typeof node.isUtf8 = (b) => {
  try {
    strict.decode(b as Uint8Array);
    return true;
  } catch {
    return false;
  }
};

export const isAscii: typeof node.isAscii = (b) => (b as Uint8Array).every((byte) => byte < 0x80);

/** Tables of CRC-32, by which four bytes are taken at a time. */
const TABLES = Array.from({ length: 4 }, () => new Int32Array(256));
for (let i = 0; i < 256; i++) {
  let sum = i;
  for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  TABLES[0][i] = sum;
}
for (let t = 1; t < 4; t++) {
  for (let i = 0; i < 256; i++) TABLES[t][i] = (TABLES[t - 1][i] >>> 8) ^ TABLES[0][TABLES[t - 1][i] & 0xff];
}

export const crc32: typeof node.crc32 = (data, value = 0) => {
  const b = data as Uint8Array;
  const [one, two, three, four] = TABLES;
  let sum = ~value;
  let at = 0;
  for (; at + 3 < b.length; at += 4) {
    sum ^= b[at] | (b[at + 1] << 8) | (b[at + 2] << 16) | (b[at + 3] << 24);
    sum = four[sum & 0xff] ^ three[(sum >>> 8) & 0xff] ^ two[(sum >>> 16) & 0xff] ^ one[sum >>> 24];
  }
  for (; at < b.length; at++) sum = (sum >>> 8) ^ one[(sum ^ b[at]) & 0xff];
  return ~sum >>> 0;
};
