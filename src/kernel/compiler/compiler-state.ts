import type { CellNames } from "./earlier-names.js";
import type { PositionMap } from "./position-map.js";
import type { Program } from "./typescript-parts.js";

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
