import { constants, deflateRawSync, inflateRawSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { CHUNK, Inflater } from "../../src/format/inflater.js";
import { Random } from "../fuzz/random.js";
import { isWhole } from "../support/whole.js";
import { canonical, DeflateBits } from "./deflate-bits.js";
import { inflateParts, type Parts } from "./inflate-parts.js";

const random = new Random(5);
const some = (length: number, byte: () => number): Uint8Array => Uint8Array.from({ length }, byte);
const repeated = (text: string, length: number): Uint8Array =>
  Buffer.from(text.repeat(length / text.length + 1)).subarray(0, length);

const csv = Buffer.from(
  Array.from({ length: 1500 }, (_, i) => {
    return `T${i % 7},2024-0${1 + (i % 9)}-1${i % 10},${(random.below(1e6) / 1e4).toFixed(4)},${random.below(1e6)}.0\n`;
  }).join(""),
);
/** Bytes of contents that are as good at any length. */
const LONG = isWhole ? 40_000 : 8_000;
const contents: Record<string, Uint8Array> = {
  nothing: new Uint8Array(0),
  "one byte": Buffer.from("x"),
  csv,
  noise: some(LONG, () => random.below(256)),
  "two symbols": some(LONG, () => random.below(2)),
  zeros: new Uint8Array(70_000),
  // Symbols of very different frequency have codes of up to 15 bits.
  "rare symbols": some(LONG, () => Math.min(255, Math.floor(-Math.log2(1 - random.below(1e9) / 1e9) * 8))),
  "short periods": Buffer.concat(
    Array.from({ length: 40 }, (_, i) =>
      repeated("abcdefghijklmnopqrstuvwxyz0123456789ABCDEF".slice(0, i + 1), LONG / 50),
    ),
  ),
};
const ways: Parts[] = [
  { feed: CHUNK, room: CHUNK },
  { feed: 1, room: CHUNK },
  { feed: 9, room: 1 },
  { feed: 17, room: 336 },
  { feed: 4096, room: 1000 },
];
const LEVELS = isWhole ? [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] : [0, 6, 9];
const strategies = ["Z_DEFAULT_STRATEGY", "Z_FILTERED", "Z_HUFFMAN_ONLY", "Z_RLE", "Z_FIXED"] as const;

/** Whether two byte strings are equal; `toEqual` takes seconds for long ones. */
const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

function zlibMessage(stream: Uint8Array): string | undefined {
  try {
    inflateRawSync(stream);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

describe("what zlib deflates is inflated to the same bytes", () => {
  it.each(strategies)("every level, %s", (strategy) => {
    for (const [name, content] of Object.entries(contents)) {
      for (const level of LEVELS) {
        const stream = deflateRawSync(content, { level, strategy: constants[strategy] });
        // All levels in one way, each way at some level.
        const used = [ways[0], ways[1 + (level % (ways.length - 1))]];
        for (const way of used) {
          const { bytes, consumed, fault } = inflateParts(stream, way);
          const shown = `${name}, level ${level}, fed by ${way.feed}, drained by ${way.room}`;
          expect(fault, shown).toBeUndefined();
          expect(same(bytes, content), shown).toBe(true);
          expect(consumed, shown).toBe(stream.length);
        }
      }
    }
  });

  it.each([9, 10, 11, 12, 13, 14, 15])("windows of 2^%i bytes and small blocks", (windowBits) => {
    for (const memLevel of [1, 5, 9]) {
      const stream = deflateRawSync(csv, { windowBits, memLevel });
      for (const way of ways) expect(same(inflateParts(stream, way).bytes, csv)).toBe(true);
    }
  });

  it("flushed streams: empty stored and fixed blocks between others", () => {
    const parts: Uint8Array[] = [];
    for (const finishFlush of [constants.Z_SYNC_FLUSH, constants.Z_FULL_FLUSH]) {
      parts.push(deflateRawSync(csv.subarray(0, 500), { finishFlush }));
    }
    parts.push(deflateRawSync(Buffer.from("end")));
    const expected = Buffer.concat([csv.subarray(0, 500), csv.subarray(0, 500), Buffer.from("end")]);
    for (const way of ways) expect(same(inflateParts(Buffer.concat(parts), way).bytes, expected)).toBe(true);
  });
});

describe("matches", () => {
  it("of every length and every short distance, and across the edge of the room", () => {
    const bits = new DeflateBits().block(true, 1);
    for (let i = 0; i < 64; i++) bits.fixed(48 + i);
    for (let distance = 1; distance <= 40; distance++) {
      for (const length of [3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 257, 258]) {
        bits.match(length, distance).fixed(97 + (distance % 26));
      }
    }
    const stream = bits.fixed(256).bytes();
    const expected = inflateRawSync(stream);
    for (const room of [1, 2, 335, 336, 337, 400, 601, CHUNK]) {
      expect(same(inflateParts(stream, { feed: CHUNK, room }).bytes, expected)).toBe(true);
    }
  });

  it("of every length", () => {
    const bits = new DeflateBits().block(true, 1).fixed(65).fixed(66);
    for (let length = 3; length <= 258; length++) bits.match(length, 2).match(length, 1 + length);
    const stream = bits.fixed(256).bytes();
    for (const way of ways) expect(same(inflateParts(stream, way).bytes, inflateRawSync(stream))).toBe(true);
  });

  it("of 258 bytes as length 227 and 31 more", () => {
    const bits = new DeflateBits().block(true, 1).fixed(65).fixed(284).number(31, 5).code("00000").fixed(256);
    expect(Buffer.from(inflateParts(bits.bytes(), ways[0]).bytes).toString()).toBe("A".repeat(259));
  });

  it.each([32_768, 32_767, 24_577, 16_385])("from %i bytes before, and no more than there are", (distance) => {
    for (const [there, room] of [
      [distance, CHUNK],
      [distance, 1000],
      [distance - 1, CHUNK],
      [distance - 1, 1000],
    ]) {
      const first = some(there, () => random.below(256));
      const bits = new DeflateBits().block(false, 0).stored(first).block(true, 1);
      // Enough literals behind it for the fast loop.
      bits.match(258, distance).match(3, 1);
      for (let i = 0; i < 40; i++) bits.fixed(i);
      const stream = bits.fixed(256).bytes();
      const { bytes, fault } = inflateParts(stream, { feed: CHUNK, room });
      expect(fault).toBe(zlibMessage(stream));
      expect(fault).toBe(there < distance ? "invalid distance too far back" : undefined);
      if (fault === undefined) expect(same(bytes, inflateRawSync(stream))).toBe(true);
    }
  });
});

/** Code lengths of a block: 8 bits for the first 255 symbols, and two of 9 bits: complete. */
const flat = [...Array<number>(255).fill(8), 9, 9];
/** A complete code for the code lengths 0, 1, 2, 8, 9 and the repetitions. */
const lengthCodes = [3, 3, 3, 0, 0, 0, 0, 0, 2, 3, 0, 0, 0, 0, 0, 0, 4, 4, 3];

describe("malformed streams are refused with zlib's message", () => {
  const dynamic = (): DeflateBits => new DeflateBits().block(true, 2);
  const cases: Record<string, readonly [DeflateBits, string]> = {
    "the reserved block type": [new DeflateBits().block(true, 3), "invalid block type"],
    "a stored block whose lengths differ": [
      new DeflateBits().block(true, 0).align().number(5, 16).number(5, 16),
      "invalid stored block lengths",
    ],
    "287 literals and lengths": [
      dynamic().number(30, 5).number(0, 5).number(0, 4),
      "too many length or distance symbols",
    ],
    "31 distances": [dynamic().number(0, 5).number(30, 5).number(0, 4), "too many length or distance symbols"],
    "an over-subscribed code of code lengths": [dynamic().header([257, 1], [1, 1, 1], []), "invalid code lengths set"],
    "an incomplete code of code lengths": [dynamic().header([257, 1], [2, 2, 2], []), "invalid code lengths set"],
    "one code length alone": [dynamic().header([257, 1], [0, 1], []), "invalid code lengths set"],
    "a repetition of nothing": [dynamic().header([257, 1], lengthCodes, [[16, 0, 2]]), "invalid bit length repeat"],
    "a repetition beyond the last code": [
      dynamic().header([257, 1], lengthCodes, [...flat, [16, 3, 2]]),
      "invalid bit length repeat",
    ],
    "zeros beyond the last code": [
      dynamic().header([257, 1], lengthCodes, [
        [18, 127, 7],
        [18, 127, 7],
      ]),
      "invalid bit length repeat",
    ],
    "no end of the block": [
      dynamic().header([257, 1], lengthCodes, [...flat.slice(0, 255), 8, 0, 1]),
      "invalid code -- missing end-of-block",
    ],
    "over-subscribed literals": [
      dynamic().header([257, 1], lengthCodes, [...Array<number>(257).fill(8), 1]),
      "invalid literal/lengths set",
    ],
    "incomplete literals": [
      dynamic()
        .header([257, 1], lengthCodes, [...Array<number>(255).fill(8), 9, 0, 1])
        .number(0, 16),
      "invalid code -- missing end-of-block",
    ],
    "literals of two codes, incomplete": [
      dynamic().header([257, 1], lengthCodes, [2, [18, 127, 7], [18, 106, 7], 2, 1]),
      "invalid literal/lengths set",
    ],
    "over-subscribed distances": [dynamic().header([257, 3], lengthCodes, [...flat, 1, 1, 1]), "invalid distances set"],
    "incomplete distances": [dynamic().header([257, 2], lengthCodes, [...flat, 2, 2]), "invalid distances set"],
    "one distance of two bits": [dynamic().header([257, 1], lengthCodes, [...flat, 2]), "invalid distances set"],
    "a length symbol above 285": [
      new DeflateBits().block(true, 1).fixed(65).fixed(286).number(0, 32),
      "invalid literal/length code",
    ],
    "a distance symbol above 29": [
      new DeflateBits().block(true, 1).fixed(65).fixed(257).code("11110").number(0, 32),
      "invalid distance code",
    ],
    "a distance without a code": [
      dynamic()
        .header([258, 1], lengthCodes, [...Array<number>(254).fill(8), 9, 9, 9, 9, 0])
        .code(canonical([...Array<number>(254).fill(8), 9, 9, 9, 9])[65])
        .code(canonical([...Array<number>(254).fill(8), 9, 9, 9, 9])[257])
        .number(0, 32),
      "invalid distance code",
    ],
    "the second half of a code of one literal": [
      dynamic()
        .header([257, 1], lengthCodes, [[18, 127, 7], [18, 107, 7], 1, 1])
        .number(0xffff, 16)
        .number(0, 16),
      "invalid literal/length code",
    ],
    "a distance before the first byte": [
      new DeflateBits().block(true, 1).fixed(65).match(3, 2).fixed(256).number(0, 64),
      "invalid distance too far back",
    ],
  };

  it.each(Object.entries(cases))("%s", (_, [bits, message]) => {
    // Bytes behind it let the fast loop meet the fault, too.
    for (const more of [0, 400]) {
      const stream = Buffer.concat([bits.bytes(), Buffer.alloc(more)]);
      expect(zlibMessage(stream)).toBe(message);
      for (const way of ways) expect(inflateParts(stream, way).fault).toBe(message);
    }
  });

  it("what RFC 1951 allows and few compressors write is read: one distance of one bit, no distances, one literal", () => {
    const literals = [...Array<number>(254).fill(8), 9, 9, 9, 9];
    const codes = canonical(literals);
    const streams = [
      dynamic()
        .header([258, 1], lengthCodes, [...literals, 1])
        .code(codes[65])
        .code(codes[257])
        .code("0")
        .code(codes[256]),
      dynamic()
        .header([257, 1], lengthCodes, [...flat, 0])
        .code(canonical(flat)[65])
        .code(canonical(flat)[256]),
      dynamic()
        .header([257, 1], lengthCodes, [[18, 127, 7], [18, 107, 7], 1, 0])
        .code("0"),
    ];
    for (const bits of streams) {
      const stream = bits.bytes();
      const expected = inflateRawSync(stream);
      for (const way of ways) {
        const { bytes, fault } = inflateParts(stream, way);
        expect(fault).toBeUndefined();
        expect(same(bytes, expected)).toBe(true);
      }
    }
  });

  it("a truncated stream is unfinished, and its output is a prefix", () => {
    const stream = deflateRawSync(csv.subarray(0, 4000));
    for (let end = 0; end < stream.length; end++) {
      const { bytes, fault } = inflateParts(stream.subarray(0, end), ways[end % ways.length]);
      expect(fault).toBe("unexpected end of file");
      expect(same(bytes, csv.subarray(0, bytes.length))).toBe(true);
    }
  });
});

describe("an Inflater", () => {
  const all = (inflater: Inflater, parts: Iterable<Uint8Array>): Buffer => {
    const chunks: Uint8Array[] = [];
    for (const part of parts) for (const chunk of inflater.push(part)) chunks.push(chunk.slice());
    return Buffer.concat(chunks);
  };
  const cut = function* (bytes: Uint8Array, size: number): Generator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  };
  const taken = (chunkSize?: number): Inflater => {
    const inflater = Inflater.take(chunkSize);
    return inflater;
  };

  it("gives chunks of the size that was chosen, and is as new after it was released in the middle of a stream", () => {
    const stream = deflateRawSync(csv);
    for (const chunkSize of [1000, 40_000, CHUNK]) {
      const broken = taken();
      broken.push(stream.subarray(0, 3000)).next();
      broken.release();
      const inflater = taken(chunkSize);
      const sizes: number[] = [];
      for (const chunk of inflater.push(stream)) sizes.push(chunk.length);
      expect(sizes.slice(0, -1).every((size) => size === chunkSize)).toBe(true);
      expect(sizes.reduce((a, b) => a + b)).toBe(csv.length);
      expect(inflater.ended).toBe(true);
      inflater.release();
    }
  });

  it("counts what it consumes, and leaves the bytes behind the stream alone", () => {
    const stream = deflateRawSync(csv);
    for (const size of [1, 5, 999, 1 << 18, 1 << 20]) {
      const inflater = taken();
      const behind = Buffer.concat([stream, stream, Buffer.alloc(700_000)]);
      expect(same(all(inflater, cut(behind, size)), csv)).toBe(true);
      expect(inflater).toMatchObject({ ended: true, consumed: stream.length });
      inflater.release();
    }
  });

  it("throws zlib's message", () => {
    const inflater = taken();
    expect(() => all(inflater, [Uint8Array.of(7)])).toThrow("invalid block type");
    inflater.release();
  });
});
