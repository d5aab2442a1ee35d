// Writes the lists of docs/errors.md: the codes of src/errors/codes.ts by class, and the codes of services from
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
const line = (text) => text.replaceAll("\n", " ");
/** A remedy without an option or a call is the one of the error's own hint, and not repeated. */
const remedyOf = (cure) => (cure.includes("`") ? ` ${line(cure)}` : "");
const lists = classes.map((name) => {
  const entries = Object.entries(ERROR_CODES)
    .filter(([, entry]) => entry.class === name)
    .map(([code, { meaning, cure }]) => `- \`${code}\`: ${line(meaning)}${remedyOf(cure)}`);
  return `### ${name}\n\n${entries.join("\n")}\n`;
});

/** The codes of services by their remedy, each with its status. */
const observed = new Map();
for (const [code, { status, retryable, hint }] of Object.entries(ERROR_MEANINGS)) {
  const remedy = hint.replace(/Request an export instead.*: see docs\/bulk\.md\.$/, "Request [an export](bulk.md).");
  observed.set(remedy, [...(observed.get(remedy) ?? []), `\`${code}\` (${status}${retryable ? ", retried" : ""})`]);
}
const services = [
  "### Codes of a service",
  "",
  "A `ServiceError` has the service's own code, or `HTTP404` where a reply has only a status. These are known (`profile.errors`), with their status:",
  "",
  ...[...observed].map(([remedy, codes]) => `- ${codes.join(", ")}: ${remedy}`),
];

const page = readFileSync(PAGE, "utf8");
const [before, rest] = page.split(BEGIN);
const after = rest?.split(END)[1];
if (after === undefined) throw new Error(`${PAGE} has no place for the lists: ${BEGIN} … ${END}`);
const fresh = `${before}${BEGIN}\n\n${lists.join("\n")}\n${services.join("\n")}\n\n${END}${after}`;

if (!process.argv.includes("--check")) writeFileSync(PAGE, fresh);
else if (fresh !== page) {
  console.error("docs/errors.md is not the page of src/errors/codes.ts: run node .config/errors-page.mjs");
  process.exitCode = 1;
}
