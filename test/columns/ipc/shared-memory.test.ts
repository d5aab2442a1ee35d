import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Frame } from "../../../src/frame/frame.js";
import { frameOfIPC } from "../../frame-of-ipc.js";
import { forAll } from "../../support/for-all.js";
import { runs } from "../../support/whole.js";

describe("columns that share their memory", () => {
  it("are all written, whole and as slices", () => {
    const cell = fc.record({ n: fc.option(fc.nat(9)), t: fc.option(fc.constantFrom("a", "b", "")), b: fc.boolean() });
    forAll(runs(100), fc.array(cell, { minLength: 1, maxLength: 40 }), fc.nat(20), (rows, from) => {
      const columns = ["n", "t", "b"].map((name, i) => ({ name, type: ["double", "String", "Boolean"][i] }));
      const frame = Frame.fromRows(rows, columns);
      const [n, t, b] = columns.map(({ name }) => frame.column(name));
      const twice = frame.with({ m: n as never, o: n as never, u: t as never, c: b as never });
      for (const made of [twice, twice.slice(from), Frame.concat([twice, twice.slice(from)])]) {
        for (const names of [
          ["n", "m", "o"],
          ["t", "u"],
          ["b", "c"],
          ["c", "u", "m", "n", "t"],
        ]) {
          const some = made.select(...(names as never[]));
          expect(frameOfIPC(some.toIPC()).toArray()).toEqual(some.toArray());
        }
      }
    });
  });
});
