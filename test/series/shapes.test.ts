import { describe, expect, it } from "vitest";
import { Utf8, vectorFromArray } from "../../src/columns/arrow/arrow.js";
import { Frame } from "../../src/frame/frame.js";
import { cellsOf, namesOf, tableFrom, textsOf } from "./tables.js";

const frame = Frame.from(
  tableFrom({
    ticker: ["String", ["A", "A", "A", "B", "B", "B"]],
    date: ["Date", ["2024-01-03", "2024-01-02", "2024-01-01", "2024-01-01", "2024-01-05", "2024-01-02"]],
    price: ["BigDecimal(12,4)", ["1.0003", null, "1.0001", "20.5000", null, "0.1000"]],
    count: ["Integer", [3, null, 9007199254740993n, 7, 8, null]],
    ratio: ["double", [0.5, null, 0.25, null, 4, 2]],
    note: ["String", ["x", null, "y", null, "z", null]],
    due: ["Date", ["2024-02-01", null, "2024-02-03", null, null, "2024-02-06"]],
  }),
);

const NAMES = ["price", "count", "ratio", "note", "due"] as const;
const by = "ticker";
const rest = (result: Frame): (string | null)[][] => textsOf(result.table).map((row) => row.slice(2));
const typesOf = (result: Frame): string[] => result.columns.map(({ type }) => type);

describe("rows keep their order, values their types", () => {
  const cases: [string, Frame, (string | null)[][]][] = [
    [
      "shift moves values of any type along time, series by series",
      frame.shift(1, { by, columns: NAMES }),
      [
        [null, null, null, null, null],
        ["1.0001", "9007199254740993", "0.25", "y", "2024-02-03"],
        [null, null, null, null, null],
        [null, null, null, null, null],
        ["0.1000", null, "2.0", null, "2024-02-06"],
        ["20.5000", "7", null, null, null],
      ],
    ],
    [
      "fill forward",
      frame.fill("forward", { by }),
      [
        ["1.0003", "3", "0.5", "x", "2024-02-01"],
        ["1.0001", "9007199254740993", "0.25", "y", "2024-02-03"],
        ["1.0001", "9007199254740993", "0.25", "y", "2024-02-03"],
        ["20.5000", "7", null, null, null],
        ["0.1000", "8", "4.0", "z", "2024-02-06"],
        ["0.1000", "7", "2.0", null, "2024-02-06"],
      ],
    ],
    [
      "fill backward, one column",
      frame.fill("backward", { by, columns: "note" }),
      [
        ["1.0003", "3", "0.5", "x", "2024-02-01"],
        [null, null, null, "x", null],
        ["1.0001", "9007199254740993", "0.25", "y", "2024-02-03"],
        ["20.5000", "7", null, "z", null],
        [null, "8", "4.0", "z", null],
        ["0.1000", null, "2.0", "z", "2024-02-06"],
      ],
    ],
    [
      "cummax keeps decimals and integers whole",
      frame.cummax({ by }),
      [
        ["1.0003", "9007199254740993", "0.5", "x", "2024-02-01"],
        [null, null, null, null, null],
        ["1.0001", "9007199254740993", "0.25", "y", "2024-02-03"],
        ["20.5000", "7", null, null, null],
        [null, "8", "4.0", "z", null],
        ["20.5000", null, "2.0", null, "2024-02-06"],
      ],
    ],
  ];
  it.each(cases)("%s", (_, result, expected) => {
    expect(rest(result)).toEqual(expected);
    expect(typesOf(result)).toEqual(typesOf(frame));
  });

  it("sums and differences of decimals are exact and say how wide they may be", () => {
    expect(typesOf(frame.diff(1, { by })).slice(2, 5)).toEqual(["BigDecimal(13,4)", "Integer", "double"]);
    expect(typesOf(frame.cumsum({ by })).slice(2, 5)).toEqual(["BigDecimal(38,4)", "Integer", "double"]);
    expect(rest(frame.diff(2, { by }))[0].slice(0, 3)).toEqual(["0.0002", "-9007199254740990", "0.25"]);
    expect(rest(frame.cumsum({ by })).map(([price]) => price)).toEqual([
      "2.0004",
      null,
      "1.0001",
      "20.5000",
      null,
      "20.6000",
    ]);
    expect(typesOf(frame.pctChange(1, { by })).slice(2, 5)).toEqual(["double", "double", "double"]);
  });

  it("a suffix puts results beside the originals", () => {
    const result = frame
      .rolling(2, "mean", { by, columns: "ratio", suffix: "_2" })
      .cumsum({ by, columns: "count", suffix: "_sum" });
    expect(namesOf(result.table).slice(7)).toEqual(["ratio_2", "count_sum"]);
    expect(textsOf(result.table)[0].slice(4)).toEqual(["0.5", "x", "2024-02-01", null, "9007199254740996"]);
  });
});

