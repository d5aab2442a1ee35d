import { readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, extname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import vm from "node:vm";
import { moduleResolve } from "import-meta-resolve";
import { packageRoot } from "../../package/package-root.js";
import { stateOf } from "../compiler/cell-host.js";
import type { CompiledModule } from "../compiler/module-syntax.js";
import { debuggable, type ScriptSource } from "../debug/debug-values.js";

/** What a module gives: the exports of a CommonJS module, or the namespace of another one. */
interface Loaded {
  readonly exports: unknown;
  readonly isCommonJs: boolean;
}

interface LocalModule {
  /** Set before its code runs, so that circular imports work. */
  readonly module: { exports: unknown };
  isModule: boolean;
  isReady: boolean;
  ready: Promise<void>;
  /** The file for which it waits. */
  waitsFor?: string;
  readonly importers: Set<string>;
}

type Attributes = Readonly<Record<string, string>>;

export interface CellModulesOptions {
  readonly folder: string;
  /** Compiles a local file. */
  readonly compile: (file: string) => Promise<CompiledModule>;
  /** Called with what each compiled file was made from, before its code runs. */
  readonly onCompiled: (file: string, source: ScriptSource) => void;
  /** The module for `import "tslab"`. */
  readonly tslab: () => unknown;
}

/** Packages of which cells have one copy, also by `require`. */
const ONE_COPY = /^(?:arrowbook|apache-arrow)(?:$|\/)/;
const SOURCE = /\.(?:[cm]?[jt]s|[jt]sx)$/;
const TYPESCRIPT = /(?<!\.d)\.(?:[cm]?ts|tsx)$/;
const CONDITIONS: ReadonlySet<string> = new Set(["node", "import", "module-sync"]);

/**
 * Loads the modules of cells as ES modules do: packages by their `import` condition, and local files, which are
 * compiled and loaded again when they change.
 */
export class CellModules {
  readonly #local = new Map<string, LocalModule>();
  /** The states of the local files that were loaded. */
  readonly #states = new Map<string, string>();
  readonly #cells: string;
  /** The path of the file as which cells import. */
  constructor(private readonly options: CellModulesOptions) {
    this.#cells = join(options.folder, "cell.ts");
  }

  /** `import.meta` of cells. */
  readonly meta = (): Readonly<Record<string, unknown>> => metaOf(this.#cells);

  /**
   * Loads a module for an `import` statement of a cell. The result returns what the module exports under a name; `*` is
   * its namespace. `resolved` has the local files by the names under which the cell imports them.
   */
  async imported(
    name: string,
    attributes: Attributes | undefined,
    resolved: ReadonlyMap<string, string>,
  ): Promise<(name: string) => unknown> {
    const loaded = await this.#load(name, this.#cells, resolved.get(name), attributes, []);
    return (wanted) => exported(loaded, wanted, name);
  }

  /** `import()` in a cell. */
  async load(name: string, options?: { readonly with?: Attributes }, resolved?: ReadonlyMap<string, string>) {
    return namespace(await this.#load(String(name), this.#cells, resolved?.get(name), options?.with, []));
  }

  /** `require` in a cell. */
  require(): NodeJS.Require {
    const own = createRequire(this.#cells);
    const load = (name: string): unknown => {
      if (name === "tslab") return this.options.tslab();
      if (ONE_COPY.test(name)) {
        try {
          return own(fileURLToPath(resolved(name, this.#cells)));
        } catch {
          return own(name);
        }
      }
      if (!isPath(name)) return own(name);
      const file = existingFile(resolve(this.options.folder, name));
      const local = file === undefined ? undefined : this.#local.get(file);
      if (local !== undefined) return local.module.exports;
      if (file !== undefined) delete own.cache[file];
      return own(name);
    };
    return Object.assign(load, own);
  }

  /** A cell has defined a module, which counts as a file that changed. */
  defined(file: string): void {
    if (this.#states.has(file)) this.#states.set(file, "defined again");
  }

  /** Whether a local file changed that cells have imported; such files are loaded again on the next import. */
  changed(): boolean {
    const changed = [...this.#states].filter(([file, state]) => stateOf(file) !== state);
    for (const [file] of changed) {
      this.#states.set(file, stateOf(file));
      this.#forget(file);
    }
    return changed.length > 0;
  }

  /** A cell was interrupted: the files whose code has not ended are loaded again on the next import. */
  interrupted(): void {
    for (const [file, { isReady }] of this.#local) if (!isReady) this.#forget(file);
  }

  #forget(file: string): void {
    const local = this.#local.get(file);
    this.#local.delete(file);
    for (const importer of local?.importers ?? []) this.#forget(importer);
  }

  async #load(
    name: string,
    importer: string,
    file: string | undefined,
    attributes: Attributes | undefined,
    path: readonly string[],
  ): Promise<Loaded> {
    if (name === "tslab") return { exports: this.options.tslab(), isCommonJs: true };
    const isOwn = isPath(name) || (file !== undefined && TYPESCRIPT.test(file));
    const local = isOwn ? localFile(isPath(name) ? existingFile(pathOf(name, importer)) : file) : undefined;
    if (local !== undefined) return this.#loadLocal(local, importer, path);
    let url: URL;
    try {
      url = resolved(name, importer);
    } catch (error) {
      // A path of tsconfig.json.
      const mapped = localFile(file);
      if (mapped === undefined) throw error;
      return this.#loadLocal(mapped, importer, path);
    }
    // Without a type Node refuses JSON.
    const options = attributes ?? (/\.json$/.test(url.pathname) ? { type: "json" } : undefined);
    const found = (await import(url.href, options && { with: options })) as { readonly default?: unknown };
    if (options?.["type"] === "json") return { exports: found.default, isCommonJs: true };
    return isCommonJs(url, found.default)
      ? { exports: found.default, isCommonJs: true }
      : { exports: found, isCommonJs: false };
  }

  async #loadLocal(file: string, importer: string, path: readonly string[]): Promise<Loaded> {
    const known = this.#local.get(file);
    if (known === undefined) {
      this.#states.set(file, stateOf(file));
      const made: LocalModule = {
        module: { exports: {} },
        isModule: false,
        isReady: false,
        ready: Promise.resolve(),
        importers: new Set(),
      };
      this.#local.set(file, made);
      made.ready = this.#run(file, made, [...path, file]);
      const failed = (): void => {
        if (this.#local.get(file) === made) this.#forget(file);
      };
      made.ready.then(() => {
        made.isReady = true;
      }, failed);
    }
    const local = this.#local.get(file)!;
    if (importer !== this.#cells) local.importers.add(importer);
    // Of modules that import each other, the second gets what the first has exported by then.
    if (!this.#waitsForOne(file, path)) {
      const waiting = this.#local.get(path.at(-1) ?? "");
      if (waiting !== undefined) waiting.waitsFor = file;
      await local.ready.finally(() => {
        if (waiting !== undefined) waiting.waitsFor = undefined;
      });
    }
    return { exports: local.module.exports, isCommonJs: !local.isModule };
  }

  /** Whether a file is one of others, or waits for one of them. */
  #waitsForOne(file: string | undefined, others: readonly string[]): boolean {
    if (file === undefined) return false;
    return others.includes(file) || this.#waitsForOne(this.#local.get(file)?.waitsFor, others);
  }

  async #run(file: string, local: LocalModule, path: readonly string[]): Promise<void> {
    if (extname(file) === ".json") {
      local.module.exports = JSON.parse(readFileSync(file, "utf8"));
      return;
    }
    const { source, code, map, isModule, imports } = await this.options.compile(file);
    local.isModule = isModule;
    const values = new Map<string, () => unknown>();
    for (const { name, file: resolvedFile } of imports) {
      // A CommonJS file loads packages itself.
      if (!isModule && (resolvedFile ?? name) === name && !isPath(name)) continue;
      try {
        const loaded = await this.#load(name, file, resolvedFile, undefined, path);
        const value = loaded.isCommonJs ? loaded.exports : asModule(loaded.exports as object);
        values.set(name, () => value);
      } catch (error) {
        // The file may catch it, as of a package that it can do without.
        values.set(name, () => {
          throw error;
        });
      }
    }
    const load = createRequire(file);
    const required = (name: string): unknown => {
      const value = values.get(name);
      return value === undefined ? load(name) : value();
    };
    const own = Object.assign(required, load);
    this.options.onCompiled(file, { source, map });
    const made: unknown = vm.runInThisContext(debuggable(code), { filename: file });
    const make = made as (...values: unknown[]) => () => Promise<void>;
    const later = async (name: string, options?: { readonly with?: Attributes }): Promise<unknown> =>
      namespace(await this.#load(String(name), file, undefined, options?.with, []));
    const { module } = local;
    await make(module.exports, own, module, file, dirname(file), later, metaOf(file)).call(module.exports);
  }
}

/** What a module exports under a name, as bundlers see it: CommonJS modules that were ES modules have a `default`. */
function exported({ exports, isCommonJs }: Loaded, name: string, module: string): unknown {
  if (name === "*") return namespace({ exports, isCommonJs });
  const members = exports as Readonly<Record<string, unknown>> | null | undefined;
  const isInterop = !isCommonJs || (members?.["__esModule"] === true && "default" in members);
  if (name === "default" && !isInterop) return exports;
  if (members === null || members === undefined || !(name in Object(members))) {
    if (isCommonJs) return undefined;
    throw new SyntaxError(`The module ${JSON.stringify(module)} does not export ${JSON.stringify(name)}.`);
  }
  return members[name];
}

const namespaces = new WeakMap<object, object>();

/** The namespace of a module; of a CommonJS module its members, and itself as `default`. */
function namespace({ exports, isCommonJs }: Loaded): unknown {
  if (!isCommonJs || (exports as { __esModule?: unknown } | null)?.__esModule === true) return exports;
  if ((typeof exports !== "object" && typeof exports !== "function") || exports === null) return { default: exports };
  const known = namespaces.get(exports) ?? commonJsNamespace(exports);
  namespaces.set(exports, known);
  return known;
}

function commonJsNamespace(exports: object): object {
  const members = Object.keys(exports).map((name) => [
    name,
    { enumerable: true, get: (): unknown => (exports as Readonly<Record<string, unknown>>)[name] },
  ]);
  const all = Object.fromEntries([...members, ["default", { enumerable: true, value: exports }]]);
  return Object.create(exports, all) as object;
}

/** A namespace for code that was compiled to CommonJS. */
function asModule(found: object): object {
  return "__esModule" in found ? found : Object.create(found, { __esModule: { value: true } });
}

function metaOf(file: string): Readonly<Record<string, unknown>> {
  const url = pathToFileURL(file).href;
  return {
    url,
    filename: file,
    dirname: dirname(file),
    resolve: (name: string) => (isPath(name) ? new URL(name, url) : resolved(name, file)).href,
  };
}

/** The address of a module; this package is found also where it is not installed. */
function resolved(name: string, importer: string): URL {
  if (/^node:/.test(name)) return new URL(name);
  const find = (from: string): URL => moduleResolve(name, pathToFileURL(from), new Set(CONDITIONS));
  try {
    return find(importer);
  } catch (error) {
    if (/^arrowbook(?:$|\/)/.test(name)) return find(join(packageRoot(), "package.json"));
    try {
      // A file of a package without `exports`, named without its extension.
      return pathToFileURL(createRequire(importer).resolve(name));
    } catch {
      throw error;
    }
  }
}

const { cache } = createRequire(import.meta.url);

/** Whether Node has loaded a module as CommonJS; builtin modules are like these. */
function isCommonJs(url: URL, exports: unknown): boolean {
  if (url.protocol === "node:") return true;
  const loaded = url.protocol === "file:" ? cache[fileURLToPath(url)] : undefined;
  return loaded !== undefined && loaded.exports === exports;
}

const isPath = (name: string): boolean => /^(?:\.{0,2}\/|\.{1,2}$|file:)/.test(name) || isAbsolute(name);

const pathOf = (name: string, importer: string): string =>
  name.startsWith("file:") ? fileURLToPath(name) : resolve(dirname(importer), name);

/** The file that a path means: itself, TypeScript under the name of its JavaScript, or an index. */
function existingFile(path: string): string | undefined {
  const bare = path.replace(/\.([cm]?)js(x?)$/, ".$1ts$2");
  const ends = [".ts", ".tsx", ".mts", ".cts", ".js", ".mjs", ".cjs", ".jsx", ".json"];
  const all = [path, bare, ...ends.map((end) => path + end), ...ends.map((end) => join(path, `index${end}`))];
  return all.find((file) => statSync(file, { throwIfNoEntry: false })?.isFile());
}

/** A file that the kernel compiles and loads again, or JSON; of a file of declarations the code beside it. */
function localFile(file: string | undefined): string | undefined {
  if (file === undefined || /[\\/]node_modules[\\/]/.test(file)) return undefined;
  const declared = /\.d\.([cm]?)ts$/.exec(file);
  if (declared !== null) return existingFile(file.replace(/\.d\.[cm]?ts$/, `.${declared[1]}js`));
  return SOURCE.test(file) || extname(file) === ".json" ? file : undefined;
}
