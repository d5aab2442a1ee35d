import { boundNames } from "./cell-declarations.js";
import type { CellNames, CompilerState } from "./compiler-state.js";
import type { Program, SourceFile, Syntax, TypeScript } from "./typescript-parts.js";

/** The name under which the code of a cell reaches the values of earlier cells. */
export const EARLIER = "exports";
/** The same for a cell that uses the name above itself. */
export const EARLIER_TOO = "$earlierCells";

const JSX_NAMESPACE = "React";

/** The transformers of one cell: `before` those of the compiler, and `after` them. */
export interface CellTransformers {
  readonly before: Syntax.TransformerFactory<Syntax.SourceFile>;
  readonly after: Syntax.TransformerFactory<Syntax.SourceFile>;
}

/** Links names to their values in earlier cells, and sets `state.names` to the names that the cell declares. */
export function cellTransformers(
  typescript: TypeScript,
  state: CompilerState,
  program: Program,
  cell: SourceFile,
): CellTransformers {
  return {
    before: (context) => (file) => linked(typescript, program, cell, context, file),
    after: (context) => (file) => {
      const { names, statements } = withoutExports(typescript, context, file);
      state.names = names;
      return context.factory.updateSourceFile(file, statements);
    },
  };
}

/** Code that returns the values of a cell; those of variables are read and written where they are. */
export function returnedNames({ constant, variable }: CellNames): string {
  const members = [
    ...constant.map((name) => `[${JSON.stringify(name)}]: ${name}`),
    ...variable.map((name) => {
      const [key, parameter] = [JSON.stringify(name), name === "$" ? "_" : "$"];
      return `get [${key}]() { return ${name}; }, set [${key}](${parameter}) { ${name} = ${parameter}; }`;
    }),
  ];
  // In an array: a cell may declare `then`.
  return `\nreturn [{ ${members.join(", ")} }];`;
}

/** The file with every name of an earlier cell replaced by a member of the values of cells. */
function linked(
  typescript: TypeScript,
  program: Program,
  cell: SourceFile,
  context: Syntax.TransformationContext,
  file: Syntax.SourceFile,
): Syntax.SourceFile {
  const { factory } = context;
  const checker = program.getTypeChecker();
  // tslab looks up the names that a cell does not declare in the declarations of earlier cells.
  const earlier = (cell as { readonly parent?: Syntax.Node }).parent;
  const base = /\bexports\b/.test(cell.text) ? EARLIER_TOO : EARLIER;

  const isEarlier = (symbol: Syntax.Symbol | undefined): boolean =>
    symbol !== undefined &&
    (symbol.flags & typescript.SymbolFlags.ConstEnum) === 0 &&
    symbol.declarations?.some((declaration) => scopeOf(typescript, declaration) === earlier) === true;

  const member = (name: Syntax.Identifier): Syntax.Expression =>
    typescript.setTextRange(
      factory.createPropertyAccessExpression(factory.createIdentifier(base), factory.createIdentifier(name.text)),
      name,
    );

  const visit = (node: Syntax.Node): Syntax.Node => {
    if (isErased(typescript, node)) return node;
    if (typescript.isIdentifier(node)) {
      if (isName(node) || isElementName(typescript, node) || !isEarlier(checker.getSymbolAtLocation(node))) return node;
      return isCalled(typescript, node) ? called(typescript, factory, node, member(node)) : member(node);
    }
    if (typescript.isShorthandPropertyAssignment(node) && isEarlier(checker.getShorthandAssignmentValueSymbol(node))) {
      const { name, objectAssignmentInitializer: initial } = node;
      const value =
        initial === undefined
          ? member(name)
          : factory.createAssignment(member(name), visit(initial) as Syntax.Expression);
      return typescript.setTextRange(
        factory.createPropertyAssignment(factory.createIdentifier(name.text), value),
        node,
      );
    }
    return typescript.visitEachChild(node, visit, context);
  };
  const found = typescript.visitEachChild(file, visit, context);
  if (cell.languageVariant !== typescript.LanguageVariant.JSX) return found;
  if (!isEarlier(checker.resolveName(JSX_NAMESPACE, cell, typescript.SymbolFlags.Value, false))) return found;
  // The compiler replaces elements by calls only after this.
  const value = member(factory.createIdentifier(JSX_NAMESPACE));
  const constant = factory.createVariableDeclaration(JSX_NAMESPACE, undefined, undefined, value);
  const list = factory.createVariableDeclarationList([constant], typescript.NodeFlags.Const);
  return factory.updateSourceFile(found, [factory.createVariableStatement(undefined, list), ...found.statements]);
}

