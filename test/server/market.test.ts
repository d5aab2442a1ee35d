import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { vectorToBigInts, vectorToNumbers, vectorToStrings } from "../../src/columns/arrow/vector-values.js";
import { marketCatalog, marketPrices, marketSeries } from "../../src/server/data/market.js";

it("the seeded table equals the seeded series, cell by cell", () => {
  const prices = marketPrices();
  expect(prices.numRows).toBe(5 * 6522);
  const tickers = vectorToStrings(prices.getChild("ticker") as never);
  for (const { dataset_code } of marketCatalog().databases[0].datasets) {
    const series = marketSeries(dataset_code);
    const from = tickers.indexOf(dataset_code);
    const part = prices.slice(from, from + series.numRows);
    for (const [i, name] of ["Open", "High", "Low", "Close"].entries()) {
      const doubles = vectorToNumbers(series.getChild(name) as never);
      const decimals = vectorToStrings(part.getChildAt(2 + i) as never);
      expect(decimals.map(Number)).toEqual([...doubles]);
      expect(decimals.every((text) => /^\d+\.\d{4}$/.test(text as string))).toBe(true);
    }
    expect(vectorToBigInts(part.getChild("volume") as never).map(Number)).toEqual([
      ...vectorToNumbers(series.getChild("Volume") as never),
    ]);
  }
});

it("prices are like prices: business days only, low <= open, close <= high, never nothing", () => {
  for (const { dataset_code } of marketCatalog().databases[0].datasets) {
    const series = marketSeries(dataset_code);
    const [date, open, high, low, close, volume] = [0, 1, 2, 3, 4, 5].map((i) =>
      vectorToNumbers(series.getChildAt(i) as never),
    );
    const dates = vectorToStrings(series.getChildAt(0) as never);
    expect([dates[0], dates.at(-1)]).toEqual(["2000-01-03", "2024-12-31"]);
    for (let i = 0; i < series.numRows; i++) {
      expect(new Date(date[i]).getUTCDay() % 6).not.toBe(0);
      const fine = low[i] > 0 && low[i] <= Math.min(open[i], close[i]) && high[i] >= Math.max(open[i], close[i]);
      expect(fine && volume[i] > 0, `${dataset_code} ${dates[i]}`).toBe(true);
    }
  }
});

it("the seed gives the same bytes on every machine", () => {
  const hash = createHash("sha256");
  for (const batch of marketPrices().batches)
    for (const data of batch.data.children) hash.update(data.values as Uint8Array);
  expect(hash.digest("hex").slice(0, 16)).toBe("36132eea86964172");
});
