import { afterEach, describe, expect, it, vi } from "vitest";
import type { Progress } from "../../src/columns/io/progress.js";
import { zipBytes } from "../zip/archive.js";
import { EXPORT, exportAnswer, FILE, METADATA, metadata, serviceOf } from "./bulk-fixtures.js";
import { exported, fails, server, strong, withOneExport, zip } from "./bulk-service.js";
import { ranged, type Step } from "./fault-server.js";

withOneExport();

describe("the export conversation", () => {
  afterEach(() => void vi.useRealTimers());

  it("row 20: an export that is never made ends at its deadline, saying its state", async () => {
    const creating = exportAnswer(server, "creating", { path: null }) as Step;
    vi.useFakeTimers({ toFake: ["performance"] });
    server.on(EXPORT, () => {
      vi.advanceTimersByTime(100);
      return creating;
    });
    expect(await fails(exported({ timeouts: { export: 400 } }).ready())).toMatchObject({
      name: "ServiceError",
      code: "ExportPending",
      value: "creating",
    });
    expect(server.count(EXPORT)).toBe(4);
  });

  it("row 20, 11: so does one whose file is read, and a service that fails is asked as often as retry says", async () => {
    const creating = exportAnswer(server, "creating", { path: null }) as Step;
    vi.useFakeTimers({ toFake: ["performance"] });
    server.on(EXPORT, () => {
      vi.advanceTimersByTime(100);
      return creating;
    });
    expect(await fails(exported({ timeouts: { export: 400 } }).frame())).toMatchObject({ code: "ExportPending" });
    expect(server.count(EXPORT)).toBe(4);
    server.on(EXPORT, { status: 503, body: "busy" });
    expect((await fails(exported().frame())).message).toMatch(/^(?!.*tried.*tried).*tried 4 times/);
    expect(server.count(EXPORT)).toBe(8);
  });

  it("row 20: the pauses grow, and an abort ends them at once", async () => {
    server.on(EXPORT, exportAnswer(server, "creating", { path: null }));
    const pauses: (number | undefined)[] = [];
    const stop = new AbortController();
    const onProgress = (event: Progress): void => {
      pauses.push(event.pause);
      if (pauses.length === 4) setTimeout(() => stop.abort(new Error("enough")), 1);
    };
    const file = exported({ onProgress, timeouts: { export: 60_000 } });
    await expect(file.ready({ signal: stop.signal })).rejects.toThrow("enough");
    expect(pauses.slice(0, 4)).toEqual([5, 10, 20, 20]);
  });

  it("row 21: regenerating: the older file at once, or the newer one when it is there", async () => {
    const old = { snapshot: "2024-02-01 00:00:00 UTC" };
    server.on(FILE, ranged(zip, strong));
    server.on(EXPORT, exportAnswer(server, "regenerating", old));
    expect(await exported({}, { stale: "use" }).ready()).toMatchObject({
      status: "regenerating",
      ready: true,
      data_snapshot_time: expect.stringContaining("2024-02-01"),
    });
    server.reset();
    server.on(METADATA, metadata);
    server.on(
      EXPORT,
      exportAnswer(server, "regenerating", old),
      exportAnswer(server, "regenerating", old),
      exportAnswer(server),
    );
    expect(await exported({}, { stale: "wait" }).ready()).toMatchObject({ status: "fresh" });
    expect(server.count(EXPORT)).toBe(3);
  });

  it("row 21: a file made after the refresh that was asked for is new enough, though a newer one is being made", async () => {
    server.on(
      EXPORT,
      exportAnswer(server, "creating", { path: null }),
      exportAnswer(server, "regenerating", {
        snapshot: "2024-03-01 00:00:00 UTC",
        refreshed: "2024-03-05 00:00:00 UTC",
      }),
    );
    expect(await exported({}, { stale: "wait" }).ready()).toMatchObject({ status: "regenerating", ready: true });
  });

  it("row 22: fresh without a link and creating with one are not ready; states may go back", async () => {
    server.on(
      EXPORT,
      exportAnswer(server, "fresh", { path: null }),
      exportAnswer(server, "creating"),
      exportAnswer(server, "regenerating", { path: null }),
      exportAnswer(server, "creating", { path: null }),
      exportAnswer(server),
    );
    expect(await exported().ready()).toMatchObject({ status: "fresh", ready: true });
    expect(server.count(EXPORT)).toBe(5);
  });

  it("row 22: an unknown state is an error that names it", async () => {
    server.on(EXPORT, exportAnswer(server, "brewing"));
    expect(await fails(exported().status())).toMatchObject({
      name: "DataError",
      code: "UnknownStatus",
      value: "brewing",
    });
  });

  it("row 14: the hourly limit is counted before asking; looks at one export are one", async () => {
    const service = serviceOf(server, { limits: { exportsPerHour: 2 } });
    const file = service.table("V/T").export();
    for (let i = 0; i < 5; i++) await file.status();
    await service.table("V/T").export().status();
    const asked = server.count(EXPORT);
    expect(await fails(service.table("V/T").export().status())).toMatchObject({
      code: "ExportLimit",
      message: expect.stringMatching(/2 exports.*60 minutes/),
      retry: { retryable: false },
    });
    expect(server.count(EXPORT)).toBe(asked);
  });

  it("filters and columns go with the question, checked by name first", async () => {
    server.on(FILE, ranged(zipBytes([{ name: "T.csv", data: "close,ticker\n1.2500,AAA\n" }]), strong));
    const query = serviceOf(server)
      .table("V/T")
      .where({ ticker: "AAA", date: { gte: "2024-01-01" } })
      .select("close", "ticker");
    const frame = await query.export().frame();
    expect(frame.columns.map(({ name }) => name)).toEqual(["close", "ticker"]);
    const { query: asked } = server.seen.find(({ path }) => path === EXPORT)!;
    expect(Object.fromEntries(asked)).toMatchObject({
      ticker: "AAA",
      "date.gte": "2024-01-01",
      "qopts.columns": "close,ticker",
      "qopts.export": "true",
    });
    const asks = server.count(EXPORT);
    expect(await fails(serviceOf(server).table("V/T").select("clsoe").export().status())).toMatchObject({
      code: "UnknownColumn",
    });
    expect(server.count(EXPORT)).toBe(asks);
  });
});
