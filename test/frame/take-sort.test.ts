import {
  Bool,
  DateDay,
  Decimal,
  Dictionary,
  Field,
  Float64,
  Int32,
  Int64,
  List,
  makeBuilder,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Table,
  tableFromIPC,
  tableToIPC,
  Utf8,
  Vector,
  vectorFromArray,
} from "apache-arrow";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareText, sortedRows } from "../../src/columns/table/sort.js";
import { takeRows, takeVector } from "../../src/columns/table/take.js";
import { forAll } from "../support/for-all.js";
import { runs } from "../support/whole.js";

const text = new Dictionary(new Utf8(), new Int32(), 7);

/** A batch by hand; each batch has a dictionary of its own. */
function batchOf(schema: Schema, columns: readonly (readonly unknown[])[]): RecordBatch {
  const children = schema.fields.map((field, i) => {
    if (field.type instanceof Decimal) {
      const words = new BigInt64Array(columns[i].length * 2);
      columns[i].forEach((value, row) => {
        words[2 * row] = BigInt.asIntN(64, value as bigint);
        words[2 * row + 1] = (value as bigint) >> 64n;
      });
      return makeData({ type: field.type, length: columns[i].length, data: new Uint32Array(words.buffer) });
    }
    const builder = makeBuilder({ type: field.type, nullValues: [null] });
    for (const value of columns[i]) builder.append(value as never);
    return builder.finish().toVector().data[0];
  });
  const data = makeData({ type: new Struct(schema.fields), length: columns[0].length, nullCount: 0, children });
  return new RecordBatch(schema, data);
}

const schema = new Schema([
  new Field("text", text, true),
  new Field("plain", new Utf8(), true),
  new Field("number", new Float64(), true),
  new Field("flag", new Bool(), true),
  new Field("big", new Int64(), true),
  new Field("exact", new Decimal(4, 30, 128), true),
]);

const table = new Table(schema, [
  batchOf(schema, [
    ["b", "a", null],
    ["", "é", null],
    [1, null, -0.5],
    [true, null, false],
    [1n, -5n, null],
    [10n, -(1n << 80n), 3n],
  ]),
  batchOf(schema, [
    ["c", "b"],
    [null, "z"],
    [Number.NaN, 7],
    [true, false],
    [9n, null],
    [1n << 70n, -1n],
  ]),
]);

const values = (t: Table): unknown[][] =>
  t.schema.fields.map((_, i) =>
    [...(t.getChildAt(i) as Vector)].map((v) => (typeof v === "object" && v ? String(v) : v)),
  );

describe("takeRows", () => {
  it("copies every type across batches with different dictionaries, repeats and reorders", () => {
    const all = values(table);
    const rows = [4, 0, 3, 3, 1, 2];
    const taken = takeRows(table, Uint32Array.from(rows));
    expect(values(taken)).toEqual(all.map((column) => rows.map((r) => column[r])));
    expect(taken.batches.length).toBe(1);
    expect(values(tableFromIPC(tableToIPC(taken)))).toEqual(values(taken));
  });

  it("makes a row of nulls of -1", () => {
    const taken = takeRows(table, Int32Array.of(-1, 0));
    expect(values(taken).map((column) => column[0])).toEqual([null, null, null, null, null, null]);
  });

  it("respects slices", () => {
    const cut = table.slice(1, 4);
    expect(values(takeRows(cut, Uint32Array.of(2, 0)))).toEqual(values(cut).map((c) => [c[2], c[0]]));
  });

  it("takes nothing from an empty table and from a table without batches", () => {
    expect(takeRows(table, new Uint32Array(0)).numRows).toBe(0);
    expect(takeRows(new Table(schema, []), new Uint32Array(0)).schema.fields.map((f) => f.name)).toEqual(
      schema.fields.map((f) => f.name),
    );
  });

  it("copies lists and structs", () => {
    const lists = vectorFromArray([[1, 2], null, [], [3]], new List(new Field("item", new Float64(), true)));
    expect([...takeVector(lists, Uint32Array.of(3, 1, 0))].map((v) => (v === null ? null : [...v]))).toEqual([
      [3],
      null,
      [1, 2],
    ]);
    const structs = vectorFromArray([{ a: 1 }, { a: 2 }]);
    expect([...takeVector(structs, Uint32Array.of(1, 0))].map((v) => v.toJSON())).toEqual([{ a: 2 }, { a: 1 }]);
  });
});

