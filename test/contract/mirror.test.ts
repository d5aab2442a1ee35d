import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import Papa from "papaparse";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect, type Service } from "../../src/client/service.js";
import { tableToIPCBytes } from "../../src/columns/ipc/stream.js";
import type { Frame } from "../../src/frame/frame.js";
import { type RunningService, sampleData, serve } from "../../src/server.js";
import { API_PREFIX } from "../../src/spec/endpoints.js";
import { defineProfile, nasdaqDataLink, type Profile, specification } from "../../src/spec/profile.js";
import { FORMATS, type Format, unlisted } from "../../src/spec/vocabulary.js";

/**
 * The client against the embedded service over a real socket: every endpoint, format and parameter (spec section 4).
 */

const KEYS = {
  "key-of-a-subscriber": { subscriptions: "all" },
  "key-without-products": { subscriptions: [] },
} as const;

/** Looks at an export often, for tests. */
const QUICK = { poll: { first: 20, longest: 100 } } as const;

interface Pair {
  readonly server: RunningService;
  readonly service: Service;
  readonly stranger: Service;
  /** Targets of the requests since the last look. */
  readonly asked: () => string[];
  readonly warnings: string[];
  clock: number;
}

async function started(profile: Profile = specification): Promise<Pair> {
  const targets: string[] = [];
  const warnings: string[] = [];
  const pair = { clock: 0 };
  const server = await serve({
    data: sampleData(),
    apiKeys: KEYS,
    profile,
    maxResultRows: 30_000,
    clock: () => pair.clock,
    log: ({ url }) => targets.push(url),
  });
  const options = { url: server.url, profile, retry: { attempts: 1 }, warn: (text: string) => warnings.push(text) };
  return Object.assign(pair, {
    server,
    service: connect({ ...options, apiKey: "key-of-a-subscriber" }),
    stranger: connect({ ...options, apiKey: "key-without-products" }),
    asked: () => targets.splice(0),
    warnings,
  });
}

let pair: Pair;
beforeAll(async () => {
  pair = await started();
});
afterAll(() => pair.server.close());

const bytes = (frame: Frame): string => Buffer.from(tableToIPCBytes(frame.table)).toString("base64");
const cells = (frame: Frame): unknown[] => [...frame.rows({ decimals: "string" })];

/** The frames of the three formats, which must be equal byte for byte; returns the first. */
async function same(ask: (format: Format) => Promise<Frame>): Promise<Frame> {
  const frames = await Promise.all(FORMATS.map(ask));
  for (const [i, frame] of frames.entries()) expect(bytes(frame) === bytes(frames[0]), FORMATS[i]).toBe(true);
  return frames[0];
}

/** The rows of a file of the sample data. */
function sourceRows(file: string): Record<string, string>[] {
  const text = readFileSync(resolve(import.meta.dirname, "../../notebooks/data", file), "utf8");
  return Papa.parse<Record<string, string>>(text, { header: true, skipEmptyLines: true }).data;
}

const refusal = (code: string, words: string | RegExp = ""): object =>
  expect.objectContaining({ name: "ServiceError", code, message: expect.stringMatching(words) });

