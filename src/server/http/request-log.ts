import { scrub } from "../../errors/secrets.js";

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

/** The target of a request with keys removed. */
export function scrubbedUrl(url: string): string {
  const clean = scrub(url);
  return clean.length > 2_000 ? `${clean.slice(0, 2_000)}…` : clean;
}
