import { readFileSync } from "node:fs";
import { relative } from "node:path";
import type { Syntax, TypeScript } from "../install/installed-typescript.js";
import { assignsOwnVariables } from "./cell-declarations.js";
import { CellHost } from "./cell-host.js";
import { cellOptions } from "./cell-options.js";
import { type CellSource, definedModule, missingIndent, readCell } from "./cell-source.js";
import { type Diagnostic, mayBeColumn } from "./column-messages.js";
import { EarlierDeclarations, isEarlierType, withCellNames } from "./earlier-declarations.js";
import { type CellNames, cellTransformers, variablesOfBlocks } from "./earlier-names.js";
import { type CodeNames, type CompiledModule, codeNames, compileModule, shiftedMap } from "./module-syntax.js";
import { type Completion, completionAt, quickInfoAt, signatureAt } from "./symbols.js";
import { type DataTypes, mayBeRowTypesAlone, narrowDeclarations, withOpenVariables, withTypes } from "./value-types.js";

export interface CellCompilerOptions {
  /** The folder of the notebook. */
  readonly folder: string;
  /** The folder of this package. */
  readonly home: string;
  /** Whether cells find this package from their folder. */
  readonly seesHome: boolean;
  readonly strict: boolean;
}

/** A cell as a function of what it uses, or what the compiler refuses. */
export interface CompiledCell {
  /** Identifies it to {@link CellCompiler.ran}. */
  readonly id: number;
  readonly diagnostics: readonly Diagnostic[];
  /** Undefined for a cell without code. */
  readonly code?: string;
  /** The source map, as JSON. */
  readonly map: string;
  readonly names: CellNames;
  /** The local files that it imports, by the names under which it does. */
  readonly modules: ReadonlyMap<string, string>;
  /** The imports from files beside the notebook: each name with a statement that imports it alone. */
  readonly imports: ReadonlyMap<string, string>;
  /** The names that it declares, but for types. */
  readonly declared: readonly string[];
  /** The path of the module that the cell defines. */
  readonly defines?: string;
}

/** The data types of the values that cells have declared, by their names. */
export type ValueTypes = Readonly<Record<string, DataTypes>>;

/** Cells that fail are forgotten after so many others. */
const MOST_PENDING = 20;

const NOTHING: Omit<CompiledCell, "id" | "diagnostics"> = {
  map: "{}",
  names: { constant: [], variable: [] },
  modules: new Map(),
  imports: new Map(),
  declared: [],
};

/** Messages about a module that may have been installed since. */
const NOT_FOUND = new Set([2307, 2792, 2882]);
/** A package without types, whose values are of any type, also under strict checks; and `for await` in version 5.4. */
const ALLOWED = new Set([7016, 1432]);

/** A compiled cell that has not run yet, and the declarations that the compiler has written for it. */
interface Pending {
  readonly source: CellSource;
  readonly written: string;
  /** Whether the types from the data were refused. */
  readonly isOpen: boolean;
}

/** A program that writes declarations also where a type has no name, such as one that a local file does not export. */
interface ForcingProgram extends Syntax.Program {
  emit(...given: [...Parameters<Syntax.Program["emit"]>, forcesDeclarations?: boolean]): Syntax.EmitResult;
}

/** Compiles cells that share their declarations. */
export class CellCompiler {
  readonly #host: CellHost;
  readonly #service: Syntax.LanguageService;
  readonly #options: Syntax.CompilerOptions;
  readonly #earlier: EarlierDeclarations;
  /** Unannotated constants that depend on data and whose types are not known yet: queries without metadata. */
  readonly #waiting = new Set<string>();
  /** The constants with a type from the data, with the type that the compiler had concluded. */
  readonly #narrowed = new Map<string, string>();
  readonly #checked = new WeakMap<Syntax.SourceFile, readonly Syntax.Diagnostic[]>();
  readonly #modules = new Map<string, string>();
  readonly #pending = new Map<number, Pending>();
  #last = 0;
  #values: ValueTypes = {};

  constructor(
    private readonly typescript: TypeScript,
    private readonly settings: CellCompilerOptions,
  ) {
    this.#options = cellOptions(typescript, settings.folder, settings.strict);
    this.#host = new CellHost(typescript, { ...settings, options: this.#options });
    this.#service = typescript.createLanguageService(this.#host);
    this.#earlier = new EarlierDeclarations(typescript);
    // The first compilation loads the type libraries.
    this.compile("");
  }

