import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isArrowbookError } from "../../../src/errors/errors.js";
import { decompressBlock } from "../../../src/format/block-codecs.js";
import { frameOfIPC } from "../../frame-of-ipc.js";
import { textsOf, useFrame } from "../../fuzz/use-frame.js";
import { forAll } from "../../support/for-all.js";
import { runs } from "../../support/whole.js";

const folder = join(import.meta.dirname, "compressed");
const bytesOf = (name: string): Uint8Array => new Uint8Array(readFileSync(join(folder, name)));

describe("compressed buffers", () => {
  it.each(["small-lz4.arrows", "small-zstd.arrows", "small-zstd.arrow"])("%s has the cells of its twin", (name) => {
    const [frame, twin] = [frameOfIPC(bytesOf(name)), frameOfIPC(bytesOf("small-none.arrows"))];
    expect(frame.numRows).toBe(40);
    expect(String(frame.table.schema)).toBe(String(twin.table.schema));
    expect(textsOf(frame)).toEqual(textsOf(twin));
  });

  it("blocks of LZ4 that refer to the blocks before them are read", () => {
    const frame = frameOfIPC(bytesOf("blocks-lz4.arrows"));
    expect(frame.column("n").toNumbers()).toEqual(Float64Array.from({ length: 20_000 }, (_, i) => Math.floor(i / 100)));
  });

  it("changed bytes are refused or give a frame that works", () => {
    const outcomes = { read: 0, refused: 0 };
    for (const name of ["small-lz4.arrows", "small-zstd.arrows", "blocks-lz4.arrows"]) {
      const whole = bytesOf(name);
      forAll({ seed: 11, numRuns: runs(400) }, fc.nat({ max: whole.length - 1 }), fc.nat({ max: 255 }), (at, value) => {
        const bytes = whole.slice();
        bytes[at] = value;
        try {
          useFrame(frameOfIPC(bytes));
          outcomes.read++;
        } catch (error) {
          if (!isArrowbookError(error)) throw error;
          outcomes.refused++;
        }
      });
    }
    expect(outcomes.read).toBeGreaterThan(runs(50));
    expect(outcomes.refused).toBeGreaterThan(runs(200));
  });

  it("a declared size is bounded before memory is taken", () => {
    const whole = bytesOf("small-zstd.arrows");
    const view = new DataView(whole.buffer);
    // The size before the first compressed buffer whose frame's magic number follows it.
    const at = Array.from({ length: whole.length - 12 }, (_, i) => i).find(
      (i) => view.getUint32(i + 8, true) === 0xfd2fb528,
    ) as number;
    for (const size of [2n ** 62n, 2n ** 31n, 2n ** 31n - 1n, 1n, 0n, -2n]) {
      view.setBigInt64(at, size, true);
      expect(() => frameOfIPC(whole), String(size)).toThrow(
        expect.objectContaining({ code: expect.stringMatching(/^(Bad|Unsupported)Arrow$/) as string }),
      );
    }
  });
});

/** XXH32, seed 0, written from its specification. */
function xxh32(bytes: readonly number[]): number {
  const [p1, p2, p3, p4, p5] = [0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f, 0x165667b1];
  const rotated = (x: number, by: number): number => (x << by) | (x >>> (32 - by));
  const word = (i: number): number => bytes[i] | (bytes[i + 1] << 8) | (bytes[i + 2] << 16) | (bytes[i + 3] << 24);
  let i = 0;
  let sum = p5 | 0;
  if (bytes.length >= 16) {
    const lanes = [(p1 + p2) | 0, p2 | 0, 0, -p1 | 0];
    for (; i + 16 <= bytes.length; i += 16) {
      for (let k = 0; k < 4; k++)
        lanes[k] = Math.imul(rotated((lanes[k] + Math.imul(word(i + 4 * k), p2)) | 0, 13), p1);
    }
    sum = (rotated(lanes[0], 1) + rotated(lanes[1], 7) + rotated(lanes[2], 12) + rotated(lanes[3], 18)) | 0;
  }
  sum = (sum + bytes.length) | 0;
  for (; i + 4 <= bytes.length; i += 4) sum = Math.imul(rotated((sum + Math.imul(word(i), p3)) | 0, 17), p4);
  for (; i < bytes.length; i++) sum = Math.imul(rotated((sum + Math.imul(bytes[i], p5)) | 0, 11), p1);
  sum = Math.imul(sum ^ (sum >>> 15), p2);
  sum = Math.imul(sum ^ (sum >>> 13), p3);
  return (sum ^ (sum >>> 16)) >>> 0;
}

const int32 = (value: number): number[] => [0, 8, 16, 24].map((shift) => (value >>> shift) & 255);

