import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { cacheContents } from "../../src/client/cache/cache-contents.js";
import { rowsOf, rowsOfDates, rowsOfKey } from "../../src/client/pages/estimate.js";
import { connect } from "../../src/client/service.js";
import type { DatasetMetadata, TableMetadata } from "../../src/document/records.js";
import type { Plan } from "../../src/index.js";
import type { Filter } from "../../src/spec/endpoints.js";
import { started } from "../server/support.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const running = await started();
const today = new Date().toISOString().slice(0, 10);

/** A connection of its own, and the endpoints of its requests. */
function connection(cache?: string) {
  const requested: string[] = [];
  const service = connect({
    url: running.url,
    apiKey: "sample",
    ...(cache !== undefined && { cache }),
    fetch: (input, init) => {
      requested.push(new URL(String(input)).pathname);
      return fetch(input, init);
    },
  });
  return { service, requested };
}

const size = ({ rows, bytes }: Plan) => ({ rows, bytes });
const unknown = { rows: null, bytes: null };

describe("an earlier run", () => {
  it("of the same query states rows and bytes, until the next one", async () => {
    const { service, requested } = connection();
    const query = service.table("MARKET/PRICES").where({ ticker: "AAA" });
    expect(size(await query.explain())).toEqual(unknown);
    const { numRows } = await query.frame();
    const before = requested.length;
    const plan = await query.explain();
    expect(plan.rows).toEqual({ value: numRows, bound: "about", from: `an earlier run of ${today}` });
    expect(plan.bytes?.value).toBeGreaterThan(numRows * 20);
    expect(inspect(plan)).toMatch(
      new RegExp(`rows +about 6,522, from an earlier run of ${today}\\n +size +about .* kB, from`),
    );
    expect(requested).toHaveLength(before);
    expect(size(await query.where({ date: { gte: "2024-01-01" } }).explain())).toEqual(unknown);
    expect(size(await query.select("close").explain())).toEqual(unknown);
    expect((await query.pageSize(100).explain()).rows?.value).toBe(numRows);
  });

  it("is known to other connections with the same cache, which lists it", async () => {
    const cache = temporaryFolder();
    const query = (service: ReturnType<typeof connect>) => service.dataset("MARKET/AAA").column(4).limit(20);
    await query(connection(cache).service).frame();
    expect((await cacheContents(cache)).map(({ kind }) => kind)).toContain("runs");
    expect(readFileSync(join(cache, "arrowbook-runs.json"), "utf8")).not.toMatch(/AAA|sample|127/);
    const { service, requested } = connection(cache);
    expect((await query(service).explain()).rows).toMatchObject({ value: 20, bound: "about" });
    expect(requested).toEqual([]);
    const other = connect({ url: running.url, apiKey: "another", cache });
    expect((await query(other).explain()).bytes).toBeNull();
    for (const damaged of ["", "{", "null", '{"x":5}', "[]"]) {
      writeFileSync(join(cache, "arrowbook-runs.json"), damaged);
      expect((await query(connection(cache).service).explain()).bytes).toBeNull();
    }
    await query(service).order("asc").frame();
    expect((await query(connection(cache).service).order("asc").explain()).bytes).not.toBeNull();
  });

  it("that did not end says nothing", async () => {
    const { service } = connection();
    const query = service.table("MARKET/PRICES").pageSize(1_000);
    for await (const _ of query.batches()) break;
    expect(size(await query.explain())).toEqual(unknown);
    await query.frame({ maxRows: 10, truncate: true });
    expect(size(await query.explain())).toEqual(unknown);
  });

  it("of an export states the length of its file", async () => {
    const { service } = connection();
    const query = service.table("MARKET/PRICES").where({ ticker: "AAA" });
    expect((await query.explain({ by: "export" })).bytes).toBeNull();
    await query.export({ poll: { first: 10 } }).frame();
    const { bytes, rows } = await query.explain({ by: "export" });
    expect(bytes).toMatchObject({ bound: "about", from: `the length of its file on ${today}` });
    expect(rows).toBeNull();
    expect((await query.explain()).bytes).toBeNull();
  });
});

