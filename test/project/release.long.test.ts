import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const release = (...words: string[]) =>
  spawnSync(process.execPath, [join(root, ".config/release.mjs"), ...words], { cwd: root, encoding: "utf8" });
const kept = (): string =>
  ["CHANGELOG.md", "package.json"].map((name) => readFileSync(join(root, name), "utf8")).join();

it("a dry run checks each step of a release and changes nothing", () => {
  const before = kept();
  const { stdout, stderr, status } = release("--dry-run");
  const said = stdout + stderr;
  expect(said).toMatch(/[✓✗] (?:the working tree has no changes|commit these first)/);
  expect(said).toContain(`✓ CHANGELOG.md has entries for ${version}: `);
  expect(said).toMatch(/✓ the package is complete: \d+ files, [\d.]+ MB packed/);
  expect(said).toMatch(/[✓○] package\.json names (?:the addresses of the project|no repository, homepage, bugs: )/);
  expect(said).toContain("✓ publint has no errors");
  expect(said).toMatch(/✓ the bill of materials can be made: \d+ packages, \d+ without a licence/);
  // Only a tree with changes, as while somebody works on it, makes a check fail.
  expect(status).toBe(said.includes("✗") ? 1 : 0);
  expect(said.match(/✗/g)?.length ?? 0).toBeLessThanOrEqual(said.includes("✗ commit these first") ? 1 : 0);
  expect(kept()).toBe(before);
});

it("a version without entries in the changelog is refused, and so is an unknown argument", () => {
  const { stderr, status } = release("--dry-run", "major");
  expect(stderr).toContain(`✗ write them under "## ${Number(version.split(".")[0]) + 1}.0.0 (unreleased)"`);
  expect(status).toBe(1);
  expect(release("--dryrun")).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("unknown argument --dryrun"),
  });
});
