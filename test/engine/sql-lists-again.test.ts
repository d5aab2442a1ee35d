import { Float64, Table, type Vector, vectorFromArray } from "apache-arrow";
import { expect, it, vi } from "vitest";
import { querySources } from "../../src/engine/duckdb/sql.js";

/** A plan that does not name the columns. */
const scannedColumns = vi.hoisted(() => vi.fn());

vi.mock("../../src/engine/duckdb/views.js", async (original) => ({
  ...(await original<typeof import("../../src/engine/duckdb/views.js")>()),
  scannedColumns,
}));

it("runs a statement by rows if its plan left a column out", async () => {
  const numbers = vectorFromArray([1, 2, 3], new Float64());
  const table = new Table({ a: numbers, b: numbers });
  const source = { schema: table.schema, numRows: 3, column: (at: number) => table.getChildAt(at) as Vector };
  scannedColumns.mockImplementation(async (own) => {
    const [[sql]] = (await own.runAndReadAll("select sql from duckdb_views() where view_name = 'this'")).getRows();
    return new Set([/"(\d+\.0)"/.exec(String(sql))?.[1]]);
  });
  const found = await querySources("select sum(a * b) as s from this", undefined, { this: source }, { listedRows: 0 });
  expect(found.toArray().map((row) => row.toJSON())).toEqual([{ s: 14 }]);
  expect(scannedColumns).toHaveBeenCalledOnce();
});
