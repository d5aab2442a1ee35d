import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { BulkFile } from "../../src/client/bulk/bulk-file.js";
import { bulkFile } from "../../src/client/bulk/local-bulk-file.js";
import { connect } from "../../src/client/service.js";
import { archiveOf, columns, csvOf, json, metadata } from "../faults/bulk-fixtures.js";
import { type FaultServer, faultServer } from "../faults/fault-server.js";
import { temporaryFolder } from "../support/temporary-folder.js";

/** Opens of a file, each with the reads that followed: byte offset and length. */
const opens: (readonly [position: number, length: number][])[] = [];

vi.mock("../../src/format/random-access.js", async (original) => {
  const real = await original<typeof import("../../src/format/random-access.js")>();
  return {
    ...real,
    fileAccess: async (...args: Parameters<typeof real.fileAccess>) => {
      const access = await real.fileAccess(...args);
      const reads: [number, number][] = [];
      opens.push(reads);
      return {
        ...access,
        read: (target: Uint8Array, position: number) => {
          reads.push([position, target.length]);
          return access.read(target, position);
        },
      };
    },
  };
});

const archive = archiveOf(csvOf(3_000));
const directoryAt = archive.lastIndexOf(Buffer.from([0x50, 0x4b, 1, 2]));
const contentsAt = 30 + archive.readUInt16LE(26) + archive.readUInt16LE(28);

/** How often the directory was read, and how often inflating began. */
const counted = (): { directory: number; inflated: number } => ({
  directory: opens.filter((reads) => reads.some(([position, length]) => position + length > directoryAt)).length,
  inflated: opens.filter((reads) => reads.some(([position]) => position === contentsAt)).length,
});

const folder = temporaryFolder();
/** What is done with a file, and how often its contents are opened: columns need the first line before the rows. */
const uses: readonly [string, (file: BulkFile, path: string) => Promise<unknown>, inflated: number][] = [
  ["frame()", (file) => file.frame(), 2],
  ["toParquet()", (file, path) => file.toParquet(path), 2],
  ["toArrow()", (file, path) => file.toArrow(path), 2],
  ["toCSV()", (file, path) => file.toCSV(path), 1],
];

let server: FaultServer;
beforeAll(async () => {
  server = await faultServer();
});
afterAll(async () => {
  await server.close();
});
beforeEach(() => {
  mkdirSync(join(folder, "out"));
  opens.length = 0;
});
afterEach(() => {
  server.reset();
  rmSync(join(folder, "out"), { recursive: true, force: true });
});

describe("an archive's directory is read once, its contents once, and once more for their first line", () => {
  it.each(uses)("an export, by %s", async (_, use, inflated) => {
    server.on("/api/v3/datatables/V/T/metadata.json", metadata);
    const file = { link: `${server.url}/file.zip`, status: "fresh", data_snapshot_time: "2024-02-29 12:00:00 UTC" };
    const datatable = { last_refreshed_time: "2024-02-29 12:00:00 UTC" };
    server.on("/api/v3/datatables/V/T.json", {
      headers: json,
      body: JSON.stringify({ datatable_bulk_download: { file, datatable } }),
    });
    server.on("/file.zip", { headers: { "content-type": "application/zip" }, body: archive });
    const service = connect({ url: server.url, apiKey: "k" });
    await use(service.table("V/T").export(), join(folder, "out", "file"));
    expect(counted()).toEqual({ directory: 1, inflated });
  });

  it.each(uses)("a local file whose first line decides its columns, by %s", async (_, use, inflated) => {
    const path = join(folder, "out", "local.zip");
    const rows = csvOf(3_000)
      .split("\n")
      .slice(1)
      .map((line) => line.split(",").slice(0, 2).join(","));
    const database = `Code,Date,Close\n${rows.flatMap((row, i) => (row === "" ? [] : [`${row},${i}`])).join("\n")}\n`;
    const bytes = archiveOf(database);
    writeFileSync(path, bytes);
    const at = bytes.lastIndexOf(Buffer.from([0x50, 0x4b, 1, 2]));
    await use(bulkFile(path), join(folder, "out", "file"));
    const directory = opens.filter((reads) => reads.some(([position, length]) => position + length > at)).length;
    expect({ directory, inflated: counted().inflated }).toEqual({ directory: 1, inflated });
  });

  it("a local file with declared columns", async () => {
    const path = join(folder, "out", "local.zip");
    writeFileSync(path, archive);
    expect((await bulkFile(path, { columns }).frame()).numRows).toBe(3_000);
    expect(counted()).toEqual({ directory: 1, inflated: 1 });
  });
});
