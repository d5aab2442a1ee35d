import type { Syntax, TypeScript } from "../install/installed-typescript.js";
import { type CellDeclarations, cellDeclarations } from "./cell-declarations.js";

/** The source of a cell as it is compiled. */
export interface CellSource {
  /** The source without its `export`s; positions are those in the cell. */
  readonly text: string;
  readonly isJsx: boolean;
  readonly file: Syntax.SourceFile;
  readonly declared: CellDeclarations;
}

export function readCell(typescript: TypeScript, source: string): CellSource {
  const text = withoutExports(typescript, source);
  const file = parsedCell(typescript, text);
  const isJsx = (file as { readonly languageVariant?: number }).languageVariant === typescript.LanguageVariant.JSX;
  return { text, isJsx, file, declared: cellDeclarations(typescript, file) };
}

/** The name of the module that a cell defines with `@module name` in a comment at its beginning, as in tslab. */
export function definedModule(source: string): string | undefined {
  const [comment] = /^\s*\/\*\*[\s\S]*?\*\//.exec(source) ?? [];
  return comment === undefined ? undefined : /@module\s+([\w.-]+)/.exec(comment)?.[1];
}

/** Whether a cell can run as it is; else the white space with which its next line begins. */
export function missingIndent(typescript: TypeScript, source: string): string | undefined {
  // An empty line at the end runs the cell.
  if (/(?:^|\n)\s*\n\s*$/.test(source)) return undefined;
  const isOpen = parseFaults(parsedCell(typescript, source)).some(
    ({ start, messageText }) =>
      start >= source.trimEnd().length &&
      /expected\.$|^Unterminated/.test(typescript.flattenDiagnosticMessageText(messageText, "\n")),
  );
  if (!isOpen) return undefined;
  const line = source.slice(source.lastIndexOf("\n") + 1);
  const indent = /^\s*/.exec(line)![0];
  return /[{([][^})\]"'`]*$/.test(line) ? `${indent}  ` : indent;
}

/** Every JSX element has one of these. */
const ELEMENT_END = /<\/|\/>/;

/** A parsed cell; as JSX if it is correct only as that, without type assertions in angle brackets. */
function parsedCell(typescript: TypeScript, text: string): Syntax.SourceFile {
  const { Latest } = typescript.ScriptTarget;
  // A module, in which the compiler reads `await` at the top.
  const options = { languageVersion: Latest, setExternalModuleIndicator: asModule };
  const cell = typescript.createSourceFile("cell.ts", text, options);
  if (!ELEMENT_END.test(text) || parseFaults(cell).length === 0) return cell;
  const withJsx = typescript.createSourceFile("cell.tsx", text, options, false, typescript.ScriptKind.TSX);
  return parseFaults(withJsx).length === 0 ? withJsx : cell;
}

function asModule(file: Syntax.SourceFile): void {
  (file as { externalModuleIndicator?: unknown }).externalModuleIndicator = true;
}

function parseFaults(file: Syntax.SourceFile): readonly Syntax.DiagnosticWithLocation[] {
  return (file as { readonly parseDiagnostics?: readonly Syntax.DiagnosticWithLocation[] }).parseDiagnostics ?? [];
}

const EXPORT = /\bexport\b/;

/**
 * A cell without its own `export`s, which later cells do not need: they have all of its names. Positions do not change.
 * An `export default` of an expression becomes a variable, as in declarations that the compiler writes.
 */
function withoutExports(typescript: TypeScript, text: string): string {
  if (!EXPORT.test(text)) return text;
  const file = parsedCell(typescript, text);
  let result = text;
  const replace = (from: number, to: number, by = ""): void => {
    const blank = result.slice(from, to).replaceAll(/[^\r\n]/g, " ");
    result = result.slice(0, from) + by + blank.slice(by.length) + result.slice(to);
  };
  for (const statement of file.statements) {
    const start = statement.getStart(file);
    if (typescript.isExportDeclaration(statement)) {
      const { exportClause, moduleSpecifier } = statement;
      if (moduleSpecifier === undefined) replace(start, statement.end);
      // `import * from` does not exist.
      else if (exportClause === undefined) replace(start, moduleSpecifier.getStart(file), "import");
      else replace(start, start + "export".length, "import");
      continue;
    }
    if (typescript.isExportAssignment(statement)) {
      const { isExportEquals, expression } = statement;
      replace(start, expression.getStart(file), isExportEquals === true ? "void" : "var _default =");
      continue;
    }
    const { modifiers = [], name } = statement as {
      readonly modifiers?: readonly Syntax.ModifierLike[];
      readonly name?: Syntax.Node;
    };
    for (const { kind, end } of modifiers) {
      if (kind === typescript.SyntaxKind.ExportKeyword) replace(end - "export".length, end);
      const isDefault = kind === typescript.SyntaxKind.DefaultKeyword;
      if (isDefault) replace(end - "default".length, end, name === undefined ? "void" : "");
    }
  }
  return result;
}
