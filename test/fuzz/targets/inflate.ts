import { constants, deflateRawSync, inflateRawSync } from "node:zlib";
import { inflateParts } from "../../zip/inflate-parts.js";
import { mutateBytes } from "../mutate.js";
import { Random } from "../random.js";
import type { FuzzTarget } from "../target.js";

/** The last two bytes of an input say how the stream is fed and drained: here at once. */
const WHOLE = Buffer.of(255, 255);

/** Output beyond which a stream is not compared. */
const MOST = 300_000;

const corpus = (): Uint8Array[] => {
  const random = new Random(3);
  const rows = Array.from({ length: 90 }, (_, i) => `T${i % 5},2024-01-1${i % 10},${random.below(1e6) / 1e4},,0\n`);
  const contents = [
    Buffer.from(rows.join("")),
    Buffer.from("{}".repeat(900)),
    Buffer.from(Array.from({ length: 900 }, () => Math.min(255, -Math.log2(1 - random.below(1e9) / 1e9) * 9))),
    Buffer.from(Array.from({ length: 300 }, () => random.below(256))),
  ];
  const { Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE, Z_SYNC_FLUSH, Z_DEFAULT_STRATEGY } = constants;
  const streams = contents.flatMap((content) => [
    ...[1, 6, 9].map((level) => deflateRawSync(content, { level })),
    ...[Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE].map((strategy) => deflateRawSync(content, { strategy })),
    deflateRawSync(content, { level: 0 }),
    // Many short blocks.
    deflateRawSync(content, { memLevel: 1, windowBits: 9, strategy: Z_DEFAULT_STRATEGY }),
    Buffer.concat([deflateRawSync(content, { finishFlush: Z_SYNC_FLUSH }), deflateRawSync(content)]),
  ]);
  return streams.map((stream) => Buffer.concat([stream, WHOLE]));
};

/** What zlib makes of a stream: bytes and how many it consumed, or its message. */
function byZlib(stream: Uint8Array): { readonly bytes?: Buffer; readonly consumed?: number; readonly fault?: string } {
  try {
    const { buffer, engine } = inflateRawSync(stream, { info: true, maxOutputLength: MOST }) as unknown as {
      readonly buffer: Buffer;
      readonly engine: { readonly bytesWritten: number };
    };
    return { bytes: buffer, consumed: engine.bytesWritten };
  } catch (error) {
    return { fault: (error as Error).message };
  }
}

export const target: FuzzTarget = {
  name: "inflate",
  quick: 8000,
  corpus,
  mutate(input, random) {
    const stream = mutateBytes(input.subarray(0, -2), random);
    return Buffer.concat([stream, Buffer.of(random.below(256), random.below(256))]);
  },
  check(input) {
    const stream = input.subarray(0, -2);
    const [feed = 0, room = 0] = input.subarray(-2);
    const expected = byZlib(stream);
    const long = (expected.bytes?.length ?? MOST) > 20_000;
    const found = inflateParts(stream, {
      feed: feed < 64 ? 1 : feed < 128 ? 15 + (feed & 3) : feed < 192 ? 1 + feed : 65_536,
      room: room < 64 && !long ? 1 + (room & 3) : room < 128 ? 330 + (room & 15) : room < 192 ? 4096 : 1 << 20,
      most: MOST,
    });
    if (expected.bytes === undefined) {
      const tooLong = expected.fault?.startsWith("Cannot create a Buffer larger") === true;
      if (found.fault === undefined && !(tooLong && found.bytes.length > MOST)) {
        throw new Error(`zlib refuses it: ${expected.fault}`);
      }
      if (found.fault !== expected.fault && !tooLong && !equivalent(expected.fault, found.fault)) {
        throw new Error(`zlib says: ${expected.fault}; here: ${found.fault}`);
      }
      return "refused";
    }
    if (found.fault !== undefined) throw new Error(`zlib reads it; here: ${found.fault}`);
    if (Buffer.compare(found.bytes, expected.bytes) !== 0) throw new Error("The bytes differ.");
    if (found.consumed !== expected.consumed) {
      throw new Error(`zlib consumes ${expected.consumed} bytes; here ${found.consumed}`);
    }
    return "read";
  },
};

/**
 * Two messages for one fault. zlib refuses a code that does not exist at its first bit; here all bits of the longest
 * code are read first, and the stream may end before. zlib takes a code of code lengths without codes as one whose
 * every bit is a zero.
 */
function equivalent(expected: string | undefined, found: string | undefined): boolean {
  if (found === "unexpected end of file") return expected?.startsWith("invalid") === true;
  const zeros = expected === "invalid code -- missing end-of-block" || expected === "unexpected end of file";
  return zeros && found === "invalid code lengths set";
}
