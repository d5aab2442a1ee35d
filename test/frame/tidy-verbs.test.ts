import fc from "fast-check";
import { describe, expect, expectTypeOf, it } from "vitest";
import type { Column } from "../../src/frame/cells/column.js";
import { Frame } from "../../src/frame/frame.js";
import { codeOf } from "../compute/model.js";
import { frameOfIPC } from "../frame-of-ipc.js";
import { columnSpecs } from "../support/column-specs.js";
import { forAll } from "../support/for-all.js";
import { runs } from "../support/whole.js";

interface Row {
  ticker: string | null;
  date: string;
  close: number | null;
}

const columns = columnSpecs({ ticker: "String", date: "Date", close: "BigDecimal(9,2)" });
const row = fc.record<Row>({
  ticker: fc.option(fc.constantFrom("A", "B", "C"), { nil: null }),
  date: fc.constantFrom("2024-01-01", "2024-01-02", "2024-01-03"),
  close: fc.option(fc.constantFrom(1.5, -2.25, 0), { nil: null }),
});
const framed = (rows: readonly Row[], cut = 0): Frame<Row> =>
  Frame.concat([rows.slice(0, cut), rows.slice(cut)].map((part) => Frame.fromRows<Row>(part, columns)));
const rows = fc.array(row, { maxLength: 12 });

describe("rows", () => {
  it("dropNulls keeps the rows with values in the columns, in all by default, also of a selection", () => {
    forAll(runs(100), rows, fc.nat(12), (list, cut) => {
      const frame = framed(list, cut);
      const all = list.filter(({ ticker, close }) => ticker !== null && close !== null);
      expect(frame.dropNulls().toArray()).toEqual(all);
      expect(frame.dropNulls("close").toArray()).toEqual(list.filter(({ close }) => close !== null));
      expect(frame.dropNulls(["date"])).toBe(frame);
      const later = frame.filter(({ date }) => date > "2024-01-01").dropNulls("ticker");
      expect(later.toArray()).toEqual(list.filter(({ date, ticker }) => date > "2024-01-01" && ticker !== null));
    });
  });

  it("sample draws rows once each, in order, the same ones for a seed, each as often as another", () => {
    forAll(runs(100), fc.nat(30), fc.nat(40), fc.integer(), (count, drawn, seed) => {
      const frame = Frame.fromRows(
        Array.from({ length: count }, (_, i) => ({ i })),
        [{ name: "i", type: "Integer" }],
      );
      const places = frame.sample(drawn, { seed }).column("i").toNumbers();
      expect(places.length).toBe(Math.min(count, drawn));
      expect([...places]).toEqual([...new Set(places)].sort((a, b) => a - b));
      expect(frame.sample(drawn, { seed }).column("i").toNumbers()).toEqual(places);
    });
    const ten = Frame.fromColumns({ i: Int32Array.from({ length: 10 }, (_, i) => i) });
    const hits = new Int32Array(10);
    for (let seed = 0; seed < 4000; seed++) for (const i of ten.sample(3, { seed }).column("i").toNumbers()) hits[i]++;
    for (const hit of hits) expect(Math.abs(hit - 1200)).toBeLessThan(150);
    expect(ten.sample(4).numRows).toBe(4);
    expect(codeOf(() => ten.sample(-1))).toBe("BadArgument");
    expect(codeOf(() => ten.sample(1, { seed: 0.5 }))).toBe("BadArgument");
  });

  it("sample draws a fraction of the rows, rounded half to even, the same ones for a seed", () => {
    const counted = (count: number) => Frame.fromColumns({ i: Int32Array.from({ length: count }, (_, i) => i) });
    const drawn = (count: number, fraction: number) => counted(count).sample({ fraction }).numRows;
    const counts = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
    expect(counts.map((count) => drawn(count, 0.5))).toEqual([0, 0, 1, 2, 2, 2, 3, 4, 4, 4]);
    expect([0, 0.04, 0.1, 0.25, 0.26, 0.35, 1].map((part) => drawn(10, part))).toEqual([0, 0, 1, 2, 3, 4, 10]);
    const hundred = counted(100);
    const places = hundred.sample({ fraction: 0.1 }, { seed: 7 }).column("i").toNumbers();
    expect(places).toEqual(hundred.sample(10, { seed: 7 }).column("i").toNumbers());
    const later = hundred.filter((row) => row.i >= 50);
    expect(later.sample({ fraction: 0.5 }, { seed: 7 }).toArray()).toEqual(later.sample(25, { seed: 7 }).toArray());
    for (const wrong of [-0.1, 1.1, 50, Number.NaN, Number.POSITIVE_INFINITY, "0.1", null, undefined]) {
      expect(codeOf(() => hundred.sample({ fraction: wrong as number }))).toBe("BadArgument");
    }
  });

  it("valueCounts counts combinations, the most frequent first, null among them", () => {
    forAll(runs(100), rows, fc.nat(12), (list, cut) => {
      const counted = framed(list, cut).valueCounts("ticker");
      const counts = new Map<string | null, number>();
      for (const { ticker } of list) counts.set(ticker, (counts.get(ticker) ?? 0) + 1);
      const expected = [...counts].sort(([, a], [, b]) => b - a).map(([ticker, count]) => ({ ticker, count }));
      expect(counted.toArray()).toEqual(expected);
    });
  });
});

