import { after } from "./timer.js";

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
