/** Where a bar draws. */
export interface ProgressScreen {
  /** Shows these lines, or `front` alone where there is room for one. */
  readonly draw: (lines: readonly string[], front: string) => void;
  /** Columns there are for `front`; undefined where all lines are shown. */
  readonly width?: () => number;
  /** Ends with these lines, which stay. */
  readonly end: (lines: readonly string[]) => void;
  /** In a notebook, where what was shown stays: whether the cell it stands in still runs. */
  readonly cellRuns?: () => boolean;
}

/** Shows nothing. */
export const NO_SCREEN: ProgressScreen = { draw: () => {}, end: () => {} };
