import { Utf8View } from "apache-arrow";
import { describe, expect, it } from "vitest";
import {
  type DataType,
  Dictionary,
  Float64,
  Int32,
  LargeUtf8,
  Table,
  Utf8,
  vectorFromArray,
} from "../../src/columns/arrow/arrow.js";
import { Frame } from "../../src/frame/frame.js";

const LAYOUTS: Record<string, () => DataType> = {
  Utf8: () => new Utf8(),
  LargeUtf8: () => new LargeUtf8(),
  Utf8View: () => new Utf8View() as never,
  Dictionary: () => new Dictionary(new Utf8(), new Int32()),
};
const NAMES = Object.keys(LAYOUTS);
const long = "a text of more than twelve bytes";

const frame = (layout: string, texts: readonly (string | null)[], value: string): Frame =>
  Frame.from(
    new Table({
      k: vectorFromArray(texts as string[], LAYOUTS[layout]() as Utf8),
      [value]: vectorFromArray(
        texts.map((_, i) => i),
        new Float64(),
      ),
    } as never) as Table,
  );

describe.each(NAMES)("text as %s", (layout) => {
  it.each(NAMES)("joins and aligns text as %s", (other) => {
    const left = frame(layout, ["a", long, null, "b"], "x");
    const right = frame(other, [long, "a", "c", null], "y");
    expect([...left.join(right, { on: "k" }).rows()]).toEqual([
      { k: "a", x: 0, y: 1 },
      { k: long, x: 1, y: 0 },
    ]);
    const outer = left.join(right, { on: "k", how: "outer" });
    expect(outer.column("k").toStrings()).toEqual(["a", long, null, "b", "c", null]);
    expect(Frame.align([left, right], { on: "k", how: "inner" }).column("k").toStrings()).toEqual(["a", long, null]);
  });

  it("has a least and a greatest value, and is filled", () => {
    const all = frame(layout, ["b", long, null], "x").with({ g: () => "all" });
    expect([
      ...all
        .groupBy("g")
        .agg({ k: ["min", "max", "nunique"] })
        .rows(),
    ]).toEqual([{ g: "all", k_min: long, k_max: "b", k_nunique: 2 }]);
    expect(all.fill({ value: "new" }, { columns: "k" }).column("k").toStrings()).toEqual(["b", long, "new"]);
  });
});
