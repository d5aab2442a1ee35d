import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { connect } from "../../src/client/service.js";
import type { ConnectOptions } from "../../src/client/transport/settings.js";
import { connect as withSample } from "../../src/connect.js";
import { TransportError } from "../../src/errors/errors.js";
import type { Frame } from "../../src/frame/frame.js";
import { defineProfile, type ProfileChanges, specification } from "../../src/spec/profile.js";
import { folderOf, started } from "../server/support.js";
import { listening } from "../support/listening.js";
import { runs } from "../support/whole.js";

const ROWS = 2_500;
const lines = Array.from({ length: ROWS }, (_, i) => `T${i % 50},${i},${i * 2}.25,note ${i}`);
const folder = folderOf({
  "catalog.json": {
    databases: [],
    tables: [
      {
        vendor_code: "V",
        datatable_code: "T",
        name: "Rows",
        columns: [
          { name: "ticker", type: "String" },
          { name: "id", type: "Integer" },
          { name: "price", type: "BigDecimal(15,4)" },
          { name: "note", type: "String" },
        ],
        filters: ["ticker", "id"],
        primary_key: ["id"],
        premium: true,
        file: "t.csv",
      },
    ],
  },
  "t.csv": `ticker,id,price,note\n${lines.join("\n")}\n`,
});
const small = defineProfile(specification, { maxRowsPerReply: 400 });
/** Refresh times are whole seconds: each refresh of these tests is a minute later. */
let later = 0;
const running = await started({ data: folder, profile: small, clock: () => performance.now() + later });
const refresh = (): Promise<void> => {
  later += 60_000;
  return running.refresh("V/T");
};

/** Passes requests on to the service, after `before` has had its way with them. */
async function proxy(
  before: (request: IncomingMessage, reply: ServerResponse, count: number) => Promise<boolean> | boolean,
): Promise<string> {
  const counts = new Map<string, number>();
  const server = createServer(async (request, reply) => {
    const path = (request.url ?? "").split("?")[0];
    counts.set(path, (counts.get(path) ?? 0) + 1);
    if (await before(request, reply, counts.get(path) ?? 0)) return;
    const { host: _, ...headers } = request.headers as Record<string, string>;
    const answer = await fetch(`${running.url}${request.url}`, { headers, redirect: "manual" });
    const body = Buffer.from(await answer.arrayBuffer());
    const sent = Object.fromEntries(answer.headers);
    delete sent["content-encoding"];
    reply.writeHead(answer.status, { ...sent, "content-length": String(body.length) }).end(body);
  });
  return listening(server);
}

const refuse = (reply: ServerResponse, status: number, code: string): true => {
  reply.writeHead(status, { "content-type": "application/json" });
  reply.end(JSON.stringify({ error: { code, message: "no" } }));
  return true;
};

const isRows = ({ url = "" }: Pick<IncomingMessage, "url">): boolean =>
  /\/T\.json\?|\/T\.json$/.test(url) && !url.includes("export");

const service = (url = running.url, changes: ProfileChanges = {}, options: ConnectOptions = {}) =>
  connect({
    url,
    apiKey: "sample",
    profile: defineProfile(small, changes),
    retry: { attempts: 1 },
    warn: () => undefined,
    ...options,
  });

const table = (...args: Parameters<typeof service>) => service(...args).table("V/T");
const sorted = (frame: Frame<never> | Frame): unknown[] => [...frame.sort("id").rows({ decimals: "string" } as never)];
const whole = sorted(await table().frame());

