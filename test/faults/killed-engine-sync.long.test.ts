import { spawn } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { duckdbEngine } from "../../src/engine/duckdb/duckdb.js";
import { changingTable } from "../client/changing-table.js";
import { builtLibrary } from "./built-library.js";
import { serviceOf } from "./bulk-fixtures.js";
import { cameToItsEnd, lines, NEW, OLD } from "./killed-copy.js";

const { server, set } = await changingTable();
const root = mkdtempSync(join(tmpdir(), "arrowbook-engine-steps-"));
const LONG = 900_000;
let library = "";
let script = "";

beforeAll(async () => {
  library = await builtLibrary();
  script = join(library, "engine-steps.mjs");
  // Killed before the engine runs the statement with this number, or while it runs.
  writeFileSync(
    script,
    `import { DuckDBConnection } from "@duckdb/node-api";
import { connect } from "./index.mjs";
const [url, file, options] = process.argv.slice(2);
const [step, isDuring] = [Number(process.env.KILLED_AT), process.env.KILLED_DURING === "true"];
const kill = () => process.kill(process.pid, "SIGKILL");
let steps = 0;
for (const name of ["run", "stream", "runAndReadAll", "createAppender"]) {
  const asked = DuckDBConnection.prototype[name];
  DuckDBConnection.prototype[name] = function (...given) {
    const isLast = ++steps === step;
    if (isLast && !isDuring) kill();
    const result = asked.apply(this, given);
    if (isLast) kill();
    return result;
  };
}
const service = connect({ url, apiKey: "canary-key-0123456789abcdef-steps" });
const mirror = await service.table("V/T").mirror(file, { load: false, ...JSON.parse(options) });
await mirror.sync();
`,
  );
});
afterAll(async () => {
  await server.close();
  rmSync(root, { recursive: true });
  rmSync(library, { recursive: true, force: true });
});

/** Synchronises in a process that is killed at a statement; gives whether it came to its end. */
async function syncKilledAt(step: number, isDuring: boolean, file: string, options: object): Promise<boolean> {
  const child = spawn(process.execPath, [script, server.url, file, JSON.stringify(options)], {
    stdio: "inherit",
    env: { ...process.env, KILLED_AT: String(step), KILLED_DURING: String(isDuring) },
  });
  return cameToItsEnd(child);
}

/** The rows in a database file, and its tables, as another reader of the file finds them. */
async function found(file: string): Promise<{ rows: string[]; tables: string[] }> {
  const engine = await duckdbEngine(file);
  try {
    const rows = await engine.query(`SELECT concat_ws(',', ticker, date, close, changed) AS line FROM "V/T"`);
    const tables = await engine.query("SELECT table_name AS name FROM duckdb_tables()");
    return {
      rows: [...rows].map((row) => String(row?.["line"])).sort(),
      tables: [...tables].map((row) => String(row?.["name"])).sort(),
    };
  } finally {
    await engine.close();
  }
}

it.each([
  [{}, 1],
  [{ since: "changed" }, 2],
  [{ history: true }, 1],
])(
  "killed at statements of a DuckDB file, sync(%o) leaves the old copy or the new one",
  async (options, first) => {
    set(OLD, "2024-03-02T12:00:00Z");
    const before = join(mkdtempSync(join(root, "b-")), "copy.duckdb");
    await serviceOf(server).table("V/T").mirror(before, options);
    set(NEW, "2024-03-03T12:00:00Z");
    const seen = new Set<number>();
    let step = first;
    for (let ended = false; !ended; step += 2) {
      const file = join(mkdtempSync(join(root, "s-")), "copy.duckdb");
      copyFileSync(before, file);
      ended = await syncKilledAt(step, (step >> 1) % 2 === 0, file, options);
      const { rows, tables } = await found(file);
      expect([lines(OLD), lines(NEW)], `step ${step}`).toContainEqual(rows);
      expect(tables, `step ${step}`).toContain("arrowbook_mirrors");
      seen.add(rows.length);
      await (await serviceOf(server).table("V/T").mirror(file, options)).sync();
      expect((await found(file)).rows, `after step ${step}`).toEqual(lines(NEW));
    }
    expect([...seen].sort()).toEqual([2, 3]);
    expect(step).toBeGreaterThan(10);
  },
  LONG,
);
