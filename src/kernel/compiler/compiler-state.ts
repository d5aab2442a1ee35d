import type { PositionMap } from "./position-map.js";
import type { Program } from "./typescript-parts.js";

/** The names that a cell declares for later cells; its imports are exported by the compiler. */
export interface CellNames {
  /** Constants, functions and classes: their values do not change once the cell has run. */
  readonly constant: readonly string[];
  /** Variables, which the functions of the cell and later cells may assign. */
  readonly variable: readonly string[];
}

/** State of the compiler. */
export interface CompilerState {
  /** The program of the last compilation. */
  program?: Program;
  /** Maps positions in the running code to the last compiled source. */
  positions?: PositionMap;
  /** The local files that changed since the last call; the compiler reads them again. */
  changedFiles?: () => readonly string[];
  /** Whether the cell that is about to be compiled exports its names already. */
  exportsNames?: boolean;
  /** The names that the last compiled cell declares. */
  names?: CellNames;
}
