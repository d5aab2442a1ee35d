import { statSync } from "node:fs";
import { relative } from "node:path";
import { mayBeColumn } from "./column-messages.js";
import { type CompilerState, positionMap } from "./compiler-state.js";
import { cellTransformers } from "./earlier-names.js";
import { createProgramWithJsx, parsedCell } from "./jsx.js";
import type { BoundFile } from "./single-pass.js";
import { cellFileName } from "./tslab-parts.js";
import type { Builder, Host, Program, SourceFile, Syntax, System, TypeScript } from "./typescript-parts.js";
import { OPEN_ROW } from "./value-types.js";

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

type Callback = (file: string, event: number) => void;

const CHANGED = 1;

/**
 * Wraps the compiler's file access, so that it records which local files the compiler watches: modules beside the
 * notebook and what they import. Files of packages are left to the compiler's own watchers.
 */
function watchedFiles(sys: System) {
  const files = new Map<string, { state: string; readonly callbacks: Set<Callback> }>();
  const original = sys["watchFile"] as (path: string, callback: Callback, ...rest: unknown[]) => { close(): void };
  const own = Object.assign(Object.create(sys) as System, {
    watchFile(path: string, callback: Callback, ...rest: unknown[]) {
      const watcher = original.call(sys, path, callback, ...rest);
      if (/[\\/]node_modules[\\/]/.test(path) || path.endsWith(".d.ts")) return watcher;
      const file = files.get(path) ?? { state: stateOf(path), callbacks: new Set() };
      files.set(path, file);
      file.callbacks.add(callback);
      return {
        close() {
          watcher.close();
          file.callbacks.delete(callback);
          if (file.callbacks.size === 0) files.delete(path);
        },
      };
    },
  });
  return {
    sys: own,
    /** The files that changed since the last call. The compiler is notified at once: its watchers look rarely. */
    changed(): string[] {
      const found: string[] = [];
      for (const [path, file] of files) {
        const state = stateOf(path);
        if (state === file.state) continue;
        file.state = state;
        found.push(path);
        for (const callback of file.callbacks) callback(path, CHANGED);
      }
      return found;
    },
  };
}

/** What changes when a file is written. */
function stateOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? "" : `${found.mtimeMs} ${found.size} ${found.ino}`;
}

/**
 * What tslab uses of TypeScript's builder, over one without state: the state of the usual builder, the references of
 * all files, costs a fifth of a cell and serves none.
 */
function cellBuilder(typescript: TypeScript, state: CompilerState, builder: Builder): Builder {
  const cell = cellFileName(typescript.sys);
  return {
    ...builder,
    getSourceFile(name) {
      const file: BoundFile | undefined = builder.getSourceFile(name);
      if (file === undefined || name !== cell) return file;
      // Creates the checker, which binds the names of all files.
      builder.getProgram().getTypeChecker();
      if (!state.exportsNames) return file;
      state.exportsNames = false;
      return withoutNamesOnce(file);
    },
    getAllDependencies: (file) => dependencies(builder.getProgram(), file),
    emit(file, write, cancellation, onlyDeclarations, transformers) {
      if (file?.fileName !== cell) return builder.emit(file, write, cancellation, onlyDeclarations, transformers);
      const { before, after } = cellTransformers(typescript, state, builder.getProgram(), file);
      return builder.emit(file, write, cancellation, onlyDeclarations, {
        ...transformers,
        before: [before],
        after: [after, ...(transformers?.after ?? [])],
      });
    },
  };
}

/** Without names, tslab takes the cell as it is instead of compiling it again with its names exported. */
function withoutNamesOnce(file: BoundFile): SourceFile {
  const { locals } = file;
  const restore = (): void => {
    Object.defineProperty(file, "locals", { value: locals, writable: true, enumerable: true, configurable: true });
  };
  return Object.defineProperty(file, "locals", { get: restore, configurable: true });
}

/** The paths of a file and of what it imports, directly or not. Files of declarations lead to no code. */
function dependencies(program: Program, file: SourceFile): string[] {
  const checker = program.getTypeChecker();
  const seen = new Set<SourceFile>([file]);
  for (const { isDeclarationFile, imports } of seen) {
    if (isDeclarationFile) continue;
    for (const name of imports ?? []) {
      for (const declaration of checker.getSymbolAtLocation(name)?.declarations ?? []) {
        seen.add(declaration.getSourceFile());
      }
    }
  }
  return [...seen].map(({ fileName }) => fileName);
}

/** The list of names that tslab adds to the end of a cell. */
const ADDED = /\nexport \{[^\s{}]+(?:, [^\s{}]+)*\}$/;
const EXPORT = /\bexport\b(?!\s*\{\s*\}\s*;?)/;

/**
 * A cell without its own `export`s, which later cells do not need: they have all of its names. Positions do not change.
 * An `export default` without a name stays.
 */
function withoutExports(typescript: TypeScript, text: string): string {
  const end = text.length - (ADDED.exec(text)?.[0].length ?? 0);
  if (!EXPORT.test(text.slice(0, end))) return text;
  const file = parsedCell(typescript, text);
  let result = text;
  const blank = (from: number, to: number): void => {
    result = result.slice(0, from) + result.slice(from, to).replaceAll(/[^\r\n]/g, " ") + result.slice(to);
  };
  for (const statement of file.statements) {
    const start = typescript.skipTrivia(text, statement.pos);
    if (start >= end) continue;
    if (typescript.isExportDeclaration(statement)) {
      const { exportClause, moduleSpecifier } = statement;
      if (moduleSpecifier === undefined && exportClause !== undefined) blank(start, statement.end);
      continue;
    }
    const { modifiers = [], name } = statement as {
      readonly modifiers?: readonly Syntax.ModifierLike[];
      readonly name?: Syntax.Node;
    };
    const isDefault = modifiers.some(({ kind }) => kind === typescript.SyntaxKind.DefaultKeyword);
    if (isDefault && name === undefined) continue;
    for (const { kind, end: after } of modifiers) {
      if (kind === typescript.SyntaxKind.ExportKeyword) blank(after - "export".length, after);
      if (kind === typescript.SyntaxKind.DefaultKeyword) blank(after - "default".length, after);
    }
  }
  return result;
}
