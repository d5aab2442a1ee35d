import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { snappyCompress } from "hyparquet-writer/src/snappy.js";
import { beforeAll, describe, expect, it } from "vitest";
import { compressSnappy, decompressBlock } from "../../src/format/block-codecs.js";
import { decompressZstdBlock } from "../../src/format/zstd-blocks.js";
import { forAll } from "../support/for-all.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { runs } from "../support/whole.js";
import { plainLz4, plainSnappy } from "./plain-block-codecs.js";

/** Literal bytes, then a match of bytes that were written before: what both Snappy and LZ4 are made of. */
interface Step {
  readonly literal: Uint8Array;
  /** A share of the bytes before, and a length. */
  readonly far: number;
  readonly length: number;
}

const steps = fc.array(
  fc.record({
    literal: fc.oneof(fc.uint8Array({ maxLength: 20 }), fc.uint8Array({ minLength: 60, maxLength: 400, size: "max" })),
    far: fc.double({ min: 0, max: 1, noNaN: true }),
    length: fc.oneof(fc.integer({ min: 4, max: 64 }), fc.integer({ min: 4, max: 700 })),
  }),
  { maxLength: 12, size: "max" },
);

/** The output of the steps, and the distance of each match; 0 where nothing was written before. */
function played(all: readonly Step[]): { readonly out: Uint8Array; readonly distances: readonly number[] } {
  const out: number[] = [];
  const distances = all.map(({ literal, far, length }) => {
    out.push(...literal);
    if (out.length === 0) return 0;
    const distance = 1 + Math.floor(far * (Math.min(out.length, 65_535) - 1));
    for (let i = 0; i < length; i++) out.push(out[out.length - distance]);
    return distance;
  });
  return { out: Uint8Array.from(out), distances };
}

function lz4Block(all: readonly Step[], distances: readonly number[]): Uint8Array {
  const bytes: number[] = [];
  const more = (length: number): void => {
    for (let rest = length - 15; rest >= 0; rest -= 255) bytes.push(Math.min(rest, 255));
  };
  for (const [i, { literal, length }] of all.entries()) {
    if (distances[i] === 0) continue;
    bytes.push((Math.min(literal.length, 15) << 4) | Math.min(length - 4, 15));
    more(literal.length);
    bytes.push(...literal, distances[i] & 255, distances[i] >> 8);
    more(length - 4);
  }
  return Uint8Array.from([...bytes, 0]);
}

function snappyBlock(all: readonly Step[], distances: readonly number[], size: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = size; ; rest >>>= 7) {
    bytes.push(rest < 128 ? rest : (rest & 127) | 128);
    if (rest < 128) break;
  }
  for (const [i, { literal, length }] of all.entries()) {
    if (literal.length > 60) bytes.push(61 << 2, (literal.length - 1) & 255, (literal.length - 1) >> 8, ...literal);
    else if (literal.length > 0) bytes.push((literal.length - 1) << 2, ...literal);
    for (let rest = distances[i] === 0 ? 0 : length; rest > 0; ) {
      const some = Math.min(rest, 64);
      const short = some >= 4 && some <= 11 && distances[i] < 2048 && i % 2 === 0;
      if (short) bytes.push(1 | ((some - 4) << 2) | ((distances[i] >> 8) << 5), distances[i] & 255);
      else if (i % 3 === 0) bytes.push(3 | ((some - 1) << 2), distances[i] & 255, distances[i] >> 8, 0, 0);
      else bytes.push(2 | ((some - 1) << 2), distances[i] & 255, distances[i] >> 8);
      rest -= some;
    }
  }
  return Uint8Array.from(bytes);
}

const PLAIN = { snappy: plainSnappy, lz4: plainLz4 } as const;

describe.each(["snappy", "lz4"] as const)("%s", (codec) => {
  const block = (all: readonly Step[]) => {
    const { out, distances } = played(all);
    return { out, bytes: codec === "lz4" ? lz4Block(all, distances) : snappyBlock(all, distances, out.length) };
  };

  it("blocks of any steps give what the steps write, in WebAssembly and in JavaScript", () => {
    forAll(runs(300), steps, (all) => {
      const { out, bytes } = block(all);
      expect(decompressBlock(codec, bytes, out.length)).toEqual(out);
      expect(PLAIN[codec](bytes, out.length)).toEqual(out);
      expect(decompressBlock(codec, bytes, out.length + 1)).toBeUndefined();
      if (out.length > 0) expect(decompressBlock(codec, bytes, out.length - 1)).toBeUndefined();
    });
  });

  it("damaged anywhere they give the same in both, or are refused by both", () => {
    const damage = fc.array(fc.tuple(fc.nat(10_000), fc.nat(255)), { minLength: 1, maxLength: 3 });
    forAll(runs(1_000), steps, damage, fc.boolean(), (all, changes, isCut) => {
      const { out, bytes } = block(all);
      const damaged = isCut ? bytes.slice(0, changes[0][0] % (bytes.length + 1)) : bytes.slice();
      for (const [at, byte] of changes) if (damaged.length > 0) damaged[at % damaged.length] = byte;
      expect(decompressBlock(codec, damaged, out.length)).toEqual(PLAIN[codec](damaged, out.length));
    });
  });
});

it("Snappy of another writer is read", () => {
  forAll(
    100,
    fc.array(fc.constantFrom("price", "volume,", "1", "\n", "AAPL 2024-02-29"), { maxLength: 3_000 }),
    (words) => {
      const bytes = new Uint8Array(Buffer.from(words.join("")));
      expect(decompressBlock("snappy", snappyCompress(bytes), bytes.length)).toEqual(bytes);
    },
  );
});

