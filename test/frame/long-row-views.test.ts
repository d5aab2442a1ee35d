import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Table, type Vector, vectorFromArray } from "../../src/columns/arrow/arrow.js";
import { Frame } from "../../src/index.js";
import { decimals } from "../engine/tables.js";
import { forAll } from "../support/for-all.js";
import { runs } from "../support/whole.js";

const EDGES = [51, 52, 53, 63, 64, 100].flatMap((bits) =>
  [-1n, 0n, 1n].flatMap((near) => [2n ** BigInt(bits) + near, -(2n ** BigInt(bits)) + near]),
);

/** Decimals of which some are too large for a double's integers, alone or side by side, in two long batches. */
function longFrame(lengths: readonly number[], every: number, scale: number): Frame {
  const frames = lengths.map((length, k) => {
    const units = Array.from({ length }, (_, i) => {
      const edge = EDGES[(i / every) % EDGES.length];
      return edge ?? BigInt(((i * 7_919) % 2_000_003) - 1_000_000 + k);
    });
    const a = decimals(38, scale, units);
    const b = decimals(38, scale, units.toReversed());
    const i = vectorFromArray(Float64Array.from({ length }, (_, n) => n));
    return Frame.from(new Table({ a, b, i } as Record<string, Vector>));
  });
  return Frame.concat(frames);
}

/** The numbers of a column by their exact text. */
const exact = (frame: Frame, name: string): number[] =>
  (frame.column(name).toArray({ decimals: "string" }) as string[]).map(Number);

const numbers = (frame: Frame, name: string): unknown[] =>
  Array.from(frame.column(name).toArray() as ArrayLike<unknown>);

describe("callbacks over long tables of decimals", () => {
  it.each([
    [[70_000, 20_001], 1_000, 4],
    [[140_001], 3, 0],
    [[16_384], 511, 22],
    [[5, 30_000], 16_384, 10],
  ])("read the nearest double of each: batches %j, an edge every %d rows, scale %d", (lengths, every, scale) => {
    const frame = longFrame(lengths, every, scale);
    const [a, b] = [exact(frame, "a"), exact(frame, "b")];
    const read: number[] = [];
    const same = frame.filter((row) => {
      read.push(row.a as number);
      return row.b === b[read.length - 1];
    });
    expect(read).toEqual(a);
    expect(same.numRows).toBe(a.length);
    expect(numbers(frame.with({ x: (row) => (row.a as number) - (row.b as number) }), "x")).toEqual(
      a.map((value, i) => value - b[i]),
    );
  });

  it("read the same through slices, selections, random orders and callbacks in callbacks", () => {
    const frame = longFrame([70_000, 30_000], 700, 3);
    const a = exact(frame, "a");
    const sliced = frame.slice(1_003, 91_001);
    expect(numbers(sliced.with({ x: (row) => row.a }), "x")).toEqual(a.slice(1_003, 91_001));
    const mixed = frame.take(Int32Array.from(a, (_, i) => (i * 7_919) % a.length));
    const wanted = exact(mixed, "a");
    const read: unknown[] = [];
    mixed.filter((row) => read.push(row.a) > 0);
    expect(read).toEqual(wanted);
    let within = 0;
    const outer = frame.with({
      x: (row) => {
        const { i, a: before } = row as { i: number; a: number };
        if (i % 50_000 === 60) within += frame.filter((other) => other.a === before).numRows;
        return (row.a as number) + 0;
      },
    });
    expect(numbers(outer, "x")).toEqual(a);
    expect(within).toBeGreaterThanOrEqual(3);
  });

  it("gives nulls where a callback does, across batches", () => {
    const frame = longFrame([65_537, 65_535, 7], 900, 2);
    const a = exact(frame, "a");
    forAll(
      { seed: 5, numRuns: runs(6) },
      fc.array(fc.nat(a.length - 1), { maxLength: 5 }),
      fc.boolean(),
      (places, all) => {
        const nulls = new Set([...places, 0, 65_535, 65_536, 65_537, 131_071, 131_072, a.length - 1]);
        let at = 0;
        const made = frame.with({
          x: (row) => ((all && at > 70_000) || nulls.has(at++) ? (at % 2 ? null : undefined) : row.a),
        });
        at = 0;
        const wanted = a.map((value) => ((all && at > 70_000) || nulls.has(at++) ? null : value));
        expect(numbers(made, "x")).toEqual(wanted);
        expect(made.column("x").vector.nullCount).toBe(wanted.filter((value) => value === null).length);
      },
    );
    expect(numbers(frame.with({ x: () => null }), "x")).toEqual(a.map(() => null));
  });

  it.each([0, 65_535, 65_536, 131_078])("gives text from row %d on with the values before", (first) => {
    const frame = longFrame([65_537, 65_535, 7], 900, 2);
    let at = 0;
    const job = () => frame.with({ x: () => (at++ >= first ? "text" : null) });
    expect(numbers(job(), "x")).toEqual(Array.from({ length: frame.numRows }, (_, i) => (i >= first ? "text" : null)));
    let row = 0;
    const mixed = () => frame.with({ x: () => (row++ === first ? "text" : 1.5) });
    expect(mixed).toThrow(expect.objectContaining({ code: "MixedTypes" }));
  });
});
