import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, it } from "vitest";

/*
 * Messages are read by people who do not have the specification: no text that can reach them cites its sections.
 * Comments and docstrings do; so does the evidence of a profile's values, which is about the specification.
 */
const root = fileURLToPath(new URL("../..", import.meta.url));
const EVIDENCE = "src/spec/profile.ts";

const sources = readdirSync(join(root, "src"), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
  .map((entry) => relative(root, join(entry.parentPath, entry.name)));

/** The texts of string literals and templates with something that matches. Only files that have it are parsed. */
function textsWith(pattern: RegExp, path: string): string[] {
  const code = readFileSync(join(root, path), "utf8");
  if (!pattern.test(code)) return [];
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      texts.push(node.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, code, ts.ScriptTarget.Latest));
  return texts.filter((text) => pattern.test(text));
}

it("no message cites a section of the specification", () => {
  const found = sources
    .filter((path) => path !== EVIDENCE)
    .flatMap((path) => textsWith(/\bspec \d/, path).map((text) => `${path}: ${text}`));
  expect(found).toEqual([]);
});

it("every page that a message refers to exists", () => {
  const named = sources.flatMap((path) =>
    textsWith(/\bdocs\//, path).flatMap((text) => text.match(/\bdocs\/[\w./-]*\w/g) ?? []),
  );
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((page) => !ts.sys.fileExists(join(root, page)))).toEqual([]);
});
