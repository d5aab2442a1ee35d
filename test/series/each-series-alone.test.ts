import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { keyed } from "../../src/columns/table/pick.js";
import { InputError } from "../../src/errors/errors.js";
import { Frame } from "../../src/frame/frame.js";
import { columnSpecs } from "../support/column-specs.js";
import { forAll } from "../support/for-all.js";
import { runs } from "../support/whole.js";
import { inBatches, tableFrom, textsOf } from "./tables.js";

interface Row {
  readonly ticker: string | null;
  readonly venue: string;
  readonly date: string;
  readonly close: number | null;
  readonly volume: number | null;
  readonly note: string | null;
}

const dayOf = (n: number): string => new Date(Date.UTC(2023, 11, 20 + n)).toISOString().slice(0, 10);
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value, { nil: null, freq: 4 });

/** Several series of one to some days each, in any order of rows. */
const rows: fc.Arbitrary<Row[]> = fc
  .uniqueArray(
    fc.record({
      ticker: fc.constantFrom("AAA", "BBB", "CCC", null),
      venue: fc.constantFrom("N", "L"),
      date: fc.nat(50).map(dayOf),
      close: maybe(fc.double({ min: -100, max: 100, noNaN: true })),
      volume: maybe(fc.integer({ min: -1000, max: 1000 })),
      note: maybe(fc.constantFrom("x", "y", "")),
    }),
    { selector: (row) => [row.ticker, row.venue, row.date].join("|"), minLength: 1, maxLength: 40 },
  )
  .chain((all) => fc.constantFrom(all, sorted(all), sorted(all).reverse()));

const sorted = (all: Row[]): Row[] =>
  [...all].sort((a, b) => (seriesOf(a) < seriesOf(b) ? -1 : seriesOf(a) > seriesOf(b) ? 1 : a.date < b.date ? -1 : 1));
const seriesOf = ({ ticker, venue }: Row): string => `${ticker}/${venue}`;

const column = <K extends keyof Row>(all: readonly Row[], name: K): Row[K][] => all.map((row) => row[name]);
const KEY = ["ticker", "venue", "date"];

function frameOf(all: readonly Row[], batch: number): Frame {
  const table = tableFrom({
    ticker: ["String", column(all, "ticker")],
    venue: ["String", column(all, "venue")],
    date: ["Date", column(all, "date")],
    close: ["double", column(all, "close")],
    volume: ["Integer", column(all, "volume")],
    note: ["String", column(all, "note")],
  });
  return Frame.from(keyed(inBatches(table, batch), KEY));
}

const RANGE = { from: dayOf(10), to: dayOf(40) };
const inRange = (frame: Frame): Frame =>
  frame.filter(({ date }) => RANGE.from <= String(date) && String(date) <= RANGE.to);

const verbs: Record<string, (frame: Frame) => Frame> = {
  "collapse to weeks": (f) => f.collapse("weekly"),
  "collapse to months, several values": (f) => f.collapse("monthly", { value: { close: "ohlc", volume: "sum" } }),
  resample: (f) => f.resample("weekly", { gaps: "forward" }),
  diff: (f) => f.transform("diff"),
  rdiff: (f) => f.transform("rdiff"),
  rdiff_from: (f) => f.transform("rdiff_from"),
  cumul: (f) => f.transform("cumul"),
  normalize: (f) => f.transform("normalize", { columns: "close" }),
  query: (f) => f.query({ ...RANGE, collapse: "weekly", transform: "cumul", limit: 2 }),
  "rolling rows": (f) => f.rolling(3, "mean", { minPeriods: 1 }),
  "rolling days": (f) => f.rolling(7, "max", { unit: "days" }),
  ewm: (f) => f.ewm({ alpha: 0.5 }),
  shift: (f) => f.shift(1, { columns: ["close", "note"] }),
  "diff of rows": (f) => f.diff(2),
  pctChange: (f) => f.pctChange(),
  returns: (f) => f.returns({ kind: "log" }),
  cumsum: (f) => f.cumsum(),
  cumprod: (f) => f.cumprod({ columns: "volume" }),
  cummax: (f) => f.cummax(),
  cummin: (f) => f.cummin({ suffix: "_low" }),
  drawdown: (f) => f.drawdown({ columns: "close" }),
  "fill forward": (f) => f.fill("forward"),
  "fill backward": (f) => f.fill("backward", { limit: 1 }),
  align: (f) => Frame.align([f, f.filter((row) => row["volume"] !== null).drop("note")], { how: "left" }),
  asof: (f) =>
    f.asof(
      f
        .filter((row) => row["close"] !== null)
        .rename({ close: "known" })
        .drop("volume", "note"),
    ),
};

