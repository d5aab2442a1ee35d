import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it, vi } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.js";
import { archiveOf, csvOf, EXPORT, exportAnswer, FILE, METADATA, metadata, serviceOf } from "./bulk-fixtures.js";
import { faultServer, ranged } from "./fault-server.js";

/** Bytes that fit on the disk from now on. */
const disk = vi.hoisted(() => ({ room: Number.POSITIVE_INFINITY }));

vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof import("node:fs/promises")>();
  const full = (): Error =>
    Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC", syscall: "write" });
  return {
    ...real,
    async open(...words: Parameters<typeof real.open>) {
      const handle = await real.open(...words);
      const write = handle.write.bind(handle) as (...given: unknown[]) => Promise<unknown>;
      return Object.assign(handle, {
        write: async (bytes: Uint8Array, ...rest: unknown[]) => {
          disk.room -= bytes.length;
          if (disk.room < 0) throw full();
          return write(bytes, ...rest);
        },
      });
    },
  };
});

const server = await faultServer();
const folder = temporaryFolder("disk");
afterAll(async () => {
  await server.close();
});

it("row 44: a disk that fills on the way: an error, no partial file, the old file unchanged", async () => {
  const zip = archiveOf(csvOf(20_000));
  server.on(METADATA, metadata);
  server.on(EXPORT, exportAnswer(server));
  server.on(FILE, ranged(zip, { etag: '"one"' }));
  const path = join(folder, "T.zip");
  writeFileSync(path, "old");
  disk.room = 80_000;
  await expect(serviceOf(server).table("V/T").export().saveZip(path)).rejects.toMatchObject({
    name: "FileError",
    code: "DiskFull",
    hint: expect.stringContaining("space"),
  });
  expect(readFileSync(path, "utf8")).toBe("old");
  expect(readdirSync(folder)).toEqual(["T.zip"]);
  expect(server.count(FILE)).toBe(1);
  disk.room = Number.POSITIVE_INFINITY;
  await serviceOf(server).table("V/T").export().saveZip(path);
  expect(readFileSync(path).equals(zip)).toBe(true);
});
