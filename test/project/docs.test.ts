import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { connect } from "../../src/index.js";

/*
 * Documents cannot rot: every fenced `ts` block of README and docs runs, page by page, in order, on the sample service;
 * so does every example in a docstring; every link inside the docs has its target. A block fenced as `ts no-run` is
 * only type-checked as far as its syntax goes.
 */
const root = fileURLToPath(new URL("../..", import.meta.url));
const scratch = join(root, "test", ".docs-run");

const inDocs = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
  .map((name) => `docs/${name.replaceAll("\\", "/")}`)
  .filter((name) => name.endsWith(".md"));
const pages = ["README.md", "AGENTS.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", ...inDocs.sort()];

const blocks = (markdown: string): string[] =>
  [...markdown.matchAll(/^```ts *\n([\s\S]*?)^```$/gm)].map((match) => match[1]);

/** Blocks of a page as one module: imports first, top-level declarations re-declarable as in a notebook. */
function moduleOf(parts: readonly string[]): string {
  const imports = new Set<string>();
  const body: string[] = [];
  for (const part of parts) {
    const rest = part.replace(/^import\s[\s\S]*?from\s*["'][^"']+["'];?$|^import\s*["'][^"']+["'];?$/gm, (line) => {
      imports.add(line.trim());
      return "";
    });
    body.push(rest.replace(/^(?:const|let) /gm, "var "));
  }
  const text = body.join("\n;\n");
  const usesService = /\bservice\b/.test(text) && !/^var service\b/m.test(text);
  const given = usesService ? 'var service = globalThis[Symbol.for("arrowbook.docs.service")];' : "";
  const names = mergedImports([...imports]);
  return `${names}\n${given}\n${text}\nif (typeof service !== "undefined" && service !== globalThis[Symbol.for("arrowbook.docs.service")]) await service.close?.();\nexport {};\n`;
}

/** The same import written in several blocks once. */
function mergedImports(lines: readonly string[]): string {
  const named = new Map<string, Set<string>>();
  const other: string[] = [];
  for (const line of lines) {
    const match = /^import\s*\{([\s\S]*)\}\s*from\s*["']([^"']+)["'];?$/.exec(line);
    if (!match) {
      other.push(line);
      continue;
    }
    const names = named.get(match[2]) ?? new Set<string>();
    for (const name of match[1].split(",")) if (name.trim() !== "") names.add(name.trim());
    named.set(match[2], names);
  }
  return [...other, ...[...named].map(([from, names]) => `import { ${[...names].join(", ")} } from "${from}";`)].join(
    "\n",
  );
}

async function run(name: string, source: string): Promise<void> {
  const file = join(scratch, `${name.replace(/[^\w.-]+/g, "_")}.ts`);
  writeFileSync(file, source);
  await import(pathToFileURL(file).href);
}

const sources = readdirSync(join(root, "src"), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
  .map((entry) => join(entry.parentPath, entry.name));

const examples = sources.flatMap((file) => {
  const text = readFileSync(file, "utf8");
  const found: { name: string; code: string }[] = [];
  for (const match of text.matchAll(/^([ \t]*\* ?)```ts *\n([\s\S]*?)^[ \t]*\* ?```$/gm)) {
    const code = match[2].replace(/^[ \t]*\* ?/gm, "");
    const line = text.slice(0, match.index).split("\n").length;
    found.push({ name: `${relative(root, file)}:${line}`, code });
  }
  return found;
});

let service: Awaited<ReturnType<typeof connect.sample>>;
const workingFolder = process.cwd();

beforeAll(async () => {
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(join(scratch, "files"), { recursive: true });
  mkdirSync(join(scratch, "temporary"));
  process.chdir(join(scratch, "files"));
  // Examples do not remove the files that they write.
  vi.stubEnv("TMPDIR", join(scratch, "temporary"));
  service = await connect.sample();
  Object.assign(globalThis, { [Symbol.for("arrowbook.docs.service")]: service });
});

afterAll(async () => {
  process.chdir(workingFolder);
  await service?.close();
  vi.unstubAllEnvs();
  rmSync(scratch, { recursive: true, force: true });
});

describe("every page runs", () => {
  for (const page of pages) {
    const parts = blocks(readFileSync(join(root, page), "utf8"));
    if (parts.length > 0) it(`${page} (${parts.length} blocks)`, () => run(page, moduleOf(parts)));
  }
});

describe("every docstring example runs", () => {
  it("there are examples", () => expect(examples.length).toBeGreaterThan(10));
  for (const { name, code } of examples) it(name, () => run(name, moduleOf([code])));
});

describe("every block parses", () => {
  for (const page of pages) {
    const all = [...readFileSync(join(root, page), "utf8").matchAll(/^```ts[^\n]*\n([\s\S]*?)^```$/gm)];
    if (all.length === 0) continue;
    it(page, () => {
      for (const [, code] of all) {
        const { diagnostics } = ts.transpileModule(code, { reportDiagnostics: true });
        expect(diagnostics?.map((d) => ts.flattenDiagnosticMessageText(d.messageText, "\n"))).toEqual([]);
      }
    });
  }
});

describe("every page says in its first line what it is for", () => {
  for (const page of inDocs) {
    it(page, () => {
      const [title, empty, first] = readFileSync(join(root, page), "utf8").split("\n");
      expect(title).toMatch(/^# \S/);
      expect(empty).toBe("");
      expect(first).toMatch(/^(?:For|What|How) .*[\w)`]/);
    });
  }
});

describe("every page is reached", () => {
  it("from the README or a page that is", () => {
    const reached = new Set(["README.md"]);
    for (const page of reached) {
      for (const [, target] of readFileSync(join(root, page), "utf8").matchAll(/\]\((?!https?:)([^)#\s]+)/g)) {
        const file = relative(root, join(root, page, "..", decodeURIComponent(target))).replaceAll("\\", "/");
        if (file.endsWith(".md") && ts.sys.fileExists(join(root, file))) reached.add(file);
      }
    }
    expect(inDocs.filter((page) => !reached.has(page))).toEqual([]);
  });
});

describe("every link has its target", () => {
  const slug = (heading: string): string =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replace(/\s/g, "-");
  const anchors = new Map(
    pages.map((page) => {
      const text = readFileSync(join(root, page), "utf8").replace(/^```[\s\S]*?^```$/gm, "");
      return [page, new Set([...text.matchAll(/^#+ (.+)$/gm)].map((match) => slug(match[1])))];
    }),
  );
  for (const page of pages) {
    it(page, () => {
      const text = readFileSync(join(root, page), "utf8").replace(/^```[\s\S]*?^```$/gm, "");
      const broken: string[] = [];
      for (const [, target] of text.matchAll(/\]\((?!https?:|mailto:|data:)([^)\s]+)\)/g)) {
        const [path, anchor] = target.split("#");
        const file = path === "" ? page : relative(root, join(root, page, "..", decodeURIComponent(path)));
        const exists = path === "" || ts.sys.fileExists(join(root, file)) || ts.sys.directoryExists(join(root, file));
        if (!exists || (anchor !== undefined && anchors.has(file) && !anchors.get(file)?.has(anchor)))
          broken.push(target);
      }
      expect(broken).toEqual([]);
    });
  }
});
