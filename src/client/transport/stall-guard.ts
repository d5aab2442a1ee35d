import { after, type Timer } from "./timer.js";

/** Fewer bytes than this during the idle time count as none. */
const TRICKLE = 1024;

/**
 * Detects a body that stops arriving. Counts only time spent waiting for it, not time during which its consumer is
 * busy.
 */
export interface StallGuard {
  /** Bytes have arrived. */
  arrived(bytes: number): void;
  /** Starts waiting; the timer keeps the process alive until {@link StallGuard.pause}. */
  wait(): void;
  /** Stops waiting for now. */
  pause(): void;
}

/** Calls `onStall` once less than a kilobyte has arrived within `idle` milliseconds of waiting. */
export function stallGuard(idle: number, onStall: () => void): StallGuard {
  let bytes = 0;
  let waited = 0;
  let since = 0;
  let timer: Timer | undefined;
  const spanEnds = (): void => {
    if (bytes < TRICKLE) {
      onStall();
      return;
    }
    bytes = 0;
    waited = 0;
    since = performance.now();
    timer = after(idle, spanEnds);
  };
  return {
    arrived(more) {
      bytes += more;
    },
    wait() {
      since = performance.now();
      timer = after(Math.max(0, idle - waited), spanEnds);
    },
    pause() {
      timer?.cancel();
      waited += performance.now() - since;
    },
  };
}
