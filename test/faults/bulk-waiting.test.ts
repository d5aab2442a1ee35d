import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { bulkFile } from "../../src/client/bulk/local-bulk-file.js";
import { Frame } from "../../src/frame/frame.js";
import { forAllAsync } from "../support/for-all.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { runs } from "../support/whole.js";
import { archiveOf, columns, EXPORT, exportAnswer, METADATA, metadata, serviceOf } from "./bulk-fixtures.js";
import { type Answer, faultServer, ranged, type Step } from "./fault-server.js";

/* A call that waits for a download in progress has the file that it would have got alone, or a newer one. */
const server = await faultServer();
afterAll(async () => {
  await server.close();
});

/** The service: the last refresh of the table, and the version of its file. */
let refreshed = 1;
let made = 1;
/** Requests for the state after which a newer file is ready. */
let polls = 0;
let delay = 0;
let folder = "";
const second = (version: number, at: number) => `2024-03-01 00:${String(version).padStart(2, "0")}:0${at} UTC`;
const zipOf = (version: number) => archiveOf(`ticker,date,close\nV${version},2024-02-29,1.2500\n`);

type Request = (typeof server.seen)[number];
const played = (request: Request, answer: Answer): Step => (typeof answer === "function" ? answer(request) : answer);

beforeEach(() => {
  server.reset();
  folder = temporaryFolder("w");
  [refreshed, made, polls, delay] = [1, 1, 0, 0];
  server.on(METADATA, metadata);
  server.on(EXPORT, (request) => {
    if (made < refreshed && polls-- <= 0) made = refreshed;
    const status = made < refreshed ? "regenerating" : "fresh";
    const times = { snapshot: second(made, 5), refreshed: second(refreshed, 0) };
    return played(request, exportAnswer(server, status, { path: `/files/T-${made}.zip`, ...times }));
  });
  server.on("/files/", (request) => {
    const version = Number(/\d+/.exec(request.path)?.[0]);
    return played(request, ranged(zipOf(version), { etag: `"${version}"` }, { delay }));
  });
});
const refresh = (after: number): void => {
  refreshed++;
  polls = after;
};

const requested = (path: string, times: number): Promise<unknown> =>
  vi.waitFor(() => expect(server.count(path)).toBe(times), { timeout: 20_000, interval: 5 });

type Stale = "use" | "wait";
type Kind = "frame" | "zip" | "arrow";
/** The version that a call got. */
async function versionOf(kind: Kind, stale: Stale, signal?: AbortSignal): Promise<number> {
  const service = serviceOf(server, kind === "frame" ? { cache: folder } : {});
  const file = service.table("V/T").export({ stale, poll: { first: 1, longest: 4 } });
  const path = join(folder, `T.${kind}`);
  const frame =
    kind === "frame"
      ? await file.frame({ signal })
      : kind === "zip"
        ? await file.saveZip(path, { signal }).then(() => bulkFile(path, { columns }).frame())
        : await file.toArrow(path, { signal }).then(() => Frame.fromArrow(path));
  return Number(String(frame.column("ticker").toStrings()[0]).slice(1));
}

describe("a call that waits for a download in progress", () => {
  it.each<Kind>(["frame", "zip", "arrow"])(
    "%s: has the newer file that it asks for, not the other's older one",
    async (kind) => {
      refresh(5);
      delay = 200;
      const first = versionOf(kind, "use");
      await requested("/files/", 1);
      expect(await Promise.all([first, versionOf(kind, "wait")])).toEqual([expect.any(Number), 2]);
    },
  );

  it.each<Kind>(["frame", "zip"])("%s: shares the file if it is the one it asks for", async (kind) => {
    delay = 100;
    expect(await Promise.all([1, 2, 3, 4].map(() => versionOf(kind, "wait")))).toEqual([1, 1, 1, 1]);
    expect(server.count("/files/")).toBe(1);
    expect(readdirSync(folder)).not.toContain("T.zip.json");
  });

  it.each<Kind>(["frame", "zip"])("%s: has the file of today if the first call is aborted", async (kind) => {
    expect(await versionOf(kind, "wait")).toBe(1);
    refresh(0);
    delay = 300;
    const stop = new AbortController();
    const first = versionOf(kind, "wait", stop.signal);
    first.catch(() => undefined);
    await requested("/files/", 2);
    const next = versionOf(kind, "wait");
    setTimeout(() => stop.abort(new Error("enough")), 50);
    await expect(first).rejects.toThrow("enough");
    expect(await next).toBe(2);
  });

  it.each<Kind>(["frame", "zip"])(
    "%s: has the file of today if the process of the first call is killed",
    async (kind) => {
      expect(await versionOf(kind, "wait")).toBe(1);
      refresh(0);
      const other = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
      await once(other, "spawn");
      const holder = { pid: other.pid, host: hostname(), purpose: "q", token: "t" };
      const name = readdirSync(folder).find((each) => each.endsWith(".zip"));
      writeFileSync(join(folder, `${name}.lock`), JSON.stringify(holder));
      const next = versionOf(kind, "wait");
      setTimeout(() => other.kill("SIGKILL"), 100);
      expect(await next).toBe(2);
    },
  );

  it("any calls of any kind, refreshes and aborts: none has a file older than alone", async () => {
    const call = fc.record({
      kind: fc.constantFrom<Kind>("frame", "zip"),
      stale: fc.constantFrom<Stale>("use", "wait"),
      after: fc.integer({ min: 0, max: 120 }),
      abortedAfter: fc.option(fc.integer({ min: 0, max: 150 }), { freq: 3 }),
    });
    const refreshes = fc.array(
      fc.record({ after: fc.integer({ min: 0, max: 150 }), polls: fc.integer({ min: 0, max: 6 }) }),
      {
        maxLength: 3,
      },
    );
    const history = fc.record({
      calls: fc.array(call, { minLength: 2, maxLength: 5 }),
      refreshes,
      delay: fc.integer({ max: 80, min: 0 }),
    });
    await forAllAsync(runs(25), history, async (run) => {
      folder = temporaryFolder("h");
      [refreshed, made, polls, delay] = [1, 1, 0, run.delay];
      const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
      const changes = run.refreshes.map(async ({ after, polls }) => {
        await pause(after);
        refresh(polls);
      });
      const calls = run.calls.map(async ({ kind, stale, after, abortedAfter }) => {
        await pause(after);
        const least = stale === "wait" ? refreshed : made;
        const signal = abortedAfter === null ? undefined : AbortSignal.timeout(abortedAfter);
        const version = await versionOf(kind, stale, signal).catch((error: unknown) => {
          if (!signal?.aborted) throw error;
          return undefined;
        });
        if (version !== undefined) expect(version).toBeGreaterThanOrEqual(least);
      });
      await Promise.all([...changes, ...calls]);
    });
  });
});

describe("a database's file", () => {
  const BULK = "/api/v3/databases/EOD/data";
  const archive = (version: number) => archiveOf(`Code,Date,Close\nV${version},2024-02-29,1.5\n`);
  const code = async (cache: string) =>
    (await serviceOf(server, { cache }).database("EOD").bulk().frame()).column("Code").toStrings()[0];

  it.each([
    ["an ETag", { etag: '"1"' }, { etag: '"2"' }],
    ["no validator", {}, {}],
  ])("with %s: the second call has the file that the service has now", async (_, one, two) => {
    server.on(BULK, { body: archive(1), headers: one, delay: 200 }, { body: archive(2), headers: two });
    const first = code(folder);
    await requested(BULK, 1);
    expect(await Promise.all([first, code(folder)])).toEqual(["V1", "V2"]);
  });
});
