import { type FileHandle, open } from "node:fs/promises";
import type { Readable } from "node:stream";
import type { MadeFile } from "../answers/exports.js";
import { matches } from "../answers/reply.js";

/** A response with a file or part of it; without a body for HEAD, and where a condition of the request fails. */
export interface FileResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Readable;
}

/** A response for part of a file: the bytes from `start` to before `end`. */
interface FilePart extends Omit<FileResponse, "body"> {
  readonly range?: { readonly start: number; readonly end: number };
}

type RequestHeader = (name: string) => string | undefined;

/**
 * Opens a file, or the one that has replaced it since, and responds to a request for it.
 *
 * @param find the current file of an id
 * @returns undefined if there is no such file any longer
 */
export async function fileResponse(
  file: MadeFile,
  request: { readonly method: string; readonly header: RequestHeader },
  find: (id: string) => MadeFile | undefined,
): Promise<FileResponse | undefined> {
  const { status, headers, range } = filePart(file, request.header);
  if (range === undefined || request.method === "HEAD") return { status, headers };
  const opened = await openFile(file.path);
  if (opened !== undefined) {
    // The file is closed after these bytes.
    const { start, end } = range;
    const body = opened.createReadStream({ start, end: end - 1, highWaterMark: 1024 * 1024 });
    return { status, headers, body };
  }
  const newer = find(file.id);
  return newer === undefined || newer.path === file.path ? undefined : fileResponse(newer, request, find);
}

function openFile(path: string): Promise<FileHandle | undefined> {
  return open(path).catch((error: NodeJS.ErrnoException) =>
    error.code === "ENOENT" ? undefined : Promise.reject(error),
  );
}

/**
 * Evaluates the conditions of a request for a file (RFC 9110: If-Match, If-None-Match, Range with If-Range; single
 * ranges only).
 */
function filePart(file: MadeFile, header: RequestHeader): FilePart {
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
