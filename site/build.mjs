// npm run docs: a static site of README, CONTRIBUTING, CHANGELOG and docs/, with the reference of all public names made
// from their docstrings, and a search index of its own. Written to site/dist; it loads nothing from elsewhere.
// `npm run docs -- --base /arrowbook/` for a site below a path, as on GitHub Pages.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync, cpSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { Application } from "typedoc";
import { build } from "vitepress";
import { recordExamples, writeRunner } from "./examples.mjs";
import { sections } from "./sections.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = join(here, "..");
const pages = join(here, "pages");
const at = process.argv.indexOf("--base");
/** The files of `exports` in package.json. */
const ENTRIES = Object.keys(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).exports)
  .filter((path) => !path.endsWith(".json"))
  .map((path) => path.slice(2) || "index");
const base = at === -1 ? "/" : process.argv[at + 1];

rmSync(pages, { recursive: true, force: true });
mkdirSync(pages);
copyPages();
const replies = await markExamples();
await writeReference();
checkLinks();
writeFileSync(join(pages, "sections.json"), JSON.stringify({ base, sidebar: sections(pages) }));
await build(here);
copyForAssistants();
await writeRunner(join(here, "dist"), replies);
console.log(`site/dist: ${files(pages).length} pages`);
// The code for pages keeps a channel open.
process.exit(0);

/** The pages as they are in the repository, so that the links between them hold. */
function copyPages() {
  cpSync(join(root, "docs"), join(pages, "docs"), { recursive: true });
  for (const name of ["CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "CODE_OF_CONDUCT.md"]) {
    cpSync(join(root, name), join(pages, name));
  }
  mkdirSync(join(pages, "notebooks/data"), { recursive: true });
  cpSync(join(root, "notebooks/data/README.md"), join(pages, "notebooks/data/README.md"));
  cpSync(join(root, "README.md"), join(pages, "index.md"));
  for (const path of files(pages)) writeFileSync(path, forSite(readFileSync(path, "utf8")));
}

/** Marks the examples that run in a page; gives the replies that they need. */
async function markExamples() {
  const paths = files(pages).filter((path) => !/CHANGELOG|CONTRIBUTING|SECURITY|CODE_OF/.test(path));
  const { marked, replies } = await recordExamples(paths.map((path) => [path, readFileSync(path, "utf8")]));
  for (const [path, text] of marked) writeFileSync(path, text);
  return replies;
}

/** llms.txt, and the Markdown of the pages that it names. */
function copyForAssistants() {
  const text = readFileSync(join(here, "llms.txt"), "utf8");
  writeFileSync(join(here, "dist/llms.txt"), text);
  for (const [, page] of text.matchAll(/\]\(([^)]+)\)/g)) cpSync(join(root, page), join(here, "dist", page));
}

/** Links to files that are not pages become text; angle brackets outside of code are text. */
function forSite(text) {
  return text
    .replace(/\[([^\]]*)\]\(((?:\.\.\/)*(?:test|src|notebooks|\.[a-z]+)\/[^)]*|[^)]*\.ipynb|(?:\.\.\/)*LICENSE)\)/g, (all, label, target) =>
      target.endsWith("README.md") ? all : label,
    )
    .replaceAll("](README.md", "](index.md")
    .replaceAll("](../README.md", "](../index.md");
}

/** One Markdown page for each public name, from the docstrings; sections of the specification are left out. */
async function writeReference() {
  const app = await Application.bootstrapWithPlugins({
    entryPoints: ENTRIES.map((name) => join(root, `src/${name}.ts`)),
    tsconfig: join(root, "tsconfig.json"),
    plugin: ["typedoc-plugin-markdown"],
    outputs: [{ name: "markdown", path: join(pages, "reference") }],
    readme: "none",
    name: "Reference",
    disableSources: true,
    excludePrivate: true,
    excludeProtected: true,
    excludeInternal: true,
    treatValidationWarningsAsErrors: false,
    validation: { notExported: false, invalidLink: true, notDocumented: false },
    skipErrorChecking: true,
    logLevel: "Error",
    hidePageHeader: true,
    useCodeBlocks: true,
    expandObjects: true,
    entryFileName: "index.md",
  });
  const project = await app.convert();
  if (project === undefined) throw new Error("typedoc could not read the sources");
  await app.generateOutputs(project);
  for (const path of files(join(pages, "reference"))) {
    const text = readFileSync(path, "utf8").replace(/ \((?:both open in )?spec [\d., and–-]+\)/g, "");
    writeFileSync(path, withImportNames(text));
  }
}

/** A page of the reference with its entry as users import it: "arrowbook/server" for the file "server". */
function withImportNames(text) {
  const nameOf = (entry) => (entry === "index" ? "arrowbook" : `arrowbook/${entry}`);
  return text
    .replace(/\[(\w+)\](?=\((?:\.\.\/|\w+\/)index\.md\))/g, (all, entry) => (ENTRIES.includes(entry) ? `[${nameOf(entry)}]` : all))
    .replace(/^# (\w+)$/m, (all, entry) => (ENTRIES.includes(entry) ? `# ${nameOf(entry)}` : all))
    .replace(/^(\[Reference\]\(.*\) \/) (\w+)$/m, (all, before, entry) => (ENTRIES.includes(entry) ? `${before} ${nameOf(entry)}` : all));
}

/** @throws if a link of a page points to a page or picture that is not there */
function checkLinks() {
  const dead = files(pages).flatMap((path) => {
    const text = readFileSync(path, "utf8").replace(/^```[\s\S]*?^```$/gm, "").replace(/`[^`\n]*`/g, "");
    return [...text.matchAll(/\]\((?!https?:|mailto:|#|data:)([^)#\s]+)/g)]
      .filter(([, target]) => !existsSync(join(dirname(path), decodeURIComponent(target))))
      .map(([, target]) => `${relative(pages, path)}: ${target}`);
  });
  if (dead.length > 0) throw new Error(`dead links:\n${dead.join("\n")}`);
}

function files(folder) {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name));
}
