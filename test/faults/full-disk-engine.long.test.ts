import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import type { Mirror, MirrorOptions } from "../../src/client/mirror/mirror.js";
import { changingTable, type Row } from "../client/changing-table.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { serviceOf } from "./bulk-fixtures.js";

const { server, set } = await changingTable();
const root = temporaryFolder("full-engine");
const disk = join(root, "disk");
mkdirSync(disk);

/** Whether a disk of 24 MB in memory can be mounted, which root alone may. */
const isMounted = ((): boolean => {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=24m", "tmpfs", disk], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();
afterAll(async () => {
  await server.close();
  if (isMounted) execFileSync("umount", [disk]);
});

const table = (state: number): Row[] =>
  Array.from({ length: 20_000 }, (_, i): Row => {
    const close = ((i * 7_919 * (i % 2 === 0 ? 1 : state)) % 999_983) / 100;
    return [`T${i}`, "2024-03-01", close.toFixed(4), `2024-03-0${state + 1}`];
  });
const lines = (rows: readonly Row[]): string[] => rows.map((row) => row.join(",")).sort();
const linesOf = async (mirror: Mirror, asOf?: string): Promise<string[]> =>
  (await mirror.frame({ asOf })).toCSV().trim().split("\n").slice(1).sort();

/** Leaves so many bytes of the disk. */
function fill(left: number): void {
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(join(disk, "filler"), Buffer.alloc(Math.max(0, bavail * bsize - left)));
}

it.runIf(isMounted).each([{}, { history: true }])(
  "a disk that fills up during sync(%o) of a DuckDB file leaves the old copy or the new one",
  async (options: MirrorOptions) => {
    const open = (path: string): Promise<Mirror> => serviceOf(server).table("V/T").mirror(path, options);
    set(table(1), "2024-03-02T12:00:00Z");
    const before = join(root, `copy-${String(options.history)}.duckdb`);
    await open(before);
    set(table(2), "2024-03-03T12:00:00Z");
    const [old, fresh] = [lines(table(1)), lines(table(2))];
    const seen = new Set<string>();
    for (let left = 0; left <= 2 << 20; left += 192 << 10) {
      const path = join(disk, "copy.duckdb");
      copyFileSync(before, path);
      const mirror = await open(path);
      fill(left);
      const error = await mirror.sync().then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      rmSync(join(disk, "filler"));
      if (error !== undefined) expect(error, `${left} bytes`).toMatchObject({ code: "DiskFull" });
      seen.add(error === undefined ? "done" : "failed");
      const again = await open(path);
      expect(await again.verify()).toEqual({ complete: true, damage: [] });
      expect([old, fresh]).toContainEqual(await linesOf(again));
      expect(await again.sync()).toMatchObject({ rows: 20_000 });
      expect(await linesOf(again)).toEqual(fresh);
      if (options.history) expect(await linesOf(again, "2024-03-02")).toEqual(old);
      for (const name of readdirSync(disk)) rmSync(join(disk, name));
    }
    expect([...seen].sort()).toEqual(["done", "failed"]);
  },
  600_000,
);
