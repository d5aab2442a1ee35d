import { expect, it } from "vitest";
import { Frame } from "../../src/frame/frame.js";
import { type Datum, market, specOf } from "./chart-data.js";

const prices = market(["AAA", "BBB", "CCC"], 60);
const one = prices.filter(prices.column("ticker").eq("BBB")).drop("ticker");
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

it("repeats a chart for each value of a column, with shared or independent axes", () => {
  const shared = specOf(prices.plot({ y: "close", facet: "ticker" }));
  expect(shared).toMatchObject({ facet: { field: "facet" }, columns: 2, spec: { width: 300, height: 180 } });
  expect(shared.resolve).toBeUndefined();
  expect(new Set(shared.data.values.map(({ facet }) => facet))).toEqual(new Set(["AAA", "BBB", "CCC"]));
  const own = specOf(prices.plot({ y: "close", facet: "ticker", scales: "independent", columns: 3 }));
  expect(own).toMatchObject({ columns: 3, resolve: { scale: { y: "independent" } } });
  const points = specOf(
    prices.plot({ x: "volume", y: "close", facet: "ticker", mark: "point", scales: "independent" }),
  );
  expect(points.resolve).toEqual({ scale: { x: "independent", y: "independent" } });
  expect(specOf(prices.plot({ y: "close", facet: "ticker", width: 111, height: 99 })).spec).toMatchObject({
    width: 111,
    height: 99,
  });
});

it("facets candles, histograms and heat maps too", () => {
  for (const options of [
    { mark: "candlestick", volume: "volume" },
    { mark: "histogram", x: "ret" },
    { mark: "heatmap", x: "date", y: "ticker", color: "close" },
  ] as const) {
    const { data } = specOf(prices.plot({ ...options, facet: "ticker" }));
    expect(new Set(data.values.map(({ facet }) => facet))).toEqual(new Set(["AAA", "BBB", "CCC"]));
  }
});

it("draws the 36 facets with the most rows of more, and says so", () => {
  const rows = Array.from({ length: 40 }, (_, facet) =>
    Array.from({ length: 2 + (facet % 3) }, (_, x) => ({ facet: `F${facet}`, x, y: x })),
  ).flat();
  const { data, title } = specOf(Frame.fromRows(rows).plot({ x: "x", y: "y", facet: "facet" }));
  expect(new Set(data.values.map(({ facet }) => facet)).size).toBe(36);
  expect(title.subtitle).toEqual(["36 of 40 facets (facet) drawn: those with the most rows"]);
});

it("makes as many bins as asked for, or of a width; every row is counted once", () => {
  const numbers = Frame.fromRows([0, 1, 2, 2.5, 3, 4, 9.99, 10].map((n) => ({ n })));
  const bars = (bins: number | { width: number }) =>
    specOf(numbers.plot({ x: "n", mark: "histogram", bins })).data.values.map(({ x, x2, y }) => [x, x2, y]);
  // numpy.histogram([0, 1, 2, 2.5, 3, 4, 9.99, 10], 4): [3, 3, 0, 2]
  expect(bars(4)).toEqual([
    [0, 2.5, 3],
    [2.5, 5, 3],
    [7.5, 10, 2],
  ]);
  expect(bars({ width: 3 })).toEqual([
    [0, 3, 4],
    [3, 6, 2],
    [9, 12, 2],
  ]);
  const all = specOf(prices.plot({ x: "ret", mark: "histogram", bins: 7, color: "ticker" })).data.values;
  expect(sum(all.map(({ y }) => y as number))).toBe(180);
  expect(new Set(all.map(({ x }) => x)).size).toBe(7);
});

it("shows fractions in percent, on either axis", () => {
  expect(specOf(prices.plot({ y: "ret", percent: true })).encoding?.["y"].axis).toMatchObject({ format: ".1~%" });
  const { encoding } = specOf(prices.plot({ x: "ret", mark: "histogram", percent: true }));
  expect(encoding?.["x"].axis).toMatchObject({ format: ".1~%" });
  expect(encoding?.["y"].axis).not.toHaveProperty("format");
});

it("draws layers over one x, named in one legend", () => {
  const spec = specOf(
    one.plot({
      layers: [
        { mark: "area", y: "high" },
        { mark: "line", y: ["open", "close"] },
      ],
    }),
  );
  expect(spec.layer?.map(({ mark }) => mark?.["type"])).toEqual(["area", "line"]);
  expect(spec.layer?.[1].transform).toEqual([{ filter: { field: "layer", equal: 1 } }]);
  const named = new Set(spec.data.values.map(({ layer, color }) => `${layer} ${color}`));
  expect(named).toEqual(new Set(["0 high", "1 open", "1 close"]));
  expect(spec.title.text).toBe("high and open, close");
});

it("gives layers without options those of the chart", () => {
  const { data } = specOf(prices.plot({ color: "ticker", y: "close", layers: [{ mark: "line" }, { mark: "point" }] }));
  expect(new Set(data.values.map(({ color }) => color))).toEqual(new Set(["AAA", "BBB", "CCC"]));
  expect(data.values.length).toBe(360);
});

