import { describe, expect, it } from "vitest";
import { querySeries, type SeriesQuery } from "../../src/series/query.js";
import { type TransformOptions, transform } from "../../src/series/transform.js";
import type { Transform } from "../../src/spec/vocabulary.js";
import { formatDate, parseDate } from "../../src/value/date.js";
import { cellsIn, cellsOf, inBatches, seriesOf, tableFrom, textsOf } from "./tables.js";

const day = (n: number): string => formatDate(parseDate("2024-01-01") + n);

describe("as the service's own published cases", () => {
  it("rdiff_from", () => {
    const rows = [
      [day(1), 3, 5],
      [day(4), 5, 4],
      [day(5), 15, 20],
    ] as const;
    expect(cellsOf(transform(seriesOf(rows), "rdiff_from"))).toEqual([
      [day(1), 4, 3],
      [day(4), 2, 4],
      [day(5), 0, 0],
    ]);
  });

  it.each([
    ["asc", [10, 20, 30], [10, 30, 60]],
    ["desc", [30, 20, 10], [60, 30, 10]],
  ] as const)("cumul, %s", (order, values, sums) => {
    const rows = values.map((v, i) => [day(order === "asc" ? i : -i), v] as const);
    expect(cellsIn(transform(seriesOf(rows), "cumul"), "v1")).toEqual(sums);
  });

  it("rounds to 14 significant digits", () => {
    expect(
      cellsIn(
        transform(
          seriesOf([
            [day(0), 100],
            [day(1), 100.03],
          ]),
          "diff",
        ),
        "v1",
      ),
    ).toEqual([0.030000000000001]);
    expect(
      cellsIn(
        transform(
          seriesOf([
            [day(0), 100],
            [day(1), 100.03],
          ]),
          "diff",
          { digits: 17 },
        ),
        "v1",
      ),
    ).toEqual([100.03 - 100]);
  });
});

const values = [null, 0, null, 4, 2, null, 0, 8, 2];
const rules: [Transform, (number | null)[]][] = [
  ["none", values],
  ["diff", [null, null, null, -2, null, null, 8, -6]],
  ["rdiff", [null, null, null, -0.5, null, null, null, -0.75]],
  ["rdiff_from", [null, null, null, -0.5, 0, null, null, -0.75, 0]],
  ["cumul", [null, 0, 0, 4, 6, 6, 6, 14, 16]],
  ["normalize", [null, 0, null, 100, 50, null, 0, 200, 50]],
];

describe("null and zero", () => {
  it.each(rules)("%s", (word, expected) => {
    const rising = seriesOf(values.map((v, i) => [day(i), v] as const));
    const falling = seriesOf(values.map((v, i) => [day(i), v] as const).reverse());
    for (const size of [2, 5, 100]) {
      expect(cellsIn(transform(inBatches(rising, size), word), "v1")).toEqual(expected);
      expect(cellsIn(transform(inBatches(falling, size), word), "v1")).toEqual([...expected].reverse());
    }
  });

  it("a latest value of 0 is 0 from itself, and all nulls stay null", () => {
    expect(
      cellsIn(
        transform(
          seriesOf([
            [day(0), 5],
            [day(1), 0],
          ]),
          "rdiff_from",
        ),
        "v1",
      ),
    ).toEqual([-1, 0]);
    expect(
      cellsIn(
        transform(
          seriesOf([
            [day(0), null],
            [day(1), null],
          ]),
          "rdiff_from",
        ),
        "v1",
      ),
    ).toEqual([null, null]);
  });

  it("one row or none", () => {
    expect(transform(seriesOf([[day(0), 1]]), "diff").numRows).toBe(0);
    expect(transform(seriesOf([], 2), "rdiff").numRows).toBe(0);
    expect(cellsIn(transform(seriesOf([[day(0), 7]]), "normalize"), "v1")).toEqual([100]);
  });
});

const LONG = {
  ticker: ["String", ["B", "A", "B", "A", "A", "B"]],
  date: ["Date", ["2024-01-03", "2024-01-01", "2024-01-02", "2024-01-03", "2024-01-02", "2024-01-01"]],
  price: ["BigDecimal(12,4)", ["1.0003", "0.1000", "1.0001", "0.3000", "0.2000", null]],
  count: ["Integer", [9007199254740993n, 1, 1, 3, 2, 0]],
  note: ["String", ["b3", "a1", "b2", "a3", "a2", "b1"]],
} as const;

