import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, expectTypeOf, it } from "vitest";
import type { CodeOf, ErrorCode } from "../../src/errors/codes.js";
import { ERROR_CODES } from "../../src/errors/codes.js";
import { DataError, FileError, hasCode, InputError } from "../../src/errors/errors.js";
import type * as arrowbook from "../../src/index.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const LIST = "src/errors/codes.ts";

const sources = readdirSync(join(root, "src"), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
  .map((entry) => relative(root, join(entry.parentPath, entry.name)).split("\\").join("/"))
  .filter((path) => path !== LIST)
  .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));

/** The strings of a file, except those that a code is only compared with. */
function strings(text: string): string[] {
  const plain = text.replace(/\bhasCode\([^)]*\)/g, "").replace(/[!=]==\s*"\w+"/g, "");
  return [...plain.matchAll(/"(\w+)"/g)].map(([, word]) => word);
}

it("docs/errors.md is written from the list of codes", () => {
  expect(() => execFileSync(process.execPath, [".config/errors-page.mjs", "--check"], { cwd: root })).not.toThrow();
});

it("every code of the list is used by an error", () => {
  const used = new Set(sources.flatMap(({ text }) => strings(text)));
  expect(Object.keys(ERROR_CODES).filter((code) => !used.has(code))).toEqual([]);
});

it("every code that a docstring promises is in the list, under the class that it names", () => {
  const wrong: string[] = [];
  let promises = 0;
  for (const { path, text } of sources) {
    for (const [comment] of text.matchAll(/\/\*\*[\s\S]*?\*\//g)) {
      for (const [, name, rest] of comment.matchAll(
        /(?:@throws|[Tt]hrows|;|with)\s+\{?(?:@link )?`?(\w+Error)`?\}?((?:[\s*]*(?:,|and|or|with code|code)?[\s*]*`?[A-Z][a-z]+[A-Z]\w*`?(?!\w*Error))+)/g,
      )) {
        for (const [code] of rest.matchAll(/[A-Z][a-z]+[A-Z]\w*/g)) {
          if (code.endsWith("Error")) break;
          promises++;
          const entry = (ERROR_CODES as Readonly<Record<string, { readonly class: string }>>)[code];
          if (entry?.class !== name) wrong.push(`${path}: ${name} ${code} is ${entry?.class ?? "not in the list"}`);
        }
      }
    }
  }
  expect(promises).toBeGreaterThan(100);
  expect(wrong).toEqual([]);
});

it("a misspelt code, or a code of another class, does not compile", () => {
  const misspelt = (): void => {
    // @ts-expect-error: no such code
    new InputError("", { code: "UnknownColum" });
    // @ts-expect-error: BadCell is a code of DataError
    new InputError("", { code: "BadCell" });
    // @ts-expect-error: a code of Node
    new FileError("", { code: "ENOENT" });
    // @ts-expect-error: no such code
    hasCode(new Error(), "UnknownColum");
    // @ts-expect-error: compared with a code that a DataError never has
    void (new DataError("", { code: "BadCell" }).code === "FileNotFound");
  };
  expectTypeOf(misspelt).returns.toBeVoid();
  expectTypeOf<"UnknownColumn">().toExtend<CodeOf<"InputError">>();
  expectTypeOf<arrowbook.ErrorCode>().toEqualTypeOf<ErrorCode>();
});

it("each entry says what happened and what to do, as sentences", () => {
  for (const [code, { meaning, cure }] of Object.entries(ERROR_CODES)) {
    expect(`${code}: ${meaning}`).toMatch(/: [A-Z`].*\.$/);
    expect(`${code}: ${cure}`).toMatch(/: [A-Z`].*\.$/);
  }
});
