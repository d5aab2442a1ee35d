/** A target that a bar draws on. */
export interface ProgressScreen {
  /** Shows these lines, or `front` alone where there is room for one. */
  readonly draw: (lines: readonly string[], front: string) => void;
  /** Columns available for `front`; undefined where all lines are shown. */
  readonly width?: () => number;
  /** Ends with these lines, which stay. */
  readonly end: (lines: readonly string[]) => void;
  /** In a notebook, where the display stays: whether its cell is still running. */
  readonly cellRuns?: () => boolean;
}

/** Shows nothing. */
export const NO_SCREEN: ProgressScreen = { draw: () => {}, end: () => {} };
