/** Milliseconds for which an answer holds the serving thread before other requests come in. */
const SLICE_MS = 3;

const waiting: (() => void)[] = [];

/** Runs one waiting answer for each turn of the event loop, so that sockets are served between two slices. */
function nextTurn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(nextTurn);
}

/** Divides the making of a long answer into slices of a few milliseconds, one answer at a time. */
export interface Slices {
  /** To be called between two steps; waits for a turn where the slice is used up. */
  pause(): Promise<void> | undefined;
}

/** Starts the first slice of an answer. */
export function slices(): Slices {
  let began = performance.now();
  return {
    pause() {
      if (performance.now() - began < SLICE_MS) return undefined;
      return new Promise((resolve) => {
        waiting.push(() => {
          began = performance.now();
          resolve();
        });
        if (waiting.length === 1) setImmediate(nextTurn);
      });
    },
  };
}
