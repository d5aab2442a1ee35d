import fc from "fast-check";
import { deltaBinaryUnpack } from "hyparquet/src/delta.js";
import { ByteWriter } from "hyparquet-writer";
import { deltaBinaryPack } from "hyparquet-writer/src/delta.js";
import { describe, expect, it } from "vitest";
import { deltaPacked } from "../../src/columns/delta-packed.js";

// Parquet's encoding DELTA_BINARY_PACKED, judged by another reader and by another writer.

function read(bytes: Uint8Array, out: Int32Array | BigInt64Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const reader = { view, offset: 0 };
  deltaBinaryUnpack(reader, out.length, out);
  expect(reader.offset).toBe(bytes.length);
}

const LIMIT = 2 ** 51;
const near = fc.integer({ min: -1000, max: 1000 });
const exact = fc.oneof(
  near,
  fc.integer(),
  fc.maxSafeInteger().map((value) => Math.trunc(value / 4)),
);
const listOf = <T>(value: fc.Arbitrary<T>) => fc.array(value, { maxLength: 400, size: "max" });

describe("whole numbers in differences", () => {
  it("doubles come back as they were, in the bytes another writer makes", () => {
    fc.assert(
      fc.property(listOf(exact), (values) => {
        const bytes = deltaPacked(Float64Array.from(values)).slice();
        const back = new BigInt64Array(values.length);
        if (values.length > 0) read(bytes, back);
        expect([...back]).toEqual(values.map(BigInt));
        const writer = new ByteWriter();
        deltaBinaryPack(writer, values.map(BigInt), "INT64");
        if (values.length > 0) expect(bytes).toEqual(writer.getBytes());
      }),
    );
  });

  it("32-bit numbers come back, over the whole range", () => {
    const any = fc.oneof(near, fc.integer(), fc.constantFrom(-(2 ** 31), 2 ** 31 - 1, 0, -1));
    fc.assert(
      fc.property(listOf(any), (values) => {
        const given = Int32Array.from(values);
        const bytes = deltaPacked(Float64Array.from(given), true).slice();
        const back = new Int32Array(values.length);
        if (values.length > 0) read(bytes, back);
        expect(back).toEqual(given);
      }),
    );
  });

  it.each([1, 2, 32, 33, 34, 128, 129, 130, 160, 161, 257, 70_000])(
    "%i numbers from end to end of the range",
    (length) => {
      const given = Float64Array.from({ length }, (_, i) => (i % 3 === 0 ? LIMIT : i % 3 === 1 ? -LIMIT : i));
      const back = new BigInt64Array(length);
      read(deltaPacked(given).slice(), back);
      expect([...back]).toEqual([...given].map(BigInt));
    },
  );
});
