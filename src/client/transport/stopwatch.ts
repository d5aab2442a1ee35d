import { unlessAborted } from "../../errors/unless-aborted.js";
import { after, type Timer } from "./timer.js";

/** One abort signal for the caller's signal and all time limits of an exchange. */
export interface Stopwatch {
  readonly signal: AbortSignal;
  /** The reason for stopping; undefined while running. */
  readonly reason: unknown;
  stop(reason: unknown): void;
  /** Stops after `ms` unless the returned function is called first. */
  limit(ms: number, reason: () => unknown): () => void;
  /**
   * Settles as `work` does, or rejects with the reason as soon as the watch stops: a promise that a transport never
   * settles cannot block a caller.
   */
  race<T>(work: Promise<T>): Promise<T>;
  end(): void;
}

/** Starts a stopwatch that also stops with `outer`. */
export function stopwatch(outer: AbortSignal | undefined): Stopwatch {
  const controller = new AbortController();
  const { signal } = controller;
  const timers = new Set<Timer>();
  const stop = (reason: unknown): void => controller.abort(reason);
  const onOuter = (): void => stop(outer?.reason);
  if (outer?.aborted) stop(outer.reason);
  else outer?.addEventListener("abort", onOuter, { once: true });
  return {
    signal,
    get reason() {
      return signal.aborted ? signal.reason : undefined;
    },
    stop,
    limit(ms, reason) {
      const timer = after(ms, () => stop(reason()));
      timers.add(timer);
      return () => {
        timer.cancel();
        timers.delete(timer);
      };
    },
    race: (work) => unlessAborted(work, signal),
    end() {
      for (const timer of timers) timer.cancel();
      timers.clear();
      outer?.removeEventListener("abort", onOuter);
    },
  };
}
