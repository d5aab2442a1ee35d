import { describe, expect, it } from "vitest";
import {
  type DataType,
  DateDay,
  Dictionary,
  Field,
  Float64,
  Int32,
  makeData,
  type Table,
  TimestampMillisecond,
  TimestampNanosecond,
  TimestampSecond,
  Vector,
  vectorFromArray,
} from "../../src/columns/arrow/arrow.js";
import { collapse } from "../../src/series/collapse.js";
import { tableOf } from "../../src/series/core/tables.js";
import { aggregateBy } from "../../src/series/group-by.js";
import { resample } from "../../src/series/resample.js";
import { shift } from "../../src/series/track/steps.js";
import { formatDate } from "../../src/value/date.js";
import { cellsIn, textsOf } from "./tables.js";

const oneBatch = (columns: Record<string, Vector>): Table => {
  const made = Object.entries(columns).map(([name, { data, type }]) => ({
    field: new Field(name, type as DataType, true),
    data: data[0],
  }));
  return tableOf(made, made[0].data.length);
};

describe("the least and greatest of columns that are not plain numbers", () => {
  const days = Int32Array.of(0, 1, 2, 3);
  const dates = new Vector([makeData({ type: new DateDay(), length: 4, nullCount: 0, data: days })]);

  it.each([
    ["timestamps with and without milliseconds", new TimestampMillisecond(), [500n, 0n, 1_000n, 250n], 1, 2],
    ["timestamps before 1970 in nanoseconds", new TimestampNanosecond(), [-1n, -1_000n, 0n, -1_001n], 3, 2],
  ] as const)("%s", (_, type, values, least, most) => {
    const data = makeData({ type, length: 4, nullCount: 0, data: BigInt64Array.from(values) });
    const table = oneBatch({ d: dates, t: new Vector([data as never]) });
    const rows = textsOf(table).map(([, text]) => text);
    expect(textsOf(collapse(table, "monthly", { on: "d", value: "min" }))[0][1]).toBe(rows[least]);
    expect(textsOf(collapse(table, "monthly", { on: "d", value: "max" }))[0][1]).toBe(rows[most]);
  });

  it.each([
    ["whole numbers", new Int32()],
    ["doubles", new Float64()],
  ])("%s in a dictionary", (_, type) => {
    const values = vectorFromArray([9, 10, 2, null], new Dictionary(type as Int32, new Int32()));
    const table = oneBatch({ d: dates, g: vectorFromArray([1, 1, 1, 1], new Int32()), x: values });
    expect(cellsIn(collapse(table, "monthly", { value: "min" }), "x")).toEqual([2]);
    expect(cellsIn(collapse(table, "monthly", { value: "max" }), "x")).toEqual([10]);
    expect(cellsIn(aggregateBy(table, "g", { x: "min" }), "x")).toEqual([2]);
    expect(cellsIn(aggregateBy(table, "g", { x: "max" }), "x")).toEqual([10]);
  });

  it("days outside the years 1 to 9999", () => {
    const data = Int32Array.of(3_000_000, -800_000, 0, -900_000);
    const far = new Vector([makeData({ type: new DateDay(), length: 4, nullCount: 0, data })]);
    const table = oneBatch({ d: dates, x: far });
    expect(textsOf(collapse(table, "monthly", { value: "min" }))[0][1]).toBe(formatDate(-900_000));
    expect(textsOf(collapse(table, "monthly", { value: "max" }))[0][1]).toBe(formatDate(3_000_000));
  });
});

describe("dates outside of the years 1 to 9999", () => {
  const numbers = (length: number): Vector =>
    vectorFromArray(
      Array.from({ length }, (_, i) => i),
      new Float64(),
    );
  const datesOf = (days: readonly number[]): Table =>
    oneBatch({
      d: new Vector([makeData({ type: new DateDay(), nullCount: 0, data: Int32Array.from(days) })]),
      v: numbers(days.length),
    });

  it.each([
    ["after", [2_932_896, 2_932_897], 1, "+010000-01-01"],
    ["long after", [2_147_483_647, 0], 0, "+5881580-07-11"],
    ["before", [0, -719_163], 1, "0000-12-31"],
  ] as const)("%s have no period", (_, days, row, value) => {
    const table = datesOf(days);
    for (const frequency of ["daily", "weekly", "monthly", "quarterly", "annual"] as const) {
      const expected = expect.objectContaining({ code: "DateOutOfRange", column: "d", row, value });
      expect(() => collapse(table, frequency)).toThrow(expected);
      expect(() => resample(table, frequency)).toThrow(expected);
    }
    expect(textsOf(shift(table)).map(([date]) => date)).toEqual(days.map(formatDate));
  });

  it("have a period on the last and on the first day", () => {
    expect(textsOf(collapse(datesOf([2_932_896, -719_162]), "annual"))).toEqual([
      ["9999-12-31", "0.0"],
      ["0001-12-31", "1.0"],
    ]);
  });

  it("also of timestamps whose days do not fit 32 bits", () => {
    const data = BigInt64Array.of(2n ** 53n - 1n, 0n, -(2n ** 52n));
    const table = oneBatch({
      t: new Vector([makeData({ type: new TimestampSecond(), nullCount: 0, data })]),
      v: numbers(3),
    });
    expect(() => collapse(table, "monthly")).toThrow(expect.objectContaining({ code: "DateOutOfRange", row: 0 }));
    expect(textsOf(shift(table)).map(([, value]) => value)).toEqual(["1.0", "2.0", null]);
  });
});
