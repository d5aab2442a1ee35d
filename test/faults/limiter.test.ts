import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { countExport } from "../../src/client/bulk/export-source.js";
import { type Clock, Limiter } from "../../src/client/transport/limiter.js";
import { settingsOf } from "../../src/client/transport/settings.js";
import { ServiceError } from "../../src/errors/errors.js";
import { retryBudget } from "../../src/transport/retry.js";
import { temporaryFolder } from "../support/temporary-folder.js";

/** A clock that only moves when somebody sleeps. */
const fakeClock = (): Clock & { time: number } => {
  const clock = {
    time: 0,
    now: () => clock.time,
    async sleep(ms: number, signal?: AbortSignal) {
      signal?.throwIfAborted();
      await Promise.resolve();
      clock.time += ms;
    },
  };
  return clock;
};

describe("limits", () => {
  it("no more requests are under way than allowed, first come first served", async () => {
    const gate = new Limiter(2, [], fakeClock());
    const order: number[] = [];
    let busy = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 10 }, async (_, i) => {
        const leave = await gate.enter();
        most = Math.max(most, ++busy);
        order.push(i);
        await new Promise((resolve) => setTimeout(resolve, 1));
        busy--;
        leave();
        leave();
      }),
    );
    expect(most).toBe(2);
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it("every window holds", async () => {
    const clock = fakeClock();
    const windows = [
      { requests: 3, perMs: 100 },
      { requests: 5, perMs: 1_000 },
    ];
    const gate = new Limiter(1, windows, clock);
    const starts: number[] = [];
    for (let i = 0; i < 12; i++) {
      const leave = await gate.enter();
      starts.push(clock.time);
      leave();
    }
    for (const { requests, perMs } of windows) {
      for (let i = requests; i < starts.length; i++)
        expect(starts[i] - starts[i - requests]).toBeGreaterThanOrEqual(perMs);
    }
    expect(starts.at(-1)).toBeLessThanOrEqual(2_200);
  });

  it("row 13: too many without a time cuts the pace to 0.7, and it recovers slowly", async () => {
    const clock = fakeClock();
    const gate = new Limiter(1, [], clock);
    const gap = async (): Promise<number> => {
      const before = clock.time;
      (await gate.enter())();
      return clock.time - before;
    };
    await gap();
    expect(await gap()).toBe(0);
    gate.slowDown();
    await gap();
    const first = await gap();
    gate.slowDown();
    expect(await gap()).toBeCloseTo(first / 0.7);
    for (let i = 0; i < 10; i++) gate.succeeded();
    const later = await gap();
    expect(later).toBeLessThan(first);
    for (let i = 0; i < 100; i++) gate.succeeded();
    expect(await gap()).toBe(0);
  });

  it("row 12: a pause that the service requires holds for all calls, and fails at once where it is too long", async () => {
    const clock = fakeClock();
    const gate = new Limiter(4, [], clock);
    gate.slowDown(5_000);
    await expect(gate.enter(undefined, 1_000)).rejects.toMatchObject({ code: "RateLimited", retry: { after: 5_000 } });
    (await gate.enter(undefined, 10_000))();
    expect(clock.time).toBe(5_000);
  });

  it("row 12: a pause that is too long also ends the calls that wait for a slot", async () => {
    const clock = fakeClock();
    const gate = new Limiter(1, [], clock);
    const leave = await gate.enter();
    const waiting = [gate.enter(undefined, 1_000), gate.enter(undefined, 1_000), gate.enter(undefined, 9_000)];
    gate.slowDown(5_000);
    leave();
    for (const call of waiting.slice(0, 2)) {
      await expect(call).rejects.toMatchObject({ code: "RateLimited", retry: { after: 5_000 } });
    }
    (await waiting[2])();
    expect(clock.time).toBe(5_000);
    (await gate.enter())();
  });

  it("an aborted caller leaves the queue", async () => {
    const gate = new Limiter(1, [], fakeClock());
    const leave = await gate.enter();
    const stop = new AbortController();
    const waiting = gate.enter(stop.signal);
    const next = gate.enter();
    stop.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    leave();
    (await next)();
    (await gate.enter())();
  });
});

