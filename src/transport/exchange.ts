import { TransportError } from "../errors/errors.js";
import { scrub } from "../errors/secrets.js";
import { ACCEPTED_CODINGS, codingsOf, decode } from "./content-coding.js";
import { transportError } from "./retry.js";
import type { Received, Send } from "./send.js";
import { Stopwatch, stallGuard } from "./timer.js";

/** A reply whose body has not been read. */
export interface Answer extends Omit<Received, "body" | "decoded"> {
  /** Length of the body as sent, if the service declares it and no coding changes it. */
  readonly length?: number;
  /** Whether the body is compressed or otherwise coded. */
  readonly coded: boolean;
  /** True if the end of the body is marked by its length or by chunks; false if only by the end of the connection. */
  readonly framed: boolean;
  /** Host that replied, for messages. */
  readonly host: string;
  /** Address that replied, after redirects; may contain a key and is never shown. */
  readonly url: string;
  /** The origin that redirected here, if it differs from that of {@link Answer.url}. */
  readonly redirectedFrom?: string;
  /**
   * The body in chunks.
   *
   * @throws {TransportError} if it stalls or breaks
   */
  chunks(): AsyncGenerator<Uint8Array>;
}

/** The address of a request and its headers. */
export interface Target {
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** How requests are sent. */
export interface Transport {
  readonly send: Send;
  /** Milliseconds until a reply begins, and without a kilobyte of one that has begun. */
  readonly timeouts: { readonly response: number; readonly idle: number };
  /** Adds a key to a request. Called for each address of a chain of redirects: a key is for its own origin alone. */
  readonly authorize?: (target: Target) => Target | Promise<Target>;
}

export interface ExchangeOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Time limit of the whole exchange including the body, in milliseconds. */
  readonly total?: number;
}

const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Sends one GET, follows redirects, and returns the final reply of any status. */
export async function exchange(transport: Transport, address: string, options: ExchangeOptions): Promise<Answer> {
  const watch = new Stopwatch(options.signal);
  if (options.total !== undefined)
    watch.limit(options.total, () => timeout(address, "was not complete within", options.total));
  let current = address;
  try {
    for (let hops = 0; ; hops++) {
      const received = await send(transport, current, options, watch);
      if (!REDIRECTS.has(received.status)) {
        const { origin } = new URL(address);
        const redirectedFrom = origin === new URL(current).origin ? undefined : origin;
        return { ...answerOf(received, current, transport, watch), redirectedFrom };
      }
      received.discard();
      current = redirected(current, received.header("location"), hops);
    }
  } catch (cause) {
    watch.end();
    throw watch.signal.reason ?? transportError(cause, hostOf(current));
  }
}

async function send(
  { send, timeouts, authorize }: Transport,
  address: string,
  options: ExchangeOptions,
  watch: Stopwatch,
): Promise<Received> {
  const { response: limit } = timeouts;
  const stop = watch.limit(limit, () => timeout(address, "did not begin within", limit));
  try {
    const plain = {
      address,
      headers: { "user-agent": "arrowbook", "accept-encoding": ACCEPTED_CODINGS, ...options.headers },
    };
    const target = await watch.race(Promise.resolve(authorize?.(plain) ?? plain));
    return await watch.race(send(target.address, { headers: target.headers, signal: watch.signal }));
  } finally {
    stop();
  }
}

function redirected(from: string, location: string | null, hops: number): string {
  const refuse = (why: string): TransportError =>
    new TransportError(`A redirect of ${hostOf(from)} ${why}.`, {
      code: "BadRedirect",
      hint: "Check the address passed to connect() or in ARROWBOOK_URL.",
      retry: { retryable: false },
    });
  if (hops >= MAX_REDIRECTS) throw refuse(`exceeds the limit of ${MAX_REDIRECTS} in a row`);
  if (!location || !URL.canParse(location, from)) throw refuse("has no valid address");
  const target = new URL(location, from);
  if (target.protocol !== "https:" && target.protocol !== new URL(from).protocol) {
    throw refuse(`points to ${target.protocol}//${target.host}, which is not secure`);
  }
  target.hash = "";
  return target.href;
}

function answerOf(received: Received, url: string, { timeouts }: Transport, watch: Stopwatch) {
  const { status, header } = received;
  const codings = codingsOf(header("content-encoding"));
  const coded = codings.length > 0;
  const declared = header("content-length");
  const chunked = header("transfer-encoding") !== null;
  const host = hostOf(url);
  return {
    status,
    header,
    length: declared !== null && !coded && /^\d+$/.test(declared) ? Number(declared) : undefined,
    coded,
    framed: declared !== null || chunked || (coded && !received.decoded),
    host,
    url,
    chunks: () => bodyOf(received, host, watch, timeouts.idle),
    discard(): void {
      watch.end();
      received.discard();
    },
    disconnect: received.disconnect,
  };
}

/** The decoded body, as long as bytes arrive; time during which the consumer is busy does not count. */
async function* bodyOf(received: Received, host: string, watch: Stopwatch, idle: number): AsyncGenerator<Uint8Array> {
  const codings = received.decoded ? [] : codingsOf(received.header("content-encoding"));
  const guard = stallGuard(idle, () => watch.stop(timeout(host, "stalled for", idle)));
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of received.body) {
      guard.arrived(chunk.length);
      yield chunk;
    }
  }
  const chunks = codings.length === 0 ? counted() : decode(counted(), codings, host);
  try {
    for (;;) {
      guard.wait();
      const { done, value } = await watch.race(chunks.next());
      guard.pause();
      if (done) break;
      yield value;
    }
  } catch (cause) {
    throw watch.signal.reason ?? transportError(cause, host);
  } finally {
    guard.pause();
    watch.end();
    received.discard();
    chunks.return(undefined).catch(() => undefined);
  }
}

function timeout(address: string, what: string, ms = 0): TransportError {
  return new TransportError(`The reply of ${hostOf(address)} ${what} ${ms / 1000} seconds.`, {
    code: "Timeout",
    hint: "Try again, or raise the timeouts of connect().",
    retry: { retryable: true },
  });
}

/** The host of an address, or of a bare host name; never its query. */
function hostOf(address: string): string {
  return URL.canParse(address) && address.includes("://") ? new URL(address).host : scrub(address);
}