interface FrameOptions {
  readonly independent: boolean;
  readonly blockSum: boolean;
  readonly size: boolean;
  readonly contentSum: boolean;
}

/** A frame of LZ4 of blocks of at most 64 KB, each with its output: stored, or compressed to one literal sequence. */
function frameOf(
  parts: readonly { readonly data: readonly number[]; readonly stored: boolean }[],
  o: FrameOptions,
): number[] {
  const content = parts.flatMap(({ data }) => data);
  const flags = 0x40 | (o.independent ? 0x20 : 0) | (o.blockSum ? 0x10 : 0) | (o.size ? 8 : 0) | (o.contentSum ? 4 : 0);
  const descriptor = [flags, 0x40, ...(o.size ? [...int32(content.length), 0, 0, 0, 0] : [])];
  const blocks = parts.flatMap(({ data, stored }) => {
    const block = stored ? data : [Math.min(data.length, 15) << 4, ...lengthBytes(data.length), ...data];
    const head = int32(stored ? block.length + 0x80000000 : block.length);
    return [...head, ...block, ...(o.blockSum ? int32(xxh32(block)) : [])];
  });
  const check = (xxh32(descriptor) >>> 8) & 255;
  return [
    4,
    0x22,
    0x4d,
    0x18,
    ...descriptor,
    check,
    ...blocks,
    0,
    0,
    0,
    0,
    ...(o.contentSum ? int32(xxh32(content)) : []),
  ];
}

function lengthBytes(length: number): number[] {
  const bytes: number[] = [];
  for (let rest = length - 15; rest >= 0; rest -= 255) bytes.push(Math.min(rest, 255));
  return bytes;
}

describe("LZ4 frames", () => {
  const options = fc.record({
    independent: fc.boolean(),
    blockSum: fc.boolean(),
    size: fc.boolean(),
    contentSum: fc.boolean(),
  });
  const part = fc.record({
    data: fc.array(fc.nat({ max: 255 }), { minLength: 1, maxLength: 80 }),
    stored: fc.boolean(),
  });

  it("are read whatever their flags, one after the other and between skipped ones", () => {
    forAll(
      { seed: 5, numRuns: 300 },
      fc.array(part, { maxLength: 4 }),
      options,
      fc.boolean(),
      (parts, flags, twice) => {
        const frame = frameOf(parts, flags);
        const content = parts.flatMap(({ data }) => data);
        const skipped = [0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3];
        const bytes = Uint8Array.from(twice ? [...frame, ...skipped, ...frame] : frame);
        const expected = Uint8Array.from(twice ? [...content, ...content] : content);
        expect(decompressBlock("lz4Frame", bytes, expected.length)).toEqual(expected);
        expect(decompressBlock("lz4Frame", bytes, expected.length + 1)).toBeUndefined();
        if (expected.length > 0) expect(decompressBlock("lz4Frame", bytes, expected.length - 1)).toBeUndefined();
        for (const cut of [1, 4, bytes.length >> 1]) {
          expect(decompressBlock("lz4Frame", bytes.subarray(0, bytes.length - cut), expected.length)).toBeUndefined();
        }
      },
    );
  });

  it("with a changed byte are refused where the checksum of the contents finds other contents", () => {
    forAll(
      { seed: 6, numRuns: 300 },
      fc.array(part, { minLength: 1, maxLength: 4 }),
      options,
      fc.nat(),
      fc.nat(),
      (parts, flags, at, by) => {
        const frame = frameOf(parts, { ...flags, contentSum: true });
        const contents = parts.flatMap(({ data }) => [...data]);
        frame[at % frame.length] ^= 1 + (by % 255);
        const read = decompressBlock("lz4Frame", Uint8Array.from(frame), contents.length);
        // A changed block may hold the same bytes in another way, such as a shorter match of zeros.
        if (read !== undefined) expect([...read]).toEqual(contents);
      },
    );
  });

  it("keep matches of an independent block within it", () => {
    // Four literals, then in a second block a match of eight bytes, four bytes back, and a literal to end it.
    const block = [0x04, 4, 0, 0x50, 9, 9, 9, 9, 9];
    const head = (flags: number): number[] => [4, 0x22, 0x4d, 0x18, flags, 0x40, (xxh32([flags, 0x40]) >>> 8) & 255];
    const body = [...int32(4 + 0x80000000), 1, 2, 3, 4, ...int32(block.length), ...block, 0, 0, 0, 0];
    const expected = Uint8Array.of(1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 9, 9, 9, 9, 9);
    expect(decompressBlock("lz4Frame", Uint8Array.from([...head(0x40), ...body]), 17)).toEqual(expected);
    expect(decompressBlock("lz4Frame", Uint8Array.from([...head(0x60), ...body]), 17)).toBeUndefined();
  });
});
