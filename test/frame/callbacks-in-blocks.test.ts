import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Decimal, makeData, Table, Vector } from "../../src/columns/arrow/arrow.js";
import { Frame } from "../../src/index.js";
import { forAll } from "../support/for-all.js";
import { runs } from "../support/whole.js";

/** More rows than a block of doubles, and than a table has that is read without blocks. */
const ROWS = 20_011;

interface Cells {
  readonly bits: 128 | 256;
  readonly scale: number;
  readonly units: readonly (bigint | null)[];
}

/** A vector of decimals; what is under a null is not zero. */
function vectorOf({ bits, scale, units }: Cells, batch: number): Vector {
  const count = bits / 32;
  const chunks = [];
  for (let from = 0; from < units.length; from += batch) {
    const part = units.slice(from, from + batch);
    const data = new Uint32Array(part.length * count);
    const nullBitmap = new Uint8Array((part.length + 7) >> 3);
    for (const [i, unit] of part.entries()) {
      for (let k = 0; k < count; k++) data[i * count + k] = Number(((unit ?? 77n) >> BigInt(32 * k)) & 0xffffffffn);
      if (unit !== null) nullBitmap[i >> 3] |= 1 << (i & 7);
    }
    const nullCount = part.filter((unit) => unit === null).length;
    const validity = nullCount === 0 ? { nullCount } : { nullCount, nullBitmap };
    const type = new Decimal(scale, bits === 128 ? 38 : 76, bits);
    chunks.push(makeData({ type, length: part.length, data, ...validity } as never));
  }
  return new Vector(chunks as never);
}

const units = (width: number) =>
  fc.oneof(
    fc.bigInt({ min: -(10n ** 9n), max: 10n ** 9n }),
    fc.bigInt({ min: 2n ** 53n - 3n, max: 2n ** 53n + 3n }),
    fc.bigInt({ min: -(10n ** BigInt(width)) + 1n, max: 10n ** BigInt(width) - 1n }),
    fc.constant(0n),
  );

/** Few values, spread over many rows in an irregular order; a null of each `every`, if there are any. */
const column = (bits: 128 | 256, scales: readonly number[]) =>
  fc
    .record({
      scale: fc.constantFrom(...scales),
      values: fc.array(units(bits === 128 ? 37 : 75), { minLength: 1, maxLength: 40 }),
      every: fc.constantFrom(0, 0, 2, 999, 4_096),
      seed: fc.nat(1_000),
    })
    .map(
      ({ scale, values, every, seed }): Cells => ({
        bits,
        scale,
        units: Array.from({ length: ROWS }, (_, i) =>
          every > 0 && (i + seed) % every === 0 ? null : values[(Math.imul(i + seed, 7_919) >>> 3) % values.length],
        ),
      }),
    );

const tables = fc
  .record({
    a: column(128, [0, 4, 22]),
    b: column(128, [2, 10]),
    wide: column(256, [0, 30]),
    tiny: column(128, [-2, 30]),
    batch: fc.constantFrom(ROWS, 4_096, 4_097, 10_000),
  })
  .map(({ batch, ...columns }) =>
    Frame.from(
      new Table(Object.fromEntries(Object.entries(columns).map(([name, cells]) => [name, vectorOf(cells, batch)]))),
    ),
  );

type Row = Record<"a" | "b" | "wide" | "tiny", number | null>;

const CALLBACKS: Readonly<Record<string, (row: Row) => unknown>> = {
  difference: (row) => (row.a as number) - (row.b as number),
  "two widths": (row) => (row.wide ?? 1) > 0 && row.a,
  "rarely another": (row) => ((row.a ?? 0) > 1e6 ? row.b : row.tiny),
  "nulls as they are": (row) => row.b,
  "all members": (row) => Object.values({ ...row }).reduce((sum: number, cell) => sum + (cell ?? 0.5), 0),
};

const cellsOf = (frame: Frame, name: string): unknown[] =>
  Array.from(frame.column(name).toArray() as ArrayLike<unknown>);

