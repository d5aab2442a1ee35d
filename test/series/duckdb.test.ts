import { DuckDBInstance } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { Frame } from "../../src/frame/frame.js";
import { formatDate, parseDate } from "../../src/value/date.js";
import { tableFrom } from "./tables.js";

/** The same pseudo-random numbers every time. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const next = random(7);
const tickers: string[] = [];
const dates: string[] = [];
const x: (number | null)[] = [];
const cents: (string | null)[] = [];
for (const [ticker, first, count] of [
  ["A", "0001-01-03", 150],
  ["B", "1899-11-20", 200],
  ["C", "9998-06-01", 120],
] as const) {
  let day = parseDate(first);
  for (let i = 0; i < count; i++) {
    day += 1 + Math.floor(next() * 4);
    tickers.push(ticker);
    dates.push(formatDate(day));
    x.push(next() < 0.15 ? null : Math.round((next() - 0.3) * 1e6) / 64);
    cents.push(
      next() < 0.1 ? null : (BigInt(Math.floor(next() * 2 ** 52)) * 1_000_003n).toString().replace(/(\d{2})$/, ".$1"),
    );
  }
}

const frame = Frame.from(
  tableFrom({
    ticker: ["String", tickers],
    date: ["Date", dates],
    x: ["double", x],
    cents: ["BigDecimal(30,2)", cents],
  }),
);

const W = "over (partition by ticker order by date";
const windows: [string, Frame, string, string][] = [
  ["lag", frame.shift(2, { by: "ticker", columns: ["x", "cents"] }), `lag(x, 2) ${W})`, `lag(cents, 2) ${W})`],
  ["difference", frame.diff(1, { by: "ticker" }), `x - lag(x) ${W})`, `cents - lag(cents) ${W})`],
  [
    "sum so far",
    frame.cumsum({ by: "ticker" }),
    `if(x is null, null, sum(x) ${W}))`,
    `if(cents is null, null, sum(cents) ${W}))`,
  ],
  [
    "largest so far",
    frame.cummax({ by: "ticker" }),
    `if(x is null, null, max(x) ${W}))`,
    `if(cents is null, null, max(cents) ${W}))`,
  ],
  [
    "largest of 7 rows",
    frame.rolling(7, "max", { by: "ticker", minPeriods: 1 }),
    `max(x) ${W} rows 6 preceding)`,
    `max(cents) ${W} rows 6 preceding)`,
  ],
  [
    "smallest of 5 rows around",
    frame.rolling(5, "min", { by: "ticker", minPeriods: 1, center: true }),
    `min(x) ${W} rows between 2 preceding and 2 following)`,
    `min(cents) ${W} rows between 2 preceding and 2 following)`,
  ],
  [
    "sum of 10 days",
    frame.rolling(10, "sum", { by: "ticker", unit: "days" }),
    `sum(x) ${W} range between interval 9 days preceding and current row)`,
    `sum(cents) ${W} range between interval 9 days preceding and current row)`,
  ],
  [
    "median of 9 rows",
    frame.rolling(9, "median", { by: "ticker", minPeriods: 1, columns: "x" }),
    `median(x) ${W} rows 8 preceding)`,
    "cents",
  ],
  [
    "filled from before",
    frame.fill("forward", { by: "ticker" }),
    `last_value(x ignore nulls) ${W})`,
    `last_value(cents ignore nulls) ${W})`,
  ],
  [
    "filled from after",
    frame.fill("backward", { by: "ticker" }),
    `first_value(x ignore nulls) ${W} rows between current row and unbounded following)`,
    `first_value(cents ignore nulls) ${W} rows between current row and unbounded following)`,
  ],
];

const PERIODS = {
  daily: "date",
  weekly: "least(date_trunc('week', date)::date + 6, date '9999-12-31')",
  monthly: "last_day(date)",
  quarterly: "(date_trunc('quarter', date) + interval 3 months - interval 1 day)::date",
  annual: "make_date(year(date), 12, 31)",
} as const;

const connection = await (await DuckDBInstance.create(":memory:")).connect();
await connection.run("create table t (ticker varchar, date date, x double, cents decimal(30,2))");
const quoted = (v: string | number | null): string => (v === null ? "null" : `'${v}'`);
await connection.run(
  `insert into t values ${tickers.map((t, i) => `(${[t, dates[i], x[i], cents[i]].map(quoted).join(",")})`).join(",")}`,
);

const answer = async (sql: string): Promise<(string | number | null)[][]> =>
  (await connection.runAndReadAll(sql)).getRowsJS().map((row) => row as (string | number | null)[]);

/** Doubles exactly or within `tolerance` of the larger; decimals and dates as text, exactly. */
function same(found: (string | number | null)[][], expected: (string | number | null)[][], tolerance: number): void {
  expect(found.length).toBe(expected.length);
  for (const [i, row] of expected.entries()) {
    for (const [c, value] of row.entries()) {
      const got = found[i][c];
      if (typeof value === "number" && typeof got === "number") {
        expect(Math.abs(got - value)).toBeLessThanOrEqual(tolerance * Math.max(Math.abs(value), 1e4));
      } else expect([i, c, got]).toEqual([i, c, value]);
    }
  }
}