describe("long tables", () => {
  const cases: [string, Transform, TransformOptions, (string | null)[][]][] = [
    [
      "rows stay where they are, the first day of each series leaves; decimals and integers exact",
      "diff",
      { by: "ticker" },
      [
        ["B", "2024-01-03", "0.0002", "9007199254740992", "b3"],
        ["B", "2024-01-02", null, "1", "b2"],
        ["A", "2024-01-03", "0.1000", "1", "a3"],
        ["A", "2024-01-02", "0.1000", "1", "a2"],
      ],
    ],
    [
      "cumul of one column",
      "cumul",
      { by: "ticker", columns: "price" },
      [
        ["B", "2024-01-03", "2.0004", "9007199254740993", "b3"],
        ["A", "2024-01-01", "0.1000", "1", "a1"],
        ["B", "2024-01-02", "1.0001", "1", "b2"],
        ["A", "2024-01-03", "0.6000", "3", "a3"],
        ["A", "2024-01-02", "0.3000", "2", "a2"],
        ["B", "2024-01-01", null, "0", "b1"],
      ],
    ],
    [
      "rdiff of decimals is double",
      "rdiff",
      { by: ["ticker"], columns: ["price"] },
      [
        ["B", "2024-01-03", "0.00019998000199978", "9007199254740993", "b3"],
        ["B", "2024-01-02", null, "1", "b2"],
        ["A", "2024-01-03", "0.5", "3", "a3"],
        ["A", "2024-01-02", "1.0", "2", "a2"],
      ],
    ],
  ];
  it.each(cases)("%s", (_, word, options, expected) => {
    const table = tableFrom(LONG);
    for (const one of [table, inBatches(table, 4), inBatches(table, 1)]) {
      expect(textsOf(transform(one, word, options))).toEqual(expected);
    }
  });

  it("the type of an exact result says how wide it may grow", () => {
    const type = (word: Transform) => String(transform(tableFrom(LONG), word, { by: "ticker" }).schema.fields[2].type);
    expect([type("diff"), type("cumul"), type("rdiff")]).toEqual(["Decimal[13e+4]", "Decimal[38e+4]", "Float64"]);
    const metadata = transform(tableFrom(LONG), "diff", { by: "ticker" }).schema.fields[2].metadata;
    expect(metadata.get("arrowbook.type")).toBe("BigDecimal(13,4)");
  });

  it("a sum that no longer fits is refused", () => {
    const table = tableFrom({ date: ["Date", [day(0), day(1)]], n: ["Integer", [2n ** 63n - 1n, 1]] });
    expect(() => transform(table, "cumul")).toThrow(expect.objectContaining({ code: "Overflow", column: "n" }));
  });
});

describe("trim, collapse, transform, order, limit", () => {
  const daily = seriesOf(Array.from({ length: 100 }, (_, i) => [day(99 - i), 100 - i] as const));
  const cases: [string, SeriesQuery, unknown[][]][] = [
    [
      "the first row in range is the base that drops out",
      { from: day(10), to: day(12), transform: "diff" },
      [
        [day(12), 1],
        [day(11), 1],
      ],
    ],
    [
      "normalize starts at 100 inside the range",
      { from: day(19), to: day(20), transform: "normalize", order: "asc" },
      [
        [day(19), 100],
        [day(20), 105],
      ],
    ],
    [
      "collapse before transform",
      { collapse: "monthly", transform: "cumul", order: "asc" },
      [
        ["2024-01-31", 31],
        ["2024-02-29", 91],
        ["2024-03-31", 182],
        ["2024-04-30", 282],
      ],
    ],
    [
      "limit after transform: the first rows of the result in its order",
      { collapse: "monthly", transform: "diff", limit: 2 },
      [
        ["2024-04-30", 9],
        ["2024-03-31", 31],
      ],
    ],
    ["limit of the oldest", { order: "asc", limit: 1 }, [[day(0), 1]]],
    ["nothing asked", {}, cellsOf(daily)],
  ];
  it.each(cases)("%s", (_, query, expected) => {
    expect(cellsOf(querySeries(daily, query))).toEqual(expected);
  });

  it("the service's published example: 70 days, weekly and rdiff give ten rows with these dates and values", () => {
    const published: [string, number][] = [
      ["2015-02-22", 0.0017569452194609],
      ["2015-03-01", 0.020309991668671],
      ["2015-03-08", -0.011313075153612],
      ["2015-03-15", 0.0030366381618123],
      ["2015-03-22", 0.019382438962717],
      ["2015-03-29", -0.0044011084696308],
      ["2015-04-05", 0.010104223469913],
      ["2015-04-12", 0.0084833410617297],
      ["2015-04-19", -0.0072540997428217],
      ["2015-04-26", 0.0021833156876592],
    ];
    // Of the daily values only the first four are published; the ends of the weeks follow from the answer.
    const ends = new Map([["2015-02-15", 9.634416057212821]]);
    let last = 9.634416057212821;
    for (const [date, change] of published) {
      last *= 1 + change;
      ends.set(date === "2015-04-26" ? "2015-04-22" : date, last);
    }
    const first = parseDate("2015-02-12");
    const rows = Array.from({ length: 70 }, (_, i) => formatDate(first + i)).map(
      (date) => [date, ends.get(date) ?? 1] as const,
    );
    const found = cellsOf(
      querySeries(seriesOf(rows), {
        from: "2015-02-12",
        to: "2015-04-22",
        order: "asc",
        collapse: "weekly",
        transform: "rdiff",
      }),
    );
    expect(found.map(([date]) => date)).toEqual(published.map(([date]) => date));
    for (const [i, [, change]] of published.entries()) expect(found[i][1]).toBeCloseTo(change, 14);
  });

  it("limits each series of a long table", () => {
    const result = querySeries(tableFrom(LONG), { by: "ticker", order: "desc", limit: 1 });
    expect(cellsIn(result, "note")).toEqual(["b3", "a3"]);
  });
});
