import { badArrow, unsupportedArrow } from "./bad-arrow.js";
import { type FlatTable, rootTable } from "./flat-table.js";

/** What a message carries. */
type MessageKind = "schema" | "dictionary" | "batch";

/** One message of a stream: its metadata, and the buffers that follow it. */
export interface Message {
  readonly kind: MessageKind;
  readonly header: FlatTable;
  /** 3 for Arrow 0.8 to 0.17, 4 since 1.0. */
  readonly version: number;
  /** Offset of the first byte in the stream or file. */
  readonly at: number;
  /** Bytes before the body: the length of the metadata, the metadata and padding. */
  readonly metadataLength: number;
  readonly body: Uint8Array;
  readonly bodyAt: number;
  /** Offset after the last byte. */
  readonly end: number;
}

/** The mark at which a stream ends; `end` is the offset after it. */
export interface EndMark {
  readonly kind: "end";
  readonly end: number;
}

const CONTINUATION = -1;
const MESSAGE = { version: 0, headerType: 1, header: 2, bodyLength: 3 };
const KINDS: Readonly<Record<number, MessageKind>> = { 1: "schema", 2: "dictionary", 3: "batch" };
const OTHER_KINDS: Readonly<Record<number, string>> = { 4: "a tensor", 5: "a sparse tensor" };

/**
 * The message that starts at byte `at`; its metadata and its body are compared with the bytes up to `limit`.
 *
 * @throws {DataError} BadArrow, UnsupportedArrow
 */
export function messageAt(bytes: Uint8Array, at: number, limit = bytes.length): Message | EndMark {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const word = (position: number): number => {
    if (position + 4 > limit)
      throw badArrow(`the length of a message is truncated, ${limit - at} bytes are left`, { at });
    return view.getInt32(position, true);
  };
  // Before Arrow 0.15 there was no continuation mark before the length.
  const first = word(at);
  const start = at + (first === CONTINUATION ? 8 : 4);
  const length = first === CONTINUATION ? word(at + 4) : first;
  if (length === 0) return { kind: "end", end: start };
  if (length < 0 || start + length > limit) {
    throw badArrow(`a message declares ${length} bytes of metadata, ${limit - start} are left`, { at });
  }
  const table = rootTable(bytes.subarray(start, start + length), start);
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
  const body = bytes.subarray(bodyAt, bodyAt + bodyLength);
  const version = table.int16(MESSAGE.version);
  return { kind, header, version, at, metadataLength: bodyAt - at, body, bodyAt, end: bodyAt + bodyLength };
}

/**
 * @throws {DataError} BadArrow, UnsupportedArrow for the version of the metadata that a message or a footer declares
 */
export function checkVersion(version: number, at: number): void {
  if (version < 0 || version > 4) throw badArrow(`metadata of the unknown version ${version + 1}`, { at });
  if (version >= 3) return;
  throw unsupportedArrow(`metadata of version ${version + 1}`, { at }, "Write the data again with Arrow 0.8 or later.");
}

/** The messages of a stream up to its end mark, or to the end of the bytes. */
export function* messagesOf(bytes: Uint8Array, from = 0): Generator<Message | EndMark> {
  for (let at = from; at < bytes.length; ) {
    const message = messageAt(bytes, at);
    yield message;
    if (message.kind === "end") return;
    at = message.end;
  }
}
