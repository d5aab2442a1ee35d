import { Float16, Uint32 } from "apache-arrow";
import { describe, expect, it } from "vitest";
import {
  type DataType,
  Decimal,
  Field,
  Float32,
  Int8,
  Int32,
  LargeUtf8,
  makeData,
  type Table,
  Uint8,
  Uint64,
  Vector,
  vectorFromArray,
} from "../../src/columns/arrow/arrow.js";
import { collapse } from "../../src/series/collapse.js";
import { tableOf } from "../../src/series/core/tables.js";
import { fill } from "../../src/series/fill.js";
import { cellsIn, columnOf, textsOf } from "./tables.js";

const of = (vector: Vector): Table =>
  tableOf([{ field: new Field("x", vector.type as DataType, true), data: vector.data[0] }], vector.length);

describe("a value fills nulls of the column's own type", () => {
  it.each([
    ["Float32", new Float32(), [1.5, null], 7.25, [1.5, 7.25]],
    ["Float16", new Float16(), [1.5, null], 7.25, [1.5, 7.25]],
    ["Int8", new Int8(), [1, null], -128, [1, -128]],
    ["Uint32", new Uint32(), [1, null], 4_294_967_295, [1, 4_294_967_295]],
    ["Uint64", new Uint64(), [1n, null], 2n ** 64n - 1n, [1, 2n ** 64n - 1n]],
    ["LargeUtf8", new LargeUtf8(), ["é", null], { value: "ü" }, ["é", "ü"]],
  ] as const)("%s", (_, type, values, filling, expected) => {
    const value = typeof filling === "bigint" ? { value: filling } : filling;
    const filled = fill(of(vectorFromArray(values as never, type as never) as Vector), value);
    expect(cellsIn(filled, "x")).toEqual(expected);
    expect(String(filled.schema.fields[0].type)).toBe(String(type));
  });

  it.each([64, 128, 256])("decimals of %i bits", (bits) => {
    const data = new Uint32Array(bits / 16).fill(0, 0);
    data[0] = 150;
    const type = new Decimal(2, 15, bits);
    const vector = new Vector([makeData({ type, length: 2, nullCount: 1, nullBitmap: Uint8Array.of(1), data })]);
    expect(textsOf(fill(of(vector), { value: "-12345.67" }, { columns: "x" }))).toEqual([["1.50"], ["-12345.67"]]);
  });

  it("by its digits, also where JavaScript spells an exponent", () => {
    const decimals = tableOf([columnOf("x", "BigDecimal(30,8)", [null, "1.5"])], 2);
    expect(textsOf(fill(decimals, 1e-7))).toEqual([["0.00000010"], ["1.50000000"]]);
    expect(textsOf(fill(decimals, 1e21))).toEqual([["1000000000000000000000.00000000"], ["1.50000000"]]);
  });

  it.each([
    ["Int8", new Int8(), 128],
    ["Int8", new Int8(), -129],
    ["Uint8", new Uint8(), -1],
    ["Int32", new Int32(), 2 ** 40],
    ["Int32", new Int32(), 0.5],
    ["Int32", new Int32(), Number.NaN],
  ])("and is refused where it does not fit: %s, %#", (_, type, value) => {
    const table = of(vectorFromArray([1, null], type as Int32));
    expect(() => fill(table, value)).toThrow(expect.objectContaining({ code: "BadArgument", column: "x" }));
  });

  it("decimals too", () => {
    const table = tableOf([columnOf("x", "BigDecimal(4,2)", [null])], 1);
    for (const value of [100, -100, 0.001]) {
      const message = expect.stringContaining("BigDecimal(4,2)");
      expect(() => fill(table, value)).toThrow(expect.objectContaining({ code: "BadArgument", message }));
    }
    expect(textsOf(fill(table, -99.99))).toEqual([["-99.99"]]);
  });
});

it("the least of long text is found as that of other text", () => {
  const dates = columnOf("d", "Date", ["2024-01-01", "2024-01-02"]);
  const texts = {
    field: new Field("x", new LargeUtf8(), true),
    data: vectorFromArray(["b", "a"], new LargeUtf8()).data[0],
  };
  expect(textsOf(collapse(tableOf([dates, texts], 2), "monthly", { value: "min" }))).toEqual([["2024-01-31", "a"]]);
});