describe("fill with a value of the column's kind", () => {
  const cases: [Parameters<Frame["fill"]>[0], number, string][] = [
    [0, 0, "0.0000"],
    [{ value: "0.0001" }, 0, "0.0001"],
    [{ value: 5n }, 1, "5"],
    [-1, 2, "-1.0"],
    [{ value: "none" }, 3, "none"],
    [{ value: "2024-02-29" }, 4, "2024-02-29"],
  ];
  it.each(cases)("case %#", (value, column, text) => {
    const [, second] = rest(frame.fill(value, { columns: NAMES[column] }));
    expect(second[column]).toBe(text);
    const byKind = column < 4 && typeof (value as { value?: unknown }).value !== "string" ? text : null;
    expect(rest(frame.fill(value))[1][column]).toBe(column === 3 ? text : byKind);
  });

  it.each([
    [{ value: "0.00001" }, "price", "BadArgument"],
    [1.5, "count", "BadArgument"],
    [0, "note", "WrongType"],
    [{ value: "2024-02-30" }, "due", "BadArgument"],
    ["forwards", "note", "UnknownValue"],
  ] as const)("refuses %j in %s", (value, columns, code) => {
    expect(() => frame.fill(value as 0, { columns })).toThrow(expect.objectContaining({ code }));
  });
});

describe("resample", () => {
  const sparse = Frame.from(
    tableFrom({
      ticker: ["String", ["A", "A", "B", "B"]],
      date: ["Date", ["2024-03-29", "2024-04-02", "2024-02-29", "2023-12-31"]],
      close: ["BigDecimal(6,2)", ["1.00", "2.00", "4.00", "3.00"]],
    }),
  );
  it("gives every period of each series a row, in its own order", () => {
    expect(textsOf(sparse.resample("monthly", { by }).table)).toEqual([
      ["A", "2024-03-31", "1.00"],
      ["A", "2024-04-30", "2.00"],
      ["B", "2024-02-29", "4.00"],
      ["B", "2024-01-31", null],
      ["B", "2023-12-31", "3.00"],
    ]);
  });
  it.each([
    ["forward", ["1.00", "1.00", "1.00", "1.00", "2.00"]],
    ["backward", ["1.00", "2.00", "2.00", "2.00", "2.00"]],
    [0, ["1.00", "0.00", "0.00", "0.00", "2.00"]],
    ["null", ["1.00", null, null, null, "2.00"]],
  ] as const)("fills holes: %s", (gaps, expected) => {
    const [a] = [sparse.filter((row) => row.ticker === "A").resample("daily", { by, gaps })];
    expect(rest(a).map(([close]) => close)).toEqual(expected);
  });
  it("leaves weekends out where they have no rows", () => {
    const days = sparse.filter((row) => row.ticker === "A").resample("daily", { by, skip: "weekends" });
    expect(textsOf(days.table).map(([, date]) => date)).toEqual(["2024-03-29", "2024-04-01", "2024-04-02"]);
  });
});

