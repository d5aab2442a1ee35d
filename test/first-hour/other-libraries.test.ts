import { expect, it } from "vitest";
import { suggestion } from "../../src/errors/nearest.js";
import { describeMistakes } from "./mistakes.js";

/* What people write who come from pandas, polars, Danfo or SQL: the message has our name for it. */
describeMistakes("habits of other libraries", [
  ['p.column("close") > 100', "WrongType", "Use its methods: close.add(1), close.mul(other), close.gt(50)"],
  ['p.column("close") + 1', "WrongType", "close.get(0) is one cell"],
  ['p.column("close") * p.column("volume")', "WrongType", "close.mul(other)"],
  ['p.filter(p.column("close"))', "WrongType", 'Compare it: filter(frame.column("close").gt(0))'],
  [
    'p.sort(["ticker", "date"], { ascending: false })',
    "BadArgument",
    'Pass pairs: sort(["ticker", "desc"], ["date", "desc"])',
  ],
  [
    'p.sort(["ticker", "date"], ["asc", "desc"])',
    "BadArgument",
    'Pass pairs: sort(["ticker", "desc"], ["date", "desc"])',
  ],
  ['p.sort(["date"], [false])', "BadArgument", 'Pass pairs: sort(["date", "desc"])'],
  ['p.sort("ticker", "date", "desc")', "BadArgument", 'Pass pairs: sort(["ticker", "desc"], ["date", "desc"])'],
  ['p.sort({ by: "close" })', "BadArgument", 'Pass names, or names with a direction: sort("ticker", ["date", "desc"])'],
  ['p.groupBy("ticker").agg("close", "mean")', "BadArgument", 'Pass aggregates by column: agg({ close: "mean" })'],
  ['p.groupBy("ticker").agg({ close: "average" })', "UnknownValue", 'Did you mean "mean"?'],
  ['p.groupBy("ticker").agg({ close: "stddev" })', "UnknownValue", 'Did you mean "std"?'],
  ['p.groupBy("ticker").agg({ close: "n_unique" })', "UnknownValue", 'Did you mean "nunique"?'],
  ['p.groupBy("ticker").agg({ close: (values) => values[0] })', "UnknownValue", 'The values of aggregate are "last"'],
  ['p.pivot({ index: "date", columns: "ticker" })', "BadArgument", 'values: "close" })'],
  ['p.pivot({ index: "date", values: "close" })', "BadArgument", 'columns: "ticker", values: "close" })'],
  [
    'p.pivot({ index: "date", columns: "ticker", values: "close", aggfunc: "sum" })',
    "UnknownOption",
    'Did you mean "agg"?',
  ],
  [
    'p.pivot({ index: "date", columns: "ticker", values: "close", value: "sum" })',
    "UnknownOption",
    'Did you mean "agg"?',
  ],
  ['p.pivot("date", "ticker", "close")', "BadArgument", 'The options are "index", "columns", "values", "agg"'],
  ['p.unpivot({ id_vars: ["date"] })', "UnknownOption", 'Did you mean "index"?'],
  ['p.unpivot({ index: "date", value_vars: ["close"] })', "UnknownOption", 'Did you mean "of"?'],
  ['p.join(p, { left_on: "ticker", right_on: "ticker" })', "UnknownOption", 'Did you mean "leftOn"?'],
  ['p.fill("bfill")', "UnknownValue", 'Did you mean "backward"?'],
  ["p.sample({ frac: 0.1 })", "UnknownOption", 'Did you mean "fraction"?'],
  ['p.resample("D")', "UnknownValue", 'Did you mean "daily"?'],
  ['p.collapse("M")', "UnknownValue", 'Did you mean "monthly"?'],
  ['p.collapse("yearly")', "UnknownValue", 'Did you mean "annual"?'],
  ['p.collapse("monthly", "sum")', "BadArgument", 'The options are "on", "by", "label", "week", "value"'],
  ['p.transform("pct_change")', "UnknownValue", 'Did you mean "rdiff"?'],
  ['p.pctChange("close")', "BadArgument", "Pass 1 for the previous row"],
  ['p.rolling(20, "avg")', "UnknownValue", 'Did you mean "mean"?'],
  ['p.rolling("20d", "mean")', "BadArgument", "Pass a whole number of 1 or more"],
  ['p.quantile("close", 95)', "BadArgument", "The median is 0.5"],
  ['p.plot("date", "close")', "BadArgument", 'The options are "x", "y", "color"'],
  ['p.select("ticker").plot({ y: "ticker" })', "WrongType", 'Convert it first: frame.cast({ "ticker": "double" })'],
  ['p.plot({ y: "close", mark: "hist" })', "UnknownValue", 'Did you mean "histogram"?'],
  ['p.plot({ y: "close", hue: "ticker" })', "UnknownOption", 'Did you mean "color"?'],
  [
    'p.plot({ y: "close" }).save("chart.jpg")',
    "UnknownFileType",
    "Pass a path that ends in .html, .svg, .png or .json",
  ],
  ['Frame.fromCSV("x.csv", { columns: "infer", sep: ";" })', "UnknownOption", 'Did you mean "delimiter"?'],
  ['Frame.fromCSV("x.csv", { columns: "infer", na_values: ["NA"] })', "UnknownOption", 'Did you mean "nullValues"?'],
  ['Frame.fromCSV("x.csv", { columns: "infer", skiprows: 1 })', "UnknownOption", 'Did you mean "skipRows"?'],
  ['Frame.fromParquet("x.parquet", { usecols: ["a"] })', "UnknownOption", 'Did you mean "columns"?'],
  ["Frame.merge([p, p])", "BadArgument", "Several, side by side on their key: Frame.align([a, b, c])"],
  ['p.merge(p, { on: "ticker" })', "BadArgument", 'Two frames: a.join(b, { on: "ticker" })'],
  ['Frame.align([p, p], "date")', "BadArgument", 'The options are "on", "how", "suffixes"'],
  ['t.where("ticker", "AAA")', "BadArgument", 'Pass an object: where({ "ticker": "AAA" })'],
  ["t.limit(0)", "BadArgument", "Pass a whole number of at least 1"],
  ['t.select("ticker, date").frame()', "UnknownColumn", 'The columns are "ticker", "date"'],
  ['d.from("1 Jan 2024")', "BadArgument", "Pass a day as YYYY-MM-DD"],
  ["d.from(2024)", "BadArgument", "Pass a day as YYYY-MM-DD"],
  ['s.datasets("MARKET/AAA", "MARKET/BBB")', "BadCode", "Pass an array of codes"],
  ['connect({ url: "https://h", apiKey: "x", retries: 3 })', "UnknownOption", 'Did you mean "retry"?'],
  ['connect({ url: "https://h", apiKey: "x", timeout: 30 })', "UnknownOption", 'Did you mean "timeouts"?'],
  ['duckdb().then((e) => e.load("prices", [{ a: 1 }]))', "BadArgument", "Make a frame of them: Frame.fromRows(rows)"],
  [
    "duckdb().then(async (e) => { await e.close(); await e.close(); return e.query('select 1'); })",
    "EngineClosed",
    "Open another one: await duckdb()",
  ],
]);

it("a name of another library is suggested only where it exists here, before a name that is merely similar", () => {
  expect(suggestion("avg", ["mean", "ag"], "values")).toBe('Did you mean "mean"?');
  expect(suggestion("avg", ["ag", "sum"], "values")).toBe('Did you mean "ag"?');
  expect(suggestion("constructor", ["a"], "values")).toBe('The values are "a".');
});

it("a service and an engine can be closed twice", async () => {
  const { connect } = await import("../../src/index.js");
  const service = await connect.sample();
  await service.close();
  await expect(service.close()).resolves.toBe(undefined);
});
