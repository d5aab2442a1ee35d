/** A progress event of a long call, as passed to `onProgress`. */
export interface Progress {
  /**
   * `rows`: pages of a table arrive; `wait`: the service prepares an export; `download`: bytes of a bulk file arrive;
   * `read`: a file is read into columns; `retry`: a request failed and is retried after a pause.
   */
  readonly phase: "rows" | "wait" | "download" | "read" | "retry";
  /** Code of the dataset, database or table, or the path of a local file. */
  readonly code: string;
  /** Rows so far. */
  readonly rows?: number;
  /** Bytes so far. */
  readonly bytes?: number;
  /** Total bytes, if known. */
  readonly total?: number;
  /** The service's name for the state of an export, or the reason for a retry. */
  readonly status?: string;
  /** Milliseconds until the next poll or retry. */
  readonly pause?: number;
  /** True on the last event of a phase. */
  readonly done?: boolean;
}

/** Receives progress events, at most about ten per second and phase. */
export type OnProgress = (progress: Progress) => void;

/** How much of a file has been read. */
interface ReadSoFar {
  readonly bytes: number;
  readonly total: number;
  readonly rows?: number;
}

/** Reports the progress of reading one file. */
interface ReadProgress {
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
