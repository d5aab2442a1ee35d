import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Dictionary, Int32, makeData, Table, Vector } from "../../src/columns/arrow/arrow.js";
import { vectorToNumbers } from "../../src/columns/arrow/vector-values.js";
import { Frame } from "../../src/frame/frame.js";
import { roundDigits } from "../../src/series/core/digits.js";
import { formatDate } from "../../src/value/date.js";
import { forAll } from "../support/for-all.js";
import { runs } from "../support/whole.js";
import { inBatches, tableFrom, textsOf } from "./tables.js";

type Row = readonly [ticker: string, day: number, x: number | null, cents: string | null, note: string | null];

const cell = fc.record({
  x: fc.option(fc.oneof(fc.constantFrom(0, -0, 1e-20, 1e20, Number.POSITIVE_INFINITY), fc.double({ noNaN: true })), {
    freq: 5,
  }),
  cents: fc.option(
    fc.integer({ min: -9999, max: 9999 }).map((n) => (n / 100).toFixed(2)),
    { freq: 5 },
  ),
  note: fc.option(fc.constantFrom("", "a", "ü"), { freq: 5 }),
});

/** Series of one to a few rows, one after the other, each by ascending day. */
const standing: fc.Arbitrary<Row[]> = fc
  .array(fc.array(cell, { minLength: 1, maxLength: 9 }), { maxLength: 12 })
  .map((series) =>
    series.flatMap((cells, s) => cells.map(({ x, cents, note }, day): Row => [`T${s}`, day + s, x, cents, note])),
  );

const tableOf = (rows: readonly Row[]): Table =>
  tableFrom({
    ticker: ["String", rows.map(([ticker]) => ticker)],
    date: ["Date", rows.map(([, day]) => formatDate(day))],
    x: ["double", rows.map(([, , x]) => x)],
    cents: ["BigDecimal(6,2)", rows.map(([, , , cents]) => cents)],
    note: ["String", rows.map(([, , , , note]) => note)],
  });

const by = "ticker";
const works: Record<string, (frame: Frame) => Frame> = {
  diff: (f) => f.transform("diff", { by }),
  rdiff: (f) => f.transform("rdiff", { by }),
  "rdiff, not rounded": (f) => f.transform("rdiff", { by, digits: 17 }),
  rdiff_from: (f) => f.transform("rdiff_from", { by }),
  cumul: (f) => f.transform("cumul", { by }),
  normalize: (f) => f.transform("normalize", { by }),
  pctChange: (f) => f.pctChange(1, { by }),
  "pctChange to 2 rows later": (f) => f.pctChange(-2, { by, suffix: "_2" }),
  "difference to 3 rows before": (f) => f.diff(3, { by }),
  "log returns": (f) => f.returns({ by, kind: "log" }),
  cumsum: (f) => f.cumsum({ by }),
  cumprod: (f) => f.cumprod({ by }),
  cummax: (f) => f.cummax({ by }),
  drawdown: (f) => f.drawdown({ by }),
  ewm: (f) => f.ewm({ by, com: 1 }, "std"),
  "rolling std": (f) => f.rolling(3, "std", { by, minPeriods: 2 }),
};

/** The rows of a long table in the order of their series and days. */
const inPlace = (frame: Frame): (string | null)[][] => textsOf(frame.sort("ticker", "date").table);

describe.each(Object.entries(works))("%s", (_, work) => {
  it("is the same of series in order, however the batches are cut, and of the same rows apart", () => {
    const sizes = fc.integer({ min: 1, max: 40 });
    forAll({ numRuns: runs(60), seed: 17 }, standing, sizes, fc.nat({ max: 5 }), (rows, size, cut) => {
      const table = tableOf(rows);
      const whole = work(Frame.from(table));
      const expected = textsOf(whole.table);
      // Day by day the series are interleaved, newest first no series is in order: both take the general path.
      const interleaved = rows.toSorted((a, b) => a[1] - b[1]);
      expect(inPlace(work(Frame.from(tableOf(interleaved))))).toEqual(inPlace(whole));
      expect(inPlace(work(Frame.from(tableOf(rows.toReversed()))))).toEqual(inPlace(whole));
      expect(textsOf(work(Frame.from(inBatches(table, size))).table)).toEqual(expected);
      // A slice begins within a batch and within the bytes of its bitmaps.
      const from = Math.min(cut, rows.length);
      const slice = Frame.from(inBatches(table, size)).slice(from);
      const apart = Frame.from(tableOf(rows.slice(from)));
      expect(textsOf(work(slice).table)).toEqual(textsOf(work(apart).table));
    });
  });
});

