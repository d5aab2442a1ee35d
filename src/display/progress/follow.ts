import { liveWork } from "./live-work.js";

/** What a long call is doing, as reported to `onProgress`. */
export interface Progress {
  /**
   * `rows`: pages of a table arrive; `wait`: the service makes an export; `download`: bytes of a bulk file arrive;
   * `read`: a file is turned into columns; `retry`: a request failed and is tried again after a pause.
   */
  readonly phase: "rows" | "wait" | "download" | "read" | "retry";
  /** Code of the dataset, database or table; the path for a local file. */
  readonly code: string;
  /** Rows so far. */
  readonly rows?: number;
  /** Bytes so far. */
  readonly bytes?: number;
  /** Bytes in all, where known. */
  readonly total?: number;
  /** The service's word for the state of an export, or the reason of a retry. */
  readonly status?: string;
  /** Milliseconds until the next poll or try. */
  readonly pause?: number;
  /** True on the last event of a phase. */
  readonly done?: boolean;
}

/** Receives progress events; called at most about ten times a second and phase. */
export type OnProgress = (progress: Progress) => void;

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
export function throttled(onProgress: OnProgress, now: () => number = () => performance.now()): OnProgress {
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
