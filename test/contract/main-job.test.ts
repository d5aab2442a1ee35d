import { readFileSync } from "node:fs";
import { join } from "node:path";
import Papa from "papaparse";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AnyRow, connect, type Frame, type SampleService } from "../../src/index.js";
import { packageRoot } from "../../src/package/package-root.js";

/* The main job on the sample: whole tables through cursors, exports and bulk files, equal cell by cell. */
let service: SampleService;

beforeAll(async () => {
  service = await connect.sample();
});
afterAll(() => service.close());

/** Every cell as its exact text. */
const texts = (frame: Frame<AnyRow>): Record<string, (string | null)[]> =>
  Object.fromEntries(frame.columns.map(({ name }) => [name, frame.column(name).toStrings()]));

describe.each([
  ["TRANSPORT/FLIGHTS", 20_000],
  ["MARKET/PRICES", 30_000],
])("%s", (code, least) => {
  let paged: Frame<AnyRow>;
  beforeAll(async () => {
    paged = (await service.table(code).frame()) as Frame<AnyRow>;
  });

  it("comes whole through its cursor pages (spec 4.7, 8)", async () => {
    expect(paged.numRows).toBeGreaterThanOrEqual(least);
    const first = await service.table(code).page();
    expect(first.frame.numRows).toBe(10_000);
    expect(first.next).toEqual(expect.any(String));
  });

  it("has the Arrow types its metadata declares (spec 2.6, 2.7)", async () => {
    const { columns } = await service.table(code).metadata();
    expect(paged.columns).toEqual(columns);
    for (const [i, { type }] of columns.entries()) {
      const arrow = String(paged.table.schema.fields[i].type);
      const decimal = /^BigDecimal\((\d+),(\d+)\)$/.exec(type);
      if (decimal) expect(arrow).toMatch(new RegExp(`^Decimal\\[${decimal[1]}e[+]?${decimal[2]}\\]$`));
      else if (type === "Date") expect(arrow).toBe("Date32<DAY>");
      else if (type === "String") expect(arrow).toMatch(/^(Dictionary<Int32, Utf8>|Utf8)$/);
      else expect(arrow).toBe("Int64");
    }
  });

  it("equals its export cell by cell (spec 4.9)", async () => {
    const exported = (await service.table(code).export().frame()) as Frame<AnyRow>;
    expect(exported.columns).toEqual(paged.columns);
    expect(texts(exported)).toEqual(texts(paged));
  });
});

it("TRANSPORT/FLIGHTS equals its CSV source cell by cell", async () => {
  const source = readFileSync(join(packageRoot(), "notebooks/data/transport-flights.csv"), "utf8");
  const { data, meta } = Papa.parse<Record<string, string>>(source, { header: true, skipEmptyLines: true });
  const frame = (await service.table("TRANSPORT/FLIGHTS").frame()) as Frame<AnyRow>;
  expect(frame.columns.map(({ name }) => name)).toEqual(meta.fields);
  const found = texts(frame);
  for (const name of meta.fields ?? []) expect(found[name]).toEqual(data.map((row) => row[name] || null));
});

it("MARKET/PRICES equals the series of the database MARKET, value by value", async () => {
  const table = (await service.table("MARKET/PRICES").where({ ticker: "CCC" }).frame()) as Frame<AnyRow>;
  const series = (await service.dataset("MARKET/CCC").order("asc").frame()) as Frame<AnyRow>;
  const sorted = table.sort("date");
  expect(sorted.column("date").toStrings()).toEqual(series.column("Date").toStrings());
  for (const name of ["Open", "High", "Low", "Close", "Volume"]) {
    expect(sorted.column(name.toLowerCase()).toNumbers()).toEqual(series.column(name).toNumbers());
  }
});

it("a partial bulk file has one row a series, the latest; the full one has them all (spec 4.6)", async () => {
  const partial = (await service.database("MARKET").bulk("partial").frame()) as Frame<AnyRow>;
  expect(partial.column("Code").toStrings().sort()).toEqual(["AAA", "BBB", "CCC", "DDD", "EEE"]);
  expect(new Set(partial.column("Date").toStrings())).toEqual(new Set(["2024-12-31"]));
  const full = (await service.database("MARKET").bulk("full").frame()) as Frame<AnyRow>;
  expect(full.columns.map(({ name, type }) => `${name} ${type}`)).toEqual([
    "Code String",
    "Date Date",
    "Open double",
    "High double",
    "Low double",
    "Close double",
    "Volume double",
  ]);
  expect(full.numRows).toBe((await service.table("MARKET/PRICES").frame()).numRows);
});
