import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { connect } from "../../src/client/service.js";
import { duckdbEngine } from "../../src/engine/duckdb/duckdb.js";
import { serve } from "../../src/server.js";
import { foreignPart, otherEngine } from "../engine/other-engine.js";
import { databaseEntry, folderOf, get, started, tableEntry } from "./support.js";

const TYPES = {
  ticker: "String",
  day: "Date",
  at: "DateTime",
  price: "BigDecimal(15,4)",
  size: "Integer",
  rate: "double",
  flag: "Boolean",
};
const filters = Object.keys(TYPES);
const line = (i: number): string =>
  `T${i % 7},2024-01-${String(1 + (i % 28)).padStart(2, "0")},2024-01-02T00:00:0${i % 10}Z,${i / 4},${i},${i / 8},${i % 2 === 0}`;
const csv = `${filters.join(",")}\n${Array.from({ length: 500 }, (_, i) => line(i)).join("\n")}\n`;
const series = `Date,a b,c\n${Array.from({ length: 90 }, (_, i) => `${new Date(1.7e12 + 86_400_000 * i).toISOString().slice(0, 10)},${i * i},${i % 3 === 0 ? "" : i}\n`).join("")}`;
const folder = folderOf({
  "catalog.json": {
    tables: [tableEntry("V/T", TYPES, { filters, primary_key: ["size"] })],
    databases: [databaseEntry("D", { S: ["Date", "a b", "c"] }, { premium: true })],
  },
  "t.csv": csv,
  "S.csv": series,
});

const other = otherEngine(await duckdbEngine(), false);
const service = await started({ data: folder, engine: other });
const usual = await started({ data: folder, engine: await duckdbEngine() });

it.each([
  ["SELECT c0::DATE FROM t", "::"],
  ["SELECT list_sum(c0) FROM t", "list_sum()"],
  ["SELECT rowid FROM t QUALIFY c0", "QUALIFY"],
  ["SELECT c0 FROM 't.parquet'", "'"],
  ['SELECT c0 FROM "t"', '"'],
  ["SELECT c0 FROM t ORDER BY c0 NULLS LAST", "NULLS"],
  ["SELECT count(*) AS n, max(c0) FROM \u0001\u000361\u0004\u0002 WHERE \u0001x::DATE\u0002 GROUP BY c0", undefined],
])("the other engine finds what is not its own: %s", (sql, foreign) => {
  expect(foreignPart(sql, false)).toBe(foreign);
});

it.each([
  "/datatables/V/T.csv?qopts.per_page=123",
  "/datatables/V/T.json?ticker=T1,T3&price.gt=3.00001&qopts.columns=size,price",
  "/datatables/V/T.csv?day.gte=2024-01-03&day.lt=2024-01-20&at=2024-01-02T00:00:03Z",
  "/datatables/V/T.csv?rate=0.5,1.5&flag=true",
  `/datatables/V/T.csv?size=${Array.from({ length: 150 }, (_, i) => 3 * i).join()}&qopts.per_page=20`,
  "/datatables/V/T/metadata.json",
  "/datasets/D/S.csv?collapse=monthly&order=asc",
  "/datasets/D/S/data.json?transform=rdiff&collapse=weekly&limit=5",
  "/datasets/D/S.csv?transform=cumul&start_date=2023-12-01&column_index=2",
])("the service replies on another engine as on the usual one: %s", async (path) => {
  const [found, expected] = [await get(service, path), await get(usual, path)];
  expect(found.status).toBe(200);
  expect(found.text.replaceAll(/"next_cursor_id":"[^"]*"/g, "")).toBe(
    expected.text.replaceAll(/"next_cursor_id":"[^"]*"/g, ""),
  );
});

it("pages, exports, database files and refreshes on another engine", async () => {
  const [ours, theirs] = [service, usual].map(({ url }) => connect({ url, apiKey: "sample" }));
  const pages = await ours
    .table("V/T")
    .where({ ticker: ["T1", "T2"] })
    .pageSize(30)
    .frame();
  expect(pages.toCSV()).toBe(
    (
      await theirs
        .table("V/T")
        .where({ ticker: ["T1", "T2"] })
        .frame()
    ).toCSV(),
  );
  const exported = await ours.table("V/T").export().frame();
  expect(exported.toCSV()).toBe((await theirs.table("V/T").export().frame()).toCSV());
  const file = await ours.database("D").bulk().frame();
  expect(file.toCSV()).toBe((await theirs.database("D").bulk().frame()).toCSV());

  writeFileSync(join(folder, "t.csv"), `${csv}${line(499)}\n`);
  await expect(service.refresh("V/T")).rejects.toMatchObject({ code: "DuplicateKey" });
  writeFileSync(join(folder, "t.csv"), `${csv}${line(500)}\n`);
  await service.refresh("V/T");
  await service.refresh("D/S");
  expect((await get(service, "/datatables/V/T.csv?size=500&qopts.columns=size")).text).toBe("size\n500\n");
  const next = await serve({ engine: other });
  expect((await get(next, "/datatables/V/T.csv?size.gte=499&qopts.columns=size")).text).toBe("size\n499\n500\n");
  await next.close();
});