const rowsOf = (result: Frame): (string | number | null)[][] =>
  [...result.select("ticker", "date", "x", "cents").rows({ decimals: "string" })].map(
    (row) => Object.values(row) as (string | number | null)[],
  );

it.each(windows)("%s", async (_, result, x, cents) => {
  const sql = `select ticker, date::varchar, ${x}, (${cents})::varchar from t order by ticker, t.date`;
  same(rowsOf(result), await answer(sql), 1e-13);
});

it.each(Object.entries(PERIODS))("collapse %s: last, sum, smallest, mean", async (frequency, label) => {
  const by = (value: object) => rowsOf(frame.collapse(frequency as keyof typeof PERIODS, { by: "ticker", value }));
  const group = `from t group by ticker, 2 order by ticker, min(date)`;
  const sql = (x: string, cents: string) =>
    `select ticker, (${label})::varchar as label, ${x}, (${cents})::varchar ${group}`;
  same(
    by({}),
    await answer(
      sql("last(x order by date) filter (x is not null)", "last(cents order by date) filter (cents is not null)"),
    ),
    0,
  );
  same(by({ x: "sum", cents: "sum" }), await answer(sql("sum(x)", "sum(cents)")), 1e-13);
  same(by({ x: "min", cents: "max" }), await answer(sql("min(x)", "max(cents)")), 0);
  same(
    by({ x: "mean", cents: "first" }),
    await answer(sql("avg(x)", "first(cents order by date) filter (cents is not null)")),
    1e-13,
  );
});

it("joins as of a day as ASOF JOIN does", async () => {
  await connection.run(
    "create table q as select ticker, (date + 2)::date as date, x as q from t where hash(date::varchar) % 5 = 0",
  );
  const right = await answer("select ticker, date::varchar, q from q");
  const quotes = Frame.from(
    tableFrom({
      ticker: ["String", right.map(([t]) => t)],
      date: ["Date", right.map(([, d]) => d)],
      q: ["double", right.map(([, , q]) => q)],
    }),
  );
  const found = [...frame.asof(quotes, { by: "ticker" }).select("ticker", "date", "x", "q").rows()];
  const sql =
    "select t.ticker, t.date::varchar, t.x, q.q from t asof left join q on t.ticker = q.ticker and t.date >= q.date order by t.ticker, t.date";
  same(
    found.map((row) => Object.values(row) as never[]),
    await answer(sql),
    0,
  );
});

it("sorts by several keys as ORDER BY does, nulls last", async () => {
  const found = rowsOf(frame.sort(["x", "desc"], "cents", "ticker", "date"));
  const sql =
    "select ticker, date::varchar, x, cents::varchar from t order by x desc nulls last, t.cents nulls last, ticker, t.date";
  same(found, await answer(sql), 0);
});

it("groups and pivots as SQL does", async () => {
  const found = frame.groupBy("ticker").agg({ x: ["mean", "std", "median", "count"], cents: ["sum", "nunique"] });
  const sql =
    "select ticker, avg(x), stddev_samp(x), median(x), count(x)::int, sum(cents)::varchar, count(distinct cents)::int from t group by 1 order by 1";
  same(
    [...found.rows({ decimals: "string" })].map((row) => Object.values(row) as never[]),
    await answer(sql),
    1e-13,
  );
  const years = frame.collapse("annual", { by: "ticker", value: { cents: "sum" } });
  const wide = years.pivot({ index: "date", columns: "ticker", values: "cents" });
  const pivoted =
    await answer(`with y as (select ticker, make_date(year(date), 12, 31) as date, sum(cents) as cents from t group by 1, 2)
    select date::varchar, any_value(cents) filter (ticker = 'A')::varchar, any_value(cents) filter (ticker = 'B')::varchar, any_value(cents) filter (ticker = 'C')::varchar from y group by date order by y.date`);
  same(
    [...wide.rows({ decimals: "string" })].map((row) => Object.values(row) as never[]),
    pivoted,
    0,
  );
});
