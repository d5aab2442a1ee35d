import { readFile } from "node:fs/promises";
import { FileError } from "../../errors/errors.js";
import { fileError } from "../../errors/file-error.js";
import { withoutKeys } from "./without-keys.js";

/** One request and its reply: a line of a recording. */
export interface Exchange {
  readonly method: string;
  /** Without keys, see {@link recordedAddress}. */
  readonly address: string;
  /** Body of the request, if it has one, without keys. */
  readonly body?: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The reply as text, without keys. */
  readonly text?: string;
  /** The reply in base64, if it is not text. */
  readonly base64?: string;
}

/** What identifies a request: method, address and body. */
export const questionOf = ({ method, address, body }: Pick<Exchange, "method" | "address" | "body">): string =>
  [method, address, ...(body === undefined ? [] : [body])].join(" ");

/** The lines of a recording: sorted by request, repeats in their order, so that equal recordings are equal files. */
export function recordingText(exchanges: readonly Exchange[]): string {
  const lines = exchanges.map((exchange) => ({ exchange, question: questionOf(exchange) }));
  lines.sort((a, b) => (a.question < b.question ? -1 : a.question > b.question ? 1 : 0));
  return lines.map(({ exchange }) => `${JSON.stringify(exchange)}\n`).join("");
}

/**
 * Reads a recording.
 *
 * @throws {FileError} FileNotFound, BadRecording
 */
export async function readRecording(path: string): Promise<Exchange[]> {
  const text = await readFile(path, "utf8").catch((error: unknown) =>
    Promise.reject(fileError(path, "read", error, { what: "recording" })),
  );
  return text.split("\n").flatMap((line, i) => (line.trim() === "" ? [] : [exchangeOf(line, path, i + 1)]));
}

function exchangeOf(line: string, path: string, number: number): Exchange {
  try {
    const value = JSON.parse(line) as Partial<Exchange> | null;
    const { method, address, status, headers, text, base64 } = value ?? {};
    const hasBody = typeof text === "string" || typeof base64 === "string";
    if (typeof method === "string" && typeof address === "string" && Number.isInteger(status) && headers && hasBody) {
      return value as Exchange;
    }
  } catch {
    // Not JSON: reported below.
  }
  throw new FileError(`Line ${number} of ${path} is not a recorded reply.`, {
    code: "BadRecording",
    hint: "Record it again with record() of arrowbook/testing.",
  });
}

/** A request of `fetch`. */
export interface Asked extends Pick<Exchange, "method" | "body"> {
  readonly address: URL;
  readonly headers: Headers;
}

export async function askedBy(input: string | URL | Request, init: RequestInit | undefined): Promise<Asked> {
  // A copy: the caller's request must stay readable.
  const request = input instanceof Request ? new Request(input.clone(), init) : new Request(input, init);
  const body = request.body === null ? undefined : await request.clone().text();
  return {
    method: request.method,
    address: new URL(request.url),
    headers: request.headers,
    ...(body === undefined ? {} : { body }),
  };
}

/** The body of a request as recordings hold it. */
export const recordedBody = ({ body }: Asked): { body?: string } =>
  body === undefined ? {} : { body: withoutKeys(`?${body}`).slice(1) };