describe("time series", () => {
  const seattle = (format: Format) => pair.service.dataset("WEATHER/SEATTLE").format(format);

  it("spec 4.1 data: rows in json, xml and csv are equal; spec 1 dataset, spec 9 version", async () => {
    pair.asked();
    const frame = await same((format) => seattle(format).frame());
    expect(frame.columns.map(({ name }) => name)).toEqual(["Date", "Precipitation", "Temp Max", "Temp Min", "Wind"]);
    expect(frame.numRows).toBe(1461);
    for (const target of pair.asked()) {
      expect(target).toMatch(/^\/api\/v3\/datasets\/WEATHER\/SEATTLE\/data\.(json|xml|csv)\?api_key=\[key\]$/);
    }
  });

  it.each([
    ["column_index", (f: Format) => seattle(f).column(2)],
    ["start_date", (f: Format) => seattle(f).from("2015-06-01")],
    ["end_date", (f: Format) => seattle(f).to("2012-06-01")],
    ["collapse", (f: Format) => seattle(f).collapse("monthly")],
    ["transform", (f: Format) => seattle(f).transform("rdiff")],
  ] as const)("spec 4.2 %s: applied and echoed, equal in three formats", async (name, query) => {
    const frame = await same((format) => query(format).frame());
    const whole = await seattle("json").frame();
    for (const format of ["json", "xml"] as const) {
      const { frame: _, ...echo } = await query(format).data();
      expect(echo[name]).not.toBe(null);
    }
    const rows = cells(frame) as Record<string, unknown>[];
    const dates = rows.map((row) => String(row["Date"]));
    switch (name) {
      case "column_index":
        expect(Object.keys(rows[0])).toEqual(["Date", "Temp Max"]);
        expect(frame.numRows).toBe(whole.numRows);
        break;
      case "start_date":
        expect(dates.at(-1)).toBe("2015-06-01");
        break;
      case "end_date":
        expect(dates[0]).toBe("2012-06-01");
        break;
      case "collapse":
        expect(frame.numRows).toBe(48);
        break;
      default:
        expect(frame.numRows).toBe(whole.numRows - 1);
    }
  });

  it("spec 4.2 filtered: all parameters together; spec 4.2 echo: the reply says which were applied", async () => {
    const query = (format: Format) =>
      seattle(format)
        .column("Temp Max")
        .from("2013-01-01")
        .to("2013-12-31")
        .collapse("quarterly")
        .transform("diff")
        .order("asc")
        .limit(2);
    const frame = await same((format) => query(format).frame());
    expect(cells(frame)).toEqual([
      { Date: "2013-06-30", "Temp Max": expect.any(Number) },
      { Date: "2013-09-30", "Temp Max": expect.any(Number) },
    ]);
    for (const format of ["json", "xml"] as const) {
      const { frame: _, ...echo } = await query(format).data();
      expect(echo).toEqual({
        column_index: 2,
        start_date: "2013-01-01",
        end_date: "2013-12-31",
        collapse: "quarterly",
        transform: "diff",
        order: "asc",
        limit: 2,
        frequency: "daily",
        column_names: ["Date", "Temp Max"],
      });
    }
  });

  it("spec 4.2 filtered: without parameters nothing is left out", async () => {
    const { frame: _, ...echo } = await seattle("json").data();
    expect(echo).toMatchObject({ column_index: null, collapse: null, transform: null, limit: null, order: "desc" });
  });

  it("spec 2.1 order: newest first unless asked otherwise", async () => {
    const newest = await same((format) => seattle(format).limit(1).frame());
    expect(cells(newest)[0]).toMatchObject({ Date: "2015-12-31" });
    const oldest = await same((format) => seattle(format).order("asc").limit(1).frame());
    expect(cells(oldest)[0]).toMatchObject({ Date: "2012-01-01" });
  });

  it("spec 4.3 metadata: equal in json, xml and csv", async () => {
    const [json, xml, csv] = await Promise.all(FORMATS.map((format) => seattle(format).metadata()));
    const { database_id, ...rest } = xml;
    expect(rest).toEqual(json);
    expect(database_id).toEqual(expect.any(Number));
    expect(csv).toEqual(json);
    expect(json).toMatchObject({
      dataset_code: "SEATTLE",
      database_code: "WEATHER",
      premium: true,
      frequency: "daily",
    });
  });

  it("spec 4.4 both: metadata and rows in one reply, in json and xml", async () => {
    const json = await seattle("json").withMetadata();
    const xml = await seattle("xml").withMetadata();
    const { frame: a, ...fields } = json;
    const { frame: b, ...others } = xml;
    expect(others).toEqual(fields);
    expect(bytes(a) === bytes(b)).toBe(true);
    expect(fields).toMatchObject({
      ...(await seattle("json").metadata()),
      order: "desc",
      database_id: expect.any(Number),
    });
    expect(bytes(a) === bytes(await seattle("csv").frame())).toBe(true);
  });

  it.each(FORMATS)(
    "a frame in %s says when its series was refreshed where the metadata has been read",
    async (format) => {
      const { url } = pair.server;
      const fresh = connect({ url, apiKey: "key-of-a-subscriber" }).dataset("WEATHER/SEATTLE").limit(1).format(format);
      expect((await fresh.frame()).source).not.toHaveProperty("refreshed_at");
      const titled = await fresh.column("Temp Max").frame();
      const { refreshed_at } = await fresh.metadata();
      expect(refreshed_at).toMatch(/^20\d\d-.*Z$/);
      expect([titled.source?.refreshed_at, (await fresh.frame()).source?.refreshed_at]).toEqual([
        refreshed_at,
        refreshed_at,
      ]);
    },
  );

  it("spec 4.2 filtered: the same rows on the path of 4.4, with their echo in json and xml, bare in csv", async () => {
    const query = (format: Format) =>
      seattle(format).column(2).from("2014-01-01").collapse("annual").transform("diff").order("asc");
    const [json, xml] = [await query("json").withMetadata(), await query("xml").withMetadata()];
    const { frame: a, ...fields } = json;
    const { frame: b, ...others } = xml;
    expect(others).toEqual(fields);
    expect(fields).toMatchObject({
      column_index: 2,
      collapse: "annual",
      transform: "diff",
      order: "asc",
      dataset_code: "SEATTLE",
    });
    const frame = await query("csv").frame();
    expect([bytes(a), bytes(b)]).toEqual([bytes(frame), bytes(frame)]);
    const parameters = "column_index=2&start_date=2014-01-01&collapse=annual&transform=diff&order=asc";
    const [short, long] = [
      await get(`/datasets/WEATHER/SEATTLE.csv?${parameters}`),
      await get(`/datasets/WEATHER/SEATTLE/data.csv?${parameters}`),
    ];
    expect(short.text).toBe(long.text);
    expect(short.text).toMatch(/^Date,Temp Max\n2015-12-31,/);
  });

  it("spec 4.4 csv: refused before asking", async () => {
    pair.asked();
    await expect(seattle("csv").withMetadata()).rejects.toMatchObject({ name: "InputError" });
    expect(pair.asked()).toEqual([]);
  });

  it.each([
    ["an unknown code", () => pair.service.dataset("WEATHER/NOWHERE").frame(), "QECx02"],
    [
      "an unknown option value",
      () =>
        pair.service
          .dataset("WEATHER/SEATTLE")
          .collapse("hourly" as never)
          .frame(),
      "QESx04",
    ],
    ["a column that is not there", () => pair.service.dataset("WEATHER/SEATTLE").column(99).frame(), "QESx04"],
  ] as const)("%s is refused in every format", async (_, ask, code) => {
    await expect(ask()).rejects.toMatchObject({ code });
  });
});

