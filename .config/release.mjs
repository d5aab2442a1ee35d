// npm run release -- [--dry-run] [major|minor|patch]: the steps of a release, each checked before the next: a clean
// tree, entries in the changelog, a free tag, the packed files, publint, the bill of materials (npm sbom). Without
// --dry-run it then writes the version and the date, commits and tags; publishing is a command of its own, which it
// prints.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const words = process.argv.slice(2);
const isDry = words.includes("--dry-run");
const level = words.find((word) => ["major", "minor", "patch"].includes(word));
const unknown = words.filter((word) => word !== "--dry-run" && word !== level);
if (unknown.length > 0) fail(`unknown argument ${unknown[0]}; use [--dry-run] [major|minor|patch]`);

const manifest = JSON.parse(readFileSync("package.json", "utf8"));
const version = level === undefined ? manifest.version : raised(manifest.version, level);
const tag = `v${version}`;
const today = new Date().toISOString().slice(0, 10);
let faults = 0;

step("the working tree has no changes", () => {
  const changed = run("git", "status", "--porcelain").trim();
  return changed === "" ? "" : fault(`commit these first:\n${changed}`);
});

step(`the tag ${tag} is free`, () => (run("git", "tag", "--list", tag).trim() === "" ? "" : fault(`${tag} exists`)));

const changelog = readFileSync("CHANGELOG.md", "utf8");
const heading = new RegExp(
  `^## (?:\\[)?(?:${version.replaceAll(".", "\\.")}|Unreleased)(?:\\])?(?: \\(unreleased\\))?$`,
  "m",
);
step(`CHANGELOG.md has entries for ${version}`, () => {
  const start = changelog.search(heading);
  if (start === -1) return fault(`write them under "## ${version} (unreleased)"`);
  const entries = changelog.slice(start).split(/^## /m)[1].match(/^- /gm) ?? [];
  return entries.length > 0 ? `${entries.length} entries` : fault("there are none");
});

step("the package is complete", () => {
  const answer = JSON.parse(run("npm", "pack", "--json", "--dry-run", "--ignore-scripts"));
  const [{ files, size, unpackedSize }] = Array.isArray(answer) ? answer : Object.values(answer);
  const paths = new Set(files.map(({ path }) => path));
  const named = JSON.stringify([manifest.exports, manifest.bin, manifest.types]).matchAll(/"\.\/([^"]+\.(?:js|ts))"/g);
  const missing = [...named].map(([, path]) => path).filter((path) => !paths.has(path));
  if (missing.length > 0) return fault(`not packed: ${missing.join(", ")}; run npm run build`);
  return `${paths.size} files, ${megabytes(size)} packed, ${megabytes(unpackedSize)} installed`;
});

step("package.json names the addresses of the project", () => {
  const missing = ["repository", "homepage", "bugs"].filter((name) => manifest[name] === undefined);
  if (missing.length === 0) return "";
  console.log(
    `○ package.json names no ${missing.join(", ")}: the project has no public address yet (docs/stability.md). ` +
      "Add them before publishing; npm publish --provenance needs repository",
  );
});

step("publint has no errors", () => {
  run("node", "node_modules/publint/src/cli.js", "--level", "error", "--pack", "npm");
  return "";
});

step("the bill of materials can be made", () => {
  const text = run("npm", "sbom", "--sbom-format", "cyclonedx", "--package-lock-only", "--omit", "dev");
  const { components } = JSON.parse(text);
  const unlicensed = components.filter(({ licenses }) => licenses === undefined || licenses.length === 0);
  if (!isDry) writeFileSync(`arrowbook-${version}.cdx.json`, text);
  return `${components.length} packages, ${unlicensed.length} without a licence in their manifest`;
});

if (faults > 0) fail(`${faults} of the checks failed; nothing was changed`);
step(`write version ${version} and the date ${today}, commit, tag ${tag}`, () => {
  if (isDry) return "not done: --dry-run";
  writeFileSync("CHANGELOG.md", changelog.replace(heading, `## ${version} - ${today}`));
  if (level !== undefined) run("npm", "version", version, "--no-git-tag-version");
  run("git", "commit", "--all", "--message", `Release ${version}`);
  run("git", "tag", "--annotate", tag, "--message", `arrowbook ${version}`);
  return "";
});
console.log(`next: .ci/run in a fresh clone of ${tag}, then: npm publish --provenance`);

function step(what, work) {
  try {
    const note = work();
    if (note !== undefined) console.log(`✓ ${what}${note === "" ? "" : `: ${note}`}`);
  } catch (error) {
    fault(`${what}: ${String(error.stderr || error.message).trim()}`);
  }
}

function fault(what) {
  faults++;
  console.error(`✗ ${what}`);
}

function run(command, ...args) {
  return execFileSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], maxBuffer: 64 << 20 });
}

function raised(old, part) {
  const numbers = old.split(".").map(Number);
  const at = ["major", "minor", "patch"].indexOf(part);
  return numbers.map((number, i) => (i < at ? number : i === at ? number + 1 : 0)).join(".");
}

function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

function fail(why) {
  console.error(`release: ${why}`);
  process.exit(1);
}
