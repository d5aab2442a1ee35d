import {
  type Data,
  Decimal,
  Dictionary,
  Field,
  Float64,
  Int8,
  Int16,
  Int32,
  Int64,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Table,
  Utf8,
  type Vector,
  vectorFromArray,
} from "apache-arrow";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sortedRows } from "../../src/columns/table/sort.js";
import { takeColumn, takeRows } from "../../src/columns/table/take.js";
import { copyOnTwoThreads } from "../../src/columns/workers/copy-columns.js";
import { forAll } from "../support/for-all.js";
import { runs } from "../support/whole.js";

// So many rows that they are copied block by block.
const ROWS = 140_000;

/** Whole numbers below 2^32, the same for the same seed. */
function random(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return state >>> 0;
  };
}

const entries = vectorFromArray(["a", "b", "c"], new Utf8());
const schema = new Schema([
  new Field("tiny", new Int8()),
  new Field("short", new Int16()),
  new Field("day", new Int32(), true),
  new Field("long", new Int64()),
  new Field("real", new Float64()),
  new Field("exact", new Decimal(2, 30, 128), true),
  new Field("cents", new Decimal(2, 9, 128), true),
  new Field("volume", new Decimal(3, 18, 128)),
  new Field("grown", new Decimal(0, 38, 128)),
  new Field("wide", new Decimal(2, 70, 256)),
  new Field("code", new Dictionary(new Utf8(), new Int32(), 3), true),
]);

/** The rows as bytes of random values, cut into batches of these lengths. */
function bytesTable(lengths: readonly number[], next: () => number): Table {
  const batches = lengths.map((length) => {
    const children = schema.fields.map(({ name, type, nullable }) => {
      const isCode = type instanceof Dictionary;
      const width = isCode ? 4 : type instanceof Decimal ? type.bitWidth / 8 : BYTES[name];
      const words = new Uint32Array(Math.ceil((length * width) / 4));
      for (let i = 0; i < words.length; i++) words[i] = isCode ? next() % 3 : next();
      if (name === "cents" || (name === "grown" && length < 30_000)) extend(words, 1);
      if (name === "volume" || (name === "grown" && length < 60_000)) extend(words, 2);
      const Values = VALUES[name] ?? Uint32Array;
      const nullBitmap = nullable ? new Uint8Array((length + 7) >> 3).map(() => next() >>> 24) : undefined;
      const data = new Values(words.buffer).subarray(0, (length * width) / Values.BYTES_PER_ELEMENT);
      return makeData({ type, length, data, nullBitmap, dictionary: isCode ? entries : undefined } as never);
    });
    return new RecordBatch(schema, makeData({ type: new Struct(schema.fields), length, nullCount: 0, children }));
  });
  return new Table(schema, batches);
}

/** Makes values of 128 bits from their first parts of 32 bits. */
function extend(words: Uint32Array, parts: number): void {
  for (let i = 0; i < words.length; i++) if (i % 4 >= parts) words[i] = (words[i - 1] | 0) >> 31;
}

const BYTES: Readonly<Record<string, number>> = { tiny: 1, short: 2, day: 4, long: 8, real: 8 };
const VALUES: Readonly<Record<string, typeof Int8Array | typeof Uint32Array | typeof BigInt64Array>> = {
  tiny: Int8Array,
  short: Int16Array as never,
  day: Int32Array as never,
  long: BigInt64Array,
  real: Float64Array as never,
  code: Int32Array as never,
};

/** The first row of `taken` that is not a copy of the row at its place, by its bytes; -1 if there is none. */
function firstDifference(from: Vector, places: Int32Array, taken: Vector): number {
  const [all, found] = [bytesOf(from), bytesOf(taken)];
  return places.findIndex((place, i) => {
    if (place < 0 || !all.valid(place)) return found.valid(i);
    if (!found.valid(i)) return true;
    for (let b = 0; b < all.width; b++) {
      if (all.bytes[place * all.width + b] !== found.bytes[i * all.width + b]) return true;
    }
    return false;
  });
}

