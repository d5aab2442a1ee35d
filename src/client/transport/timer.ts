/** The longest delay of Node's timers; a longer one would fire at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** A one-shot timer. */
export interface Timer {
  cancel(): void;
}

/** Calls `run` after any number of milliseconds; never if `ms` is infinite. Keeps the process alive until then. */
export function after(ms: number, run: () => void): Timer {
  let timer: NodeJS.Timeout;
  const wait = (left: number): void => {
    timer = setTimeout(() => (left > LONGEST_MS ? wait(left - LONGEST_MS) : run()), Math.min(left, LONGEST_MS));
  };
  wait(ms);
  return { cancel: () => clearTimeout(timer) };
}
