import { expect, it } from "vitest";
import { align } from "../../src/series/align.js";
import { asof } from "../../src/series/asof.js";
import { collapse } from "../../src/series/collapse.js";
import { join } from "../../src/series/join.js";
import { pivot } from "../../src/series/pivot.js";
import { rolling } from "../../src/series/rolling.js";
import { shift } from "../../src/series/track/steps.js";
import { namesOf, tableFrom } from "./tables.js";

const days = ["2024-01-01", "2024-01-02"];
const table = tableFrom({ d: ["Date", days], v: ["double", [1, 2]] });
const labelled = (labels: readonly (string | null)[]) =>
  tableFrom({ d: ["Date", days], label: ["String", labels], v: ["double", [1, 2]] });
const duplicate = (column: string) => expect.objectContaining({ code: "DuplicateColumn", column });

it("no verb makes two columns of one name", () => {
  const once = asof(table, table);
  expect(namesOf(once)).toEqual(["d", "v", "v_right"]);
  expect(() => asof(once, table)).toThrow(duplicate("v_right"));
  expect(namesOf(asof(once, table, { suffix: "_other" }))).toEqual(["d", "v", "v_right", "v_other"]);

  const mean = rolling(table, 2, "mean", { suffix: "_2" });
  expect(() => shift(mean, 1, { columns: "v", suffix: "_2" })).toThrow(duplicate("v_2"));
  expect(() => rolling(table, 2, "mean", { columns: ["v", "v"], suffix: "_2" })).toThrow(duplicate("v_2"));

  const wide = { index: "d", columns: "label", values: "v" } as const;
  expect(() => pivot(labelled(["a", "d"]), wide)).toThrow(duplicate("d"));
  expect(() => pivot(labelled(["null", null]), wide)).toThrow(duplicate("null"));

  const open = tableFrom({ d: ["Date", days], v: ["double", [1, 2]], v_open: ["double", [3, 4]] });
  expect(() => collapse(open, "monthly", { value: { v: "ohlc" } })).toThrow(duplicate("v_open"));
  expect(namesOf(collapse(table, "monthly", { value: "ohlc" }))).toEqual(["d", "v_open", "v_high", "v_low", "v_close"]);
});

it("a pivot refuses more cells than memory holds, before it makes them", () => {
  const count = 12_000;
  const names = Array.from({ length: count }, (_, i) => `${i}`);
  const long = tableFrom({ row: ["String", names], label: ["String", names], v: ["double", names.map(Number)] });
  expect(() => pivot(long, { index: "row", columns: "label", values: "v" })).toThrow(
    expect.objectContaining({ code: "BadArgument", message: expect.stringContaining("12000 columns of 12000 rows") }),
  );
});

it("join and align refuse more rows than a table can have, before they make them", () => {
  const long = tableFrom({ k: ["Integer", new Array<number>(50_000).fill(7)] });
  const tooMany = expect.objectContaining({ code: "BadArgument", message: expect.stringContaining("2500000000 rows") });
  expect(() => join(long, long, { how: "cross" })).toThrow(tooMany);
  for (const how of ["inner", "left", "right", "outer"] as const) {
    expect(() => join(long, long, { on: "k", how })).toThrow(tooMany);
  }
  expect(() => align([long, long], { on: "k" })).toThrow(tooMany);
});