describe("align", () => {
  const make = (dates: string[], values: (string | null)[], order: 1 | -1 = 1) => {
    const sorted = order === 1 ? [dates, values] : [[...dates].reverse(), [...values].reverse()];
    return Frame.from(tableFrom({ Date: ["Date", sorted[0] as string[]], Close: ["BigDecimal(8,2)", sorted[1]] }));
  };
  const a = make(["2024-01-01", "2024-01-02"], ["1.00", "2.00"], -1);
  const b = make(["2024-01-02", "2024-01-03"], ["3.00", null], -1);

  it("newest first stays newest first where all frames are so; types stay", () => {
    const aligned = Frame.align([a, b]);
    expect(namesOf(aligned.table)).toEqual(["Date", "Close_1", "Close_2"]);
    expect(typesOf(aligned)).toEqual(["Date", "BigDecimal(8,2)", "BigDecimal(8,2)"]);
    expect(textsOf(aligned.table)).toEqual([
      ["2024-01-03", null, null],
      ["2024-01-02", "2.00", "3.00"],
      ["2024-01-01", "1.00", null],
    ]);
    const mixed = Frame.align([a, make(["2024-01-02", "2024-01-03"], ["3.00", null])], {
      suffixes: ["", " B"],
    });
    expect(namesOf(mixed.table)).toEqual(["Date", "Close", "Close B"]);
    expect(cellsOf(mixed.table).map(([date]) => date)).toEqual(["2024-01-01", "2024-01-02", "2024-01-03"]);
  });

  it("joins text of two layouts, nulls as equals, and one frame with itself", () => {
    const left = Frame.from(tableFrom({ k: ["String", ["x", null, "y"]], v: ["double", [1, 2, 3]] }));
    const plain = vectorFromArray(["y", null, "w"], new Utf8());
    const right = Frame.from(tableFrom({ w: ["double", [10, 20, 30]] })).with({ k: plain });
    expect(cellsOf(Frame.align([left, right], { on: "k" }).table)).toEqual([
      ["w", null, 30],
      ["x", 1, null],
      ["y", 3, 10],
      [null, 2, 20],
    ]);
    expect(Frame.align([left, left, left], { on: "k", how: "inner" }).numRows).toBe(3);
  });

  it.each([
    ["nothing", () => Frame.align([]), "NoFrames"],
    ["an unknown value", () => Frame.align([a, b], { how: "full" as "outer" }), "UnknownValue"],
    ["a key that one has not", () => Frame.align([a, frame], { on: "Date" }), "UnknownColumn"],
    [
      "keys that differ in type",
      () => Frame.align([frame, frame.drop("ratio").rename({ price: "ratio" })], { on: "ratio" }),
      "DifferentTypes",
    ],
    ["names that meet", () => Frame.align([a, b], { suffixes: ["", ""] }), "DuplicateColumn"],
  ])("%s", (_, act, code) => {
    expect(act).toThrow(expect.objectContaining({ code }));
  });
});

describe("asof", () => {
  it("takes what was known, of any type, and suffixes names that meet", () => {
    const quotes = Frame.from(
      tableFrom({
        ticker: ["String", ["B", "A", "A"]],
        date: ["Date", ["2024-01-02", "2024-01-02", "2023-01-01"]],
        price: ["BigDecimal(6,2)", ["9.00", "8.00", "7.00"]],
        who: ["String", ["b", "a", null]],
      }),
    );
    const joined = frame.select("ticker", "date", "price").asof(quotes, { by });
    expect(namesOf(joined.table)).toEqual(["ticker", "date", "price", "price_right", "who"]);
    expect(textsOf(joined.table).map((row) => row.slice(3))).toEqual([
      ["8.00", "a"],
      ["8.00", "a"],
      ["7.00", null],
      [null, null],
      ["9.00", "b"],
      ["9.00", "b"],
    ]);
    const near = frame.asof(quotes.select("date", "who"), { by: [], tolerance: 1, direction: "forward", exact: false });
    expect(textsOf(near.table).map((row) => row[7])).toEqual([null, null, "b", "b", null, null]);
  });
});

