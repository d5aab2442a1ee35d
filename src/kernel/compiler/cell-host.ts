import { statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { Syntax, TypeScript } from "../install/installed-typescript.js";
import { libraryFiles } from "./cell-options.js";
import { OPEN_ROW } from "./value-types.js";

/**
 * The declarations of this package that cells see changed: rows of unknown columns have cells of any type, as they are
 * correct in the next cell, which has the types of the data; and messages have the name of the type of column names.
 */
const OWN_DECLARATIONS =
  /[\\/]dist[\\/][ce][js][sm][\\/](?:frame[\\/]cells[\\/]row-types|spec[\\/]columns|client[\\/].+)\.d\.ts$/;

const IN_PACKAGE = /[\\/]node_modules[\\/]/;

export interface CellHostOptions {
  readonly folder: string;
  readonly options: Syntax.CompilerOptions;
  /** The folder of this package. */
  readonly home: string;
  /** Whether cells find this package from their folder. */
  readonly seesHome: boolean;
}

/** What the compiler reads for a cell: files of packages once, local files whenever they change. */
export class CellHost implements Syntax.LanguageServiceHost {
  /** The path of the cell in the compiler's program. */
  readonly cellName: string;
  readonly #roots: readonly string[];
  readonly #snapshots = new Map<string, { readonly version: string; readonly snapshot: Syntax.IScriptSnapshot }>();
  readonly #exists = new Map<string, boolean>();
  readonly #modules: Map<string, string>;
  readonly #libraries: string;
  #cell: Syntax.IScriptSnapshot;
  #isJsx = false;
  #version = 0;
  #generation = 0;
  #resolutions: Syntax.ModuleResolutionCache;
  /** The files that each file imports, by the names under which it does. */
  readonly #imports = new Map<string, Map<string, string>>();

  constructor(
    private readonly typescript: TypeScript,
    private readonly settings: CellHostOptions,
  ) {
    const folder = settings.folder.replaceAll("\\", "/").replace(/\/$/, "");
    this.cellName = `${folder}/__cell__.ts`;
    this.#libraries = dirname(typescript.getDefaultLibFilePath({}));
    this.#cell = typescript.ScriptSnapshot.fromString("");
    this.#resolutions = this.#newResolutions();
    const web = `${folder}/__web__.d.ts`;
    this.#modules = new Map([...libraryFiles(typescript), [web, webAssembly(typescript, this.#libraries)]]);
    this.#roots = [this.cellName, web, ...this.#nodeTypes()];
  }

  /** Replaces the text of the cell. */
  write(text: string, isJsx: boolean): void {
    if (isJsx === this.#isJsx && text === this.#cell.getText(0, this.#cell.getLength())) return;
    this.#cell = this.typescript.ScriptSnapshot.fromString(text);
    this.#isJsx = isJsx;
    this.#version++;
    this.#imports.delete(this.cellName);
  }

  /** Forgets what was not found, as after the installation of a package. */
  forget(): void {
    this.#exists.clear();
    this.#resolutions = this.#newResolutions();
    this.#generation++;
    this.#version++;
  }

  /** The local files among the modules that the cell imports, by the names under which it does. */
  localModules(): ReadonlyMap<string, string> {
    return new Map([...this.#importsOf(this.cellName)].filter(([, file]) => this.isLocal(file)));
  }

  /** The local files that modules lead to, themselves included. */
  reached(modules: readonly string[]): ReadonlySet<string> {
    const found = new Set<string>();
    const visit = (file: string): void => {
      if (found.has(file) || !this.isLocal(file)) return;
      found.add(file);
      for (const imported of this.#importsOf(file).values()) visit(imported);
    };
    for (const file of modules) visit(file);
    return found;
  }

  #importsOf(file: string): Map<string, string> {
    const known = this.#imports.get(file) ?? new Map<string, string>();
    this.#imports.set(file, known);
    return known;
  }

  /** Resolves an import of a local file to another one. */
  localModule(name: string, importer: string): string | undefined {
    const { resolvedModule } = this.typescript.resolveModuleName(
      name,
      importer,
      this.settings.options,
      this,
      this.#resolutions,
    );
    const file = resolvedModule?.resolvedFileName;
    return file === undefined || IN_PACKAGE.test(file) ? undefined : file;
  }

  /** Defines a module beside the cells, as a file would. */
  define(name: string, text: string): string {
    const file = `${dirname(this.cellName)}/${name}.ts`;
    this.#modules.set(file, text);
    this.forget();
    return file;
  }

  /** Whether a file is the user's own: neither of a package nor of the compiler. */
  isLocal(file: string): boolean {
    return (
      !IN_PACKAGE.test(file) && !file.startsWith(`${this.settings.home}/dist/`) && !file.startsWith(this.#libraries)
    );
  }

  getCompilationSettings = (): Syntax.CompilerOptions => this.settings.options;
  getScriptFileNames = (): string[] => [...this.#roots];
  getCurrentDirectory = (): string => dirname(this.cellName);
  getDefaultLibFileName = (options: Syntax.CompilerOptions): string => this.typescript.getDefaultLibFilePath(options);
  useCaseSensitiveFileNames = (): boolean => this.typescript.sys.useCaseSensitiveFileNames;
  getDirectories = (path: string): string[] => this.typescript.sys.getDirectories(this.#there(path));
  realpath = (path: string): string => this.typescript.sys.realpath?.(this.#there(path)) ?? path;
  /** Without it the compiler reads the `package.json` of every file again for each program. */
  getModuleResolutionCache = (): Syntax.ModuleResolutionCache => this.#resolutions;

  getScriptKind = (file: string): Syntax.ScriptKind => {
    const { TSX, TS } = this.typescript.ScriptKind;
    if (file === this.cellName) return this.#isJsx ? TSX : TS;
    const kinds: Readonly<Record<string, keyof typeof Syntax.ScriptKind>> = {
      ".tsx": "TSX",
      ".jsx": "JSX",
      ".js": "JS",
      ".mjs": "JS",
      ".cjs": "JS",
      ".json": "JSON",
    };
    return this.typescript.ScriptKind[kinds[/\.\w+$/.exec(file)?.[0] ?? ""] ?? "TS"];
  };

  getScriptVersion = (file: string): string => {
    if (file === this.cellName) return `${this.#version}`;
    if (!this.isLocal(file)) return "1";
    return `${this.#generation} ${this.#modules.get(file)?.length ?? stateOf(file)}`;
  };

  getScriptSnapshot = (file: string): Syntax.IScriptSnapshot | undefined => {
    if (file === this.cellName) return this.#cell;
    const version = this.getScriptVersion(file);
    const known = this.#snapshots.get(file);
    if (known?.version === version) return known.snapshot;
    const text = this.readFile(file);
    if (text === undefined) return undefined;
    const snapshot = this.typescript.ScriptSnapshot.fromString(text);
    this.#snapshots.set(file, { version, snapshot });
    return snapshot;
  };

  readFile = (path: string, encoding?: string): string | undefined => {
    const text = this.#modules.get(path) ?? this.typescript.sys.readFile(this.#there(path), encoding);
    if (text === undefined || !OWN_DECLARATIONS.test(path)) return text;
    return text
      .replaceAll("Record<string, Cell>", OPEN_ROW)
      .replace(/(?<=\btype ColumnName<Names extends string> = )[^;]+/, "{ [Name in Names]: Name }[Names]");
  };

  fileExists = (path: string): boolean =>
    this.#modules.has(path) || this.#once(path, () => this.typescript.sys.fileExists(this.#there(path)));

  directoryExists = (path: string): boolean =>
    this.#once(`${path}/`, () => {
      const isHome = !this.settings.seesHome && this.#homePlace().startsWith(`${path}/`);
      return isHome || this.typescript.sys.directoryExists(this.#there(path));
    });

  resolveModuleNameLiterals = (
    literals: readonly Syntax.StringLiteralLike[],
    importer: string,
    redirected: Syntax.ResolvedProjectReference | undefined,
    options: Syntax.CompilerOptions,
    file: Syntax.SourceFile,
  ): readonly Syntax.ResolvedModuleWithFailedLookupLocations[] =>
    literals.map((literal) => {
      const mode = this.typescript.getModeForUsageLocation(file, literal, options);
      const name = literal.text;
      const resolved = (from: string) =>
        this.typescript.resolveModuleName(name, from, options, this, this.#resolutions, redirected, mode);
      let found = resolved(importer);
      // The kernel shows its displays, from wherever the cells are.
      if (found.resolvedModule === undefined && name === "tslab") {
        found = resolved(join(this.settings.home, "package.json"));
      }
      const path = found.resolvedModule?.resolvedFileName;
      if (path !== undefined) this.#importsOf(importer).set(name, path);
      return found;
    });

  /** What does not change while nothing is installed: the files and the folders of packages, those with a slash. */
  #once(path: string, look: () => boolean): boolean {
    if (!IN_PACKAGE.test(path)) return look();
    const known = this.#exists.get(path) ?? look();
    this.#exists.set(path, known);
    return known;
  }

  #homePlace(): string {
    return `${dirname(this.cellName)}/node_modules/arrowbook`;
  }

  /** The path of a file where `node_modules/arrowbook` beside the cells is this package. */
  #there(path: string): string {
    if (this.settings.seesHome) return path;
    const place = this.#homePlace();
    if (path !== place && !path.startsWith(`${place}/`)) return path;
    return join(this.settings.home, relative(place, path)).replaceAll("\\", "/");
  }

  #newResolutions(): Syntax.ModuleResolutionCache {
    const { sys } = this.typescript;
    const canonical = (name: string): string => (sys.useCaseSensitiveFileNames ? name : name.toLowerCase());
    return this.typescript.createModuleResolutionCache(dirname(this.cellName), canonical, this.settings.options);
  }

  /** The declarations of Node: those of the project, else those that came with this package. */
  #nodeTypes(): string[] {
    for (const from of [this.cellName, join(this.settings.home, "package.json")]) {
      const { resolvedTypeReferenceDirective } = this.typescript.resolveTypeReferenceDirective(
        "node",
        from,
        { ...this.settings.options, typeRoots: undefined },
        this,
      );
      const file = resolvedTypeReferenceDirective?.resolvedFileName;
      if (file !== undefined) return [file];
    }
    return [];
  }
}

/** What changes when a file is written. */
export function stateOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? "" : `${found.mtimeMs} ${found.size} ${found.ino}`;
}

/** The types of WebAssembly, which Node has but not its declarations; those of browsers bring much that Node lacks. */
function webAssembly({ sys }: TypeScript, libraries: string): string {
  const browser = sys.readFile(join(libraries, "lib.dom.d.ts")) ?? "";
  const found = /^declare namespace WebAssembly \{[\s\S]*?^\}/m.exec(browser)?.[0] ?? "";
  return found.replace("{", "{ type BufferSource = ArrayBufferView | ArrayBuffer;");
}
