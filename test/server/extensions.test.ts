import { request } from "node:http";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { connect } from "../../src/client/service.js";
import { acceptedFormat } from "../../src/server/http/accepted.js";
import { serve } from "../../src/server.js";
import { defineProfile, nasdaqDataLink } from "../../src/spec/profile.js";
import { forAll } from "../support/for-all.js";
import { runs } from "../support/whole.js";
import { get, sampleOf, started } from "./support.js";

const data = sampleOf("MARKET", "LABOR", "MARKET/PRICES");
const strict = await started({ data });
const open = await started({ data, profile: "nasdaqDataLink", cors: "https://app.example" });
const anyOrigin = await started({ data: sampleOf("LABOR"), cors: "*" });

const post = (body: string, type = "application/json", path = "/datatables/MARKET/PRICES") =>
  get(open, path, { method: "POST", body, headers: { "content-type": type } });

describe("a path that ends without a format", () => {
  it.each([
    [undefined, "application/json; charset=utf-8"],
    ["application/json, application/vnd.data+json;version=2", "application/json; charset=utf-8"],
    ["*/*", "application/json; charset=utf-8"],
    ["text/csv", "text/csv; charset=utf-8"],
    ["application/xml;q=0.9, */*;q=0.1", "application/xml; charset=utf-8"],
    ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "application/json; charset=utf-8"],
  ])("Accept %s is answered as %s in both profiles", async (accept, type) => {
    for (const service of [strict, open]) {
      const answer = await get(service, "/datatables/MARKET/PRICES?ticker=AAA&qopts.per_page=1", {
        headers: accept === undefined ? {} : { accept },
      });
      expect(answer.status).toBe(200);
      expect(answer.headers.get("content-type")).toBe(type);
      expect(answer.headers.get("vary")).toContain("accept");
    }
  });
});

describe("dates followed by a time", () => {
  it.each(["2024-01-10 00:00:00", "2024-01-10T00:00:00.000Z", "2024-01-10T00:00:00+00:00", "2024-01-10 00:00:00 UTC"])(
    "%s is its date in this profile only",
    async (text) => {
      for (const path of [
        `/datasets/MARKET/AAA/data.csv?start_date=${encodeURIComponent(text)}&order=asc&limit=3`,
        `/datatables/MARKET/PRICES.csv?ticker=AAA&date.gte=${encodeURIComponent(text)}&qopts.per_page=3`,
      ]) {
        const plain = await get(strict, path.replace(encodeURIComponent(text), "2024-01-10"));
        expect((await get(open, path)).text).toBe(plain.text);
        expect((await get(strict, path)).status).toBe(422);
      }
    },
  );

  it("is not a licence for other text", async () => {
    for (const text of ["2024-01-10 noon", "2024-13-10 00:00:00", "20240110T00:00:00"]) {
      expect((await get(open, `/datasets/MARKET/AAA/data.csv?start_date=${encodeURIComponent(text)}`)).status).toBe(
        422,
      );
    }
  });
});

describe("a start or end without its day", () => {
  it("is the first day of the month in this profile only", async () => {
    for (const name of ["start_date", "end_date"]) {
      const whole = await get(strict, `/datasets/LABOR/EMPLOYMENT/data.csv?${name}=2024-01-01`);
      expect((await get(open, `/datasets/LABOR/EMPLOYMENT/data.csv?${name}=2024-01`)).text).toBe(whole.text);
      expect((await get(strict, `/datasets/LABOR/EMPLOYMENT/data.csv?${name}=2024-01`)).status).toBe(422);
      expect((await get(open, `/datasets/LABOR/EMPLOYMENT/data.csv?${name}=2024-13`)).status).toBe(422);
    }
  });
});

