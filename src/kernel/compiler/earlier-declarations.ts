import type { Syntax, TypeScript } from "../install/installed-typescript.js";
import { declaredNames, singleImports } from "./cell-declarations.js";

interface Declaration {
  /** The declared name; undefined for the augmentation of a module. */
  readonly name?: string;
  /** What the name means. */
  readonly meaning: number;
  readonly text: string;
}

/** What earlier cells declared, as TypeScript declarations. */
export class EarlierDeclarations {
  #all: readonly Declaration[] = [];

  constructor(private readonly typescript: TypeScript) {}

  /** Whether a name is declared. */
  has(name: string): boolean {
    return this.#all.some((declaration) => declaration.name === name);
  }

  /** The declarations but for names that a cell declares itself. */
  without(names: ReadonlyMap<string, number>): string {
    return this.#all
      .filter((declaration) => !isReplaced(declaration, names))
      .map(({ text }) => text)
      .join("\n");
  }

  /** Replaces the declarations of the cell's names by those that the compiler has written for it. */
  replace(names: ReadonlyMap<string, number>, written: string): void {
    const before = new Set(this.#all.map(({ name }) => name));
    const isNew = ({ name, text }: Declaration): boolean =>
      name === undefined
        ? !this.#all.some((earlier) => earlier.text === text)
        : names.has(name) || (!before.has(name) && !name.startsWith("_default"));
    const found = this.#read(written).filter(isNew);
    this.#all = [...this.#all.filter((declaration) => !isReplaced(declaration, names)), ...found];
  }

  /** Adds declarations of names that no cell has declared. */
  offer(declarations: string): void {
    const found = this.#read(declarations).filter(({ name }) => name === undefined || !this.has(name));
    this.#all = [...found, ...this.#all];
  }

  /** Changes the text of the declarations of a name. */
  edit(edit: (name: string, text: string) => string): void {
    this.#all = this.#all.map((declaration) => {
      const { name, text } = declaration;
      const edited = name === undefined ? text : edit(name, text);
      return edited === text ? declaration : { ...declaration, text: edited };
    });
  }

  /** A copy whose changes do not reach this one. */
  copy(): EarlierDeclarations {
    const copy = new EarlierDeclarations(this.typescript);
    copy.#all = this.#all;
    return copy;
  }

  /** One declaration for each name. */
  #read(text: string): Declaration[] {
    const file = this.typescript.createSourceFile("cell.d.ts", text, this.typescript.ScriptTarget.Latest);
    return file.statements.flatMap((statement): Declaration[] => {
      if (this.typescript.isExportDeclaration(statement) || this.typescript.isExportAssignment(statement)) return [];
      const named = declaredNames(this.typescript, statement);
      const whole = text.slice(statement.pos, statement.end).trim();
      if (this.typescript.isImportDeclaration(statement)) {
        const single = singleImports(this.typescript, statement, file);
        return named.map(([name, meaning]) => ({ name, meaning, text: single.get(name)! }));
      }
      if (this.typescript.isVariableStatement(statement)) return this.#variables(statement, text, file);
      if (named.length === 0) return [{ meaning: 0, text: whole }];
      return named.map(([name, meaning]) => ({ name, meaning, text: whole }));
    });
  }

  /** Each variable of a statement with its type; the documentation belongs to the first. */
  #variables(statement: Syntax.VariableStatement, text: string, file: Syntax.SourceFile): Declaration[] {
    const { declarationList } = statement;
    const head = text.slice(statement.pos, declarationList.declarations[0].getStart(file)).trim();
    const meaning = declaredNames(this.typescript, statement)[0][1];
    return declarationList.declarations.map((declaration, i) => ({
      name: declaration.name.getText(file),
      meaning,
      text: `${i === 0 ? head : head.replace(/^\/\*[\s\S]*\*\//, "").trim()} ${declaration.getText(file)};`,
    }));
  }
}

function isReplaced({ name, meaning }: Declaration, names: ReadonlyMap<string, number>): boolean {
  return name !== undefined && (meaning & (names.get(name) ?? 0)) !== 0;
}
