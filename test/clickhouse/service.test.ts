import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { textRows } from "../../src/columns/build/text-rows.js";
import type { Engine } from "../../src/engine/contract/engine.js";
import { duckdbEngine } from "../../src/engine/duckdb/duckdb.js";
import { type RunningService, serve } from "../../src/server.js";
import { engineUnderTest } from "../server/engine-under-test.js";
import { folderOf, get, seriesCatalog } from "../server/support.js";

/** A generator with a seed, so that both services have the same rows. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const next = numbers(7);
const pick = <T>(values: readonly T[]): T => values[next(values.length)];
const day = (): string => new Date(86_400_000 * (next(146_000) - 25_567)).toISOString().slice(0, 10);
const TEXTS = [
  "AAA",
  "a",
  "",
  "Größe 大",
  'quo"te',
  "it's",
  "back\\slash",
  "x,y",
  "line\nbreak",
  "\u{1f600}",
  "NULL",
  "\\N",
];
const DATES = ["1900-01-01", "1969-12-31", "1970-01-01", "2024-02-29", "2299-12-31"];
const TIMES = [
  "1900-01-01T00:00:00.000Z",
  "1969-12-31T23:59:59.999Z",
  "2024-02-29T12:30:00.500Z",
  "2299-12-31T23:59:59Z",
];
const DOUBLES = ["0", "-0.0", "0.1", "1e308", "-1e-300", "5e-324", "123456789.125", "1e22"];
const LONGS = ["-9223372036854775808", "9223372036854775807", "0", "-1", "42"];
const PRICES = ["-99999999999.9999", "99999999999.9999", "0.0000", "0.0001", "10.2500"];
const WIDE = ["-99999999999999999999999999999999999999", "99999999999999999999999999999999999999", "7", "0"];
const WIDEST = ["1234567890123456789012.3456789012345678901234567890", "-0.0000000000000000000000000001"];

const COLUMNS = [
  { name: "text", type: "String", values: TEXTS },
  { name: "date", type: "Date", values: [...DATES, ...Array.from({ length: 20 }, day)] },
  { name: "at", type: "DateTime", values: TIMES },
  { name: "double", type: "double", values: DOUBLES },
  { name: "long", type: "Integer", values: LONGS },
  { name: "price", type: "BigDecimal(15,4)", values: PRICES },
  { name: "wide", type: "BigDecimal(38,0)", values: WIDE },
  { name: "flag", type: "Boolean", values: ["true", "false"] },
  { name: "widest", type: "BigDecimal(50,28)", values: WIDEST },
] as const;

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
const rows = Array.from({ length: 600 }, () =>
  COLUMNS.map(({ name, values }) => (next(6) === 0 ? "" : name === "text" ? quoted(pick(values)) : pick(values))).join(
    ",",
  ),
);
const days = [...new Set([...Array.from({ length: 900 }, (_, i) => 18_000 + 3 * i - (i % 3)), -25_567, -1, 0])]
  .sort((a, b) => a - b)
  .map((each) => new Date(86_400_000 * each).toISOString().slice(0, 10));
const series = days.map((date) => {
  const value = (): string => pick(["", "0", String(next(1_000_000) / 1_000), String(-next(99) / 7), "1e300", "3"]);
  return `${date},${value()},${value()},${value()}`;
});

const table = {
  vendor_code: "V",
  datatable_code: "T",
  name: "T",
  columns: COLUMNS.map(({ name, type }) => ({ name, type })),
  filters: COLUMNS.map(({ name }) => name).filter((name) => name !== "widest"),
  premium: true,
  file: "t.csv",
};
const data = folderOf({
  "catalog.json": { ...seriesCatalog(["Date", "A", "B", "C"], true), tables: [table] },
  "t.csv": `${COLUMNS.map(({ name }) => name).join(",")}\n${rows.join("\n")}\n`,
  "s.csv": `Date,A,B,C\n${series.join("\n")}\n`,
});

/** A service whose cursors are sealed as those of the other one. */
async function on(engine: Engine, folder = data): Promise<RunningService> {
  const columns = [
    { name: "name", type: "String" },
    { name: "value", type: "String" },
  ];
  await engine.load("arrowbook_service", textRows([["secret", '"a secret"']], columns).table(), { key: "name" });
  return serve({ data: folder, engine });
}

const engine = await engineUnderTest();
const other = await duckdbEngine();
const service = await on(engine);
const judge = await on(other);

const RUNS = Number(process.env["ARROWBOOK_RUNS"] ?? 150);
let answered = 0;

async function equal(path: string): Promise<string> {
  const [found, expected] = [await get(service, path), await get(judge, path)];
  expect([path, found.status, found.text]).toEqual([path, expected.status, expected.text]);
  if (found.status === 200) answered++;
  for (const name of ["cursor_id", "etag"]) expect(found.headers.get(name)).toBe(expected.headers.get(name));
  return found.text;
}

