import { expect, it } from "vitest";
import { Frame } from "../../src/frame/frame.js";
import { columnSpecs } from "../support/column-specs.js";
import { type Datum, market, specOf } from "./chart-data.js";

const prices = market(["AAA", "BBB", "CCC"], 60);
const wide = Frame.fromRows(
  [1, 2, 3, 4, 5, 6.5].map((a, i) => ({ a, b: [2.1, 3.9, 6.2, 7.7, 10.4, 12.9][i], c: [5, 3, 4, 1, 2, 0.5][i] })),
);
const few = Frame.fromRows(
  [100, 104, 98.5, 101.25, 90, 95.5].map((close, i) => ({
    date: ["2023-11-28", "2023-11-30", "2023-12-05", "2023-12-29", "2024-02-01", "2024-02-15"][i],
    close,
  })),
  columnSpecs({ date: "Date", close: "double" }),
);
/* few.close.pct_change() of pandas */
const CHANGES = [
  0.040000000000000036, -0.05288461538461542, 0.027918781725888353, -0.11111111111111116, 0.061111111111111116,
];
const changes = few.tail(5).with({ close: CHANGES });

const closeTo = (value: number) => expect.closeTo(value, 12) as number;

it("correlates columns as pandas does, on a scale from -1 to 1, with the numbers in the cells", () => {
  const { data, layer, width, height } = specOf(wide.plot({ mark: "correlation" }));
  const corr = Object.fromEntries(data.values.map(({ x, y, heat }) => [`${x}${y}`, heat]));
  expect(corr).toEqual({
    ...{ aa: 1, bb: 1, cc: 1 },
    ...{ ab: closeTo(0.9980624565305187), ac: closeTo(-0.8722656349682806), bc: closeTo(-0.8454020858747331) },
    ...{ ba: closeTo(0.9980624565305187), ca: closeTo(-0.8722656349682806), cb: closeTo(-0.8454020858747331) },
  });
  expect(layer?.[0].encoding?.["color"].scale).toMatchObject({ domain: [-1, 1], domainMid: 0, range: "diverging" });
  expect(layer?.[1].mark?.["type"]).toBe("text");
  expect([width, height]).toEqual([168, 168]);
  expect(specOf(prices.plot({ mark: "correlation", y: ["open", "volume"], facet: "ticker" })).data.values.length).toBe(
    12,
  );
  expect(() => wide.plot({ mark: "correlation", y: "a" })).toThrow("two or more number columns");
});

it("draws a grid of months with returns of prices as pandas has them, and of years", () => {
  const expected = [
    { x: "Nov", y: "2023", heat: closeTo(0.040000000000000036) },
    { x: "Dec", y: "2023", heat: closeTo(-0.02644230769230771) },
    { x: "Feb", y: "2024", heat: closeTo(-0.05679012345679013) },
    { x: "Year", y: "2023", heat: closeTo(0.0125) },
    { x: "Year", y: "2024", heat: closeTo(-0.05679012345679013) },
  ];
  expect(specOf(few.plot({ mark: "months" })).data.values).toEqual(expected);
  expect(specOf(changes.plot({ mark: "months", returns: true })).data.values).toEqual(expected);
  expect(specOf(few.plot({ mark: "months" })).encoding).toMatchObject({
    x: { sort: expect.arrayContaining(["Year"]) as object },
  });
  expect(() => wide.plot({ mark: "months" })).toThrow("column of dates");
});

it("draws drawdowns of prices and of returns as pandas has them", () => {
  const drawn = (values: readonly Datum[]) => values.map(({ y }) => y);
  const { data, encoding, title } = specOf(few.plot({ mark: "drawdown" }));
  const expected = [0, -0.05288461538461542, -0.02644230769230771, -0.13461538461538458, -0.08173076923076927];
  expect(drawn(data.values)).toEqual([0, ...expected.map(closeTo)]);
  expect(drawn(specOf(changes.plot({ mark: "drawdown", returns: true })).data.values)).toEqual(expected.map(closeTo));
  expect(encoding?.["y"].axis).toMatchObject({ format: ".1~%" });
  expect(title.text).toBe("drawdown of close");
  const each = specOf(prices.plot({ mark: "drawdown", y: "close", color: "ticker" })).data.values;
  for (const ticker of ["AAA", "BBB", "CCC"])
    expect(each.find(({ color }) => color === ticker)).toMatchObject({ y: 0 });
});

