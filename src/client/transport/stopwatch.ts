import { unlessAborted } from "../../errors/unless-aborted.js";
import { after } from "./timer.js";

export type Stopwatch = ReturnType<typeof stopwatch>;

/** Starts one abort signal for the caller's signal `outer` and all time limits of an exchange. */
export function stopwatch(outer: AbortSignal | undefined) {
  const controller = new AbortController();
  const { signal } = controller;
  const limits: (() => void)[] = [];
  const stop = (reason: unknown): void => controller.abort(reason);
  const onOuter = (): void => stop(outer?.reason);
  if (outer?.aborted) onOuter();
  else outer?.addEventListener("abort", onOuter, { once: true });
  return {
    signal,
    stop,
    /** Stops after `ms` unless the returned function is called first. */
    limit(ms: number, reason: () => unknown): () => void {
      const cancel = after(ms, () => stop(reason()));
      limits.push(cancel);
      return cancel;
    },
    /**
     * Settles as `work` does, or rejects with the reason as soon as the watch stops: a promise that a transport never
     * settles cannot block a caller.
     */
    race: <T>(work: Promise<T>): Promise<T> => unlessAborted(work, signal),
    end(): void {
      for (const cancel of limits) cancel();
      outer?.removeEventListener("abort", onOuter);
    },
  };
}
