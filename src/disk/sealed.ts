import { readFile } from "node:fs/promises";
import { builtin } from "../package/builtin.js";

export interface Sealed<Note> {
  readonly note: Note;
  readonly bytes: Uint8Array;
}

const DIGITS = 64;
/** Digest, length of the note and length of the bytes, each with a separator. */
const HEAD = DIGITS + 1 + 8 + 1 + 12 + 1;

/**
 * A record that is complete or recognizably damaged: `DIGEST NOTE-LENGTH BYTES-LENGTH`, a line of JSON, the bytes, a
 * line feed. The digest (SHA-256) covers the note, the bytes and `previous`, the digest of the record before, so that
 * neither a changed byte nor a record of another file passes.
 */
export function seal(note: unknown, bytes: Uint8Array = new Uint8Array(), previous = ""): Uint8Array {
  const text = Buffer.from(`${JSON.stringify(note)}\n`);
  const head = `${digestOf(previous, text, bytes)} ${text.length.toString(16).padStart(8, "0")} ${bytes.length.toString(16).padStart(12, "0")}\n`;
  return Buffer.concat([Buffer.from(head, "latin1"), text, bytes, Buffer.from("\n")]);
}

/** The digest at the start of a record made by {@link seal}. */
export const digestOfSealed = (record: Uint8Array): string =>
  Buffer.from(record.buffer, record.byteOffset, DIGITS).toString("latin1");

/** Length in bytes of the record that begins so; undefined if this is not the beginning of a record. */
export function sealedLength(head: Uint8Array): number | undefined {
  const text = Buffer.from(head.subarray(0, HEAD)).toString("latin1");
  const match = /^[0-9a-f]{64} ([0-9a-f]{8}) ([0-9a-f]{12})\n/.exec(text);
  return match === null ? undefined : HEAD + Number.parseInt(match[1], 16) + Number.parseInt(match[2], 16) + 1;
}

/** Bytes of a record that {@link sealedLength} needs. */
export const SEALED_HEAD = HEAD;

/** Opens a complete record; undefined if a byte of it is not as it was written. */
export function unseal<Note>(record: Uint8Array, previous = ""): Sealed<Note> | undefined {
  if (sealedLength(record) !== record.length) return undefined;
  const noteLength = Number.parseInt(Buffer.from(record.subarray(DIGITS + 1, DIGITS + 9)).toString("latin1"), 16);
  const text = record.subarray(HEAD, HEAD + noteLength);
  const bytes = record.subarray(HEAD + noteLength, -1);
  if (digestOf(previous, text, bytes) !== digestOfSealed(record) || record.at(-1) !== 10) return undefined;
  return { note: JSON.parse(Buffer.from(text).toString("utf8")) as Note, bytes };
}

function digestOf(previous: string, text: Uint8Array, bytes: Uint8Array): string {
  return builtin("node:crypto")
    .createHash("sha256")
    .update(`${previous}\n${text.length}\n`)
    .update(text)
    .update(bytes)
    .digest("hex");
}

/** The note of a file that is one record; undefined for any other file. */
export async function readSealed<Note>(path: string): Promise<Note | undefined> {
  const record = await readFile(path).catch(() => undefined);
  return record && unseal<Note>(record)?.note;
}
