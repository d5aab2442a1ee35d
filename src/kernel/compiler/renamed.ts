import type { Syntax, TypeScript } from "../install/installed-typescript.js";

/** Declarations with other names for the types that they declare, import and refer to. */
export function renamed(typescript: TypeScript, text: string, names: ReadonlyMap<string, string>): string {
  const file = typescript.createSourceFile("declarations.d.ts", text, typescript.ScriptTarget.Latest);
  const found: { readonly node: Syntax.Identifier; readonly head: string }[] = [];
  const parameters = new Set<string>();
  const visit = (node: Syntax.Node): void => {
    if (typescript.isTypeParameterDeclaration(node)) parameters.add(node.name.text);
    const name = nameIn(typescript, node);
    if (name !== undefined && names.has(name.text)) {
      const isShort = typescript.isImportSpecifier(node) && node.propertyName === undefined;
      found.push({ node: name, head: isShort ? `${name.text} as ` : "" });
    }
    typescript.forEachChild(node, visit);
  };
  visit(file);
  return found
    .filter(({ node }) => !parameters.has(node.text))
    .sort((a, b) => b.node.end - a.node.end)
    .reduce((rest, { node, head }) => {
      const name = `${head}${names.get(node.text)}`;
      return rest.slice(0, node.getStart(file)) + name + rest.slice(node.end);
    }, text);
}

/** The name of a type that a node declares or refers to; of `A.B` it is `A`. */
function nameIn(typescript: TypeScript, node: Syntax.Node): Syntax.Identifier | undefined {
  let name: Syntax.Node | undefined;
  if (typescript.isTypeReferenceNode(node)) name = node.typeName;
  else if (typescript.isTypeQueryNode(node)) name = node.exprName;
  else if (typescript.isExpressionWithTypeArguments(node)) name = node.expression;
  else if (
    typescript.isClassDeclaration(node) ||
    typescript.isInterfaceDeclaration(node) ||
    typescript.isTypeAliasDeclaration(node) ||
    typescript.isEnumDeclaration(node) ||
    typescript.isModuleDeclaration(node) ||
    typescript.isImportEqualsDeclaration(node) ||
    typescript.isImportClause(node) ||
    typescript.isImportSpecifier(node) ||
    typescript.isNamespaceImport(node)
  ) {
    name = node.name;
  }
  while (name !== undefined && !typescript.isIdentifier(name)) {
    if (typescript.isQualifiedName(name)) name = name.left;
    else name = typescript.isPropertyAccessExpression(name) ? name.expression : undefined;
  }
  return name;
}