describe("groups", () => {
  it("aggregates keep what can be kept", () => {
    const result = frame.groupBy("ticker").agg({
      price: ["sum", "min", "last", "mean"],
      count: ["sum", "nunique", "count"],
      note: "max",
      due: ["min", "first"],
    });
    expect(result.columns).toEqual([
      { name: "ticker", type: "String" },
      { name: "price_sum", type: "BigDecimal(38,4)" },
      { name: "price_min", type: "BigDecimal(12,4)" },
      { name: "price_last", type: "BigDecimal(12,4)" },
      { name: "price_mean", type: "double" },
      { name: "count_sum", type: "Integer" },
      { name: "count_nunique", type: "Integer" },
      { name: "count_count", type: "Integer" },
      { name: "note", type: "String" },
      { name: "due_min", type: "Date" },
      { name: "due_first", type: "Date" },
    ]);
    expect(textsOf(result.table)).toEqual([
      ["A", "2.0004", "1.0001", "1.0001", "1.0002", "9007199254740996", "2", "2", "y", "2024-02-01", "2024-02-01"],
      ["B", "20.6000", "0.1000", "0.1000", "10.3", "15", "2", "2", "z", "2024-02-06", "2024-02-06"],
    ]);
  });

  it("counts rows, also by several columns and of nothing", () => {
    expect(cellsOf(frame.groupBy("ticker", "note").count().table)).toEqual([
      ["A", "x", 1],
      ["A", null, 1],
      ["A", "y", 1],
      ["B", null, 2],
      ["B", "z", 1],
    ]);
    expect(frame.slice(0, 0).groupBy("ticker").agg({ price: "sum" }).numRows).toBe(0);
  });

  it("unique rows, distinct values", () => {
    expect(textsOf(frame.unique("ticker").table).map((row) => row.slice(0, 2))).toEqual([
      ["A", "2024-01-03"],
      ["B", "2024-01-01"],
    ]);
    expect(frame.unique().numRows).toBe(6);
    expect(Frame.concat([frame, frame]).unique().numRows).toBe(6);
  });

  it("pivots, keeps types, refuses to guess", () => {
    const wide = frame.pivot({ index: "date", columns: "ticker", values: ["price", "note"] });
    expect(namesOf(wide.table)).toEqual(["date", "price_A", "price_B", "note_A", "note_B"]);
    expect(textsOf(wide.table)).toEqual([
      ["2024-01-01", "1.0001", "20.5000", "y", null],
      ["2024-01-02", null, "0.1000", null, null],
      ["2024-01-03", "1.0003", null, "x", null],
      ["2024-01-05", null, null, null, "z"],
    ]);
    expect(() => frame.pivot({ index: "ticker", columns: "ticker", values: "price" })).toThrow(
      expect.objectContaining({ code: "SeveralValues", message: expect.stringContaining("A, A") }),
    );
  });

  it("describes and correlates what there is", () => {
    const described = frame.describe("price", "ratio");
    expect(cellsOf(described.table).map((row) => row.slice(0, 2))).toEqual(
      [
        ["statistic", "count"],
        ["count", 4],
        ["nulls", 2],
        ["mean", 5.6501],
        ["std", 9.909024170926218],
        ["min", 0.1],
        ["25%", 0.775075],
        ["50%", 1.0002],
        ["75%", 5.875225],
        ["max", 20.5],
      ].slice(1),
    );
    expect(frame.quantile("price", 0.5)).toBe(1.0002);
    expect(frame.slice(1, 2).quantile("price", 0.5)).toBe(null);
    expect(frame.corr("price", "ratio")).toBeCloseTo(-0.99122, 4);
    expect(frame.slice(0, 1).corr("price", "ratio")).toBe(null);
  });

  it.each([
    ["an unknown column", () => frame.groupBy("tickr" as "ticker").count(), "UnknownColumn"],
    ["an unknown aggregate", () => frame.groupBy("ticker").agg({ price: "avg" as "mean" }), "UnknownValue"],
    ["a mean of text", () => frame.groupBy("ticker").agg({ note: "mean" }), "WrongType"],
    ["no column", () => frame.groupBy().count(), "BadArgument"],
    ["a quantile of 2", () => frame.groupBy("ticker").agg({ price: { quantile: 2 } }), "BadArgument"],
    ["two columns of one name", () => frame.groupBy("ticker").agg({ ticker: "count" }), "DuplicateColumn"],
  ])("refuses %s", (_, act, code) => {
    expect(act).toThrow(expect.objectContaining({ code }));
  });
});

it("methods keep where the rows come from", () => {
  const sourced = Frame.from(frame.table, { code: "EOD/AAPL" });
  expect(sourced.collapse("monthly", { by }).source).toEqual({ code: "EOD/AAPL", collapse: "monthly" });
  expect(sourced.rolling(2, "mean", { by }).source).toEqual({ code: "EOD/AAPL" });
});

it("an empty table stays one", () => {
  const empty = frame.slice(0, 0);
  for (const result of [
    empty.collapse("monthly", { by }),
    empty.transform("rdiff", { by }),
    empty.rolling(3, "mean", { by }),
    empty.resample("daily", { by }),
    empty.fill("forward"),
    empty.shift(1),
    empty.asof(empty, { by }),
    Frame.align([empty, empty]),
    empty.unique("ticker"),
  ]) {
    expect(result.numRows).toBe(0);
  }
  expect(empty.describe().numRows).toBe(9);
});