it("an unlisted option value passes with one warning", async () => {
  const ask = () => pair.service.dataset("WEATHER/SEATTLE").transform(unlisted("sqrt")).frame();
  await expect(ask()).rejects.toMatchObject({ code: "QESx04" });
  await expect(ask()).rejects.toMatchObject({ code: "QESx04" });
  expect(pair.warnings.filter((text) => text.includes("sqrt"))).toHaveLength(1);
});

describe("databases", () => {
  it("spec 4.5 database: metadata equal in json, xml and csv; spec 1 database", async () => {
    const [json, xml, csv] = await Promise.all(
      FORMATS.map((format) => pair.service.database("CLIMATE").format(format).metadata()),
    );
    expect(xml).toEqual(json);
    expect(csv).toEqual(json);
    expect(json).toMatchObject({ database_code: "CLIMATE", datasets_count: 1, premium: false });
  });

  it("spec 4.6 full: the whole database; spec 2.5 zip, spec 2.5 Code, spec 2.5 columns", async () => {
    const frame = await pair.service.database("WEATHER").bulk("full").frame();
    expect(frame.columns).toEqual([
      { name: "Code", type: "String" },
      { name: "Date", type: "Date" },
      ...["Precipitation", "Temp Max", "Temp Min", "Wind"].map((name) => ({ name, type: "double" })),
    ]);
    expect(frame.numRows).toBe(2 * 1461);
    const series = await pair.service.dataset("WEATHER/SEATTLE").order("asc").frame();
    const part = frame.filter((row) => row["Code"] === "SEATTLE");
    expect(part.column("Temp Max").toNumbers()).toEqual(series.column("Temp Max").toNumbers());
  });

  it("spec 4.6 partial: the latest observation of each series", async () => {
    const frame = await pair.service.database("WEATHER").bulk("partial").frame();
    expect(frame.numRows).toBe(2);
    expect(new Set(frame.column("Date").toStrings())).toEqual(new Set(["2015-12-31"]));
  });

  it("spec 4.6 premium: premium databases only, subscribers only; spec 1 premium, spec 5 subscriber, spec 8 availability", async () => {
    await expect(pair.service.database("CLIMATE").bulk("full").frame()).rejects.toThrow(refusal("QEPx02", /premium/));
    await expect(pair.stranger.database("WEATHER").bulk("full").frame()).rejects.toThrow(refusal("QEPx04", /ubscribe/));
  });
});

