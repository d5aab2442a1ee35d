/** What long work tells about itself; everything is optional, counts are totals so far. */
export interface ProgressEvent {
  /** What is being done: `rows`, `download`, … */
  readonly phase?: string;
  /** What it is done to: a code, a file. */
  readonly code?: string;
  readonly rows?: number;
  /** Rows in all, where known. */
  readonly totalRows?: number;
  readonly bytes?: number;
  /** Bytes in all, where known. */
  readonly total?: number;
  /** A word about the state, such as `creating`. */
  readonly status?: string;
  /** Milliseconds until the next step. */
  readonly pause?: number;
  /** The last event of this phase. */
  readonly done?: boolean;
}