describe("rows that no page could bring come by an export (complaint 3: row caps and truncation)", () => {
  it("is asked for: without fallback the error stays", async () => {
    const url = await proxy((request, reply) => isRows(request) && refuse(reply, 422, "QELx06"));
    await expect(table(url).frame()).rejects.toMatchObject({ code: "QELx06" });
    await expect(table(url).frame({ fallback: "exprt" as never })).rejects.toMatchObject({ code: "UnknownValue" });
  });

  it.each([
    [422, "QELx06"],
    [414, "QELx07"],
    [413, "QELx08"],
    [500, "QEMx01"],
    [503, "QEXx01"],
    [504, "none"],
  ])("status %i %s: the same rows", async (status, code) => {
    const url = await proxy((request, reply) => isRows(request) && refuse(reply, status, code));
    const frame = await table(url).frame({ fallback: "export" });
    expect(sorted(frame)).toEqual(whole);
    expect(frame.source?.complete).toBe(true);
    expect(frame.key).toEqual(["id"]);
  });

  it("also where the second page fails, and rows of the first are not kept twice", async () => {
    const url = await proxy((request, reply, count) => isRows(request) && count > 1 && refuse(reply, 500, "QEMx01"));
    expect(sorted(await table(url).frame({ fallback: "export" }))).toEqual(whole);
  });

  it("batches that were passed on cannot be taken back: the error ends them", async () => {
    const url = await proxy((request, reply, count) => isRows(request) && count > 1 && refuse(reply, 500, "QEMx01"));
    let rows = 0;
    const read = async () => {
      for await (const batch of table(url).batches({ fallback: "export" })) rows += batch.numRows;
    };
    await expect(read()).rejects.toMatchObject({ code: "QEMx01" });
    expect(rows).toBe(400);
    const first = await proxy((request, reply) => isRows(request) && refuse(reply, 500, "QEMx01"));
    rows = 0;
    for await (const batch of table(first).batches({ fallback: "export" })) rows += batch.numRows;
    expect(rows).toBe(ROWS);
  });

  it.each([
    [401, "QEAx01"],
    [403, "QEPx04"],
    [404, "QECx02"],
    [429, "QELx02"],
  ])("an error that an export would meet too is not tried again: %i", async (status, code) => {
    const url = await proxy((request, reply) => isRows(request) && refuse(reply, status, code));
    await expect(table(url).frame({ fallback: "export" })).rejects.toMatchObject({ code });
  });

  it("a timeout, with filters, columns, conditions here and a limit", async () => {
    // Calls for rows meet the limit, and no others, however slow the machine is.
    const timeout = new TransportError("No reply.", { code: "Timeout", retry: { retryable: true } });
    const limited: typeof fetch = (input, init) =>
      isRows({ url: String(input) }) ? Promise.reject(timeout) : fetch(input, init);
    const query = (options?: ConnectOptions) =>
      table(running.url, {}, options)
        .where({ ticker: ["T1", "T2"] })
        .where({ price: { gte: "1000" } }, { local: true })
        .select("id");
    await expect(query({ fetch: limited }).frame()).rejects.toMatchObject({ code: "Timeout" });
    const whole = await query({ fetch: limited }).frame({ fallback: "export" });
    expect(sorted(whole)).toEqual(sorted(await query().frame()));
    const few = await query({ fetch: limited }).limit(3).frame({ fallback: "export" });
    expect([few.numRows, few.source?.complete]).toEqual([3, false]);
  });

  it("a list too long even for the address of an export is applied here (spec 7)", async () => {
    const url = await proxy((request, reply) => isRows(request) && refuse(reply, 500, "QEMx01"));
    const ids = Array.from({ length: 1_500 }, (_, i) => i);
    const frame = await table(url, { maxQueryLength: 600 }).where({ id: ids }).frame({ fallback: "export" });
    expect(sorted(frame)).toEqual(whole.slice(0, 1_500));
  });
});

describe("lists too long for one address (complaint 12: merges that hide rows)", () => {
  it("any list is split and joined without repeats or gaps", async () => {
    const ids = fc.uniqueArray(fc.integer({ min: -100, max: ROWS + 100 }), { minLength: 1, maxLength: 300 });
    await fc.assert(
      fc.asyncProperty(ids, fc.integer({ min: 320, max: 700 }), async (id, maxQueryLength) => {
        const frame = await table(running.url, { maxQueryLength }).where({ id }).frame();
        const wanted = id.filter((each) => each >= 0 && each < ROWS).sort((a, b) => a - b);
        expect(sorted(frame).map((row) => (row as { id: number }).id)).toEqual(wanted);
      }),
      { numRuns: runs(12) },
    );
  });
});

describe("a refresh in the middle of the pages", () => {
  it("frame() starts over, and has one version", async () => {
    let refreshed = 0;
    const url = await proxy(async (request, _reply, count) => {
      if (isRows(request) && count === 3) {
        refreshed++;
        await refresh();
      }
      return false;
    });
    const said: string[] = [];
    const frame = await table(url, {}, { warn: (message) => said.push(message) }).frame();
    expect(refreshed).toBe(1);
    expect(sorted(frame)).toEqual(whole);
    expect(said).toEqual([expect.stringContaining("the reading starts again")]);
  });

  it("batches() ends in an error", async () => {
    const url = await proxy(async (request, _reply, count) => {
      if (isRows(request) && count === 3) await refresh();
      return false;
    });
    const read = async () => {
      for await (const _ of table(url).batches());
    };
    await expect(read()).rejects.toMatchObject({ name: "DataError", code: "TableRefreshed" });
  });

  it("a table that is refreshed time and again ends in an error, or in an export", async () => {
    const url = await proxy(async (request) => {
      if (isRows(request) && (request.url ?? "").includes("cursor")) await refresh();
      return false;
    });
    await expect(table(url).frame()).rejects.toMatchObject({ code: "TableRefreshed" });
    expect(sorted(await table(url).frame({ fallback: "export" }))).toEqual(whole);
  });
});

