import type { OnProgress } from "../../columns/io/progress.js";
import { liveWork } from "./live-work.js";

/** One piece of work whose progress is told. */
export interface Followed {
  readonly tell: OnProgress;
  /** To be called when the work is over, however it ended. */
  readonly end: () => void;
}

/** Follows work: with the caller's function, not at all (`false`), or in the bar that long work shows of itself. */
export function follow(onProgress: OnProgress | false | undefined): Followed {
  if (onProgress === undefined) return liveWork();
  return { tell: onProgress === false ? () => undefined : throttled(onProgress), end: () => undefined };
}

const GAP_MS = 100;

/** Lets one event through per 100 ms; first events, last events, announced pauses and changes of phase always pass. */
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
