import fc from "fast-check";
import { expect, it } from "vitest";
import { DATE_BYTES, formatDate, writeDate } from "../../src/value/date.js";
import { decimalText } from "../../src/value/decimal.js";
import { formatNumber, NUMBER_BYTES, writeNumber } from "../../src/value/number.js";
import { TIMESTAMP_BYTES, writeTimestamp } from "../../src/value/timestamp.js";
import { decimalWidth, WIDEST_SCALE, writeDecimal } from "../../src/value/write-decimal.js";
import { forAll } from "../support/for-all.js";
import { runs } from "../support/whole.js";

const START = 3;
const UNTOUCHED = 0xee;

/**
 * What a writer puts into a buffer of just its room; undefined where it leaves the value to text. Nothing outside is
 * touched.
 */
function written(room: number, write: (out: Uint8Array, at: number) => number): string | undefined {
  const out = Buffer.alloc(START + room + 5, UNTOUCHED);
  const end = write(out, START);
  expect([...out.subarray(0, START), ...out.subarray(START + room)].every((byte) => byte === UNTOUCHED)).toBe(true);
  if (end < 0) return undefined;
  expect(end).toBeLessThanOrEqual(START + room);
  return out.toString("latin1", START, end);
}

/** Whole numbers of any size, as often short as long. */
const units = (bits: number) =>
  fc
    .integer({ min: 1, max: bits - 1 })
    .chain((size) => fc.bigInt({ min: -(2n ** BigInt(size)), max: 2n ** BigInt(size) - 1n }));

function wordsOf(value: bigint, count: number): Uint32Array {
  return Uint32Array.from({ length: count }, (_, i) => Number((value >> BigInt(32 * i)) & 0xffff_ffffn));
}

it.each([1, 2, 4, 8])("a decimal of %i times 32 bits is written as its text", (count) => {
  const edges = [
    0n,
    1n,
    -1n,
    10n ** 9n,
    -(10n ** 9n),
    2n ** 31n - 1n,
    -(2n ** 31n),
    2n ** 53n,
    -(2n ** 53n),
    10n ** 18n,
  ];
  const fits = edges.filter((value) => BigInt.asIntN(32 * count, value) === value);
  const ends = [2n ** BigInt(32 * count - 1) - 1n, -(2n ** BigInt(32 * count - 1))];
  forAll(
    runs(5_000),
    fc.oneof(units(32 * count), fc.constantFrom(...fits, ...ends)),
    fc.nat(WIDEST_SCALE),
    (value, scale) => {
      const words = wordsOf(value, count);
      const text = written(decimalWidth(count, scale), (out, at) => writeDecimal(words, 0, count, scale, out, at));
      expect(text).toBe(decimalText(words, 0, count, scale));
    },
  );
});

it("a double is written as its text, or left to it; a price never is", () => {
  const price = fc.tuple(fc.integer({ min: -1e9, max: 1e9 }), fc.nat(6)).map(([value, places]) => value / 10 ** places);
  const any = fc.oneof(fc.double(), fc.double({ min: -1e16, max: 1e16 }), fc.constantFrom(-0, 1e15, 1e-6, 1e-7, 1e21));
  const text = (value: number) => written(NUMBER_BYTES, (out, at) => writeNumber(value, out, at));
  forAll(runs(20_000), any, (value) => {
    expect([undefined, formatNumber(value)]).toContain(text(value));
  });
  forAll(runs(20_000), price, (value) => {
    expect(text(value)).toBe(Object.is(value, -0) ? undefined : formatNumber(value));
  });
});

it("a date is written as its text; years beyond four digits are left to it", () => {
  const day = fc.oneof(
    fc.integer({ min: -719_600, max: 2_933_000 }),
    fc.integer({ min: -40_000, max: 40_000 }),
    fc.integer(),
  );
  forAll(runs(20_000), day, (days) => {
    const text = formatDate(days);
    const expected = text.length === DATE_BYTES ? text : undefined;
    expect(written(DATE_BYTES, (out, at) => writeDate(days, out, at))).toBe(expected);
  });
});

it("a timestamp is written as ISO 8601 in UTC, its fraction in groups of three digits", () => {
  const seconds = fc.integer({ min: -62_167_219_200, max: 253_402_300_799 });
  const [digits, unit] = [fc.constantFrom(0, 3, 6, 9), fc.constantFrom(1, 10, 1_000, 100_000, 1_000_000)];
  forAll(runs(20_000), seconds, fc.nat(999_999_999), digits, unit, (whole, some, width, step) => {
    const fraction = (some * step) % 10 ** width;
    const text = written(TIMESTAMP_BYTES, (out, at) => writeTimestamp(whole, fraction, width, out, at));
    const rest = String(fraction)
      .padStart(width, "0")
      .replace(/(?:000)+$/, "");
    const expected = `${new Date(whole * 1000).toISOString().slice(0, 19)}${fraction === 0 ? "" : `.${rest}`}Z`;
    expect(text).toBe(expected);
  });
  expect(written(TIMESTAMP_BYTES, (out, at) => writeTimestamp(253_402_300_800, 0, 0, out, at))).toBeUndefined();
});
