import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

/*
 * Each path that a document or a comment of src names exists: from the root of the repository (`test/fuzz/target.ts`),
 * or from src and without `.ts` (`columns/json/parser`). Links between pages are in docs.test.ts.
 */
const root = fileURLToPath(new URL("../..", import.meta.url));

const filesOf = (folder: string, ending: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(ending))
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`);

const pages = ["README.md", "AGENTS.md", "CONTRIBUTING.md", "SECURITY.md", "notebooks/data/README.md"].concat(
  filesOf("docs", ".md"),
);
const sources = filesOf("src", ".ts");
const rooms = readdirSync(join(root, "src"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** What commands write, which a fresh clone does not have. */
const WRITTEN = ["site/dist"];

const FROM_ROOT = /^(?:src|test|docs|site|notebooks|\.config|\.ci|\.github)\//;
const PATH = new RegExp(
  `(?<![\\w./<-])(?:(?:src|test|docs|site|notebooks|\\.config|\\.ci|\\.github|${rooms.join("|")})/[\\w-][\\w./-]*)`,
  "g",
);

/** The paths that a text names, without the sentence's point; names with a placeholder are not paths. */
function pathsIn(text: string): string[] {
  return [...text.matchAll(PATH)]
    .filter(({ 0: path, index }) => !/[A-Z]{4}/.test(path) && !/^[<…*{]/.test(text.slice(index + path.length)))
    .map(([path]) => path.replace(/[./]+$/, ""));
}

function exists(path: string): boolean {
  if (WRITTEN.includes(path)) return true;
  const base = FROM_ROOT.test(path) ? path : `src/${path}`;
  return [base, `${base}.ts`, base.replace(/\.js$/, ".ts")].some((name) => existsSync(join(root, name)));
}

const missing = (file: string, texts: readonly string[]): string[] =>
  texts
    .flatMap(pathsIn)
    .filter((path) => !exists(path) && !existsSync(join(root, dirname(file), path)))
    .map((path) => `${file}: ${path}`);

it("each path in a document exists", () => {
  const spans = (text: string) =>
    [...text.replace(/^```[\s\S]*?^```$/gm, "").matchAll(/`([^`\n]+)`/g)].map((m) => m[1]);
  const found = pages.map((page) => ({ page, texts: spans(readFileSync(join(root, page), "utf8")) }));
  expect(found.flatMap(({ texts }) => texts.flatMap(pathsIn)).length).toBeGreaterThan(50);
  expect(found.flatMap(({ page, texts }) => missing(page, texts))).toEqual([]);
});

it("each path in a comment of src exists", () => {
  const comments = (text: string) =>
    (text.match(/\/\*[\s\S]*?\*\/|(?:^|\s)\/\/ .*$/gm) ?? []).map((comment) => comment.replace(/```[\s\S]*?```/g, ""));
  const found = sources.map((file) => ({ file, texts: comments(readFileSync(join(root, file), "utf8")) }));
  expect(found.flatMap(({ texts }) => texts.flatMap(pathsIn)).length).toBeGreaterThan(20);
  expect(found.flatMap(({ file, texts }) => missing(file, texts))).toEqual([]);
});

it("each page that llms.txt names exists, and it names each page", () => {
  const named = [...readFileSync(join(root, "site/llms.txt"), "utf8").matchAll(/\]\(([^)]+)\)/g)].map((m) => m[1]);
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  expect(filesOf("docs", ".md").filter((path) => !named.includes(path))).toEqual([]);
});
