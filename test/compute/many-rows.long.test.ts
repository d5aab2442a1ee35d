import { type Data, Decimal, makeData, Vector } from "apache-arrow";
import { describe, expect, it } from "vitest";
import { add } from "../../src/columns/compute/add.js";
import { multiply } from "../../src/columns/compute/multiply.js";

// More rows than one call of the program computes.
const ROWS = 20_001;

/** Decimals of 128 bits in chunks of these lengths; a null cell may hold any units. */
function decimals(values: readonly (bigint | null)[], lengths: readonly number[], precision = 37): Vector {
  let from = 0;
  return new Vector(
    lengths.map((length) => {
      const words = new BigInt64Array(length * 2);
      const nullBitmap = new Uint8Array((length + 7) >> 3);
      for (let i = 0; i < length; i++) {
        const value = values[from + i];
        words[2 * i] = BigInt.asIntN(64, value ?? -5n);
        words[2 * i + 1] = (value ?? 3n) >> 64n;
        if (value !== null) nullBitmap[i >> 3] |= 1 << (i & 7);
      }
      from += length;
      const data = new Uint32Array(words.buffer);
      return makeData({ type: new Decimal(2, precision, 128), length, data, nullBitmap });
    }),
  );
}

function units(vector: Vector): (bigint | null)[] {
  return (vector.data as readonly Data[]).flatMap((data) => {
    const { buffer, byteOffset } = data.values as Uint32Array;
    const words = new BigUint64Array(buffer, byteOffset, data.length * 2);
    return Array.from({ length: data.length }, (_, i) => {
      const value = BigInt.asIntN(128, words[2 * i] | (words[2 * i + 1] << 64n));
      // Cells that are null hold 0, so that equal columns have equal bytes.
      return data.getValid(i) ? value : value === 0n ? null : -1n;
    });
  });
}

describe("sums of many decimals", () => {
  it("are those of their units, with nulls, in chunks of any length", () => {
    let state = 11n;
    const next = (): bigint => {
      state = (state * 6364136223846793005n + 1442695040888963407n) % 2n ** 64n;
      return state;
    };
    const value = (): bigint | null => {
      const size = next() % 7n === 0n ? 2n ** 120n : 2n ** 50n;
      return next() % 9n === 0n ? null : ((next() << 60n) % size) * (next() % 2n === 0n ? 1n : -1n);
    };
    const left = Array.from({ length: ROWS }, value);
    const right = Array.from({ length: ROWS }, value);
    const place = { column: "x", method: "add()" };
    const [a, b] = [decimals(left, [9_000, 1, ROWS - 9_001]), decimals(right, [ROWS])];
    const sums = (sign: bigint) => left.map((x, i) => (x === null || right[i] === null ? null : x + sign * right[i]));
    expect(units(add(a, b, 1, place))).toEqual(sums(1n));
    expect(units(add(a, b, -1, place))).toEqual(sums(-1n));
    expect(units(add(a, "-1.5", -1, place))).toEqual(left.map((x) => (x === null ? null : x + 150n)));
  });
});

describe("products of many decimals", () => {
  it("are those of their units, at the borders of 64 bits too", () => {
    const sizes = [0n, 1n, 3n, 2n ** 31n, 2n ** 32n - 1n, 2n ** 53n, 2n ** 62n + 7n, 2n ** 63n - 1n];
    const borders = sizes
      .flatMap((size) => [size, -size])
      .concat(-(2n ** 63n), 2n ** 63n, 10n ** 19n - 1n, -(2n ** 63n) - 1n);
    const cycle = (step: number): (bigint | null)[] =>
      Array.from({ length: ROWS }, (_, i) => (i % 23 === step ? null : borders[Math.floor(i / step) % borders.length]));
    const [left, right] = [cycle(1), cycle(borders.length)];
    const place = { column: "x", method: "mul()" };
    const [a, b] = [decimals(left, [9_000, 1, ROWS - 9_001], 19), decimals(right, [ROWS], 19)];
    const products = left.map((x, i) => (x === null || right[i] === null ? null : x * right[i]));
    const product = multiply(a, b, place);
    expect(String(product.type)).toBe(String(new Decimal(4, 38, 128)));
    expect(units(product)).toEqual(products);
    expect(units(multiply(a, "-1.5", place))).toEqual(left.map((x) => (x === null ? null : x * -15n)));
  });

  it("name the row of one that does not fit", () => {
    const large = Array.from({ length: ROWS }, (_, i) => (i === 17_003 ? 10n ** 37n : 12n));
    const place = { column: "x", method: "mul()" };
    const run = () => multiply(decimals(large, [10_000, ROWS - 10_000], 19), decimals(large, [ROWS], 19), place);
    expect(run).toThrow(expect.objectContaining({ code: "Overflow", row: 17_003 }));
  });
});