describe("parameters that no call has", () => {
  it.each(["/datasets/LABOR/EMPLOYMENT/data.csv?colapse=monthly", "/datatables/MARKET/PRICES/metadata.json?x=1&x=2"])(
    "%s is answered without it in this profile only",
    async (path) => {
      expect((await get(open, path)).text).toBe((await get(open, path.split("?")[0])).text);
      expect((await get(strict, path)).status).toBeGreaterThanOrEqual(400);
    },
  );

  it("are columns of a table, which must exist", async () => {
    expect((await get(open, "/datatables/MARKET/PRICES.csv?tickr=AAA")).status).toBe(422);
  });
});

describe("codes in another letter case", () => {
  it.each([
    ["/datasets/labor/employment/data.csv", "/datasets/LABOR/EMPLOYMENT/data.csv"],
    ["/databases/Labor.json", "/databases/LABOR.json"],
    ["/datatables/market/prices.csv?ticker=AAA", "/datatables/MARKET/PRICES.csv?ticker=AAA"],
    ["/datatables/market/Prices/metadata.json", "/datatables/MARKET/PRICES/metadata.json"],
  ])("%s is %s in this profile only", async (path, exact) => {
    expect((await get(open, path)).text).toBe((await get(open, exact)).text);
    expect((await get(strict, path)).status).toBe(404);
  });

  it("must be written exactly where two differ in nothing else", async () => {
    const { catalog, ...source } = sampleOf("LABOR");
    const [labor] = catalog.databases;
    const [series] = labor.datasets;
    const both = [
      { ...series, dataset_code: "AB" },
      { ...series, id: series.id + 1, dataset_code: "ab" },
    ];
    const twice = { ...source, catalog: { ...catalog, databases: [{ ...labor, datasets: both }] } };
    const service = await started({ data: twice, profile: "nasdaqDataLink" });
    expect((await get(service, "/datasets/LABOR/ab/metadata.json")).text).toContain('"dataset_code":"ab"');
    expect((await get(service, "/datasets/LABOR/Ab/metadata.json")).status).toBe(404);
  });
});

describe("a call without a key", () => {
  const get = async (url: string, path: string) => fetch(`${url}/api/v3${path}`);

  it("reads free products in this profile only", async () => {
    expect((await get(open.url, "/datasets/LABOR/EMPLOYMENT/data.csv")).status).toBe(200);
    expect((await get(strict.url, "/datasets/LABOR/EMPLOYMENT/data.csv")).status).not.toBe(200);
  });

  it.each(["/datasets/MARKET/AAA/data.json", "/datatables/MARKET/PRICES.json", "/databases/MARKET/data"])(
    "%s is refused with what to add",
    async (path) => {
      const reply = await get(open.url, path);
      expect(reply.status).toBe(403);
      expect(await reply.text()).toMatch(/QEPx04.*A valid API key is required to .*: add api_key to the query/);
    },
  );

  it("is not one with a wrong key", async () => {
    expect((await get(open.url, "/datasets/LABOR/EMPLOYMENT/data.csv?api_key=wrong")).status).toBe(400);
  });
});

describe("the database file", () => {
  it("is a redirect to its link, which client and browser follow", async () => {
    const answer = await get(open, "/databases/MARKET/data");
    expect(answer.status).toBe(302);
    expect(new URL(answer.headers.get("location") ?? "").pathname).toMatch(/^\/files\/[^/]+\/MARKET\.zip$/);
    const service = connect({ url: open.url, apiKey: "sample", profile: "nasdaqDataLink" });
    const ours = connect({ url: strict.url, apiKey: "sample" });
    const frame = await service.database("MARKET").bulk("partial").frame();
    expect(frame.toCSV()).toBe((await ours.database("MARKET").bulk("partial").frame()).toCSV());
  });
});

describe("an unknown column number", () => {
  it("is a column without a name and rows, in each format", async () => {
    const json = await get(open, "/datasets/MARKET/AAA/data.json?column_index=99");
    expect(json.json()).toMatchObject({ dataset_data: { column_index: 99, column_names: ["Date", null], data: [] } });
    expect((await get(open, "/datasets/MARKET/AAA/data.csv?column_index=99")).text).toBe('Date,""\n');
    expect((await get(open, "/datasets/MARKET/AAA/data.xml?column_index=99")).text).toContain(
      "<column-name></column-name>",
    );
    const service = connect({ url: open.url, apiKey: "sample", profile: "nasdaqDataLink" });
    for (const format of ["json", "xml", "csv"] as const) {
      await expect(service.dataset("MARKET/AAA").column(99).format(format).frame()).rejects.toMatchObject({
        code: "UnknownColumn",
      });
    }
  });
});