it("draws boxes with the quartiles of NumPy, whiskers and outliers as Tukey", () => {
  const rows = [2, 3, 5, 7, 11, 13, 17, 19, 23, 60, -40].map((v) => ({ group: "g", v }));
  const frame = Frame.fromRows([...rows, { group: "h", v: 1 }, { group: "h", v: null as never }]);
  const { data } = specOf(frame.plot({ mark: "boxplot" }));
  expect(data.values).toEqual([
    { x: "g", low: 2, q1: 4, median: 11, q3: 18, high: 23, count: 11 },
    { x: "g", out: 60 },
    { x: "g", out: -40 },
    { x: "h", low: 1, q1: 1, median: 1, q3: 1, high: 1, count: 1 },
  ]);
  const columns = specOf(wide.plot({ mark: "boxplot", y: ["a", "b"] })).data.values;
  expect(columns.map(({ x }) => x)).toEqual(["a", "b"]);
  const colored = specOf(prices.plot({ mark: "boxplot", x: "date", y: "ret", color: "ticker", gaps: true }));
  expect(new Set(colored.data.values.map(({ color }) => color)).size).toBe(3);
  const byMonth = specOf(market(["A"], 130).plot({ mark: "boxplot", x: "date", y: "ret" }));
  expect(byMonth.title.subtitle).toEqual(["date by month"]);
  expect(byMonth.data.values.map(({ x }) => x)).toContain("2024-03");
});

it("puts at most 60 outliers of a box into the page, with the farthest", () => {
  const rows = Array.from({ length: 2_000 }, (_, i) => ({ v: i < 500 ? 1_000 + i : i % 7 }));
  const { data, title } = specOf(Frame.fromRows(rows).plot({ mark: "boxplot", y: "v" }));
  const outliers = data.values.filter((datum) => "out" in datum).map(({ out }) => out as number);
  expect([outliers.length, Math.min(...outliers), Math.max(...outliers)]).toEqual([60, 1_000, 1_499]);
  expect(title.subtitle).toEqual(["60 of 500 outliers drawn"]);
});

it("draws the regression line and its band as R's lm has them", () => {
  const { data, title } = specOf(wide.plot({ x: "a", y: "b", mark: "regression" }));
  const line = data.values.filter((datum) => "fit" in datum);
  expect(line.length).toBe(80);
  expect(line[0]).toEqual({
    x: 1,
    fit: closeTo(2.041855670103092),
    from: closeTo(1.4942756719291186),
    to: closeTo(2.5894356682770656),
  });
  expect(line[79]).toEqual({
    x: 6.5,
    fit: closeTo(13.023711340206185),
    from: closeTo(12.428239148813306),
    to: closeTo(13.619183531599065),
  });
  expect(title.subtitle).toEqual(["0.04515 + 1.997 x · R² 0.9961 · 6 points · 95 % confidence"]);
  expect(data.values.filter(({ y }) => y !== undefined).length).toBe(6);
});

it("fits every row and draws at most 3,000 points, for each colour a line", () => {
  const rows = Array.from({ length: 9_000 }, (_, i) => ({ x: i, y: 2 * i + (i % 2), g: i % 3 === 0 ? "a" : "b" }));
  const { data, title } = specOf(Frame.fromRows(rows).plot({ x: "x", y: "y", color: "g", mark: "regression" }));
  expect(data.values.filter(({ y }) => y !== undefined).length).toBeLessThanOrEqual(3_001);
  expect(data.values.filter((datum) => "fit" in datum).length).toBe(160);
  expect(title.subtitle).toEqual(["3,000 of 9,000 points drawn, all of them fitted"]);
  const lone = Frame.fromRows([{ x: 1, y: 2 }]).plot({ x: "x", y: "y", mark: "regression" });
  expect(specOf(lone).data.values).toEqual([{ x: 1, y: 2 }]);
  expect(() => prices.plot({ x: "ticker", y: "close", mark: "regression" })).toThrow("numbers or dates as x");
});

it("is a layer over candles, at dates that are on their axis", () => {
  const one = prices.filter(prices.column("ticker").eq("AAA")).drop("ticker");
  const { data } = specOf(one.plot({ layers: [{ mark: "candlestick" }, { mark: "regression", y: "close" }] }));
  expect(data.values.every(({ x }) => Number.isInteger(x) && (x as number) < 60)).toBe(true);
});