it("draws a second axis at the right, behind if it is the first layer", () => {
  const spec = specOf(one.plot({ layers: [{ mark: "bar", y: "volume", axis: "right" }, { y: "close" }] }));
  expect(spec.resolve).toEqual({ scale: { y: "independent" } });
  const [back, front] = spec.layer ?? [];
  expect(back.encoding?.["y"]).toMatchObject({ title: "volume", axis: { orient: "right", grid: false } });
  expect(front.encoding?.["y"].title).toBe("close");
  const facets = specOf(prices.plot({ facet: "ticker", layers: [{ y: "close" }, { y: "volume", axis: "right" }] }));
  expect(facets.spec?.layer?.length).toBe(2);
});

it("places candles side by side without weekends, and lines with them", () => {
  const { data, params, encoding, layer } = specOf(one.plot({ layers: [{ mark: "candlestick" }, { y: "close" }] }));
  expect(encoding).toBeUndefined();
  const [candles, line] = [0, 1].map((at) => data.values.filter((datum) => datum["layer"] === at));
  expect(candles.map(({ x }) => x)).toEqual(Array.from({ length: 60 }, (_, i) => i));
  expect(line.map(({ x }) => x)).toEqual(candles.map(({ x }) => x));
  expect(params).toEqual([{ name: "axis_dates", value: candles.map(({ date }) => date) }]);
  expect(new Date(candles[5]["date"] as number).toISOString()).toContain("2024-01-08");
  expect(layer?.[0].encoding?.["x"].type).toBe("quantitative");
  expect(specOf(one.plot({ mark: "candlestick", gaps: true })).encoding?.["x"].type).toBe("temporal");
  expect(specOf(one.plot({ y: "close", gaps: false })).encoding?.["x"].type).toBe("quantitative");
});

it("draws volumes below the candles, on an axis of their own", () => {
  const spec = specOf(one.plot({ mark: "candlestick", volume: "volume" }));
  const volumes = spec.data.values.map(({ volume }) => volume as number);
  expect(volumes).toEqual([...one.column("volume")]);
  const [below, candles] = spec.layer ?? [];
  const bars = below.encoding?.["y"];
  expect(spec.resolve).toEqual({ scale: { y: "independent" } });
  expect(candles.layer?.length).toBe(3);
  const withLine = specOf(one.plot({ layers: [{ mark: "candlestick", volume: "volume" }, { y: "close" }] }));
  // The line has the scale of the candles.
  expect(withLine.layer?.map(({ layer }) => layer?.length)).toEqual([undefined, 2]);
  expect(bars).toMatchObject({ field: "volume", axis: { orient: "right" } });
  expect(bars?.scale).toMatchObject({ domain: [0, Math.max(...volumes) / 0.2] });
  const floors = spec.data.values.filter((datum: Datum) => "floor" in datum);
  const low = Math.min(...spec.data.values.map((datum) => datum["low"] as number));
  expect(floors.length).toBe(1);
  expect(floors[0]["floor"]).toBeLessThan(low);
  const merged = specOf(market(["A"], 900).plot({ mark: "candlestick", volume: "volume" }));
  expect(sum(merged.data.values.map(({ volume }) => volume as number))).toBe(
    sum([...market(["A"], 900).column("volume")] as number[]),
  );
});

it.each([
  [{ layers: [{ marks: "line" }] }, "layers[0] of plot() has no option", 'Did you mean "mark"?'],
  [{ layers: [{ y: "close" }, { y: "clsoe" }] }, 'There is no column "clsoe"', 'Did you mean "close"?'],
  [{ layers: [] }, "plot() cannot use", "Pass an array of marks"],
  [{ layers: [{ mark: "heatmap" }] }, 'plot() cannot draw "heatmap" in a layer', "Layers can be"],
  [{ layers: [{ axis: "rigth" }] }, 'Unknown axis: "rigth"', 'Did you mean "right"?'],
  [
    {
      layers: [
        { mark: "candlestick", volume: "volume" },
        { y: "ret", axis: "right" },
      ],
    },
    "at the right",
    "Omit",
  ],
  [{ scales: "free" }, 'Unknown scales: "free"', "independent"],
  [{ facet: "tikcer" }, 'There is no column "tikcer"', 'Did you mean "ticker"?'],
  [{ columns: 0 }, "plot() cannot use 0 as columns", "whole number"],
  [{ bins: 0, mark: "histogram" }, "plot() cannot use 0 as bins", "number of bins"],
  [{ bins: { size: 1 }, mark: "histogram" }, "as bins", "width"],
  [{ bins: { width: 1e-9 }, x: "close", mark: "histogram" }, "Bins of width 1e-9", "larger width"],
  [{ percent: "yes" }, 'plot() cannot use "yes" as percent', "true, false"],
  [{ volume: "vloume", mark: "candlestick" }, 'There is no column "vloume"', 'Did you mean "volume"?'],
] as const)("refuses %j", (options, message, hint) => {
  let error: unknown;
  try {
    prices.plot(options as never);
  } catch (caught) {
    error = caught;
  }
  expect(error).toMatchObject({
    name: "InputError",
    message: expect.stringContaining(message) as string,
    hint: expect.stringContaining(hint) as string,
  });
});
