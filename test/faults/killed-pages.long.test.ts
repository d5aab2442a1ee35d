import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { lookThrough } from "../../src/disk/record-file.js";
import { pagedTable } from "../client/paged-table.js";
import { serviceOf } from "./bulk-fixtures.js";
import { killedLibrary } from "./killed-library.js";

const table = await pagedTable();
const root = mkdtempSync(join(tmpdir(), "arrowbook-page-steps-"));
const LONG = 900_000;
const PAGES = 4;
let library = "";
let script = "";

beforeAll(async () => {
  library = await killedLibrary();
  script = join(library, "page-steps.mjs");
  writeFileSync(
    script,
    `import "./killed.mjs";
import { connect } from "./index.mjs";
const [url, checkpoint] = process.argv.slice(2);
const service = connect({ url, apiKey: "canary-key-0123456789abcdef", onProgress: false });
await service.table("V/T").frame({ checkpoint });
`,
  );
});
afterAll(async () => {
  await table.server.close();
  rmSync(root, { recursive: true });
  rmSync(library, { recursive: true, force: true });
});

/** Reads all pages in a process that is killed at a step on the disk; gives whether it came to its end. */
async function readKilledAt(step: number, checkpoint: string): Promise<boolean> {
  const child = spawn(process.execPath, [script, table.server.url, checkpoint], {
    stdio: "inherit",
    env: { ...process.env, KILLED_AT: String(step), KILLED_IN_FILES: "1" },
  });
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) =>
    child.once("exit", (...how) => resolve(how)),
  );
  expect(code ?? signal).toBe(code === 0 ? 0 : "SIGKILL");
  return signal === null;
}

it(
  "row 46: killed at each step on the disk, also within a write, paging resumes after the last page that was kept",
  async () => {
    const query = serviceOf(table.server, { apiKey: "canary-key-0123456789abcdef" }).table("V/T");
    const whole = await query.frame();
    const resumed = new Set<number>();
    let step = 1;
    for (let ended = false; !ended; step++) {
      const folder = mkdtempSync(join(root, "k-"));
      const checkpoint = join(folder, "pages");
      ended = await readKilledAt(step, checkpoint);
      const found = await lookThrough(checkpoint);
      const kept = typeof found === "object" ? found.records.length : 0;
      resumed.add(kept);
      const before = table.requests();
      const frame = await query.frame({ checkpoint });
      expect(frame.toCSV(), `step ${step}`).toBe(whole.toCSV());
      expect(String(frame.table.schema)).toBe(String(whole.table.schema));
      expect({ step, requests: table.requests() - before }).toEqual({ step, requests: PAGES - kept });
      expect(readdirSync(folder)).toEqual(["pages"]);
    }
    expect([...resumed].sort()).toEqual([0, 1, 2, 3, 4]);
    expect(step).toBeGreaterThan(20);
  },
  LONG,
);
