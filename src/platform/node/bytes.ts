import { isAscii, isUtf8 } from "node:buffer";
import { crc32 } from "node:zlib";

export { crc32, isAscii, isUtf8 };

const viewOf = (b: Uint8Array, start: number, end: number): Buffer =>
  Buffer.from(b.buffer, b.byteOffset + start, Math.min(end, b.length) - start);

/** The text of UTF-8, with U+FFFD for what is not UTF-8, and with a byte order mark. */
export const utf8Text = (b: Uint8Array, start = 0, end: number = b.length): string => viewOf(b, start, end).toString();

/** One character for each byte. */
export const latin1Text = (b: Uint8Array, start = 0, end: number = b.length): string =>
  viewOf(b, start, end).toString("latin1");

/** Two hexadecimal digits for each byte. */
export const hexText = (b: Uint8Array): string => viewOf(b, 0, b.length).toString("hex");

export const base64Text = (b: Uint8Array): string => viewOf(b, 0, b.length).toString("base64");

export const base64Bytes = (text: string): Uint8Array => Buffer.from(text, "base64");

/** The bytes of a WebAssembly program as it is stored in the package. */
export const programBytes = (binary: string): Uint8Array => base64Bytes(binary);

/** The UTF-8 of a text. */
export const utf8Bytes = (text: string): Uint8Array => Buffer.from(text);

/** Writes a text as UTF-8 at `at` into {@link unsetBytes}, which must have room for it; returns how many bytes. */
export const writeUtf8 = (text: string, out: Uint8Array, at: number): number => (out as Buffer).write(text, at);

/** The bytes of all chunks, one after the other. */
export const joinedBytes = (chunks: readonly Uint8Array[]): Uint8Array => Buffer.concat(chunks);

/** Where `bytes` occur first, at `from` or later; -1 if they do not. */
export const indexOfBytes = (b: Uint8Array, bytes: Uint8Array, from = 0): number =>
  viewOf(b, 0, b.length).indexOf(bytes, from);

/** Negative, 0 or positive: the order of the first bytes that differ, else of the lengths. */
export const compareBytes = (a: Uint8Array, b: Uint8Array): number => Buffer.compare(a, b);

/** Memory of its own whose contents are arbitrary. */
export const unsetBytes = (length: number): Uint8Array<ArrayBuffer> => Buffer.allocUnsafeSlow(length);
