import { badArrow, unsupportedArrow } from "./bad-arrow.js";
import { type FlatTable, rootTable } from "./flat-table.js";
import type { Reading } from "./reading.js";

/** What a message carries. */
type MessageKind = "schema" | "dictionary" | "batch";

/** A message of a stream without the buffers that follow its metadata. */
export interface MessageHead {
  readonly kind: MessageKind;
  readonly header: FlatTable;
  /** 3 for Arrow 0.8 to 0.17, 4 since 1.0. */
  readonly version: number;
  /** Offset of the first byte in the stream or file. */
  readonly at: number;
  /** Bytes before the body: the metadata length, the metadata and padding. */
  readonly metadataLength: number;
  readonly bodyAt: number;
  readonly bodyLength: number;
  /** Offset of the byte after the message. */
  readonly end: number;
}

/** One message of a stream: its metadata and the buffers that follow. */
export interface Message extends MessageHead {
  readonly body: Uint8Array;
}

/** The end mark of a stream; `end` is the offset after it. */
export interface EndMark {
  readonly kind: "end";
  readonly end: number;
}

const CONTINUATION = -1;
const MESSAGE = { version: 0, headerType: 1, header: 2, bodyLength: 3 };
const KINDS: Readonly<Record<number, MessageKind>> = { 1: "schema", 2: "dictionary", 3: "batch" };
const OTHER_KINDS: Readonly<Record<number, string>> = { 4: "a tensor", 5: "a sparse tensor" };

/** The length of a message, behind the continuation mark. */
const PREFIX = 8;

/**
 * Reads the metadata of the message at byte `at`; it and the body must end at or before `limit`.
 *
 * @throws {DataError} BadArrow, UnsupportedArrow
 */
export function* readHead(at: number, limit: number): Reading<MessageHead | EndMark> {
  const prefix = yield { at, length: Math.min(PREFIX, limit - at) };
  const view = new DataView(prefix.buffer, prefix.byteOffset, prefix.byteLength);
  const word = (position: number): number => {
    if (position + 4 > view.byteLength)
      throw badArrow(`the length of a message is truncated, ${limit - at} bytes are left`, { at });
    return view.getInt32(position, true);
  };
  // Before Arrow 0.15 the length had no continuation mark.
  const first = word(0);
  const start = at + (first === CONTINUATION ? 8 : 4);
  const length = first === CONTINUATION ? word(4) : first;
  if (length === 0) return { kind: "end", end: start };
  if (length < 0 || start + length > limit) {
    throw badArrow(`a message declares ${length} bytes of metadata, ${limit - start} are left`, { at });
  }
  const table = rootTable(yield { at: start, length }, start);
  const type = table.uint8(MESSAGE.headerType);
  const kind = KINDS[type];
  if (kind === undefined) {
    if (OTHER_KINDS[type] === undefined) throw badArrow(`a message has the unknown kind ${type}`, { at });
    throw unsupportedArrow(`a message holds ${OTHER_KINDS[type]}`, { at }, "Only tables are read.");
  }
  const header = table.table(MESSAGE.header);
  if (header === undefined) throw badArrow("a message has no header", { at });
  const bodyLength = table.int64(MESSAGE.bodyLength);
  const bodyAt = start + length;
  if (bodyLength < 0 || bodyLength > limit - bodyAt) {
    throw badArrow(`a message declares a body of ${bodyLength} bytes, ${limit - bodyAt} are left`, { at });
  }
  if (kind === "schema" && bodyLength > 0) throw badArrow(`the schema declares a body of ${bodyLength} bytes`, { at });
  const version = table.int16(MESSAGE.version);
  return { kind, header, version, at, metadataLength: bodyAt - at, bodyAt, bodyLength, end: bodyAt + bodyLength };
}

/**
 * Reads the message at byte `at`, which must end at or before `limit`.
 *
 * @throws {DataError} BadArrow, UnsupportedArrow
 */
export function* readMessage(at: number, limit: number): Reading<Message | EndMark> {
  const head = yield* readHead(at, limit);
  if (head.kind === "end") return head;
  const body = yield { at: head.bodyAt, length: head.bodyLength };
  return { ...head, body };
}

/** @throws {DataError} BadArrow, UnsupportedArrow for an unsupported metadata version of a message or footer */
export function checkVersion(version: number, at: number): void {
  if (version < 0 || version > 4) throw badArrow(`metadata of the unknown version ${version + 1}`, { at });
  if (version >= 3) return;
  throw unsupportedArrow(`metadata of version ${version + 1}`, { at }, "Write the data again with Arrow 0.8 or later.");
}
