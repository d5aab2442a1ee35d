import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

/*
 * `npm ci` refuses a lock file without the optional packages of every platform; `node .config/complete-lock.mjs` in its
 * folder adds them.
 */
const root = fileURLToPath(new URL("../..", import.meta.url));
const locks = execFileSync("git", ["ls-files", "package-lock.json", "**/package-lock.json"], {
  cwd: root,
  encoding: "utf8",
})
  .trim()
  .split("\n");

it("the package, the site and the suites have lock files", () => {
  expect(locks).toContain("package-lock.json");
  expect(locks).toContain("site/package-lock.json");
  expect(locks.length).toBeGreaterThan(5);
});

it.each(locks)("%s names the optional packages of every platform, and no registry", (path) => {
  const text = readFileSync(join(root, path), "utf8");
  const packages: Record<string, { optionalDependencies?: Record<string, string> }> = JSON.parse(text).packages;
  const names = new Set(Object.keys(packages).map((place) => place.slice(place.lastIndexOf("node_modules/") + 13)));
  const wanted = Object.entries(packages).flatMap(([place, entry]) =>
    place === "" ? [] : Object.keys(entry.optionalDependencies ?? {}),
  );
  expect(wanted.filter((name) => !names.has(name))).toEqual([]);
  expect(text).not.toMatch(/"resolved": "http/);
});
