import fc from "fast-check";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { connect } from "../../src/client/service.js";
import { json } from "../faults/bulk-fixtures.js";
import { faultServer } from "../faults/fault-server.js";
import { runs } from "../support/whole.js";

/* A table that is refreshed at any request while its pages are read, and whose cursors are positions. */
const server = await faultServer();
afterAll(() => server.close());

const TABLE = "/api/v3/datatables/V/T";
const COLUMNS = [
  { name: "id", type: "Integer" },
  { name: "version", type: "Integer" },
];

/** Ids of each version of the table; the current version, and the requests after which the next one begins. */
let versions: number[][] = [];
let now = 0;
let events: ReadonlySet<number> = new Set();
let pageRows = 2;
let requests = 0;
let unavailable: (asked: number) => boolean;
let said: string[] = [];
const rows = (): number[][] => (versions[now] as number[]).map((id) => [id, now]);

beforeEach(() => {
  server.reset();
  requests = 0;
  unavailable = () => false;
  said = [];
  const refresh = (): void => {
    if (events.has(requests++) && now < versions.length - 1) now++;
  };
  server.on(`${TABLE}/metadata`, () => {
    if (unavailable(server.count(`${TABLE}/metadata`))) return { status: 503, body: "busy" };
    const status = { refreshed_at: `2024-03-01T00:00:${String(now).padStart(2, "0")}.000Z`, status: "ON TIME" };
    const about = { vendor_code: "V", datatable_code: "T", name: "t", description: null, columns: COLUMNS };
    const more = { filters: ["id"], primary_key: ["id"], premium: false };
    const datatable = { ...about, ...more, status: { ...status, expected_at: null, update_frequency: null } };
    const body = JSON.stringify({ datatable });
    refresh();
    return { headers: json, body };
  });
  server.on(`${TABLE}.json`, ({ query }) => {
    const from = Number(query.get("qopts.cursor_id") ?? "0");
    const size = Math.min(pageRows, Number(query.get("qopts.per_page") ?? pageRows));
    const asked = query.get("id")?.split(",").map(Number);
    const all = rows().filter(([id]) => asked === undefined || asked.includes(id as number));
    const next_cursor_id = from + size < all.length ? String(from + size) : null;
    const names = query.get("qopts.columns")?.split(",") ?? ["id", "version"];
    const columns = names.map((name) => COLUMNS.find((column) => column.name === name));
    const data = all
      .slice(from, from + size)
      .map(([id, version]) => names.map((name) => (name === "id" ? id : version)));
    const body = JSON.stringify({ datatable: { data, columns }, meta: { next_cursor_id } });
    refresh();
    return { headers: json, body };
  });
});

const start = (of: number[][], at: readonly number[], size = 2): void => {
  versions = of;
  now = 0;
  requests = 0;
  events = new Set(at);
  pageRows = size;
};
const table = (fetch?: typeof globalThis.fetch) => {
  const retry = { attempts: 1 };
  const apiKey = "pages-key-0123456789abcdef";
  return connect({
    url: server.url,
    apiKey,
    retry,
    warn: (text) => void said.push(text),
    ...(fetch && { fetch }),
  }).table("V/T");
};
const pageRequests = () => server.count(`${TABLE}.json`);

