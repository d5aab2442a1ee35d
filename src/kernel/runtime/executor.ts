import vm from "node:vm";
import { type CellRequire, cellRequire } from "./cell-require.js";
import type { CompilerState } from "./compiler.js";
import { type LazyNames, withoutDeclared } from "./lazy-names.js";
import { type CellError, cellName, misTyped, type RanCell, thrown } from "./trace.js";
import type { Conversion, Converter, TslabParts } from "./tslab-parts.js";

/** How a cell ended. `value` is its last expression, when it is one and is neither null nor undefined. */
export type CellResult =
  | { readonly status: "ok"; readonly value?: unknown }
  | { readonly status: "error"; readonly error: CellError };

/** Compiles and runs cells that see each other's declarations. */
export interface Executor {
  /** Runs one cell; `count` names it in traces. */
  run(source: string, count: number): Promise<CellResult>;
  /** Ends the running cell as interrupted. */
  interrupt(): void;
  /** Position and source are those of the cell being written. */
  complete(source: string, position: number): ReturnType<Converter["complete"]>;
  inspect(source: string, position: number): unknown;
  /** Makes names known to cells: declared by `declarations`, made when first used. */
  offer(names: LazyNames): void;
  /** Imports as a cell does. */
  load(id: string): unknown;
  close(): void;
}

/** The signal that requests beneath a cell may listen to: aborted when the cell is interrupted. */
const SIGNAL = Symbol.for("arrowbook.signal");

/** How many cells are remembered for traces. */
const REMEMBERED = 200;

/** An executor whose cells run in this thread with packages from `folder`. */
export function createExecutor(tslab: TslabParts, state: CompilerState, folder: string): Executor {
  return new CellExecutor(tslab, state, folder);
}

class CellExecutor implements Executor {
  readonly #converter: Converter;
  readonly #require: CellRequire;
  readonly #cells = new Map<string, RanCell>();
  readonly #exports: Record<string, unknown>;
  readonly #lazy: Record<string, unknown>;
  #previous = "";
  #interrupt?: (result: CellResult) => void;
  #abort = new AbortController();

  constructor(
    private readonly tslab: TslabParts,
    private readonly state: CompilerState,
    private readonly folder: string,
  ) {
    this.#converter = tslab.createConverter({ isJS: false, isBrowser: false });
    this.#require = cellRequire(folder, tslab.publicModule);
    this.#lazy = Object.create(null) as Record<string, unknown>;
    this.#exports = cellExports(this.#lazy);
    this.#warmUp();
  }

  async run(source: string, count: number): Promise<CellResult> {
    const meta = this.tslab.getCodeMetadata(source);
    if (meta.module !== undefined) {
      const found = this.#converter.addModule(meta.module, source, meta);
      return found.length > 0 ? failed(misTyped(found, source, count)) : { status: "ok" };
    }
    const converted = this.#converter.convert(this.#previous, source);
    if (converted.sideOutputs) this.#require.update(converted.sideOutputs);
    if (converted.diagnostics.length > 0) return failed(misTyped(converted.diagnostics, source, count));
    if (!converted.output) {
      this.#previous = converted.declOutput ?? "";
      return { status: "ok" };
    }
    this.#remember(cellName(count), { source, positions: this.state.positions });
    const result = await this.#evaluate(converted, cellName(count));
    if (result.status === "ok") this.#previous = converted.declOutput ?? "";
    return result;
  }

  interrupt(): void {
    this.#abort.abort(new DOMException("The cell was interrupted.", "AbortError"));
    // What runs between cells is not interrupted.
    this.#newSignal();
    this.#interrupt?.(
      failed({ ename: "Interrupted", evalue: "the cell was interrupted", traceback: ["The cell was interrupted."] }),
    );
  }

  complete(source: string, position: number): ReturnType<Converter["complete"]> {
    return this.#converter.complete(this.#previous, source, position);
  }

  inspect(source: string, position: number): unknown {
    return this.#converter.inspect(this.#previous, source, position);
  }

  offer(names: LazyNames): void {
    for (const [name, make] of Object.entries(names.values)) {
      Object.defineProperty(this.#lazy, name, {
        configurable: true,
        get: make,
        set: (value: unknown) => {
          Object.defineProperty(this.#exports, name, { value, writable: true, enumerable: true, configurable: true });
        },
      });
    }
    this.#previous = withoutDeclared(names.declarations, this.#previous) + this.#previous;
  }

  load(id: string): unknown {
    return this.#require.require(id);
  }

  close(): void {
    this.#abort.abort();
    this.#converter.close();
  }

  /**
   * Runs compiled code in a turn of its own: when it is ended from outside, only that turn is lost, and the interrupt
   * that follows settles the cell.
   */
  #evaluate(converted: Conversion, name: string): Promise<CellResult> {
    this.#newSignal();
    // Code that awaits must be wrapped in an async function; wrapping code that only contains the keyword is harmless.
    const awaits = /\bawait\b/.test(converted.output!);
    const head = `(${awaits ? "async " : ""}function (exports, require) { `;
    return new Promise((done) => {
      this.#interrupt = done;
      setImmediate(() => {
        try {
          const cell = vm.runInThisContext(`${head}${converted.output}\n})`, {
            filename: name,
            columnOffset: -head.length,
          }) as (exports: unknown, require: unknown) => unknown;
          const ended = cell(this.#exports, this.#require.require);
          if (!awaits) done(this.#resultOf(converted));
          else {
            (ended as Promise<void>).then(
              () => done(this.#resultOf(converted)),
              (error: unknown) => done(this.#errorOf(error)),
            );
          }
        } catch (error) {
          done(this.#errorOf(error));
        }
      });
    });
  }

  #newSignal(): void {
    this.#abort = new AbortController();
    (globalThis as { [SIGNAL]?: AbortSignal })[SIGNAL] = this.#abort.signal;
  }

  #resultOf(converted: Conversion): CellResult {
    const name = converted.lastExpressionVar;
    if (name === undefined) return { status: "ok" };
    const value = this.#exports[name];
    delete this.#exports[name];
    return value === undefined || value === null ? { status: "ok" } : { status: "ok", value };
  }

  #errorOf(error: unknown): CellResult {
    return failed(thrown(error, this.#cells, this.folder));
  }

  #remember(name: string, cell: RanCell): void {
    this.#cells.set(name, cell);
    for (const old of this.#cells.keys()) {
      if (this.#cells.size <= REMEMBERED) break;
      this.#cells.delete(old);
    }
  }

  /** The first compilation loads the type libraries; done before the kernel says that it is ready. */
  #warmUp(): void {
    this.#converter.convert("", "");
  }
}

function failed(error: CellError): CellResult {
  return { status: "error", error };
}

/**
 * Where the values of cells live. TypeScript re-exports imports as getters; here they become values that may be
 * replaced.
 */
function cellExports(lazy: object): Record<string, unknown> {
  const values = Object.create(lazy) as Record<string, unknown>;
  return new Proxy(values, {
    defineProperty(target, name, attributes) {
      if (name === "__esModule") return true;
      const value: unknown = attributes.get === undefined ? attributes.value : attributes.get();
      return Reflect.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
    },
  });
}
