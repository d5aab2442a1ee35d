import { SourceMap, type SourceMapPayload } from "node:module";
import type { Program } from "./typescript-parts.js";

/** The names that a cell declares for later cells; its imports are exported by the compiler. */
export interface CellNames {
  /** Constants, functions and classes: their values do not change once the cell has run. */
  readonly constant: readonly string[];
  /** Variables, which the functions of the cell and later cells may assign. */
  readonly variable: readonly string[];
}

export interface CompilerState {
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

/** A position in source text; line and column count from 0. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Maps a position in the emitted code to its source; undefined if it has none. */
export type PositionMap = (position: Position) => Position | undefined;

/**
 * Maps positions back through two compilations with base64 source maps, `outer` of the last and `inner` of the first.
 * The maps are parsed on first use.
 */
export function positionMap(outer: string, inner: string): PositionMap {
  let maps: readonly SourceMap[] | undefined;
  return (position) => {
    maps ??= [outer, inner].map(
      (text) => new SourceMap(JSON.parse(Buffer.from(text, "base64").toString()) as SourceMapPayload),
    );
    let found: Position | undefined = position;
    for (const map of maps) {
      const entry: Partial<ReturnType<SourceMap["findEntry"]>> = map.findEntry(found.line, found.column);
      if (!("originalLine" in entry) || entry.originalLine === undefined) return undefined;
      found = { line: entry.originalLine, column: entry.originalColumn ?? 0 };
    }
    return found;
  };
}