const format = fc.constantFrom("json", "csv", "xml");
const column = fc.integer({ min: 0, max: COLUMNS.length - 1 });
const SOME = [
  "0",
  "-1.5",
  "1e10",
  "0.00005",
  "99999999999999999999",
  "1899-12-31",
  "2300-01-01",
  "0001-01-01",
  "9999-12-31",
];
const filter = fc
  .record({
    column,
    operator: fc.constantFrom("", "", ".gt", ".gte", ".lt", ".lte"),
    picks: fc.array(fc.nat(), { minLength: 1, maxLength: 3 }),
    isOther: fc.boolean(),
    other: fc.constantFrom(...SOME),
  })
  .map(({ column: at, operator, picks, isOther, other: odd }) => {
    const { name, values } = COLUMNS[at];
    const usable = values.filter((value) => value !== "" && !value.includes(","));
    const list = isOther ? [odd] : picks.map((each) => usable[each % usable.length]);
    return `${name}${operator}=${encodeURIComponent((operator === "" ? list : list.slice(0, 1)).join(","))}`;
  });

describe("the embedded service on ClickHouse answers byte by byte as on DuckDB", () => {
  it("any pages of a table, to the last one", async () => {
    await fc.assert(
      fc.asyncProperty(
        format,
        fc.array(filter, { maxLength: 2 }),
        fc.uniqueArray(column, { maxLength: 4 }),
        fc.integer({ min: 40, max: 700 }),
        async (as, filters, chosen, size) => {
          const list = chosen.length === 0 ? [] : [`qopts.columns=${chosen.map((i) => COLUMNS[i].name).join(",")}`];
          const path = `/datatables/V/T.${as}?${[...filters, ...list, `qopts.per_page=${size}`].join("&")}`;
          let cursor: string | null = "";
          for (let page = 0; cursor !== null && page < 5; page++) {
            const at: string = `${path}${cursor === "" ? "" : `&qopts.cursor_id=${cursor}`}`;
            await equal(at);
            cursor = (await get(judge, at)).headers.get("cursor_id") || null;
          }
        },
      ),
      { numRuns: RUNS, examples: [["json", ["double=0.1%2C0%2C1e308"], [], 40]] },
    );
    expect(answered).toBeGreaterThan(RUNS / 2);
  });

  it("any query of a series", async () => {
    const optional = (name: string, ...values: string[]) =>
      fc.option(
        fc.constantFrom(...values).map((value) => `${name}=${value}`),
        { nil: "" },
      );
    await fc.assert(
      fc.asyncProperty(
        format,
        optional("collapse", "daily", "weekly", "monthly", "quarterly", "annual"),
        optional("transform", "diff", "rdiff", "rdiff_from", "cumul", "normalize"),
        optional("order", "asc", "desc"),
        optional("limit", "1", "2", "50"),
        optional("column_index", "0", "1", "2", "3"),
        optional("start_date", "0001-01-01", "1900-01-01", "2020-01-15", "2299-12-31", "9999-12-31"),
        optional("end_date", "0001-01-01", "1900-01-01", "2022-01-15", "2299-12-31", "9999-12-31"),
        async (as, ...parts) => {
          await equal(`/datasets/T/S/data.${as}?${parts.filter((part) => part !== "").join("&")}`);
        },
      ),
      { numRuns: RUNS },
    );
  });

  it("exports and database files", async () => {
    const csv = async (from: RunningService, path: string): Promise<string> => {
      let link: string | null = null;
      await expect
        .poll(
          async () => {
            const { file } = ((await get(from, path)).json() as { datatable_bulk_download: { file: { link: string } } })
              .datatable_bulk_download;
            link = file.link;
            return link;
          },
          { timeout: 60_000 },
        )
        .not.toBe(null);
      return unzipped(new Uint8Array(await (await fetch(String(link))).arrayBuffer()));
    };
    for (const query of ["", "text=AAA&", "price.gt=0&qopts.columns=price,text&"]) {
      const path = `/datatables/V/T.json?${query}qopts.export=true`;
      const [found, expected] = [await csv(service, path), await csv(judge, path)];
      expect(found).toBe(expected);
      expect(found.split("\n").length).toBeGreaterThan(10);
    }
    const bulk = async (from: RunningService): Promise<string> =>
      unzipped(new Uint8Array(await (await fetch(`${from.url}/api/v3/databases/T/data?api_key=sample`)).arrayBuffer()));
    expect(await bulk(service)).toBe(await bulk(judge));
  });

  it("every collapse of every day from 1900 to 2299, as labels", async () => {
    const from = (year: number, years: number): string[] => {
      const [first, last] = [Date.UTC(year, 0, 1), Date.UTC(year + years, 0, 1)];
      return Array.from({ length: (last - first) / 86_400_000 }, (_, i) =>
        new Date(first + 86_400_000 * i).toISOString().slice(0, 10),
      );
    };
    const lines = from(1900, 400).map((date, i) => (date > "2299-12-23" ? "" : `${date},${i}\n`));
    const folder = folderOf({ "catalog.json": seriesCatalog(["Date", "A"]), "s.csv": `Date,A\n${lines.join("")}` });
    const [own, expected] = [await on(engine, folder), await on(other, folder)];
    for (const collapse of ["weekly", "monthly", "quarterly", "annual"]) {
      const path = `/datasets/T/S/data.csv?collapse=${collapse}&order=asc`;
      const found = (await get(own, path)).text;
      expect(found.length).toBeGreaterThan(4_000);
      expect(found).toBe((await get(expected, path)).text);
    }
    await own.close();
    await expected.close();
  });

  it("Parquet files; what a declared type cannot represent is refused", async () => {
    const folder = folderOf({});
    const path = join(folder, "t.parquet").replaceAll("'", "''");
    await other.query(
      `COPY (SELECT i::INTEGER AS a, (i / 100.0)::DECIMAL(9,2) AS b, DATE '2020-01-01' + i::INTEGER AS "c d", 'x' || i AS e,
        TIMESTAMP '2020-01-01 10:00:00.5' + INTERVAL (i) HOUR AS at FROM range(3000) r(i)) TO '${path}'`,
    );
    const columns = [
      { name: "e", type: "String" },
      { name: "c d", type: "Date" },
      { name: "b", type: "BigDecimal(10,2)" },
      { name: "a", type: "Integer" },
      { name: "at", type: "DateTime" },
    ];
    const declare = (changed: object[]) =>
      writeFileSync(
        join(folder, "catalog.json"),
        JSON.stringify({ tables: [{ ...table, columns: changed, filters: [], file: "t.parquet" }] }),
      );
    declare(columns);
    const [own, expected] = [await on(await engineUnderTest(), folder), await on(await duckdbEngine(), folder)];
    for (const query of ["", "?qopts.columns=b,at"]) {
      const found = (await get(own, `/datatables/V/T.csv${query}`)).text;
      expect(found.split("\n")).toHaveLength(3_002);
      expect(found).toBe((await get(expected, `/datatables/V/T.csv${query}`)).text);
    }
    await own.close();
    await expected.close();
    for (const [wrong, code] of [
      [{ name: "b", type: "BigDecimal(10,1)" }, "PrecisionLoss"],
      [{ name: "A", type: "Integer" }, "UnknownColumn"],
    ] as const) {
      declare([wrong]);
      await expect(on(await engineUnderTest(), folder)).rejects.toMatchObject({ code });
    }
  });

  it("dates that ClickHouse cannot hold are refused, with the row", async () => {
    const folder = folderOf({ "catalog.json": seriesCatalog(["Date", "A"]), "s.csv": "Date,A\n9999-12-26,1\n" });
    await expect(on(await engineUnderTest(), folder)).rejects.toMatchObject({ code: "EngineData", row: 0 });
    const last = folderOf({ "catalog.json": seriesCatalog(["Date", "A"]), "s.csv": "Date,A\n2299-12-31,1\n" });
    const own = await on(await engineUnderTest(), last);
    expect((await get(own, "/datasets/T/S/data.csv?collapse=weekly")).text).toBe("Date,A\n2299-12-31,1.0\n");
    await own.close();
  });

  it("serves what an earlier run stored; the earlier rows of a refreshed series stay for other services", async () => {
    const own = await engineUnderTest();
    const folder = folderOf({ "catalog.json": seriesCatalog(["Date", "A"]), "s.csv": "Date,A\n2020-01-01,1\n" });
    const first = await serve({ data: folder, engine: own });
    writeFileSync(join(folder, "s.csv"), "Date,A\n2020-01-01,2\n2020-01-02,3\n");
    await first.refresh("T/S");
    const expected = "Date,A\n2020-01-02,3.0\n2020-01-01,2.0\n";
    expect((await get(first, "/datasets/T/S/data.csv")).text).toBe(expected);
    const kept = async (): Promise<number[]> =>
      [...(await own.query('SELECT count(DISTINCT s) AS n FROM "series/T"'))].map((row) => Number(row?.["n"]));
    expect(await kept()).toEqual([2]);
    await first.close();
    const second = await serve({ engine: own });
    expect((await get(second, "/datasets/T/S/data.csv")).text).toBe(expected);
    await second.close();
  });
});

async function unzipped(bytes: Uint8Array): Promise<string> {
  const { zipEntry } = await import("../../src/format/zip.js");
  const parts: Uint8Array[] = [];
  for await (const chunk of (await zipEntry(bytes)).chunks()) parts.push(new Uint8Array(chunk));
  return Buffer.concat(parts).toString();
}
