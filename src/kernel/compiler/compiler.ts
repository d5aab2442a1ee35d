import { relative } from "node:path";
import { cellBuilder } from "./cell-builder.js";
import { withoutExports } from "./cell-exports.js";
import { mayBeColumn } from "./column-messages.js";
import { type CompilerState, positionMap } from "./compiler-state.js";
import { createProgramWithJsx } from "./jsx.js";
import { cellFileName } from "./tslab-parts.js";
import type { Host, System, TypeScript } from "./typescript-parts.js";
import { OPEN_ROW } from "./value-types.js";
import { watchedFiles } from "./watched-files.js";

/** Compiler options in addition to tslab's. */
export interface CompilerOptions {
  /** All of TypeScript's strict checks; default false, as in tslab. */
  readonly strict?: boolean;
  /** Module resolution `bundler`, which reads `exports` of packages; default false: `node10`, as in tslab. */
  readonly bundler?: boolean;
}

const SOURCE_MAP = /\n?\/\/# sourceMappingURL=data:application\/json[^,]*,([A-Za-z0-9+/=]+)\s*$/;

/**
 * Prepares tslab's compiler: applies the options above, parses top-level `await` by the language rules (tslab parses
 * `await (x)` as a call), keeps source maps and exposes the program. `home` is the folder of this package if cells
 * cannot resolve it from `folder`.
 */
export function prepareTypeScript(
  typescript: TypeScript,
  options: CompilerOptions,
  state: CompilerState,
  folder: string,
  home?: string,
): TypeScript {
  const extra = {
    disableTopLevelAwait: false,
    inlineSourceMap: true,
    // Messages about columns need all names of a wide table.
    noErrorTruncation: true,
    ...(options.strict ? { strict: true } : {}),
    ...(options.bundler ? { moduleResolution: typescript.ModuleResolutionKind.Bundler } : {}),
  };
  const files = watchedFiles(home === undefined ? typescript.sys : withPackage(typescript.sys, folder, home));
  state.changedFiles = files.changed;
  return {
    ...typescript,
    sys: files.sys,
    createWatchCompilerHost: (files, wanted, sys, _, ...reporters) => {
      const options = { ...wanted, ...extra };
      const create = createProgramWithJsx(typescript, cellFileName(sys));
      const own = forCells(typescript, sys);
      return withOwnTimers(typescript.createWatchCompilerHost(files, options, own, create, ...reporters));
    },
    createWatchProgram: (host) => {
      const told = host.afterProgramCreate;
      host.afterProgramCreate = (builder) => {
        state.program = builder.getProgram();
        told?.(cellBuilder(typescript, state, builder));
      };
      return typescript.createWatchProgram(host);
    },
    getPreEmitDiagnosticsOfFiles: (program, files) =>
      typescript
        .getPreEmitDiagnosticsOfFiles(program, files)
        .filter((found) => !mayBeColumn(typescript, program, found)),
    // tslab visits a cell only to rewrite the names of earlier cells, and misses some: see `cellTransformers`.
    visitEachChild: <T>(node: T): T => node,
    transpileModule: (source, { compilerOptions, ...rest }) => {
      const inner = source.match(SOURCE_MAP);
      const { outputText } = typescript.transpileModule(source.replace(SOURCE_MAP, ""), {
        ...rest,
        compilerOptions: { ...compilerOptions, inlineSourceMap: true },
      });
      const outer = outputText.match(SOURCE_MAP);
      state.positions = outer && inner ? positionMap(outer[1], inner[1]) : undefined;
      return { outputText: outputText.replace(SOURCE_MAP, "") };
    },
  };
}

/**
 * tslab keeps a single timer and fails when the compiler requests a second one, as it does when packages change on disk
 * while a notebook is open: the second one gets a real timer.
 */
function withOwnTimers(host: Host): Host {
  const { setTimeout: later, clearTimeout: never } = host;
  const own = new Set<unknown>();
  host.setTimeout = (callback, milliseconds, ...values) => {
    if (callback.name === "updateProgramWithWatchStatus") return later?.call(host, callback, milliseconds, ...values);
    const timer = setTimeout(() => {
      own.delete(timer);
      callback(...values);
    }, 0).unref();
    own.add(timer);
    return timer;
  };
  host.clearTimeout = (timer) => {
    if (own.delete(timer)) clearTimeout(timer as NodeJS.Timeout);
    else never?.call(host, timer);
  };
  return host;
}

/** The declarations of this package in which rows of unknown columns occur. */
const WITH_ROWS = /[\\/]dist[\\/][ce][js][sm][\\/](?:frame[\\/]cells[\\/]row-types|client[\\/].+)\.d\.ts$/;

/**
 * File access for cells: they have no `export` of their own, and cells of unknown columns are of any type, as they are
 * correct in the next cell, which has the types of the data.
 */
function forCells(typescript: TypeScript, sys: System): System {
  const cell = cellFileName(sys);
  return Object.assign(Object.create(sys) as System, {
    readFile(path: string, encoding?: string) {
      const text = sys.readFile(path, encoding);
      if (text === undefined) return undefined;
      if (path === cell) return withoutExports(typescript, text);
      return WITH_ROWS.test(path) ? text.replaceAll("Record<string, Cell>", OPEN_ROW) : text;
    },
  });
}

/** File access in which `node_modules/arrowbook` of the working folder is this package. */
function withPackage(sys: System, folder: string, home: string): System {
  const place = `${folder.replaceAll("\\", "/")}/node_modules/arrowbook`;
  const there = (path: string): string => {
    if (!path.startsWith(place)) return path;
    const rest = relative(place, path);
    return rest.startsWith("..") ? path : `${home.replaceAll("\\", "/")}/${rest}`;
  };
  return Object.assign(Object.create(sys) as System, {
    fileExists: (path: string) => sys.fileExists(there(path)),
    directoryExists: (path: string) => sys.directoryExists(there(path)) || place.startsWith(`${path}/node_modules`),
    readFile: (path: string, encoding?: string) => sys.readFile(there(path), encoding),
    realpath: (path: string) => sys.realpath?.(there(path)) ?? there(path),
  });
}
