import type { Schema } from "../../arrow/arrow.js";
import { badArrow } from "./bad-arrow.js";
import { allowanceOf } from "./body.js";
import { Decoder } from "./decoder.js";
import { type FlatTable, rootTable } from "./flat-table.js";
import { checkVersion, type MessageHead, readHead, readMessage } from "./message.js";
import type { Reading } from "./reading.js";
import { schemaOf } from "./schema.js";
import type { BatchReader } from "./stream-reader.js";

const MAGIC = new TextEncoder().encode("ARROW1");
/** The leading magic bytes are padded to 8 bytes. */
const START = 8;
/** The length of the footer and the trailing magic bytes. */
const TAIL = 4 + MAGIC.length;

const FOOTER = { version: 0, schema: 1, dictionaries: 2, batches: 3 };
const BLOCK_BYTES = 24;

/** The position of a message according to the footer. */
interface Block {
  readonly kind: "dictionary" | "batch";
  readonly offset: number;
  readonly metadataLength: number;
  readonly bodyLength: number;
  /** Offset of the block itself, for errors. */
  readonly at: number;
}

/** Whether the bytes start with the magic bytes of an Arrow file. */
export function isArrowFile(bytes: Uint8Array): boolean {
  return MAGIC.every((byte, i) => bytes[i] === byte);
}

/** Bytes between messages that are looked at together. */
const PIECE = 65_536;

/**
 * Opens a file of `size` bytes, whose batches come in the order of its footer. The footer must list exactly the
 * messages of the file, so that a corrupt footer cannot omit or repeat a batch.
 *
 * @throws {DataError} BadArrow, UnsupportedArrow
 */
export function* openFile(size: number): Reading<BatchReader> {
  const { footer, at: footerAt } = yield* readFooter(size);
  const table = footer.table(FOOTER.schema);
  if (table === undefined) throw badArrow("the footer has no schema", { at: footerAt });
  const version = yield* versionOf(footer.int16(FOOTER.version), footerAt);
  const declared = schemaOf(table);
  const dictionaries = blocksOf(footer, "dictionary", footerAt);
  const batches = blocksOf(footer, "batch", footerAt);
  yield* checkBlocks([...dictionaries, ...batches], footerAt, declared.schema);
  const decoder = new Decoder(declared, version, allowanceOf(size), false);
  for (const { offset } of dictionaries) {
    const message = yield* readMessage(offset, footerAt);
    if (message.kind === "dictionary") decoder.dictionary(message);
  }
  let i = 0;
  return {
    schema: declared.schema,
    *next() {
      while (i < batches.length) {
        const message = yield* readMessage(batches[i++].offset, footerAt);
        if (message.kind === "batch") return decoder.batch(message);
      }
      return undefined;
    },
  };
}

/**
 * The metadata version of the messages: that of the first in the file. Footers have the version of their writer, which
 * may be newer, or none, as those of old Java writers.
 */
function* versionOf(declared: number, footerAt: number): Reading<number> {
  const first = footerAt - START < TAIL ? undefined : yield* readHead(START, footerAt);
  const isMissing = first === undefined || first.kind === "end";
  if (isMissing || declared > 0) checkVersion(declared, footerAt);
  if (isMissing) return declared;
  checkVersion(first.version, first.at);
  return first.version;
}

function* readFooter(size: number): Reading<{ readonly footer: FlatTable; readonly at: number }> {
  const end = size - TAIL;
  const tail = end < START ? undefined : yield { at: end, length: TAIL };
  if (tail === undefined || !isArrowFile(tail.subarray(4))) {
    throw badArrow('the file does not end with "ARROW1"; it is truncated', { at: size });
  }
  const length = new DataView(tail.buffer, tail.byteOffset, 4).getInt32(0, true);
  const at = end - length;
  if (length <= 0 || at < START) throw badArrow(`a footer of ${length} bytes does not fit the file`, { at: end });
  return { footer: rootTable(yield { at, length }, at), at };
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

/** Compares the blocks with the messages of the file. Only a schema, an end mark or zeros may be between them. */
function* checkBlocks(blocks: readonly Block[], end: number, schema: Schema): Reading<void> {
  let position = START;
  for (const block of [...blocks].sort((a, b) => a.offset - b.offset)) {
    yield* checkBetween(position, block.offset, schema);
    if (block.offset < position) throw badArrow("two blocks of the footer overlap", { at: block.at });
    const message = yield* readHead(block.offset, end);
    if (message.kind !== block.kind || message.metadataLength !== block.metadataLength) {
      throw badArrow(
        `the footer lists a ${block.kind} at byte ${block.offset}, where no such message of that size is`,
        block,
      );
    }
    if (message.bodyLength !== block.bodyLength) {
      const what = `the footer declares ${block.bodyLength} bytes of values at byte ${block.offset}, the message`;
      throw badArrow(`${what} ${message.bodyLength}`, block);
    }
    position = message.end;
  }
  yield* checkBetween(position, end, schema);
}

/** Rejects batches and dictionaries that the footer omits. */
function* checkBetween(start: number, end: number, schema: Schema): Reading<void> {
  for (let at = start; at < end; ) {
    const zeros = (yield* nextByte(at, end)) - at;
    if (zeros === end - at) return;
    // Each four of them are an end mark.
    at += zeros - (zeros % 4);
    const message = yield* readHead(at, end);
    if (message.kind !== "end") checkUnlisted(message, schema);
    at = message.end;
  }
}

function checkUnlisted(message: MessageHead, schema: Schema): void {
  const { kind, at, header } = message;
  if (kind !== "schema") throw badArrow(`the footer omits a ${kind} at byte ${at}`, { at });
  if (String(schemaOf(header).schema) === String(schema)) return;
  throw badArrow("the schema at the start of the file differs from the footer's", { at });
}

/** Where the first byte from `start` on is that is not zero; `end` if there is none. */
function* nextByte(start: number, end: number): Reading<number> {
  for (let at = start; at < end; at += PIECE) {
    const i = (yield { at, length: Math.min(PIECE, end - at) }).findIndex((byte) => byte !== 0);
    if (i >= 0) return at + i;
  }
  return end;
}