describe("a refresh between two pages", () => {
  it.each([0, 1, 2, 3, 4, 5])("after request %i: frame() has the rows of one version", async (at) => {
    start(
      [
        [1, 2, 3, 4],
        [0, 1, 2, 3, 4],
      ],
      [at],
    );
    const frame = await table().frame();
    const version = frame.column("version").toArray()[0] as number;
    expect(frame.column("id").toArray()).toEqual(versions[version]);
    expect(frame.source?.complete).toBe(true);
  });

  it.each([0, 1, 2, 3])("after request %i: so has a limit of several pages", async (at) => {
    start(
      [
        [1, 2, 3, 4, 5, 6],
        [0, 1, 2, 3, 4, 5, 6],
      ],
      [at],
    );
    const frame = await table().limit(4).frame();
    const version = frame.column("version").toArray()[0] as number;
    expect(frame.column("id").toArray()).toEqual(versions[version]?.slice(0, 4));
  });

  it("is an error of batches(), which has passed on rows of the first", async () => {
    start(
      [
        [1, 2, 3, 4, 5, 6],
        [0, 1, 2, 3, 4, 5, 6],
      ],
      [3],
    );
    const read = async (limit?: number): Promise<void> => {
      const query = limit === undefined ? table() : table().limit(limit);
      for await (const _ of query.batches());
    };
    await expect(read()).rejects.toMatchObject({ code: "TableRefreshed" });
    start(
      [
        [1, 2, 3, 4, 5, 6],
        [0, 1, 2, 3, 4, 5, 6],
      ],
      [3],
    );
    await expect(read(6)).rejects.toMatchObject({ code: "TableRefreshed" });
  });

  it("is not what a failure to ask for the time is taken for", async () => {
    start([[1, 2, 3, 4]], []);
    unavailable = (asked) => asked > 1;
    await expect(table().frame()).rejects.toMatchObject({ status: 503 });
    expect(pageRequests()).toBe(2);
    unavailable = () => true;
    expect((await table().frame()).numRows).toBe(4);
    expect(said).toEqual([expect.stringContaining("V/T: a refresh between its pages will not be noticed.")]);
  });

  it("costs nothing where one page is enough", async () => {
    start([[1, 2]], []);
    await table().frame();
    expect([pageRequests(), server.count(`${TABLE}/metadata`)]).toEqual([1, 1]);
    await table().limit(2).frame();
    expect(pageRequests()).toBe(2);
  });

  it("is looked for in two requests for metadata; a fetch of the caller gets the first page once more, if its time was unknown", async () => {
    start([[1, 2, 3, 4]], []);
    const query = table();
    await query.frame();
    expect([pageRequests(), server.count(`${TABLE}/metadata`)]).toEqual([2, 2]);
    await query.frame();
    expect([pageRequests(), server.count(`${TABLE}/metadata`)]).toEqual([4, 4]);
    const other = table(globalThis.fetch);
    await other.frame();
    expect([pageRequests(), server.count(`${TABLE}/metadata`)]).toEqual([7, 6]);
    await other.frame();
    expect([pageRequests(), server.count(`${TABLE}/metadata`)]).toEqual([9, 8]);
  });

  it("any history: the rows of one version, or an error", async () => {
    const ids = fc.uniqueArray(fc.integer({ min: 0, max: 12 }), { maxLength: 10 });
    const history = fc.record({
      versions: fc.array(ids, { minLength: 1, maxLength: 5 }),
      events: fc.array(fc.integer({ min: 0, max: 14 }), { maxLength: 4 }),
      size: fc.integer({ min: 1, max: 4 }),
      limit: fc.option(fc.integer({ min: 1, max: 9 })),
      ask: fc.constantFrom("all", "select", "filter", "here", "truncate", "batches"),
      again: fc.boolean(),
      fetch: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(history, async (run) => {
        start(run.versions, run.events, run.size);
        const service = table(run.fetch ? globalThis.fetch : undefined);
        const even = Array.from({ length: 7 }, (_, i) => i * 2);
        let query = run.limit === null ? service : service.limit(run.limit);
        if (run.ask === "select") query = query.select("id", "version");
        if (run.ask === "filter") query = query.where({ id: even });
        if (run.ask === "here") query = query.where({ version: { gte: 0 } }, { local: true });
        const most = Math.min(run.limit ?? Infinity, run.ask === "truncate" ? 3 : Infinity);
        const read = async (): Promise<Record<string, unknown>[]> => {
          if (run.ask === "truncate") return [...(await query.frame({ maxRows: 3, truncate: true })).rows()];
          if (run.ask !== "batches") return [...(await query.frame()).rows()];
          const found: Record<string, unknown>[] = [];
          for await (const batch of query.batches())
            for (const row of batch) found.push({ id: Number(row?.id), version: Number(row?.version) });
          return found;
        };
        for (let times = run.again ? 2 : 1; times > 0; times--) {
          const got = await read().catch((error: { code?: string }) => {
            expect(error.code).toBe("TableRefreshed");
            return undefined;
          });
          if (got === undefined || got.length === 0) continue;
          const version = got[0]?.version as number;
          const all = versions[version]?.filter((id) => run.ask !== "filter" || even.includes(id)) ?? [];
          expect(got).toEqual(all.slice(0, most).map((id) => ({ id, version })));
        }
      }),
      { numRuns: runs(150) },
    );
  });
});
