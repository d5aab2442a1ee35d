import { existsSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { address, baseOf } from "../../src/client/transport/address.js";
import { isRefusal, route } from "../../src/server/http/route.js";
import { type Call, type Endpoint, type EndpointName, endpoints, type Filter } from "../../src/spec/endpoints.js";
import { nasdaqDataLink, type Profile, specification } from "../../src/spec/profile.js";
import { cases } from "../cases.js";
import { forAll } from "../support/for-all.js";
import { runs } from "../support/whole.js";

const BASE = "https://data.example";

const wellFormed = (s: string): boolean => Buffer.from(s).toString() === s;

/** Any text that UTF-8 can carry, awkward ones often. */
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 12 }).filter(wellFormed),
  fc.constantFrom(
    "BRK.B",
    "a.json",
    "a.xml",
    "x.csv.json",
    "100%",
    "%2F",
    "a/b",
    "a+b c",
    "é漢🙂",
    "null",
    "__proto__",
    "constructor",
    "data",
    "metadata",
    "a&b=c",
    "#?;",
    "'; DROP TABLE--",
  ),
);
const code = text.filter((s) => s !== "" && s !== "." && s !== "..");
const column = fc
  .oneof(text, fc.constantFrom("date", "ticker", "Adj. Close", "x.gte", ".eq", "gte", "@cursor", "api_key2"))
  .filter((s) => s !== "" && s !== "api_key" && !/^qopts\./i.test(s));

const filter: fc.Arbitrary<Filter> = fc.oneof(
  fc.record({
    column,
    operator: fc.constant("eq"),
    values: fc.array(
      text.filter((s) => !s.includes(",")),
      { minLength: 1, maxLength: 4 },
    ),
  }),
  fc.record({ column, operator: fc.constantFrom("gt", "gte", "lt", "lte"), values: fc.tuple(text) }),
);

function callOf(name: EndpointName): fc.Arbitrary<Call> {
  const endpoint: Endpoint = endpoints[name];
  const codes = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map((match) => [match[1], code] as const);
  const formats = [...endpoint.formats, ...(name === "tableExport" ? [undefined] : [])];
  const parameters = endpoint.parameters.filter((parameter) => parameter !== "qopts.export");
  return fc
    .record({
      codes: fc.record(Object.fromEntries(codes)),
      format: formats.length === 0 ? fc.constant(undefined) : fc.constantFrom(...formats),
      parameters: fc.record(Object.fromEntries(parameters.map((parameter) => [parameter, text])), { requiredKeys: [] }),
      filters: endpoint.filters
        ? fc.uniqueArray(filter, { maxLength: 4, selector: (f) => `${f.column}.${f.operator}` })
        : fc.constant([]),
    })
    .map(({ format, ...rest }) => ({ endpoint: name, ...rest, ...(format && { format }) }) as Call);
}

const plain = (call: unknown): unknown => JSON.parse(JSON.stringify(call));

describe.each([
  ["specification", specification],
  ["nasdaqDataLink", nasdaqDataLink],
] as const)("profile %s", (_, given) => {
  const profile: Profile = { ...given, maxQueryLength: { ...given.maxQueryLength, value: 1e9 } };
  const offered = (Object.keys(endpoints) as EndpointName[]).filter(
    (name) => (endpoints[name] as Endpoint).extension === undefined || profile.extensions.value.length > 0,
  );
  it.each(offered)("spec 4: route(address(call)) equals call: %s", (name) => {
    forAll(runs(300), callOf(name), (call) => {
      const url = address(call, BASE, profile);
      expect(new URL(url).href).toBe(url);
      expect(plain(route("GET", url, profile))).toEqual(plain(call));
      expect(plain(route("HEAD", `${url}${url.includes("?") ? "&" : "?"}api_key=k`, profile))).toEqual(plain(call));
    });
  });
});

const call = (endpoint: EndpointName, rest: Partial<Call> = {}): Call => ({
  endpoint,
  codes: { database_code: "EOD", dataset_code: "BRK.B", vendor_code: "SHARADAR", datatable_code: "SEP" },
  format: "json",
  parameters: {},
  filters: [],
  ...rest,
});
const at = (path: string): string => `${BASE}/api/v3${path}`;

