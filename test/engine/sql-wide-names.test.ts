import { expect, it } from "vitest";
import { textRows } from "../../src/columns/build/text-rows.js";
import { Frame } from "../../src/index.js";

const frame = (type: string, cell: string) =>
  Frame.from(
    textRows(
      [["1", cell]],
      [
        { name: "k", type: "Integer" },
        { name: "x", type },
      ],
    ).table(),
  );
const wide = frame("BigDecimal(60,2)", "12345678901234567890123456789012345678901.50");

it.each([
  ["String", "abc", "String"],
  ["BigDecimal(50,4)", "7.2500", "BigDecimal(50,4)"],
  ["Integer", "7", "Integer"],
  ["BigDecimal(60,2)", "7.25", "BigDecimal(60,2)"],
])("a column that is wide in one table and %s in the other has no wrong type", async (type, cell, expected) => {
  const tables = { other: frame(type, cell) as unknown as Frame<never> };
  const found = await wide.sql("SELECT other.x FROM this JOIN other USING (k) WHERE this.x <> ''", { tables });
  expect(found.columns).toEqual([{ name: "x", type: expected }]);
  expect(found.column("x").toStrings()).toEqual([cell]);
});
