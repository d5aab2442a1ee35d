import * as danfo from "danfojs-node";
import { describe, expect, it } from "vitest";
import type { DanfoReport } from "../../src/frame/danfo/danfo.js";
import { Frame } from "../../src/frame/frame.js";
import { columnSpecs } from "../support/column-specs.js";

const columns = columnSpecs({
  ticker: "String",
  date: "Date",
  close: "BigDecimal(20,4)",
  volume: "Integer",
  open: "Boolean",
});

const frame = Frame.fromRows(
  [
    { ticker: "A", date: "2024-02-29", close: "1.5000", volume: 5, open: true },
    { ticker: null, date: "2024-03-01", close: null, volume: null, open: false },
    { ticker: "B", date: null, close: "2.2500", volume: 7, open: true },
  ],
  columns,
);

const collect = async (one: Frame, options: object = {}) => {
  let report: DanfoReport | undefined;
  const df = await one.toDanfo({
    ...options,
    onReport: (found) => {
      report = found;
    },
  });
  return { df, report };
};

describe("toDanfo", () => {
  it("makes Danfo's columns on access, of its rows as they are then, and they follow changes", async () => {
    const { df } = await collect(frame);
    expect(df["close"].values).toEqual([1.5, Number.NaN, 2.25]);
    df.addColumn("twice", [1, 2, 3], { inplace: true });
    expect(df["twice"].values).toEqual([1, 2, 3]);
    const { df: changed } = await collect(frame);
    changed["close"] = [7, 8, 9];
    expect(changed["close"].values).toEqual([7, 8, 9]);
    expect(changed.column("ticker").values).toEqual(["A", null, "B"]);
    const { df: empty } = await collect(frame.head(0));
    expect(empty.shape).toEqual([0, 5]);
  });

  it("gives text, ISO dates and numbers with forced types, nulls visible", async () => {
    const { df, report } = await collect(frame);
    expect(df).toBeInstanceOf(danfo.DataFrame);
    expect(df.columns).toEqual(["ticker", "date", "close", "volume", "open"]);
    expect(df.dtypes).toEqual(["string", "string", "float32", "float32", "boolean"]);
    expect(df.values).toEqual([
      ["A", "2024-02-29", 1.5, 5, true],
      [null, "2024-03-01", Number.NaN, Number.NaN, false],
      ["B", null, 2.25, 7, true],
    ]);
    expect(report).toEqual({ lostDigits: [], unsafeIntegers: [], renamed: [] });
  });

  it("works with Danfo's own verbs, columns and statistics", async () => {
    const df = await frame.toDanfo();
    expect(df["close"].mean()).toBe(1.875);
    expect(df["date"].values).toEqual(["2024-02-29", "2024-03-01", null]);
    expect(df.sortValues("close", { ascending: false }).shape).toEqual([3, 5]);
    expect(df.query(df["volume"].gt(5)).shape[0]).toBe(1);
    expect(df.groupby(["ticker"]).count().shape[0]).toBeGreaterThan(0);
    expect(df.head(2).shape).toEqual([2, 5]);
  });

  it("takes exact decimals, Dates and nulls on request", async () => {
    const { df } = await collect(frame, { decimals: "string", dates: "Date", nulls: "null" });
    expect((df.values as unknown[][])[0].slice(1, 3)).toEqual([new Date("2024-02-29T00:00:00Z"), "1.5000"]);
    expect((df.values as unknown[][])[1][3]).toBe(null);
  });

  it("reports lost digits, unsafe integers and changed names", async () => {
    const wide = Frame.fromRows(
      [{ "": "9007199254740993", shape: "0.1234567890123456789", d: 9007199254740993n, $data: 1, columns: "x" }],
      columnSpecs({
        "": "BigDecimal(20,0)",
        shape: "BigDecimal(38,19)",
        d: "Integer",
        $data: "double",
        columns: "String",
      }),
    );
    const { df, report } = await collect(wide);
    expect(df.columns).toEqual(["_", "shape_", "d", "$data_", "columns_"]);
    expect(report?.lostDigits).toEqual(["", "shape"]);
    expect(report?.unsafeIntegers).toEqual(["d"]);
    expect(report?.renamed).toContainEqual(["columns", "columns_"]);
    const back = Frame.fromDanfo((await collect(wide, { decimals: "string" })).df, { schema: wide.table.schema });
    expect(back.columns).toEqual(wide.columns);
    expect(back.column("shape").toStrings()).toEqual(["0.1234567890123456789"]);
  });

  it("distinguishes repeated names and takes empty frames", async () => {
    const twice = await frame.select("close", "ticker").rename(["a", "a"]).toDanfo();
    expect(twice.columns).toEqual(["a", "a_2"]);
    const { df } = await collect(frame.head(0));
    expect([df.columns, df.dtypes, df.shape[0]]).toEqual([columns.map((c) => c.name), expect.any(Array), 0]);
  });

  it("says how to install where the package is missing", async () => {
    const { INSTALL } = await import("../../src/frame/danfo/danfo.js");
    expect(INSTALL).toMatch(/npm install danfojs-node/);
    for (const word of ['"overrides"', '"pnpm"', '"resolutions"', "@tensorflow/tfjs-node", "xlsx"]) {
      expect(INSTALL).toContain(word);
    }
  });
});

describe("fromDanfo", () => {
  it("round-trips with the schema, exact if nothing was lost", async () => {
    const df = await frame.toDanfo();
    const back = Frame.fromDanfo(df, { schema: frame.table.schema });
    expect(back.columns).toEqual(columns);
    expect([...back.rows()]).toEqual([...frame.rows()]);
    expect([...Frame.fromDanfo(df, { schema: columns }).rows()]).toEqual([...frame.rows()]);
  });

  it("infers types without a schema and keeps new columns", async () => {
    const df = new danfo.DataFrame(
      [
        [1.5, "x"],
        [Number.NaN, "y"],
      ],
      { columns: ["n", "s"] },
    );
    const back = Frame.fromDanfo(df, { schema: [{ name: "s", type: "String" }] });
    expect(back.columns.map((c) => c.type)).toEqual(["double", "String"]);
    expect(back.column("n").toArray()).toEqual([1.5, null]);
  });

  it("refuses digits beyond the scale, or rounds them on request", () => {
    const df = new danfo.DataFrame([[1.23456]], { columns: ["close"] });
    const schema = [{ name: "close", type: "BigDecimal(10,4)" }];
    expect(() => Frame.fromDanfo(df, { schema })).toThrow(expect.objectContaining({ column: "close" }));
    const rounded = Frame.fromDanfo(df, { schema, onPrecisionLoss: "round" });
    expect(rounded.column("close").toStrings()).toEqual(["1.2346"]);
  });
});
