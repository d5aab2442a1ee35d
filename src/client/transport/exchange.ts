import { TransportError } from "../../errors/errors.js";
import { scrub } from "../../errors/secrets.js";
import type { Settings } from "./options.js";
import { transportError } from "./retry.js";

/** An answer whose body is still to come. */
export interface Answer {
  readonly status: number;
  /** Header by name, letter case ignored. */
  header(name: string): string | null;
  /** Length of the body as sent, where the service declares it and no coding changes it. */
  readonly length?: number;
  /** True where the body came compressed or otherwise coded. */
  readonly coded: boolean;
  /** True where the end of the body is marked by its length or by chunks; false where only the end of the connection marks it. */
  readonly framed: boolean;
  /** Host that answered, for messages. */
  readonly host: string;
  /** Address that answered, after redirects; may hold a key and is never shown. */
  readonly url: string;
  /** The body piece by piece. Throws TransportError when it stalls or breaks. */
  chunks(): AsyncGenerator<Uint8Array>;
  /** Ends the exchange without reading on. */
  discard(): void;
}

export interface ExchangeOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Adds the key (spec 5); it goes to the service's own origin only. */
  readonly keyed: boolean;
  readonly signal?: AbortSignal;
  /** Milliseconds for the whole exchange, body included. */
  readonly total?: number;
}

const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Sends one GET, follows redirects by hand, and gives the answer of any other status. */
export async function exchange(settings: Settings, address: string, options: ExchangeOptions): Promise<Answer> {
  const watch = stopwatch(options.signal);
  if (options.total !== undefined)
    watch.limit(options.total, () => timeout(address, "was not complete within", options.total));
  let current = address;
  try {
    for (let hops = 0; ; hops++) {
      const response = await send(settings, current, options, watch);
      if (!REDIRECTS.has(response.status)) return answerOf(response, current, settings, watch);
      await response.body?.cancel().catch(() => undefined);
      current = redirected(current, response.headers.get("location"), hops);
    }
  } catch (cause) {
    watch.end();
    throw watch.reason ?? transportError(cause, hostOf(current));
  }
}

async function send(
  settings: Settings,
  address: string,
  options: ExchangeOptions,
  watch: Stopwatch,
): Promise<Response> {
  const { response: limit } = settings.timeouts;
  const stop = watch.limit(limit, () => timeout(address, "did not begin within", limit));
  try {
    const headers = { "user-agent": "arrowbook", ...options.headers };
    return await settings.fetch(withKey(settings, address, options.keyed, headers), {
      headers,
      redirect: "manual",
      signal: watch.signal,
    });
  } finally {
    stop();
  }
}

/** Puts the key where the profile wants it: into `headers`, or as a parameter into the returned address. Never for another origin. */
function withKey(settings: Settings, address: string, keyed: boolean, headers: Record<string, string>): string {
  const { apiKey, profile } = settings;
  if (!keyed || !apiKey || new URL(address).origin !== new URL(settings.url).origin) return address;
  if (profile.keyHeader.value !== null) {
    headers[profile.keyHeader.value] = apiKey;
    return address;
  }
  return `${address}${address.includes("?") ? "&" : "?"}${profile.keyParameter.value}=${encodeURIComponent(apiKey)}`;
}

function redirected(from: string, location: string | null, hops: number): string {
  const refuse = (why: string): TransportError =>
    new TransportError(`A redirect of ${hostOf(from)} ${why}.`, {
      code: "BadRedirect",
      hint: "Check the address given to connect() or in ARROWBOOK_URL.",
      retry: { retryable: false },
    });
  if (hops >= MAX_REDIRECTS) throw refuse(`was the ${MAX_REDIRECTS + 1}th in a row`);
  if (!location || !URL.canParse(location, from)) throw refuse("names no address");
  const target = new URL(location, from);
  if (target.protocol !== "https:" && target.protocol !== new URL(from).protocol) {
    throw refuse(`leads to ${target.protocol}//${target.host}, which is not secure`);
  }
  return target.href;
}

function answerOf(response: Response, url: string, settings: Settings, watch: Stopwatch): Answer {
  const { headers } = response;
  const coded = (headers.get("content-encoding") ?? "identity") !== "identity";
  const declared = headers.get("content-length");
  const chunked = headers.get("transfer-encoding") !== null;
  const host = hostOf(url);
  return {
    status: response.status,
    header: (name) => headers.get(name),
    length: declared !== null && !coded && /^\d+$/.test(declared) ? Number(declared) : undefined,
    coded,
    framed: declared !== null || chunked,
    host,
    url,
    chunks: () => bodyOf(response, host, settings.timeouts.idle, watch),
    discard() {
      watch.end();
      void response.body?.cancel().catch(() => undefined);
    },
  };
}

/** Fewer bytes than this in an idle span count as none: a trickle is a stall. */
const TRICKLE = 1024;

async function* bodyOf(response: Response, host: string, idle: number, watch: Stopwatch): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  let waiting = false;
  let arrived = 0;
  let held = 0;
  // Time in which the reader of this generator is busy does not count against the service.
  const timer = setInterval(() => {
    if (waiting && arrived < TRICKLE && held < idle / 2) watch.stop(timeout(host, "stalled for", idle));
    arrived = 0;
    held = 0;
  }, idle);
  timer.unref();
  try {
    while (reader) {
      waiting = true;
      const { done, value } = await reader.read();
      waiting = false;
      if (done) break;
      arrived += value.length;
      const given = performance.now();
      yield value;
      held += performance.now() - given;
    }
  } catch (cause) {
    throw watch.reason ?? transportError(cause, host);
  } finally {
    clearInterval(timer);
    watch.end();
    void reader?.cancel().catch(() => undefined);
  }
}

interface Stopwatch {
  readonly signal: AbortSignal;
  /** Why it stopped; undefined while it runs. */
  readonly reason: unknown;
  stop(reason: unknown): void;
  /** Stops after `ms` unless the returned function is called before. */
  limit(ms: number, reason: () => unknown): () => void;
  end(): void;
}

/** One abort signal for the caller's signal and every time limit of an exchange. */
function stopwatch(outer: AbortSignal | undefined): Stopwatch {
  const controller = new AbortController();
  const timers = new Set<NodeJS.Timeout>();
  const stop = (reason: unknown): void => controller.abort(reason);
  const onOuter = (): void => stop(outer?.reason);
  if (outer?.aborted) stop(outer.reason);
  else outer?.addEventListener("abort", onOuter, { once: true });
  return {
    signal: controller.signal,
    get reason() {
      return controller.signal.aborted ? controller.signal.reason : undefined;
    },
    stop,
    limit(ms, reason) {
      const timer = setTimeout(() => stop(reason()), ms);
      timers.add(timer);
      return () => {
        clearTimeout(timer);
        timers.delete(timer);
      };
    },
    end() {
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
      outer?.removeEventListener("abort", onOuter);
    },
  };
}

function timeout(address: string, what: string, ms = 0): TransportError {
  return new TransportError(`The answer of ${hostOf(address)} ${what} ${ms / 1000} seconds.`, {
    code: "Timeout",
    hint: "Try again; the timeouts of connect() allow longer waits.",
    retry: { retryable: true },
  });
}

/** The host of an address, or of a bare host name; never its query. */
function hostOf(address: string): string {
  return URL.canParse(address) && address.includes("://") ? new URL(address).host : scrub(address);
}
