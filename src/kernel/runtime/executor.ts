import vm from "node:vm";
import { assignsOwnVariables, type CellDeclarations, cellDeclarations } from "../compiler/cell-declarations.js";
import type { CompilerState } from "../compiler/compiler-state.js";
import { EARLIER, EARLIER_TOO, returnedNames } from "../compiler/earlier-names.js";
import { singlePass } from "../compiler/single-pass.js";
import {
  type Completion,
  type Conversion,
  type Converter,
  cellFileName,
  type TslabParts,
} from "../compiler/tslab-parts.js";
import type { SourceFile } from "../compiler/typescript-parts.js";
import {
  hasDataType,
  mayBeRowTypesAlone,
  narrowDeclarations,
  withOpenVariables,
  withTypes,
} from "../compiler/value-types.js";
import { cellRequire } from "./cell-require.js";
import { type CellTasks, Interrupted } from "./cell-tasks.js";
import { type CellError, cellName, compileError, type RanCell, thrown } from "./trace.js";

/** The result of a cell. `value` is its last expression, if there is one and it is neither null nor undefined. */
export type CellResult =
  | { readonly status: "ok"; readonly value?: unknown }
  | { readonly status: "error"; readonly error: CellError };

/** The key of the signal on which requests of a cell may listen; aborted when the cell is interrupted. */
const SIGNAL = Symbol.for("arrowbook.signal");

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

/** Compiles and runs cells that share their declarations, in this thread and with packages from `folder`. */
export class Executor {
  readonly #converter: Converter;
  readonly #require: ReturnType<typeof cellRequire>;
  readonly #cells = new Map<string, RanCell>();
  /** The values of cells; variables are accessors to those of their cell. */
  readonly #values: Record<string, unknown>;
  /** The values as cells see them. */
  readonly #exports: Record<string, unknown>;
  readonly #lazy: Record<string, unknown>;
  /** The cells whose last expression was a promise that failed later, by its error. */
  readonly #pending = new WeakMap<object, string>();
  #previous = "";
  /** Unannotated constants that depend on data and whose types are not known yet: queries without metadata. */
  readonly #waiting = new Set<string>();
  /** The constants with a type from the data, with the type that the compiler had concluded. */
  readonly #narrowed = new Map<string, string>();
  /** The names that cells imported from local files, with a statement that imports each again. */
  readonly #localImports = new Map<string, string>();
  #abort = new AbortController();

  constructor(
    private readonly tslab: TslabParts,
    private readonly state: CompilerState,
    private readonly folder: string,
    private readonly tasks: CellTasks,
  ) {
    Error.stackTraceLimit = STACK_FRAMES;
    this.#converter = singlePass(tslab, state, tslab.createConverter({ isJS: false, isBrowser: false }));
    this.#require = cellRequire(folder, tslab.publicModule);
    this.#lazy = Object.create(null) as Record<string, unknown>;
    this.#values = Object.create(this.#lazy) as Record<string, unknown>;
    this.#exports = cellExports(this.#values);
    // The first compilation loads the type libraries; it runs before the kernel reports that it is ready.
    this.#converter.convert("", "");
  }

  /** Runs one cell; `count` identifies it in stack traces. */
  async run(source: string, count: number): Promise<CellResult> {
    await this.#reload();
    return this.#run(source, count);
  }

  /**
   * Imports the names of local files again if a file changed, so that the next cell uses what is on the disk. If that
   * fails, the earlier values stay.
   */
  async #reload(): Promise<void> {
    if ((this.state.changedFiles?.() ?? []).length === 0 || this.#localImports.size === 0) return;
    const result = await this.#run([...this.#localImports.values()].join("\n"), 0);
    if (result.status === "error") {
      console.error(["A local file changed and could not be loaded again:", ...result.error.traceback].join("\n"));
    }
  }