describe("sortedRows", () => {
  const column = (i: number, rows: Uint32Array): unknown[] => [...rows].map((r) => values(table)[i][r]);

  it("sorts text by code point, nulls last both ways", () => {
    expect(column(0, sortedRows(table, [{ column: 0 }]))).toEqual(["a", "b", "b", "c", null]);
    expect(column(0, sortedRows(table, [{ column: 0, descending: true }]))).toEqual(["c", "b", "b", "a", null]);
    expect(compareText("\u{1f600}", "\uffff")).toBeGreaterThan(0);
  });

  it("sorts numbers with NaN among the nulls, in their order, both ways", () => {
    expect(column(2, sortedRows(table, [{ column: 2 }]))).toEqual([-0.5, 1, 7, null, Number.NaN]);
    expect(column(2, sortedRows(table, [{ column: 2, descending: true }]))).toEqual([7, 1, -0.5, null, Number.NaN]);
  });

  it("sorts decimals of more than 64 bits and integers exactly", () => {
    expect([...sortedRows(table, [{ column: 5 }])]).toEqual([1, 4, 2, 0, 3]);
    expect(column(4, sortedRows(table, [{ column: 4 }]))).toEqual([-5n, 1n, 9n, null, null]);
  });

  it("sorts many rows as a comparison does", () => {
    let seed = 7;
    const next = (): number => {
      seed = (seed * 1_664_525 + 1_013_904_223) % 4_294_967_296;
      return seed;
    };
    const many = Array.from({ length: 20_000 }, () => ({ v: (next() - 2 ** 31) / 1000, k: next() % 50 }));
    const fields = new Schema([new Field("v", new Float64(), true), new Field("k", new Int32(), true)]);
    const big = new Table(fields, [batchOf(fields, [many.map(({ v }) => v), many.map(({ k }) => k)])]);
    const expected = many.map((_, i) => i).sort((a, b) => many[b].k - many[a].k || many[a].v - many[b].v || a - b);
    expect([...sortedRows(big, [{ column: 1, descending: true }, { column: 0 }])]).toEqual(expected);
  });

  it("agrees with a stable comparison sort on two keys", () => {
    const day = fc.option(fc.integer({ min: -30000, max: 30000 }), { nil: null });
    const word = fc.option(fc.constantFrom("a", "b", "bb", "\u{1f600}", "\uffff", ""), { nil: null });
    forAll(
      runs(100),
      fc.array(fc.tuple(word, day), { maxLength: 300 }),
      fc.boolean(),
      fc.boolean(),
      (rows, up, other) => {
        const keys = new Schema([new Field("w", text, true), new Field("d", new DateDay(), true)]);
        const dates = rows.map(([, d]) => (d === null ? null : new Date(d * 86_400_000)));
        const half = rows.length >> 1;
        const words = rows.map(([w]) => w);
        const cuts = [
          batchOf(keys, [words.slice(0, half), dates.slice(0, half)]),
          batchOf(keys, [words.slice(half), dates.slice(half)]),
        ];
        const found = sortedRows(new Table(keys, cuts), [
          { column: 0, descending: !up },
          { column: 1, descending: !other },
        ]);
        const compare = (a: unknown, b: unknown, ascending: boolean): number => {
          if (a === b) return 0;
          if (a === null || b === null) return a === null ? 1 : -1;
          const order = typeof a === "string" ? compareText(a, b as string) : (a as number) - (b as number);
          return ascending ? order : -order;
        };
        const expected = rows
          .map((_, i) => i)
          .sort((i, j) => compare(rows[i][0], rows[j][0], up) || compare(rows[i][1], rows[j][1], other) || i - j);
        expect([...found]).toEqual(expected);
      },
    );
  });
});

describe("keys in dictionaries sort as the values themselves", () => {
  const large = fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n });
  const near = fc.tuple(fc.constantFrom(2n ** 53n, -(2n ** 60n), 0n), fc.bigInt({ min: -3n, max: 3n }));
  const units = fc.oneof(
    large,
    near.map(([base, step]) => base + step),
  );

  /** Decimals, each batch with a dictionary of its own, in any order and with repeats. */
  const inDictionaries = (batches: readonly (readonly bigint[])[]): Vector => {
    const type = new Decimal(4, 30, 128);
    const encoded = new Dictionary(type, new Int32(), 11);
    const chunks = batches.map((cells) => {
      const entries = [...new Set(cells)].reverse();
      const words = new BigInt64Array(entries.length * 2);
      entries.forEach((value, row) => {
        words[2 * row] = BigInt.asIntN(64, value);
        words[2 * row + 1] = value >> 64n;
      });
      const dictionary = new Vector([makeData({ type, length: entries.length, data: new Uint32Array(words.buffer) })]);
      const data = Int32Array.from(cells, (cell) => entries.indexOf(cell));
      return makeData({ type: encoded, length: cells.length, nullCount: 0, data, dictionary });
    });
    return new Vector(chunks);
  };

  it("decimals with the same nearest double", () => {
    forAll(
      runs(100),
      fc.array(fc.array(units, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 3 }),
      (cells) => {
        const all = cells.flat();
        for (const descending of [false, true]) {
          const sign = descending ? -1 : 1;
          const wanted = [...all.keys()].sort(
            (a, b) => sign * (all[a] < all[b] ? -1 : all[a] > all[b] ? 1 : 0) || a - b,
          );
          const held = new Table({ x: inDictionaries(cells) });
          expect([...sortedRows(held, [{ column: 0, descending }])]).toEqual(wanted);
        }
      },
    );
  });
});
