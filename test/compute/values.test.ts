import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  DateMillisecond,
  Dictionary,
  Float32,
  Int8,
  Int32,
  makeData,
  makeVector,
  Table,
  TimestampNanosecond,
  TimestampSecond,
  Uint8,
  Uint64,
  Utf8,
  vectorFromArray,
} from "../../src/columns/arrow/arrow.js";
import type { Column } from "../../src/frame/cells/column.js";
import { Frame } from "../../src/frame/frame.js";
import { columnSpecs } from "../support/column-specs.js";
import { forAll } from "../support/for-all.js";
import { runs } from "../support/whole.js";
import { codeOf } from "./model.js";

const prices = Frame.fromRows(
  [
    { ticker: "AAA", date: "2024-02-29", close: "50.2500", volume: "1000.500", count: 3, ratio: 0.1, on: true },
    { ticker: "BBB", date: "2024-03-01", close: "50.2501", volume: null, count: null, ratio: Number.NaN, on: null },
    { ticker: null, date: null, close: null, volume: "2.000", count: 9007199254740993n, ratio: null, on: false },
  ],
  columnSpecs({
    ticker: "String",
    date: "Date",
    close: "BigDecimal(15,4)",
    volume: "BigDecimal(15,3)",
    count: "Integer",
    ratio: "double",
    on: "Boolean",
  }),
);
const [ticker, date, close, volume, count, ratio, on] = prices.columns.map(({ name }) => prices.column(name));

