import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Mirror } from "../../src/client/mirror/mirror.js";
import { changingTable } from "../client/changing-table.js";
import { serviceOf } from "./bulk-fixtures.js";
import { cameToItsEnd, lines, NEW, OLD } from "./killed-copy.js";
import { killedLibrary } from "./killed-library.js";

const { server, set } = await changingTable();
const root = mkdtempSync(join(tmpdir(), "arrowbook-sync-steps-"));
const LONG = 900_000;
let library = "";
let script = "";

beforeAll(async () => {
  library = await killedLibrary();
  script = join(library, "sync-steps.mjs");
  writeFileSync(
    script,
    `import "./killed.mjs";
import { connect } from "./index.mjs";
const [url, folder, options] = process.argv.slice(2);
const service = connect({ url, apiKey: "canary-key-0123456789abcdef-steps" });
const { compact, ...how } = JSON.parse(options);
const mirror = await service.table("V/T").mirror(folder, { load: false, ...how });
await (compact ? mirror.compact() : mirror.sync());
`,
  );
});
afterAll(async () => {
  await server.close();
  rmSync(root, { recursive: true });
  rmSync(library, { recursive: true, force: true });
});

/** Synchronises in a process that is killed at a step on the disk; gives whether it came to its end. */
async function syncKilledAt(step: number, folder: string, options: object): Promise<boolean> {
  const child = spawn(process.execPath, [script, server.url, folder, JSON.stringify(options)], {
    stdio: "inherit",
    env: { ...process.env, KILLED_AT: String(step) },
  });
  return cameToItsEnd(child);
}

const linesOf = async (mirror: Mirror): Promise<string[]> =>
  (await mirror.frame()).toCSV().trim().split("\n").slice(1).sort();

it.each([{}, { by: "ticker" }, { by: "ticker", since: "changed" }, { history: true }])(
  "row 46: killed at each step on the disk, sync(%o) leaves the old copy or the new one",
  async (options) => {
    set(OLD, "2024-03-02T12:00:00Z");
    const before = join(mkdtempSync(join(root, "b-")), "copy");
    await serviceOf(server).table("V/T").mirror(before, options);
    set(NEW, "2024-03-03T12:00:00Z");
    const seen = new Set<number>();
    let step = 1;
    for (let ended = false; !ended; step++) {
      const folder = join(mkdtempSync(join(root, "s-")), "copy");
      cpSync(before, folder, { recursive: true });
      ended = await syncKilledAt(step, folder, options);
      const mirror = await serviceOf(server).table("V/T").mirror(folder, options);
      const rows = await linesOf(mirror);
      expect([lines(OLD), lines(NEW)], `step ${step}`).toContainEqual(rows);
      seen.add(rows.length);
      await mirror.sync();
      expect(await linesOf(mirror), `after step ${step}`).toEqual(lines(NEW));
      expect(readdirSync(folder).sort()).toEqual(["checked.json", "manifest.json", "v000001", "v000002"]);
      expect(await mirror.verify()).toEqual({ complete: true, damage: [] });
      const files = readdirSync(join(folder, "v000002"));
      expect(files.filter((name) => !/^(rows|removed|ticker-[A-C]{3})\.parquet$/.test(name))).toEqual([]);
    }
    expect([...seen].sort()).toEqual([2, 3]);
    expect(step).toBeGreaterThan(8);
  },
  LONG,
);

it(
  "row 46: killed at each step on the disk, compact() loses no state",
  async () => {
    const before = join(mkdtempSync(join(root, "b-")), "copy");
    const open = (folder: string) => serviceOf(server).table("V/T").mirror(folder, { history: true });
    set(OLD, "2024-03-02T12:00:00Z");
    await open(before);
    set(NEW, "2024-03-03T12:00:00Z");
    await (await open(before)).sync();
    let step = 1;
    for (let ended = false; !ended; step++) {
      const folder = join(mkdtempSync(join(root, "c-")), "copy");
      cpSync(before, folder, { recursive: true });
      ended = await syncKilledAt(step, folder, { compact: true });
      const mirror = await open(folder);
      for (let again = 0; again < 2; again++) {
        const first = (await mirror.frame({ asOf: "2024-03-02" })).toCSV().trim().split("\n").slice(1).sort();
        expect([first, await linesOf(mirror)], `step ${step}`).toEqual([lines(OLD), lines(NEW)]);
        expect(await mirror.verify()).toEqual({ complete: true, damage: [] });
        await mirror.compact();
      }
      // What the killed process left is gone, but for the pieces of the manifest before.
      const names = readdirSync(folder).filter((name) => name.startsWith("v"));
      expect(names.length, `after step ${step}`).toBeLessThanOrEqual(3);
    }
    expect(step).toBeGreaterThan(8);
  },
  LONG,
);