describe("bounds", () => {
  const metadata = {
    primary_key: ["ticker", "date", "n"],
    columns: [
      { name: "ticker", type: "String" },
      { name: "date", type: "Date" },
      { name: "n", type: "Integer" },
    ],
  } as unknown as TableMetadata;
  const filter = (column: string, operator: string, ...values: string[]): Filter => ({ column, operator, values });
  const ticker = filter("ticker", "eq", "A", "B", "A");
  const n = filter("n", "eq", "1");

  it.each([
    [[ticker, n, filter("date", "eq", "2024-01-01")], 2],
    [[ticker, n, filter("date", "gte", "2024-01-01"), filter("date", "lte", "2024-12-31")], 732],
    [[ticker, n, filter("date", "gt", "2024-02-28"), filter("date", "lt", "2024-03-01")], 2],
    [[ticker, n, filter("date", "gte", "2024-02-02"), filter("date", "lte", "2024-02-01")], 0],
    [[ticker, filter("n", "gt", "-2"), filter("n", "lte", "3"), filter("date", "eq", "2024-01-01")], 10],
    [[ticker, n, filter("date", "gte", "2024-01-01")], undefined],
    [[ticker, n, filter("date", "gte", "soon"), filter("date", "lte", "2024-12-31")], undefined],
    [[filter("ticker", "gte", "A"), filter("ticker", "lte", "B"), n, filter("date", "eq", "2024-01-01")], undefined],
    [[ticker, filter("n", "gte", "0.5"), filter("n", "lte", "3"), filter("date", "eq", "2024-01-01")], undefined],
    [[ticker, n], undefined],
  ])("by the key, of %j", (filters, rows) => {
    expect(rowsOfKey(metadata, filters)?.value).toBe(rows);
  });

  it("say what they are taken from", () => {
    const range = [filter("date", "gte", "2024-01-01"), filter("date", "lte", "2024-12-31")];
    expect(rowsOfKey(metadata, [ticker, n, ...range])).toEqual({
      value: 732,
      bound: "most",
      from: "the key: 2 values of ticker × 366 days of date × 1 value of n",
    });
    expect(rowsOfKey(undefined, [ticker])).toBeUndefined();
    expect(rowsOfKey({ ...metadata, primary_key: [] }, [ticker])).toBeUndefined();
  });

  it("are used where an earlier run had more rows", () => {
    const run = { rows: 10, bytes: 5, at: "2026-11-20T00:00:00Z" };
    const bound = (value: number) => ({ value, bound: "most", from: "limit(5)" }) as const;
    expect(rowsOf(run, [bound(5), undefined])).toEqual(bound(5));
    expect(rowsOf(run, [bound(50)])).toEqual({ value: 10, bound: "about", from: "an earlier run of 2026-11-20" });
    expect(rowsOf(undefined, [bound(50), bound(5)])).toEqual(bound(5));
    expect(rowsOf(undefined, [undefined])).toBeNull();
  });

  it("by dates are unknown without dates or a frequency", () => {
    const known = { oldest_available_date: "2024-01-01", newest_available_date: "2024-12-31", frequency: "monthly" };
    const of = (change: object, query = {}) => rowsOfDates({ ...known, ...change } as DatasetMetadata, query)?.value;
    expect([of({}), of({ frequency: "daily" }), of({ frequency: "annual" })]).toEqual([12, 366, 1]);
    expect([of({ frequency: "irregular" }), of({ newest_available_date: null }), rowsOfDates(undefined, {})]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(of({}, { from: "2025-01-01" })).toBe(0);
    expect(of({}, { collapse: "quarterly", to: "2024-06-30" })).toBe(2);
  });

  it("hold of tables and series, and need no request for rows", async () => {
    const { service, requested } = connection();
    const prices = service.table("MARKET/PRICES");
    for (const query of [
      prices.where({ ticker: ["AAA", "BBB"], date: { gte: "2024-01-15", lt: "2024-03-01" } }),
      prices.where({ ticker: ["AAA", "BBB", "NONE"], date: "2024-12-02" }),
      prices.where({ ticker: "AAA" }).limit(7),
    ]) {
      const { rows } = await query.explain();
      expect(rows?.bound).toBe("most");
      expect((await query.frame()).numRows).toBeLessThanOrEqual(rows?.value ?? -1);
    }
    const local = prices.where({ close: { gt: 500 } }, { local: true }).limit(7);
    expect((await local.explain()).rows).toBeNull();

    const series = service.dataset("MARKET/AAA");
    expect((await series.explain()).rows).toBeNull();
    await series.metadata();
    await service.dataset("MARKET/AAA").column("Close").explain();
    for (const collapse of ["none", "daily", "weekly", "monthly", "quarterly", "annual"] as const) {
      for (const [from, to] of [
        ["1990-01-01", "2030-01-01"],
        ["2024-01-06", "2024-03-04"],
        ["2024-02-03", "2024-02-04"],
      ]) {
        const query = series.collapse(collapse).from(from).to(to);
        requested.length = 0;
        const { rows } = await query.explain();
        expect([requested, rows?.bound]).toEqual([[], "most"]);
        expect((await query.frame()).numRows).toBeLessThanOrEqual(rows?.value ?? -1);
      }
    }
  });
});
