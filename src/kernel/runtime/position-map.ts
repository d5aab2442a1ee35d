import { SourceMap, type SourceMapPayload } from "node:module";

/** A place in source text; line and column count from 0. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Maps a position in the emitted code to its source; undefined for code without a source position. */
export type PositionMap = (position: Position) => Position | undefined;

/**
 * The way back through two compilations, each with its source map in base64: `outer` of the last one, `inner` of the
 * first. The maps are read only when a position is asked for.
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
