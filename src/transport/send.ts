import { TransportError } from "../errors/errors.js";

/** A reply whose body has not been read. */
export interface Received {
  readonly status: number;
  /** Header by name, ignoring case. */
  header(name: string): string | null;
  /** The body as received, in its `Content-Encoding` unless {@link decoded} is true. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Whether the transport has already undone the `Content-Encoding`, as `fetch` does. */
  readonly decoded: boolean;
  /** Ends the exchange without reading the rest. */
  discard(): void;
  /**
   * Closes the connection, also after the body was read. A reply that is not what was asked for may be that to another
   * request, and so would be every later one on its connection.
   */
  disconnect(): void;
}

export interface SendOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Sends one GET without following redirects. Rejects with the transport's own error. */
export type Send = (address: string, options: SendOptions) => Promise<Received>;

/** @param redirect pages cannot see where redirects lead, only follow them */
export function sendByFetch(fetch: typeof globalThis.fetch, redirect: "manual" | "follow" = "manual"): Send {
  return async (address, { headers, signal }) => {
    const response = await fetch(address, { headers, redirect, signal });
    if (response.type === "opaqueredirect") {
      throw new TransportError(`${new URL(address).host} redirects, which a page cannot follow.`, {
        code: "BadRedirect",
        hint: "Pass the address that it redirects to.",
        retry: { retryable: false },
      });
    }
    return {
      status: response.status,
      header: (name) => response.headers.get(name),
      body: bodyOf(response),
      decoded: true,
      discard: () => void response.body?.cancel().catch(() => undefined),
      // The connections of fetch are its own.
      disconnect: () => undefined,
    };
  };
}

async function* bodyOf({ body }: Response): AsyncGenerator<Uint8Array> {
  if (body) yield* body;
}
