import { TransportError } from "../../errors/errors.js";
import type { RateWindow } from "../../spec/profile.js";
import { sleep } from "../../transport/timer.js";

/** The clock of a limiter; tests pass their own. */
export type Clock = typeof monotonic;

const monotonic = { now: () => performance.now(), sleep };

/**
 * The gap between requests after the first "too many" if no rate is known, and the gap below which the rate counts as
 * recovered.
 */
const FIRST_GAP_MS = 250;
const LEAST_GAP_MS = 10;
const LONGEST_GAP_MS = 30_000;
const SLOWDOWN = 0.7;
const RECOVERY = 0.95;

/** Delays requests so that one key stays within its limits: so many at once, and the rates of `windows`. */
export class Limiter {
  readonly #starts: number[] = [];
  readonly #waiting: (() => void)[] = [];
  readonly #places: number;
  readonly #longest: number;
  #busy = 0;
  #gap = 0;
  #closedUntil = Number.NEGATIVE_INFINITY;
  #lastStart = Number.NEGATIVE_INFINITY;

  constructor(
    concurrency: number,
    private readonly windows: readonly RateWindow[],
    private readonly clock: Clock = monotonic,
  ) {
    this.#places = Math.max(1, concurrency);
    this.#longest = Math.max(0, ...windows.map(({ perMs }) => perMs));
  }

  /**
   * Waits for a slot; the returned function releases it. Rejects with the signal's reason on abort, and at once with
   * TransportError `RateLimited` if the service requested a longer pause than `patience` milliseconds.
   */
  async enter(signal?: AbortSignal, patience = Number.POSITIVE_INFINITY): Promise<() => void> {
    signal?.throwIfAborted();
    refuseLong(this.#closedUntil - this.clock.now(), patience);
    if (this.#busy >= this.#places) await turn(this.#waiting, signal);
    else this.#busy++;
    try {
      for (let wait = this.#delay(); wait > 0; wait = this.#delay()) {
        // The pause may have been requested while this call was queued or asleep.
        refuseLong(this.#closedUntil - this.clock.now(), patience);
        await this.clock.sleep(wait, signal);
      }
    } catch (reason) {
      this.#leave();
      throw reason;
    }
    this.#lastStart = this.clock.now();
    if (this.#longest > 0) this.#starts.push(this.#lastStart);
    let left = false;
    return () => {
      if (!left) this.#leave();
      left = true;
    };
  }

  /**
   * Handles "too many requests": no request starts for `after` milliseconds; without a value, the rate is reduced to
   * 0.7 of what it was.
   */
  slowDown(after?: number): void {
    if (after !== undefined) this.#closedUntil = Math.max(this.#closedUntil, this.clock.now() + after);
    else this.#gap = this.#gap === 0 ? FIRST_GAP_MS : Math.min(LONGEST_GAP_MS, this.#gap / SLOWDOWN);
  }

  /** Handles a success: a reduced rate recovers a little. */
  succeeded(): void {
    if (this.#gap > 0) this.#gap = this.#gap * RECOVERY < LEAST_GAP_MS ? 0 : this.#gap * RECOVERY;
  }

  /** Milliseconds until the next request may start. */
  #delay(): number {
    const now = this.clock.now();
    while (this.#starts.length > 0 && this.#starts[0] <= now - this.#longest) this.#starts.shift();
    let wait = Math.max(this.#closedUntil - now, this.#lastStart + this.#gap - now, 0);
    for (const { requests, perMs } of this.windows) {
      const oldest = this.#starts[this.#starts.length - requests];
      if (oldest !== undefined) wait = Math.max(wait, oldest + perMs - now);
    }
    return wait;
  }

  /** A slot is handed to the next in the queue, so that no other call takes it in between. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#busy--;
  }
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
