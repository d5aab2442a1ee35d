import type { OnProgress } from "./progress.js";

/** How far the reading of a file has come. */
interface ReadSoFar {
  readonly bytes: number;
  /** Bytes in all. */
  readonly total: number;
  readonly rows?: number;
}

/** Reports the reading of one file. */
export interface ReadProgress {
  readonly step: (read: ReadSoFar) => void;
  /** All of it is read: the figures of the last step by default. Reports nothing where there was no step. */
  readonly done: (read?: ReadSoFar) => void;
}

/**
 * Reports the reading of a file as events of phase `read`; `code` is the dataset, database or table, or the path of a
 * local file.
 */
export function readProgress(tell: OnProgress, code: string): ReadProgress {
  let last: ReadSoFar | undefined;
  return {
    step(read) {
      last = read;
      tell({ phase: "read", code, ...read });
    },
    done(read = last) {
      if (read !== undefined) tell({ phase: "read", code, ...read, bytes: read.total, done: true });
    },
  };
}