describe("shapes", () => {
  const wide = Frame.fromRows(
    [
      { date: "2024-01-01", AAA: "1.50", BBB: 2 },
      { date: "2024-01-02", AAA: null, BBB: 7 },
    ],
    columnSpecs({ date: "Date", AAA: "BigDecimal(9,2)", BBB: "Integer" }),
  );

  it("unpivot makes a wide table long, in the type that holds all values", () => {
    const long = wide.unpivot({ index: "date", columns: "ticker", values: "close" });
    expect(long.columns.slice(1)).toEqual([
      { name: "ticker", type: "String" },
      { name: "close", type: "BigDecimal(21,2)" },
    ]);
    expect(long.toArray()).toEqual([
      { date: "2024-01-01", ticker: "AAA", close: 1.5 },
      { date: "2024-01-02", ticker: "AAA", close: null },
      { date: "2024-01-01", ticker: "BBB", close: 2 },
      { date: "2024-01-02", ticker: "BBB", close: 7 },
    ]);
    expect(wide.unpivot({ index: [], of: "AAA" }).columns.map(({ name }) => name)).toEqual(["variable", "value"]);
    const texts = Frame.fromColumns({ k: [1, 2], a: ["x", null], b: ["y", "x"] }).unpivot({ index: "k" });
    expect(texts.column("value").toArray()).toEqual(["x", null, "y", "x"]);
    expect(frameOfIPC(texts.toIPC()).toArray()).toEqual(texts.toArray());
    expect(codeOf(() => wide.unpivot({ index: [], of: ["date", "AAA"] }))).toBe("WrongType");
    expect(codeOf(() => wide.unpivot({ index: "date", columns: "date" }))).toBe("DuplicateColumn");
    expect(codeOf(() => wide.unpivot({ index: ["date", "AAA", "BBB"] }))).toBe("BadArgument");
    expect(codeOf(() => wide.unpivot({ index: "day" as "date" }))).toBe("UnknownColumn");
  });

  it("unpivot is the inverse of pivot, whatever the batches", () => {
    forAll(runs(100), rows, fc.nat(12), (list, cut) => {
      fc.pre(list.length > 0);
      const options = { index: "date", columns: "ticker", values: "close" } as const;
      const once = framed(list, cut).dropNulls("ticker").unique("date", "ticker").sort("ticker", "date");
      fc.pre(once.numRows > 0);
      const pivoted = once.pivot(options);
      const back = pivoted.unpivot(options).dropNulls("close").sort("ticker", "date");
      expect(back.select("ticker", "date", "close").toArray()).toEqual(once.dropNulls("close").toArray());
      const cutBack = Frame.concat([pivoted.head(1), pivoted.slice(1)]).unpivot(options);
      expect(cutBack.dropNulls("close").sort("ticker", "date").toArray()).toEqual(back.toArray());
    });
  });

  it("shape and info say what there is", () => {
    expect(wide.shape).toEqual([2, 3]);
    expect(wide.info().toArray()).toEqual([
      { column: "date", type: "Date", values: 2, nulls: 0 },
      { column: "AAA", type: "BigDecimal(9,2)", values: 1, nulls: 1 },
      { column: "BBB", type: "Integer", values: 2, nulls: 0 },
    ]);
    expect(wide.filter((one) => one.AAA === null).shape).toEqual([1, 3]);
    expect(wide.toArray({ decimals: "string" })[0]).toEqual({ date: "2024-01-01", AAA: "1.50", BBB: 2 });
  });

  it("cast changes the types of some columns, in place", () => {
    const made = wide.cast({ AAA: "double", BBB: "BigDecimal(5,1)" });
    expect(made.columns.map(({ type }) => type)).toEqual(["Date", "double", "BigDecimal(5,1)"]);
    expect(made.column("BBB").toStrings()).toEqual(["2.0", "7.0"]);
    expect(codeOf(() => wide.cast({ AAA: "BigDecimal(9,1)", BBB: "Date" } as never))).toBe("BadCell");
    expect(codeOf(() => wide.cast({ AAA: "Integer" }))).toBe("PrecisionLoss");
    expect(wide.cast({ AAA: "Integer" }, { onPrecisionLoss: "round" }).column("AAA").toStrings()).toEqual(["2", null]);
    expect(codeOf(() => wide.cast({ AAB: "double" } as never))).toBe("UnknownColumn");
  });
});

describe("fromColumns", () => {
  it("makes a frame of lists, typed arrays, columns and constants", () => {
    const frame = Frame.fromColumns(
      { ticker: ["A", "B"], close: ["1.50", null], size: Float64Array.of(1, 2), vendor: "X" },
      { close: "BigDecimal(9,2)" },
    );
    expect(frame.columns).toEqual([
      { name: "ticker", type: "String" },
      { name: "close", type: "BigDecimal(9,2)" },
      { name: "size", type: "double" },
      { name: "vendor", type: "String" },
    ]);
    expect(frame.toArray()).toEqual([
      { ticker: "A", close: 1.5, size: 1, vendor: "X" },
      { ticker: "B", close: null, size: 2, vendor: "X" },
    ]);
    expectTypeOf(frame.column("size")).toEqualTypeOf<Column<number>>();
    expect(Frame.fromColumns({}).shape).toEqual([0, 0]);
    expect(Frame.fromColumns({ a: [] }).shape).toEqual([0, 1]);
    expect(Frame.fromColumns({ a: 1, b: "x" }).toArray()).toEqual([{ a: 1, b: "x" }]);
    expect(
      Frame.fromColumns({ again: frame.column("close") })
        .column("again")
        .toStrings(),
    ).toEqual(["1.50", null]);
    expect(codeOf(() => Frame.fromColumns({ a: [1], b: [1, 2] }))).toBe("DifferentLength");
    expect(codeOf(() => Frame.fromColumns({ a: () => 1 } as never))).toBe("BadArgument");
    expect(codeOf(() => Frame.fromColumns(undefined as never))).toBe("BadArgument");
    expect(codeOf(() => Frame.fromColumns({ a: [1, "x"] }))).toBe("MixedTypes");
  });
});
