import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Frame } from "../../src/index.js";
import { forAllAsync } from "../support/for-all.js";
import { runs } from "../support/whole.js";

const typesOf = (frame: { readonly columns: readonly { readonly type: string }[] }) =>
  frame.columns.map(({ type }) => type);
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const inferred = (cells: readonly string[]) =>
  Frame.fromCSV(bytes(`x,n\n${cells.map((cell, i) => `${cell},${i}\n`).join("")}`), { columns: "infer" });

/** A number as units of the smallest scale of these tests. */
const SCALE = 30;
const units = (text: string | null): bigint | null => {
  if (text === null) return null;
  const [whole, fraction = ""] = text.split(".");
  return BigInt(whole + fraction.padEnd(SCALE, "0"));
};

const decimalCells = fc
  .tuple(fc.integer({ min: 1, max: 18 }), fc.integer({ min: 1, max: 12 }))
  .chain(([whole, scale]) =>
    fc.array(
      fc
        .tuple(fc.bigInt({ min: 1n, max: 10n ** BigInt(whole) - 1n }), fc.nat({ max: 9 }))
        .map(([n, digit]) => `${n}.${String(digit).padStart(scale, "0")}`),
      { minLength: 1, maxLength: 6 },
    ),
  );
const integerCells = fc.array(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }).map(String), {
  minLength: 1,
  maxLength: 6,
});
const cells = fc.oneof(decimalCells, decimalCells, integerCells);

describe("frames whose numbers were inferred of other widths", () => {
  it("concatenate without a change of value", async () => {
    await forAllAsync({ numRuns: runs(60), seed: 23 }, cells, cells, cells, async (a, b, c) => {
      const frames = await Promise.all([a, b, c].map(inferred));
      const all = Frame.concat(frames);
      expect(all.column("x").toStrings().map(units)).toEqual([...a, ...b, ...c].map(units));
      const again = Frame.fromRows(
        all.toArray({ decimals: "string" }) as object[],
        all.columns.map(({ name, type }) => ({ name, type })),
      );
      expect(again.column("x").toStrings()).toEqual(all.column("x").toStrings());
    });
  });

  it("join and align where the numbers are equal", async () => {
    await forAllAsync({ numRuns: runs(60), seed: 24 }, cells, cells, async (a, b) => {
      const [left, right] = await Promise.all([inferred([...a, "7"]), inferred([...b, "7.0"])]);
      const others = [...b, "7.0"].map(units);
      const pairs = [...a, "7"].flatMap((x, i) => others.flatMap((y, k) => (units(x) === y ? [[i, k]] : [])));
      const joined = left
        .join(right, { on: "x" })
        .select("n", "n_right" as never)
        .toArray() as object[];
      expect(joined.map((row) => Object.values(row))).toEqual(pairs);
      const outer = left.join(right, { on: "x", how: "outer" });
      const alone = others.filter((y) => ![...a, "7"].map(units).includes(y as bigint));
      expect(
        outer
          .column("x")
          .toStrings()
          .map(units)
          .slice(-alone.length || outer.numRows),
      ).toEqual(alone.length === 0 ? outer.column("x").toStrings().map(units) : alone);
      const aligned = Frame.align([left, right], { on: "x", how: "inner" });
      expect(aligned.numRows).toBe(pairs.length);
    });
  });

  it("say their type", async () => {
    const [a, b] = await Promise.all([inferred(["1.25"]), inferred(["10.50", "3.00"])]);
    expect([typesOf(a)[0], typesOf(b)[0]]).toEqual(["BigDecimal(3,2)", "BigDecimal(4,2)"]);
    expect(typesOf(Frame.concat([a, b]))[0]).toBe("BigDecimal(4,2)");
    expect(typesOf(a.join(b, { on: "x", how: "outer" }))[0]).toBe("BigDecimal(4,2)");
    expect(typesOf(a.join(b, { on: "x" }))[0]).toBe("BigDecimal(3,2)");
    expect(typesOf(Frame.align([a, b], { on: "x" }))[0]).toBe("BigDecimal(4,2)");
    expect(
      Frame.concat([a, await inferred(["100"])])
        .column("x")
        .toStrings(),
    ).toEqual(["1.25", "100.00"]);
  });
});

describe("integers beside doubles", () => {
  const columns = (type: string) => [{ name: "x", type }];
  const of = (type: string, values: readonly (number | bigint | null)[]) =>
    Frame.fromRows(
      values.map((x) => ({ x })),
      columns(type),
    );

  it("join and concatenate where doubles hold them", () => {
    const [whole, doubles] = [of("Integer", [1, 2, null, 2 ** 53 - 1]), of("double", [2, 2.5, 2 ** 53 - 1, null])];
    expect(whole.join(doubles, { on: "x" }).column("x").toArray()).toEqual([2, 2 ** 53 - 1]);
    expect(doubles.join(whole, { on: "x", how: "anti" }).column("x").toArray()).toEqual([2.5, null]);
    const all = Frame.concat([whole, doubles]);
    expect([typesOf(all)[0], all.column("x").toArray()]).toEqual([
      "double",
      [1, 2, null, 2 ** 53 - 1, 2, 2.5, 2 ** 53 - 1, null],
    ]);
  });

  it("are refused where doubles do not, as decimals are", () => {
    const large = of("Integer", [2n ** 53n + 1n]);
    expect(() => large.join(of("double", [1]), { on: "x" })).toThrow(
      expect.objectContaining({ code: "DifferentTypes" }),
    );
    expect(() => Frame.concat([large, of("double", [1])])).toThrow(
      expect.objectContaining({ code: "DifferentColumns" }),
    );
    expect(() => Frame.concat([of("BigDecimal(3,1)", [1]), of("double", [1])])).toThrow(
      expect.objectContaining({ code: "DifferentColumns" }),
    );
  });
});
