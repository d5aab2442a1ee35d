import { parsedCell } from "./jsx.js";
import type { Syntax, TypeScript } from "./typescript-parts.js";

/** The list of names that tslab adds to the end of a cell. */
const ADDED = /\nexport \{[^\s{}]+(?:, [^\s{}]+)*\}$/;
const EXPORT = /\bexport\b(?!\s*\{\s*\}\s*;?)/;

/**
 * A cell without its own `export`s, which later cells do not need: they have all of its names. Positions do not change.
 * An `export default` without a name stays.
 */
export function withoutExports(typescript: TypeScript, text: string): string {
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
