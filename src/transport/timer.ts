import { unlessAborted } from "../errors/unless-aborted.js";

/** The longest delay of Node's timers; a longer one would fire at once. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * Calls `run` after any number of milliseconds, never if `ms` is infinite, unless the returned function is called
 * first. Keeps the process alive until then.
 */
function after(ms: number, run: () => void): () => void {
  let timer: NodeJS.Timeout;
  const wait = (left: number): void => {
    timer = setTimeout(() => (left > LONGEST_MS ? wait(left - LONGEST_MS) : run()), Math.min(left, LONGEST_MS));
  };
  wait(ms);
  return () => clearTimeout(timer);
}

/** Waits; rejects with the signal's reason as soon as it is aborted. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  let cancel = (): void => undefined;
  const slept = new Promise<void>((resolve) => {
    cancel = after(ms, resolve);
  });
  await unlessAborted(slept, signal).finally(() => cancel());
}

/** One abort signal for the caller's signal and all time limits of an exchange. */
export class Stopwatch {
  readonly #controller = new AbortController();
  readonly #limits: (() => void)[] = [];
  readonly signal: AbortSignal = this.#controller.signal;
  readonly #onOuter = (): void => this.stop(this.outer?.reason);

  constructor(private readonly outer: AbortSignal | undefined) {
    if (outer?.aborted) this.#onOuter();
    else outer?.addEventListener("abort", this.#onOuter, { once: true });
  }

  stop(reason: unknown): void {
    this.#controller.abort(reason);
  }

  /** Stops after `ms` unless the returned function is called first. */
  limit(ms: number, reason: () => unknown): () => void {
    const cancel = after(ms, () => this.stop(reason()));
    this.#limits.push(cancel);
    return cancel;
  }

  /**
   * Settles as `work` does, or rejects with the reason as soon as the watch stops: a promise that a transport never
   * settles cannot block a caller.
   */
  race<T>(work: Promise<T>): Promise<T> {
    return unlessAborted(work, this.signal);
  }

  end(): void {
    for (const cancel of this.#limits) cancel();
    this.outer?.removeEventListener("abort", this.#onOuter);
  }
}

/** Fewer bytes than this during the idle time count as none. */
const TRICKLE = 1024;

/**
 * Detects a body that stops arriving: calls `onStall` once less than a kilobyte has arrived within `idle` milliseconds
 * of waiting for it. Time during which its consumer is busy does not count.
 */
export function stallGuard(idle: number, onStall: () => void) {
  let bytes = 0;
  let waited = 0;
  let since = 0;
  let cancel = (): void => undefined;
  const spanEnds = (): void => {
    if (bytes < TRICKLE) {
      onStall();
      return;
    }
    bytes = 0;
    waited = 0;
    since = performance.now();
    cancel = after(idle, spanEnds);
  };
  return {
    arrived(more: number): void {
      bytes += more;
    },
    /** Starts waiting, which keeps the process alive until `pause()`. */
    wait(): void {
      since = performance.now();
      cancel = after(Math.max(0, idle - waited), spanEnds);
    },
    pause(): void {
      cancel();
      waited += performance.now() - since;
    },
  };
}

/** Combines signals, including that of the running notebook cell; undefined if there are none. */
export function anySignal(...signals: readonly (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = [...signals, cellSignal()].filter((signal) => signal !== undefined);
  return given.length > 1 ? AbortSignal.any(given) : given[0];
}

/** The kernel stores the signal of the running cell here, so that interrupting a cell aborts its requests. */
function cellSignal(): AbortSignal | undefined {
  return (globalThis as { [CELL_SIGNAL]?: AbortSignal })[CELL_SIGNAL];
}

const CELL_SIGNAL = Symbol.for("arrowbook.signal");
