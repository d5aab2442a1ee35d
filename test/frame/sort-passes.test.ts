import fc from "fast-check";
import { expect, it } from "vitest";
import { Frame } from "../../src/index.js";
import { forAll } from "../support/for-all.js";
import { runs } from "../support/whole.js";

/** Rows below and above the number from which passes have more bits. */
const LENGTHS = [50, 5_000];

it.each(LENGTHS)("sorts %d integers that differ in any bits, stably in both directions", (length) => {
  const bits = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
  forAll(
    {
      seed: 17,
      numRuns: runs(length > 1_000 ? 30 : 150),
      examples: [0, 1, -1, 1 << 31, 0x7fffffff, 0x00ffff00, 1 | (1 << 31), 0xffe00000 | 0].map((free) => [7, free, 3]),
    },
    bits,
    bits,
    fc.nat(),
    (fixed, free, seed) => {
      const values = Int32Array.from({ length }, (_, i) => fixed ^ (Math.imul(i * i + seed, 0x9e3779b1) & free));
      const rows = Array.from(values, (value, i) => ({ value, i }));
      const frame = Frame.fromColumns({ value: values, i: Int32Array.from(rows, ({ i }) => i) });
      for (const sign of [1, -1]) {
        const sorted = frame
          .sort(["value", sign === 1 ? "asc" : "desc"])
          .column("i")
          .toArray();
        const wanted = rows.toSorted((a, b) => sign * (a.value - b.value) || a.i - b.i).map(({ i }) => i);
        expect(Array.from(sorted as ArrayLike<unknown>, Number)).toEqual(wanted);
      }
    },
  );
});
