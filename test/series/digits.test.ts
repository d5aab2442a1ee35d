import fc from "fast-check";
import { expect, it } from "vitest";
import { roundDigits, rounderOf } from "../../src/series/core/digits.js";
import { forAll } from "../support/for-all.js";
import { runs } from "../support/whole.js";

const bits = new DataView(new ArrayBuffer(8));

/** The exact value of a double as a fraction of whole numbers. */
function fraction(value: number): { top: bigint; bottom: bigint } {
  bits.setFloat64(0, Math.abs(value));
  const raw = bits.getBigUint64(0);
  const exponent = Number(raw >> 52n);
  const mantissa = (raw & ((1n << 52n) - 1n)) | (exponent === 0 ? 0n : 1n << 52n);
  const power = Math.max(exponent, 1) - 1075;
  return power >= 0 ? { top: mantissa << BigInt(power), bottom: 1n } : { top: mantissa, bottom: 1n << BigInt(-power) };
}

/** `printf("%.14g")` read back, by whole numbers alone. */
function byHand(value: number, digits: number): number {
  if (value === 0 || !Number.isFinite(value)) return value;
  const { top, bottom } = fraction(value);
  const exponent = exponentOf(top, bottom, Number(value.toExponential(0).split("e")[1]));
  const shift = digits - 1 - exponent;
  const n = shift >= 0 ? top * 10n ** BigInt(shift) : top;
  const d = shift >= 0 ? bottom : bottom * 10n ** BigInt(-shift);
  let whole = n / d;
  const twice = 2n * (n % d);
  if (twice > d || (twice === d && whole % 2n === 1n)) whole += 1n;
  return Number(`${value < 0 ? "-" : ""}${whole}e${-shift}`);
}

/** floor(log10(top / bottom)), from a guess nearby. */
function exponentOf(top: bigint, bottom: bigint, guess: number): number {
  const atLeast = (e: number): boolean =>
    e >= 0 ? top >= bottom * 10n ** BigInt(e) : top * 10n ** BigInt(-e) >= bottom;
  let exponent = guess;
  while (!atLeast(exponent)) exponent--;
  while (atLeast(exponent + 1)) exponent++;
  return exponent;
}

it.each([
  [100.03 - 100, 0.030000000000001],
  [100000000000005, 100000000000000], // a tie goes to the even digit
  [100000000000015, 100000000000020],
  [-100000000000025, -100000000000020],
  [2 / 3, 0.66666666666667],
  [1e-300, 1e-300],
  [5e-324, 5e-324],
  [1.7976931348623157e308, 1.7976931348623e308],
  [0, 0],
  [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
])("%d to 14 digits is %d", (value, expected) => {
  expect(roundDigits(value, 14)).toBe(expected);
});

const doubles = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e300, max: 1e300 }),
  fc.double({ noNaN: true, min: -1, max: 1 }),
  fc.tuple(fc.integer({ min: -1e6, max: 1e6 }), fc.integer({ min: 1, max: 1e6 })).map(([a, b]) => a / b),
  fc.bigInt({ min: 10n ** 13n, max: 10n ** 15n }).map((n) => Number(n) + 0.5),
  fc.bigInt({ min: 10n ** 12n, max: 10n ** 14n }).map((n) => Number(n * 10n + 5n)),
);

it("in arrays, what is not finite becomes NaN and is counted", () => {
  const values = Float64Array.of(1 / 3, Number.NaN, Number.POSITIVE_INFINITY, 0, Number.NEGATIVE_INFINITY);
  expect(rounderOf(values, 3)(0, 4)).toBe(2);
  expect([...values]).toEqual([0.333, Number.NaN, Number.NaN, 0, Number.NEGATIVE_INFINITY]);
});

it("rounds any double as exact arithmetic does, alone and in arrays", () => {
  forAll(
    runs(2000),
    fc.array(doubles, { minLength: 1, maxLength: 20 }),
    fc.integer({ min: 1, max: 15 }),
    (values, digits) => {
      const expected = values.map((value) => byHand(value, digits));
      const all = Float64Array.from(values);
      rounderOf(all, digits)(0, all.length);
      expect(values.map((value) => roundDigits(value, digits))).toEqual(expected);
      expect([...all]).toEqual(expected);
    },
  );
});

it("rounds in arrays as alone: any bits, neighbours of powers of ten, halves of the last digit", () => {
  const anyBits = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((raw) => {
    bits.setBigUint64(0, raw);
    return bits.getFloat64(0);
  });
  const nearPowers = fc
    .tuple(fc.integer({ min: -323, max: 308 }), fc.bigInt({ min: -3n, max: 3n }))
    .map(([k, step]) => {
      bits.setFloat64(0, Number(`1e${k}`));
      bits.setBigUint64(0, bits.getBigUint64(0) + (k === -323 ? 0n : step));
      return bits.getFloat64(0);
    });
  const halves = fc
    .tuple(fc.bigInt({ min: 1n, max: 10n ** 15n }), fc.integer({ min: -16, max: 23 }))
    .map(([whole, k]) => Number(`${whole}5e${k - 1}`));
  const values = fc.array(fc.oneof(anyBits, nearPowers, halves, fc.constantFrom(0, -0)), { maxLength: 50 });
  forAll({ numRuns: runs(3000), seed: 1 }, values, fc.integer({ min: 1, max: 15 }), (given, digits) => {
    const all = Float64Array.from(given);
    rounderOf(all, digits)(0, all.length);
    expect([...all]).toEqual(given.map((v) => (Number.isFinite(v) ? roundDigits(v, digits) : Number.NaN)));
  });
});
