import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

/** Each task of docs/recipes.md as its two blocks; `npm run test:clients` compares their results. */
const page = readFileSync(new URL("../../docs/recipes.md", import.meta.url), "utf8");
const pairs = [...page.matchAll(/([^\n]*)\n\n```python\n([^`]*)```\n\n```ts\n([^`]*)```/g)].map((match) =>
  match.slice(1),
);
const lines = (block: string): string[] => block.split("\n").filter((line) => line.trim() !== "");

describe("the tasks of docs/recipes.md", () => {
  it("are fifteen, after the table that they read", () => expect(pairs.length).toBeGreaterThanOrEqual(1 + 15));
  it.each(pairs)("%s takes at most as many lines as with pandas", (_, python, own) => {
    expect(lines(own).length).toBeLessThanOrEqual(lines(python).length);
    for (const line of [...lines(own), ...lines(python)]) expect(line.length).toBeLessThanOrEqual(160);
  });
});
