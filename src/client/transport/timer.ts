/** The longest delay that Node's timers take; a longer one fires at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** A timer that runs once. */
export interface Timer {
  cancel(): void;
}

/**
 * Calls `run` after `ms` milliseconds, however many they are; never where `ms` is infinite. Keeps the process alive
 * until then.
 */
export function after(ms: number, run: () => void): Timer {
  let timer: NodeJS.Timeout;
  const wait = (left: number): void => {
    timer = setTimeout(() => (left > LONGEST_MS ? wait(left - LONGEST_MS) : run()), Math.min(left, LONGEST_MS));
  };
  wait(ms);
  return { cancel: () => clearTimeout(timer) };
}
