import { SourceMap, type SourceMapPayload } from "node:module";

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