  async #run(source: string, count: number): Promise<CellResult> {
    const meta = this.tslab.getCodeMetadata(source);
    if (meta.module !== undefined) {
      const found = this.#converter.addModule(meta.module, source, meta);
      return found.length > 0 ? failed(compileError(found, source, count)) : { status: "ok" };
    }
    const converted = this.#convert(source);
    if (converted.sideOutputs) this.#require.update(converted.sideOutputs);
    if (converted.diagnostics.length > 0) return failed(compileError(converted.diagnostics, source, count));
    if (!converted.output) {
      this.#previous = converted.declOutput ?? "";
      return { status: "ok" };
    }
    const declared = this.#declared();
    this.#remember(cellName(count), { source, positions: this.state.positions });
    const result = await this.#evaluate(converted, cellName(count));
    if (result.status !== "ok") return result;
    this.#previous = this.#withDataTypes(converted.declOutput ?? "", declared);
    for (const name of declared.all) this.#localImports.delete(name);
    for (const [name, statement] of declared.imports) this.#localImports.set(name, statement);
    return result;
  }

  interrupt(): void {
    this.#abort.abort(new DOMException("The cell was interrupted.", "AbortError"));
    // Code that runs between cells is not interrupted.
    this.#newSignal();
    this.tasks.interrupt();
  }

  /** Position and source are those of the cell being edited; `declarations` are added to those of the cells. */
  complete(source: string, position: number, declarations = ""): Completion {
    return this.#converter.complete(declarations + this.#forEditing(), source, position);
  }

  inspect(source: string, position: number, declarations = ""): unknown {
    return this.#converter.inspect(declarations + this.#forEditing(), source, position);
  }

  names(): readonly string[] {
    return Object.keys(this.#exports);
  }

  /** The value of a name that a cell declared; undefined if there is none. */
  valueOf(name: string): unknown {
    return Object.hasOwn(this.#exports, name) ? this.#exports[name] : undefined;
  }

  /** Declares names for cells with the TypeScript `declarations`; their values are created on first use. */
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

  /** Imports as a cell does. */
  load(id: string): unknown {
    return this.#require.require(id);
  }

  close(): void {
    this.#abort.abort();
    this.#converter.close();
  }

  /**
   * Compiles a cell. Where frames with different columns are used as one type, which the types from the data would
   * refuse, the cell is compiled with the types that its names had without them.
   */
  #convert(source: string): Conversion {
    const converted = this.#converter.convert(this.#previous, source);
    if (this.#narrowed.size === 0 || converted.diagnostics.length === 0) return converted;
    const cell = this.#cell();
    const assigns = cell !== undefined && assignsOwnVariables(this.tslab.typescript, cell);
    if (!mayBeRowTypesAlone(converted.diagnostics) && !assigns) return converted;
    const open = this.#converter.convert(withTypes(this.tslab.typescript, this.#previous, this.#narrowed), source);
    if (open.diagnostics.length > 0) return converted;
    for (const name of this.#narrowed.keys()) this.#waiting.add(name);
    return open;
  }

  #cell(): SourceFile | undefined {
    return this.state.program?.getSourceFile(cellFileName(this.tslab.typescript.sys));
  }

  #declared(): CellDeclarations {
    const cell = this.#cell();
    if (cell === undefined) return { all: [], inferred: [], assignable: [], imports: new Map() };
    return cellDeclarations(this.tslab.typescript, cell);
  }

  /**
   * The declarations with row types from the data, for constants without an annotation. A variable that may be
   * reassigned keeps its type: a valid assignment would be refused.
   */
  #withDataTypes(closed: string, { all, inferred, assignable }: CellDeclarations): string {
    const { typescript } = this.tslab;
    const declarations = all.length === 0 ? closed : withOpenVariables(typescript, closed, assignable, inferred);
    for (const name of all) {
      this.#waiting.delete(name);
      this.#narrowed.delete(name);
    }
    for (const name of inferred) if (hasDataType(this.#exports[name])) this.#waiting.add(name);
    if (this.#waiting.size === 0) return declarations;
    const { text, names } = narrowDeclarations(this.tslab.typescript, declarations, (name) =>
      this.#waiting.has(name) ? this.#exports[name] : undefined,
    );
    for (const [name, type] of names) {
      this.#waiting.delete(name);
      this.#narrowed.set(name, type);
    }
    return text;
  }

  /** The declarations for completion, where variables too have the row types of their values. */
  #forEditing(): string {
    const names = Object.keys(this.#exports).filter((name) => hasDataType(this.#exports[name]));
    if (names.length === 0) return this.#previous;
    const values = new Map(names.map((name) => [name, this.#exports[name]]));
    return narrowDeclarations(this.tslab.typescript, this.#previous, (name) => values.get(name)).text;
  }

  async #evaluate(converted: Conversion, name: string): Promise<CellResult> {
    this.#newSignal();
    // Code that awaits must be wrapped in an async function; wrapping code that only contains the keyword is harmless.
    const awaits = /\bawait\b/.test(converted.output!);
    const head = `(${awaits ? "async " : ""}function (${EARLIER}, require, ${EARLIER_TOO}) { `;
    const tail = converted.names === undefined ? "" : returnedNames(converted.names);
    let declared: readonly object[] | undefined;
    try {
      declared = await this.tasks.run(() => {
        const cell = vm.runInThisContext(`${head}${converted.output}${tail}\n})`, {
          filename: name,
          columnOffset: -head.length,
        }) as (...values: unknown[]) => readonly object[] | undefined;
        return cell(this.#exports, this.#require.require, this.#exports);
      });
    } catch (error) {
      return error instanceof Interrupted ? INTERRUPTED : failed(this.errorOf(error));
    }
    const result = await this.#resultOf(converted, name);
    if (result.status === "ok")
      Object.defineProperties(this.#values, Object.getOwnPropertyDescriptors(declared?.[0] ?? {}));
    return result;
  }

  #newSignal(): void {
    this.#abort = new AbortController();
    (globalThis as { [SIGNAL]?: AbortSignal })[SIGNAL] = this.#abort.signal;
  }

  /** The last expression. A promise that has been rejected by now fails the cell instead of being shown. */
  async #resultOf(converted: Conversion, cell: string): Promise<CellResult> {
    const name = converted.lastExpressionVar;
    if (name === undefined) return { status: "ok" };
    const value = this.#exports[name];
    delete this.#exports[name];
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

  #remember(name: string, cell: RanCell): void {
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

/**
 * The object that holds the values of cells. TypeScript re-exports imports as getters; here they become replaceable
 * values.
 */
function cellExports(values: Record<string, unknown>): Record<string, unknown> {
  return new Proxy(values, {
    defineProperty(target, name, attributes) {
      if (name === "__esModule") return true;
      const value: unknown = attributes.get === undefined ? attributes.value : attributes.get();
      return Reflect.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
    },
  });
}

/** Names that cells may use without importing them. */
export interface LazyNames {
  /** TypeScript declarations, one statement per line. */
  readonly declarations: string;
  readonly values: Readonly<Record<string, () => unknown>>;
}

/** The declarations without the lines whose name `previous` already declares. */
function withoutDeclared(declarations: string, previous: string): string {
  const kept = declarations.split("\n").filter((line) => {
    const name = line.match(/(?:import \{ (?:type )?|const |class |type |interface |function )(\w+)/)?.[1];
    return name === undefined || !new RegExp(`\\b${name}\\b`).test(declaredNames(previous));
  });
  return kept.length === 0 ? "" : `${kept.join("\n")}\n`;
}

/** The parts of declarations that introduce names. */
function declaredNames(text: string): string {
  return [
    ...text.matchAll(
      /^(?:export )?(?:declare )?(?:import\s+([^"']+?)\s+from|(?:const|let|var|class|enum|function|type|interface|abstract class)\s+(\w+))/gm,
    ),
  ]
    .map((match) => match[1] ?? match[2])
    .join(" ");
}
