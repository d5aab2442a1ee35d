// Writes test/spec-coverage.md: every row of the specification (test/spec-rows.json) with the tests that name it, as
// `spec <row>`, taken from the results of the last whole test run. A row without a passing test ends with exit status
// 1.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
process.chdir(root);

const PAGE = "test/spec-coverage.md";
const RESULTS = `${process.env["ARROWBOOK_RESULTS"] ?? "node_modules/.vitest"}/unit.json`;

const rows = Object.entries(JSON.parse(readFileSync("test/spec-rows.json", "utf8")));
if (!existsSync(RESULTS)) fail("There are no test results: npm run unit comes first.");
const { testResults } = JSON.parse(readFileSync(RESULTS, "utf8"));
const ran = new Set(testResults.map(({ name }) => relative(root, name).split("\\").join("/")));
const missing = readdirSync("test", { recursive: true })
  .map((file) => `test/${file.split("\\").join("/")}`)
  .filter((file) => file.endsWith(".test.ts") && !/^test\/(?:jupyter|browser|clickhouse|trino|bench)\//.test(file))
  .filter((file) => !ran.has(file));
if (missing.length > 0)
  fail(`The last test run was not complete (${missing[0]} is missing): npm run unit comes first.`);

const passed = testResults.flatMap(({ name, assertionResults }) =>
  assertionResults
    .filter(({ status }) => status === "passed")
    .map(({ fullName }) => ({ file: relative(root, name).split("\\").join("/"), title: fullName })),
);

const found = rows.map(([id, what]) => {
  const named = new RegExp(`(?:^|[^\\w.])spec ${id.replace(/[.*]/g, "\\$&")}(?![\\w.])`);
  return {
    id,
    what,
    files: [...new Set(passed.filter(({ title }) => named.test(title)).map(({ file }) => file))].sort(),
  };
});

const page = `# Specification and tests

For contributors: written by \`npm run spec\` from the names of the tests that passed: every row of the specification, and where it is tested.

| section | row | tests |
|---|---|---|
${found.map(({ id, what, files }) => line(id, what, files)).join("\n")}
`;

const gaps = found.filter(({ files }) => files.length === 0).map(({ id }) => id);
if (!existsSync(PAGE) || readFileSync(PAGE, "utf8") !== page) writeFileSync(PAGE, page);
if (gaps.length > 0) fail(`No passing test names these rows of the specification: ${gaps.join("; ")}.`);
process.stdout.write(`${found.length} rows of the specification, each with a test\n`);

function line(id, what, files) {
  const [section, ...name] = id.split(" ");
  return `| ${section} | **${name.join(" ")}** — ${what} | ${files.map((file) => `[${file}](../${file})`).join("<br>")} |`;
}

function fail(why) {
  process.stderr.write(`${why}\n`);
  process.exit(1);
}