describe("columns in frames", () => {
  it("filter and make columns without a callback, exactly", () => {
    expect(prices.filter(close.gt("50.25")).column("ticker").toArray()).toEqual(["BBB"]);
    expect(prices.filter(close.gt(50.25)).numRows).toBe(1);
    const value = prices.with({ value: close.mul(volume) }).column("value");
    expect([value.type, ...value.toStrings()]).toEqual(["BigDecimal(30,7)", "50275.1250000", null, null]);
    expect(
      prices
        .filter(close.ge(50).and(ticker.startsWith("A").not()))
        .column("ticker")
        .toArray(),
    ).toEqual(["BBB"]);
    expect(close.mul(volume).sub(1).gt(50_000).toArray()).toEqual([true, null, null]);
    expect([close.mul(volume).name, close.neg().type, close.gt(1).type]).toEqual([
      "close",
      "BigDecimal(15,4)",
      "Boolean",
    ]);
  });

  it("count a number as its shortest decimal", () => {
    expect(close.mul(1.1).toStrings()[0]).toBe("55.27500");
    expect(close.add(0.1 + 0.2).toStrings()[0]).toBe("50.55000000000000004");
    expect(count.add(1).toStrings()).toEqual(["4", null, "9007199254740994"]);
    expect(count.mul(0.5).toStrings()).toEqual(["1.5", null, "4503599627370496.5"]);
    expect(close.lt(Number.POSITIVE_INFINITY).toArray()).toEqual([true, true, null]);
    expect(close.gt(Number.NaN).toArray()).toEqual([null, null, null]);
    expect(close.lt(1e300).toArray()).toEqual([true, true, null]);
    expect(close.gt(1e-300).toArray()).toEqual([true, true, null]);
    expect(close.eq("5.025e1").toArray()).toEqual([true, false, null]);
  });

  it("take NaN as null", () => {
    expect(ratio.eq(Number.NaN).toArray()).toEqual([null, null, null]);
    expect(ratio.ne(0.1).toArray()).toEqual([false, null, null]);
    expect(ratio.gt(0).toArray()).toEqual([true, null, null]);
    expect(ratio.eq(ratio).toArray()).toEqual([true, null, null]);
    expect(ratio.isIn([0.1, Number.NaN]).toArray()).toEqual([true, null, null]);
    expect(ratio.add(1).toArray()).toEqual([1.1, Number.NaN, null]);
    expect(ratio.fill(0).toArray()).toEqual([0.1, 0, 0]);
  });

  it("are null where an operand is", () => {
    expect(close.add(null).toArray()).toEqual([null, null, null]);
    expect(close.eq(null).toArray()).toEqual([null, null, null]);
    expect(prices.filter(close.eq(null)).numRows).toBe(0);
    expect(on.and(null).toArray()).toEqual([null, null, false]);
    expect(on.or(true).toArray()).toEqual([true, true, true]);
    expect(close.isNull().toArray()).toEqual([false, false, true]);
    expect(close.fill(null).toStrings()).toEqual(close.toStrings());
    expect(close.isIn([]).toArray()).toEqual([false, false, null]);
  });

  it("keep the type that holds the filling", () => {
    expect(close.fill(0).type).toBe("BigDecimal(15,4)");
    expect(close.fill("0.123456").toStrings()).toEqual(["50.250000", "50.250100", "0.123456"]);
    expect(ticker.fill("none").toArray()).toEqual(["AAA", "BBB", "none"]);
    expect(date.fill(new Date("2020-01-01T00:00:00Z")).toArray()).toEqual(["2024-02-29", "2024-03-01", "2020-01-01"]);
    expect(count.fill(1.5).toStrings()).toEqual(["3.0", "1.5", "9007199254740993.0"]);
  });

  it("round doubles by their exact value, half to even", () => {
    const doubles = Frame.fromRows(
      [2.5, 3.5, -2.5, 1.005, 1.115, 2.675, 0.125, 1e300, -0.4, 5e-324].map((x) => ({ x })),
    ).column("x");
    expect(doubles.round().toArray()).toEqual([2, 4, -2, 1, 1, 3, 0, 1e300, -0, 0]);
    expect(doubles.round(2).toArray()).toEqual([2.5, 3.5, -2.5, 1, 1.11, 2.67, 0.12, 1e300, -0.4, 0]);
    expect(doubles.round(-1).toArray()).toEqual([0, 0, -0, 0, 0, 0, 0, 1e300, -0, 0]);
    forAll(runs(100), fc.double({ noNaN: true }), fc.integer({ min: 0, max: 20 }), (x, digits) => {
      fc.pre(Number.isFinite(x) && Math.abs(x) < 1e20);
      const [rounded] = Frame.fromRows([{ x: x + 0.5 }])
        .column("x")
        .round(digits)
        .toArray();
      // toFixed rounds the exact value too, but ties away from zero.
      const near = Number((x + 0.5).toFixed(digits));
      const isTie = Math.abs(Math.abs(near - (x + 0.5)) - 0.5 / 10 ** digits) < 1e-9;
      if (!isTie) expect(rounded).toBe(near);
    });
  });

  it("cast timestamps without a zone, which count as UTC", () => {
    const ns = makeData({
      type: new TimestampNanosecond(),
      length: 2,
      data: BigInt64Array.of(1_709_164_800_001_000_000n, -1_000_000n),
    });
    const column = Frame.from(new Table({ t: makeVector(ns) }))
      .column("t")
      .cast("DateTime");
    expect(column.toStrings()).toEqual(["2024-02-29T00:00:00.001Z", "1969-12-31T23:59:59.999Z"]);
    expect(column.cast("String").toStrings()).toEqual(column.toStrings());
  });

  it("read dates of any unit, and text of any layout", () => {
    const ns = makeData({
      type: new TimestampNanosecond(),
      length: 2,
      data: BigInt64Array.of(1_709_164_800_000_000_001n, -1n),
    });
    const seconds = makeData({ type: new TimestampSecond(), length: 2, data: BigInt64Array.of(1_709_164_800n, -1n) });
    const ms = makeData({
      type: new DateMillisecond(),
      length: 2,
      data: BigInt64Array.of(1_709_164_800_000n, -86_400_000n),
    });
    const plain = vectorFromArray(["AB", "B"], new Utf8());
    const coded = vectorFromArray(["AB", "B"], new Dictionary(new Utf8(), new Int8()));
    const frame = Frame.from(
      new Table({ ns: makeVector(ns), seconds: makeVector(seconds), ms: makeVector(ms), plain, coded }),
    );
    const [n, s, m, p, c] = ["ns", "seconds", "ms", "plain", "coded"].map((name) => frame.column(name));
    expect(n.gt("2024-02-29").toArray()).toEqual([true, false]);
    expect(s.gt("2024-02-29").toArray()).toEqual([false, false]);
    expect(n.gt(s).toArray()).toEqual([true, true]);
    expect(m.eq("2024-02-29").toArray()).toEqual([true, false]);
    expect([n.year().toArray(), s.month().toArray(), m.weekday().toArray()]).toEqual([
      [2024, 1969],
      [2, 12],
      [4, 3],
    ]);
    expect(m.eq(s).toArray()).toEqual([true, false]);
    expect(p.eq(c).toArray()).toEqual([true, true]);
    expect([p.contains("A").toArray(), c.startsWith("A").toArray()]).toEqual([
      [true, false],
      [true, false],
    ]);
    expect(c.fill("x").toArray()).toEqual(["AB", "B"]);
  });

  it("compute with foreign integers of any width", () => {
    const small = new Uint8Array([200, 255]);
    const frame = Frame.from(
      new Table({
        a: makeVector(Int8Array.of(-128, 127)),
        b: makeVector(makeData({ type: new Uint8(), length: 2, data: small })),
        c: makeVector(makeData({ type: new Uint64(), length: 2, data: BigUint64Array.of(2n ** 64n - 1n, 1n) })),
        d: makeVector(makeData({ type: new Int32(), length: 2, data: Int32Array.of(-5, 5) })),
        e: makeVector(makeData({ type: new Float32(), length: 2, data: Float32Array.of(0.5, -0.5) })),
        f: makeVector(Uint32Array.of(2 ** 32 - 1, 0)),
      }),
    );
    const [a, b, c, d, e, f] = [..."abcdef"].map((name) => frame.column(name));
    expect(a.add(b).toArray()).toEqual([72, 382]);
    expect(c.add(1).toStrings()).toEqual(["18446744073709551616", "2"]);
    expect(d.mul(b).toArray()).toEqual([-1000, 1275]);
    expect(e.mul(d).toArray()).toEqual([-2.5, -2.5]);
    expect(f.sub(d).toArray()).toEqual([4294967300, -5]);
    expect([c.gt(a).toArray(), f.eq(4294967295).toArray(), a.abs().toArray()]).toEqual([
      [true, false],
      [true, false],
      [128, 127],
    ]);
  });
});

