import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, it } from "vitest";

/* Every public name, and every member of a public type, has a docstring: the reference is made from them. */
const root = fileURLToPath(new URL("../..", import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { exports: Record<string, unknown> };
const entries = Object.keys(manifest.exports)
  .filter((key) => key !== "./package.json")
  .map((key) => join(root, "src", `${key === "." ? "index" : key.slice(2)}.ts`));

const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, dirname(join(root, "tsconfig.json")));
const host = ts.createCompilerHost(options);
// Names and docstrings are those of `src`: the declarations of other packages, and of JavaScript, are not read.
host.resolveModuleNameLiterals = (literals, from) =>
  literals.map(({ text }) => {
    const resolvedFileName = join(dirname(from), text.replace(/\.js$/, ".ts"));
    const isOurs = text.startsWith(".") && text.endsWith(".js");
    return { resolvedModule: isOurs ? { resolvedFileName, extension: ts.Extension.Ts } : undefined };
  });
const program = ts.createProgram(entries, { ...options, noLib: true, types: [] }, host);
const checker = program.getTypeChecker();

const isDocumented = (symbol: ts.Symbol): boolean =>
  ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim() !== "";

/** The public methods, properties and accessors of a class or interface. */
function membersOf(symbol: ts.Symbol): ts.Symbol[] {
  const all = [...(symbol.members?.values() ?? []), ...(symbol.exports?.values() ?? [])];
  return all.filter(({ declarations }) => {
    const [first] = declarations ?? [];
    if (first === undefined) return false;
    const isMember =
      ts.isMethodDeclaration(first) ||
      ts.isMethodSignature(first) ||
      ts.isPropertyDeclaration(first) ||
      ts.isPropertySignature(first) ||
      ts.isGetAccessor(first);
    const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
    return (
      isMember &&
      !ts.isPrivateIdentifier(first.name) &&
      !ts.isComputedPropertyName(first.name) &&
      (ts.getCombinedModifierFlags(first) & hidden) === 0
    );
  });
}

const names = entries.flatMap((entry) => {
  const file = program.getSourceFile(entry);
  const exported = file && checker.getSymbolAtLocation(file);
  return (exported ? checker.getExportsOfModule(exported) : []).flatMap((name) => {
    const symbol = (name.flags & ts.SymbolFlags.Alias) !== 0 ? checker.getAliasedSymbol(name) : name;
    return [
      { name: name.name, documented: isDocumented(symbol) },
      ...membersOf(symbol).map((member) => ({
        name: `${name.name}.${member.name}`,
        documented: isDocumented(member),
      })),
    ];
  });
});

it("there is no public name without a docstring", () => {
  expect(names.length).toBeGreaterThan(500);
  expect(names.filter(({ documented }) => !documented).map(({ name }) => name)).toEqual([]);
});
