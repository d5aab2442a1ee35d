import fc from "fast-check";
import { expect, it } from "vitest";
import { vectorToBigInts } from "../../src/columns/arrow/vector-values.js";
import { csvTable } from "../../src/columns/csv/reader.js";
import { filterSql } from "../../src/server/data/filter-sql.js";
import { specification } from "../../src/spec/profile.js";
import { columnSpecs } from "../support/column-specs.js";
import { forAllAsync } from "../support/for-all.js";
import { runs } from "../support/whole.js";
import { engineUnderTest } from "./engine-under-test.js";

const engine = await engineUnderTest();

/** Cells of a BigDecimal(6,2), unscaled; beside a null. */
const cells = [-999_999n, -10_001n, -100n, -1n, 0n, 1n, 99n, 100n, 101n, 12_345n, 999_999n];
const text = (unscaled: bigint, digits: number): string => {
  const plain = (unscaled < 0n ? -unscaled : unscaled).toString().padStart(digits + 1, "0");
  const cut = plain.length - digits;
  return `${unscaled < 0n ? "-" : ""}${plain.slice(0, cut)}${digits > 0 ? `.${plain.slice(cut)}` : ""}`;
};
const csv = `c0,n\n${cells.map((cell) => `${text(cell, 2)},1\n`).join("")},1\n`;
await engine.load(
  "cells",
  csvTable(new TextEncoder().encode(csv), {
    columns: columnSpecs({ c0: "BigDecimal(6,2)", n: "Integer" }),
  }),
);

const table = {
  vendor_code: "V",
  datatable_code: "T",
  name: "T",
  description: null,
  columns: [{ name: "price", type: "BigDecimal(6,2)" }],
  filters: ["price"],
  primary_key: [],
  premium: false,
  status: { status: null, expected_at: null, update_frequency: null },
};

const holds: Record<string, (a: bigint, b: bigint) => boolean> = {
  eq: (a, b) => a === b,
  gt: (a, b) => a > b,
  gte: (a, b) => a >= b,
  lt: (a, b) => a < b,
  lte: (a, b) => a <= b,
};

it("spec 4.7: a filter on a decimal column compares exactly, however many digits the value has", async () => {
  const value = fc.oneof(
    fc.bigInt({ min: -200_000_000n, max: 200_000_000n }),
    fc.constantFrom(...cells.map((cell) => cell * 1_000n)),
    fc.constantFrom(...cells.map((cell) => cell * 1_000n + 1n)),
    fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }),
  );
  await forAllAsync(runs(300), fc.constantFrom(...Object.keys(holds)), value, async (operator, thousandths) => {
    const filter = { column: "price", operator, values: [text(thousandths, 5)] };
    const { sql, params } = filterSql(table, [filter], specification, engine.dialect);
    const answer = await engine.query(`SELECT c0 FROM cells WHERE ${sql} ORDER BY c0`, params);
    const found = answer.numRows === 0 ? [] : vectorToBigInts(answer.getChildAt(0) as never);
    expect(found).toEqual(cells.filter((cell) => holds[operator](cell * 1_000n, thousandths)));
  });
});