describe("maxRows", () => {
  it("is an error unless truncate is true, and a truncated frame says so", async () => {
    await expect(table().frame({ maxRows: 999 })).rejects.toMatchObject({ code: "TooManyRows" });
    const cut = await table().frame({ maxRows: 999, truncate: true });
    expect([cut.numRows, cut.source?.complete]).toEqual([999, false]);
    const exact = await table().frame({ maxRows: ROWS });
    expect([exact.numRows, exact.source?.complete]).toEqual([ROWS, true]);
    await expect(table().frame({ maxRows: 0 })).rejects.toMatchObject({ code: "BadArgument" });
  });

  it("is the same for batches and for an export", async () => {
    const count = async (options: object) => {
      let rows = 0;
      for await (const batch of table().batches(options)) rows += batch.numRows;
      return rows;
    };
    await expect(count({ maxRows: 1_000 })).rejects.toMatchObject({ code: "TooManyRows" });
    expect(await count({ maxRows: 1_000, truncate: true })).toBe(1_000);
    const url = await proxy((request, reply) => isRows(request) && refuse(reply, 500, "QEMx01"));
    await expect(table(url).frame({ maxRows: 999, fallback: "export" })).rejects.toMatchObject({ code: "TooManyRows" });
  });
});

describe("limit", () => {
  it("is a look: as many rows, no more requests than needed, and incomplete", async () => {
    let requests = 0;
    const url = await proxy((request) => {
      if (isRows(request)) requests++;
      return false;
    });
    const few = await table(url).limit(5).frame();
    expect([few.numRows, few.source?.complete, requests]).toEqual([5, false, 1]);
    requests = 0;
    expect((await table(url).limit(800).frame()).numRows).toBe(800);
    expect(requests).toBe(2);
    const all = await table(url).limit(ROWS).frame();
    expect([all.numRows, all.source?.complete]).toEqual([ROWS, true]);
    const none = await table(url).where({ ticker: "NONE" }).limit(5).frame();
    expect([none.numRows, none.source?.complete]).toEqual([0, true]);
  });

  it("an export cannot be limited, instead of being whole in silence", async () => {
    await expect(table().limit(5).export().frame()).rejects.toMatchObject({ code: "BadArgument" });
  });
});

describe("conditions here", () => {
  it("equal the filter of the frame, for any column and bound", async () => {
    const all = await table().frame();
    const bound = fc.integer({ min: -10, max: 2 * ROWS }).map((n) => `${n}.25`);
    await fc.assert(
      fc.asyncProperty(bound, fc.constantFrom("gt", "gte", "lt", "lte"), async (price, operator) => {
        const here = await table()
          .where({ price: { [operator]: price } }, { local: true })
          .frame();
        const name = { gt: "gt", gte: "ge", lt: "lt", lte: "le" }[operator] as "gt";
        expect(sorted(here)).toEqual(sorted(all.filter(all.column("price")[name](price))));
      }),
      { numRuns: runs(8) },
    );
  });

  it("are sent where the service filters by the column, and leave out columns that were not selected", async () => {
    const asked: string[] = [];
    const url = await proxy((request) => {
      if (isRows(request)) asked.push(request.url ?? "");
      return false;
    });
    const frame = await table(url)
      .where({ id: [7, 8], note: "note 8" }, { local: true })
      .select("ticker")
      .frame();
    expect([...frame.rows()]).toEqual([{ ticker: "T8" }]);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain("id=7,8");
    await expect(table().where({ note: "x" }, { local: true }).export().frame()).rejects.toMatchObject({
      code: "NotFilterable",
    });
    await expect(table().where({ note: "x" }).frame()).rejects.toMatchObject({
      code: "NotFilterable",
      hint: expect.stringContaining("{ local: true }"),
    });
  });
});

describe("series that the service does not have (complaint 12: merges that hide rows)", () => {
  it("are an error with their code, or left out with a warning, never an empty column", async () => {
    const sample = await withSample.sample({ warn: (message) => said.push(message) });
    afterAll(() => sample.close());
    const said: string[] = [];
    const codes = ["MARKET/AAA.4", "MARKET/NONE", "MARKET/BBB.4"];
    await expect(sample.datasets(codes).limit(3).frame()).rejects.toMatchObject({
      code: "QECx02",
      message: expect.stringContaining("MARKET/NONE"),
    });
    const found = await sample.datasets(codes, { missing: "skip" }).limit(3).frame();
    expect(found.columns.map(({ name }) => name)).toEqual(["Date", "MARKET/AAA - Close", "MARKET/BBB - Close"]);
    expect(found.source?.code).toBe("MARKET/AAA, MARKET/BBB");
    expect(said).toEqual([expect.stringContaining("MARKET/NONE")]);
    const none = sample.datasets(["MARKET/NONE"], { missing: "skip" }).frame();
    await expect(none).rejects.toMatchObject({ code: "QECx02" });
    expect(() => sample.datasets(codes, { missing: "ignore" as never })).toThrow(
      expect.objectContaining({ code: "UnknownValue" }),
    );
  });
});
