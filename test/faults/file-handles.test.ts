import { join } from "node:path";
import { beforeEach, expect, it, vi } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.js";

/** File handles that the code under test has opened, and the call that fails next. */
const disk = vi.hoisted(() => ({ opened: [] as { readonly fd: number }[], failing: "" }));

vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof import("node:fs/promises")>();
  const full = (): Promise<never> =>
    Promise.reject(Object.assign(new Error("no space left on device"), { code: "ENOSPC", syscall: "write" }));
  return {
    ...real,
    async open(...request: Parameters<typeof real.open>) {
      if (disk.failing === "open" && disk.opened.length > 0) return full();
      const handle = await real.open(...request);
      disk.opened.push(handle);
      if (disk.failing === "handle.writeFile") handle.writeFile = full;
      if (disk.failing === "handle.sync") handle.sync = full;
      return handle;
    },
    writeFile: (...request: Parameters<typeof real.writeFile>) =>
      disk.failing === "writeFile" ? full() : real.writeFile(...request),
    rename: (...request: Parameters<typeof real.rename>) =>
      disk.failing === "rename" ? full() : real.rename(...request),
  };
});

const { openPartial, commit } = await import("../../src/client/bulk/partial-file.js");
const { locked } = await import("../../src/disk/lock.js");

const folder = temporaryFolder("handles");
beforeEach(() => {
  disk.opened.length = 0;
  disk.failing = "";
});

const allClosed = () => {
  expect(disk.opened.length).toBeGreaterThan(0);
  expect(disk.opened.map(({ fd }) => fd)).toEqual(disk.opened.map(() => -1));
};

it.each(["writeFile", "rename"])("row 48: a partial file whose note fails in %s is closed", async (call) => {
  disk.failing = call;
  await expect(openPartial(join(folder, call), "q")).rejects.toMatchObject({ code: "DiskFull" });
  allClosed();
});

it("row 48: a partial file that cannot start again, or be synced, is closed", async () => {
  const part = await openPartial(join(folder, "again"), "q");
  await part.append(new Uint8Array(9));
  disk.failing = "open";
  await expect(part.restart({ identity: "q" })).rejects.toThrow();
  await part.discard();
  allClosed();
  disk.failing = "handle.sync";
  disk.opened.length = 0;
  const other = await openPartial(join(folder, "sync"), "q");
  await other.append(new Uint8Array(9));
  await expect(other.finish()).rejects.toThrow();
  await other.leave();
  await commit(other.path, join(folder, "synced"));
  allClosed();
});

it("row 48: a lock that cannot be written is closed and does not stay", async () => {
  const path = join(folder, "lock");
  disk.failing = "handle.writeFile";
  expect(await locked(path, "q", undefined, async () => "done")).toBe("done");
  allClosed();
  disk.failing = "";
  expect(await locked(path, "q", AbortSignal.timeout(60_000), async () => "done")).toBe("done");
});
