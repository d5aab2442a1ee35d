import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { makeVector, Table } from "../../src/columns/arrow/arrow.js";
import * as take from "../../src/columns/table/take.js";
import { Frame } from "../../src/frame/frame.js";
import { frameOfIPC } from "../frame-of-ipc.js";
import { columnSpecs } from "../support/column-specs.js";
import { forAll } from "../support/for-all.js";
import { runs } from "../support/whole.js";

interface Row {
  id: number;
  ticker: string | null;
  close: number | null;
}

const columns = columnSpecs({ id: "Integer", ticker: "String", close: "BigDecimal(15,4)" });

const frameOf = (rows: readonly Row[], cuts: readonly number[] = []): Frame<Row> => {
  const at = [...new Set([0, ...cuts.map((cut) => cut % (rows.length + 1)), rows.length])].sort((a, b) => a - b);
  const parts = at.slice(1).map((end, i) => Frame.fromRows<Row>(rows.slice(at[i], end), columns));
  return parts.length === 0 ? Frame.fromRows<Row>([], columns) : Frame.concat(parts);
};

const row = fc.record<Row>({
  id: fc.integer({ min: 0, max: 9 }),
  ticker: fc.option(fc.constantFrom("A", "B", "C"), { nil: null }),
  close: fc.option(fc.constantFrom(-1.5, 0, 2.25, 7), { nil: null }),
});

/** A step as frames take it and as an array of rows takes it. */
interface Step {
  readonly frame: (frame: Frame<Row>) => Frame<Row>;
  readonly rows: (rows: Row[]) => Row[];
}

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.integer({ min: 0, max: 9 }).map((least) => ({
    frame: (frame: Frame<Row>) => frame.filter(({ id }) => id >= least),
    rows: (rows: Row[]) => rows.filter(({ id }) => id >= least),
  })),
  fc.constantFrom("A", "B", null).map((ticker) => ({
    frame: (frame: Frame<Row>) => frame.filter([...frame.rows()].map((one) => one.ticker === ticker)),
    rows: (rows: Row[]) => rows.filter((one) => one.ticker === ticker),
  })),
  fc.constant({
    frame: (frame: Frame<Row>) => frame.sort("id"),
    rows: (rows: Row[]) => rows.toSorted((a, b) => a.id - b.id),
  }),
  fc.constant({
    frame: (frame: Frame<Row>) => frame.sort(["id", "desc"]),
    rows: (rows: Row[]) => rows.toSorted((a, b) => b.id - a.id),
  }),
  fc.tuple(fc.integer({ min: -6, max: 6 }), fc.integer({ min: -6, max: 12 })).map(([from, end]) => ({
    frame: (frame: Frame<Row>) => frame.slice(from, end),
    rows: (rows: Row[]) => rows.slice(from, end),
  })),
  fc.nat(6).map((count) => ({
    frame: (frame: Frame<Row>) => frame.head(count),
    rows: (rows: Row[]) => rows.slice(0, count),
  })),
  fc.nat(6).map((count) => ({
    frame: (frame: Frame<Row>) => frame.tail(count),
    rows: (rows: Row[]) => rows.slice(Math.max(0, rows.length - count)),
  })),
  fc.array(fc.nat(20), { maxLength: 8 }).map((picks) => ({
    frame: (frame: Frame<Row>) => frame.take(frame.numRows === 0 ? [] : picks.map((at) => at % frame.numRows)),
    rows: (rows: Row[]) => (rows.length === 0 ? [] : picks.map((at) => rows[at % rows.length])),
  })),
  fc.constant({
    frame: (frame: Frame<Row>) => frame.select("close", "id", "ticker").select("id", "ticker", "close"),
    rows: (rows: Row[]) => rows,
  }),
  // What needs the table copies the rows: the steps after it start from the copy.
  fc.constant({
    frame: (frame: Frame<Row>) => Frame.from<Row>(frame.table),
    rows: (rows: Row[]) => rows,
  }),
);

