import { Utf8, vectorFromArray } from "apache-arrow";
import fc from "fast-check";
import { deltaBinaryUnpack } from "hyparquet/src/delta.js";
import { ByteWriter } from "hyparquet-writer";
import { deltaBinaryPack } from "hyparquet-writer/src/delta.js";
import { writeRleBitPackedHybrid } from "hyparquet-writer/src/encoding.js";
import { describe, expect, it } from "vitest";
import {
  decodeBigEndian,
  decodeDelta,
  decodeHybrid,
  decodeWidened,
} from "../../src/columns/parquet/read/decode/decoders.js";
import { ParquetFault } from "../../src/columns/parquet/read/format/fault.js";
import { deltaPacked } from "../../src/columns/parquet/write/delta.js";
import { hybridPacked, levelsOf } from "../../src/columns/parquet/write/levels.js";
import { encodeTexts } from "../../src/columns/parquet/write/texts.js";
import { unscaled } from "../../src/value/decimal.js";
import { forAll } from "../support/for-all.js";
import { runs } from "../support/whole.js";
import { PlainDecoders } from "./plain-decoders.js";

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
  it("doubles round-trip, in the bytes that another writer makes", () => {
    forAll(runs(100), listOf(exact), (values) => {
      const bytes = deltaPacked(Float64Array.from(values)).slice();
      const back = new BigInt64Array(values.length);
      if (values.length > 0) read(bytes, back);
      expect([...back]).toEqual(values.map(BigInt));
      const writer = new ByteWriter();
      deltaBinaryPack(writer, values.map(BigInt), "INT64");
      if (values.length > 0) expect(bytes).toEqual(writer.getBytes());
    });
  });

  it("32-bit numbers round-trip over the whole range", () => {
    const any = fc.oneof(near, fc.integer(), fc.constantFrom(-(2 ** 31), 2 ** 31 - 1, 0, -1));
    forAll(runs(100), listOf(any), (values) => {
      const given = Int32Array.from(values);
      const bytes = deltaPacked(Float64Array.from(given), true).slice();
      const back = new Int32Array(values.length);
      if (values.length > 0) read(bytes, back);
      expect(back).toEqual(given);
    });
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

type Decoders = Pick<PlainDecoders, "bigEndian" | "delta" | "hybrid" | "widened">;

const fast: Decoders = {
  bigEndian: decodeBigEndian,
  delta: decodeDelta,
  hybrid: decodeHybrid,
  widened: decodeWidened,
};
const plain: Decoders = new PlainDecoders();
const both: readonly [name: string, decoders: Decoders][] = [
  ["WebAssembly", fast],
  ["JavaScript", plain],
];

/** Words of 32 bits as integers. */
const integersOf = (words: Int32Array, stride: number): bigint[] =>
  Array.from({ length: words.length / stride }, (_, i) => unscaled(words, i * stride, stride));

/** A result, or that there was none. */
const outcome = <T>(run: () => T): T | "fault" => {
  try {
    return run();
  } catch (error) {
    expect(error).toBeInstanceOf(ParquetFault);
    return "fault";
  }
};

const far = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const integer = fc.oneof(far, exact.map(BigInt), fc.constantFrom(-(2n ** 63n), 2n ** 63n - 1n, 2n ** 53n, 0n));

describe.each(both)("whole numbers out of differences, in %s", (_, decoders) => {
  const read = decoders.delta.bind(decoders);

  it.each([2, 4, 8])("are those that went in, in %i times 32 bits", (words) => {
    forAll(runs(100), listOf(integer), (values) => {
      if (values.length === 0) return;
      const writer = new ByteWriter();
      deltaBinaryPack(writer, values, "INT64");
      const bytes = writer.getBytes();
      const { words: found, bytes: used } = read(bytes, values.length, { words, narrow: false, unsigned: false });
      expect(integersOf(found, words)).toEqual(values);
      expect(used).toBe(bytes.length);
    });
  });

  it("by our own writer, 32 bits wrapping around, with or without a sign", () => {
    forAll(runs(100), listOf(fc.oneof(near, fc.integer())), (values) => {
      if (values.length === 0) return;
      const bytes = deltaPacked(Float64Array.from(values), true).slice();
      for (const words of [1, 2, 4]) {
        const signed = read(bytes, values.length, { words, narrow: true, unsigned: false }).words;
        expect(integersOf(signed, words)).toEqual(values.map(BigInt));
        if (words === 1) continue;
        const unsigned = read(bytes, values.length, { words, narrow: true, unsigned: true }).words;
        expect(integersOf(unsigned, words)).toEqual(values.map((value) => BigInt(value >>> 0)));
      }
    });
  });

  it("truncated anywhere they are an error", () => {
    const bytes = deltaPacked(Float64Array.from({ length: 300 }, (_, i) => (i * i) % 977)).slice();
    const layout = { words: 2, narrow: false, unsigned: false };
    for (let cut = 0; cut < bytes.length; cut++) {
      expect(() => read(bytes.subarray(0, cut), 300, layout)).toThrow(ParquetFault);
    }
  });
});

describe.each(both)("runs and packed bits, in %s", (_, decoders) => {
  const read = decoders.hybrid.bind(decoders);

  it.each([0, 1, 2, 3, 7, 8, 9, 15, 16, 20, 24])("numbers of %i bits are those that went in", (width) => {
    const value = fc.oneof(fc.constant(0), fc.nat(2 ** width - 1));
    forAll(runs(100), fc.array(fc.tuple(value, fc.integer({ min: 1, max: 20 })), { maxLength: 60 }), (runs) => {
      const values = runs.flatMap(([number, times]) => new Array<number>(times).fill(number));
      const writer = new ByteWriter();
      writeRleBitPackedHybrid(writer, values, width);
      expect([...read(writer.getBytes(), width, values.length)]).toEqual(values);
      // Our own writer makes the same bytes.
      expect([...hybridPacked(Int32Array.from(values), width)]).toEqual([...writer.getBytes()]);
    });
  });

  it("numbers of 25 to 32 bits, packed by hand", () => {
    for (let width = 25; width <= 32; width++) {
      const values = Array.from({ length: 16 }, (_, i) => Math.floor((2 ** width - 1) / (i + 1)));
      let all = 0n;
      for (const [i, value] of values.entries()) all |= BigInt(value) << BigInt(i * width);
      const bytes = Uint8Array.from({ length: 2 * width }, (_, i) => Number((all >> BigInt(8 * i)) & 255n));
      expect([...read(Uint8Array.of(5, ...bytes), width, 16)].map((value) => value >>> 0)).toEqual(values);
      expect(() => read(Uint8Array.of(5, ...bytes.subarray(1)), width, 16)).toThrow(ParquetFault);
    }
  });
});

describe.each(both)("integers of any width, highest byte first, in %s", (_, decoders) => {
  const read = decoders.bigEndian.bind(decoders);

  it("are those that went in", () => {
    const sized = fc.integer({ min: 1, max: 32 }).chain((width) =>
      fc.tuple(
        fc.constant(width),
        fc.array(fc.bigInt({ min: -(2n ** BigInt(8 * width - 1)), max: 2n ** BigInt(8 * width - 1) - 1n }), {
          maxLength: 40,
        }),
      ),
    );
    forAll(runs(100), sized, ([width, values]) => {
      const bytes = Uint8Array.from(
        values.flatMap((value) =>
          Array.from({ length: width }, (_, k) => Number((value >> BigInt(8 * (width - 1 - k))) & 255n)),
        ),
      );
      const words = [2, 4, 8].find((count) => count * 4 >= width) ?? 8;
      expect(integersOf(read(bytes, width, values.length, words), words)).toEqual(values);
    });
  });
});

it("the bounds of texts are of 16 bytes at most, where there are such, and around all of them", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "~", "é", "\u{ffff}", "\u{10ffff}", "\u0000"), maxLength: 30 });
  forAll(runs(100), fc.array(text, { minLength: 1, maxLength: 20 }), (texts) => {
    const { data } = vectorFromArray(texts, new Utf8());
    const { min, max, minIsCut, maxIsCut } = encodeTexts(data, levelsOf(data, texts.length)).bounds;
    const sorted = texts.map((one) => Buffer.from(one)).sort(Buffer.compare);
    const [first, last] = [sorted[0], sorted[sorted.length - 1]];
    if (min === undefined || max === undefined) throw new Error("There are bounds.");
    expect(Buffer.compare(min, first)).toBe(minIsCut ? -1 : 0);
    expect(Buffer.compare(max, last)).toBe(maxIsCut ? 1 : 0);
    expect(min.length).toBeLessThanOrEqual(16);
    if (maxIsCut) expect(max.length).toBeLessThanOrEqual(16);
    for (const bound of [min, max]) expect(Buffer.from(Buffer.from(bound).toString())).toEqual(Buffer.from(bound));
  });
});

