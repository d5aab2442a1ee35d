import { describe, expect, it } from "vitest";
import { defineProfile, specification } from "../../src/spec/profile.js";
import { json } from "./bulk-fixtures.js";
import type { Answer } from "./fault-server.js";
import { csvMetadata, fails, failure, good, rows, server, service, T, withoutAnswers } from "./request-service.js";

withoutAnswers();

describe("paging", () => {
  const of = (data: unknown[][], cursor: unknown, columns = ["a"]): Answer => ({
    headers: json,
    body: JSON.stringify({
      datatable: { data, columns: columns.map((name) => ({ name, type: "Integer" })) },
      meta: { next_cursor_id: cursor },
    }),
  });

  it("all pages arrive, each asked for with the cursor before it", async () => {
    server.on("/api/v3/datatables/V/T/metadata", csvMetadata);
    server.on(T, of([[1], [2]], "c1"), of([], "c2"), of([[3]], null));
    expect(await rows()).toBe(3);
    expect(server.seen.filter(({ path }) => path === T).map(({ query }) => query.get("qopts.cursor_id"))).toEqual([
      null,
      "c1",
      "c2",
    ]);
  });

  it("row 23: a cursor that comes again is a loop", async () => {
    server.on(T, of([[1]], "c1"), of([[2]], "c2"), of([[3]], "c1"));
    expect(await fails()).toMatchObject({ name: "DataError", code: "CursorLoop" });
  });

  it("row 23: a page that comes again is a loop", async () => {
    server.on(T, of([[1]], "c1"), of([[1]], "c2"));
    expect(await fails()).toMatchObject({ code: "CursorLoop", message: expect.stringContaining("page 2") });
  });

  it("row 23: empty pages that do not end are a loop", async () => {
    let n = 0;
    server.on(T, () => of([], `c${n++}`) as never);
    expect(await fails()).toMatchObject({ code: "CursorLoop", message: expect.stringContaining("empty") });
  });

  it("row 23: a cursor that is not text, or blank, is refused before another request", async () => {
    for (const cursor of [7, "", " ", {}]) {
      server.reset();
      server.on(T, of([[1]], cursor), of([[2]], null));
      expect(await fails()).toMatchObject({ name: "DataError" });
      expect(server.count(T)).toBe(1);
    }
  });

  it("row 23: an expired cursor is an error, never a mix or a part", async () => {
    server.on(T, of([[1]], "c1"), failure(400, "QESx06", "invalid cursor"));
    expect(await fails()).toMatchObject({ code: "QESx06", hint: expect.stringContaining("start again") });
  });

  it("row 23: more pages than allowed is an error of its own", async () => {
    let n = 0;
    server.on(T, () => of([[n]], `c${n++}`) as never);
    expect(await fails({ limits: { pages: 3 } })).toMatchObject({ code: "TooManyPages" });
    expect(server.count(T)).toBeLessThanOrEqual(4);
  });

  it("row 24, 41: columns that change between pages are an error", async () => {
    server.on(T, of([[1]], "c1"), of([[2]], null, ["b"]));
    expect(await fails()).toMatchObject({ code: "ColumnsChanged" });
  });

  it("a bad row of a later page is named by its place in the table and by its page", async () => {
    server.on(T, of([[1], [2]], "c1"), of([[3]], "c2"), of([[4], [5, 6]], null));
    const ragged = await fails();
    expect(ragged).toMatchObject({ code: "LongRow", row: 4 });
    expect(ragged.message).toMatch(/^Row 4 has 2 cells.*; row 1 of page 3 of V\/T\.$/);
    server.on(T, of([[1], [2]], "c1"), of([["x"]], null));
    const bad = await fails();
    expect(bad).toMatchObject({ name: "DataError", code: "BadCell", row: 2, column: "a", value: "x" });
    expect(bad.message).toMatch(/^Row 2, column "a".*; row 0 of page 2 of V\/T\.$/);
    server.on(T, of([["x"]], null));
    expect((await fails()).message).not.toContain("page");
    server.on(T, of([[1], [2]], "c1"), of([["x"]], null));
    const reports: unknown[] = [];
    await service()
      .table("V/T")
      .frame({ onBadCell: "null", onReport: (report) => reports.push(report) });
    expect(reports).toMatchObject([{ column: "a", count: 1, examples: [{ row: 2, value: "x" }] }]);
    server.on(`${T.slice(0, -5)}/metadata.json`, csvMetadata);
    const lines = { "content-type": "text/csv" };
    server.on(
      T.replace("json", "csv"),
      { headers: { ...lines, Cursor_ID: "c1" }, body: "ticker,date,close\nA,2020-01-02,1\n" },
      { headers: { ...lines, Cursor_ID: "" }, body: "ticker,date,close\nA,2020-01-03,1\nA,2020-01-04\n" },
    );
    const short = await service()
      .table("V/T")
      .format("csv")
      .frame()
      .catch((error) => error);
    expect(short).toMatchObject({ code: "ShortRow", row: 2 });
    expect(short.message).toMatch(/^Row 2 .*; row 1 of page 2 of V\/T\.$/);
  });

  it("a frame has the key and the refresh time of the metadata, which is requested once", async () => {
    const { datatable } = JSON.parse((csvMetadata as { body: string }).body);
    const status = { ...datatable.status, refreshed_at: "2025-01-02T06:00:00Z" };
    const about = "/api/v3/datatables/V/T/metadata.json";
    server.on(about, { headers: json, body: JSON.stringify({ datatable: { ...datatable, status } }) });
    server.on(T, good);
    const plain = service().table("V/T");
    const first = await plain.frame();
    expect([first.key, first.source?.refreshed_at]).toEqual([datatable.primary_key, "2025-01-02T06:00:00Z"]);
    expect(server.count(about)).toBe(1);
    expect((await plain.where({ ticker: "AAA" }).frame()).source?.refreshed_at).toBe("2025-01-02T06:00:00Z");
    expect((await plain.frame()).source?.refreshed_at).toBe("2025-01-02T06:00:00Z");
    expect((await plain.page()).frame.source?.refreshed_at).toBe("2025-01-02T06:00:00Z");
    expect(server.count(about)).toBe(1);
    const asked = service().table("V/T");
    await asked.metadata();
    expect((await asked.frame()).source?.refreshed_at).toBe("2025-01-02T06:00:00Z");
    server.on(T, of([[1]], "c1"), of([[2]], null));
    expect((await service().table("V/T").frame()).source?.refreshed_at).toBe("2025-01-02T06:00:00Z");
  });

  it("row 24: a refresh between the pages starts the reading again", async () => {
    const at = (refreshed_at: string): Answer => ({
      headers: json,
      body: JSON.stringify({
        datatable: {
          ...JSON.parse((csvMetadata as { body: string }).body).datatable,
          status: { refreshed_at, status: null, expected_at: null, update_frequency: null },
        },
      }),
    });
    server.on("/api/v3/datatables/V/T/metadata", at("2024-01-01T00:00:00Z"), at("2024-01-01T01:00:00Z"));
    server.on(T, of([[1]], "c1"), of([[2]], null), of([[3]], "c2"), of([[4], [5]], null));
    const said: string[] = [];
    expect(await rows({ warn: (message) => said.push(message) })).toBe(3);
    expect(said).toEqual([expect.stringContaining("the reading starts again")]);
  });

  it("row 25: exactly 10,000 rows without a cursor member bring a warning and an incomplete frame", async () => {
    const csv = `ticker,date,close\n${"AAA,2024-02-29,1.25\n".repeat(10_000)}`;
    server.on("/api/v3/datatables/V/T/metadata", csvMetadata);
    server.on("/api/v3/datatables/V/T.csv", { body: csv });
    const said: string[] = [];
    const frame = await service({ warn: (message) => said.push(message) })
      .table("V/T")
      .format("csv")
      .frame();
    expect(frame.numRows).toBe(10_000);
    expect(frame.source?.complete).toBe(false);
    expect(said).toEqual([expect.stringMatching(/10000 rows.*export/)]);
  });

  it.each([
    { most: 5, pageSize: undefined, rows: 5, complete: false },
    { most: 5, pageSize: undefined, rows: 4, complete: true },
    { most: 5, pageSize: 20, rows: 5, complete: false },
    { most: 5, pageSize: 3, rows: 3, complete: false },
    { most: 20_000, pageSize: undefined, rows: 10_000, complete: true },
  ])(
    "row 25: without a cursor member a page is full at the profile's limit: $most, page size $pageSize, $rows rows",
    async ({ most, pageSize, rows: count, complete }) => {
      const csv = `ticker,date,close\n${"AAA,2024-02-29,1.25\n".repeat(count)}`;
      server.on("/api/v3/datatables/V/T/metadata", csvMetadata);
      server.on("/api/v3/datatables/V/T.csv", { body: csv });
      const said: string[] = [];
      const profile = defineProfile(specification, { maxRowsPerReply: most });
      const table = service({ profile, warn: (message) => said.push(message) }).table("V/T");
      const query = (pageSize === undefined ? table : table.pageSize(pageSize)).format("csv");
      const frame = await query.frame();
      expect(frame.numRows).toBe(count);
      expect(frame.source?.complete).toBe(complete);
      expect(said).toHaveLength(complete ? 0 : 1);
    },
  );

  it("an abandoned iteration stops the request under way", async () => {
    server.on(T, of([[1]], "c1"), { stallAt: -1 });
    for await (const batch of service().table("V/T").batches()) {
      expect(batch.numRows).toBe(1);
      while (server.count(T) < 2) await new Promise((resolve) => setTimeout(resolve, 5));
      break;
    }
  });
});
