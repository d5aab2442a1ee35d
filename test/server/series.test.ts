import { expect, it } from "vitest";
import { Frame } from "../../src/frame/frame.js";
import { columnSpecs } from "../support/column-specs.js";
import { isClickhouse } from "./engine-under-test.js";
import { folderOf, get, seriesCatalog, started } from "./support.js";

type Rows = (string | number | null)[][];

/** A service with one series `T/S` of these rows. */
async function seriesOf(columns: readonly string[], rows: Rows) {
  const lines = rows.map((row) => row.map((cell) => cell ?? "").join(","));
  const folder = folderOf({
    "catalog.json": seriesCatalog(columns),
    "s.csv": `${[columns.join(","), ...lines].join("\n")}\n`,
  });
  const service = await started({ data: folder });
  return async (query: string): Promise<Rows> =>
    ((await get(service, `/datasets/T/S/data.json?${query}`)).json() as { dataset_data: { data: Rows } }).dataset_data
      .data;
}

/** The cases of the worked examples in the service's own collapse. */
const threeColumns = await seriesOf(
  ["Date", "A", "B", "C"],
  [
    ["2013-09-01", 56.2, null, null],
    ["2013-08-13", 55.7, null, null],
    ["2013-08-01", null, 136133, null],
    ["2013-07-13", 55.4, null, null],
    ["2013-07-01", null, 135964, null],
    ["2013-06-13", 50.9, null, null],
    ["2013-06-01", null, 135860, null],
  ],
);

it("collapse: the last value of each column in the period that is not null, at the period's calendar end", async () => {
  expect(await threeColumns("collapse=monthly")).toEqual([
    ["2013-09-30", 56.2, null, null],
    ["2013-08-31", 55.7, 136133, null],
    ["2013-07-31", 55.4, 135964, null],
    ["2013-06-30", 50.9, 135860, null],
  ]);
  expect(await threeColumns("collapse=quarterly&order=asc")).toEqual([
    ["2013-06-30", 50.9, 135860, null],
    ["2013-09-30", 56.2, 136133, null],
  ]);
  expect(await threeColumns("collapse=annual")).toEqual([["2013-12-31", 56.2, 136133, null]]);
});

it("collapse: one column leaves out periods without a value, dates alone become the periods", async () => {
  expect(await threeColumns("collapse=monthly&column_index=2")).toEqual([
    ["2013-08-31", 136133],
    ["2013-07-31", 135964],
    ["2013-06-30", 135860],
  ]);
  expect(await threeColumns("collapse=monthly&column_index=3")).toEqual([]);
  expect(await threeColumns("collapse=annual&column_index=0")).toEqual([["2013-12-31"]]);
  expect(await threeColumns("collapse=daily&column_index=2&limit=1")).toEqual([["2013-08-01", 136133]]);
});

it("collapse: weeks end on Sunday, every label is a calendar end, empty periods are not made up", async () => {
  const days = Array.from({ length: 364 }, (_, i): Rows[0] => [
    new Date(Date.UTC(2011, 0, 1 + i)).toISOString().slice(0, 10),
    i,
  ]);
  const ask = await seriesOf(["Date", "V"], days);
  const counts: Record<string, number> = { daily: 364, weekly: 53, monthly: 12, quarterly: 4, annual: 1 };
  for (const [word, count] of Object.entries(counts)) expect(await ask(`collapse=${word}`), word).toHaveLength(count);
  const weekly = await ask("collapse=weekly&start_date=2011-11-09&end_date=2011-11-10");
  expect(weekly).toEqual([["2011-11-13", 313]]);
  expect(await ask("collapse=weekly&start_date=2011-11-13&end_date=2011-11-14&order=asc")).toEqual([
    ["2011-11-13", 316],
    ["2011-11-20", 317],
  ]);
  for (const [word, end] of [
    ["daily", "2011-11-09"],
    ["monthly", "2011-11-30"],
    ["quarterly", "2011-12-31"],
    ["annual", "2011-12-31"],
  ]) {
    expect(await ask(`collapse=${word}&start_date=2011-11-09&end_date=2011-11-09`), word).toEqual([[end, 312]]);
  }
});

it("transform: worked values, nulls and zeros", async () => {
  const ask = await seriesOf(
    ["Date", "A", "B"],
    [
      ["2020-01-01", 3, 0],
      ["2020-01-04", 5, 4],
      ["2020-01-05", 15, 20],
      ["2020-01-06", null, 10],
    ],
  );
  expect(await ask("transform=rdiff_from&order=asc")).toEqual([
    ["2020-01-01", 4, null],
    ["2020-01-04", 2, 1.5],
    ["2020-01-05", 0, -0.5],
    ["2020-01-06", null, 0],
  ]);
  expect(await ask("transform=diff&order=asc")).toEqual([
    ["2020-01-04", 2, 4],
    ["2020-01-05", 10, 16],
    ["2020-01-06", null, -10],
  ]);
  expect(await ask("transform=rdiff&order=asc")).toEqual([
    ["2020-01-04", 0.66666666666667, null],
    ["2020-01-05", 2, 4],
    ["2020-01-06", null, -0.5],
  ]);
  expect(await ask("transform=cumul&order=asc")).toEqual([
    ["2020-01-01", 3, 0],
    ["2020-01-04", 8, 4],
    ["2020-01-05", 23, 24],
    ["2020-01-06", 23, 34],
  ]);
  expect(await ask("transform=normalize&order=asc")).toEqual([
    ["2020-01-01", 100, 0],
    ["2020-01-04", 166.66666666667, 100],
    ["2020-01-05", 500, 500],
    ["2020-01-06", null, 250],
  ]);
  expect(await ask("transform=none&limit=1")).toEqual([["2020-01-06", null, 10]]);
});

