import { expect, it } from "vitest";
import { Frame } from "../../src/frame/frame.js";
import { columnSpecs } from "../support/column-specs.js";

const csvOf = (tickers: number, days: number, venues: readonly string[] = ["N"]): Uint8Array => {
  const rows = Array.from({ length: tickers }, (_, t) =>
    venues.flatMap((venue) =>
      Array.from(
        { length: days + (t % 3) },
        (_, d) => `T${t},${venue},2024-01-${String(d + 1).padStart(2, "0")},${t + d},7`,
      ),
    ),
  );
  return new TextEncoder().encode(`ticker,venue,date,close,volume\n${rows.flat().join("\n")}\n`);
};
const columns = columnSpecs({ ticker: "String", venue: "String", date: "Date", close: "double", volume: "Integer" });
const keyed = (tickers: number, days = 5, venues?: readonly string[]) =>
  Frame.fromCSV(csvOf(tickers, days, venues), { columns, key: ["ticker", "venue", "date"] });

interface Spec {
  readonly data: { readonly values: readonly Readonly<Record<string, unknown>>[] };
  readonly title: { readonly text: string; readonly subtitle?: readonly string[] };
}
const specOf = (chart: { readonly spec: unknown }): Spec => chart.spec as Spec;
const colorsOf = (spec: Spec): unknown[] => [...new Set(spec.data.values.map(({ color }) => color))];

it("colours the series of the key, one line each", async () => {
  const spec = specOf((await keyed(3)).plot());
  expect(colorsOf(spec)).toEqual(["T0", "T1", "T2"]);
  expect(spec.title.text).toBe("close by ticker");
  expect(spec.title.subtitle).toBeUndefined();
});

it("joins the key columns that vary, and leaves out those that name facets", async () => {
  const frame = await keyed(2, 5, ["N", "L"]);
  expect(colorsOf(specOf(frame.plot({ y: "close" })))).toEqual(["T0 N", "T0 L", "T1 N", "T1 L"]);
  expect(colorsOf(specOf(frame.plot({ y: "close", facet: "venue" })))).toEqual(["T0", "T1"]);
  expect(colorsOf(specOf(frame.plot({ y: "close", color: "venue" })))).toEqual(["N", "L"]);
});

it("draws one series, a frame without a key and another x as before", async () => {
  const frame = await keyed(3);
  const one = frame.filter((row) => row["ticker"] === "T1");
  expect(colorsOf(specOf(one.plot({ y: "close" })))).toEqual([undefined]);
  expect(colorsOf(specOf(frame.drop("ticker").plot({ y: "close" })))).toEqual([undefined]);
  expect(colorsOf(specOf(frame.plot({ x: "volume", y: "close" })))).toEqual([undefined]);
});

it("draws 12 of more series, those with the most rows, and says so", async () => {
  const frame = await keyed(40);
  const spec = specOf(frame.plot());
  expect(colorsOf(spec)).toEqual(Array.from({ length: 12 }, (_, i) => `T${3 * i + 2}`));
  expect(spec.title.subtitle).toEqual(["12 of 40 series (ticker) drawn: those with the most rows"]);
  expect(colorsOf(specOf(frame.plot({ y: ["close", "volume"] }))).length).toBe(12);
  expect(colorsOf(specOf(frame.plot({ color: "ticker" }))).length).toBe(40);
});