it("centres two colours on the middle where heat has both signs, and writes numbers where they fit", () => {
  const signs = specOf(prices.plot({ x: "date", y: "ticker", color: "ret", mark: "heatmap", percent: true }));
  const farthest = Math.max(...signs.data.values.map(({ heat }) => Math.abs(heat as number)));
  const colors = (spec: typeof signs) => (spec.encoding?.["color"] ?? spec.layer?.[0].encoding?.["color"])?.scale;
  expect(colors(signs)).toMatchObject({ range: "diverging", domain: [-farthest, farthest] });
  expect(colors(specOf(prices.plot({ x: "date", y: "ticker", color: "close", mark: "heatmap" })))).toEqual({
    range: "heatmap",
  });
  const middle = specOf(prices.plot({ x: "date", y: "ticker", color: "close", mark: "heatmap", middle: 100 }));
  expect(colors(middle)).toMatchObject({ domainMid: 100 });
  expect(signs.layer).toBeUndefined();
  const small = prices.tail(15);
  expect(specOf(small.plot({ x: "date", y: "ticker", color: "close", mark: "heatmap" })).layer?.length).toBe(2);
  const plain = specOf(small.plot({ x: "date", y: "ticker", color: "close", mark: "heatmap", labels: false }));
  expect(plain.layer).toBeUndefined();
});

it("orders numbers on the axis of a heat map by size", () => {
  const rows = [10, 9, 100].map((x) => ({ x, y: "a", v: x }));
  const { data, encoding, layer } = specOf(Frame.fromRows(rows).plot({ x: "x", y: "y", color: "v", mark: "heatmap" }));
  expect(data.values.map(({ x }) => x)).toEqual([10, 9, 100]);
  expect((encoding?.["x"] ?? layer?.[0].encoding?.["x"]) as object).toMatchObject({ sort: "ascending" });
});

it("draws every one of them", () => {
  for (const mark of ["boxplot", "regression", "months", "drawdown"] as const) {
    const x = mark === "regression" ? "volume" : mark === "boxplot" ? "ticker" : "date";
    const svg = prices.plot({ mark, x, y: "close", ...(mark === "boxplot" ? {} : { facet: "ticker" }) }).toSVG();
    expect(svg.length).toBeGreaterThan(4_000);
  }
  expect(wide.plot({ mark: "correlation" }).toSVG()).toContain(">−0.87<");
  expect(few.head(0).plot({ mark: "months" }).toSVG()).toContain("<svg");
});

it("months of several series are a grid each, or an error: their returns cannot be chained", () => {
  const both = Frame.fromColumns(
    {
      ticker: ["A", "A", "B", "B"],
      date: ["2024-01-31", "2024-02-29", "2024-01-31", "2024-02-29"],
      close: [10, 11, 100, 100],
    },
    { ticker: "String", date: "Date", close: "double" },
  );
  const options = { mark: "months", x: "date", y: "close" } as const;
  expect(() => both.plot(options)).toThrow(expect.objectContaining({ code: "RepeatedDate" }));
  expect(both.plot({ ...options, facet: "ticker" }).text).toContain("4 rows");
});

it("leaves infinite values out of grids, and a share of variance that is not defined out of the caption", () => {
  const rows = [0, 1, 2, Number.POSITIVE_INFINITY].map((y, i) => ({ x: `x${i % 3}`, g: "g", y, k: i, same: 7 }));
  const cells = Frame.fromRows(rows).plot({ x: "x", y: "g", color: "y", mark: "heatmap" });
  expect(specOf(cells).data.values.map(({ x, heat }) => [x, heat])).toEqual([
    ["x0", 0],
    ["x1", 1],
    ["x2", 2],
  ]);
  const from = { from: ["2024-01-31", "2024-02-29", "2024-03-31", "2025-01-31"], close: [1, 0, 1, 2] };
  const risen = Frame.fromColumns(from, { from: "Date", close: "double" });
  const grid = risen.plot({ mark: "months" });
  expect(specOf(grid).data.values.map(({ x, heat }) => [x, heat])).toEqual([
    ["Feb", -1],
    ["Jan", 1],
    ["Year", 0],
    ["Year", 1],
  ]);
  for (const chart of [cells, grid, risen.tearSheet({ y: "close" })]) expect(chart.toSVG()).toContain("<svg");
  const flat = specOf(Frame.fromRows(rows).plot({ x: "k", y: "same", mark: "regression" }));
  expect(flat.title.subtitle).toEqual(["7 + 0 x · 4 points · 95 % confidence"]);
});
