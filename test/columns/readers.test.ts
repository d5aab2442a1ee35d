import { describe, expect, it } from "vitest";
import { DateDay, Decimal, makeData, makeVector, Vector } from "../../src/columns/arrow/arrow.js";
import { columnsOf, schemaOf } from "../../src/columns/arrow/schema.js";
import {
  cellAt,
  cellText,
  vectorToBigInts,
  vectorToDates,
  vectorToNumbers,
  vectorToStrings,
} from "../../src/columns/arrow/vector-values.js";
import { unscaledText } from "../../src/value/decimal.js";
import { columnSpecs } from "../support/column-specs.js";

const decimals = (values: readonly (bigint | null)[], bits: 128 | 256, precision: number, scale: number): Vector => {
  const count = bits / 32;
  const words = new Uint32Array(values.length * count);
  const bitmap = new Uint8Array((values.length + 7) >> 3);
  values.forEach((value, i) => {
    if (value === null) return;
    bitmap[i >> 3] |= 1 << (i & 7);
    for (let w = 0; w < count; w++) words[i * count + w] = Number(BigInt.asUintN(32, value >> BigInt(32 * w)));
  });
  return makeVector(
    makeData({ type: new Decimal(scale, precision, bits), length: values.length, data: words, nullBitmap: bitmap }),
  );
};

describe("decimals over raw buffers", () => {
  const values = [0n, 1n, -1n, null, 30055n, -35n, 10n ** 37n, -(10n ** 37n) + 7n, 2n ** 64n, -(2n ** 63n)];
  for (const bits of [128, 256] as const) {
    it(`reads ${bits} bits exactly, sliced and in chunks`, () => {
      const one = decimals(values, bits, bits === 128 ? 38 : 76, 4);
      const vector = new Vector([...one.slice(2, 7).data, ...one.data]);
      const expected = [...values.slice(2, 7), ...values];
      expect(vectorToBigInts(vector)).toEqual(expected);
      expect(vectorToStrings(vector)).toEqual(expected.map((v) => (v === null ? null : unscaledText(v.toString(), 4))));
      expect([...vectorToNumbers(vector)]).toEqual(expected.map((v) => (v === null ? Number.NaN : Number(`${v}e-4`))));
      expect(expected.map((_, i) => cellText(vector, i))).toEqual(vectorToStrings(vector));
      expect(cellAt(vector, 1)).toBe(null);
      expect(cellAt(vector, 2)).toBe(3.0055);
    });
  }
});

it("dates are days, not timestamps", () => {
  const vector = makeVector(makeData({ type: new DateDay(), length: 3, data: Int32Array.of(-719_162, 0, 2_932_896) }));
  expect(vectorToStrings(vector)).toEqual(["0001-01-01", "1970-01-01", "9999-12-31"]);
  expect(vectorToDates(vector)[1]).toEqual(new Date(0));
  expect(cellAt(vector, 0)).toBe("0001-01-01");
});

it("a schema carries the service's own type names", () => {
  const columns = columnSpecs({
    ticker: "String",
    close: "BigDecimal(15,4)",
    wide: "bigdecimal(50,28)",
    when: "DateTime",
  });
  const schema = schemaOf(columns);
  expect(columnsOf(schema)).toEqual(columns);
  expect(schema.fields.map((f) => String(f.type))).toEqual([
    "Dictionary<Int32, Utf8>",
    "Decimal[15e+4]",
    "Decimal[50e+28]",
    "Timestamp<MILLISECOND, UTC>",
  ]);
});
