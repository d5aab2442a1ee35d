import { describe, expect, it } from "vitest";
import type { Table } from "../../src/columns/arrow/arrow.js";
import { type CollapseOptions, collapse } from "../../src/series/collapse.js";
import { querySeries } from "../../src/series/query.js";
import type { Collapse } from "../../src/spec/vocabulary.js";
import { formatDate, parseDate } from "../../src/value/date.js";
import { cellsOf, inBatches, namesOf, seriesOf, tableFrom, textsOf } from "./tables.js";

const FREQUENCIES: Collapse[] = ["daily", "weekly", "monthly", "quarterly", "annual"];

describe("as the service's own published cases", () => {
  it("fills a null from an earlier row of the same period, newest first stays newest first", () => {
    const table = seriesOf([
      ["2013-09-01", 56.2, null, null],
      ["2013-08-13", 55.7, null, null],
      ["2013-08-01", null, 136133, null],
      ["2013-07-13", 55.4, null, null],
      ["2013-07-01", null, 135964, null],
      ["2013-06-13", 50.9, null, null],
      ["2013-06-01", null, 135860, null],
    ]);
    expect(cellsOf(collapse(table, "monthly"))).toEqual([
      ["2013-09-30", 56.2, null, null],
      ["2013-08-31", 55.7, 136133, null],
      ["2013-07-31", 55.4, 135964, null],
      ["2013-06-30", 50.9, 135860, null],
    ]);
  });

  it.each([
    [[["2011-11-09", 42]], ["2011-11-09", "2011-11-13", "2011-11-30", "2011-12-31", "2011-12-31"], 42],
  ] as const)("dates one row with the end of its period", (rows, ends, value) => {
    for (const [i, frequency] of FREQUENCIES.entries()) {
      expect(cellsOf(collapse(seriesOf(rows), frequency))).toEqual([[ends[i], value]]);
    }
  });

  it("takes the later of two days under every coarser frequency", () => {
    const table = seriesOf([
      ["2011-11-09", 20111109],
      ["2011-11-10", 20111110],
    ]);
    expect(cellsOf(collapse(table, "daily"))).toEqual(cellsOf(table));
    expect(cellsOf(collapse(table, "weekly"))).toEqual([["2011-11-13", 20111110]]);
    expect(cellsOf(collapse(table, "annual"))).toEqual([["2011-12-31", 20111110]]);
  });

  it("counts the periods of a year of days", () => {
    const first = parseDate("2011-01-01");
    const rows = Array.from({ length: 364 }, (_, i) => [formatDate(first + i), i, i] as const);
    const counts = FREQUENCIES.map((frequency) => collapse(seriesOf(rows), frequency).numRows);
    expect(counts).toEqual([364, 53, 12, 4, 1]);
  });

  it("collapses a series of dates alone to its labels", () => {
    const dates = ["2013-09-01", "2013-08-13", "2013-08-01", "2013-07-13", "2013-07-01", "2014-06-13"];
    const table = seriesOf(dates.map((date) => [date] as const));
    expect(cellsOf(collapse(table, "annual"))).toEqual([["2014-12-31"], ["2013-12-31"]]);
    expect(collapse(seriesOf([], 2), "annual").numRows).toBe(0);
  });

  it.each([
    // Recorded: quarters of a gross product collapsed to years; a year collapsed to weeks only moves its date.
    [
      "annual",
      [
        ["1947-10-01", 260.3],
        ["1948-10-01", 280.7],
        ["1949-10-01", 271],
      ],
      [
        ["1947-12-31", 260.3],
        ["1948-12-31", 280.7],
        ["1949-12-31", 271],
      ],
    ],
    ["weekly", [["2007-12-31", 1]], [["2008-01-06", 1]]],
    [
      "weekly",
      [
        ["2015-04-20", 1],
        ["2015-04-22", 2],
      ],
      [["2015-04-26", 2]],
    ],
    [
      "monthly",
      [
        ["2015-08-05", 1],
        ["2015-08-06", 2],
      ],
      [["2015-08-31", 2]],
    ],
    [
      "annual",
      [
        ["2015-08-05", 1],
        ["2015-08-06", 2],
      ],
      [["2015-12-31", 2]],
    ],
  ] as const)("%s %j", (frequency, rows, expected) => {
    expect(cellsOf(collapse(seriesOf(rows), frequency))).toEqual(expected);
  });
});

it("drops a period in which the only column is null, keeps one in which all of several are", () => {
  const dates = ["2024-01-31", "2024-02-29", "2024-03-31"] as const;
  expect(cellsOf(collapse(seriesOf(dates.map((date, i) => [date, i === 1 ? null : i] as const)), "monthly"))).toEqual([
    ["2024-01-31", 0],
    ["2024-03-31", 2],
  ]);
  const wide = seriesOf(dates.map((date, i) => [date, i === 1 ? null : i, i === 1 ? null : i] as const));
  expect(cellsOf(collapse(wide, "monthly"))[1]).toEqual(["2024-02-29", null, null]);
});

it("null is 0 apart", () => {
  const table = seriesOf([
    ["2024-01-30", 5],
    ["2024-01-31", 0],
    ["2024-02-01", null],
  ]);
  expect(cellsOf(collapse(table, "monthly"))).toEqual([["2024-01-31", 0]]);
});

const LONG = {
  ticker: ["String", ["B", "A", "B", "A", "A", null, "B"]],
  date: ["Date", ["2024-02-01", "2024-01-02", "2024-01-31", "2024-02-15", "2024-01-30", "2024-01-01", "2024-01-05"]],
  close: ["BigDecimal(10,2)", ["4.00", "1.50", "2.25", null, "1.75", "9.00", "2.00"]],
  volume: ["Integer", [10, 1, 20, 3, null, 7, 30]],
  note: ["String", ["x", "y", null, "z", "w", "v", "u"]],
} as const;

