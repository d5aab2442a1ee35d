import type { SourceMap } from "node:module";
import { JUPYTER_DISPLAY } from "../../display/base/show.js";
import type { Content, Json } from "../protocol/message.js";
import { isHidden, type Variable, variablesOf } from "./variables.js";

/** The key under which the debugger, which runs in another thread, finds the values of cells. */
export const DEBUGGED = 'globalThis[Symbol.for("arrowbook.debugger")]';

/** What the debugger calls in the thread of the cells, also while that thread is stopped. */
interface DebugValues {
  /** What these scripts were compiled from, by the names of their files; null for those that are not kept. */
  sources(files: readonly string[]): (ScriptSource | null)[];
  /** The variables that cells declared; references of earlier calls become invalid, unless `keep` is set. */
  list(keep?: boolean): Variable[];
  /** The variables of a scope of a stopped function. */
  scope(holder: object): Variable[];
  members(reference: number): Variable[];
  described(value: unknown): Variable;
  /** The MIME bundle of a variable of a cell. */
  bundle(name: string): Promise<Content>;
  /** The same of any value, as far as it is there without waiting. */
  bundleNow(value: unknown): Content;
  /** Makes the variables of cells visible to `code`, which is evaluated where it is called. */
  expose(isVisible: boolean): void;
}

export interface DebugValuesOptions {
  readonly names: () => readonly string[];
  readonly value: (name: string) => unknown;
  readonly bundle: (value: unknown) => Promise<Content>;
  readonly source: (file: string) => ScriptSource | undefined;
  /** Removes secrets. */
  readonly clean: <T extends Json | Content>(content: T) => T;
}

/** Makes the values of cells available to the debugger. */
export function offerDebugValues({ names, value, bundle, source, clean }: DebugValuesOptions): void {
  const variables = variablesOf(names, value);
  const exposed: string[] = [];
  const values: DebugValues = {
    sources: (files) => files.map((file) => source(file) ?? null),
    list: (keep = false) => clean(variables.list(keep)),
    scope: (holder) => clean(variables.scope(holder)),
    members: (reference) => clean(variables.members(reference)),
    described: (found) => clean(variables.described(found)),
    bundle: async (name) => clean(isHidden(name) || value(name) === undefined ? {} : await bundle(value(name))),
    bundleNow(found) {
      const display = (found as { [JUPYTER_DISPLAY]?: unknown } | null | undefined)?.[JUPYTER_DISPLAY];
      const own: unknown = typeof display === "function" ? display.call(found) : undefined;
      const isThere = typeof own === "object" && own !== null && !(own instanceof Promise);
      return clean(isThere ? (own as Content) : { "text/plain": variables.described(found).value });
    },
    expose(isVisible) {
      for (const name of exposed.splice(0)) delete (globalThis as Record<string, unknown>)[name];
      if (!isVisible) return;
      for (const name of names()) {
        if (isHidden(name) || name in globalThis) continue;
        exposed.push(name);
        Object.defineProperty(globalThis, name, { get: () => value(name), configurable: true });
      }
    },
  };
  (globalThis as Record<symbol, unknown>)[Symbol.for("arrowbook.debugger")] = values;
}

/** What the code of a cell or of a local file was compiled from. */
export interface ScriptSource {
  readonly source: string;
  /** The source map of its code, as JSON. */
  readonly map: string;
}

/** Marks scripts for the debugger, before which only such with a source map stop. */
export const SOURCE_MAP_URL = "arrowbook:source-map";

/** The code of a cell or of a local file as the debugger finds it. */
export function debuggable(code: string): string {
  return `${code}\n//# sourceMappingURL=${SOURCE_MAP_URL}`;
}

/** A position in source text; line and column count from 0. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Where a position in compiled code is in its source; undefined for code that the kernel has added. */
export function originalPosition(sourceMap: SourceMap, { line, column }: Position): Position | undefined {
  const found: Partial<ReturnType<SourceMap["findEntry"]>> = sourceMap.findEntry(line, column);
  if (!("originalLine" in found) || found.originalLine === undefined || found.generatedLine !== line) return undefined;
  return { line: found.originalLine, column: found.originalColumn ?? 0 };
}
