import { Readable } from "node:stream";
import { crc32, inflateRawSync } from "node:zlib";
import { ZipFile } from "yazl";
import { DataError } from "../../../src/errors/errors.js";
import { zipEntry } from "../../../src/format/zip.js";
import { zipBytes } from "../../zip/archive.js";
import { AWKWARD_INT32, mutateBytes, spliceBytes } from "../mutate.js";
import type { Random } from "../random.js";
import type { FuzzTarget } from "../target.js";

/*
 * Small archives, damaged: the contents that are in them, or an error of this package; never more bytes than declared.
 */

const SHORT = "ticker,close\nAAA,1.25\nBBB,2.50\n";
const LONG = Array.from({ length: 3000 }, (_, i) => `T${i % 97},${(i * 7919) % 1000}.${i % 10}\n`).join("");
const EMPTY = "";

async function written(text: string, options: object, asStream = false): Promise<Uint8Array> {
  const zip = new ZipFile();
  const fixed = { mtime: new Date(2024, 1, 29), ...options };
  if (asStream) zip.addReadStreamLazy("a.csv", fixed, (done) => done(null, Readable.from([Buffer.from(text)])));
  else zip.addBuffer(Buffer.from(text), "a.csv", fixed);
  zip.end();
  const chunks: Buffer[] = [];
  for await (const chunk of zip.outputStream) chunks.push(chunk as Buffer);
  return new Uint8Array(Buffer.concat(chunks));
}

const corpus = async (): Promise<Uint8Array[]> => [
  new Uint8Array(zipBytes([{ name: "a.csv", data: SHORT }])),
  new Uint8Array(zipBytes([{ name: "a.csv", data: SHORT, method: 0 }])),
  new Uint8Array(zipBytes([{ name: "a.csv", data: LONG, unixMode: 0o100644 }])),
  new Uint8Array(
    zipBytes([
      { name: "a/", data: EMPTY, method: 0 },
      { name: "a/b.csv", data: SHORT },
    ]),
  ),
  new Uint8Array(
    zipBytes([
      { name: "__MACOSX/a", data: "x" },
      { name: "a.csv", data: LONG },
    ]),
  ),
  await written(LONG, { forceZip64Format: true }),
  await written(SHORT, { compress: false, forceZip64Format: true }),
  await written(LONG, {}, true),
  await written(EMPTY, {}),
];

/** Signatures of the records, and the places of their fields of two and four bytes (APPNOTE 4.3). */
const RECORDS: readonly (readonly [signature: string, shorts: readonly number[], ints: readonly number[]])[] = [
  ["PK\x03\x04", [4, 6, 8, 10, 12, 26, 28], [14, 18, 22]],
  ["PK\x01\x02", [4, 6, 8, 10, 12, 14, 28, 30, 32, 34, 36], [16, 20, 24, 38, 42]],
  ["PK\x05\x06", [4, 6, 8, 10, 20], [12, 16]],
  ["PK\x07\x08", [], [4, 8, 12, 16, 20]],
  ["PK\x06\x06", [12, 14], [4, 8, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52]],
  ["PK\x06\x07", [], [4, 8, 12, 16]],
];

const FLAGS = [0, 1, 0x08, 0x41, 0x800, 0x2001, 0xffff];
const METHODS = [0, 1, 8, 9, 12, 14, 93, 99, 0xffff];

/** A copy with a field of a record changed. */
function mutateField(input: Uint8Array, random: Random): Uint8Array {
  const bytes = new Uint8Array(input);
  const [signature, shorts, ints] = random.pick(RECORDS);
  const places: number[] = [];
  const source = Buffer.from(bytes.buffer);
  for (let at = source.indexOf(signature, 0, "latin1"); at >= 0; at = source.indexOf(signature, at + 1, "latin1")) {
    places.push(at);
  }
  if (places.length === 0) return mutateBytes(bytes, random);
  const record = random.pick(places);
  const view = new DataView(bytes.buffer);
  const isShort = ints.length === 0 || (shorts.length > 0 && random.oneIn(2));
  const at = record + random.pick(isShort ? shorts : ints);
  if (at + (isShort ? 2 : 4) > bytes.length) return bytes;
  if (isShort) {
    const old = view.getUint16(at, true);
    const near = [old + 1, old - 1, old ^ 1, ...FLAGS, ...METHODS];
    view.setUint16(at, random.pick(near), true);
  } else {
    const old = view.getInt32(at, true);
    view.setInt32(at, random.pick([old + 1, old - 1, old + 22, old * 2, bytes.length, ...AWKWARD_INT32]), true);
  }
  return bytes;
}

/** Whether the text is in the archive under a directory record that says so, found without the reader under test. */
function isInside(input: Uint8Array, text: Buffer): boolean {
  const source = Buffer.from(input.buffer, input.byteOffset, input.length);
  const starts = (signature: string): number[] => {
    const found: number[] = [];
    for (let at = source.indexOf(signature, 0, "latin1"); at >= 0; at = source.indexOf(signature, at + 1, "latin1")) {
      found.push(at);
    }
    return found;
  };
  const sum = crc32(text);
  const isDeclared = starts("PK\x01\x02").some(
    (at) => at + 20 <= source.length && source.readUInt32LE(at + 16) === sum,
  );
  const isHeld =
    source.includes(text) ||
    starts("PK\x03\x04").some((at) => {
      if (at + 30 > source.length) return false;
      const data = at + 30 + source.readUInt16LE(at + 26) + source.readUInt16LE(at + 28);
      try {
        return inflateRawSync(source.subarray(data)).equals(text);
      } catch {
        return false;
      }
    });
  return isDeclared && isHeld;
}

const CODES = ["NotZip", "BadZip", "ZipEntries", "ZipBomb", "UnsupportedZip", "BadChecksum", "NestedZip"];
const MAX_SIZE = 1 << 20;

export const target: FuzzTarget = {
  name: "zip",
  quick: 1500,
  corpus,
  mutate(input, random) {
    if (random.oneIn(10)) return spliceBytes(input, input, random);
    let bytes = input;
    for (let changes = 1 + random.below(3); changes > 0; changes--) {
      bytes = random.oneIn(4) ? mutateBytes(bytes, random) : mutateField(bytes, random);
    }
    return bytes;
  },
  async check(input) {
    const chunks: Uint8Array[] = [];
    let length = 0;
    try {
      const entry = await zipEntry(input, { maxSize: MAX_SIZE });
      for await (const chunk of entry.chunks()) {
        chunks.push(chunk.slice());
        length += chunk.length;
        if (length > entry.size) throw new TypeError(`${length} bytes of ${entry.size} declared`);
      }
    } catch (error) {
      if (!(error instanceof DataError) || !CODES.includes(error.code)) throw error;
      return "refused";
    }
    const text = Buffer.concat(chunks);
    if (![SHORT, LONG, EMPTY].includes(text.toString()) && !isInside(input, text)) {
      throw new Error(`it was read as ${JSON.stringify(text.subarray(0, 100).toString())}, which is not in it`);
    }
    return "read";
  },
};
