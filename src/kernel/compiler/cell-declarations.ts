import type { Syntax, TypeScript } from "../install/installed-typescript.js";

/** What a name means; an import, a class or an enum may mean both. */
const VALUE = 1;
export const TYPE = 2;
const BOTH = VALUE | TYPE;

/** What the top level of a cell declares, also in patterns: `const { frame } = …`. */
export interface CellDeclarations {
  /** Every name, also a `var` in a block, with its meanings. */
  readonly names: ReadonlyMap<string, number>;
  /** The variables. */
  readonly all: readonly string[];
  /** The constants, functions, classes and imports, whose values do not change once the cell has run. */
  readonly fixed: ReadonlySet<string>;
  /** The `const`s without a type annotation, whose type is the compiler's own conclusion. */
  readonly inferred: readonly string[];
  /** The other variables without a type annotation. */
  readonly assignable: readonly string[];
  readonly imports: readonly CellImport[];
  /** The statements that declare or import the names of types. */
  readonly types: ReadonlyMap<string, string>;
}

/** An imported name with a statement that imports it alone. */
interface CellImport {
  readonly name: string;
  readonly module: string;
  readonly statement: string;
}

export function cellDeclarations(typescript: TypeScript, cell: Syntax.SourceFile): CellDeclarations {
  const names = new Map<string, number>();
  const all: string[] = [];
  const inferred: string[] = [];
  const assignable: string[] = [];
  const types = new Map<string, string>();
  const fixed = new Set<string>();
  const imports: CellImport[] = [];
  for (const statement of cell.statements) {
    const single = typescript.isImportDeclaration(statement) ? singleImports(typescript, statement, cell) : undefined;
    for (const [name, meaning] of declaredNames(typescript, statement, cell)) {
      names.set(name, (names.get(name) ?? 0) | meaning);
      if (isFixed(typescript, statement)) fixed.add(name);
      const text = single?.get(name) ?? statement.getText(cell);
      if ((meaning & TYPE) !== 0) types.set(name, `${types.get(name) ?? ""}${text}`);
      const isValue = single !== undefined && !/^import (?:type |\{ type )/.test(text);
      if (isValue) imports.push({ name, module: moduleOf(statement as Syntax.ImportDeclaration), statement: text });
    }
    if (!typescript.isVariableStatement(statement)) continue;
    const { declarations, flags } = statement.declarationList;
    for (const { name, type } of declarations) {
      const bound = boundNames(typescript, name);
      all.push(...bound);
      if (type === undefined) ((flags & typescript.NodeFlags.Const) !== 0 ? inferred : assignable).push(...bound);
    }
  }
  return { names, all, fixed, inferred, assignable, imports, types };
}

function isFixed(typescript: TypeScript, statement: Syntax.Statement): boolean {
  return (
    typescript.isImportDeclaration(statement) ||
    typescript.isFunctionDeclaration(statement) ||
    typescript.isClassDeclaration(statement) ||
    (typescript.isVariableStatement(statement) && (statement.declarationList.flags & typescript.NodeFlags.Const) !== 0)
  );
}

const moduleOf = ({ moduleSpecifier }: Syntax.ImportDeclaration): string =>
  (moduleSpecifier as Syntax.StringLiteral).text;

/** The names that a statement declares in its file, with their meanings. */
export function declaredNames(
  typescript: TypeScript,
  statement: Syntax.Statement,
  file: Syntax.SourceFile,
): [name: string, meaning: number][] {
  if (typescript.isImportDeclaration(statement)) {
    return [...singleImports(typescript, statement, file).keys()].map((name) => [name, BOTH]);
  }
  if (typescript.isFunctionDeclaration(statement)) return statement.name ? [[statement.name.text, VALUE]] : [];
  if (typescript.isInterfaceDeclaration(statement) || typescript.isTypeAliasDeclaration(statement)) {
    return [[statement.name.text, TYPE]];
  }
  if (
    typescript.isClassDeclaration(statement) ||
    typescript.isEnumDeclaration(statement) ||
    typescript.isImportEqualsDeclaration(statement)
  ) {
    return statement.name ? [[statement.name.text, BOTH]] : [];
  }
  if (typescript.isModuleDeclaration(statement)) {
    const isOwn = typescript.isIdentifier(statement.name) && statement.name.text !== "global";
    return isOwn ? [[statement.name.text, BOTH]] : [];
  }
  return variables(typescript, statement, typescript.isVariableStatement(statement)).map((name) => [name, VALUE]);
}

/** The variables of a statement; below its top level those declared with `var`. */
function variables(typescript: TypeScript, node: Syntax.Node, isTop: boolean): string[] {
  if (typescript.isFunctionLike(node) || typescript.isClassLike(node)) return [];
  if (typescript.isVariableDeclarationList(node)) {
    const isBlockScoped = (node.flags & typescript.NodeFlags.BlockScoped) !== 0;
    if (isTop || !isBlockScoped) return node.declarations.flatMap(({ name }) => boundNames(typescript, name));
  }
  const found: string[] = [];
  typescript.forEachChild(node, (child) => {
    found.push(...variables(typescript, child, isTop && typescript.isVariableDeclarationList(child)));
  });
  return found;
}

/** Whether a cell assigns to a variable of its own without a type annotation. */
export function assignsOwnVariables(
  typescript: TypeScript,
  cell: Syntax.SourceFile,
  assignable: readonly string[],
): boolean {
  const assigns = (node: Syntax.Node): boolean =>
    (typescript.isBinaryExpression(node) &&
      node.operatorToken.kind === typescript.SyntaxKind.EqualsToken &&
      typescript.isIdentifier(node.left) &&
      assignable.includes(node.left.text)) ||
    typescript.forEachChild(node, (child) => assigns(child) || undefined) === true;
  return assignable.length > 0 && cell.statements.some(assigns);
}

/** The names that a declaration binds: one, or those of a pattern. */
function boundNames(typescript: TypeScript, name: Syntax.BindingName): string[] {
  if (typescript.isIdentifier(name)) return [name.text];
  const names: string[] = [];
  for (const element of name.elements) {
    if (typescript.isBindingElement(element)) names.push(...boundNames(typescript, element.name));
  }
  return names;
}

/** The names of an import, each with a statement that imports it alone; only `import type` for what is a type. */
export function singleImports(
  typescript: TypeScript,
  statement: Syntax.ImportDeclaration,
  file: Syntax.SourceFile,
): Map<string, string> {
  const found = new Map<string, string>();
  const { importClause: clause, attributes } = statement;
  if (clause === undefined) return found;
  const source = ` from ${JSON.stringify(moduleOf(statement))}${attributes === undefined ? "" : ` ${attributes.getText(file)}`};`;
  const keyword = clause.isTypeOnly ? "import type" : "import";
  if (clause.name !== undefined) found.set(clause.name.text, `${keyword} ${clause.name.text}${source}`);
  const { namedBindings: named } = clause;
  if (named === undefined) return found;
  if (typescript.isNamespaceImport(named)) {
    found.set(named.name.text, `${keyword} * as ${named.name.text}${source}`);
  } else {
    for (const { name, propertyName, isTypeOnly } of named.elements) {
      const imported = propertyName === undefined ? name.text : `${propertyName.getText(file)} as ${name.text}`;
      found.set(name.text, `${keyword} { ${isTypeOnly ? "type " : ""}${imported} }${source}`);
    }
  }
  return found;
}
