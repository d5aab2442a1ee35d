import fc from "fast-check";
import { expect, it } from "vitest";
import { Frame } from "../../src/index.js";
import { forAll } from "../support/for-all.js";
import { runs } from "../support/whole.js";

const cells = fc.array(fc.option(fc.boolean(), { freq: 3 }), { minLength: 1, maxLength: 30 });
const expectedOf = (values: readonly (boolean | null)[]) => {
  const held = values.filter((value) => value !== null);
  const sum = held.filter(Boolean).length;
  const isNone = held.length === 0;
  return {
    min: isNone ? null : held.every(Boolean),
    max: isNone ? null : held.some(Boolean),
    sum: isNone ? null : sum,
    mean: isNone ? null : sum / held.length,
    count: held.length,
  };
};
const frameOf = (values: readonly (boolean | null)[]) =>
  Frame.fromColumns(
    { g: values.map((_, i) => `g${i % 3}`), date: values.map(() => "2024-03-01"), up: [...values] },
    { date: "Date", up: "Boolean" },
  );

it("booleans have min, max, sum and mean, in columns, groups and periods", () => {
  forAll({ numRuns: runs(100), seed: 5 }, cells, fc.nat(30), (values, cut) => {
    const whole = frameOf(values);
    const frame = cut > 0 && cut < values.length ? Frame.concat([whole.slice(0, cut), whole.slice(cut)]) : whole;
    const { min, max, sum, mean } = expectedOf(values);
    const up = frame.column("up");
    expect([up.min(), up.max(), up.sum(), up.mean()]).toEqual([min, max, sum, mean]);
    const hows = ["min", "max", "sum", "mean", "count"] as const;
    const groups = frame.groupBy("g").agg({ up: hows });
    expect(groups.columns.map(({ type }) => type)).toEqual([
      "String",
      "Boolean",
      "Boolean",
      "Integer",
      "double",
      "Integer",
    ]);
    for (const row of groups.toArray() as unknown as Record<string, unknown>[]) {
      const expected = expectedOf(values.filter((_, i) => `g${i % 3}` === row.g));
      expect(row).toEqual({
        g: row.g,
        ...Object.fromEntries(hows.map((how) => [`up_${how}`, expected[how]])),
      });
    }
    for (const value of ["min", "max", "sum", "mean"] as const) {
      const row = frame.select("date", "up").collapse("monthly", { by: [], value }).toArray()[0];
      expect(row?.up ?? null).toBe(expectedOf(values)[value]);
    }
  });
});
