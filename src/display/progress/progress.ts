import { NO_SCREEN, type ProgressEvent, screenHere, TaskLines } from "./task-lines.js";
import type { ProgressScreen } from "./terminal-screen.js";

/** A live bar: call it with events, or pass it as `onProgress`. */
export interface ProgressBar {
  (event: ProgressEvent): void;
  /** Ends the bar; in a notebook its last state stays, in a terminal one line for each phase. */
  readonly done: () => void;
}

const GAP_MS = 100;

/**
 * A live progress bar for your own tasks, or for this package's if its automatic bar does not fit: it appears with the
 * first event, has a label, and leaves one line per phase. Shows rows, bytes, rate and remaining time. Updates in place
 * in Deno and tslab, uses standard error on a terminal, and shows nothing if that is piped.
 *
 * @example
 * ```ts
 * import { connect, progress } from "arrowbook";
 * const bar = progress();
 * const service = await connect.sample({ onProgress: bar });
 * await service.table("MARKET/PRICES").frame();
 * bar.done();
 * await service.close();
 * ```
 */
export function progress(label?: string, screen: ProgressScreen = screenHere() ?? NO_SCREEN): ProgressBar {
  let tasks = new TaskLines(label);
  let drawn = Number.NEGATIVE_INFINITY;
  const bar = (event: ProgressEvent): void => {
    const now = performance.now();
    if (!tasks.note(event, now) && now - drawn < GAP_MS) return;
    drawn = now;
    screen.draw(tasks.lines(now), tasks.front(now, screen.width?.() ?? Number.POSITIVE_INFINITY));
  };
  const done = (): void => {
    const now = performance.now();
    tasks.finish(now, false);
    screen.end(tasks.lines(now));
    tasks = new TaskLines(label);
  };
  return Object.assign(bar, { done });
}
