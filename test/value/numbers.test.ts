import fc from "fast-check";
import { expect, it } from "vitest";
import { DECIMAL_OK, readDecimal, unscaled } from "../../src/value/decimal.js";
import { readNumber } from "../../src/value/number.js";
import { forAll } from "../support/for-all.js";
import { runs } from "../support/whole.js";

const bytes = (text: string): Uint8Array => Buffer.from(text);

/** A number of up to 24 digits with a point anywhere, and how many digits follow it. */
const plain = fc.tuple(fc.boolean(), fc.stringMatching(/^\d{1,24}$/), fc.nat(23)).map(([negative, digits, places]) => {
  const fraction = Math.min(places, digits.length - 1);
  const whole = digits.slice(0, digits.length - fraction);
  const rest = digits.slice(digits.length - fraction);
  return `${negative ? "-" : ""}${whole}${fraction > 0 ? `.${rest}` : ""}`;
});

const float = (text: string): number | undefined => readNumber(bytes(text), 0, text.length);

it("reads the nearest double of any plain number", () => {
  forAll(runs(20_000), plain, (text) => {
    expect(float(text)).toBe(Number(text));
  });
});

it("reads back what a double prints as, and its neighbours one digit further", () => {
  const double = fc.double({ min: -1e15, max: 1e15, noNaN: true });
  forAll(runs(20_000), double, fc.stringMatching(/^\d{0,3}$/), (value, more) => {
    const text = value.toFixed(Math.min(20, Math.max(1, 17 - Math.ceil(Math.log10(Math.abs(value) + 1))))) + more;
    expect(float(text)).toBe(Number(text));
    if (!/e/.test(String(value)) && value !== 0) expect(float(String(value))).toBe(value);
  });
});

it("decides between two doubles right next to the midpoint between them", () => {
  const odd = fc.bigInt({ min: 2n ** 53n, max: 2n ** 59n - 1n });
  forAll(runs(20_000), odd, fc.integer({ min: -3, max: 3 }), fc.nat(17), (near, step, fraction) => {
    // Above 2^53 the middles are whole numbers: this goes to one, a few units off, and past the point.
    const size = BigInt(near.toString(2).length - 53);
    const middle = ((near >> size) << size) + (1n << (size - 1n)) + BigInt(step);
    const digits = middle.toString();
    const places = Math.min(fraction, digits.length - 1);
    const text = `${digits.slice(0, digits.length - places)}.${digits.slice(digits.length - places)}0`;
    expect(float(text)).toBe(Number(text));
    expect(float(digits)).toBe(Number(digits));
  });
});

it("stores decimals of up to 38 digits exactly", () => {
  const number = fc.tuple(fc.boolean(), fc.stringMatching(/^\d{1,38}$/), fc.nat(37), fc.nat(12));
  forAll(runs(20_000), number, ([negative, digits, places, more]) => {
    const fraction = Math.min(places, digits.length - 1);
    const whole = digits.slice(0, digits.length - fraction);
    const text = `${negative ? "-" : ""}${whole}${fraction > 0 ? `.${digits.slice(digits.length - fraction)}` : ""}`;
    const zeros = Math.min(more, 38 - digits.length);
    const expected = BigInt(digits) * 10n ** BigInt(zeros) * (negative ? -1n : 1n);
    const words = new Int32Array(12).fill(-7);
    const scale = fraction + zeros;
    expect(readDecimal(bytes(text), 0, text.length, { words, stride: 4, precision: 38, scale, round: false }, 1)).toBe(
      DECIMAL_OK,
    );
    expect(unscaled(words, 4, 4)).toBe(expected);
    expect([words[3], words[8]]).toEqual([-7, -7]);
  });
});
