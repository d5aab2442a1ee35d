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
  /** The service's name for the state of an export, or the reason of a retry. */
  readonly status?: string;
  /** Milliseconds until the next poll or try. */
  readonly pause?: number;
  /** True on the last event of a phase. */
  readonly done?: boolean;
}

/** Receives progress events; called at most about ten times a second and phase. */
export type OnProgress = (progress: Progress) => void;