  /**
   * Compiles a cell. Where frames with different columns are used as one type, which the types from the data would
   * refuse, the cell is compiled with the types that its names had without them.
   */
  compile(code: string): CompiledCell {
    const module = definedModule(code);
    if (module !== undefined) return this.#define(module, code);
    const source = readCell(this.typescript, code);
    const compiled = this.#compile(source, this.#earlier);
    if (this.#narrowed.size === 0 || compiled.diagnostics.length === 0) return compiled;
    const assigns = assignsOwnVariables(this.typescript, source.file, source.declared.assignable);
    if (!mayBeRowTypesAlone(compiled.diagnostics) && !assigns) return compiled;
    const open = this.#earlier.copy();
    open.edit((_, text) => withTypes(this.typescript, text, this.#narrowed));
    const second = this.#compile(source, open);
    if (second.diagnostics.length > 0) return compiled;
    this.#pending.set(second.id, { ...this.#pending.get(second.id)!, isOpen: true });
    return second;
  }

  /**
   * A compiled cell has run: later cells see its declarations, with row types from the data for constants
   * without an annotation. A variable that may be reassigned keeps its type: a valid assignment would be refused.
   */
  ran(id: number, values: ValueTypes): void {
    this.#values = values;
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    const { source, written, isOpen } = pending;
    const { all, inferred, assignable } = source.declared;
    this.#earlier.replace(source.declared, written);
    if (isOpen) {
      this.#earlier.edit((_, text) => withTypes(this.typescript, text, this.#narrowed));
      for (const name of this.#narrowed.keys()) this.#waiting.add(name);
    }
    for (const name of all) {
      this.#waiting.delete(name);
      this.#narrowed.delete(name);
      if (inferred.includes(name) && values[name] !== undefined) this.#waiting.add(name);
    }
    this.#earlier.edit((name, text) => {
      const open = all.includes(name) ? withOpenVariables(this.typescript, text, assignable, inferred) : text;
      if (!this.#waiting.has(name)) return open;
      const narrowed = narrowDeclarations(this.typescript, open, () => values[name]);
      for (const [found, type] of narrowed.names) {
        this.#waiting.delete(found);
        this.#narrowed.set(found, type);
      }
      return narrowed.text;
    });
  }

  /** Declares names for all cells that do not declare them. */
  offer(declarations: string): void {
    this.#earlier.offer(declarations);
  }

  /** Compiles a local file. */
  compileModule(file: string): CompiledModule {
    const text = this.#modules.get(file) ?? readFileSync(file, "utf8");
    return compileModule(this.typescript, file, text, this.#options, (name) => this.#host.localModule(name, file));
  }

  isComplete(code: string): { readonly indent?: string } {
    return { indent: missingIndent(this.typescript, code) };
  }

  /** Completes the code of a cell; `declarations` are added to those of the cells. */
  complete(code: string, position: number, declarations = "", values: ValueTypes = this.#values): Completion {
    const { file, at } = this.#place(code, position, declarations, values);
    const found = completionAt(this.typescript, file, position, ...at);
    return { ...found, candidates: found.candidates.filter(({ name }) => !isEarlierType(name)) };
  }

  /** Type and documentation of what is at a position, and inside of a call its signature. */
  inspect(code: string, position: number, declarations = "", values: ValueTypes = this.#values): string {
    const { at } = this.#place(code, position, declarations, values);
    const parts = [quickInfoAt(...at), signatureAt(...at)].filter((part) => part !== "");
    return withCellNames([...new Set(parts)].join("\n\n")).replace(/\{@link (\w+)\}/g, "$1");
  }

  /** Puts code that is edited into the program, where variables too have the row types of their values. */
  #place(code: string, position: number, declarations: string, values: ValueTypes) {
    const earlier = this.#earlier.copy();
    earlier.edit((name, text) =>
      values[name] === undefined ? text : narrowDeclarations(this.typescript, text, () => values[name]).text,
    );
    const source = readCell(this.typescript, code);
    const start = this.#write(source, earlier, declarations);
    return { file: source.file, at: [this.#service, this.#host.cellName, start + position] as const };
  }

  #define(name: string, code: string): CompiledCell {
    const file = this.#host.define(name, code);
    this.#modules.set(file, code);
    this.#host.write(`import "./${name}";`, false);
    const program = this.#service.getProgram()!;
    const source = program.getSourceFile(file)!;
    return {
      ...NOTHING,
      id: 0,
      defines: file,
      diagnostics: this.#diagnosticsOf(program, source).map((found) => this.#diagnostic(found, 0)),
    };
  }

  /** Puts a cell into the program, after the declarations of earlier cells; returns where it begins. */
  #write({ text, isJsx, declared }: CellSource, earlier: EarlierDeclarations, more = ""): number {
    const declarations = `export {${[...declared.names.keys()].join(", ")}};\n${more}${earlier.without(declared)}\n`;
    this.#host.write(declarations + text, isJsx);
    return declarations.length;
  }

  #compile(source: CellSource, earlier: EarlierDeclarations): CompiledCell {
    const start = this.#write(source, earlier);
    let found = this.#check(source, start);
    if (found.diagnostics.some(({ code }) => NOT_FOUND.has(code))) {
      this.#host.forget();
      found = this.#check(source, start);
    }
    const { program, file, diagnostics } = found;
    const cell = { program, file, start, declared: source.declared };
    const lines = file.text.slice(0, start).split("\n").length - 1;
    if (diagnostics.length > 0) {
      return { ...NOTHING, id: 0, diagnostics: diagnostics.map((each) => this.#diagnostic(each, start)) };
    }
    const code = codeNames(source.text);
    let names: CellNames = NOTHING.names;
    const outputs = new Map<string, string>();
    const write = (name: string, text: string): void => void outputs.set(/(?:\.d)?\.\w+$/.exec(name)![0], text);
    const transformers = cellTransformers(this.typescript, cell, code, (own) => {
      names = own;
    });
    (program as ForcingProgram).emit(file, write, undefined, false, transformers, true);
    const written = (outputs.get(".d.ts") ?? "") + variablesOfBlocks(this.typescript, cell);
    const id = ++this.#last;
    this.#pending.set(id, { source, written, isOpen: false });
    this.#pending.delete(id - MOST_PENDING);
    const modules = this.#host.localModules();
    const local = source.declared.imports.filter(({ module }) => modules.has(module));
    const body = (outputs.get(".js") ?? "").replace(/\n?\/\/# sourceMappingURL=\S+\s*$/, "");
    return {
      id,
      diagnostics: [],
      ...(body.trim() === "" ? {} : { code: wrapped(body, code, names) }),
      map: shiftedMap(outputs.get(".map") ?? "{}", lines, "cell"),
      names,
      modules,
      imports: new Map(local.map(({ name, statement }) => [name, statement])),
      declared: [...source.declared.names.keys()],
    };
  }

  /** Checks the cell and the local files that it imports, not those of earlier cells. */
  #check(
    source: CellSource,
    start: number,
  ): {
    readonly program: Syntax.Program;
    readonly file: Syntax.SourceFile;
    readonly diagnostics: readonly Syntax.Diagnostic[];
  } {
    const program = this.#service.getProgram()!;
    const file = program.getSourceFile(this.#host.cellName)!;
    const own = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].filter(
      (found) =>
        (found.start ?? 0) >= start && !ALLOWED.has(found.code) && !mayBeColumn(this.typescript, program, found),
    );
    const imported = [...this.#host.localModules()].filter(([name]) => source.text.includes(name));
    const others = [...this.#host.reached(imported.map(([, path]) => path))].flatMap((path) => {
      const other = program.getSourceFile(path);
      return other === undefined || other.isDeclarationFile ? [] : this.#diagnosticsOf(program, other);
    });
    return { program, file, diagnostics: [...own, ...others] };
  }

  /** The messages about a local file, which is checked once. */
  #diagnosticsOf(program: Syntax.Program, file: Syntax.SourceFile): readonly Syntax.Diagnostic[] {
    const known = this.#checked.get(file);
    if (known !== undefined && known.length === 0) return known;
    const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
    this.#checked.set(file, found);
    return found;
  }

  #diagnostic({ file, start = 0, length = 0, messageText, code }: Syntax.Diagnostic, from: number): Diagnostic {
    const isCell = file?.fileName === this.#host.cellName;
    const before = isCell ? file.text.slice(0, from).split("\n").length - 1 : 0;
    const place = (offset: number): Diagnostic["start"] => {
      const { line, character } = file?.getLineAndCharacterOfPosition(offset) ?? { line: 0, character: 0 };
      return { line: line - before, character, offset: isCell ? offset - from : offset };
    };
    return {
      start: place(start),
      end: place(start + length),
      messageText: withCellNames(this.typescript.flattenDiagnosticMessageText(messageText, "\n")),
      code,
      ...(isCell || file === undefined ? {} : { fileName: relative(this.settings.folder, file.fileName) }),
    };
  }
}

/**
 * The code of a cell as a function of what it uses of the kernel, on a line of its own. It returns the function that
 * runs the cell, in whose scope the cell may declare every name; this one passes accessors to the cell's names first.
 */
function wrapped(body: string, code: CodeNames, { constant, variable }: CellNames): string {
  const accessors = [
    ...constant.map((name) => `get [${JSON.stringify(name)}]() { return ${name}; }`),
    ...variable.map((name) => {
      const [key, parameter] = [JSON.stringify(name), name === "$" ? "_" : "$"];
      return `get [${key}]() { return ${name}; }, set [${key}](${parameter}) { ${name} = ${parameter}; }`;
    }),
  ];
  const parameters = [code.earlier, "require", code.imported, code.load, code.meta, code.own].join(", ");
  const isAsync = /\bawait\b/.test(body) ? "async " : "";
  return `(function (${parameters}) { return ${isAsync}function () { "use strict"; ${code.own}({ ${accessors.join(", ")} });
${body}
}})`;
}
