import { setTimeout as sleep } from "node:timers/promises";
import vm from "node:vm";
import type { CellCompiler, CompiledCell, ValueTypes } from "../compiler/cell-compiler.js";
import { type DataTypes, dataTypes } from "../compiler/value-types.js";
import { debuggable, type ScriptSource } from "../debug/debug-values.js";
import { CellModules } from "./cell-modules.js";
import { type CellTasks, Interrupted } from "./cell-tasks.js";
import type { Remote } from "./remote.js";
import { type CellError, cellName, compileError, showSourcePositions, thrown } from "./trace.js";

/** The result of a cell. `value` is its last expression, if there is one and it is neither null nor undefined. */
export type CellResult =
  | { readonly status: "ok"; readonly value?: unknown }
  | { readonly status: "error"; readonly error: CellError };

/** The key of the signal on which requests of a cell may listen; aborted when the cell is interrupted. */
const SIGNAL = Symbol.for("arrowbook.signal");

/** A request reads the signal some time after its call, as when its code is loaded first. */
const SETTLE_MS = 100;

/** The number of cells kept for stack traces. */
const KEPT_CELLS = 200;

/**
 * The most frames of a stack. A call that a cell awaits passes through many asynchronous functions before it fails;
 * with the ten frames of Node's default the cell is not among them.
 */
const STACK_FRAMES = 100;

export const INTERRUPTED: CellResult = failed({
  ename: "Interrupted",
  evalue: "the cell was interrupted",
  traceback: ["The cell was interrupted."],
});

/** Runs cells that share their declarations, in this thread and with packages from `folder`. */
export class Executor {
  readonly #modules: CellModules;
  readonly #require: NodeJS.Require;
  readonly #meta: unknown;
  readonly #cells = new Map<string, ScriptSource>();
  /** The values of cells; variables are accessors to those of their cell. */
  readonly #values: Record<string, unknown>;
  readonly #lazy: Record<string, unknown>;
  /** The cells whose last expression was a promise that failed later, by its error. */
  readonly #pending = new WeakMap<object, string>();
  /** The names that cells imported from local files, with a statement that imports each again. */
  readonly #localImports = new Map<string, string>();
  readonly #dataTypes = new WeakMap<object, DataTypes>();
  #abort = new AbortController();
  /** Resolves when the requests of an interrupted cell have been aborted. */
  #settled: Promise<void> = Promise.resolve();

