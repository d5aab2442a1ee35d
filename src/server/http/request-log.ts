import { scrub } from "../../errors/secrets.js";

/** One request, answered; no key is in it. */
export interface RequestLog {
  readonly requestId: string;
  readonly method: string;
  /** Path and query, keys removed. */
  readonly url: string;
  readonly status: number;
  /** Bytes of the body as sent, where known. */
  readonly bytes?: number;
  readonly ms: number;
  /** What went wrong inside, for a status of 500. */
  readonly error?: unknown;
}

/** The target of a request without any key. */
export function scrubbedUrl(url: string): string {
  return scrub(url.length > 2_000 ? `${url.slice(0, 2_000)}…` : url);
}
