import type { SourceFile, Syntax, TypeScript } from "./typescript-parts.js";

/** The imports of a cell from files beside the notebook: each imported name with a statement that imports it alone. */
export function localImports(typescript: TypeScript, cell: SourceFile): Map<string, string> {
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
