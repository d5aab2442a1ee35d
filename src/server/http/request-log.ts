import { inspect } from "node:util";
import { scrub } from "../../errors/secrets.js";
import type { Profile } from "../../spec/profile.js";
import { percentDecoded } from "../../value/text.js";
import { keyNames } from "./query-pairs.js";

/** One handled request, without keys. */
export interface RequestLog {
  /** The id that the reply carries. */
  readonly requestId: string;
  /** The HTTP method. */
  readonly method: string;
  /** Path and query, keys removed. */
  readonly url: string;
  /** HTTP status of the reply. */
  readonly status: number;
  /** Bytes of the body as sent, if known. */
  readonly bytes?: number;
  /** Milliseconds from the request to the end of the reply. */
  readonly ms: number;
  /** The internal error, for a status of 500. */
  readonly error?: unknown;
}

/** An entry as a line of JSON, with the error, its causes and where they were thrown. */
export function logLine({ error, ...entry }: RequestLog): string {
  return JSON.stringify({ ...entry, ...(error !== undefined && { error: scrub(inspect(error)) }) });
}

/**
 * Calls `log`, which is not part of the service: where it throws or rejects, the process has a warning and the service
 * continues.
 */
export function report(log: (entry: RequestLog) => unknown, entry: RequestLog): void {
  const called = async (): Promise<unknown> => log(entry);
  called().catch((error: unknown) => {
    const reason = scrub(error instanceof Error ? error.message : String(error));
    process.emitWarning(`The log function of serve() failed for request ${entry.requestId}: ${reason}`);
  });
}

/** The target of a request with keys removed, also unknown ones. */
export function scrubbedUrl(url: string, profile: Profile): string {
  const names = keyNames(profile);
  const clean = scrub(url).replace(/([?&])([^=&]*)=[^&]*/g, (part, mark, name) =>
    names.includes(nameOf(name)) ? `${mark}${name}=[key]` : part,
  );
  return clean.length > 2_000 ? `${clean.slice(0, 2_000)}…` : clean;
}

const nameOf = (text: string): string => (percentDecoded(text.replaceAll("+", " ")) ?? text).replace(/\[\]$/, "");