describe("tables", () => {
  const flights = (format: Format) => pair.service.table("TRANSPORT/FLIGHTS").format(format);
  const airports = (format: Format) => pair.service.table("TRANSPORT/AIRPORTS").format(format);
  const prices = (format: Format) => pair.service.table("MARKET/PRICES").format(format);

  it("spec 4.7 rows: complete through cursors in json, xml and csv; spec 4.7 cap, spec 8 rows; spec 1 table", async () => {
    pair.asked();
    const frame = await same((format) => flights(format).frame());
    expect(frame.numRows).toBe(20_000);
    const targets = pair.asked().filter((target) => target.includes("/FLIGHTS."));
    for (const format of FORMATS) {
      const pages = targets.filter((target) => target.includes(`FLIGHTS.${format}`));
      expect(pages.filter((target) => target.includes("qopts.cursor_id="))).toHaveLength(1);
    }
    expect(pair.warnings.filter((text) => text.includes("FLIGHTS"))).toEqual([]);
    const first = await flights("csv").page();
    expect(first.frame.numRows).toBe(10_000);
    expect(first.next).toEqual(expect.any(String));
    const second = await flights("xml").page(first.next);
    expect([second.frame.numRows, second.next]).toEqual([10_000, null]);
  });

  it("spec 2.6 types: the Arrow types the metadata declares; spec 2.6 datatable.data, spec 2.6 unsorted", async () => {
    const frame = await same((format) =>
      prices(format)
        .where({ ticker: "AAA", date: { gte: "2024-12-01" } })
        .frame(),
    );
    expect(frame.table.schema.fields.map(({ name, type }) => `${name}: ${type}`)).toEqual([
      expect.stringMatching(/^ticker: (Dictionary|Utf8)/),
      "date: Date32<DAY>",
      ...["open", "high", "low", "close"].map((name) => `${name}: Decimal[15e+4]`),
      "volume: Decimal[20e0]",
    ]);
    expect(frame.columns).toEqual((await prices("json").metadata()).columns);
  });

  it.each([
    ["spec 4.7 equality: one value", { iata: "SEA" }, (row) => row["iata"] === "SEA"],
    [
      "spec 4.7 list: any of several values",
      { iata: ["SEA", "JFK", "none"] },
      (row) => ["SEA", "JFK"].includes(row["iata"]),
    ],
    [
      "spec 4.7 several columns: combined",
      { state: ["WA", "OR"], city: "Seattle" },
      (row) => ["WA", "OR"].includes(row["state"]) && row["city"] === "Seattle",
    ],
    [
      "spec 4.7 gte: greater or equal",
      { latitude: { gte: "47.44898194" }, state: "WA" },
      (row) => row["state"] === "WA" && Number(row["latitude"]) >= 47.44898194,
    ],
    [
      "spec 4.7 lte: less or equal",
      { longitude: { lte: "-122.30931306" }, state: "WA" },
      (row) => row["state"] === "WA" && Number(row["longitude"]) <= -122.30931306,
    ],
    [
      "gt and lt as observed",
      { latitude: { gt: "47.44898194", lt: "48" }, state: "WA" },
      (row) => row["state"] === "WA" && Number(row["latitude"]) > 47.44898194 && Number(row["latitude"]) < 48,
    ],
    ["no row at all", { iata: "none" }, () => false],
  ] satisfies [string, object, (row: Record<string, string>) => boolean][])("%s", async (_, where, keep) => {
    const frame = await same((format) => airports(format).where(where).frame());
    const wanted = sourceRows("transport-airports.csv")
      .filter(keep)
      .map(({ iata }) => iata);
    expect(frame.column("iata").toStrings()).toEqual(wanted);
  });

  it("spec 4.7 qopts.columns: only the listed columns, in that order; spec 4.7 combined: with filters", async () => {
    const frame = await same((format) =>
      airports(format)
        .where({ iata: ["SEA", "JFK"] })
        .select("latitude", "iata")
        .frame(),
    );
    expect(cells(frame)).toEqual([
      { latitude: "40.63975111", iata: "JFK" },
      { latitude: "47.44898194", iata: "SEA" },
    ]);
  });

  it("qopts.per_page and cursors give the same rows", async () => {
    const frame = await same((format) => airports(format).where({ state: "WA" }).pageSize(7).frame());
    const whole = await airports("json").where({ state: "WA" }).frame();
    expect(cells(frame)).toEqual(cells(whole));
  });

  it("spec 4.8 metadata: equal in json, xml and csv", async () => {
    for (const code of ["MARKET/PRICES", "TRANSPORT/STRIKES"]) {
      const table = pair.service.table(code);
      const [json, xml, csv] = await Promise.all(FORMATS.map((format) => table.format(format).metadata()));
      expect(xml).toEqual(json);
      expect(csv).toEqual(json);
      expect(json.status.refreshed_at).toMatch(/^2025-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    }
  });

  it("awkward names and texts come through every format", async () => {
    const strikes = (format: Format) => pair.service.table("TRANSPORT/STRIKES").format(format);
    const frame = await same((format) =>
      strikes(format)
        .where({ id: { lte: 500 } } as never)
        .frame(),
    );
    expect(frame.numRows).toBe(500);
    expect(frame.columns.map(({ name }) => name)).toContain("Cost Total $");
  });

  it("spec 4.7 filterable: only the metadata's filters", async () => {
    const raw = (query: string, format: Format = "json") => get(`/datatables/TRANSPORT/AIRPORTS.${format}?${query}`);
    expect(await raw("name=X")).toMatchObject({ status: 422, text: expect.stringContaining("QESx08") });
    await expect(
      airports("json")
        .where({ name: "X" } as never)
        .frame(),
    ).rejects.toMatchObject({ name: "InputError" });
    for (const format of FORMATS) expect((await raw("nothing=1", format)).text).toContain("There is no column");
  });

  it.each([
    ["a bad date", "/datatables/TRANSPORT/FLIGHTS.json?date=2001-02-30", 422, "QESx04"],
    ["a bad cursor", "/datatables/TRANSPORT/FLIGHTS.json?qopts.cursor_id=x", 400, "QESx06"],
    ["a bad page size", "/datatables/TRANSPORT/FLIGHTS.json?qopts.per_page=0", 422, "QESx04"],
    ["an unknown column", "/datatables/TRANSPORT/FLIGHTS.json?qopts.columns=id,nothing", 422, "QESx04"],
    ["an unknown table", "/datatables/TRANSPORT/NOTHING.json", 404, "QECx02"],
  ])("%s is answered in the format asked for", async (_, path, status, code) => {
    for (const format of FORMATS) {
      const answer = await get(path.replace(".json", `.${format}`));
      expect(answer.status).toBe(status);
      expect(answer.headers.get("content-type")).toContain(format);
      expect(answer.text).toContain(code);
    }
  });
});

async function get(
  path: string,
  key = "key-of-a-subscriber",
): Promise<{ status: number; headers: Headers; text: string }> {
  const url = `${pair.server.url}${API_PREFIX}${path}`;
  const answer = await fetch(key === "" ? url : `${url}${url.includes("?") ? "&" : "?"}api_key=${key}`);
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

describe("exports", () => {
  const small = (format: Format = "json") =>
    pair.service
      .table("MARKET/PRICES")
      .where({ ticker: "AAA", date: { gte: "2024-01-01" } })
      .format(format);

  it("spec 4.9 status: created on demand, answered as 2.8 in every format; spec 3 creating, spec 3 fresh", async () => {
    const path = (format: Format) => `/datatables/MARKET/PRICES.${format}/?ticker=BBB&qopts.export=true`;
    expect((await get(path("json"))).text).toContain('"link":null,"status":"creating"');
    await expect.poll(async () => (await get(path("csv"))).text).toContain(",fresh,");
    expect((await get(path("xml"))).text).toContain("<status>fresh</status>");
  });

  it.each(FORMATS)("spec 4.9 filters: filters and columns restrict the file (%s)", async (format) => {
    const frame = await small(format).select("date", "close").export(QUICK).frame();
    expect(bytes(frame) === bytes(await small().select("date", "close").frame())).toBe(true);
  });

  it("spec 4.9 whole: the entire table, past the cap", async () => {
    const frame = await pair.service.table("TRANSPORT/FLIGHTS").export(QUICK).frame();
    expect(frame.numRows).toBe(20_000);
    expect(cells(frame)).toEqual(cells(await pair.service.table("TRANSPORT/FLIGHTS").frame()));
  });

  it("spec 4.9 path: with the slash, without it, without the format", async () => {
    const query = "?ticker=BBB&qopts.export=true";
    for (const path of ["PRICES.json/", "PRICES.json", "PRICES"]) {
      expect((await get(`/datatables/MARKET/${path}${query}`)).text).toMatch(/^\{"datatable_bulk_download"/);
    }
  });

  it("spec 4.9 choice: an older file at once, or wait for the new one; spec 3 regenerating", async () => {
    const query = pair.service.table("TRANSPORT/AIRPORTS");
    await query.export(QUICK).ready();
    pair.clock += 10_000;
    await pair.server.refresh("TRANSPORT/AIRPORTS");
    const stale = await query.export({ stale: "use", ...QUICK }).ready();
    expect(["regenerating", "fresh"]).toContain(stale.status);
    const fresh = await query.export({ stale: "wait", ...QUICK }).ready();
    expect(fresh.status).toBe("fresh");
  });

  it("spec 4.9 subscriber: subscribers only", async () => {
    await expect(pair.stranger.table("TRANSPORT/FLIGHTS").export().frame()).rejects.toThrow(refusal("QEPx04"));
  });

  it("spec 3 link: dead after 30 minutes, another call gives a new one; spec 8 link; spec 5 api_key: the link carries the key", async () => {
    const ask = async (): Promise<string> => {
      const { text } = await get("/datatables/MARKET/PRICES.json/?ticker=CCC&qopts.export=true");
      return (JSON.parse(text) as { datatable_bulk_download: { file: { link: string } } }).datatable_bulk_download.file
        .link;
    };
    await expect.poll(ask).not.toBe(null);
    const link = await ask();
    expect(link).toContain("api_key=key-of-a-subscriber");
    expect((await fetch(link)).status).toBe(200);
    pair.clock += 30 * 60 * 1000 + 1;
    expect((await fetch(link)).ok).toBe(false);
    expect((await fetch(await ask())).status).toBe(200);
  });

  it("spec 8 exports: 60 an hour for a subscriber", async () => {
    pair.clock += 2 * 60 * 60 * 1000;
    const statuses: number[] = [];
    for (let i = 0; i < 61; i++) {
      statuses.push(
        (await get(`/datatables/TRANSPORT/AIRPORTS.json?id=${i}&iata=X${i}&qopts.export=true`.replace(`id=${i}&`, "")))
          .status,
      );
    }
    expect(statuses.slice(0, 60).every((status) => status === 200)).toBe(true);
    expect(statuses[60]).toBe(429);
    pair.clock += 60 * 60 * 1000 + 1;
    expect((await get("/datatables/TRANSPORT/AIRPORTS.json?iata=X99&qopts.export=true")).status).toBe(200);
  });
});

describe("keys, limits and failures", () => {
  it.each([
    ["no key", "", 403, "QEAx03"],
    ["a wrong key", "nobody-knows-this-key", 400, "QEAx01"],
  ])("spec 5 api_key: every call carries it; %s is refused in every format", async (_, key, status, code) => {
    for (const format of FORMATS) {
      const answer = await get(`/databases/CLIMATE.${format}`, key);
      expect(answer.status).toBe(status);
      expect(answer.text).toContain(code);
      expect(answer.text).not.toContain("nobody-knows-this-key");
    }
  });

  it("spec 7 too long: the remedy is to export and filter locally", async () => {
    const answer = await get(`/datatables/TRANSPORT/AIRPORTS.json?iata=${"x,".repeat(5_000)}`);
    expect(answer.status).toBe(414);
    expect(answer.text).toMatch(/too long.*qopts\.export=true/);
  });

  it("spec 7 too many: filter, or export", async () => {
    const error = await pair.service
      .table("MARKET/PRICES")
      .frame()
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      name: "ServiceError",
      code: "QELx06",
      hint: expect.stringMatching(/filter.*export/is),
    });
  });

  it.each([
    ["spec 7 failure: status 500, export helps", 500],
    ["spec 7 timeout: a gateway times out, an export helps", 504],
  ])("%s", async (_, status) => {
    const failing = connect({
      url: pair.server.url,
      apiKey: "k",
      retry: { attempts: 1 },
      fetch: async () => new Response("", { status }),
    });
    const error = await failing
      .table("A/B")
      .frame()
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: "ServiceError", status, hint: expect.stringContaining("export") });
  });

  it("spec 1 resources: read-only, GET alone; spec 1 formats: by the extension", async () => {
    const post = await fetch(`${pair.server.url}${API_PREFIX}/databases/CLIMATE.json?api_key=key-of-a-subscriber`, {
      method: "POST",
    });
    expect(post.status).toBe(405);
    expect((await get("/databases/CLIMATE.yaml")).status).toBe(406);
    for (const format of FORMATS) {
      expect((await get(`/databases/CLIMATE.${format}`)).headers.get("content-type")).toContain(format);
    }
  });
});

