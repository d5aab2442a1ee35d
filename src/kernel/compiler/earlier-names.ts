import type { Syntax, TypeScript } from "../install/installed-typescript.js";
import type { CellDeclarations } from "./cell-declarations.js";
import { type CodeNames, withoutImportSyntax } from "./module-syntax.js";

/** The names that a cell declares for later cells. */
export interface CellNames {
  /** Constants, functions, classes and imports: their values do not change once the cell has run. */
  readonly constant: readonly string[];
  /** Variables, which the functions of the cell and later cells may assign. */
  readonly variable: readonly string[];
}

const JSX_NAMESPACE = "React";

/** A checker that also finds names by their text. */
type ResolvingChecker = Syntax.TypeChecker & {
  resolveName(
    name: string,
    place: Syntax.SourceFile,
    meaning: Syntax.SymbolFlags,
    excludeGlobals: boolean,
  ): Syntax.Symbol | undefined;
};

/** A cell in the compiler's program: declarations of earlier cells, then its own text. */
export interface CellFile {
  readonly program: Syntax.Program;
  readonly file: Syntax.SourceFile;
  /** The length of the declarations. */
  readonly start: number;
  readonly declared: CellDeclarations;
}

/**
 * The transformers that link names to their values in earlier cells, return the last expression in an array and load
 * modules by calls. `names` is called with what the cell declares.
 */
export function cellTransformers(
  typescript: TypeScript,
  cell: CellFile,
  code: CodeNames,
  names: (names: CellNames) => void,
): Syntax.CustomTransformers {
  return {
    before: [(context) => (file) => linked(typescript, cell, code, context, file)],
    after: [
      (context) => (file) => {
        const found = withoutExports(typescript, cell.declared.fixed, file);
        names(found.names);
        const statements = withAwaitedImports(typescript, context.factory, code, found.statements);
        return context.factory.updateSourceFile(file, statements);
      },
    ],
  };
}

/** The file without the earlier declarations, with every name of an earlier cell replaced by a member of the values. */
function linked(
  typescript: TypeScript,
  cell: CellFile,
  code: CodeNames,
  context: Syntax.TransformationContext,
  file: Syntax.SourceFile,
): Syntax.SourceFile {
  const { factory } = context;
  const checker = cell.program.getTypeChecker() as ResolvingChecker;

  const isEarlier = (symbol: Syntax.Symbol | undefined): boolean =>
    symbol !== undefined &&
    (symbol.flags & typescript.SymbolFlags.ConstEnum) === 0 &&
    symbol.declarations?.some(
      (declaration) => declaration.end <= cell.start && scopeOf(typescript, declaration) === cell.file,
    ) === true;

  const member = (name: Syntax.Identifier): Syntax.Expression =>
    typescript.setTextRange(
      factory.createPropertyAccessExpression(
        factory.createIdentifier(code.earlier),
        factory.createIdentifier(name.text),
      ),
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
    return withoutImportSyntax(typescript, factory, code, typescript.visitEachChild(node, visit, context));
  };

  const [exported, ...others] = file.statements;
  const own = others.filter(({ end }) => end > cell.start).map((statement) => visit(statement) as Syntax.Statement);
  const react = checker.resolveName(JSX_NAMESPACE, cell.file, typescript.SymbolFlags.Value, false);
  const isJsx = (cell.file as { readonly languageVariant?: number }).languageVariant === typescript.LanguageVariant.JSX;
  if (isJsx && isEarlier(react)) {
    // The compiler replaces elements by calls only after this.
    const value = member(factory.createIdentifier(JSX_NAMESPACE));
    const constant = factory.createVariableDeclaration(JSX_NAMESPACE, undefined, undefined, value);
    const list = factory.createVariableDeclarationList([constant], typescript.NodeFlags.Const);
    own.unshift(factory.createVariableStatement(undefined, list));
  }
  return factory.updateSourceFile(file, [exported, ...withReturn(typescript, factory, own)]);
}

