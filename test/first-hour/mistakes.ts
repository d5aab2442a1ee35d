import { writeFileSync } from "node:fs";
import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { duckdb } from "../../src/duckdb.js";
import { isArrowbookError } from "../../src/errors/errors.js";
import * as arrowbook from "../../src/index.js";
import { serve } from "../../src/server.js";
import { temporaryFolder } from "../support/temporary-folder.js";

/** What was written, the code of the error, and the remedy as it appears in the message or the hint. */
export type Mistake = readonly [written: string, code: string, remedy: string];

/** What the snippets can use: a table frame, a series and a table query, columns, and everything that is exported. */
interface Scope {
  readonly [name: string]: unknown;
}

const AsyncFunction = (async () => {}).constructor as new (...parts: string[]) => (...values: unknown[]) => unknown;

let scope: Scope;
let folder: string;
/** The frames that snippets request and do not await. */
let requested: readonly { readonly value: unknown }[];
const before = process.cwd();

/** Runs what was written as a cell does: the value of an expression, awaited. */
async function run(written: string): Promise<unknown> {
  const names = Object.keys(scope);
  return new AsyncFunction(...names, `return (${written});`)(...names.map((name) => scope[name]));
}

async function prepare(): Promise<void> {
  folder = temporaryFolder("first-hour");
  process.chdir(folder);
  writeFileSync("x.csv", "a,b\n1,2\n");
  writeFileSync("bad.csv", "day,close\n2024-02-30,1.5\n");
  const s = await arrowbook.connect.sample();
  const t = s.table("MARKET/PRICES");
  const p = await t.where({ ticker: ["AAA", "BBB"], date: { gte: "2024-12-01" } }).frame();
  requested = vi.spyOn(t, "frame").mock.results;
  const C = [
    { name: "a", type: "Integer" },
    { name: "b", type: "Integer" },
  ];
  const text = (content: string): Uint8Array => new TextEncoder().encode(content);
  scope = { ...arrowbook, duckdb, serve, s, t, p, d: s.dataset("MARKET/AAA"), C, text };
}

/** One test for each mistake of a table: it fails with this code, and names this remedy. */
export function describeMistakes(area: string, mistakes: readonly Mistake[]): void {
  describe(area, () => {
    beforeAll(prepare);
    afterAll(async () => {
      process.chdir(before);
      await Promise.allSettled(requested.map(({ value }) => value));
      await (scope["s"] as { close(): Promise<void> }).close();
    });

    it.each(mistakes)("%s", async (written, code, remedy) => {
      const error = await run(written).then(
        (value) => expect.fail(`no error: ${inspect(value).slice(0, 200)}`),
        (cause: unknown) => cause,
      );
      if (!isArrowbookError(error)) throw error;
      expect(error.code).toBe(code);
      expect(error.hint ?? "").not.toBe("");
      expect(`${error.message} ${error.hint}`).toContain(remedy);
      // The stack is what Node prints: message, remedy, and no frame of the package.
      expect(error.stack).toContain(`${error.message}\n${error.hint}`);
      expect(error.message).toMatch(/[.?)!]$/);
    });
  });
}