describe("the retry budget", () => {
  const retry = { attempts: 5, pause: 500, maxPause: 30_000, budget: 300_000 };
  const failure = (after?: number) =>
    new ServiceError("no", { code: "X", retry: { retryable: true, ...(after === undefined ? {} : { after }) } });

  it("row 11: pauses are random parts of a doubling span, up to the longest", () => {
    const budget = retryBudget({ ...retry, attempts: 10 }, () => 0.5);
    expect(Array.from({ length: 9 }, () => budget.pauseFor(failure()))).toEqual([
      250, 500, 1000, 2000, 4000, 8000, 15000, 15000, 15000,
    ]);
    expect(() => budget.pauseFor(failure())).toThrow(/tried 10 times/);
  });

  it("row 12: a longer pause that was asked for is kept in full", () => {
    const budget = retryBudget(retry, () => 0);
    expect(budget.pauseFor(failure(7_000))).toBe(7_000);
    expect(() => budget.pauseFor(failure(3_600_000))).toThrow(
      expect.objectContaining({ hint: expect.stringContaining("60 minutes") }),
    );
  });

  it("progress refills it", () => {
    const budget = retryBudget({ ...retry, attempts: 2 }, () => 0);
    for (let i = 0; i < 10; i++) {
      budget.pauseFor(failure());
      budget.refill();
    }
    budget.pauseFor(failure());
    expect(() => budget.pauseFor(failure())).toThrow();
  });

  it("attempts counts requests, the first included", () => {
    const budget = retryBudget({ ...retry, attempts: 3 }, () => 0);
    budget.pauseFor(failure());
    budget.pauseFor(failure());
    expect(() => budget.pauseFor(failure())).toThrow(/tried 3 times/);
    for (const attempts of [0, 1]) {
      const error = failure();
      expect(() => retryBudget({ ...retry, attempts }).pauseFor(error)).toThrow(error);
    }
  });

  it("what cannot pass is thrown as it is", () => {
    const error = new ServiceError("no", { code: "X", retry: { retryable: false } });
    expect(() => retryBudget(retry).pauseFor(error)).toThrow(error);
    const bug = new RangeError("bug");
    expect(() => retryBudget(retry).pauseFor(bug)).toThrow(bug);
  });
});

describe("row 14: exports an hour", () => {
  let folder = "";
  beforeEach(() => {
    folder = temporaryFolder("state");
    process.env.ARROWBOOK_STATE = folder;
  });
  afterEach(() => {
    delete process.env.ARROWBOOK_STATE;
    vi.resetModules();
  });
  const settings = (apiKey: string) =>
    settingsOf({ url: "https://data.example.com", apiKey, limits: { exportsPerHour: 3 } });
  const HOUR = 3_600_000;

  it("are counted across processes, per key, and forgotten after an hour", async () => {
    const now = 1_700_000_000_000;
    const account = settings("first-key-12345678");
    for (let i = 0; i < 3; i++) await countExport(account, now + i);
    vi.resetModules(); // another process shares only the file
    const other = await import("../../src/client/bulk/export-source.js");
    await expect(other.countExport(account, now + 10)).rejects.toMatchObject({
      code: "ExportLimit",
      retry: { after: HOUR - 10 },
    });
    await other.countExport(settings("second-key-12345678"), now + 10);
    await other.countExport(account, now + HOUR + 1);
    const files = readdirSync(folder);
    expect(files).toHaveLength(2);
    expect(files.map((name) => name + readFileSync(join(folder, name), "utf8")).join()).not.toContain("key");
  });

  it("row 47: a folder that cannot be written costs only the count across processes", async () => {
    process.env.ARROWBOOK_STATE = join(folder, "file", "nowhere");
    writeFileSync(join(folder, "file"), "");
    const account = settings("third-key-12345678");
    for (let i = 0; i < 3; i++) await countExport(account, 5_000 + i);
    await expect(countExport(account, 6_000)).rejects.toMatchObject({ code: "ExportLimit" });
  });
});
