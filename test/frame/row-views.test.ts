import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Field, List, makeVector, Schema, Table, Utf8, vectorFromArray } from "../../src/columns/arrow/arrow.js";
import { Frame } from "../../src/frame/frame.js";
import { columnSpecs } from "../support/column-specs.js";
import { forAll } from "../support/for-all.js";
import { runs } from "../support/whole.js";

const columns = columnSpecs({ ticker: "String", date: "Date", close: "BigDecimal(15,4)", volume: "Integer" });

const prices = Frame.fromRows(
  [
    { ticker: "BBB", date: "2024-02-29", close: "1.5", volume: 9007199254740993n },
    { ticker: "AAA", date: "2024-03-01", close: null, volume: 2 },
    { ticker: "AAA", date: "2024-02-29", close: "12345678901.2345", volume: null },
  ],
  columns,
);

/** What a callback sees of every row, by `see`. */
function seen<T>(frame: Frame, see: (row: Record<string, unknown>) => T): T[] {
  const all: T[] = [];
  frame.filter((row) => {
    all.push(see(row));
    return true;
  });
  return all;
}

const plain = (frame: Frame) => [...frame.rows()];
const kept = expect.objectContaining({ code: "KeptRow", hint: expect.stringContaining("{ ...row }") });

describe("a row in a callback", () => {
  it("has the members of a row of rows(), in their order, as its own", () => {
    expect(seen(prices, (row) => ({ ...row }))).toEqual(plain(prices));
    expect(seen(prices, (row) => JSON.stringify({ ...row, volume: String(row.volume) }))).toEqual(
      plain(prices).map((row) => JSON.stringify({ ...row, volume: String(row.volume) })),
    );
    expect(seen(prices, (row) => Object.keys(row))).toEqual(plain(prices).map((row) => Object.keys(row)));
    expect(seen(prices, (row) => Object.entries(row))).toEqual(plain(prices).map((row) => Object.entries(row)));
    expect(seen(prices, ({ close, ...rest }) => [close, Object.keys(rest)])).toEqual(
      plain(prices).map(({ close }) => [close, ["ticker", "date", "volume"]]),
    );
    expect(seen(prices, (row) => ["close" in row, "clsoe" in row, Object.hasOwn(row, "date")])[0]).toEqual([
      true,
      false,
      true,
    ]);
    expect(seen(prices, (row) => row instanceof Object && row.constructor === Object)).toEqual([true, true, true]);
    expect(seen(prices, (row) => structuredClone({ ...row }))).toEqual(plain(prices));
    expect(seen(prices, (row) => inspect(row))).toEqual(plain(prices).map((row) => inspect(row)));
  });

  it("reads no cell that is not touched", () => {
    const reads: string[] = [];
    const watched = (name: string) => {
      const vector = makeVector(new Int32Array([1, 2, 3]));
      const [data] = vector.data;
      const values = data.values;
      Object.defineProperty(data, "values", {
        get: () => {
          reads.push(name);
          return values;
        },
      });
      return vector;
    };
    const frame = Frame.from(new Table({ a: watched("a"), b: watched("b") }));
    reads.length = 0;
    frame.filter((row) => row.a !== 2);
    frame.with({ c: (row) => row.a });
    expect(new Set(reads)).toEqual(new Set(["a"]));
  });

  it("throws once its call has returned, also within the outer call and after an await", async () => {
    let last: Record<string, unknown> = {};
    prices.filter((row) => {
      last = row;
      return true;
    });
    expect(() => last.close).toThrow(kept);
    expect(() => ({ ...last })).toThrow(kept);
    expect(inspect(last)).toContain("no longer valid");
    let before: Record<string, unknown> | undefined;
    expect(() =>
      prices.filter((row) => {
        const rising = before !== undefined && Number(row.close) > Number(before.close);
        before = row;
        return rising;
      }),
    ).toThrow(kept);
    expect(() => prices.with({ late: async (row) => row.close })).toThrow(
      expect.objectContaining({ code: "MixedTypes" }),
    );
    const later: Promise<unknown>[] = [];
    const rows = prices.filter((row) => {
      later.push((async () => (await null) ?? row.close)());
      return true;
    });
    expect(rows.numRows).toBe(3);
    expect((await Promise.allSettled(later)).map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(() => prices.filter(async (row) => row.close !== null)).toThrow(
      expect.objectContaining({ code: "BadArgument", message: expect.stringContaining("promise") }),
    );
  });

  it("names the column meant where a member is not a column", () => {
    const misspelt = (): unknown => prices.filter((row) => Boolean((row as { clsoe?: number }).clsoe));
    expect(misspelt).toThrow(
      expect.objectContaining({ code: "UnknownColumn", column: "clsoe", hint: 'Did you mean "close"?' }),
    );
    expect(() => prices.with({ x: (row) => (row as { clsoe?: number }).clsoe ?? 0 })).toThrow(/"clsoe"/);
    // What every object has, and what the language looks for in one.
    expect(prices.filter((row) => `${row.toString()}${JSON.stringify(row.ticker)}` !== "").numRows).toBe(3);
    expect(prices.filter((row) => (row as { then?: unknown }).then === undefined).numRows).toBe(3);
  });

  it("is never taken for another, however far back a kept one is", () => {
    const long = Frame.from(new Table({ n: makeVector(Int32Array.from({ length: 3000 }, (_, i) => i)) }));
    for (let lag = 1; lag <= 300; lag++) {
      const all: { n: number }[] = [];
      const wrong = () =>
        (long as unknown as Frame<{ n: number }>).filter((row) => {
          all.push(row);
          const old = all[all.length - 1 - lag];
          return old !== undefined && old.n !== row.n - lag;
        }).numRows;
      expect(wrong, `lag ${lag}`).toThrow(kept);
    }
  });

  it("works within another callback, and after one that threw", () => {
    const nested = prices.filter((row) => prices.filter((other) => other.ticker === row.ticker).numRows > 1);
    expect(nested.column("ticker").toArray()).toEqual(["AAA", "AAA"]);
    const same = prices.with({
      twins: (row) =>
        prices
          .with({ n: (other) => (other.date === row.date ? 1 : 0) })
          .column("n")
          .toArray()
          .join(""),
    });
    expect(same.column("twins").toArray()).toEqual(["101", "010", "101"]);
    let last: Record<string, unknown> = {};
    const failing = () =>
      prices.filter((row) => {
        last = row;
        throw new RangeError("stop");
      });
    expect(failing).toThrow(RangeError);
    expect(() => last.close).toThrow(kept);
  });

  it("cannot be changed", () => {
    const set = () =>
      prices.filter((row) => {
        (row as Record<string, unknown>).close = 1;
        return true;
      });
    expect(set).toThrow(TypeError);
    const add = () =>
      prices.filter((row) => {
        (row as Record<string, unknown>).extra = 1;
        return true;
      });
    expect(add).toThrow(TypeError);
  });

  it("has hostile, repeated, numeric and nested columns as rows() has them", () => {
    const list = vectorFromArray([["a", "b"], [], ["c"]], new List(new Field("item", new Utf8())));
    const numbers = makeVector(Int32Array.of(1, 2, 3));
    const names = ["b", "__proto__", "10", "b", "9", "constructor", "nested", "toString", ""];
    const table = new Table(Object.fromEntries(names.map((_, i) => [`c${i}`, i === 6 ? list : numbers])));
    const frame = Frame.from(table).rename(names) as Frame;
    const found = seen(frame, (row) => Object.getOwnPropertyNames({ ...row }).map((name) => [name, row[name]]));
    expect(found).toEqual(plain(frame).map((row) => Object.getOwnPropertyNames(row).map((name) => [name, row[name]])));
    expect(seen(frame, (row) => Object.keys(row))[0]).toEqual(Object.keys(plain(frame)[0]));
    expect(Object.keys(plain(frame)[0]).slice(0, 2)).toEqual(["9", "10"]);
  });

  it("equals the row of rows() for any table, cut anyhow, after any selection", () => {
    const cell = fc.option(fc.oneof(fc.double(), fc.string(), fc.boolean()), { nil: null });
    forAll(
      runs(60),
      fc.array(fc.record({ a: fc.option(fc.double(), { nil: null }), b: fc.option(fc.string(), { nil: null }) }), {
        minLength: 1,
      }),
      fc.array(fc.nat(), { maxLength: 30 }),
      cell,
      (rows, cuts, extra) => {
        const specs = columnSpecs({ a: "double", b: "String" });
        const parts = [rows, ...cuts.map((cut) => rows.slice(cut % rows.length))];
        const frame = Frame.concat(parts.map((part) => Frame.fromRows(part, specs))) as Frame;
        const chosen = frame.take(cuts.map((cut) => cut % frame.numRows));
        expect(seen(frame, (row) => ({ ...row }))).toEqual(plain(frame));
        expect(seen(chosen, (row) => ({ ...row }))).toEqual(plain(chosen));
        const value = typeof extra === "number" || extra === null ? extra : String(extra);
        const mixed = frame.with({ c: (row) => (row.a === null ? null : value) }, { c: "String" });
        expect(mixed.column("c").toArray()).toEqual(
          plain(frame).map((row) =>
            row.a === null || value === null ? null : (mixed.column("c").get(0) ?? String(value)),
          ),
        );
      },
    );
  });
});

describe("with() of a function", () => {
  const frame = Frame.fromRows([{ i: 0 }, { i: 1 }, { i: 2 }, { i: 3 }]);
  const made = (values: readonly unknown[]) => {
    const column = frame.with({ made: (row) => values[Number(row.i)] as never }).column("made");
    return [column.type, ...column.toArray()];
  };

  it("gives the type of its values, whatever comes first", () => {
    expect(made([1, null, 2.5, undefined])).toEqual(["double", 1, null, 2.5, null]);
    expect(made([null, null, null, null])).toEqual(["String", null, null, null, null]);
    expect(made([1, null, 2n ** 60n, 3])).toEqual(["Integer", 1, null, 2n ** 60n, 3]);
    expect(made([null, "a", "b", null])).toEqual(["String", null, "a", "b", null]);
    expect(made([true, false, null, true])).toEqual(["boolean", true, false, null, true]);
    expect(made([Number.NaN, -0, 1, 2])).toEqual(["double", Number.NaN, -0, 1, 2]);
    expect(() => made([1.5, 2n, 3, 4])).toThrow(expect.objectContaining({ code: "MixedTypes", row: 1 }));
    expect(() => made([1, 2, "x", 4])).toThrow(expect.objectContaining({ code: "MixedTypes", row: 2 }));
  });

  it("equals a column of the same values", () => {
    const value = fc.oneof(
      fc.double(),
      fc.constant(null),
      fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n }),
      fc.integer(),
    );
    forAll(100, fc.array(value, { minLength: 4, maxLength: 4 }), (values) => {
      const result = (run: () => unknown) => {
        try {
          return run();
        } catch (error) {
          return (error as { code: string }).code;
        }
      };
      const list = () => {
        const column = frame.with({ made: values as never }).column("made");
        return [column.type, ...column.toArray()];
      };
      expect(result(() => made(values))).toEqual(result(list));
    });
  });
});

it("a schema of no columns has rows without members", () => {
  expect(Frame.from(new Table(new Schema([]))).filter(() => true).numRows).toBe(0);
});