it("order of work: range, collapse, transform, order, limit", async () => {
  const days = Array.from({ length: 90 }, (_, i): Rows[0] => [
    new Date(Date.UTC(2020, 0, 1 + i)).toISOString().slice(0, 10),
    i + 1,
  ]);
  const ask = await seriesOf(["Date", "V"], days);
  expect(await ask("start_date=2020-01-10&transform=normalize&order=asc&limit=2")).toEqual([
    ["2020-01-10", 100],
    ["2020-01-11", 110],
  ]);
  expect(await ask("collapse=monthly&transform=cumul&order=asc")).toEqual([
    ["2020-01-31", 31],
    ["2020-02-29", 31 + 60],
    ["2020-03-31", 31 + 60 + 90],
  ]);
  expect(await ask("collapse=monthly&transform=diff")).toEqual([
    ["2020-03-31", 30],
    ["2020-02-29", 29],
  ]);
  expect(await ask("transform=rdiff&limit=2")).toHaveLength(2);
  expect(await ask("start_date=2021-01-01")).toEqual([]);
  expect(await ask("start_date=2021-01-01&collapse=monthly&transform=cumul")).toEqual([]);
});

it("sums row by row in the order of the dates, to 14 significant digits", async () => {
  const values = Array.from({ length: 3_000 }, (_, i) => Math.sin(i) * 100);
  const ask = await seriesOf(
    ["Date", "V"],
    values.map((value, i) => [new Date(Date.UTC(2000, 0, 1 + i)).toISOString().slice(0, 10), value]),
  );
  let sum = 0;
  const expected = values.map((value) => {
    sum += value;
    return Number(sum.toPrecision(14));
  });
  expect((await ask("transform=cumul&order=asc")).map((row) => row[1])).toEqual(expected);
  expect((await ask("order=asc")).map((row) => row[1])).toEqual(values);
});

it.each([
  ["collapse=fortnightly", /collapse "fortnightly" is not known/],
  ["transform=log", /transform "log" is not known/],
  ["order=up", /order "up" is not known/],
  ["limit=0", /limit "0" is not a whole number from 1/],
  ["limit=-1", /whole number/],
  ["limit=1e3", /whole number/],
  ["column_index=4", /column_index "4" is not a column: this series has columns 0 \(Date\) to 3/],
  ["column_index=Close", /whole number/],
  ["start_date=2020-02-30", /start_date "2020-02-30" is not a date/],
  ["end_date=yesterday", /not a date YYYY-MM-DD/],
  ["colapse=monthly", /Did you mean "collapse"/],
])("refuses %s", async (query, message) => {
  const service = await shared();
  const answer = await get(service, `/datasets/T/S/data.csv?${query}`);
  expect(answer.status).toBe(422);
  expect(answer.rows()[1]).toEqual(["QESx04", expect.stringMatching(message)]);
});

let running: ReturnType<typeof started> | undefined;
const shared = () => {
  running ??= started({
    data: folderOf({
      "catalog.json": seriesCatalog(["Date", "A", "B", "C"]),
      "s.csv": "Date,A,B,C\n2020-01-01,1,2,3\n",
    }),
  });
  return running;
};

// ClickHouse has no dates after 2299 (test/clickhouse/service.test.ts).
it.skipIf(isClickhouse)(
  "collapse: the calendar ends on 9999-12-31, whatever its weekday, as frame.collapse has it",
  async () => {
    const rows: Rows = [
      ["9999-12-26", 1],
      ["9999-12-27", 2],
      ["9999-12-31", 3],
    ];
    const ask = await seriesOf(["Date", "A"], rows);
    const columns = columnSpecs({ Date: "Date", A: "double" });
    const local = Frame.fromRows(
      rows.map(([date, a]) => ({ Date: date, A: a })),
      columns,
    );
    for (const frequency of ["daily", "weekly", "monthly", "quarterly", "annual"] as const) {
      const expected = [...local.collapse(frequency).rows()].map((row) => Object.values(row));
      expect(await ask(`collapse=${frequency}&order=asc`), frequency).toEqual(expected);
      expect(expected.at(-1), frequency).toEqual(["9999-12-31", 3]);
    }
  },
);
