import { unlessAborted } from "../../errors/unless-aborted.js";

/** The longest delay of Node's timers; a longer one would fire at once. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * Calls `run` after any number of milliseconds, never if `ms` is infinite, unless the returned function is called
 * first. Keeps the process alive until then.
 */
export function after(ms: number, run: () => void): () => void {
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
