import type { OnProgress } from "../../columns/io/progress.js";
import { liveWork } from "./live-work.js";

/** One task whose progress is reported. */
export interface Followed {
  readonly tell: OnProgress;
  /** Call it when the task is over, however it ended. */
  readonly end: () => void;
}

/** Reports a task: to the caller's function, not at all (`false`), or in the bar that long work shows by default. */
export function follow(onProgress: OnProgress | false | undefined): Followed {
  if (onProgress === undefined) return liveWork();
  return { tell: onProgress === false ? () => undefined : throttled(onProgress), end: () => undefined };
}

const GAP_MS = 100;

/** Passes one event per 100 ms; first events, last events, announced pauses and changes of phase always pass. */
function throttled(onProgress: OnProgress, now: () => number = () => performance.now()): OnProgress {
  let last = Number.NEGATIVE_INFINITY;
  let phase = "";
  return (progress) => {
    const time = now();
    if (!progress.done && progress.pause === undefined && progress.phase === phase && time - last < GAP_MS) return;
    last = time;
    phase = progress.phase;
    onProgress(progress);
  };
}
