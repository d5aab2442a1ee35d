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

/** The names that a declaration binds: one, or those of a pattern. */
export function boundNames(typescript: TypeScript, name: Syntax.BindingName): string[] {
  if (typescript.isIdentifier(name)) return [name.text];
  const names: string[] = [];
  for (const element of name.elements) {
    if (typescript.isBindingElement(element)) names.push(...boundNames(typescript, element.name));
  }
  return names;
}
