import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Frame } from "../../src/frame/frame.js";
import { formatDate } from "../../src/value/date.js";
import { forAll } from "../support/for-all.js";
import { runs } from "../support/whole.js";
import { inBatches, tableFrom, textsOf } from "./tables.js";

type Row = readonly [ticker: string, day: number, x: number | null, cents: string | null];

const cells = fc.record({
  x: fc.option(
    fc.integer({ min: -1000, max: 1000 }).map((n) => n / 8),
    { freq: 4 },
  ),
  cents: fc.option(
    fc.integer({ min: -99_999, max: 99_999 }).map((n) => (n / 100).toFixed(2)),
    { freq: 4 },
  ),
});

/** A long table of a few series, its days distinct within each, in any order. */
const tables: fc.Arbitrary<Row[]> = fc
  .uniqueArray(
    fc.record({ ticker: fc.constantFrom("A", "B", "C"), day: fc.integer({ min: -40, max: 400 }), cell: cells }),
    {
      selector: ({ ticker, day }) => `${ticker} ${day}`,
      minLength: 0,
      maxLength: 60,
    },
  )
  .map((rows) => rows.map(({ ticker, day, cell }): Row => [ticker, day, cell.x, cell.cents]));

const frameOf = (rows: readonly Row[]): Frame =>
  Frame.from(
    tableFrom({
      ticker: ["String", rows.map(([ticker]) => ticker)],
      date: ["Date", rows.map(([, day]) => formatDate(day))],
      x: ["double", rows.map(([, , x]) => x)],
      cents: ["BigDecimal(7,2)", rows.map(([, , , cents]) => cents)],
    }),
  );

const by = "ticker";
/** Methods that keep a row for each row, or all but the first of each series. */
const works: Record<string, (frame: Frame) => Frame> = {
  diff: (f) => f.transform("diff", { by }),
  rdiff: (f) => f.transform("rdiff", { by }),
  rdiff_from: (f) => f.transform("rdiff_from", { by }),
  cumul: (f) => f.transform("cumul", { by }),
  normalize: (f) => f.transform("normalize", { by }),
  "rolling mean": (f) => f.rolling(3, "mean", { by, minPeriods: 1 }),
  "rolling sum of days": (f) => f.rolling(20, "sum", { by, unit: "days" }),
  "rolling max, centred": (f) => f.rolling(4, "max", { by, minPeriods: 1, center: true }),
  "rolling median": (f) => f.rolling(5, "median", { by, minPeriods: 2 }),
  ewm: (f) => f.ewm({ by, span: 3 }),
  shift: (f) => f.shift(-1, { by }),
  cumsum: (f) => f.cumsum({ by }),
  cummin: (f) => f.cummin({ by }),
  drawdown: (f) => f.drawdown({ by }),
  "fill forward": (f) => f.fill("forward", { by, limit: 2 }),
  "collapse, last": (f) => f.collapse("monthly", { by }),
  "collapse, sums": (f) => f.collapse("weekly", { by, value: "sum" }),
  resample: (f) => f.resample("monthly", { by, gaps: "forward" }),
};

const sorted = (rows: (string | null)[][]): string[] => rows.map((row) => row.join("|")).sort();

describe.each(Object.entries(works))("%s", (_, work) => {
  it("is the same in any order of the rows, in any cut of the batches, and for each series by itself", () => {
    forAll(
      { numRuns: runs(30), seed: 3 },
      tables,
      fc.integer({ min: 1, max: 9 }),
      fc.infiniteStream(fc.nat()),
      (rows, size, keys) => {
        const expected = sorted(textsOf(work(frameOf(rows)).table));
        const mixed = [...rows]
          .map((row) => [keys.next().value as number, row] as const)
          .sort(([a], [b]) => a - b)
          .map(([, row]) => row);
        expect(sorted(textsOf(work(frameOf(mixed)).table))).toEqual(expected);
        const cut = Frame.from(inBatches(frameOf(mixed).table, size));
        expect(sorted(textsOf(work(cut).table))).toEqual(expected);
        const apart = ["A", "B", "C"].flatMap((name) => textsOf(work(frameOf(rows.filter(([t]) => t === name))).table));
        expect(sorted(apart)).toEqual(expected);
      },
    );
  });
});

it("collapsing by steps samples what collapsing at once samples", () => {
  forAll({ numRuns: runs(100), seed: 5 }, tables, (rows) => {
    const frame = frameOf(rows);
    const atOnce = frame.collapse("annual", { by });
    const bySteps = frame.collapse("monthly", { by }).collapse("quarterly", { by }).collapse("annual", { by });
    expect(sorted(textsOf(bySteps.table))).toEqual(sorted(textsOf(atOnce.table)));
  });
});

it("differences added up again are the values", () => {
  forAll(
    { numRuns: runs(100), seed: 9 },
    fc.array(fc.integer({ min: -99_999, max: 99_999 }), { minLength: 2, maxLength: 40 }),
    (units) => {
      const rows = units.map((n, i): Row => ["A", i, 0, (n / 100).toFixed(2)]);
      const first = units[0];
      const sums = textsOf(frameOf(rows).transform("diff").transform("cumul").table).map((row) => row[3]);
      expect(sums).toEqual(units.slice(1).map((n) => ((n - first) / 100).toFixed(2)));
    },
  );
});

it("a pivot holds what the long table held", () => {
  forAll({ numRuns: runs(100), seed: 13 }, tables, (rows) => {
    const wide = frameOf(rows).pivot({ index: "date", columns: "ticker", values: "cents" });
    const back = textsOf(wide.table).flatMap(([date, ...values]) =>
      values.map((cents, i) => `${wide.columns[i + 1].name}|${date}|${cents}`),
    );
    const held = rows.filter(([, , , cents]) => cents !== null);
    expect(back.filter((text) => !text.endsWith("|null")).sort()).toEqual(
      held.map(([ticker, day, , cents]) => `${ticker}|${formatDate(day)}|${cents}`).sort(),
    );
  });
});