describe("addresses as the specification spells them", () => {
  it.each([
    ["4.1", call("datasetData"), "/datasets/EOD/BRK.B/data.json"],
    [
      "4.2",
      call("dataset", {
        format: "csv",
        parameters: { collapse: "monthly", column_index: "4", transform: "rdiff", start_date: "2020-01-01" },
      }),
      "/datasets/EOD/BRK.B.csv?column_index=4&start_date=2020-01-01&collapse=monthly&transform=rdiff",
    ],
    ["4.3", call("datasetMetadata", { format: "xml" }), "/datasets/EOD/BRK.B/metadata.xml"],
    ["4.4", call("dataset"), "/datasets/EOD/BRK.B.json"],
    ["4.5", call("databaseMetadata"), "/databases/EOD.json"],
    [
      "4.6",
      call("databaseBulk", { format: undefined, parameters: { download_type: "full" } }),
      "/databases/EOD/data?download_type=full",
    ],
    [
      "4.7",
      call("tableRows", {
        parameters: { "qopts.columns": "ticker,date" },
        filters: [
          { column: "ticker", operator: "eq", values: ["AAPL", "MSFT"] },
          { column: "date", operator: "gte", values: ["2020-01-01"] },
        ],
      }),
      "/datatables/SHARADAR/SEP.json?ticker=AAPL,MSFT&date.gte=2020-01-01&qopts.columns=ticker%2Cdate",
    ],
    ["4.8", call("tableMetadata", { format: "csv" }), "/datatables/SHARADAR/SEP/metadata.csv"],
    ["4.9", call("tableExport"), "/datatables/SHARADAR/SEP.json/?qopts.export=true"],
    ["4.9", call("tableExport", { format: undefined }), "/datatables/SHARADAR/SEP?qopts.export=true"],
  ])("spec %s: %j", (_, given, path) => {
    expect(address(given, BASE, specification)).toBe(at(path));
  });

  it("spec 4.9: three forms of the path are one call", () => {
    for (const path of ["SEP.json/", "SEP.json"]) {
      expect(route("GET", `/api/v3/datatables/SHARADAR/${path}?qopts.export=true`, specification)).toMatchObject({
        endpoint: "tableExport",
        format: "json",
      });
    }
    const bare = route("GET", "/api/v3/datatables/SHARADAR/SEP?qopts.export=true&api_key=x", specification);
    expect(bare).toMatchObject({ endpoint: "tableExport", parameters: {}, filters: [] });
    expect(bare).not.toHaveProperty("format");
  });

  it("spec 4: the base address may end with a slash or the version path", () => {
    for (const base of [BASE, `${BASE}/`, `${BASE}/api/v3`, `${BASE}/api/v3/`]) expect(baseOf(base)).toBe(BASE);
    expect(baseOf("https://x.example/service/api/v3")).toBe("https://x.example/service");
  });

  it("spec 4.6: a profile has its own value for a complete database", () => {
    const bulk = call("databaseBulk", { format: undefined, parameters: { download_type: "full" } });
    expect(address(bulk, BASE, nasdaqDataLink)).toContain("download_type=complete");
  });
});

describe("what no address can say is refused before asking", () => {
  it.each([
    ["BadCode", call("datasetData", { codes: { database_code: "EOD", dataset_code: ".." } })],
    ["BadCode", call("datasetData", { codes: { database_code: "", dataset_code: "A" } })],
    ["BadArgument", call("datasetData", { codes: { database_code: "EOD", dataset_code: "\ud800" } })],
    ["BadArgument", call("tableRows", { format: undefined })],
    ["UnknownValue", call("databaseBulk", { parameters: { download_type: "full" } })],
    ["UnknownOption", call("datasetMetadata", { parameters: { limit: "1" } })],
    ["BadFilter", call("tableRows", { filters: [{ column: "name", operator: "eq", values: ["Smith, John"] }] })],
    ["BadFilter", call("tableRows", { filters: [{ column: "api_key", operator: "eq", values: ["x"] }] })],
    ["BadFilter", call("tableRows", { filters: [{ column: "qopts.columns", operator: "eq", values: ["x"] }] })],
    ["BadFilter", call("tableRows", { filters: [{ column: "date", operator: "gte", values: ["a", "b"] }] })],
    ["BadFilter", call("tableRows", { filters: [{ column: "date", operator: "eq", values: [] }] })],
  ])("%s", (code, given) => {
    expect(() => address(given, BASE, specification)).toThrow(expect.objectContaining({ name: "InputError", code }));
  });
});

