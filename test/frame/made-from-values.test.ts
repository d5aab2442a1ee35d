import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Frame } from "../../src/frame/frame.js";
import { forAll } from "../support/for-all.js";
import { runs } from "../support/whole.js";

describe("fromRows without columns", () => {
  it("has the members of all rows, wherever they first appear", () => {
    const member = fc.dictionary(fc.constantFrom("a", "b", "c", "d", "constructor", "__proto__"), fc.nat(9));
    forAll(runs(60), fc.array(member, { maxLength: 8 }), fc.constantFrom(0, 99, 100, 101, 5_000), (rows, before) => {
      const all: Record<string, number>[] = [...Array.from({ length: before }, () => ({ a: 1 })), ...rows];
      const names = new Set(all.flatMap((row) => Object.keys(row)));
      const frame = Frame.fromRows(all);
      expect(frame.columns.map(({ name }) => name)).toEqual([...names]);
      for (const [i, { name }] of frame.columns.entries()) {
        const cells = all.map((row) => (Object.hasOwn(row, name) ? row[name] : null));
        expect(frame.column(i).toArray()).toEqual(cells);
      }
    });
  });
});

describe("frames keep their values when the caller changes what they were made from", () => {
  const arrays = [
    () => Float64Array.of(1, 2, 3),
    () => Float32Array.of(1, 2, 3),
    () => Int8Array.of(1, 2, 3),
    () => Uint8Array.of(1, 2, 3),
    () => Int16Array.of(1, 2, 3),
    () => Uint16Array.of(1, 2, 3),
    () => Int32Array.of(1, 2, 3),
    () => Uint32Array.of(1, 2, 3),
    () => BigInt64Array.of(1n, 2n, 3n),
    () => new Float64Array([0, 1, 2, 3, 4]).subarray(1, 4),
    () => new Int32Array(new SharedArrayBuffer(12)).map((_, i) => i + 1),
    () => [1, 2, 3],
    () => ["1", "2", "3"],
  ];

  it.each(arrays.map((make) => [make().constructor.name, make] as const))("%s", (_, make) => {
    const given = make();
    const other = make();
    const list = Frame.fromColumns({ a: given as number[] });
    const typed = Frame.fromColumns({ a: given as number[] }, { a: "double" });
    const added = list.with({ b: other as number[] });
    const read = (): unknown => [list.toArray(), typed.toArray(), added.toArray(), [...added.toIPC()]];
    const before = read();
    for (const array of [given, other] as unknown[][]) array.reverse();
    expect(read()).toEqual(before);
  });

  it("rows, masks and row numbers", () => {
    const rows = [{ a: 1, when: new Date(0) }];
    const mask = Uint8Array.of(1, 0, 1);
    const places = Int32Array.of(2, 0);
    const three = Frame.fromColumns({ a: [1, 2, 3] });
    const frames = [Frame.fromRows(rows), three.filter(mask), three.take(places)];
    const before = frames.map((frame) => frame.toArray());
    rows[0].a = 5;
    rows[0].when.setTime(5);
    mask.fill(0);
    places.fill(1);
    expect(frames.map((frame) => frame.toArray())).toEqual(before);
  });
});
