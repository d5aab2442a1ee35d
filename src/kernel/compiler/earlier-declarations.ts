import type { Syntax, TypeScript } from "../install/installed-typescript.js";
import { type CellDeclarations, declaredNames, singleImports, TYPE } from "./cell-declarations.js";
import { renamed } from "./renamed.js";

interface Declaration {
  /** The declared name; undefined for the augmentation of a module. */
  readonly name?: string;
  /** What the name means. */
  readonly meaning: number;
  readonly text: string;
  /** The statement of the cell that declared a type. */
  readonly source?: string;
}

/** Ends the name of a type that earlier values have and that a cell has declared again. */
const OTHER_NAME = /\$earlier\d+/g;

/** Whether a name is that of a type that a cell has declared again. */
export const isEarlierType = (name: string): boolean => name.search(OTHER_NAME) > 0;

/** A text of the compiler with the names that such types have in their cells. */
export const withCellNames = (text: string): string => text.replace(OTHER_NAME, " (earlier)");

/** Declarations of what keeps its type when the name of that type is declared again. */
const HOLDS_TYPES = /^(?:\/\*[\s\S]*?\*\/\s*)?declare (?:const|let|var|class|abstract class)\b/;

/** What earlier cells declared, as TypeScript declarations. */
export class EarlierDeclarations {
  #all: readonly Declaration[] = [];

  constructor(private readonly typescript: TypeScript) {}

  /** Whether a name is declared. */
  has(name: string): boolean {
    return this.#all.some((declaration) => declaration.name === name);
  }

  /** The declarations but for names that a cell declares itself. */
  without(declared: CellDeclarations): string {
    return this.#kept(declared)
      .map(({ text }) => text)
      .join("\n");
  }

  /** Replaces the declarations of the cell's names by those that the compiler has written for it. */
  replace(declared: CellDeclarations, written: string): void {
    const kept = this.#kept(declared);
    const before = new Set([...this.#all, ...kept].map(({ name }) => name));
    const isNew = ({ name, text }: Declaration): boolean =>
      name === undefined
        ? !this.#all.some((earlier) => earlier.text === text)
        : declared.names.has(name) || (!before.has(name) && !name.startsWith("_default"));
    const found = this.#read(written).filter(isNew);
    const sources = found.map((each) => ({ ...each, source: declared.types.get(each.name ?? "") }));
    this.#all = withoutUnused([...kept, ...sources]);
  }

  /**
   * The declarations that stay when a cell declares names again. Variables and classes of earlier cells keep their
   * types: a type that they refer to stays under another name, unless it is declared as before.
   */
  #kept({ names, types }: CellDeclarations): readonly Declaration[] {
    const kept = this.#all.filter((each) => !isReplaced(each, names));
    const changed = this.#all.filter((each) => {
      const { name, meaning, text, source = text } = each;
      return isReplaced(each, names) && (meaning & TYPE) !== 0 && types.get(name!) !== source;
    });
    if (changed.length === 0) return kept;
    const others = new Map(changed.map(({ name }) => [name!, this.#otherName(name!)]));
    const withOthers = (each: Declaration): Declaration => ({
      ...each,
      name: others.get(each.name!) ?? each.name,
      text: renamed(this.typescript, each.text, others),
    });
    const isMentioned = ({ text }: Declaration): boolean => [...others.keys()].some((name) => text.includes(name));
    const left = kept.map((each) => (HOLDS_TYPES.test(each.text) && isMentioned(each) ? withOthers(each) : each));
    return withoutUnused([...changed.map(withOthers), ...left]);
  }

  #otherName(name: string): string {
    for (let number = 1; ; number++) {
      const other = `${name}$earlier${number}`;
      if (!this.has(other)) return other;
    }
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
      const named = declaredNames(this.typescript, statement, file);
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
    const meaning = declaredNames(this.typescript, statement, file)[0][1];
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

/** The declarations but for types that were declared again and that none of the others refers to. */
function withoutUnused(all: readonly Declaration[]): readonly Declaration[] {
  const used = new Set(all.filter(({ name = "" }) => !isEarlierType(name)));
  if (used.size === all.length) return all;
  // A set also iterates over what is added meanwhile.
  for (const { text } of used) {
    for (const each of all) if (!used.has(each) && text.includes(each.name!)) used.add(each);
  }
  return all.filter((each) => used.has(each));
}
