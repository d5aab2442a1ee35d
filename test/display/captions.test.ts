import fc from "fast-check";
import { expect, it } from "vitest";
import { display } from "../../src/display/display.js";
import { Frame } from "../../src/frame/frame.js";
import { columnSpecs } from "../support/column-specs.js";
import { forAll } from "../support/for-all.js";

/* Titles, captions and source lines describe the rows that are shown, not those that were requested. */
const source = {
  code: "MARKET/PRICES",
  name: "All prices",
  filters: [
    { column: "ticker", operator: "eq", values: ["AAA", "BBB", "CCC"] },
    { column: "date", operator: "gte", values: ["2024-01-01"] },
  ],
  complete: true,
} as const;

const frameOf = (tickers: readonly string[]) =>
  Frame.fromRows(
    tickers.map((ticker, i) => ({ ticker, date: `2024-01-${String((i % 28) + 1).padStart(2, "0")}`, close: i })),
    columnSpecs({ ticker: "String", date: "Date", close: "double" }),
    source as never,
  );

interface Titled {
  readonly title: { readonly text: string; readonly subtitle?: readonly string[] };
}
const titleOf = (frame: Frame): Titled["title"] => (frame.plot({ y: "close" }).spec as unknown as Titled).title;
const prices = frameOf(["AAA", "BBB", "AAA", "CCC"]);

it("a caption names the values of a filter that the rows still hold", () => {
  expect(titleOf(prices).subtitle).toEqual(["ticker = AAA, BBB, CCC · date ≥ 2024-01-01"]);
  const one = prices.filter((row) => row["ticker"] === "AAA");
  expect(titleOf(one).subtitle).toEqual(["ticker = AAA · date ≥ 2024-01-01"]);
  expect(String(one)).toContain("MARKET/PRICES · ticker = AAA · date ≥ 2024-01-01");
  expect(one.toHTML()).toContain("ticker = AAA · date");
  expect(titleOf(prices.tail(2)).subtitle).toEqual(["ticker = AAA, CCC · date ≥ 2024-01-01"]);
  expect(titleOf(prices.drop("ticker")).subtitle).toEqual(["ticker = AAA, BBB, CCC · date ≥ 2024-01-01"]);
});

it("it names them for any rows, whether text is a dictionary or not", () => {
  forAll(100, fc.array(fc.constantFrom("AAA", "BBB", "CCC", "DDD"), { minLength: 1, maxLength: 60 }), (tickers) => {
    const held = ["AAA", "BBB", "CCC"].filter((ticker) => (tickers as string[]).includes(ticker));
    const named = (held.length === 0 ? ["AAA", "BBB", "CCC"] : held).join(", ");
    // Of fetched rows the line shows what was requested.
    expect(String(frameOf(tickers))).toContain("· ticker = AAA, BBB, CCC · date ≥");
    expect(String(frameOf(["BBB", ...tickers]).slice(1))).toContain(`· ticker = ${named} · date ≥`);
  });
});

it("what is computed from a table does not carry its title", async () => {
  const found = await prices.sql<{ date: string; close: number }>('select "date", 2 * "close" as "close" from this');
  expect(titleOf(found as Frame)).toMatchObject({ text: "close", subtitle: ["computed from MARKET/PRICES"] });
  expect(String(found)).not.toContain("All prices");
  for (const made of [
    prices.groupBy("ticker").agg({ close: "mean" }),
    prices.valueCounts("ticker"),
    prices.describe(),
    prices.corr(["close"]),
    prices.info(),
  ]) {
    expect(made.source?.code).toBe("MARKET/PRICES");
    expect(String(made)).toMatch(/· computed from MARKET\/PRICES$/);
  }
});

it("the handle of a display shows nothing as the last expression of a cell", () => {
  const handle = display("shown") as unknown as Record<symbol, () => object>;
  expect(handle[Symbol.for("Jupyter.display")]()).toEqual({});
  expect(Object.keys(handle)).toEqual(["id", "update"]);
});

it("a column correlates with itself by exactly 1, with rounding and without", () => {
  forAll(100, fc.array(fc.double({ noNaN: true, min: -1e6, max: 1e6 }), { minLength: 2, maxLength: 40 }), (x) => {
    const { a, b } =
      Frame.fromColumns({ a: x, b: x.map((value) => value / 3) })
        .corr(["a", "b"])
        .toArray()[0] ?? {};
    for (const value of [a]) expect(value === 1 || value === null).toBe(true);
    if (typeof b === "number") expect(Math.abs(b)).toBeLessThanOrEqual(1);
  });
});