describe("selected rows", () => {
  it("are those of an array of rows after the same steps, whatever the cuts, read any way", () => {
    forAll(
      runs(150),
      fc.array(row, { maxLength: 14 }),
      fc.array(fc.nat(20), { maxLength: 4 }),
      fc.array(step, { maxLength: 6 }),
      (rows, cuts, steps) => {
        let frame = frameOf(rows, cuts);
        let expected = [...rows];
        for (const next of steps) {
          frame = next.frame(frame);
          expected = next.rows(expected);
          expect(frame.numRows).toBe(expected.length);
        }
        expect([...frame.rows()]).toEqual(expected);
        expect(frame.column("close").toArray()).toEqual(expected.map(({ close }) => close));
        expect(frame.drop("id").rename({ close: "price" }).toJSON()).toEqual(
          expected.map(({ ticker, close }) => ({ ticker, price: close })),
        );
        expect(frame.table.numRows).toBe(expected.length);
        expect([...frame.rows()]).toEqual(expected);
        expect(frame.column("ticker").toArray()).toEqual(expected.map(({ ticker }) => ticker));
        expect(frameOfIPC(frame.toIPC()).toJSON()).toEqual(expected);
      },
    );
  });

  it("filter by one test and then another as by both", () => {
    forAll(100, fc.array(row), fc.integer({ min: 0, max: 9 }), (rows, least) => {
      const frame = frameOf(rows);
      const both = frame.filter(({ id, ticker }) => id >= least && ticker === "A");
      const one = frame.filter(({ id }) => id >= least).filter(({ ticker }) => ticker === "A");
      expect(one.toJSON()).toEqual(both.toJSON());
    });
  });

  it("sort stably, also what was selected before", () => {
    forAll(100, fc.array(row), (rows) => {
      const frame = frameOf(rows).with({ at: rows.map((_, i) => i) });
      const sorted = frame
        .filter(({ ticker }) => ticker !== null)
        .sort("id")
        .toJSON();
      for (const [i, { id, at }] of sorted.entries()) {
        if (i > 0 && sorted[i - 1].id === id) expect(Number(sorted[i - 1].at)).toBeLessThan(Number(at));
      }
    });
  });
});

describe("copies", () => {
  const frame = frameOf(Array.from({ length: 100 }, (_, i) => ({ id: i % 10, ticker: "ABC"[i % 3], close: i })));

  it("are of the columns that are used, once", () => {
    const columnsTaken = vi.spyOn(take, "takeColumn");
    const tablesTaken = vi.spyOn(take, "takeRows");
    const some = frame.filter(({ id }) => id > 3);
    expect([some.numRows, some.head(3).numRows, some.columns.length, some.key.length]).toEqual([60, 3, 3, 0]);
    expect([...some.head(1).rows()]).toEqual([{ id: 4, ticker: "B", close: 4 }]);
    expect(columnsTaken.mock.calls.length + tablesTaken.mock.calls.length).toBe(0);
    some.column("close");
    some.column("close");
    expect(columnsTaken.mock.calls.length).toBe(1);
    const { table } = some;
    expect(some.table).toBe(table);
    expect(columnsTaken.mock.calls.length).toBe(3);
    expect(some.column("close").vector.data[0]).toBe(table.getChild("close")?.data[0]);
    const two = frame.filter(({ id }) => id > 3).select("ticker", "close");
    expect(two.toIPC().length).toBeGreaterThan(0);
    expect(tablesTaken.mock.calls.length).toBe(1);
    expect(tablesTaken.mock.calls[0][0].schema.fields.length).toBe(2);
    vi.restoreAllMocks();
  });

  it("let the table go that rows were selected from, which nbytes shows", () => {
    const few = frame.filter(({ id }) => id === 3);
    expect(few.nbytes).toBeGreaterThan(frame.nbytes);
    const { table } = few;
    expect(few.nbytes).toBeLessThan(frame.nbytes / 2);
    expect(Frame.from(table).nbytes).toBe(few.nbytes);
  });

  it("are not made of a test that every row passes", () => {
    expect(frame.filter(() => true)).toBe(frame);
    expect(frame.filter(Array.from({ length: 100 }, () => true))).toBe(frame);
    expect(frame.sort("close").table.batches[0].data.children[0]).toBe(frame.table.batches[0].data.children[0]);
  });
});