/** A function is called without `this`, as in its own cell. In a trace, the call is where its name is. */
function called(
  typescript: TypeScript,
  factory: Syntax.NodeFactory,
  name: Syntax.Identifier,
  member: Syntax.Expression,
): Syntax.Expression {
  const { NoTrailingSourceMap } = typescript.EmitFlags;
  const found = typescript.setEmitFlags(member, NoTrailingSourceMap);
  const comma = factory.createComma(factory.createNumericLiteral(0), found);
  const value = typescript.setTextRange(factory.createParenthesizedExpression(comma), name);
  return typescript.setEmitFlags(value, NoTrailingSourceMap);
}

/** The file or module block in whose scope a declaration is. */
function scopeOf(typescript: TypeScript, declaration: Syntax.Node): Syntax.Node {
  let node = declaration;
  while (node.parent !== undefined && !typescript.isSourceFile(node)) {
    node = node.parent;
    if (typescript.isModuleBlock(node)) break;
  }
  return node;
}

/** Whether a node is a type, or leaves no code for other reasons. */
function isErased(typescript: TypeScript, node: Syntax.Node): boolean {
  if (typescript.isExpressionWithTypeArguments(node)) return false;
  return (
    typescript.isTypeNode(node) ||
    typescript.isInterfaceDeclaration(node) ||
    typescript.isTypeAliasDeclaration(node) ||
    typescript.isTypeParameterDeclaration(node) ||
    typescript.isImportDeclaration(node) ||
    typescript.isExportDeclaration(node) ||
    (typescript.isHeritageClause(node) && node.token === typescript.SyntaxKind.ImplementsKeyword)
  );
}

/** Whether an identifier names a member, a declaration or a label instead of referring to a value. */
function isName(node: Syntax.Identifier): boolean {
  const parent = node.parent as { readonly name?: unknown; readonly propertyName?: unknown; readonly label?: unknown };
  return parent.name === node || parent.propertyName === node || parent.label === node;
}

/** Whether an identifier names an element of JSX that is not a component: `div`. */
function isElementName(typescript: TypeScript, node: Syntax.Identifier): boolean {
  const { parent } = node;
  const isTag =
    typescript.isJsxOpeningElement(parent) ||
    typescript.isJsxSelfClosingElement(parent) ||
    typescript.isJsxClosingElement(parent);
  return isTag && typescript.isIntrinsicJsxName(node.text);
}

function isCalled(typescript: TypeScript, identifier: Syntax.Node): boolean {
  let node = identifier;
  while (
    typescript.isParenthesizedExpression(node.parent) ||
    typescript.isNonNullExpression(node.parent) ||
    typescript.isAsExpression(node.parent) ||
    typescript.isSatisfiesExpression(node.parent) ||
    typescript.isTypeAssertionExpression(node.parent) ||
    typescript.isExpressionWithTypeArguments(node.parent)
  ) {
    node = node.parent;
  }
  const { parent } = node;
  return (
    (typescript.isCallExpression(parent) && parent.expression === node) ||
    (typescript.isTaggedTemplateExpression(parent) && parent.tag === node)
  );
}

/** The statements of a cell whose exports are its imports alone, and the names that it would export besides. */
function withoutExports(
  typescript: TypeScript,
  { factory }: Syntax.TransformationContext,
  file: Syntax.SourceFile,
): { readonly names: CellNames; readonly statements: readonly Syntax.Statement[] } {
  const imported = new Set<string>();
  const fixed = new Set<string>();
  for (const statement of file.statements) {
    if (typescript.isImportDeclaration(statement)) {
      for (const name of importedNames(typescript, statement)) imported.add(name);
    } else if (typescript.isVariableStatement(statement)) {
      const { flags, declarations } = statement.declarationList;
      if ((flags & typescript.NodeFlags.Const) === 0) continue;
      for (const { name } of declarations) for (const bound of boundNames(typescript, name)) fixed.add(bound);
    } else if (typescript.isFunctionDeclaration(statement) || typescript.isClassDeclaration(statement)) {
      if (statement.name !== undefined) fixed.add(statement.name.text);
    }
  }
  const constant: string[] = [];
  const variable: string[] = [];
  const statements = file.statements.map((statement) => {
    if (!typescript.isExportDeclaration(statement) || statement.moduleSpecifier !== undefined) return statement;
    const { exportClause } = statement;
    if (exportClause === undefined || !typescript.isNamedExports(exportClause)) return statement;
    const kept = exportClause.elements.filter(({ name: { text } }) => {
      if (!imported.has(text)) (fixed.has(text) ? constant : variable).push(text);
      return imported.has(text);
    });
    return factory.createExportDeclaration(undefined, false, factory.createNamedExports(kept));
  });
  return { names: { constant, variable }, statements };
}

function importedNames(typescript: TypeScript, { importClause }: Syntax.ImportDeclaration): string[] {
  const named = importClause?.namedBindings;
  const own = importClause?.name === undefined ? [] : [importClause.name.text];
  if (named === undefined) return own;
  if (typescript.isNamespaceImport(named)) return [...own, named.name.text];
  return [...own, ...named.elements.map(({ name }) => name.text)];
}
