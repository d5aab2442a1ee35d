import {
  Bool,
  DateDay,
  Decimal,
  Dictionary,
  Field,
  Float64,
  Int32,
  Int64,
  makeData,
  Schema,
  Table,
  TimestampMillisecond,
  Utf8,
  type Vector,
  vectorFromArray,
} from "apache-arrow";
import fc from "fast-check";
import { recordBatch } from "../../src/columns/arrow/record-batch.js";

/** A vector of exact decimals from unscaled values. */
export function decimals(precision: number, scale: number, values: readonly (bigint | null)[], bits = 128): Vector {
  const words = bits / 32;
  const data = new Uint32Array(values.length * words);
  const nullBitmap = new Uint8Array((values.length + 7) >> 3);
  let nullCount = 0;
  values.forEach((value, i) => {
    if (value === null) {
      nullCount++;
      return;
    }
    nullBitmap[i >> 3] |= 1 << (i & 7);
    for (let w = 0; w < words; w++) data[i * words + w] = Number(BigInt.asUintN(32, value >> BigInt(32 * w)));
  });
  const type = new Decimal(scale, precision, bits);
  const column = makeData({ type, length: values.length, nullCount, data, nullBitmap });
  const batch = recordBatch(new Schema([new Field("d", type, true)]), [column], values.length);
  return batch.getChildAt(0) as Vector;
}

/** Five rows of every column type, with nulls and extreme values inside what all engines store. */
export const everyType = (): Table =>
  new Table({
    text: vectorFromArray(
      ["plain", null, "", 'quoted "x", ünïcode, longer than twelve bytes', "a\u0000b\\n"],
      new Utf8(),
    ),
    word: vectorFromArray(["AAPL", "MSFT", null, "AAPL", ""], new Dictionary(new Utf8(), new Int32())),
    date: vectorFromArray([0, null, 951782400000, -2208988800000, 10413705600000], new DateDay()),
    double: vectorFromArray([0.1, null, -0, 1e308, 5e-324], new Float64()),
    whole: vectorFromArray([1n, null, -(2n ** 63n), 2n ** 63n - 1n, 0n], new Int64()),
    flag: vectorFromArray([true, null, false, true, false], new Bool()),
    at: vectorFromArray([0, null, 1461240096123, -2208988800000, 10413791999999], new TimestampMillisecond("UTC")),
    small: decimals(4, 2, [1234n, null, -9999n, 0n, 1n]),
    money: decimals(15, 4, [1234567n, null, -1n, 0n, 999999999999999n]),
    large: decimals(38, 18, [12345678901234567890123456789012345678n, null, -1n, 0n, 1n]),
    wide: decimals(50, 28, [12345678901234567890123456789012345678901234567890n, null, -5n, 0n, 1n], 256),
  });

const maybe = <T>(values: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(values, { freq: 4 });
const unscaled = (digits: number): fc.Arbitrary<bigint> => {
  const most = 10n ** BigInt(digits) - 1n;
  return fc.oneof(fc.bigInt({ min: -most, max: most }), fc.constantFrom(most, -most, 0n, 1n));
};

/** The cells of one row of {@link tableOfRows}. */
export const anyRow = fc.record({
  text: maybe(
    fc.oneof(fc.string({ unit: "grapheme" }), fc.constantFrom("", "'", "\\", "\\N", "NULL", "$1", "a\nb\tc")),
  ),
  word: maybe(fc.constantFrom("AAPL", "MSFT", "")),
  date: maybe(fc.integer({ min: -25_567, max: 120_529 })),
  double: maybe(fc.oneof(fc.double({ noNaN: true }), fc.constantFrom(-0, 5e-324, Number.MAX_VALUE))),
  whole: maybe(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
  flag: maybe(fc.boolean()),
  at: maybe(fc.integer({ min: -2_208_988_800_000, max: 10_413_791_999_999 })),
  small: maybe(unscaled(4)),
  money: maybe(unscaled(15)),
  large: maybe(unscaled(38)),
  wide: maybe(unscaled(50)),
});

/** One row of {@link anyRow}. */
export type AnyCells = typeof anyRow extends fc.Arbitrary<infer Row> ? Row : never;

/** Rows of every column type as an Arrow table. */
export function tableOfRows(rows: readonly AnyCells[]): Table {
  const of = <K extends keyof AnyCells>(name: K): AnyCells[K][] => rows.map((row) => row[name]);
  const days = of("date").map((day) => (day === null ? null : day * 86_400_000));
  return new Table({
    text: vectorFromArray(of("text"), new Utf8()),
    word: vectorFromArray(of("word"), new Dictionary(new Utf8(), new Int32())),
    date: vectorFromArray(days, new DateDay()),
    double: vectorFromArray(of("double"), new Float64()),
    whole: vectorFromArray(of("whole"), new Int64()),
    flag: vectorFromArray(of("flag"), new Bool()),
    at: vectorFromArray(of("at"), new TimestampMillisecond("UTC")),
    small: decimals(4, 2, of("small")),
    money: decimals(15, 4, of("money")),
    large: decimals(38, 18, of("large")),
    wide: decimals(50, 28, of("wide"), 256),
  });
}
