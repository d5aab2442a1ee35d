import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Syntax, TypeScript } from "../install/installed-typescript.js";

/** The libraries of each line of Node, the newest first; those that a TypeScript lacks are left out. */
const LIBRARIES: readonly (readonly [node: number, ...names: string[]])[] = [
  [24, "esnext"],
  [22, "es2024", "es2025.iterator", "es2025.collection", "esnext.iterator", "esnext.collection", "esnext.array"],
  [0, "es2023", "es2024.regexp", "es2024.string", "es2024.sharedmemory", "es2024.arraybuffer"],
];
const ALWAYS = ["esnext.disposable", "esnext.decorators"];
/** The file that has all of them for cells, but for those that are modules. */
const LIBRARY = "lib.cells.d.ts";
const REFERENCE = /^\/\/\/ <reference lib="([^"]+)" \/>$/gm;

/** The options that cells take from a `tsconfig.json`: how to resolve, check and emit, not where and what to build. */
const FROM_PROJECT: ReadonlySet<string> = new Set([
  "allowArbitraryExtensions",
  "allowSyntheticDefaultImports",
  "baseUrl",
  "customConditions",
  "emitDecoratorMetadata",
  "exactOptionalPropertyTypes",
  "experimentalDecorators",
  "jsx",
  "jsxFactory",
  "jsxFragmentFactory",
  "jsxImportSource",
  "noImplicitAny",
  "noImplicitOverride",
  "noImplicitThis",
  "noPropertyAccessFromIndexSignature",
  "noUncheckedIndexedAccess",
  "paths",
  "pathsBasePath",
  "preserveSymlinks",
  "rootDirs",
  "strict",
  "strictBindCallApply",
  "strictBuiltinIteratorReturn",
  "strictFunctionTypes",
  "strictNullChecks",
  "strictPropertyInitialization",
  "typeRoots",
  "types",
  "useDefineForClassFields",
  "useUnknownInCatchVariables",
]);

/** The compiler options of cells in `folder`, for the running Node. `strict` has precedence over the project's. */
export function cellOptions(typescript: TypeScript, folder: string, strict: boolean): Syntax.CompilerOptions {
  const { ScriptTarget, ModuleKind, ModuleResolutionKind, JsxEmit } = typescript;
  const project = projectOptions(typescript, folder);
  const node = Number(process.versions.node.split(".")[0]);
  const found = Object.entries(project).filter(([name]) => FROM_PROJECT.has(name));
  const chosen: Syntax.CompilerOptions = { strict: false, types: [], ...Object.fromEntries(found) };
  const targets: Readonly<Record<string, unknown>> = ScriptTarget;
  return {
    ...chosen,
    ...(strict ? { strict } : {}),
    jsx: isEmitted(typescript, chosen.jsx) ? chosen.jsx : JsxEmit.React,
    lib: [LIBRARY, ...(project.lib ?? [])],
    // What is newer, such as `using` and decorators, is compiled to code of this version.
    target: ((node >= 24 ? targets["ES2025"] : undefined) ?? targets["ES2024"] ?? ScriptTarget.ES2022) as number,
    module: ModuleKind.Preserve,
    moduleResolution: ModuleResolutionKind.Bundler,
    moduleDetection: typescript.ModuleDetectionKind.Force,
    allowImportingTsExtensions: true,
    allowJs: true,
    checkJs: false,
    declaration: true,
    esModuleInterop: true,
    newLine: typescript.NewLineKind.LineFeed,
    // Messages about columns need all names of a wide table.
    noErrorTruncation: true,
    resolveJsonModule: true,
    skipLibCheck: true,
    sourceMap: true,
  };
}

function isEmitted({ JsxEmit }: TypeScript, jsx: Syntax.JsxEmit | undefined): boolean {
  return jsx === JsxEmit.React || jsx === JsxEmit.ReactJSX || jsx === JsxEmit.ReactJSXDev;
}

/**
 * The texts of the libraries of the running Node by their paths: all in that of {@link LIBRARY}, and the others empty.
 * For each cell the compiler would look each of a hundred files up again, and merge their interfaces.
 */
export function libraryFiles({ sys, getDefaultLibFilePath }: TypeScript): ReadonlyMap<string, string> {
  const folder = dirname(getDefaultLibFilePath({}));
  const files = new Map<string, string>();
  let modules = "";
  let all = "";
  const add = (name: string): void => {
    const path = `${folder}/lib.${name}.d.ts`;
    const text = files.has(path) ? undefined : sys.readFile(path);
    if (text === undefined) return;
    for (const [, referenced] of text.matchAll(REFERENCE)) add(referenced);
    if (/^export\b/m.test(text)) modules += `/// <reference lib="${name}" />\n`;
    else {
      files.set(path, "");
      all += text.replaceAll(REFERENCE, "");
    }
  };
  const node = Number(process.versions.node.split(".")[0]);
  const [, ...names] = LIBRARIES.find(([from]) => node >= from)!;
  for (const name of [...names, ...ALWAYS]) add(name);
  return files.set(`${folder}/${LIBRARY}`, modules + all);
}

/** The options of the nearest `tsconfig.json`, up to the folder of the project's `package.json`. */
function projectOptions(typescript: TypeScript, folder: string): Syntax.CompilerOptions {
  for (let place = folder; ; place = dirname(place)) {
    const file = join(place, "tsconfig.json");
    if (existsSync(file)) {
      const { config } = typescript.readConfigFile(file, typescript.sys.readFile) as { readonly config?: object };
      const host = { ...typescript.sys, readDirectory: () => [] };
      return typescript.parseJsonConfigFileContent(config ?? {}, host, place, undefined, file).options;
    }
    if (existsSync(join(place, "package.json")) || dirname(place) === place) return {};
  }
}