describe.each([
  nasdaqDataLink,
  defineProfile(specification, {
    name: "own",
    xmlRoot: "reply",
    keyParameter: "token",
    cursorParameter: "after",
    cursorHeader: "X-Next",
    pageSizeParameter: "rows",
    downloadWords: { full: "everything", partial: "latest" },
    errorRoot: "problem",
    csvQuotesEmptyText: false,
  }),
])("profile $name", (profile) => {
  let other: Pair;
  beforeAll(async () => {
    other = await started(profile);
  });
  afterAll(() => other.server.close());

  it("both ends support it: root element, key, cursors, option values, error bodies", async () => {
    const { service } = other;
    const query = (format: Format) =>
      service.table("TRANSPORT/AIRPORTS").where({ state: "WA" }).pageSize(20).format(format);
    const frame = await same((format) => query(format).frame());
    expect(frame.numRows).toBeGreaterThan(40);
    expect((await service.database("WEATHER").bulk("full").frame()).numRows).toBe(2 * 1461);
    expect((await service.database("WEATHER").bulk("partial").frame()).numRows).toBe(2);
    for (const format of FORMATS) {
      await expect(service.dataset("WEATHER/NOWHERE").format(format).frame()).rejects.toThrow(refusal("QECx02"));
    }
    expect(other.warnings).toEqual([]);
  });
});

