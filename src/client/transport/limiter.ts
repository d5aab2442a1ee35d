import { digestName } from "../../disk/digest-name.js";
import { TransportError } from "../../errors/errors.js";
import type { RateWindow } from "../../spec/profile.js";
import type { Settings } from "./settings.js";
import { sleep } from "./timer.js";

/** Delays requests so that one key stays within its limits. */
export interface Limiter {
  /**
   * Waits for a slot; the returned function releases it and must be called once. Rejects with the signal's reason on
   * abort, and at once with TransportError `RateLimited` if the service requested a longer pause than `patience`
   * milliseconds.
   */
  enter(signal?: AbortSignal, patience?: number): Promise<() => void>;
  /**
   * Handles "too many requests": no request starts for `after` milliseconds; without a value, the rate is reduced to
   * 0.7 of what it was.
   */
  slowDown(after?: number): void;
  /** Handles a success: a reduced rate recovers a little. */
  succeeded(): void;
}

/** The clock of a limiter; tests pass their own. */
export interface Clock {
  now(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

const monotonic: Clock = { now: () => performance.now(), sleep };

/**
 * The gap between requests after the first "too many" if no rate is known, and the gap below which the rate counts as
 * recovered.
 */
const FIRST_GAP_MS = 250;
const LEAST_GAP_MS = 10;
const LONGEST_GAP_MS = 30_000;
const SLOWDOWN = 0.7;
const RECOVERY = 0.95;

/** Creates a limiter for `concurrency` concurrent requests and the rates of `windows`. */
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

  /** A slot is handed to the next in the queue, so that no other call takes it in between. */
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
        for (let wait = delay(clock.now()); wait > 0; wait = delay(clock.now())) {
          // The pause may have been requested while this call was queued or asleep.
          refuseLong(closedUntil - clock.now(), patience);
          await clock.sleep(wait, signal);
        }
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
      else gap = gap === 0 ? FIRST_GAP_MS : Math.min(LONGEST_GAP_MS, gap / SLOWDOWN);
    },
    succeeded() {
      if (gap > 0) gap = gap * RECOVERY < LEAST_GAP_MS ? 0 : gap * RECOVERY;
    },
  };
}

function refuseLong(wait: number, patience: number): void {
  if (wait <= patience) return;
  throw new TransportError(`The service requested a pause, of which ${Math.ceil(wait / 1000)} seconds remain.`, {
    code: "RateLimited",
    hint: "Try again then, or raise retry.budget of connect().",
    retry: { retryable: false, after: wait },
  });
}

/** A slot in the queue; an abort frees it. */
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
 * The limiter of a service and key, shared by all `connect` calls of this process with the same service, key and
 * limits.
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
  return digestName(settings.url, settings.apiKey ?? "").slice(0, 24);
}
