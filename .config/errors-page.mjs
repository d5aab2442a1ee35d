// Writes the tables of docs/errors.md: the codes of src/errors/codes.ts by class, and the codes of services from
// src/spec/error-meanings.ts. With --check nothing is written, and a page that differs ends with exit status 1.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("..", import.meta.url));
const PAGE = `${root}docs/errors.md`;
const BEGIN = "<!-- codes: written by .config/errors-page.mjs -->";
const END = "<!-- end of codes -->";

/** The exports of a source file that imports nothing. */
async function load(path) {
  const { outputText } = ts.transpileModule(readFileSync(`${root}${path}`, "utf8"), {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ES2022 },
  });
  return import(`data:text/javascript,${encodeURIComponent(outputText)}`);
}

const { ERROR_CODES } = await load("src/errors/codes.ts");
const { ERROR_MEANINGS } = await load("src/spec/error-meanings.ts");

const classes = [...new Set(Object.values(ERROR_CODES).map((entry) => entry.class))];
const cell = (text) => text.replaceAll("|", "\\|").replaceAll("\n", " ");
const tables = classes.map((name) => {
  const rows = Object.entries(ERROR_CODES)
    .filter(([, entry]) => entry.class === name)
    .map(([code, { meaning, cure }]) => `| \`${code}\` | ${cell(meaning)} | ${cell(cure)} |`);
  return `### ${name}\n\n| code | meaning | what to do |\n|---|---|---|\n${rows.join("\n")}\n`;
});
const observed = Object.entries(ERROR_MEANINGS).map(
  ([code, { status, retryable, hint }]) => `| \`${code}\` | ${status} | ${retryable ? "yes" : "no"} | ${cell(hint)} |`,
);
const services = [
  "### Codes of a service",
  "",
  "A `ServiceError` has the service's own code, or `HTTP404` where a reply has only a status. These are known (`profile.errors`):",
  "",
  "| code | status | retryable | what to do |",
  "|---|---|---|---|",
  ...observed,
];

const page = readFileSync(PAGE, "utf8");
const [before, rest] = page.split(BEGIN);
const after = rest?.split(END)[1];
if (after === undefined) throw new Error(`${PAGE} has no place for the tables: ${BEGIN} … ${END}`);
const fresh = `${before}${BEGIN}\n\n${tables.join("\n")}\n${services.join("\n")}\n\n${END}${after}`;

if (!process.argv.includes("--check")) writeFileSync(PAGE, fresh);
else if (fresh !== page) {
  console.error("docs/errors.md is not the page of src/errors/codes.ts: run node .config/errors-page.mjs");
  process.exitCode = 1;
}