  constructor(
    private readonly compiler: Remote<CellCompiler>,
    private readonly folder: string,
    private readonly tasks: CellTasks,
    tslab: () => unknown,
  ) {
    Error.stackTraceLimit = STACK_FRAMES;
    showSourcePositions(this.#cells);
    this.#modules = new CellModules({
      folder,
      compile: (file) => compiler.call("compileModule", file),
      onCompiled: (file, source) => this.#cells.set(file, source),
      tslab,
    });
    this.#require = this.#modules.require();
    this.#meta = this.#modules.meta();
    this.#lazy = Object.create(null) as Record<string, unknown>;
    this.#values = Object.create(this.#lazy) as Record<string, unknown>;
  }

  /** Runs one cell; `count` identifies it in stack traces. */
  async run(source: string, count: number): Promise<CellResult> {
    await this.#settled;
    await this.#reload();
    return this.#run(source, count);
  }

  /**
   * Imports the names of local files again if a file changed, so that the next cell uses what is on the disk. If that
   * fails, the earlier values stay.
   */
  async #reload(): Promise<void> {
    if (!this.#modules.changed() || this.#localImports.size === 0) return;
    const result = await this.#run([...this.#localImports.values()].join("\n"), 0);
    if (result.status === "error") {
      console.error(["A local file changed and could not be loaded again:", ...result.error.traceback].join("\n"));
    }
  }

  async #run(source: string, count: number): Promise<CellResult> {
    const compiled = await this.compiler.call("compile", source);
    if (compiled.diagnostics.length > 0) return failed(compileError(compiled.diagnostics, source, count));
    if (compiled.defines !== undefined) this.#modules.defined(compiled.defines);
    const name = cellName(count);
    this.#remember(name, { source, map: compiled.map });
    const result = await this.#evaluate(compiled, name);
    if (result.status !== "ok") return result;
    this.compiler.send("ran", compiled.id, this.valueTypes());
    for (const declared of compiled.declared) this.#localImports.delete(declared);
    for (const [imported, statement] of compiled.imports) this.#localImports.set(imported, statement);
    return result;
  }

  /** Aborts the requests of the cell that runs, also those that it is about to send; later ones are not aborted. */
  interrupt(): void {
    this.#abort.abort(new DOMException("The cell was interrupted.", "AbortError"));
    this.#settled = (this.tasks.isRunning ? sleep(SETTLE_MS) : Promise.resolve()).then(() => this.#newSignal());
    this.tasks.interrupt();
  }

  names(): readonly string[] {
    return Object.keys(this.#values);
  }

  /** The value of a name that a cell declared; undefined if there is none. */
  valueOf(name: string): unknown {
    return Object.hasOwn(this.#values, name) ? this.#values[name] : undefined;
  }

  /** Declares names for cells with the TypeScript `declarations`; their values are created on first use. */
  offer(names: LazyNames): void {
    for (const [name, make] of Object.entries(names.values)) {
      Object.defineProperty(this.#lazy, name, {
        configurable: true,
        get: make,
        set: (value: unknown) => {
          Object.defineProperty(this.#values, name, { value, writable: true, enumerable: true, configurable: true });
        },
      });
    }
    this.compiler.send("offer", names.declarations);
  }

  /** Describes the error of a promise that was not awaited, or one thrown by a callback after its cell. */
  lateError(error: unknown, isRejection: boolean): CellError {
    const found = this.errorOf(error);
    const cell = this.#pending.get(error as object);
    const head = isRejection
      ? `${cell === undefined ? "A cell" : `The end of ${cell}`} calls this without await: write await before the call.`
      : "Thrown by a callback after its cell had ended.";
    return { ...found, traceback: [head, ...found.traceback] };
  }

  errorOf(error: unknown): CellError {
    return thrown(error, this.#cells, this.folder);
  }

  /** What a cell or a local file, by the file name of its code, was compiled from; undefined for old ones. */
  sourceOf(file: string): ScriptSource | undefined {
    return this.#cells.get(file);
  }

  /** Imports as a cell does. */
  load(name: string): Promise<unknown> {
    return this.#modules.load(name);
  }

  /** Completes code whose completion loads types that later ones need. */
  warmUp(code: string): void {
    this.compiler.send("complete", code, code.length);
  }

  /** The data types of the values that cells have declared. */
  valueTypes(): ValueTypes {
    const found: Record<string, DataTypes> = {};
    for (const name of this.names()) {
      const value = this.#values[name];
      if (typeof value !== "object" || value === null) continue;
      const types = this.#dataTypes.get(value) ?? dataTypes(value);
      if (types === undefined) continue;
      found[name] = types;
      // Frames do not change; the types of a query arrive with its metadata.
      if (types.of === "Frame" && types.types !== undefined) this.#dataTypes.set(value, types);
    }
    return found;
  }

  close(): void {
    this.#abort.abort();
  }

  async #evaluate({ code, names, modules }: CompiledCell, name: string): Promise<CellResult> {
    this.#newSignal();
    if (code === undefined) return { status: "ok" };
    let own: object = {};
    let returned: readonly unknown[] | undefined;
    const imported: CellModules["imported"] = (module, attributes) =>
      this.#modules.imported(module, attributes, modules);
    const load: CellModules["load"] = (module, options) => this.#modules.load(module, options, modules);
    try {
      returned = await this.tasks.run(() => {
        const make = vm.runInThisContext(debuggable(code), { filename: name }) as (
          ...values: unknown[]
        ) => () => readonly unknown[] | undefined;
        const run = make(this.#values, this.#require, imported, load, this.#meta, (accessors: object) => {
          own = accessors;
        });
        return run();
      });
    } catch (error) {
      if (!(error instanceof Interrupted)) return failed(this.errorOf(error));
      this.#modules.interrupted();
      return INTERRUPTED;
    }
    const result = await this.#resultOf(returned, name);
    if (result.status !== "ok") return result;
    for (const constant of names.constant) {
      const value = (own as Record<string, unknown>)[constant];
      Object.defineProperty(own, constant, { value, writable: true, enumerable: true, configurable: true });
    }
    Object.defineProperties(this.#values, Object.getOwnPropertyDescriptors(own));
    return result;
  }

  #newSignal(): void {
    this.#abort = new AbortController();
    (globalThis as { [SIGNAL]?: AbortSignal })[SIGNAL] = this.#abort.signal;
  }

  /** The last expression. A promise that has been rejected by now fails the cell instead of being shown. */
  async #resultOf(returned: readonly unknown[] | undefined, cell: string): Promise<CellResult> {
    const value = returned?.[0];
    if (value instanceof Promise) {
      try {
        await Promise.race([value, undefined]);
      } catch (error) {
        return failed(this.errorOf(error));
      }
      value.catch((error: unknown) => {
        if (typeof error === "object" && error !== null) this.#pending.set(error, cell);
        // The race above counts as a handler: without it the rejection would be lost.
        void Promise.reject(error);
      });
    }
    return value === undefined || value === null ? { status: "ok" } : { status: "ok", value };
  }

  #remember(name: string, cell: ScriptSource): void {
    this.#cells.set(name, cell);
    for (const old of this.#cells.keys()) {
      if (this.#cells.size <= KEPT_CELLS) break;
      this.#cells.delete(old);
    }
  }
}

function failed(error: CellError): CellResult {
  return { status: "error", error };
}

/** Names that cells may use without importing them. */
export interface LazyNames {
  /** TypeScript declarations, one statement per line. */
  readonly declarations: string;
  readonly values: Readonly<Record<string, () => unknown>>;
}