it("copies long runs of rows as it copies single rows, of every width, with nulls, across batches", () => {
  const specs = columnSpecs({
    p: "BigDecimal(15,4)",
    w: "BigDecimal(60,4)",
    n: "Integer",
    d: "Date",
    x: "double",
    s: "String",
    b: "Boolean",
  });
  const all = Array.from({ length: 400 }, (_, i) => ({
    p: i % 7 === 0 ? null : i - 200,
    w: `${i}000000000000000000000000000000000000000000`,
    n: BigInt(i) - 200n,
    d: new Date(i * 86_400_000),
    x: i / 3,
    s: i % 5 === 0 ? null : `t${i % 9}`,
    b: i % 3 === 0,
  }));
  const range = fc.tuple(fc.nat(399), fc.integer({ min: 1, max: 150 }));
  forAll(
    runs(60),
    fc.array(range, { maxLength: 4 }),
    fc.array(fc.integer({ min: 1, max: 399 }), { maxLength: 3 }),
    (ranges, cuts) => {
      const at = [...new Set([0, ...cuts, 400])].sort((a, b) => a - b);
      const whole = Frame.concat(at.slice(1).map((end, i) => Frame.fromRows(all.slice(at[i], end), specs))) as Frame;
      const mask = all.map((_, i) => ranges.some(([from, length]) => i >= from && i < from + length));
      const wanted = whole
        .toCSV()
        .trimEnd()
        .split("\n")
        .filter((_, line) => line === 0 || mask[line - 1]);
      expect(whole.filter(mask).toCSV().trimEnd().split("\n")).toEqual(wanted);
      const rows = mask.flatMap((kept, i) => (kept ? [i] : []));
      expect(whole.take([...rows, ...rows]).table.numRows).toBe(2 * rows.length);
      expect(
        whole
          .take([...rows, ...rows])
          .slice(rows.length)
          .toCSV()
          .trimEnd()
          .split("\n"),
      ).toEqual(wanted);
    },
  );
});

describe("masks", () => {
  const flags = [true, null, false, true, true, null, false, false, true, true, null];
  const rows = Frame.fromRows(flags.map((flag, i) => ({ i, flag })));

  it("are lists, typed arrays, columns and vectors of truth values, sliced or not", () => {
    const expected = [0, 3, 4, 8, 9];
    const places = (mask: never) => rows.filter(mask).column("i").toArray();
    expect(places(flags as never)).toEqual(expected);
    expect(places(Uint8Array.from(flags, Number) as never)).toEqual(expected);
    expect(places(rows.column("flag") as never)).toEqual(expected);
    expect(places(rows.column("flag").vector as never)).toEqual(expected);
    for (let from = 0; from < flags.length; from++) {
      for (let end = from; end <= flags.length; end++) {
        const part = rows.slice(from, end);
        const wanted = expected.filter((i) => i >= from && i < end);
        expect(
          part
            .filter(part.column("flag") as never)
            .column("i")
            .toArray(),
        ).toEqual(wanted);
        expect(
          part
            .filter(flags.slice(from, end) as never)
            .column("i")
            .toArray(),
        ).toEqual(wanted);
      }
    }
    const numbers = Frame.from(new Table({ n: makeVector(Int32Array.of(0, 1, 2)) }));
    expect(numbers.filter(numbers.column("n") as never).numRows).toBe(2);
    expect(() => rows.filter([true])).toThrow(expect.objectContaining({ code: "DifferentLength" }));
  });
});
