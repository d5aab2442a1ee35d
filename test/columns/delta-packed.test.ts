import fc from "fast-check";
import { deltaBinaryUnpack } from "hyparquet/src/delta.js";
import { ByteWriter } from "hyparquet-writer";
import { deltaBinaryPack } from "hyparquet-writer/src/delta.js";
import { writeRleBitPackedHybrid } from "hyparquet-writer/src/encoding.js";
import { describe, expect, it } from "vitest";
import { deltaUnpacked } from "../../src/columns/parquet/read/delta.js";
import { hybridRuns } from "../../src/columns/parquet/read/hybrid-runs.js";
import { deltaPacked } from "../../src/columns/parquet/write/delta.js";

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
  fc.maxSafeInteger().map((value) => Math.trunc(value / 4) + 0),
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

describe("whole numbers out of differences", () => {
  it("are those that went in, by our own writer and by another", () => {
    fc.assert(
      fc.property(listOf(exact), (values) => {
        const given = Float64Array.from(values);
        if (values.length === 0) return;
        expect(deltaUnpacked(deltaPacked(given).slice(), values.length)).toEqual(given);
        const writer = new ByteWriter();
        deltaBinaryPack(writer, values.map(BigInt), "INT64");
        expect(deltaUnpacked(writer.getBytes(), values.length)).toEqual(given);
      }),
    );
    const ends = Float64Array.of(2 ** 31 - 1, -(2 ** 31), 0, 2 ** 31 - 1);
    expect(deltaUnpacked(deltaPacked(ends, true).slice(), 4, true)).toEqual(ends);
  });

  it("are left to others where doubles do not hold them", () => {
    const far = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    fc.assert(
      fc.property(fc.array(fc.oneof(far, exact.map(BigInt)), { minLength: 1, maxLength: 300 }), (values) => {
        const writer = new ByteWriter();
        deltaBinaryPack(writer, values, "INT64");
        const read = deltaUnpacked(writer.getBytes(), values.length);
        if (read !== undefined) expect([...read].map(BigInt)).toEqual(values);
        else expect(values.some((value) => value > LIMIT || value < -LIMIT)).toBe(true);
      }),
    );
  });

  it.each([
    [-(2n ** 52n) - 1n],
    [-(2n ** 52n) - 1n, -(2n ** 52n) - 3n, -(2n ** 52n) - 3n],
    [0n, -(2n ** 52n) - 1n],
    [0n, -(2n ** 52n) - 2n],
    [0n, 2n ** 52n + 1n],
    [2n ** 53n],
    [-(2n ** 53n), 5n],
  ])("at the border of what doubles hold: %s", (...values) => {
    const writer = new ByteWriter();
    deltaBinaryPack(writer, values, "INT64");
    const read = deltaUnpacked(writer.getBytes(), values.length);
    expect(read === undefined ? values : [...read].map(BigInt)).toEqual(values);
  });

  it("cut anywhere they are an error, and any bytes come to an end", () => {
    const bytes = deltaPacked(Float64Array.from({ length: 300 }, (_, i) => (i * i) % 977)).slice();
    for (let cut = 0; cut < bytes.length; cut++) expect(() => deltaUnpacked(bytes.subarray(0, cut), 300)).toThrow();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.nat(500), (any, count) => {
        for (const read of [() => deltaUnpacked(any, count), () => hybridRuns(any, any[0] ?? 0, count)]) {
          try {
            read();
          } catch (error) {
            expect(error).toBeInstanceOf(Error);
          }
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe("runs and packed bits", () => {
  it.each([0, 1, 2, 3, 7, 8, 9, 15, 16, 20, 24])("numbers of %i bits are those that went in", (width) => {
    const value = fc.oneof(fc.constant(0), fc.nat(2 ** width - 1));
    fc.assert(
      fc.property(fc.array(fc.tuple(value, fc.integer({ min: 1, max: 20 })), { maxLength: 60 }), (runs) => {
        const values = runs.flatMap(([number, times]) => new Array<number>(times).fill(number));
        const writer = new ByteWriter();
        writeRleBitPackedHybrid(writer, values, width);
        const bytes = writer.getBytes();
        expect([...hybridRuns(bytes, width, values.length)]).toEqual(values);
      }),
    );
  });

  it("numbers of 25 to 32 bits, packed by hand", () => {
    for (let width = 25; width <= 32; width++) {
      const values = Array.from({ length: 16 }, (_, i) => Math.floor((2 ** width - 1) / (i + 1)));
      let all = 0n;
      for (const [i, value] of values.entries()) all |= BigInt(value) << BigInt(i * width);
      const bytes = Uint8Array.from({ length: 2 * width }, (_, i) => Number((all >> BigInt(8 * i)) & 255n));
      expect([...hybridRuns(Uint8Array.of(5, ...bytes), width, 16)].map((value) => value >>> 0)).toEqual(values);
      expect(() => hybridRuns(Uint8Array.of(5, ...bytes.subarray(1)), width, 16)).toThrow("ends early");
    }
  });
});
