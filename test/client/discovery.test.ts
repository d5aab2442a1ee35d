import { createServer } from "node:http";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { connect } from "../../src/client/service.js";
import { connect as withSample } from "../../src/connect.js";
import { readListing, writeListing } from "../../src/document/listing.js";
import { started } from "../server/support.js";
import { listening } from "../support/listening.js";
import { runs } from "../support/whole.js";

const plain = await started();
const listing = await started({ profile: "nasdaqDataLink" });
const services = [
  ["an embedded service", connect({ url: plain.url, apiKey: "sample" })],
  ["the extension listings", connect({ url: listing.url, apiKey: "sample", profile: "nasdaqDataLink" })],
] as const;

/** A service that sends these bodies by path. */
async function fake(bodies: Record<string, unknown>): Promise<string> {
  const server = createServer((request, reply) => {
    const body = bodies[(request.url ?? "").split("?")[0]];
    reply.writeHead(body === undefined ? 404 : 200, { "content-type": "application/json" });
    reply.end(typeof body === "string" ? body : JSON.stringify(body ?? { error: { code: "QECx01", message: "no" } }));
  });
  return listening(server);
}

describe.each(services)("by %s", (_, service) => {
  it("catalog() lists every code", async () => {
    const byCode = (a: { code: string; kind: string }, b: { code: string; kind: string }) =>
      `${a.kind} ${a.code}` < `${b.kind} ${b.code}` ? -1 : 1;
    expect([...(await service.catalog())].sort(byCode)).toEqual(plain.catalog().sort(byCode));
  });

  it("databases() and the datasets() of one", async () => {
    expect((await service.databases()).map(({ code }) => code)).toEqual(["WEATHER", "LABOR", "CLIMATE", "MARKET"]);
    const weather = service.database("WEATHER");
    expect((await weather.datasets()).map(({ code }) => code)).toEqual(["WEATHER/SEATTLE", "WEATHER/NEWYORK"]);
    expect((await weather.datasets({ query: "york" })).map(({ code }) => code)).toEqual(["WEATHER/NEWYORK"]);
    expect(await weather.datasets({ limit: 1 })).toHaveLength(1);
  });

  it("search() finds all terms, whatever their case, in codes, names and descriptions", async () => {
    const codes = async (text: string) => (await service.search(text)).map(({ kind, code }) => `${kind} ${code}`);
    expect(await codes("seattle, DAILY")).toEqual(["dataset WEATHER/SEATTLE"]);
    expect(await codes("market/prices")).toEqual(["table MARKET/PRICES"]);
    expect(await codes("Mauna")).toContain("dataset CLIMATE/CO2");
    expect(await codes("nothing of this name")).toEqual([]);
    expect(await service.search("a", { limit: 3 })).toHaveLength(3);
    await expect(service.search("a", { limit: 0 })).rejects.toMatchObject({ code: "BadArgument" });
  });
});

it("connect.sample() has its catalogue at once", async () => {
  const sample = await withSample.sample();
  afterAll(() => sample.close());
  expect(sample.catalog()).toEqual(plain.catalog());
  expect((await sample.search("airports")).map(({ code }) => code)).toContain("TRANSPORT/AIRPORTS");
});

describe("a service that does not list its codes", () => {
  it.each([
    ["no such path", {}],
    ["a web page", { "/catalog.json": "<html>Welcome</html>" }],
    ["another document", { "/catalog.json": [] }],
  ])("is named as such: %s", async (__, bodies) => {
    const service = connect({ url: await fake(bodies), apiKey: "key-1234567890" });
    await expect(service.databases()).rejects.toMatchObject({ code: "NoCatalog" });
    await expect(service.catalog()).rejects.toMatchObject({ code: "NoCatalog" });
  });

  it("a wrong key is not a missing list", async () => {
    await expect(connect({ url: plain.url, apiKey: "wrong" }).databases()).rejects.toMatchObject({ code: "QEAx01" });
  });

  it("lists without tables, as the public service has them, are complete", async () => {
    const meta = { next_page: null };
    const url = await fake({
      "/api/v3/databases.json": { databases: [{ database_code: "A", name: "a", premium: false }], meta },
      "/api/v3/datasets.json": {
        datasets: [{ database_code: "A", dataset_code: "B", name: "b", premium: false }],
        meta,
      },
    });
    const service = connect({ url, apiKey: "k", profile: "nasdaqDataLink" });
    expect((await service.catalog()).map(({ code }) => code)).toEqual(["A", "A/B"]);
  });

  it("a list whose next page is an earlier one ends with an error", async () => {
    const item = { database_code: "A", name: "a", premium: false };
    const url = await fake({ "/api/v3/databases.json": { databases: [item], meta: { next_page: 1 } } });
    const service = connect({ url, apiKey: "k", profile: "nasdaqDataLink" });
    await expect(service.databases()).rejects.toMatchObject({ code: "CursorLoop" });
  });

  it("a list that repeats a page for ever ends with an error", async () => {
    const databases = [{ database_code: "A", name: "a", premium: false }];
    const next = (page: number): number | null => (page < 9 ? page + 1 : null);
    const service = connect({
      url: "https://data.example.com",
      apiKey: "k",
      profile: "nasdaqDataLink",
      fetch: async (input) => {
        const page = Number(new URL(String(input)).searchParams.get("page"));
        return Response.json({ databases, meta: { next_page: next(page) } });
      },
    });
    await expect(service.databases()).rejects.toMatchObject({ code: "CursorLoop" });
  });
});

it("a page of a list is read as it is written, and the pages join to the list", () => {
  const name = fc.string();
  const item = fc.record({ name, database_code: name, description: fc.option(name), premium: fc.boolean() });
  fc.assert(
    fc.property(fc.array(item, { maxLength: 12 }), fc.integer({ min: 1, max: 5 }), (items, perPage) => {
      const all = items.map((each, id) => ({ ...each, id, datasets_count: 1, downloads: 0, image: null }));
      const joined = [];
      for (let page: number | null = 1; page !== null; ) {
        const text: string = writeListing("databases", all, { query: "", page, perPage });
        const read: ReturnType<typeof readListing> = readListing("databases", new TextEncoder().encode(text));
        joined.push(...read.items);
        page = read.next;
      }
      expect(joined).toEqual(all);
    }),
    { numRuns: runs(50) },
  );
});

it.each(["", "[]", '{"databases":5,"meta":{}}', '{"databases":[1]}', '{"databases":[],"meta":{"next_page":"2"}}'])(
  "a list of another shape is an error: %s",
  (text) => {
    expect(() => readListing("databases", new TextEncoder().encode(text))).toThrow(
      expect.objectContaining({ name: "DataError" }),
    );
  },
);