describe("an address that is not a call is refused with a status and a code", () => {
  it.each([
    [400, "/"],
    [400, "/api/v3"],
    [400, "/api/v3/"],
    [400, "/api/v2/datasets/A/B.json"],
    [400, "/api/v3/datasets/A.json"],
    [400, "/api/v3/datasets//B.json"],
    [400, "/api/v3/datasets/A/%E0%A4%A.json"],
    [400, "/api/v3/datatables/A/B.json?x=%ff"],
    [400, "/api/v3/datatables/A/B.json?x=1&x=2"],
    [406, "/api/v3/datasets/A/B.yaml"],
    [400, "/api/v3/datasets?query=oil"],
    [400, "/api/v3/databases.json"],
    [400, "/api/v3/datatables/A/B.json?x[]=1&x[]=2"],
    [422, "/api/v3/datasets/A/B.json?rows=5"],
    [414, `/api/v3/datatables/A/B.json?ticker=${"x".repeat(9000)}`],
    [422, "/api/v3/datasets/A/B.json?strat_date=2020-01-01"],
    [422, "/api/v3/datatables/A/B.json?qopts.column=a"],
    [422, "/api/v3/datatables/A/B.json?qopts.export=maybe"],
  ])("%i %s", (status, url) => {
    const result = route("GET", url, specification);
    expect(isRefusal(result)).toBe(true);
    expect(result).toMatchObject({ status, code: expect.stringMatching(/^QE/), message: expect.any(String) });
  });

  it("names the format to answer in, and the nearest parameter", () => {
    expect(route("GET", "/api/v3/datasets/A/B.csv?strat_date=1", specification)).toMatchObject({
      format: "csv",
      message: expect.stringContaining("start_date"),
    });
  });

  it("spec 7: a query that is too long is refused with the specification's message", () => {
    const result = route("GET", `/api/v3/datatables/A/B.xml?t=${"x".repeat(9000)}`, specification);
    expect(result).toMatchObject({ format: "xml", message: expect.stringContaining("query parameters are too long") });
  });

  it("any address at all is a call or a refusal", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "/api/v3",
        "/datasets",
        "/datatables",
        "/databases",
        "/data",
        "/metadata",
        ".json",
        ".csv",
        "/",
        "?",
        "&",
        "=",
        "%",
        "%2F",
        "..",
        "__proto__",
        "qopts.export=true",
        "qopts.columns",
        "api_key=k",
      ),
      fc.string({ unit: "binary", maxLength: 6 }),
    );
    forAll(runs(2_000), fc.array(piece, { maxLength: 12 }), (pieces) => {
      const result = route("GET", pieces.join(""), specification);
      if (isRefusal(result))
        expect(result).toMatchObject({ code: expect.stringMatching(/^QE/), message: expect.any(String) });
      else expect(Object.keys(endpoints)).toContain(result.endpoint);
    });
  });

  it("section 4 leaves a path without a format open: it is a call, and the caller chooses the format", () => {
    for (const [path, endpoint] of [
      ["/datasets/A/B", "dataset"],
      ["/datasets/A/B/data", "datasetData"],
      ["/datasets/A/B/metadata", "datasetMetadata"],
      ["/databases/A", "databaseMetadata"],
      ["/datatables/A/B?ticker=X", "tableRows"],
      ["/datatables/A/B/metadata", "tableMetadata"],
    ]) {
      const result = route("GET", `/api/v3${path}`, specification);
      expect(result).toMatchObject({ endpoint });
      expect(result).not.toHaveProperty("format");
    }
  });

  it("spec intro: all calls are GET", () => {
    expect(route("POST", "/api/v3/databases/A.json", specification)).toMatchObject({ status: 405 });
  });
});

