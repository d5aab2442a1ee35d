import type { SourceFile, Syntax, TypeScript } from "./typescript-parts.js";

/** What the top level of a cell declares, also in patterns: `const { frame } = …`. */
export interface CellDeclarations {
  readonly all: readonly string[];
  /** The `const`s without a type annotation, whose type is the compiler's own conclusion. */
  readonly inferred: readonly string[];
  /** The other variables without a type annotation. */
  readonly assignable: readonly string[];
  /** The imports from files beside the notebook: each imported name with a statement that imports it alone. */
  readonly imports: ReadonlyMap<string, string>;
}

export function cellDeclarations(typescript: TypeScript, cell: SourceFile): CellDeclarations {
  const all: string[] = [];
  const inferred: string[] = [];
  const assignable: string[] = [];
  for (const statement of cell.statements) {
    if (!typescript.isVariableStatement(statement)) continue;
    const { declarations, flags } = statement.declarationList;
    for (const { name, type } of declarations) {
      const names = boundNames(typescript, name);
      all.push(...names);
      if (type === undefined) ((flags & typescript.NodeFlags.Const) !== 0 ? inferred : assignable).push(...names);
    }
  }
  return { all, inferred, assignable, imports: localImports(typescript, cell) };
}

/** Whether a cell assigns to a variable of its own without a type annotation. */
export function assignsOwnVariables(typescript: TypeScript, cell: SourceFile): boolean {
  const { assignable } = cellDeclarations(typescript, cell);
  const assigns = (node: Syntax.Node): boolean =>
    (typescript.isBinaryExpression(node) &&
      node.operatorToken.kind === typescript.SyntaxKind.EqualsToken &&
      typescript.isIdentifier(node.left) &&
      assignable.includes(node.left.text)) ||
    typescript.forEachChild(node, (child) => assigns(child) || undefined) === true;
  return assignable.length > 0 && cell.statements.some(assigns);
}

/** The names that a declaration binds: one, or those of a pattern. */
export function boundNames(typescript: TypeScript, name: Syntax.BindingName): string[] {
  if (typescript.isIdentifier(name)) return [name.text];
  const names: string[] = [];
  for (const element of name.elements) {
    if (typescript.isBindingElement(element)) names.push(...boundNames(typescript, element.name));
  }
  return names;
}

function localImports(typescript: TypeScript, cell: SourceFile): Map<string, string> {
  const found = new Map<string, string>();
  for (const statement of cell.statements) {
    if (!typescript.isImportDeclaration(statement)) continue;
    const { importClause: clause, moduleSpecifier } = statement;
    const from = (moduleSpecifier as Syntax.StringLiteral).text;
    if (clause === undefined || clause.isTypeOnly || !/^\.{0,2}\//.test(from)) continue;
    const source = ` from ${JSON.stringify(from)};`;
    if (clause.name !== undefined) found.set(clause.name.text, `import ${clause.name.text}${source}`);
    const { namedBindings: named } = clause;
    if (named === undefined) continue;
    if (typescript.isNamespaceImport(named)) found.set(named.name.text, `import * as ${named.name.text}${source}`);
    else {
      for (const { name, propertyName, isTypeOnly } of named.elements) {
        if (isTypeOnly) continue;
        const imported = propertyName === undefined ? name.text : `${propertyName.text} as ${name.text}`;
        found.set(name.text, `import { ${imported} }${source}`);
      }
    }
  }
  return found;
}
