import { Dictionary, Int32, type RecordBatch, Table, Utf8, type Vector, vectorFromArray } from "apache-arrow";
import fc from "fast-check";
import { expect, it } from "vitest";
import { digestTypes, RowsDigest } from "../../src/engine/contract/digest.js";
import { forAll } from "../support/for-all.js";
import { runs } from "../support/whole.js";
import { type AnyCells, anyRow, decimals, tableOfRows } from "./tables.js";

const digestOf = (table: Table, batches: readonly RecordBatch[] = table.batches): string[] => {
  const digest = new RowsDigest(digestTypes(table.schema));
  for (const batch of batches) digest.add(batch);
  return [...table.schema.fields.map((_, i) => digest.column(i)), digest.whole(), String(digest.rows)];
};

const rowsOf = fc.array(anyRow, { minLength: 1, maxLength: 20 });

it("does not depend on the order of rows, on batches or on slices", () => {
  forAll(runs(60), rowsOf, fc.nat(), (rows, seed) => {
    const cut = seed % (rows.length + 1);
    const table = tableOfRows(rows);
    const turned = tableOfRows([...rows.slice(cut), ...rows.slice(0, cut)]);
    expect(digestOf(turned)).toEqual(digestOf(table));
    const parts = [table.slice(0, cut), table.slice(cut)].flatMap((part) => part.batches);
    expect(digestOf(table, parts)).toEqual(digestOf(table));
  });
});

it("any other cell gives its column and the rows another digest, and no other column", () => {
  forAll(runs(200), rowsOf, anyRow, fc.nat(), fc.nat(), (rows, other, at, which) => {
    const index = at % rows.length;
    const name = Object.keys(other)[which % Object.keys(other).length] as keyof AnyCells;
    fc.pre(!Object.is(rows[index][name], other[name]));
    const changed = rows.map((row, i) => (i === index ? { ...row, [name]: other[name] } : row));
    const [before, after] = [digestOf(tableOfRows(rows)), digestOf(tableOfRows(changed))];
    const differs = before.flatMap((digest, i) => (digest === after[i] ? [] : [i]));
    expect(differs).toEqual([Object.keys(other).indexOf(name), Object.keys(other).length]);
  });
});

it("cells that changed places within their columns only differ in the rows", () => {
  const table = (b: readonly number[]) => new Table({ a: vectorFromArray([1, 2]), b: vectorFromArray(b) });
  const [before, after] = [digestOf(table([3, 4])), digestOf(table([4, 3]))];
  expect(after.slice(0, 2)).toEqual(before.slice(0, 2));
  expect(after[2]).not.toBe(before[2]);
});

it("a value has one digest in all its Arrow types", () => {
  const one = (vector: Vector): string => digestOf(new Table({ v: vector }))[0];
  const texts = ["a", null, "bb", "a"];
  expect(one(vectorFromArray(texts, new Dictionary(new Utf8(), new Int32())))).toBe(
    one(vectorFromArray(texts, new Utf8())),
  );
  const wide = [10n ** 40n, -(10n ** 40n), 5n, null];
  const schema = new Table({ v: decimals(50, 2, wide, 256) }).schema;
  const spelled = vectorFromArray([`1${"0".repeat(38)}.00`, `-1${"0".repeat(38)}.00`, "0.05", null], new Utf8());
  const digest = new RowsDigest(digestTypes(schema));
  digest.add(new Table({ v: spelled }).batches[0]);
  expect(digest.column(0)).toBe(digestOf(new Table({ v: decimals(50, 2, wide, 256) }))[0]);
  expect(one(decimals(38, 0, [2n ** 64n - 1n, -1n]))).toBe(one(decimals(60, 0, [2n ** 64n - 1n, -1n], 256)));
});
