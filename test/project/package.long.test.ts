import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { manifest, type PackedProject, packedProject, root } from "./packed.js";

/* What a user gets: the packed files in an empty project. */
let installed: PackedProject;
let project: string;
let packed: readonly string[];

beforeAll(() => {
  installed = packedProject();
  project = installed.folder;
  packed = installed.files;
});

afterAll(() => installed.remove());

const node = (file: string, code: string): string => {
  writeFileSync(join(project, file), code);
  return execFileSync(process.execPath, [file], { cwd: project, encoding: "utf8", timeout: 120_000 });
};

const JOB = `
const service = await connect.sample();
const frame = await service.table("MARKET/PRICES").where({ ticker: "AAA" }).select("ticker", "date", "close").frame();
await service.close();
console.log(frame.columns.map((c) => c.name + " " + c.type).join(", "), frame.numRows > 6000);
`;
const EXPECTED = "ticker String, date Date, close BigDecimal(15,4) true\n";

it("the pack holds the code, the declarations and the sample data, and nothing else", () => {
  const folders = [...new Set(packed.map((path) => path.split("/")[0]))].sort();
  const pages = ["CHANGELOG.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "LICENSE", "README.md", "SECURITY.md"];
  expect(folders).toEqual([...pages, "dist", "docs", "notebooks", "package.json"]);
  expect(packed.filter((path) => /(^|\/)(\.|tests?\/|node_modules)/.test(path))).toEqual([]);
});

it("every link of a packed page has its target in the pack", () => {
  const dead = packed
    .filter((path) => path.endsWith(".md"))
    .flatMap((page) => {
      const text = readFileSync(join(root, page), "utf8").replace(/^```[\s\S]*?^```$/gm, "");
      const links = [...text.matchAll(/\]\((?!https?:|mailto:|data:|#)([^)#\s]+)|src="([^"]+)"/g)];
      return links
        .map(([, link, image]) => join(dirname(page), decodeURIComponent(link ?? image)))
        .filter((path) => !packed.some((name) => name === path || name.startsWith(`${path}/`)))
        .map((path) => `${page}: ${path}`);
    });
  expect(dead).toEqual([]);
});

it("every path that package.json names is packed", () => {
  const named = JSON.stringify([manifest.main, manifest.types, manifest.typesVersions, manifest.exports, manifest.bin]);
  const paths = [...named.matchAll(/"\.\/([^"]+\.(?:js|ts|json))"/g)].map((match) => match[1]);
  expect(paths.length).toBeGreaterThan(8);
  expect(paths.filter((path) => !packed.includes(path))).toEqual([]);
});

it("runs no script on installation, which npm would warn of", () => {
  const packed = JSON.parse(readFileSync(join(project, "node_modules/arrowbook/package.json"), "utf8"));
  const onInstall = ["preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare"];
  expect(Object.keys(packed.scripts).filter((name) => onInstall.includes(name))).toEqual([]);
});

/** What code imports: not the files that tools read, such as the program of Web Workers. */
const ENTRIES = Object.entries(manifest.exports)
  .filter(([, target]) => typeof target === "object" && target !== null && "import" in target)
  .map(([key]) => key);

it("every subpath of exports has its typesVersions entry, for resolvers that do not read exports", () => {
  const subpaths = ENTRIES.filter((key) => key !== ".").map((key) => key.slice(2));
  expect(Object.keys(manifest.typesVersions["*"]).sort()).toEqual(subpaths.sort());
});

it("runs in an ES module of an empty project", () => {
  expect(node("job.mjs", `import { connect } from "arrowbook";\n${JOB}`)).toBe(EXPECTED);
});

it("runs in a CommonJS script of an empty project", () => {
  const code = `const { connect } = require("arrowbook");\n(async () => {${JOB}})();\n`;
  expect(node("job.cjs", code)).toBe(EXPECTED);
});

it("the entries load in both halves", () => {
  const names = ENTRIES.map((key) => key.replace(/^\./, "arrowbook"));
  const esm = names.map((name) => `console.log(Object.keys(await import("${name}")).length >= 0);`).join("\n");
  const cjs = names.map((name) => `console.log(Object.keys(require("${name}")).length >= 0);`).join("\n");
  expect(node("entries.mjs", esm)).toBe("true\n".repeat(names.length));
  expect(node("entries.cjs", cjs)).toBe("true\n".repeat(names.length));
});

it("the program of a page's workers is for bundlers of pages alone", () => {
  const code = 'await import("arrowbook/worker").catch((error) => console.log(error.code));';
  expect(node("worker.mjs", code)).toBe("ERR_PACKAGE_PATH_NOT_EXPORTED\n");
});

it("importing the package loads neither DuckDB, Vega, Danfo nor the readers and writers of zip files", () => {
  const code = `
require("arrowbook");
const loaded = Object.keys(require.cache).map((path) => /node_modules\\/((?:@[^/]+\\/)?[^/]+)/g.exec(path.slice(path.lastIndexOf("node_modules")))?.[1]);
console.log([...new Set(loaded)].filter((name) => name !== undefined).sort().join(" "));`;
  const loaded = node("loaded.cjs", code).trim().split(" ");
  for (const heavy of [
    "@duckdb/node-api",
    "vega",
    "vega-lite",
    "danfojs-node",
    "fast-xml-parser",
    "yauzl",
    "yazl",
    "commander",
  ]) {
    expect(loaded).not.toContain(heavy);
  }
});

it("the command answers --version and --help, and refuses an unknown command with status 2", () => {
  const command = join(project, "node_modules", "arrowbook", manifest.bin.arrowbook);
  const run = (...words: string[]): string =>
    execFileSync(process.execPath, [command, ...words], {
      cwd: project,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  expect(run("--version").trim()).toBe(manifest.version);
  expect(run("--help")).toContain("serve");
  expect(() => run("nonsense")).toThrowError(expect.objectContaining({ status: 2 }));
});

it("declarations hold no syntax newer than TypeScript 5.0, which the notebook kernel reads them with", () => {
  const old = readdirSync(join(root, "node_modules", "@tslab", "typescript-for-tslab", "lib")).includes(
    "typescript.js",
  );
  expect(old).toBe(true);
  writeFileSync(
    join(project, "types.ts"),
    `import { connect, Frame } from "arrowbook";\nimport { serve } from "arrowbook/server";\nimport "arrowbook/notebook";\nexport const made: Promise<Frame> = connect.sample().then((s) => s.dataset("A/B").frame());\nexport const f = serve;\n`,
  );
  const code = `
const ts = require(${JSON.stringify(join(root, "node_modules", "@tslab", "typescript-for-tslab"))});
const program = ts.createProgram(["types.ts"], { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.NodeJs ?? 2, target: ts.ScriptTarget.ES2022, lib: ["lib.es2022.d.ts"], skipLibCheck: false, noEmit: true, esModuleInterop: true, types: [], typeRoots: [] });
const wrong = ts.getPreEmitDiagnostics(program).filter((d) => !d.file || /types\\.ts$|arrowbook\\/dist/.test(d.file.fileName));
console.log(ts.version.split(".").slice(0, 2).join("."), wrong.map((d) => (d.file ? d.file.fileName.split("/").slice(-2).join("/") : "") + " " + ts.flattenDiagnosticMessageText(d.messageText, " ")).slice(0, 5).join("\\n"));`;
  expect(node("types.cjs", code).trim()).toBe("5.0");
});

const command = (): string => join(project, "node_modules", "arrowbook", manifest.bin.arrowbook);

it("the build leaves the command executable", () => {
  expect(statSync(join(root, manifest.bin.arrowbook)).mode & 0o111).toBe(0o111);
});

it("demo runs without the optional peers and says how to install them", () => {
  const done = spawnSync(process.execPath, [command(), "demo"], { cwd: project, encoding: "utf8" });
  expect(done).toMatchObject({ status: 0, stderr: "" });
  expect(done.stdout).toMatch(/✓ fetch all pages of a table \(MARKET\/PRICES\): [\d,]+ rows/);
  expect(done.stdout).toMatch(/- convert .* to a Danfo frame: skipped\..*npm install danfojs-node/);
  expect(done.stdout).toMatch(/- run notebooks\/quickstart\.ipynb .*skipped\..*npm install tslab@1\.0\.22/);
  expect(done.stdout).toMatch(/Done in [\d.]+ s\.\n/);
});

it("demo runs its notebook with tslab and without Danfo", () => {
  installed.link("tslab");
  const done = spawnSync(process.execPath, [command(), "demo"], { cwd: project, encoding: "utf8" });
  expect(done).toMatchObject({ status: 0, stderr: "" });
  expect(done.stdout).toMatch(/- convert .* to a Danfo frame: skipped\..*npm install danfojs-node/);
  expect(done.stdout).toMatch(
    /✓ run notebooks\/quickstart\.ipynb .*: 9 cells on \w+, without Danfo, page quickstart\.html/,
  );
  expect(readFileSync(join(project, "quickstart.html"), "utf8")).toContain("Quick start");
});

it("a command whose messages have no reader still writes its file", () => {
  const words = `export MARKET/PRICES --where ticker=AAA -o aaa.csv --sample`;
  const script = `{ ${JSON.stringify(process.execPath)} ${JSON.stringify(command())} ${words}; echo $? > status; } 2>&1 | true`;
  spawnSync("sh", ["-c", script], { cwd: project, encoding: "utf8" });
  expect(readFileSync(join(project, "status"), "utf8")).toBe("0\n");
  expect(readFileSync(join(project, "aaa.csv"), "utf8")).toMatch(/^ticker,date,/);
});

it("a reader that closes the pipe early ends the command quietly", () => {
  const words = `${JSON.stringify(process.execPath)} ${JSON.stringify(command())} get table MARKET/PRICES --sample`;
  // The status of the command itself, not that of head.
  const script = `{ ${words}; echo "status $?" >&2; } | head -1`;
  const done = spawnSync("sh", ["-c", script], { cwd: project, encoding: "utf8" });
  expect(done).toMatchObject({ stdout: "ticker,date,open,high,low,close,volume\n", stderr: "status 0\n" });
});