describe("lists of codes", () => {
  it("databases, datasets and tables with their positions", async () => {
    const databases = (await get(open, "/databases")).json() as never as {
      databases: { database_code: string }[];
      meta: object;
    };
    expect(databases.databases.map(({ database_code }) => database_code).sort()).toEqual(["LABOR", "MARKET"]);
    expect(databases.meta).toEqual({
      query: "",
      per_page: 100,
      current_page: 1,
      prev_page: null,
      total_pages: 1,
      total_count: 2,
      next_page: null,
      current_first_item: 1,
      current_last_item: 2,
    });
    const tables = (await get(open, "/datatables.json?query=prices")).json();
    expect(tables).toMatchObject({ datatables: [{ vendor_code: "MARKET", datatable_code: "PRICES" }] });
  });

  it("pages of a database's datasets join to all of them", async () => {
    const codes: string[] = [];
    for (let page: number | null = 1; page !== null; ) {
      const reply = (await get(open, `/datasets?database_code=MARKET&per_page=2&page=${page}`)).json() as never as {
        datasets: { dataset_code: string; database_code: string }[];
        meta: { next_page: number | null };
      };
      codes.push(...reply.datasets.map((item) => `${item.database_code}/${item.dataset_code}`));
      page = reply.meta.next_page;
    }
    const all = open.catalog().filter(({ kind, code }) => kind === "dataset" && code.startsWith("MARKET/"));
    expect(codes).toEqual(all.map(({ code }) => code));
  });

  it("are searched by all terms, and refused for an unknown database or page", async () => {
    const found = (await get(open, "/datasets?query=AAA+market")).json();
    expect(found).toMatchObject({ datasets: [{ dataset_code: "AAA" }] });
    expect((await get(open, "/datasets?query=AAA+nothing")).json()).toMatchObject({ datasets: [] });
    expect((await get(open, "/datasets?database_code=MARKT")).text).toContain("MARKET");
    expect((await get(open, "/datasets?page=0")).status).toBe(422);
  });

  it("do not exist in the specification", async () => {
    expect((await get(strict, "/databases")).status).toBe(400);
  });
});

describe("POST", () => {
  const asked = "/datatables/MARKET/PRICES.json?ticker=AAA,BBB&date.gte=2024-12-20&qopts.columns=ticker,date";
  const body = { ticker: ["AAA", "BBB"], date: { gte: "2024-12-20" }, qopts: { columns: ["ticker", "date"] } };

  it("the same query as JSON, with operators in names or nested, or as a form", async () => {
    const { text } = await get(open, asked);
    expect((await post(JSON.stringify(body))).text).toBe(text);
    const flat = { ticker: "AAA,BBB", "date.gte": "2024-12-20", "qopts.columns": "ticker,date" };
    expect((await post(JSON.stringify(flat))).text).toBe(text);
    expect((await post(new URLSearchParams(flat).toString(), "application/x-www-form-urlencoded")).text).toBe(text);
  });

  it("a list of 20,000 values that no address can hold", async () => {
    const ticker = [...Array.from({ length: 20_000 }, (_, i) => `NONE${i}`), "AAA"];
    const answer = await post(JSON.stringify({ ...body, ticker }));
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('"AAA"');
    expect(answer.text).not.toContain('"BBB"');
  });

  it.each([
    ["[1]", 400],
    ["{", 400],
    ['{"ticker":{"in":{"x":1}}}', 400],
    ['{"ticker":null}', 400],
    ['{"ticker":"\\ud800"}', 400],
    [`{"ticker":"${"x".repeat(2 << 20)}"}`, 413],
  ])("a wrong body is refused: %#", async (text, status) => {
    const answer = await post(text);
    expect(answer.status).toBe(status);
    expect(answer.json()).toMatchObject({ quandl_error: { code: expect.stringMatching(/^QE/) } });
  });

  it("a list whose items commas would change is refused where items are separated by commas", async () => {
    const profile = defineProfile(nasdaqDataLink, { name: "no lists", extensions: ["post"] });
    const service = await serve({ data, profile });
    const ask = async (ticker: unknown[]) => {
      const path = `${service.url}/api/v3/datatables/MARKET/PRICES?api_key=sample`;
      return fetch(path, { method: "POST", body: JSON.stringify({ ...body, ticker }) });
    };
    expect((await ask(["AAA", "BBB"])).status).toBe(200);
    for (const item of ["AAA,BBB", null, { eq: "AAA" }, ["AAA"]]) expect((await ask([item])).status).toBe(400);
    await service.close();
  });

  it("is refused by the specification and for anything but the rows of a table", async () => {
    expect((await get(strict, asked, { method: "POST", body: "{}" })).status).toBe(405);
    expect((await post("{}", "application/json", "/databases/MARKET")).status).toBe(405);
  });
});

