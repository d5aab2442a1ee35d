/** How long a reply may occupy the serving thread before other requests are handled, in milliseconds. */
const SLICE_MS = 2;

const waiting: (() => void)[] = [];

/** Resumes one waiting reply per turn of the event loop, so that sockets are served between slices. */
function nextTurn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(nextTurn);
}

/** Divides the rendering of a long reply into slices of a few milliseconds, one reply at a time. */
export function slices() {
  let began = performance.now();
  /** Waits for a turn, so that answers that become ready at one time are not begun in one turn. */
  const turn = (): Promise<void> =>
    new Promise((resolve) => {
      waiting.push(() => {
        began = performance.now();
        resolve();
      });
      if (waiting.length === 1) setImmediate(nextTurn);
    });
  /** To be called between two steps; waits for a turn once the slice is used up. */
  const pause = () => (performance.now() - began < SLICE_MS ? undefined : turn());
  return { pause, turn };
}
