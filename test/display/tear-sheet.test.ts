import { expect, it } from "vitest";
import { JUPYTER_DISPLAY } from "../../src/display/base/show.js";
import { Frame } from "../../src/frame/frame.js";
import { columnSpecs } from "../support/column-specs.js";
import { market, specOf, workdays } from "./chart-data.js";

const RETURNS = [0.01, -0.02, 0.015, 0.003, -0.007, 0.022, -0.011, 0.004, 0, 0.013, -0.03, 0.018];
const types = columnSpecs({ date: "Date", value: "double" });
/* 2024-01-22 and the workdays after it. */
const dates = workdays(28).slice(15);
const returns = Frame.fromRows(
  RETURNS.map((value, i) => ({ date: dates[i], value })),
  types,
);
const wealth = [250];
for (const [i, value] of RETURNS.entries()) wealth.push(wealth[i] * (1 + value));
const prices = Frame.fromRows(
  wealth.map((value, i) => ({ date: i === 0 ? "2024-01-19" : dates[i - 1], value })),
  types,
);

const closeTo = (value: number) => expect.closeTo(value, 12) as number;

/* empyrical-reloaded 0.7: cum_returns_final, cagr, annual_volatility, sharpe_ratio, sortino_ratio, max_drawdown and
   aggregate_returns(monthly) of RETURNS. */
const FIGURES = {
  from: "2024-01-22",
  to: "2024-02-06",
  returns: 12,
  periods: 252,
  totalReturn: closeTo(0.015718893933295952),
  cagr: closeTo(0.38753565714927607),
  volatility: closeTo(0.2520416632225712),
  sharpe: closeTo(1.416432487531805),
  sortino: closeTo(2.031888635868469),
  maxDrawdown: closeTo(-0.03),
  bestMonth: closeTo(0.015417335293060663),
  worstMonth: closeTo(0.0002969799999998912),
  positiveMonths: 1,
};

it("computes the key figures as empyrical does, of returns and of prices", () => {
  expect(returns.tearSheet({ returns: true }).figures).toEqual(FIGURES);
  expect(prices.tearSheet().figures).toEqual({ ...FIGURES, from: "2024-01-19" });
  // sharpe_ratio(risk_free=0.0001), per day
  expect(returns.tearSheet({ returns: true, riskFree: 0.0252 }).figures.sharpe).toBeCloseTo(1.3164490178236783, 12);
});

it("finds the returns of a year by the dates", () => {
  const every = (days: number) =>
    Frame.fromRows(
      Array.from({ length: 30 }, (_, i) => ({
        date: new Date(Date.UTC(2020, 0, 6 + i * days)).toISOString().slice(0, 10),
        value: 100 + i,
      })),
      types,
    ).tearSheet().figures.periods;
  expect([1, 7, 30, 91, 365].map(every)).toEqual([365, 52, 12, 4, 1]);
  expect(market(["A"], 60).tearSheet({ y: "close" }).figures.periods).toBe(252);
  expect(market(["A"], 60).tearSheet({ y: "close", periods: 260 }).figures.periods).toBe(260);
});

it("draws its pictures on one page, in notebooks with selections of their own", () => {
  const sheet = market(["A"], 300).tearSheet({ y: "close", title: "Mine" });
  const spec = JSON.stringify(specOf(sheet));
  for (const title of ["cumulative return", "drawdown", "returns by month", "distribution of returns", "key figures"]) {
    expect(spec).toContain(`"text":"${title}"`);
  }
  const svg = sheet.toSVG();
  for (const text of ["Mine", "Sharpe ratio", "299 returns, 252 a year", ">Jan<", ">Year<"])
    expect(svg).toContain(text);
  expect(sheet.toPNG().length).toBeGreaterThan(20_000);
  expect(sheet.toHTML()).toContain("vconcat");
  const bundle = (sheet as unknown as { [JUPYTER_DISPLAY](): Record<string, unknown> })[JUPYTER_DISPLAY]();
  expect(Object.keys(bundle)).toEqual(["application/vnd.vegalite.v5+json", "image/png", "text/plain"]);
  expect(bundle["text/plain"]).toBe("tear sheet · Mine · 2024-01-01 to 2025-02-21 · 299 returns, 252 a year");
  const names = [
    ...JSON.stringify(bundle["application/vnd.vegalite.v5+json"]).matchAll(/"name":"((zoom|brush)[^"]*)"/g),
  ];
  expect(new Set(names.map(([, name]) => name)).size).toBe(names.length);
  expect(names.length).toBeGreaterThan(5);
});

it.each([
  [() => market(["A", "B"], 9).tearSheet({ y: "close" }), "expects one series; 2024-01-01 repeats", "Filter to one"],
  [() => returns.tearSheet({ y: "valeu" as never }), 'no column "valeu"', 'Did you mean "value"?'],
  [() => returns.tearSheet({ period: 12 } as never), 'no option "period"', 'Did you mean "periods"?'],
  [() => returns.tearSheet({ periods: 0 }), "cannot use 0 as periods", "252"],
  [() => prices.head(1).tearSheet(), "two prices or one return", "Pass the columns"],
  [() => Frame.fromRows([{ a: 1 }]).tearSheet(), "a column of dates as x", "cast"],
])("refuses %s", (make, message, hint) => {
  expect(make).toThrow(
    expect.objectContaining({
      message: expect.stringContaining(message) as string,
      hint: expect.stringContaining(hint) as string,
    }),
  );
});
