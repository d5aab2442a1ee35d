import type { OnProgress } from "./progress.js";

/** How much of a file has been read. */
interface ReadSoFar {
  readonly bytes: number;
  /** Total bytes. */
  readonly total: number;
  readonly rows?: number;
}

/** Reports the progress of reading one file. */
export interface ReadProgress {
  readonly step: (read: ReadSoFar) => void;
  /** The file is complete; by default with the counts of the last step. Reports nothing if there was no step. */
  readonly done: (read?: ReadSoFar) => void;
}

/**
 * Reports the reading of a file as events of phase `read`; `code` is the dataset, database or table, or the path of a
 * local file.
 */
export function readProgress(onProgress: OnProgress, code: string): ReadProgress {
  let last: ReadSoFar | undefined;
  return {
    step(read) {
      last = read;
      onProgress({ phase: "read", code, ...read });
    },
    done(read = last) {
      if (read !== undefined) onProgress({ phase: "read", code, ...read, bytes: read.total, done: true });
    },
  };
}