it("Snappy that is packed here is read, also by the judge", () => {
  const words = fc.array(fc.constantFrom("price", "volume,", "1", "\n", "AAPL 2024-02-29"), { maxLength: 3_000 });
  const texts = words.map((all) => new Uint8Array(Buffer.from(all.join(""))));
  const far = fc
    .tuple(fc.uint8Array({ maxLength: 200 }), fc.nat(140_000))
    .map(([bytes, between]) => new Uint8Array(Buffer.concat([bytes, Buffer.alloc(between, 7), bytes])));
  forAll(100, fc.oneof(texts, far, fc.uint8Array({ maxLength: 5_000, size: "max" })), (bytes) => {
    const packed = compressSnappy(bytes);
    expect(packed.length).toBeLessThanOrEqual(bytes.length + bytes.length / 6 + 32);
    for (const found of [plainSnappy(packed, bytes.length), decompressBlock("snappy", packed, bytes.length)]) {
      expect(found && Buffer.compare(found, bytes)).toBe(0);
    }
  });
});

it("a result that no block of this size can have is refused before memory is taken for it", () => {
  const bytes = Uint8Array.of(1, 2, 3, 4);
  for (const codec of ["snappy", "lz4"] as const) expect(decompressBlock(codec, bytes, 2 ** 31)).toBeUndefined();
  expect(decompressZstdBlock(bytes, 2 ** 31)).toBeUndefined();
});

describe("zstd", () => {
  let folder = "";
  const frames: { readonly bytes: Uint8Array; readonly text: Uint8Array }[] = [];
  beforeAll(async () => {
    folder = temporaryFolder("zstd");
    const connection = await (await DuckDBInstance.create()).connect();
    const tables = [
      "select i, i * 977 % 1000 n, 'K' || (i % 7) k from range(5) t(i)",
      "select i, i * 977 % 1000 n, 'K' || (i % 7) k from range(20000) t(i)",
      "select md5(i::VARCHAR) m from range(9000) t(i)",
      "select repeat('ab', 300000) x",
      "select chr((i % 90 + 33)::INTEGER) c, sqrt(i) s, 'é🙂' u from range(60000) t(i)",
    ];
    for (const sql of tables) {
      const path = join(folder, "a.csv");
      await connection.run(`copy (${sql}) to '${path}' (format csv)`);
      await connection.run(`copy (${sql}) to '${path}.zst' (format csv, compression zstd)`);
      frames.push({ bytes: new Uint8Array(await readFile(`${path}.zst`)), text: new Uint8Array(await readFile(path)) });
    }
    connection.closeSync();
  });

  it("of another writer is read: Huffman codes, sequences, repeated bytes, several blocks", () => {
    for (const { bytes, text } of frames) {
      const found = decompressZstdBlock(bytes, text.length);
      expect(found && Buffer.compare(found, text)).toBe(0);
      expect(decompressZstdBlock(bytes, text.length - 1)).toBeUndefined();
      expect(decompressZstdBlock(bytes, text.length + 1)).toBeUndefined();
    }
  });

  it("frames one after the other, frames to skip, and blocks written by hand", () => {
    const skip = [0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 9, 9, 9];
    const raw = [0x28, 0xb5, 0x2f, 0xfd, 0x20, 3, 0x19, 0, 0, 97, 98, 99];
    const repeated = [0x28, 0xb5, 0x2f, 0xfd, 0, 0x58, 0x2b, 0, 0, 120];
    const all = Uint8Array.from([...skip, ...raw, ...repeated, ...skip]);
    expect(Buffer.from(decompressZstdBlock(all, 8) ?? []).toString()).toBe("abcxxxxx");
    expect(decompressZstdBlock(Uint8Array.from(skip), 0)).toBeUndefined();
    // A content size of 4 for 3 bytes; a missing dictionary.
    expect(decompressZstdBlock(Uint8Array.from(raw.with(5, 4)), 3)).toBeUndefined();
    const needs = [0x28, 0xb5, 0x2f, 0xfd, 0x21, 7, 3, 0x19, 0, 0, 97, 98, 99];
    expect(decompressZstdBlock(Uint8Array.from(needs), 3)).toBeUndefined();
  });

  it("a wrong checksum is refused", () => {
    // XXH64 of "abc" with seed 0 is 44bc2cf5ad770999.
    const sound = [0x28, 0xb5, 0x2f, 0xfd, 0x24, 3, 0x19, 0, 0, 97, 98, 99, 0x99, 0x09, 0x77, 0xad];
    expect(decompressZstdBlock(Uint8Array.from(sound), 3)).toEqual(Uint8Array.of(97, 98, 99));
    expect(decompressZstdBlock(Uint8Array.from(sound.with(9, 96)), 3)).toBeUndefined();
  });

  it("damaged anywhere it is refused, or gives as many bytes as were asked for", () => {
    let refused = 0;
    forAll(
      runs(1_000),
      fc.nat(4),
      fc.array(fc.tuple(fc.nat(400_000), fc.nat(255)), { minLength: 1, maxLength: 3 }),
      fc.boolean(),
      (f, changes, isCut) => {
        const { bytes, text } = frames[f];
        const damaged = isCut ? bytes.slice(0, changes[0][0] % bytes.length) : bytes.slice();
        // Damage at the front of a block changes its codes; further behind, single bytes.
        for (const [at, byte] of changes)
          if (damaged.length > 0) damaged[(at % 3 === 0 ? at % 60 : at) % damaged.length] = byte;
        const found = decompressZstdBlock(damaged, text.length);
        if (found === undefined) refused++;
        else expect(found.length).toBe(text.length);
      },
    );
    expect(refused).toBeGreaterThan(runs(300, 20));
  });
});
