import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type DataType,
  Dictionary,
  Float32,
  Float64,
  Int,
  Int8,
  Int32,
  Int64,
  TimestampNanosecond,
  Uint64,
  Utf8,
  Vector,
  vectorFromArray,
} from "../../src/columns/arrow/arrow.js";
import { Frame } from "../../src/frame/frame.js";
import { type Codes, codesOf, combine, PairCodes } from "../../src/series/core/codes.js";
import { LargeMap } from "../../src/value/large-map.js";
import { forAll } from "../support/for-all.js";
import { isWhole, runs } from "../support/whole.js";

/** Codes are equal exactly if the keys are. */
function expectCodes(codes: Codes, keys: readonly (readonly string[])[]): void {
  const codeOf = new Map<string, number>();
  const keyOf = new Map<number, string>();
  for (const [part, list] of keys.entries()) {
    for (const [row, key] of list.entries()) {
      const code = codes.rows[part][row];
      expect(code).toBeLessThan(codes.size);
      expect(codeOf.get(key) ?? code).toBe(code);
      expect(keyOf.get(code) ?? key).toBe(key);
      codeOf.set(key, code);
      keyOf.set(code, key);
    }
  }
}

const int32 = fc.oneof(fc.integer(), fc.integer({ min: -3, max: 3 }), fc.constantFrom(-(2 ** 31), 2 ** 31 - 1));

describe("keys of several columns", () => {
  it("are equal exactly if each part is, whatever the codes of the parts multiply to", () => {
    const part = fc.oneof(fc.nat(3), fc.nat(2 ** 30), fc.constantFrom(2 ** 30, 2 ** 31 - 2));
    const size = fc.constantFrom(2 ** 31 - 1, 2 ** 31 - 1, 2 ** 31 - 1);
    forAll(runs(100), fc.array(fc.tuple(part, part, part), { maxLength: 40 }), size, (rows, most) => {
      const parts = [0, 1, 2].map((k): Codes => ({ rows: [Int32Array.from(rows, (row) => row[k])], size: most }));
      expectCodes(combine(parts), [rows.map(String)]);
    });
    // As doubles, 2^27 * 2^27 + 1 and 2^27 * 2^27 are one number.
    const far = 2 ** 30;
    const twins: Codes = { rows: [Int32Array.of(far - 1, far - 1)], size: far };
    const others: Codes = { rows: [Int32Array.of(far - 2, far - 1)], size: far };
    expect(combine([twins, others]).size).toBe(2);
  });

  it("are numbered as a map numbers them, through many growths of the table", () => {
    const pairs = new PairCodes();
    const map = new Map<string, number>();
    for (let i = 0; i < (isWhole ? 200_000 : 20_000); i++) {
      const [a, b] = [Math.imul(i, 0x9e3779b1) >> (i % 31), ((i * 7) % 1000) << (i % 20)];
      const key = `${a},${b}`;
      const number = map.get(key) ?? map.size;
      map.set(key, number);
      if (pairs.code(a, b) !== number) expect(pairs.code(a, b)).toBe(number);
    }
    expect(pairs.size).toBe(map.size);
    forAll(runs(100), fc.array(fc.tuple(int32, int32)), (list) => {
      const codes = new PairCodes();
      expectCodes({ rows: [Int32Array.from(list, ([a, b]) => codes.code(a, b))], size: codes.size }, [
        list.map(String),
      ]);
    });
  });
});

describe("keys of one column", () => {
  const big = fc.oneof(
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.bigInt({ min: -3n, max: 3n }),
    fc.constantFrom(2n ** 53n, 2n ** 53n + 1n, 2n ** 32n, -(2n ** 32n), -1n, 2n ** 32n - 1n),
  );
  const double = fc.oneof(
    fc.double(),
    fc.constantFrom(0, -0, Number.NaN, 1, Number.POSITIVE_INFINITY, 2 ** 53, 5e-324),
  );
  const text = fc.constantFrom("", "a", "\uFEFF", "\uFEFFa", "A", "null", "1");
  const nan = (value: number): string => String(value === 0 ? 0 : value);
  const kinds: readonly (readonly [DataType, fc.Arbitrary<unknown>, (value: never) => string])[] = [
    [new Int8(), fc.integer({ min: -128, max: 127 }), String],
    [new Int32(), int32, String],
    [new Int(false, 32), fc.nat(2 ** 32 - 1), String],
    [new Int64(), big, String],
    [new Uint64(), big.map((value) => BigInt.asUintN(64, value)), String],
    [new TimestampNanosecond(), big, String],
    [new Float64(), double, nan],
    [new Float32(), fc.float(), nan],
    [new Utf8(), text, String],
    [new Dictionary(new Utf8(), new Int32()), text, String],
  ];

  it.each(kinds.map(([type, ...rest]) => [String(type), type, ...rest] as const))("%s", (_, type, value, keyOf) => {
    const chunk = fc.array(fc.option(value, { freq: 5 }), { maxLength: 12 });
    // Arrow's own vectors of timestamps are made of milliseconds.
    const raw = type instanceof TimestampNanosecond ? new Int64() : type;
    const vector = (chunks: readonly unknown[][]): Vector =>
      new Vector(
        chunks.map((cells) => {
          const { data } = vectorFromArray(cells as string[], raw as Utf8);
          return raw === type ? data[0] : data[0].clone(type as never);
        }),
      );
    const keys = (chunks: readonly unknown[][]): string[] =>
      chunks.flat().map((cell) => (cell === null || Number.isNaN(cell) ? "no value" : `value ${keyOf(cell as never)}`));
    const column = fc.array(chunk, { minLength: 1, maxLength: 3 });
    forAll(runs(100), column, column, (left, right) => {
      expectCodes(codesOf([vector(left)]), [keys(left)]);
      expectCodes(codesOf([vector(left), vector(right)]), [keys(left), keys(right)]);
    });
  });

  it("texts that differ in a byte order mark are of different groups", () => {
    const frame = Frame.fromColumns({ k: ["a", "\uFEFFa", "a"], x: [1, 2, 4] });
    expect(frame.groupBy("k").agg({ x: "sum" }).toArray()).toEqual([
      { k: "a", x: 5 },
      { k: "\uFEFFa", x: 2 },
    ]);
    expect(frame.unique("k").numRows).toBe(2);
    expect(frame.column("k").nunique()).toBe(2);
  });
});

describe("maps of more entries than one Map holds", () => {
  it("are as one Map, whatever one of them holds", () => {
    forAll(runs(100), fc.integer({ min: 1, max: 5 }), fc.array(fc.tuple(fc.nat(30), fc.nat(9))), (most, entries) => {
      const large = new LargeMap<number, number>(most);
      const map = new Map<number, number>();
      for (const [key, value] of entries) {
        large.set(key, value);
        map.set(key, value);
        expect(large.size).toBe(map.size);
        for (let k = 0; k <= 30; k++) expect(large.get(k)).toBe(map.get(k));
      }
      expect([...large.keys()]).toEqual([...map.keys()]);
    });
  });
});
