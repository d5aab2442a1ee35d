import type { RecordBatch, Schema } from "../../arrow/arrow.js";
import { badArrow } from "./bad-arrow.js";
import { type Allowance, allowanceOf } from "./body.js";
import { Decoder } from "./decoder.js";
import { checkVersion, type Message, messageAt, messagesOf } from "./message.js";
import { schemaOf } from "./schema.js";

/** A schema and its batches. */
export interface ReadBatches {
  readonly schema: Schema;
  readonly batches: readonly RecordBatch[];
}

/** Zeros after the end mark, up to the next multiple of 8, are padding. */
const MOST_PADDING = 7;

/**
 * The batches of one stream. Bytes after its end mark are refused: either the mark is damaged, or another stream
 * follows ({@link splitStreams}).
 *
 * @throws {DataError} BadArrow, UnsupportedArrow
 */
export function batchesOfStream(bytes: Uint8Array): ReadBatches {
  const reader = new StreamReader(allowanceOf(bytes.length));
  const batches: RecordBatch[] = [];
  for (const message of messagesOf(bytes)) {
    if (message.kind === "end") checkRest(bytes, message.end);
    else batches.push(...reader.take(message));
  }
  return { schema: reader.finish(bytes.length), batches };
}

/** Reads a stream message by message. */
class StreamReader {
  private schema: Schema | undefined;
  private decoder: Decoder | undefined;

  constructor(private readonly allowance: Allowance) {}

  /**
   * The batch of a message, or none where it holds the schema or a dictionary.
   *
   * @throws {DataError} BadArrow, UnsupportedArrow
   */
  take(message: Message): RecordBatch[] {
    if (message.kind === "schema") {
      if (this.schema !== undefined) throw badArrow("a second schema follows", { at: message.at });
      checkVersion(message.version, message.at);
      const declared = schemaOf(message.header);
      this.schema = declared.schema;
      this.decoder = new Decoder(declared, message.version, this.allowance, true);
      return [];
    }
    if (this.decoder === undefined) throw badArrow(`a ${message.kind} comes before the schema`, { at: message.at });
    if (message.kind === "batch") return [this.decoder.batch(message)];
    this.decoder.dictionary(message);
    return [];
  }

  /**
   * The schema, once the stream has ended at byte `at`.
   *
   * @throws {DataError} BadArrow where there was none
   */
  finish(at: number): Schema {
    if (this.schema === undefined) throw badArrow("the stream ends before its schema", { at });
    return this.schema;
  }
}

function checkRest(bytes: Uint8Array, end: number): void {
  const rest = bytes.subarray(end);
  if (rest.length <= MOST_PADDING && rest.every((byte) => byte === 0)) return;
  throw badArrow(`${rest.length} bytes follow the end mark of the stream`, { at: end });
}

/**
 * Complete streams that were sent one after the other, as some engines answer, each as bytes of its own; a stream ends
 * at its end mark or before the next schema. Only the boundaries are looked for: each stream is checked when it is
 * read.
 *
 * @param bytes any number of streams
 * @returns views of the bytes, in their order; none for no bytes
 * @throws {DataError} BadArrow when a boundary cannot be found
 */
export function splitStreams(bytes: Uint8Array): Uint8Array[] {
  const streams: Uint8Array[] = [];
  let start = 0;
  for (let at = 0; at < bytes.length; ) {
    const message = messageAt(bytes, at);
    if (message.kind === "end") {
      streams.push(bytes.subarray(start, message.end));
      start = message.end;
    } else if (message.kind === "schema" && at > start) {
      streams.push(bytes.subarray(start, at));
      start = at;
    }
    at = message.end;
  }
  if (start < bytes.length) streams.push(bytes.subarray(start));
  return streams;
}
