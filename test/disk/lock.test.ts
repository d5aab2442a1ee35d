import { spawnSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { startOf } from "../../src/disk/abandoned.js";
import { acquire, type Holder, locked } from "../../src/disk/lock.js";
import { temporaryFolder } from "../support/temporary-folder.js";

let folder = "";
let path = "";
beforeEach(() => {
  folder = temporaryFolder("l");
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

  it("of a process that runs is never taken over, however long it has been busy", async () => {
    const long = new Date(Date.now() - 3 * 24 * 60 * 60 * 1000);
    held({});
    utimesSync(path, long, long);
    await expect(acquire(path, "q", refuse)).rejects.toThrow(`held by ${process.ppid}`);
    rmSync(path);
    const lock = await acquire(path, "q", refuse);
    utimesSync(path, long, long);
    await expect(acquire(path, "q", refuse)).rejects.toThrow(`held by ${process.pid}`);
    await lock.release();
  });

  it("of a process whose number another one has now is taken over", async () => {
    held({ started: `${startOf(process.ppid)}0` });
    if (startOf(process.ppid) === "") return;
    await (await acquire(path, "q", refuse)).release();
  });

  it("of another machine is taken over after a minute without a beat", async () => {
    held({ host: "elsewhere" });
    await expect(acquire(path, "q", refuse)).rejects.toThrow("held by");
    const minutes = new Date(Date.now() - 61_000);
    utimesSync(path, minutes, minutes);
    await (await acquire(path, "q", refuse)).release();
  });

  it("is respected by a second copy of this package", async () => {
    vi.resetModules();
    const other: typeof import("../../src/disk/lock.js") = await import("../../src/disk/lock.js");
    expect(other.acquire).not.toBe(acquire);
    const lock = await acquire(path, "q", refuse);
    await expect(other.acquire(path, "q", refuse)).rejects.toThrow(`held by ${process.pid}`);
    await lock.release();
    const theirs = await other.acquire(path, "q", refuse);
    await expect(acquire(path, "q", refuse)).rejects.toThrow(`held by ${process.pid}`);
    await theirs.release();
  });

  it.each([
    ["a dangling link", () => symlinkSync(join(folder, "nothing"), path)],
    ["a link to itself", () => symlinkSync(path, path)],
    ["a link to a file", () => symlinkSync(import.meta.filename, path)],
    ["a pipe", () => expect(spawnSync("sh", ["-c", 'mkfifo "$0"', path]).status).toBe(0)],
    ["a folder", () => mkdirSync(path)],
  ])("that is %s is left alone, and the work runs without one", async (_, make) => {
    make();
    const before = lstatSync(path, { bigint: true }).ctimeNs;
    expect(await locked(path, "q", undefined, async () => "done")).toBe("done");
    expect(lstatSync(path, { bigint: true }).ctimeNs).toBe(before);
    expect(readdirSync(folder)).toEqual(["a.lock"]);
  });

  it("passes what its holder leaves to those that wait, and to no later one", async () => {
    const lock = await acquire(path, "q", refuse);
    const again = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    const waiting = Array.from({ length: 3 }, async () => {
      const next = await acquire(path, "q", again);
      await next.release(next.left);
      return next.left;
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
    await lock.release({ size: 5 });
    expect(await Promise.all(waiting)).toEqual([{ size: 5 }, { size: 5 }, { size: 5 }]);
    const later = await acquire(path, "q", refuse);
    expect(later.left).toBeUndefined();
    await later.release();
  });

  it.each(["a lock", "a takeover"])("stops waiting for %s at once when the signal is aborted", async (what) => {
    held(what === "a lock" ? {} : { pid: ended });
    const running = readFileSync(path, "utf8").replace(`${ended}`, `${process.ppid}`);
    if (what === "a takeover") writeFileSync(`${path}.takeover`, running);
    const stop = new AbortController();
    const waiting = locked(path, "q", stop.signal, async () => "done");
    setTimeout(() => stop.abort(new Error("enough")), 50);
    await expect(waiting).rejects.toThrow("enough");
  });

  it("stops waiting when the signal is aborted", async () => {
    held({});
    const stop = new AbortController();
    const waiting = locked(path, "q", stop.signal, async () => "done");
    stop.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
  });
});