describe("extensions of the profile nasdaqDataLink", () => {
  const routed = (path: string, method = "GET") => route(method, `/api/v3${path}`, nasdaqDataLink);
  const eq = (...values: string[]) => [{ column: "t", operator: "eq", values }];

  it.each([
    ["t[]=a&t[]=b", eq("a", "b")],
    ["t%5B%5D=a&t%5B%5D=b", eq("a", "b")],
    ["t=a&t=b,c", eq("a", "b", "c")],
    ["t[]=a,b", eq("a,b")],
    ["t.in[]=a&t.in[]=b", eq("a", "b")],
    ["t.in=a,b", eq("a", "b")],
    ["t.eq=a", eq("a")],
    ["auth_token=k&t=a", eq("a")],
  ])("lists: %s", (query, filters) => {
    expect(routed(`/datatables/A/B.json?${query}`)).toMatchObject({ endpoint: "tableRows", filters, parameters: {} });
  });

  it("lists: columns, but neither bounds nor parameters", () => {
    expect(routed("/datatables/A/B?qopts.columns[]=x&qopts.columns[]=y")).toMatchObject({
      parameters: { "qopts.columns": "x,y" },
    });
    expect(routed("/datatables/A/B?d.gte[]=1&d.gte[]=2")).toMatchObject({ status: 400 });
    expect(routed("/datatables/A/B?qopts.export=true&qopts.export=false")).toMatchObject({ status: 400 });
    expect(routed("/datasets/A/B?limit=1&limit=2")).toMatchObject({ status: 400 });
  });

  it("older names are those of today, which count where both are present", () => {
    expect(
      routed("/datasets/A/B?rows=5&trim_start=2020-01-01&trim_end=2020-02-01&sort_order=asc&transformation=diff"),
    ).toMatchObject({
      parameters: {
        limit: "5",
        start_date: "2020-01-01",
        end_date: "2020-02-01",
        order: "asc",
        transform: "diff",
      },
    });
    expect(routed("/datasets/A/B/data?rows=5&limit=7&order=asc&sort_order=desc")).toMatchObject({
      parameters: { limit: "7", order: "asc" },
    });
    expect(routed("/datasets/A/B.json?exclude_data=true&api_version=3")).toMatchObject({ endpoint: "datasetMetadata" });
  });

  it("lists of codes", () => {
    expect(routed("/datasets?query=oil&per_page=5")).toMatchObject({
      endpoint: "datasetList",
      parameters: { query: "oil", per_page: "5" },
    });
    expect(routed("/databases.json")).toMatchObject({ endpoint: "databaseList", format: "json" });
    expect(routed("/databases.csv")).toMatchObject({ status: 406 });
  });

  it("POST is for the rows of tables", () => {
    expect(routed("/datatables/A/B.json?t[]=a", "POST")).toMatchObject({ endpoint: "tableRows" });
    expect(routed("/datasets/A/B.json", "POST")).toMatchObject({ status: 405 });
    expect(routed("/datatables/A/B.json", "PUT")).toMatchObject({ status: 405 });
  });

  it("any values as a list are the same values, whatever they contain", () => {
    forAll(runs(100), fc.array(text, { minLength: 1, maxLength: 5 }), (values) => {
      const query = values.map((value) => `t[]=${encodeURIComponent(value)}`).join("&");
      expect(routed(`/datatables/A/B.json?${query}`)).toMatchObject({ filters: eq(...values) });
    });
  });
});

describe("naughty strings", () => {
  const file = cases("naughty-strings/blns.json");
  const own = ["%00", "a/b", "..%2f", "\u202e", "x,y", "🏳️‍🌈", "a.csv", "null"];
  const strings = existsSync(file) ? [...own, ...(JSON.parse(readFileSync(file, "utf8")) as string[])] : own;
  const profile: Profile = { ...specification, maxQueryLength: { ...specification.maxQueryLength, value: 1e9 } };

  it("round-trip as codes, filter columns and values, or are rejected before the request", () => {
    const refused: string[] = [];
    for (const text of strings) {
      const given = call("tableRows", {
        codes: { vendor_code: text, datatable_code: text },
        filters: [
          { column: text, operator: "gte", values: [text] },
          { column: "c", operator: "eq", values: ["", text] },
        ],
      });
      let url: string;
      try {
        url = address(given, BASE, profile);
      } catch (error) {
        expect(error).toMatchObject({ name: "InputError" });
        refused.push(text);
        continue;
      }
      expect(new URL(url).href).toBe(url);
      expect(plain(route("GET", url, profile))).toEqual(plain(given));
    }
    for (const text of refused)
      expect(["", ".", ".."].includes(text) || text.includes(","), JSON.stringify(text)).toBe(true);
  });
});
