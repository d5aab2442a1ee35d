import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, it } from "vitest";

const src = fileURLToPath(new URL("../../src", import.meta.url));

/** The files that a module loads with itself: value imports, neither types nor `import()`. */
function closureOf(module: string): Set<string> {
  const reached = new Set([join(src, module)]);
  for (const file of reached) {
    const { statements } = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest);
    for (const statement of statements) {
      if (!(ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement))) continue;
      const { moduleSpecifier: from } = statement;
      if (from === undefined || !ts.isStringLiteral(from) || !from.text.startsWith(".") || isOfTypes(statement))
        continue;
      const target = resolve(dirname(file), from.text.replace(/\.js$/, ".ts"));
      if (existsSync(target)) reached.add(target);
    }
  }
  return reached;
}

function isOfTypes(statement: ts.ImportDeclaration | ts.ExportDeclaration): boolean {
  if (ts.isExportDeclaration(statement)) {
    const { exportClause: names, isTypeOnly } = statement;
    return (
      isTypeOnly || (names !== undefined && ts.isNamedExports(names) && names.elements.every((one) => one.isTypeOnly))
    );
  }
  const { importClause: clause } = statement;
  if (clause === undefined || clause.isTypeOnly) return clause !== undefined;
  const { name, namedBindings: names } = clause;
  return !name && names !== undefined && ts.isNamedImports(names) && names.elements.every((one) => one.isTypeOnly);
}

it("reading the pages of a table loads batches, not frames", () => {
  const reached = [...closureOf("client/query/table-reading.ts")].map((file) => file.slice(src.length + 1));
  expect(reached.filter((file) => /^(frame|series|engine)\//.test(file))).toEqual([]);
  expect(reached.length).toBeLessThanOrEqual(200);
});

it("the package loads the reading of tables at the first read", () => {
  const reached = [...closureOf("index.ts")].map((file) => file.slice(src.length + 1));
  const later = ["client/query/table-reading.ts", "client/pages/table-page.ts", "columns/csv/parser.ts"];
  expect(reached).toContain("client/query/table-query.ts");
  expect(reached.filter((file) => later.includes(file))).toEqual([]);
});