const cases: [string, CollapseOptions, (string | null)[][]][] = [
  [
    "by ticker: series in order of first appearance, each in its own order, types kept",
    { by: "ticker" },
    [
      ["B", "2024-02-29", "4.00", "10", "x"],
      ["B", "2024-01-31", "2.25", "20", "u"],
      ["A", "2024-01-31", "1.75", "1", "w"],
      ["A", "2024-02-29", null, "3", "z"],
      [null, "2024-01-31", "9.00", "7", "v"],
    ],
  ],
  [
    "by several columns",
    { by: ["ticker", "note"], value: { volume: "sum" } },
    [
      ["B", "2024-02-29", "4.00", "10", "x"],
      ["A", "2024-01-31", "1.50", "1", "y"],
      ["B", "2024-01-31", "2.25", "20", null],
      ["A", "2024-02-29", null, "3", "z"],
      ["A", "2024-01-31", "1.75", null, "w"],
      [null, "2024-01-31", "9.00", "7", "v"],
      ["B", "2024-01-31", "2.00", "30", "u"],
    ],
  ],
  [
    "values by column: exact sums, means",
    { by: "ticker", value: { close: "mean", volume: "sum", note: "min" } },
    [
      ["B", "2024-02-29", "4.0", "10", "x"],
      ["B", "2024-01-31", "2.125", "50", "u"],
      ["A", "2024-01-31", "1.625", "1", "w"],
      ["A", "2024-02-29", null, "3", "z"],
      [null, "2024-01-31", "9.0", "7", "v"],
    ],
  ],
  [
    "label last, the whole table as one series",
    { label: "last", value: "max" },
    [
      ["B", "2024-02-15", "4.00", "10", "z"],
      ["B", "2024-01-31", "9.00", "30", "y"],
    ],
  ],
];

describe("long tables", () => {
  it.each(cases)("%s", (_, options, expected) => {
    const table = tableFrom(LONG);
    for (const one of [table, inBatches(table, 3), inBatches(table, 1)]) {
      expect(textsOf(collapse(one, "monthly", options))).toEqual(expected);
    }
  });
});

it("open, high, low and close of one column, volume summed", () => {
  const table = tableFrom({
    Date: ["Date", ["2024-01-01", "2024-01-02", "2024-01-03", "2024-01-08"]],
    Price: ["double", [null, 3, 1, 2]],
    Volume: ["double", [1, 2, 3, null]],
  });
  const weeks = collapse(table, "weekly", { value: { Price: "ohlc", Volume: "sum" } });
  expect(namesOf(weeks)).toEqual(["Date", "Price_open", "Price_high", "Price_low", "Price_close", "Volume"]);
  expect(cellsOf(weeks)).toEqual([
    ["2024-01-07", 3, 3, 1, 1, 6],
    ["2024-01-14", 2, 2, 2, 2, null],
  ]);
});

it.each([
  ["friday", ["2024-01-05", "2024-01-12"]],
  ["sunday", ["2024-01-07", "2024-01-14"]],
] as const)("weeks that end on %s", (week, ends) => {
  const table = seriesOf([
    ["2024-01-05", 1],
    ["2024-01-08", 2],
  ]);
  expect(cellsOf(collapse(table, "weekly", { week })).map(([date]) => date)).toEqual(ends);
});

it("every date from the first to the last there is", () => {
  const table = seriesOf([
    ["0001-01-01", 1],
    ["1582-10-10", 2],
    ["9999-12-31", 3],
  ]);
  const dates = FREQUENCIES.map((frequency) => cellsOf(collapse(table, frequency)).map(([date]) => date));
  expect(dates[1]).toEqual(["0001-01-07", "1582-10-10", "9999-12-31"]);
  expect(dates[2]).toEqual(["0001-01-31", "1582-10-31", "9999-12-31"]);
  expect(dates[4]).toEqual(["0001-12-31", "1582-12-31", "9999-12-31"]);
});

const refused: [string, (table: Table) => Table, string][] = [
  ["an unknown value", (t) => collapse(t, "montly" as Collapse), "UnknownValue"],
  ["an unknown column", (t) => collapse(t, "monthly", { by: "tiker" }), "UnknownColumn"],
  ["an unknown column in value", (t) => collapse(t, "monthly", { value: { clos: "sum" } }), "UnknownColumn"],
  ["an unknown value", (t) => collapse(t, "monthly", { value: "total" as "sum" }), "UnknownValue"],
  ["an unknown weekday", (t) => collapse(t, "weekly", { week: "Sunday" as "sunday" }), "UnknownValue"],
  ["a sum of text", (t) => collapse(t, "monthly", { value: { ticker: "sum" } }), "WrongType"],
  ["no dates", (t) => collapse(t, "monthly", { on: "close" }), "WrongType"],
  ["a row without a date", () => collapse(tableFrom({ d: ["Date", ["2024-01-01", null]] }), "daily"), "EmptyDate"],
  ["no date column", () => collapse(tableFrom({ a: ["double", [1]] }), "daily"), "NoDateColumn"],
  ["a date that is none", (t) => querySeries(t, { from: "2024-02-30" }), "BadArgument"],
  ["a limit of nothing", (t) => querySeries(t, { limit: 0 }), "BadArgument"],
];

describe("refuses by name", () => {
  it.each(refused)("%s", (_, act, code) => {
    expect(() => act(tableFrom(LONG))).toThrow(expect.objectContaining({ code, name: "InputError" }));
  });

  it("and says what was meant", () => {
    expect(() => collapse(tableFrom(LONG), "montly" as Collapse)).toThrow(
      expect.objectContaining({ hint: 'Did you mean "monthly"?' }),
    );
  });
});
