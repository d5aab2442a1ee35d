import { expect, it } from "vitest";
import { DateDay, makeData, Vector } from "../../src/columns/arrow/arrow.js";
import { cellText } from "../../src/columns/arrow/vector-values.js";

it.each([
  [2_147_483_647, "+5881580-07-11"],
  [-2_147_483_648, "-5877641-06-23"],
  [0, "1970-01-01"],
  [8_191, "1992-06-05"],
])("the text of day %i, which was not read before, is %s", (day, text) => {
  const data = makeData({ type: new DateDay(), length: 1, nullCount: 0, data: Int32Array.of(day) });
  expect(cellText(new Vector([data]), 0)).toBe(text);
});
