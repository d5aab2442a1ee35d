import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, lstatSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type PackedProject, packedProject, root } from "./packed.js";

/* What `npm install arrowbook --omit=optional` gives: no embedded engine, no picture makers, no fonts. */
const MOST_BYTES = 30_000_000;
let installed: PackedProject;

beforeAll(() => {
  installed = packedProject({ optional: false });
  writeFileSync(join(installed.folder, "prices.csv"), "date,close\n2024-01-02,10.50\n2024-01-03,11.25\n");
});
afterAll(() => installed.remove());

interface LockEntry {
  readonly dependencies?: Record<string, string>;
}

const LOCK: Record<string, LockEntry> = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages;

/** Where `name` is installed for the package at `place`, as Node looks it up. */
function placeOf(name: string, place: string): string {
  for (let at = place; ; at = at.slice(0, Math.max(0, at.lastIndexOf("node_modules/") - 1))) {
    const found = `${at === "" ? "" : `${at}/`}node_modules/${name}`;
    if (LOCK[found] !== undefined) return found;
    if (at === "") throw new Error(`The lock file lacks ${name}, needed by ${place}.`);
  }
}

function required(place: string, found = new Set<string>()): Set<string> {
  for (const name of Object.keys(LOCK[place]?.dependencies ?? {})) {
    const at = placeOf(name, place);
    if (found.has(at)) continue;
    found.add(at);
    required(at, found);
  }
  return found;
}

function bytesIn(folder: string): number {
  const sizes = readdirSync(folder, { withFileTypes: true }).map((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === "node_modules" ? 0 : bytesIn(path);
    return entry.isFile() ? lstatSync(path).size : 0;
  });
  return sizes.reduce((sum, size) => sum + size, 0);
}

it("takes at most 30 MB, dependencies included", () => {
  const places = [...required("")].map((place) => join(root, place));
  expect(places.filter((place) => !existsSync(place))).toEqual([]);
  const own = bytesIn(join(installed.folder, "node_modules", "arrowbook"));
  const sizes = places.map(bytesIn);
  expect(own + sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MOST_BYTES);
});

const run = (code: string): string => {
  writeFileSync(join(installed.folder, "job.mjs"), code);
  return execFileSync(process.execPath, ["job.mjs"], { cwd: installed.folder, encoding: "utf8" });
};

it("reads, computes and shows tables", () => {
  const shown = run(`
import { display, Frame } from "arrowbook";
const prices = await Frame.fromCSV("prices.csv", {
  columns: [{ name: "date", type: "Date" }, { name: "close", type: "BigDecimal(10,2)" }],
});
await prices.with({ twice: prices.column("close").mul(2) }).toParquet("prices.parquet");
const back = await Frame.fromParquet("prices.parquet");
display(back.pctChange());
display(back.filter((row) => row.close > 11));
console.log(back.groupBy("date").agg({ close: "sum" }).numRows);
`);
  expect(shown).toContain("22.50");
  expect(shown).toMatch(/\n2\n$/);
});

it.each([
  ["SQL", "@duckdb/node-api", "await prices.sql('select 1 from this')"],
  ["the embedded service", "@duckdb/node-api", "await connect.sample()"],
  ["DuckDB", "@duckdb/node-api", 'await (await import("arrowbook/duckdb")).duckdb()'],
  ["Excel", "hucre", "await prices.toExcel('x.xlsx')"],
  ["charts", "vega@5", "prices.plot({ y: 'n' }).toSVG()"],
])("says what to install for %s", (_what, name, code) => {
  const said = run(`
import { connect, Frame } from "arrowbook";
const prices = Frame.fromRows([{ n: 1 }], [{ name: "n", type: "Integer" }]);
try {
  ${code};
} catch (error) {
  console.log(error.code, error.hint);
}`);
  expect(said).toContain(`MissingPackage npm install ${name}`);
});

it("says so in one line on the command line", () => {
  const command = join(installed.folder, "node_modules", "arrowbook", "dist", "esm", "cli.js");
  const words = ["get", "table", "MARKET/PRICES", "--sample"];
  const { status, stderr } = spawnSync(process.execPath, [command, ...words], {
    cwd: installed.folder,
    encoding: "utf8",
  });
  expect(stderr).toContain("npm install @duckdb/node-api");
  expect(stderr).not.toMatch(/\n\s+at /);
  expect(status).not.toBe(0);
});

it("its declarations compile without them", () => {
  writeFileSync(
    join(installed.folder, "use.ts"),
    'import { connect, Frame } from "arrowbook";\nimport { serve } from "arrowbook/server";\nimport { duckdb } from "arrowbook/duckdb";\nimport "arrowbook/notebook";\nexport const all = [connect, Frame, serve, duckdb];\n',
  );
  installed.link("@types/node");
  const compiler = join(root, "node_modules", "typescript7", "lib", "tsc.js");
  const flags = ["--noEmit", "--strict", "--target", "es2022", "--module", "nodenext", "--types", "node"];
  const words = [compiler, ...flags, "--skipLibCheck", "false", "use.ts"];
  const { stdout, status } = spawnSync(process.execPath, words, { cwd: installed.folder, encoding: "utf8" });
  expect(stdout).toBe("");
  expect(status).toBe(0);
});