describe("wrong operands", () => {
  const wrong: readonly (readonly [string, () => unknown])[] = [
    ["WrongType", () => (ticker as Column<number>).add(1)],
    ["WrongType", () => close.add(ticker)],
    ["WrongType", () => close.eq(ticker)],
    ["WrongType", () => (close as unknown as Column<string>).contains("5")],
    ["WrongType", () => (close as unknown as Column<boolean>).not()],
    ["WrongType", () => (close as unknown as Column<boolean>).and(true)],
    ["WrongType", () => ticker.year()],
    ["WrongType", () => (date as unknown as Column<number>).round()],
    ["WrongType", () => close.fill(ticker as never)],
    ["BadArgument", () => close.add("abc")],
    ["BadArgument", () => close.add("")],
    ["BadArgument", () => close.add({} as never)],
    ["BadArgument", () => close.add(undefined as never)],
    ["BadArgument", () => close.eq(undefined as never)],
    ["BadArgument", () => ticker.eq(5)],
    ["BadArgument", () => date.gt("yesterday")],
    ["BadArgument", () => date.gt(new Date("x"))],
    ["BadArgument", () => on.eq("true")],
    ["BadArgument", () => close.div(2)],
    ["BadArgument", () => close.div(2, { scale: -1 })],
    ["BadArgument", () => close.div(2, { scale: 77 })],
    ["UnknownOption", () => close.div(2, { digits: 2 } as never)],
    ["BadArgument", () => close.round(0.5)],
    ["BadArgument", () => close.isIn("AAA")],
    ["BadArgument", () => close.isIn(5 as never)],
    ["BadArgument", () => ticker.contains(5 as never)],
    ["BadArgument", () => close.cast("decimals")],
    ["BadArgument", () => close.cast(5 as never)],
    ["BadArgument", () => date.fill("yesterday")],
    ["BadArgument", () => close.mul("1e-77")],
    ["DifferentLength", () => close.add(prices.head(2).column("close"))],
    ["DifferentLength", () => close.fill(prices.head(2).column("close"))],
    ["PrecisionLoss", () => close.cast("BigDecimal(15,2)")],
    ["PrecisionLoss", () => ratio.cast("Integer")],
    ["Overflow", () => count.mul(10_000)],
    ["BadCell", () => ticker.cast("Integer")],
  ];

  it.each(wrong.map(([code, run]) => [code, String(run).slice(6), run] as const))("%s: %s", (code, _, run) => {
    expect(codeOf(run)).toBe(code);
  });

  it("names the row that does not fit", () => {
    expect(() => count.mul(10_000)).toThrow(
      expect.objectContaining({ code: "Overflow", row: 2, column: "count", value: "90071992547409930000" }),
    );
    expect(() => close.cast("BigDecimal(15,3)")).toThrow(expect.objectContaining({ row: 1, value: "50.2501" }));
  });
});

