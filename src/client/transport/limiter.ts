import { createHash } from "node:crypto";
import { TransportError } from "../../errors/errors.js";
import type { RateWindow } from "../../spec/profile.js";
import type { Settings } from "./options.js";
import { sleep } from "./retry.js";

/** Holds requests back so that one key stays within its limits. */
export interface Limiter {
  /**
   * Waits for a place; the returned function gives it back and must be called once. Rejects with the signal's reason on
   * abort, and at once with TransportError `RateLimited` where the service asked for a longer pause than `patience`
   * milliseconds.
   */
  enter(signal?: AbortSignal, patience?: number): Promise<() => void>;
  /**
   * The service said "too many": nothing starts for `after` milliseconds; without one, the pace is cut to 0.7 of what
   * it was.
   */
  slowDown(after?: number): void;
  /** A request went well: a pace that was cut recovers a little. */
  succeeded(): void;
}

/** What a limiter needs to know of time; tests give their own. */
export interface Clock {
  now(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

const monotonic: Clock = { now: () => performance.now(), sleep };

/**
 * Gap between requests after the first "too many" when no pace is known, and the gap below which a pace counts as
 * recovered.
 */
const FIRST_GAP_MS = 250;
const LEAST_GAP_MS = 10;
const LONGEST_GAP_MS = 30_000;
const CUT = 0.7;
const RECOVERY = 0.95;

/** A limiter of its own: `concurrency` requests under way, every window of `windows` kept. */
export function limiter(concurrency: number, windows: readonly RateWindow[], clock: Clock = monotonic): Limiter {
  const starts: number[] = [];
  const waiting: (() => void)[] = [];
  const places = Math.max(1, concurrency);
  const longest = Math.max(0, ...windows.map((window) => window.perMs));
  let busy = 0;
  let gap = 0;
  let closedUntil = Number.NEGATIVE_INFINITY;
  let lastStart = Number.NEGATIVE_INFINITY;

  /** Milliseconds until the next request may start. */
  const delay = (now: number): number => {
    while (starts.length > 0 && starts[0] <= now - longest) starts.shift();
    let wait = Math.max(closedUntil - now, lastStart + gap - now, 0);
    for (const { requests, perMs } of windows) {
      const oldest = starts[starts.length - requests];
      if (oldest !== undefined) wait = Math.max(wait, oldest + perMs - now);
    }
    return wait;
  };

  /** A place is handed to the next in the queue, so that no other call takes it in between. */
  const leave = (): void => {
    const next = waiting.shift();
    if (next) next();
    else busy--;
  };

  return {
    async enter(signal, patience = Number.POSITIVE_INFINITY) {
      signal?.throwIfAborted();
      refuseLong(closedUntil - clock.now(), patience);
      if (busy >= places) await turn(waiting, signal);
      else busy++;
      try {
        for (let wait = delay(clock.now()); wait > 0; wait = delay(clock.now())) await clock.sleep(wait, signal);
      } catch (reason) {
        leave();
        throw reason;
      }
      lastStart = clock.now();
      if (longest > 0) starts.push(lastStart);
      let left = false;
      return () => {
        if (left) return;
        left = true;
        leave();
      };
    },
    slowDown(after) {
      if (after !== undefined) closedUntil = Math.max(closedUntil, clock.now() + after);
      else gap = gap === 0 ? FIRST_GAP_MS : Math.min(LONGEST_GAP_MS, gap / CUT);
    },
    succeeded() {
      if (gap > 0) gap = gap * RECOVERY < LEAST_GAP_MS ? 0 : gap * RECOVERY;
    },
  };
}

function refuseLong(wait: number, patience: number): void {
  if (wait <= patience) return;
  throw new TransportError(`The service asked to wait; ${Math.ceil(wait / 1000)} seconds of that are left.`, {
    code: "RateLimited",
    hint: "Try again then, or allow the wait with retry.budget of connect().",
    retry: { retryable: false, after: wait },
  });
}

/** A place in the queue; an abort frees it. */
function turn(waiting: (() => void)[], signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const go = (): void => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    };
    const onAbort = (): void => {
      waiting.splice(waiting.indexOf(go), 1);
      reject(signal?.reason);
    };
    waiting.push(go);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

const shared = new Map<string, Limiter>();

/**
 * The limiter of a service and key: every `connect` of this process with the same ones and the same limits shares it.
 */
export function limiterFor(settings: Settings): Limiter {
  const { concurrency, windows } = settings.limits;
  const identity = `${accountOf(settings)} ${concurrency} ${JSON.stringify(windows)}`;
  const known = shared.get(identity);
  if (known) return known;
  const made = limiter(concurrency, windows);
  shared.set(identity, made);
  return made;
}

/** An identifier for "this key at this service" that does not reveal the key. */
export function accountOf(settings: Settings): string {
  return createHash("sha256")
    .update(`${settings.url}\n${settings.apiKey ?? ""}`)
    .digest("hex")
    .slice(0, 24);
}
