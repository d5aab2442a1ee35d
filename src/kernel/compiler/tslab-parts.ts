import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { resolveTslab } from "../install/kernelspec.js";
import type { CellNames } from "./compiler-state.js";
import type { System, TypeScript } from "./typescript-parts.js";

const TSLAB_VERSION = "1.0.22";

/** A compiler message about a cell or a side-loaded file. Lines and characters count from 0. */
export interface Diagnostic {
  readonly start: { readonly line: number; readonly character: number; readonly offset: number };
  readonly end: { readonly line: number; readonly character: number; readonly offset: number };
  readonly messageText: string;
  readonly code: number;
  readonly fileName?: string;
}

export interface Conversion {
  readonly output?: string;
  readonly declOutput?: string;
  readonly diagnostics: readonly Diagnostic[];
  readonly hasToplevelAwait?: boolean;
  readonly lastExpressionVar?: string;
  /** The names that the cell declares, but for its imports. */
  readonly names?: CellNames;
  readonly sideOutputs?: readonly { readonly path: string; readonly data: string }[];
}

/** What completes the name or text at a position; `start` and `end` are what it replaces. */
export interface Completion {
  readonly start: number;
  readonly end: number;
  readonly candidates: readonly string[];
  /** What the compiler's language service found; `kind` is its name for the kind of symbol. */
  readonly original?: { readonly entries?: readonly { readonly name: string; readonly kind: string }[] };
}

export interface Converter {
  convert(previous: string, source: string): Conversion;
  complete(previous: string, source: string, position: number): Completion;
  inspect(previous: string, source: string, position: number): unknown;
  addModule(name: string, content: string, meta?: unknown): readonly Diagnostic[];
  close(): void;
}

/** The internals of tslab that the kernel uses. */
export interface TslabParts {
  readonly folder: string;
  readonly typescript: TypeScript;
  readonly createConverter: (options: { isJS: boolean; isBrowser: boolean }) => Converter;
  readonly isCompleteCode: (code: string) => { readonly completed: boolean; readonly indent?: string };
  readonly getCodeMetadata: (code: string) => { readonly module?: string; readonly mode?: string };
  readonly printQuickInfo: (info: unknown) => string;
  /** tslab's own `display` writes through the field `lastWriteDisplayData` of this module. */
  readonly jupyter: { lastWriteDisplayData: unknown };
  /** The module for `import "tslab"` in cells. */
  readonly publicModule: () => unknown;
}

/** The path of the cell in the compiler's program. */
export function cellFileName(sys: System): string {
  const folder = (sys["getCurrentDirectory"] as () => string)().replaceAll("\\", "/");
  return `${folder.replace(/\/$/, "")}/__tslab__.ts`;
}

/** tslab is missing, or its internals are not the supported ones; `message` has the difference. */
export class TslabDiffers extends Error {
  constructor(
    message: string,
    readonly folder?: string,
  ) {
    super(message);
  }
}

/**
 * Loads tslab's internals from the package resolved from `folder`, else from this package's installation, after
 * `prepare` has changed its compiler. Throws {@link TslabDiffers} if the version differs or a part is missing.
 */
export function loadTslab(folder: string, prepare: (typescript: TypeScript) => TypeScript): TslabParts {
  const place = resolveTslab(folder);
  if (place === undefined) throw new TslabDiffers("the package tslab is not installed (npm install tslab@1.0.22)");
  const { version } = JSON.parse(readFileSync(join(place, "package.json"), "utf8")) as { version: string };
  if (version !== TSLAB_VERSION) throw new TslabDiffers(`tslab is ${version}, not ${TSLAB_VERSION}`, place);
  const load = createRequire(join(place, "dist", "main.js"));
  const file = load.resolve("@tslab/typescript-for-tslab");
  const typescript = prepare(load(file) as TypeScript);
  const cached = load.cache[file];
  if (cached === undefined) throw new TslabDiffers("the compiler of tslab cannot be prepared", place);
  cached.exports = typescript;
  const part = (name: string, ...names: string[]): Record<string, unknown> => {
    const path = join(place, "dist", `${name}.js`);
    const found = existsSync(path) ? (load(path) as Record<string, unknown>) : {};
    const missing = names.filter((wanted) => typeof found[wanted] !== "function");
    if (missing.length > 0) throw new TslabDiffers(`tslab has no ${name}.${missing.join(", ")}`, place);
    return found;
  };
  const converter = part("converter", "createConverter", "isCompleteCode");
  const metadata = part("metadata", "getCodeMetadata");
  const inspect = part("inspect", "printQuickInfo");
  const jupyter = part("jupyter");
  if (!("lastWriteDisplayData" in jupyter)) throw new TslabDiffers("tslab has no jupyter.lastWriteDisplayData", place);
  return {
    folder: place,
    typescript,
    createConverter: converter["createConverter"] as TslabParts["createConverter"],
    isCompleteCode: converter["isCompleteCode"] as TslabParts["isCompleteCode"],
    getCodeMetadata: metadata["getCodeMetadata"] as TslabParts["getCodeMetadata"],
    printQuickInfo: inspect["printQuickInfo"] as TslabParts["printQuickInfo"],
    jupyter: jupyter as TslabParts["jupyter"],
    publicModule: () => load(join(place, "dist", "public.js")) as unknown,
  };
}
