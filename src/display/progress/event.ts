/** A progress event of long work. All members are optional; counts are running totals. */
export interface ProgressEvent {
  /** The kind of work: `rows`, `download`, … */
  readonly phase?: string;
  /** Its subject: a code, a file. */
  readonly code?: string;
  /** Rows so far. */
  readonly rows?: number;
  /** Total number of rows, where known. */
  readonly totalRows?: number;
  /** Bytes so far. */
  readonly bytes?: number;
  /** Total number of bytes, where known. */
  readonly total?: number;
  /** The name of a state, such as `creating`. */
  readonly status?: string;
  /** Milliseconds until the next step. */
  readonly pause?: number;
  /** The last event of this phase. */
  readonly done?: boolean;
}