it("casts between every two types that go together", () => {
  const cells = (column: Column<unknown>) => column.toStrings();
  expect(cells(close.cast("BigDecimal(15,2)", { onPrecisionLoss: "round" }))).toEqual(["50.25", "50.25", null]);
  expect(cells(close.cast("double"))).toEqual(["50.25", "50.2501", null]);
  expect(cells(ticker.cast("String"))).toEqual(["AAA", "BBB", null]);
  expect(cells(date.cast("DateTime"))).toEqual(["2024-02-29T00:00:00Z", "2024-03-01T00:00:00Z", null]);
  expect(cells(date.cast("DateTime").cast("Date"))).toEqual(cells(date));
  expect(cells(date.cast("String").cast("Date"))).toEqual(cells(date));
  expect(cells(on.cast("double"))).toEqual(["1.0", null, "0.0"]);
  expect(cells(on.cast("String").cast("Boolean"))).toEqual(["true", null, "false"]);
  expect(cells(count.cast("BigDecimal(20,2)"))).toEqual(["3.00", null, "9007199254740993.00"]);
  expect(cells(count.cast("String").cast("Integer"))).toEqual(cells(count));
  expect(close.cast("BigDecimal(76,30)").type).toBe("BigDecimal(76,30)");
  const late = Frame.fromRows([{ t: new Date("2024-02-29T12:00:00Z") }]).column("t");
  expect(codeOf(() => late.cast("Date"))).toBe("PrecisionLoss");
  expect(cells(late.cast("Date", { onPrecisionLoss: "round" }))).toEqual(["2024-02-29"]);
});

it("columns without rows compute columns without rows", () => {
  const none = prices.head(0);
  const [t, d, c, , n, , b] = none.columns.map(({ name }) => none.column(name));
  for (const column of [c.add(c), c.mul(2), c.div(c, { scale: 2 }), c.gt(1), t.eq("A"), d.year(), n.neg(), b.not()]) {
    expect(column.length).toBe(0);
    expect(column.toArray()).toEqual([]);
  }
  expect(c.cast("double").length + c.fill(0).length + t.isIn(["A"]).length + b.and(b as never).length).toBe(0);
  expect(none.with({ v: c.add(1) }).numRows).toBe(0);
});