/** Every series computed in a table of its own, one after the other. */
function eachAlone(frame: Frame, all: readonly Row[], verb: (frame: Frame) => Frame): (string | null)[][] {
  const names = [...new Set(all.map(seriesOf))];
  return names.flatMap((name) => {
    const { ticker, venue } = all.find((row) => seriesOf(row) === name) as Row;
    const own = frame.filter(all.map((row) => seriesOf(row) === name)).drop("ticker", "venue");
    return textsOf(verb(own).table).map((cells) => [ticker, venue, ...cells]);
  });
}

const inOrder = (cells: (string | null)[][]): string[] => cells.map((row) => JSON.stringify(row)).sort();

describe("a keyed table of several series gives what each series gives alone", () => {
  it.each(Object.entries(verbs))("%s", (_, verb) => {
    forAll({ numRuns: runs(60), seed: 14 }, rows, fc.integer({ min: 1, max: 40 }), (all, batch) => {
      const frame = frameOf(all, batch);
      const { table } = verb(frame);
      const own = table.schema.fields.map(({ name }) => name);
      expect(own.slice(0, 3)).toEqual(KEY);
      expect(inOrder(textsOf(table))).toEqual(inOrder(eachAlone(frame, all, verb)));
    });
  });
});

const thrown = (run: () => unknown): InputError | undefined => {
  try {
    run();
  } catch (error) {
    if (error instanceof InputError && error.code === "RepeatedDate") return error;
    throw error;
  }
  return undefined;
};

describe("a date that repeats within a series is refused", () => {
  it.each(Object.entries(verbs))(
    "%s: without a key exactly where a date repeats, and with the columns that would do",
    (_, verb) => {
      forAll({ numRuns: runs(40), seed: 15 }, rows, (all) => {
        const frame = Frame.from(keyed(frameOf(all, 40).table, []));
        const isRepeated = new Set(column(all, "date")).size < all.length;
        const error = thrown(() => verb(frame));
        // In align and asof the dates of the second table decide as well, in query those of the range.
        if (!/align|asof|query/.test(verb.toString())) expect(error !== undefined).toBe(isRepeated);
        if (error === undefined) return;
        expect(error.hint).toMatch(/\{ (by|on): /);
        const named = [...(error.hint ?? "").matchAll(/\{ by: (".*?"|\[.+?\]) \}/g)].map(([, names]) =>
          JSON.parse(names),
        );
        // In asof the columns may be those of the second table.
        if (/asof/.test(verb.toString())) return;
        const judged = /query/.test(verb.toString()) ? inRange(frame) : frame;
        for (const by of named) expect(thrown(() => judged.pctChange(1, { by }))).toBe(undefined);
      });
    },
  );

  it.each<[string, (frame: Frame) => Frame]>([
    ["by that does not do", (f) => f.pctChange(1, { by: "venue" })],
    ["a frame of the key without one of its columns", (f) => f.drop("venue").pctChange()],
    [
      "a column of dates that is not in the key",
      (f) => f.with({ due: (row: { date?: unknown }) => row.date }, { due: "Date" }).pctChange(1, { on: "due" }),
    ],
  ])("%s", (_, act) => {
    const all = ["AAA", "BBB"].flatMap((ticker) =>
      ["N", "L"].map((venue) => ({ ticker, venue, date: dayOf(1), close: 1, volume: 1, note: null })),
    );
    const error = thrown(() => act(frameOf(all, 40)));
    expect(error).toMatchObject({ code: "RepeatedDate", row: expect.any(Number), column: expect.any(String) });
    expect(error?.hint).toContain("by");
  });

  it("an empty list of columns says that all rows are one series", () => {
    forAll({ numRuns: runs(40), seed: 16 }, rows, (all) => {
      const frame = frameOf(all, 40);
      const whole = Frame.from(keyed(frame.table, [])).drop("ticker", "venue");
      const apart = frame.cumsum({ by: [] }).drop("ticker", "venue");
      expect(textsOf(apart.table)).toEqual(textsOf(whole.cumsum({ by: [] }).table));
    });
  });
});

describe("timestamps", () => {
  const at = (hour: number, day = 2) => new Date(Date.UTC(2024, 0, day, hour));
  const columns = columnSpecs({ at: "DateTime", v: "Integer" });

  it("several rows of one day are in order of their timestamps, and only an equal timestamp repeats", () => {
    const newest = [at(9, 3), at(17), at(11), at(8)].map((time, i) => ({ at: time, v: [1, 10, 100, 1000][i] }));
    const frame = Frame.fromRows(newest, columns);
    expect(frame.cumsum().column("v").toArray()).toEqual([1111, 1110, 1100, 1000]);
    expect(frame.collapse("daily").column("v").toArray()).toEqual([1, 10]);
    const twice = Frame.concat([frame, Frame.fromRows([{ at: at(11), v: 5 }], columns)]);
    expect(thrown(() => twice.cumsum())).toMatchObject({ code: "RepeatedDate", row: 4 });
    expect(twice.cumsum({ by: [] }).column("v").toArray()).toEqual([1116, 1115, 1100, 1000, 1105]);
  });
});
