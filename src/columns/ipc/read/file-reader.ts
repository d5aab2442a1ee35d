import type { Schema } from "../../arrow/arrow.js";
import { badArrow } from "./bad-arrow.js";
import { allowanceOf } from "./body.js";
import { Decoder } from "./decoder.js";
import { type FlatTable, rootTable } from "./flat-table.js";
import { checkVersion, type Message, messageAt } from "./message.js";
import { schemaOf } from "./schema.js";
import type { ReadBatches } from "./stream-reader.js";

const MAGIC = new TextEncoder().encode("ARROW1");
/** The first mark is padded to 8 bytes. */
const START = 8;
/** The length of the footer, then the mark again. */
const TAIL = 4 + MAGIC.length;

const FOOTER = { version: 0, schema: 1, dictionaries: 2, batches: 3 };
const BLOCK_BYTES = 24;

/** Where the footer says that a message is. */
interface Block {
  readonly kind: "dictionary" | "batch";
  readonly offset: number;
  readonly metadataLength: number;
  readonly bodyLength: number;
  /** Offset of the block itself, for errors. */
  readonly at: number;
}

/** Whether bytes begin like an Arrow file. */
export function isArrowFile(bytes: Uint8Array): boolean {
  return MAGIC.every((byte, i) => bytes[i] === byte);
}

/**
 * The batches of a file, in the order of its footer. Every message of the file must be in the footer and the other way
 * round, so that a damaged footer cannot leave out a batch or repeat one.
 *
 * @throws {DataError} BadArrow, UnsupportedArrow
 */
export function batchesOfFile(bytes: Uint8Array): ReadBatches {
  const { footer, at: footerAt } = footerOf(bytes);
  const table = footer.table(FOOTER.schema);
  if (table === undefined) throw badArrow("the footer has no schema", { at: footerAt });
  const version = footer.int16(FOOTER.version);
  checkVersion(version, footerAt);
  const declared = schemaOf(table);
  const blocks = [...blocksOf(footer, "dictionary", footerAt), ...blocksOf(footer, "batch", footerAt)];
  const messages = messagesAt(bytes, blocks, footerAt, declared.schema);
  const decoder = new Decoder(declared, version, allowanceOf(bytes.length), false);
  for (const { kind, offset } of blocks) {
    if (kind === "dictionary") decoder.dictionary(messages.get(offset) as Message);
  }
  const batches = blocks
    .filter(({ kind }) => kind === "batch")
    .map(({ offset }) => decoder.batch(messages.get(offset) as Message));
  return { schema: declared.schema, batches };
}

function footerOf(bytes: Uint8Array): { readonly footer: FlatTable; readonly at: number } {
  const end = bytes.length - TAIL;
  if (end < START || !isArrowFile(bytes.subarray(end + 4))) {
    throw badArrow('the file does not end with "ARROW1"; it is truncated', { at: bytes.length });
  }
  const length = new DataView(bytes.buffer, bytes.byteOffset + end, 4).getInt32(0, true);
  const at = end - length;
  if (length <= 0 || at < START) throw badArrow(`a footer of ${length} bytes does not fit the file`, { at: end });
  return { footer: rootTable(bytes.subarray(at, end), at), at };
}

function blocksOf(footer: FlatTable, kind: Block["kind"], footerAt: number): Block[] {
  const structs = footer.structs(kind === "batch" ? FOOTER.batches : FOOTER.dictionaries, BLOCK_BYTES);
  return Array.from({ length: structs.count }, (_, i) => {
    const [offset, metadataLength, bodyLength] = [structs.int64(i, 0), structs.int32(i, 8), structs.int64(i, 16)];
    const at = structs.at(i);
    if (offset < START || offset >= footerAt) {
      throw badArrow(`the footer has ${kind} ${i} at byte ${offset}, outside the file's messages`, { at });
    }
    return { kind, offset, metadataLength, bodyLength, at };
  });
}

/**
 * The messages at the footer's blocks, by their offset. What is between them may be a schema, an end mark or zeros
 * only.
 */
function messagesAt(bytes: Uint8Array, blocks: readonly Block[], end: number, schema: Schema): Map<number, Message> {
  const messages = new Map<number, Message>();
  let position = START;
  for (const block of [...blocks].sort((a, b) => a.offset - b.offset)) {
    checkBetween(bytes, position, block.offset, schema);
    if (block.offset < position) throw badArrow("two blocks of the footer overlap", { at: block.at });
    const message = messageAt(bytes, block.offset, end);
    if (message.kind !== block.kind || message.metadataLength !== block.metadataLength) {
      throw badArrow(`the footer has a ${block.kind} at byte ${block.offset}, where there is none of its size`, block);
    }
    if (message.body.length !== block.bodyLength) {
      const what = `the footer declares ${block.bodyLength} bytes of values at byte ${block.offset}, the message`;
      throw badArrow(`${what} ${message.body.length}`, block);
    }
    messages.set(block.offset, message);
    position = message.end;
  }
  checkBetween(bytes, position, end, schema);
  return messages;
}

/** Refuses messages with rows or values that the footer leaves out. */
function checkBetween(bytes: Uint8Array, start: number, end: number, schema: Schema): void {
  for (let at = start; at < end; ) {
    if (bytes.subarray(at, end).every((byte) => byte === 0)) return;
    const message = messageAt(bytes, at, end);
    if (message.kind === "dictionary" || message.kind === "batch") {
      throw badArrow(`the footer leaves out a ${message.kind} at byte ${at}`, { at });
    }
    if (message.kind === "schema" && String(schemaOf(message.header).schema) !== String(schema)) {
      throw badArrow("the schema at the start of the file differs from the footer's", { at });
    }
    at = message.end;
  }
}