describe("callbacks over tables read in blocks of doubles", () => {
  it.each(Object.entries(CALLBACKS))("give what rows() and plain JavaScript give: %s", (_, call) => {
    forAll(runs(6), tables, fc.boolean(), (whole, isSelected) => {
      const frame = (isSelected ? whole.filter((row) => (row.a ?? 1) !== 0) : whole) as unknown as Frame<Row>;
      const rows = [...frame.rows()];
      const wanted = rows.map(call);
      const numbers = wanted.map((value) => (typeof value === "boolean" ? Number(value) : value));
      const made = frame.with({
        x: (row) => (typeof call(row) === "boolean" ? Number(call(row)) : call(row)) as number,
      });
      if (numbers.some((value) => value !== null)) expect(cellsOf(made as Frame, "x")).toEqual(numbers);
      else expect(made.column("x").vector.nullCount).toBe(rows.length);
      const passed: number[] = [];
      let row = 0;
      const kept = frame.filter((view) => {
        const passes = Boolean(call(view));
        if (passes) passed.push(row);
        row++;
        return passes;
      });
      expect(row).toBe(rows.length);
      expect(passed).toEqual(wanted.flatMap((value, i) => (value ? [i] : [])));
      expect([...kept.rows()].slice(-3)).toEqual(passed.slice(-3).map((i) => rows[i]));
    });
  });

  const frame = Frame.from(
    new Table({
      a: vectorOf({ bits: 128, scale: 2, units: Array.from({ length: ROWS }, (_, i) => BigInt(i)) }, 9_000),
      b: vectorOf({ bits: 128, scale: 0, units: Array.from({ length: ROWS }, (_, i) => -BigInt(i)) }, 9_000),
    }),
  ) as unknown as Frame<{ a: number; b: number }>;

  it("read a column first touched at any row", () => {
    for (const first of [0, 1, 4_095, 4_096, 8_999, 9_000, 13_096, ROWS - 1]) {
      let row = 0;
      const made = frame.with({ x: (view) => (row++ >= first ? view.b : view.a) });
      expect(cellsOf(made as Frame, "x")).toEqual(
        Array.from({ length: ROWS }, (_, i) => (i >= first ? 0 - i : i / 100)),
      );
    }
  });

  it("work within each other, over the same table and another, and after one that threw", () => {
    const other = Frame.from(frame.select("b").table) as unknown as Frame<{ b: number }>;
    const sums: number[] = [];
    const made = frame.with({
      x: (view) => {
        const { a } = view;
        if (a === 50 || a === 120.01) {
          sums.push(frame.filter((inner) => inner.a > a).numRows, other.filter((inner) => inner.b < -5_000).numRows);
          expect(() =>
            frame.filter(() => {
              throw new RangeError("stop");
            }),
          ).toThrow(RangeError);
        }
        return a + view.b;
      },
    });
    expect(sums).toEqual([ROWS - 5_001, ROWS - 5_001, ROWS - 12_002, ROWS - 5_001]);
    expect(cellsOf(made as Frame, "x")).toEqual(Array.from({ length: ROWS }, (_, i) => i / 100 - i));
    expect(other.filter((view) => view.b < -5_000).numRows).toBe(ROWS - 5_001);
  });

  it("refuse a row kept from another row, another call, or after the end", () => {
    const kept: { a: number }[] = [];
    const keep = (view: { a: number }) => kept.push(view) > 0 && view.a >= 0;
    const refused = expect.objectContaining({ code: "KeptRow" });
    expect(frame.filter(keep).numRows).toBe(ROWS);
    for (const view of kept.slice(0, 70)) expect(() => view.a).toThrow(refused);
    let row = 0;
    const late = frame.filter((view) => {
      if (row % 97 === 0) expect(() => kept[(row * 7) % ROWS].a).toThrow(refused);
      return view.a === row++ / 100;
    });
    expect(late.numRows).toBe(ROWS);
    kept.length = 0;
    expect(() => frame.with({ x: (view) => view.a + (kept[kept.push(view) - 2]?.a ?? 0) })).toThrow(refused);
    const derived: { a: number }[] = [];
    frame.filter((view) => derived.push(Object.create(view)) > 0 && derived.at(-1)?.a === view.a);
    expect(() => derived[0].a).toThrow(refused);
  });

  it("stop at an exception and give the type of mixed results", () => {
    let calls = 0;
    const failing = () =>
      frame.with({
        x: (view) => {
          if (++calls > 10_000) throw new RangeError("stop");
          return view.a;
        },
      });
    expect(failing).toThrow(RangeError);
    expect(calls).toBe(10_001);
    const whole = frame.with({ x: (view) => (view.a === 100 ? 2n ** 60n : view.b) });
    expect(whole.column("x").type).toBe("Integer");
    expect(cellsOf(whole as Frame, "x")[10_000]).toBe(2n ** 60n);
    const day = new Date("2024-02-29T13:00:00Z");
    expect(cellsOf(frame.with({ x: (view) => (view.a > 199 ? day : null) }) as Frame, "x")[ROWS - 1]).toBe(
      "2024-02-29T13:00:00Z",
    );
    expect(() => frame.with({ x: (view) => (view.a > 199 ? "text" : view.a) })).toThrow(
      expect.objectContaining({ code: "MixedTypes", row: 19_901 }),
    );
    expect(Object.is(cellsOf(frame.with({ x: (view) => view.a * -1 }) as Frame, "x")[0], -0)).toBe(true);
  });
});
