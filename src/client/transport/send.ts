import http, { type IncomingMessage } from "node:http";
import https from "node:https";

/** A reply as it arrives, before anything is read from its body. */
export interface Received {
  readonly status: number;
  /** Header by name, letter case ignored. */
  header(name: string): string | null;
  /** The body as it came, in its `Content-Encoding` where {@link decoded} is false. */
  readonly body: AsyncIterable<Uint8Array>;
  /** True where the transport has undone the `Content-Encoding` already, as `fetch` does. */
  readonly decoded: boolean;
  /** Ends the exchange without reading on. */
  discard(): void;
}

/** What a GET is sent with. */
interface SendOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Sends one GET and follows no redirect. Rejects with the transport's own error. */
export type Send = (address: string, options: SendOptions) => Promise<Received>;

const MAX_HEADER_BYTES = 64 * 1024;

/** Sends by Node's own client, whose bodies come in the coding they were sent in. */
export const sendByHTTP: Send = async (address, options) => {
  try {
    return await send(address, options);
  } catch (error) {
    // The service closed a connection that was kept from an earlier request just as this one was written to it.
    if (!(error instanceof ReusedSocketClosed)) throw error;
    return send(address, options);
  }
};

class ReusedSocketClosed extends Error {}

function send(address: string, { headers, signal }: SendOptions): Promise<Received> {
  const client = address.startsWith("https:") ? https : http;
  return new Promise((resolve, reject) => {
    const request = client.request(address, { headers, signal, maxHeaderSize: MAX_HEADER_BYTES });
    request.once("response", (message) => resolve(received(message)));
    request.once("upgrade", (message, socket) => {
      socket.destroy();
      resolve(received(message));
    });
    // Stays for errors after the response, which the body reports too.
    request.on("error", (error: NodeJS.ErrnoException) => {
      const closed = request.reusedSocket && error.code === "ECONNRESET" && !signal.aborted;
      reject(closed ? new ReusedSocketClosed(error.message, { cause: error }) : error);
    });
    request.end();
  });
}

function received(message: IncomingMessage): Received {
  message.on("error", () => undefined);
  return {
    status: message.statusCode ?? 0,
    header: (name) => {
      const value = message.headers[name.toLowerCase()];
      return value === undefined ? null : Array.isArray(value) ? value.join(", ") : value;
    },
    body: message,
    decoded: false,
    discard: () => void message.destroy(),
  };
}

/** Sends by a `fetch` of the caller's. */
export function sendByFetch(fetch: typeof globalThis.fetch): Send {
  return async (address, { headers, signal }) => {
    const response = await fetch(address, { headers, redirect: "manual", signal });
    return {
      status: response.status,
      header: (name) => response.headers.get(name),
      body: bodyOf(response),
      decoded: true,
      discard: () => void response.body?.cancel().catch(() => undefined),
    };
  };
}

async function* bodyOf(response: Response): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  try {
    while (reader) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    void reader?.cancel().catch(() => undefined);
  }
}