describe("either root answers the questions of 4.1, 4.2 and 4.4", () => {
  const echo = { limit: null, transform: null, column_index: null, start_date: null, end_date: null, collapse: null };
  const data = {
    ...echo,
    column_names: ["Date", "Close"],
    frequency: "daily",
    data: [["2020-01-02", 1.5]],
    order: "desc",
  };
  const metadata = {
    id: 1,
    dataset_code: "B",
    database_code: "A",
    name: "n",
    description: "d",
    refreshed_at: "2020-01-03T00:00:00Z",
    newest_available_date: "2020-01-02",
    oldest_available_date: "2020-01-02",
    column_names: ["Date", "Close"],
    frequency: "daily",
    type: "Time Series",
    premium: false,
  };
  const replies: Readonly<Record<string, object>> = {
    "/metadata.json": { dataset: metadata },
    "/data.json": { dataset: { ...metadata, ...data, database_id: 2 } },
    "/B.json": { dataset_data: data },
  };
  const swapped = connect({
    url: "http://service.example",
    apiKey: "k",
    fetch: async (input) => {
      const path = new URL(String(input)).pathname;
      const found = Object.entries(replies).find(([end]) => path.endsWith(end));
      return Response.json(found?.[1] ?? {}, { status: found ? 200 : 404 });
    },
  });

  it("dataset where dataset_data was expected, and vice versa", async () => {
    const { frame, ...said } = await swapped.dataset("A/B").data();
    expect(said).toMatchObject({ frequency: "daily", order: "desc" });
    expect(cells(frame)).toEqual([{ Date: "2020-01-02", Close: 1.5 }]);
    const both = await swapped.dataset("A/B").withMetadata();
    expect(both).toMatchObject({ ...metadata, ...echo });
    expect(bytes(both.frame) === bytes(frame)).toBe(true);
    const { frame: read } = await swapped.dataset("A/B").withMetadata({ onBadCell: "null", text: "utf8" });
    expect(bytes(read) === bytes(frame)).toBe(true);
  });
});

it("a column number that does not exist, answered by a nameless column as observed, is an unknown column", async () => {
  const reply = {
    limit: null,
    transform: null,
    column_index: 9,
    column_names: ["Month", null],
    start_date: "2020-01-01",
  };
  const dataset_data = {
    ...reply,
    end_date: "2020-12-01",
    frequency: "monthly",
    data: [],
    collapse: null,
    order: "desc",
  };
  const odd = connect({
    url: "http://service.example",
    apiKey: "k",
    fetch: async () => Response.json({ dataset_data }),
  });
  await expect(odd.dataset("A/B").column(9).frame()).rejects.toMatchObject({
    name: "InputError",
    code: "UnknownColumn",
  });
});
