import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { acquire, type Holder, locked } from "../../src/disk/lock.js";

const root = mkdtempSync(join(tmpdir(), "arrowbook-locks-"));
afterAll(() => rmSync(root, { recursive: true }));

let folder = "";
let path = "";
beforeEach(() => {
  folder = mkdtempSync(join(root, "l-"));
  path = join(folder, "a.lock");
});

const ended = Number(spawnSync(process.execPath, ["-e", "console.log(process.pid)"], { encoding: "utf8" }).stdout);
const held = (holder: Partial<Holder>): void =>
  writeFileSync(path, JSON.stringify({ pid: process.ppid, host: hostname(), purpose: "q", token: "t", ...holder }));
const refuse = ({ pid }: Holder): Promise<void> => Promise.reject(new Error(`held by ${pid}`));

describe("a lock", () => {
  it("names its owner while it is held, and leaves nothing", async () => {
    const lock = await acquire(path, "paging", refuse);
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ pid: process.pid, purpose: "paging" });
    expect(await lock.isHeld()).toBe(true);
    await lock.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it("of another process that runs is respected, also within one process", async () => {
    held({});
    await expect(acquire(path, "q", refuse)).rejects.toThrow(`held by ${process.ppid}`);
    rmSync(path);
    const lock = await acquire(path, "q", refuse);
    await expect(acquire(path, "q", refuse)).rejects.toThrow(`held by ${process.pid}`);
    await lock.release();
    await (await acquire(path, "q", refuse)).release();
  });

  it.each([
    ["a process that has ended", () => held({ pid: ended })],
    ["a process that had the number of this one", () => held({ pid: process.pid })],
    ["a process that was killed before it had written its name", () => writeFileSync(path, "")],
  ])("of %s is taken over", async (_, leave) => {
    leave();
    const lock = await acquire(path, "q", refuse);
    expect(await lock.isHeld()).toBe(true);
    await lock.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it("that is a folder stays where it is, and all continue without a lock", async () => {
    mkdirSync(path);
    // The time of the folder's own entry, which a rename changes.
    const { ctimeNs } = statSync(path, { bigint: true });
    const all = Array.from({ length: 20 }, async () => (await acquire(path, "q", refuse)).release());
    await Promise.all(all);
    expect(readdirSync(folder)).toEqual(["a.lock"]);
    expect(statSync(path, { bigint: true }).ctimeNs).toBe(ctimeNs);
  });

  it("that another process has taken over is neither held nor removed", async () => {
    const lock = await acquire(path, "q", refuse);
    held({ token: "another" });
    expect(await lock.isHeld()).toBe(false);
    await lock.release();
    expect(existsSync(path)).toBe(true);
  });

  it("runs one task at a time", async () => {
    let inside = 0;
    let most = 0;
    const task = async (): Promise<void> => {
      most = Math.max(most, ++inside);
      await new Promise((resolve) => setImmediate(resolve));
      inside--;
    };
    await Promise.all(Array.from({ length: 5 }, () => locked(path, "q", undefined, task)));
    expect(most).toBe(1);
  });

  it("passes from one to the next, many times at once, and is never held twice", async () => {
    let inside = 0;
    let most = 0;
    const again = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    const worker = async (): Promise<void> => {
      for (let i = 0; i < 40; i++) {
        // Others wait for no more than a turn of the event loop: releases and acquisitions meet.
        const lock = await acquire(path, "q", again);
        most = Math.max(most, ++inside);
        await again();
        inside--;
        await lock.release();
      }
    };
    await Promise.all(Array.from({ length: 8 }, worker));
    expect(most).toBe(1);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("stops waiting when the signal is aborted", async () => {
    held({});
    const stop = new AbortController();
    const waiting = locked(path, "q", stop.signal, async () => "done");
    stop.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
  });
});