describe("CORS", () => {
  const from = (service: { url: string }, origin: string, method = "GET") =>
    get(service, "/databases/LABOR.json", { method, headers: { origin } });

  it("on request, for the origins that were passed", async () => {
    const allowed = await from(open, "https://app.example");
    expect(allowed.headers.get("access-control-allow-origin")).toBe("https://app.example");
    expect(allowed.headers.get("access-control-expose-headers")).toContain("cursor_id");
    expect(allowed.headers.get("vary")).toContain("origin");
    expect((await from(open, "https://other.example")).headers.get("access-control-allow-origin")).toBeNull();
    expect((await from(anyOrigin, "https://other.example")).headers.get("access-control-allow-origin")).toBe("*");
    expect((await from(strict, "https://app.example")).headers.get("access-control-allow-origin")).toBeNull();
  });

  it("answers preflight requests without a key, and errors with the headers too", async () => {
    const { hostname, port } = new URL(open.url);
    const preflight = await new Promise<{ status?: number; methods?: string }>((resolve, reject) => {
      const headers = { origin: "https://app.example", "access-control-request-method": "POST" };
      request({ hostname, port, path: "/api/v3/datatables/A/B", method: "OPTIONS", headers }, (reply) => {
        reply.resume();
        resolve({ status: reply.statusCode, methods: reply.headers["access-control-allow-methods"] });
      })
        .on("error", reject)
        .end();
    });
    expect(preflight).toEqual({ status: 204, methods: "GET, HEAD, POST" });
    expect((await from(strict, "https://app.example", "OPTIONS")).status).toBe(405);
    const failed = await get(open, "/databases/NONE", { headers: { origin: "https://app.example" } });
    expect(failed.status).toBe(404);
    expect(failed.headers.get("access-control-allow-origin")).toBe("https://app.example");
  });
});

describe("links behind a proxy", () => {
  const linkOf = async (headers: Record<string, string>, service = open): Promise<string> =>
    (await get(service, "/databases/MARKET/data", { headers })).headers.get("location") ?? "";

  it("are https where the proxy says so: they carry a key", async () => {
    expect(await linkOf({ "x-forwarded-proto": "https" })).toMatch(/^https:\/\/127/);
    expect(await linkOf({ "x-forwarded-proto": "https, http" })).toMatch(/^https:/);
    expect(await linkOf({ "x-forwarded-proto": "javascript" })).toMatch(/^http:/);
    expect(await linkOf({})).toMatch(/^http:/);
  });
});

it("any Accept header selects one of the formats", () => {
  forAll(runs(100), fc.string({ unit: "binary" }), (accept) => {
    expect(["json", "xml", "csv"]).toContain(acceptedFormat(accept, ["json", "xml", "csv"]));
  });
});
