import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, it } from "vitest";

/*
 * Files and functions of `src` keep a size at which they can be read: `.config/sizes.json` holds what counts as short,
 * long and many, and how many of each there may be. The numbers only ever fall.
 */

const root = fileURLToPath(new URL("../..", import.meta.url));
const { shortFiles, longFunctions, manyParameters } = JSON.parse(
  readFileSync(join(root, ".config/sizes.json"), "utf8"),
) as {
  readonly shortFiles: { readonly linesBelow: number; readonly most: number };
  readonly longFunctions: { readonly linesAbove: number; readonly most: number };
  readonly manyParameters: { readonly parametersAbove: number; readonly most: number };
};

const files = readdirSync(join(root, "src"), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
  .map((entry) => join(entry.parentPath, entry.name))
  .map((path) => ({ name: relative(root, path), text: readFileSync(path, "utf8") }));

interface Measured {
  readonly where: string;
  readonly lines: number;
  readonly parameters: number;
}

/** All functions with a body; those of AssemblyScript count as the others. */
const functions = files.flatMap(({ name, text }): Measured[] => {
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  const found: Measured[] = [];
  const lineAt = (position: number): number => source.getLineAndCharacterOfPosition(position).line + 1;
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && "body" in node && node.body !== undefined) {
      const first = lineAt(node.getStart());
      const called = node.name?.getText() ?? (ts.isVariableDeclaration(node.parent) ? node.parent.name.getText() : "");
      const lines = lineAt(node.end) - first + 1;
      found.push({ where: `${name}:${first} ${called}`, lines, parameters: node.parameters.length });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
});

const named = (measured: readonly Measured[]): string => measured.map(({ where }) => where).join("\n");

it("few files are short: what one other file uses belongs in it", () => {
  const short = files.filter(({ text }) => text.split("\n").length - 1 < shortFiles.linesBelow);
  expect(short.length, short.map(({ name }) => name).join("\n")).toBeLessThanOrEqual(shortFiles.most);
});

it("few functions are long", () => {
  const long = functions.filter(({ lines }) => lines > longFunctions.linesAbove);
  expect(long.length, named(long)).toBeLessThanOrEqual(longFunctions.most);
});

it("few functions take many parameters: an object has names", () => {
  const many = functions.filter(({ parameters }) => parameters > manyParameters.parametersAbove);
  expect(many.length, named(many)).toBeLessThanOrEqual(manyParameters.most);
});