/** The statements of which the last one, if it is an expression, returns it in an array: a promise is not awaited. */
function withReturn(
  typescript: TypeScript,
  factory: Syntax.NodeFactory,
  statements: readonly Syntax.Statement[],
): readonly Syntax.Statement[] {
  const last = statements.at(-1);
  if (last === undefined || !typescript.isExpressionStatement(last)) return statements;
  const value = factory.createReturnStatement(factory.createArrayLiteralExpression([last.expression]));
  return [...statements.slice(0, -1), typescript.setTextRange(value, last)];
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
  return isTag && /^[a-z]|-/.test(node.text);
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

/** The statements of a cell without the list of exports that the compiler has left: its names with a value. */
function withoutExports(
  typescript: TypeScript,
  fixed: ReadonlySet<string>,
  file: Syntax.SourceFile,
): { readonly names: CellNames; readonly statements: readonly Syntax.Statement[] } {
  const constant: string[] = [];
  const variable: string[] = [];
  const statements = file.statements.filter((statement) => {
    if (!typescript.isExportDeclaration(statement)) return true;
    const { exportClause } = statement;
    if (exportClause !== undefined && typescript.isNamedExports(exportClause)) {
      for (const { name } of exportClause.elements) (fixed.has(name.text) ? constant : variable).push(name.text);
    }
    return false;
  });
  return { names: { constant, variable }, statements };
}

/** The declarations of variables that a cell declares with `var` in a block, which the compiler does not write. */
export function variablesOfBlocks(typescript: TypeScript, { program, file, declared }: CellFile): string {
  const checker = program.getTypeChecker() as ResolvingChecker;
  const found = [...declared.names.keys()].flatMap((name) => {
    const symbol = checker.resolveName(name, file, typescript.SymbolFlags.FunctionScopedVariable, true);
    let node: Syntax.Node | undefined = symbol?.valueDeclaration;
    while (node !== undefined && !typescript.isVariableDeclarationList(node)) node = node.parent;
    if (symbol === undefined || node === undefined || isTopLevel(typescript, node.parent)) return [];
    const type = checker.getTypeOfSymbolAtLocation(symbol, file);
    return [`declare var ${name}: ${checker.typeToString(type, file, typescript.TypeFormatFlags.NoTruncation)};\n`];
  });
  return found.join("");
}

const isTopLevel = (typescript: TypeScript, node: Syntax.Node): boolean =>
  typescript.isVariableStatement(node) && typescript.isSourceFile(node.parent);

/** The imports as awaited calls, before everything else. */
function withAwaitedImports(
  typescript: TypeScript,
  factory: Syntax.NodeFactory,
  code: CodeNames,
  statements: readonly Syntax.Statement[],
): Syntax.Statement[] {
  const imports: Syntax.Statement[] = [];
  const others = statements.filter((statement) => {
    if (!typescript.isImportDeclaration(statement)) return true;
    imports.push(awaitedImport(typescript, factory, code, statement));
    return false;
  });
  return [...imports, ...others];
}

/** `import { a } from "m"` as `const $m = await load("m"), a = $m("a")`. */
function awaitedImport(
  typescript: TypeScript,
  factory: Syntax.NodeFactory,
  code: CodeNames,
  { importClause, moduleSpecifier, attributes }: Syntax.ImportDeclaration,
): Syntax.Statement {
  const given = attributes?.elements.map(({ name, value }) => factory.createPropertyAssignment(name, value));
  const options = given === undefined ? [] : [factory.createObjectLiteralExpression(given)];
  const call = factory.createCallExpression(factory.createIdentifier(code.imported), undefined, [
    moduleSpecifier,
    ...options,
  ]);
  const loaded = factory.createAwaitExpression(call);
  if (importClause === undefined) return factory.createExpressionStatement(loaded);
  const module = factory.createUniqueName("$module");
  const constants = [factory.createVariableDeclaration(module, undefined, undefined, loaded)];
  const add = (name: Syntax.Identifier, imported: string): void => {
    const value = factory.createCallExpression(module, undefined, [factory.createStringLiteral(imported)]);
    constants.push(factory.createVariableDeclaration(name, undefined, undefined, value));
  };
  const { name, namedBindings: named } = importClause;
  if (name !== undefined) add(name, "default");
  if (named !== undefined && typescript.isNamespaceImport(named)) add(named.name, "*");
  else for (const element of named?.elements ?? []) add(element.name, (element.propertyName ?? element.name).text);
  const list = factory.createVariableDeclarationList(constants, typescript.NodeFlags.Const);
  return factory.createVariableStatement(undefined, list);
}