function bytesOf(vector: Vector) {
  const chunks = vector.data as readonly Data[];
  const bytes = Buffer.concat(
    chunks.map(({ values }) => Buffer.from(values.buffer, values.byteOffset, values.byteLength)),
  );
  const valid = Uint8Array.from(
    chunks.flatMap((data) => Array.from({ length: data.length }, (_, i) => +data.getValid(i))),
  );
  return { bytes, width: bytes.length / vector.length, valid: (i: number): boolean => valid[i] === 1 };
}

describe("many rows", () => {
  it.each(["shuffled", "with repeats", "with gaps", "ascending"])("are copied byte for byte: %s", (kind) => {
    const next = random(kind.length);
    const table = bytesTable([25_000, 40_536, 1, 33_000, 70_003 - 32_000, ROWS], next);
    const all = table.numRows;
    const places = Int32Array.from({ length: ROWS }, (_, i) => (kind === "ascending" ? i : next() % all));
    if (kind === "with repeats") places.fill(places[7], 500, 1000);
    if (kind === "with gaps") for (let i = 0; i < ROWS; i += 1000) places[i] = -1;
    const taken = takeRows(table, places);
    const onTwoThreads = takeRows(table, places, copyOnTwoThreads(0));
    expect([taken.numRows, onTwoThreads.numRows]).toEqual([ROWS, ROWS]);
    expect(onTwoThreads.batches.map(({ numRows }) => numRows)).toEqual(taken.batches.map(({ numRows }) => numRows));
    for (const [at, { name }] of schema.fields.entries()) {
      const from = table.getChildAt(at) as Vector;
      expect([name, firstDifference(from, places, taken.getChildAt(at) as Vector)]).toEqual([name, -1]);
      expect([name, firstDifference(from, places, takeColumn(from, places))]).toEqual([name, -1]);
      expect([name, firstDifference(from, places, onTwoThreads.getChildAt(at) as Vector)]).toEqual([name, -1]);
    }
  });
});

describe("sorting decimals", () => {
  const size = fc.constantFrom(8n, 60n, 70n, 120n);
  const value = fc
    .tuple(size, fc.bigInt({ min: 0n, max: 2n ** 120n }), fc.boolean())
    .map(([bits, units, negative]) => (negative ? -1n : 1n) * (units % 2n ** bits));
  const one = fc.oneof({ weight: 4, arbitrary: value }, { weight: 1, arbitrary: fc.constant(null) });

  it("agrees with comparing them, in batches, both ways and stably", () => {
    forAll(
      { seed: 5, numRuns: runs(200) },
      fc.array(one, { maxLength: 200 }),
      fc.nat(200),
      fc.boolean(),
      (values, cut, descending) => {
        const chunks = [values.slice(0, cut), values.slice(cut)].map(decimals);
        const fields = [new Field("d", new Decimal(0, 38, 128), true)];
        const batches = chunks.map((data) => {
          const children = [data];
          const length = data.length;
          return new RecordBatch(
            new Schema(fields),
            makeData({ type: new Struct(fields), length, nullCount: 0, children }),
          );
        });
        const rows = sortedRows(new Table(new Schema(fields), batches), [{ column: 0, descending }]);
        const expected = values
          .map((_, i) => i)
          .sort((i, j) => {
            const [a, b] = [values[i], values[j]];
            if (a === b) return i - j;
            if (a === null || b === null) return a === null ? 1 : -1;
            return a < b !== descending ? -1 : 1;
          });
        expect([...rows]).toEqual(expected);
      },
    );
  });
});

function decimals(values: readonly (bigint | null)[]): Data {
  const words = new BigInt64Array(values.length * 2);
  const nullBitmap = new Uint8Array((values.length + 7) >> 3);
  for (const [i, value] of values.entries()) {
    // A null cell may hold any units.
    words[2 * i] = BigInt.asIntN(64, value ?? 77n);
    words[2 * i + 1] = (value ?? 0n) >> 64n;
    if (value !== null) nullBitmap[i >> 3] |= 1 << (i & 7);
  }
  const data = new Uint32Array(words.buffer);
  return makeData({ type: new Decimal(0, 38, 128), length: values.length, data, nullBitmap }) as Data;
}
