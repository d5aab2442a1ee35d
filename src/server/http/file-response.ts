import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import type { MadeFile } from "../answers/exports.js";
import { matches } from "../answers/reply.js";

/** A response for part of a file: status, headers, and the bytes from `start` to before `end`. */
export interface FilePart {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly range?: { readonly start: number; readonly end: number };
}

/** The request headers that select the part of a file. */
export type RequestHeader = (name: string) => string | undefined;

/**
 * Evaluates the conditions of a request for a file (RFC 9110: If-Match, If-None-Match, Range with If-Range; single
 * ranges only).
 */
export function filePart(file: MadeFile, header: RequestHeader): FilePart {
  const headers = { etag: file.etag, "accept-ranges": "bytes", "cache-control": "private, no-cache" };
  const ifMatch = header("if-match");
  if (ifMatch !== undefined && !matches(ifMatch, file.etag)) return { status: 412, headers };
  const ifNoneMatch = header("if-none-match");
  if (ifNoneMatch !== undefined && matches(ifNoneMatch, file.etag)) return { status: 304, headers };
  const whole = { start: 0, end: file.bytes };
  const range = header("range");
  const ifRange = header("if-range");
  if (range === undefined || (ifRange !== undefined && ifRange !== file.etag)) return sent(200, headers, whole);
  const asked = readRange(range, file.bytes);
  if (asked === undefined) return sent(200, headers, whole);
  if (asked.start >= asked.end)
    return { status: 416, headers: { ...headers, "content-range": `bytes */${file.bytes}` } };
  const place = `bytes ${asked.start}-${asked.end - 1}/${file.bytes}`;
  return sent(206, { ...headers, "content-range": place }, asked);
}

function sent(status: number, headers: Record<string, string>, range: { start: number; end: number }): FilePart {
  return { status, headers: { ...headers, "content-length": String(range.end - range.start) }, range };
}

/** Parses one byte range; undefined for anything else, which RFC 9110 allows a server to ignore. */
function readRange(text: string, size: number): { start: number; end: number } | undefined {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(text.trim());
  if (match === null || (match[1] === "" && match[2] === "")) return undefined;
  if (match[1] === "") return { start: Math.max(0, size - Number(match[2])), end: size };
  const end = match[2] === "" ? size : Math.min(size, Number(match[2]) + 1);
  if (match[2] !== "" && Number(match[2]) < Number(match[1])) return undefined;
  return { start: Number(match[1]), end };
}

/** Streams the bytes of a part with backpressure. */
export function fileStream(file: MadeFile, { start, end }: { start: number; end: number }): ReadableStream<Uint8Array> {
  const stream = createReadStream(file.path, { start, end: end - 1, highWaterMark: 1024 * 1024 });
  return Readable.toWeb(stream) as ReadableStream<Uint8Array>;
}