describe("what stays and what is copied", () => {
  const rows = Array.from({ length: 40 }, (_, i): Row => [`T${Math.floor(i / 8)}`, i, i + 1, "1.00", "n"]);
  const buffersOf = (table: Table, name: string): unknown[] =>
    (table.getChild(name) as Vector).data.map(({ values }) => (values as Float64Array).buffer);

  it("keeps the batches and shares the columns that are not computed", () => {
    const table = inBatches(tableOf(rows), 7);
    for (const work of [works.pctChange, works.cumul, works["rolling std"]]) {
      const result = work(Frame.from(table)).table;
      expect(result.batches.map(({ numRows }) => numRows)).toEqual([7, 7, 7, 7, 7, 5]);
      expect(buffersOf(result, "date")).toEqual(buffersOf(table, "date"));
    }
  });

  it("answers in batches of 65,536 where a long batch holds many series, and shares what it does not compute", () => {
    const values = Array.from({ length: 140_000 }, (_, i) => ((i * 7919) % 1009) - 500);
    const tickers = values.map((_, i) => `T${Math.floor(i / 10_000)}`);
    const long = tableFrom({
      ticker: ["String", tickers],
      date: ["Date", values.map((_, i) => i)],
      x: ["double", values],
    });
    const result = works.pctChange(Frame.from(long)).table;
    expect(result.batches.map(({ numRows }) => numRows)).toEqual([65_536, 65_536, 8_928]);
    const expected = values.map((y, i) => (i % 10_000 === 0 ? Number.NaN : (y - values[i - 1]) / values[i - 1]));
    const x = vectorToNumbers(result.getChild("x") as Vector);
    expect(x).toEqual(Float64Array.from(expected, (v) => (Number.isFinite(v) ? v : Number.NaN)));
    expect(new Set(buffersOf(result, "date"))).toEqual(new Set(buffersOf(long, "date")));
    expect(Frame.from(long).rolling(3, "mean", { by }).table.batches.length).toBe(1);
  });

  it("drops first rows batch by batch, and copies nothing of a batch that keeps its rows or loses one at its end", () => {
    const one = inBatches(tableOf(rows.map(([, ...row]) => ["A", ...row] as const)), 20);
    const result = works.rdiff(Frame.from(one)).table;
    expect(result.batches.map(({ numRows }) => numRows)).toEqual([19, 20]);
    for (const name of ["ticker", "date", "note"]) expect(buffersOf(result, name)).toEqual(buffersOf(one, name));
    const five = works.rdiff(Frame.from(inBatches(tableOf(rows), 7))).table;
    expect(five.batches.map(({ numRows }) => numRows)).toEqual([6, 6, 6, 6, 6, 5]);
    expect((five.getChild("x") as Vector).nullCount).toBe(0);
  });

  it("cuts a long batch before it drops rows of it", () => {
    const values = Array.from({ length: 140_000 }, (_, i) => ((i * 7919) % 1009) - 500);
    const long = tableFrom({ date: ["Date", values.map((_, i) => i)], x: ["double", values] });
    const result = works.rdiff(Frame.from(long).with({ ticker: values.map(() => "A") })).table;
    expect(result.batches.map(({ numRows }) => numRows)).toEqual([65_535, 65_536, 8_928]);
    const expected = values.map((y, i) => roundDigits((y - values[i - 1]) / values[i - 1], 14)).slice(1);
    const x = vectorToNumbers(result.getChild("x") as Vector);
    expect(x).toEqual(Float64Array.from(expected, (v) => (Number.isFinite(v) ? v : Number.NaN)));
    expect(vectorToNumbers(result.getChild("date") as Vector).at(-1)).toBe(139_999 * 86_400_000);
  });

  it("passes over batches without rows", () => {
    const table = tableOf(rows);
    const [batch] = table.batches;
    const cuts = [0, 0, 5, 5, 11, 24, 24, 40, 40];
    const gappy = new Table(
      table.schema,
      cuts.slice(1).map((to, i) => batch.slice(cuts[i], to)),
    );
    for (const work of Object.values(works)) {
      expect(textsOf(work(Frame.from(gappy)).table)).toEqual(textsOf(work(Frame.from(table)).table));
    }
  });

  it("leaves no rows of series of one row, and no batches without rows", () => {
    const single = tableOf(rows.map(([, ...row], i) => [`S${i}`, ...row] as const));
    expect(works.rdiff(Frame.from(inBatches(single, 6))).numRows).toBe(0);
    expect(textsOf(works.pctChange(Frame.from(inBatches(single, 6))).table).map((row) => row[2])).toEqual(
      Array(40).fill(null),
    );
    const mostly = tableOf(rows.map(([, ...row], i) => [i < 30 ? `S${i}` : "T", ...row] as const));
    expect(works.rdiff(Frame.from(inBatches(mostly, 10))).table.batches.map(({ numRows }) => numRows)).toEqual([9]);
  });

  it("identifies series by a dictionary of decimals, and by one with repeats", () => {
    const cents = (texts: string[]) => tableFrom({ c: ["BigDecimal(6,2)", texts] }).getChild("c") as Vector;
    const type = new Dictionary(cents(["1.00"]).type, new Int32());
    const chunk = (dictionary: Vector, from: number) =>
      makeData({ type, length: 20, data: Int32Array.from({ length: 20 }, (_, i) => (i + from) >> 3), dictionary });
    // The rows 0 to 19 have the keys 1.00, 2.00, 3.00 and the rows 20 to 39 3.00, 4.00, 5.00, as the tickers change.
    const own = [chunk(cents(["1.00", "2.00", "3.00"]), 0), chunk(cents(["3.00", "4.00", "5.00"]), 4)];
    const again = cents(["1.00", "2.00", "3.00", "3.00", "4.00", "5.00"]);
    const repeating = [chunk(again, 0), chunk(again, 28)];
    const frame = Frame.from(tableOf(rows));
    for (const key of [own, repeating]) {
      const keyed = frame.with({ key: new Vector(key) });
      expect(textsOf(keyed.pctChange(1, { by: "key", columns: "x" }).drop("key").table)).toEqual(
        textsOf(frame.pctChange(1, { by, columns: "x" }).table),
      );
    }
  });

  it("identifies series where each batch has a dictionary of its own", () => {
    const parts = [rows.slice(0, 20), rows.slice(20)].map(tableOf);
    const joined = Frame.concat(parts.map((part) => Frame.from(part)));
    const tickers = new Vector(parts.flatMap((part) => (part.getChild("ticker") as Vector).data));
    const table = joined.with({ ticker: tickers });
    for (const work of Object.values(works)) {
      expect(textsOf(work(table).table)).toEqual(textsOf(work(Frame.from(tableOf(rows))).table));
    }
  });
});
