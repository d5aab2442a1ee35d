import type { SourceFile, Syntax, TypeScript } from "./typescript-parts.js";

/** The variables that a cell declares. */
export interface DeclaredVariables {
  readonly all: readonly string[];
  /** The `const`s without a type annotation, whose type is the compiler's own conclusion. */
  readonly inferred: readonly string[];
}

/** The variables that the top level of a cell declares, also in patterns: `const { frame } = …`. */
export function declaredVariables(typescript: TypeScript, cell: SourceFile): DeclaredVariables {
  const all: string[] = [];
  const inferred: string[] = [];
  for (const statement of cell.statements) {
    if (!typescript.isVariableStatement(statement)) continue;
    const { declarations, flags } = statement.declarationList;
    for (const { name, type } of declarations) {
      const names = boundNames(typescript, name);
      all.push(...names);
      if ((flags & typescript.NodeFlags.Const) !== 0 && type === undefined) inferred.push(...names);
    }
  }
  return { all, inferred };
}

/** The variables of a cell without a type annotation that are not constants. */
export function assignableVariables(typescript: TypeScript, cell: SourceFile): string[] {
  return cell.statements.flatMap((statement) => {
    if (!typescript.isVariableStatement(statement)) return [];
    const { declarations, flags } = statement.declarationList;
    if ((flags & typescript.NodeFlags.Const) !== 0) return [];
    return declarations.flatMap(({ name, type }) => (type === undefined ? boundNames(typescript, name) : []));
  });
}

/** Whether a cell assigns to a variable of its own without a type annotation. */
export function assignsOwnVariables(typescript: TypeScript, cell: SourceFile): boolean {
  const assignable = assignableVariables(typescript, cell);
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
