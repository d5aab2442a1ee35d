import type { RecordBatch, Schema } from "../../arrow/arrow.js";
import { badArrow } from "./bad-arrow.js";
import { allowanceOf } from "./body.js";
import { Decoder } from "./decoder.js";
import { checkVersion, readHead, readMessage } from "./message.js";
import { fromBytes, type Reading } from "./reading.js";
import { schemaOf } from "./schema.js";

/** A stream or file whose batches are read one at a time. */
export interface BatchReader {
  readonly schema: Schema;
  /**
   * Reads the next batch; undefined after the last.
   *
   * @throws {DataError} BadArrow, UnsupportedArrow
   */
  next(): Reading<RecordBatch | undefined>;
}

/** Zeros after the end mark, up to the next multiple of 8, are padding. */
const MOST_PADDING = 7;

/**
 * Opens a stream of `knownSize` bytes. Bytes after the end mark are rejected: either the mark is corrupt or another
 * stream follows ({@link splitStreams}). If the size is unknown (undefined), the reader ends only at the end mark, and
 * what follows is left to the caller.
 *
 * @throws {DataError} BadArrow, UnsupportedArrow
 */
export function* openStream(knownSize: number | undefined): Reading<BatchReader> {
  const size = knownSize ?? Number.POSITIVE_INFINITY;
  const first = yield* readHead(0, size);
  if (first.kind === "end") {
    if (knownSize !== undefined) yield* checkRest(first.end, size);
    throw badArrow("the stream ends before its schema", { at: first.end });
  }
  if (first.kind !== "schema") throw badArrow(`a ${first.kind} precedes the schema`, { at: first.at });
  checkVersion(first.version, first.at);
  const declared = schemaOf(first.header);
  const decoder = new Decoder(declared, first.version, allowanceOf(size), true);
  let at = first.end;
  return {
    schema: declared.schema,
    *next() {
      while (at < size) {
        const message = yield* readMessage(at, size);
        if (message.kind === "end") {
          if (knownSize !== undefined) yield* checkRest(message.end, size);
          at = size;
          return undefined;
        }
        if (message.kind === "schema") throw badArrow("a second schema follows", { at });
        at = message.end;
        if (message.kind === "batch") return decoder.batch(message);
        decoder.dictionary(message);
      }
      return undefined;
    },
  };
}

function* checkRest(end: number, size: number): Reading<void> {
  const count = size - end;
  if (count <= MOST_PADDING && (yield { at: end, length: count }).every((byte) => byte === 0)) return;
  throw badArrow(`${count} bytes follow the end mark of the stream`, { at: end });
}

/**
 * Splits concatenated streams, as some engines send them; a stream ends at its end mark or before the next schema. Only
 * boundaries are located: each stream is checked when it is read.
 *
 * @param bytes any number of streams
 * @returns views of the bytes, in order
 * @throws {DataError} BadArrow if a boundary cannot be found
 */
export function splitStreams(bytes: Uint8Array): Uint8Array[] {
  const streams: Uint8Array[] = [];
  let start = 0;
  for (let at = 0; at < bytes.length; ) {
    const message = fromBytes(readHead(at, bytes.length), bytes);
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