it("any bytes give the same in WebAssembly and in JavaScript, or are refused by both", () => {
  const start = fc.constantFrom([], [128, 1, 4], [8, 1], [128, 1, 4, 200, 1]);
  const bytes = fc
    .tuple(start, fc.uint8Array({ maxLength: 80 }))
    .map(([head, rest]) => Uint8Array.of(...head, ...rest));
  forAll(
    runs(3_000),
    bytes,
    fc.nat(300),
    fc.nat(34),
    fc.boolean(),
    fc.boolean(),
    (given, count, width, narrow, unsigned) => {
      for (const words of narrow ? [1, 2, 4] : [2, 4, 8]) {
        const layout = { words, narrow, unsigned };
        const found = (decoders: Decoders) =>
          outcome(() => {
            const { words, bytes } = decoders.delta(given, count, layout);
            return [[...words], bytes];
          });
        expect(found(fast)).toEqual(found(plain));
      }
      const runs = (decoders: Decoders) => outcome(() => [...decoders.hybrid(given, width, count)]);
      expect(runs(fast)).toEqual(runs(plain));
      const flipped = (decoders: Decoders) => outcome(() => [...decoders.bigEndian(given, width, count % 5, 8)]);
      expect(flipped(fast)).toEqual(flipped(plain));
    },
  );
});
