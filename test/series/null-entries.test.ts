import { tableToIPC } from "apache-arrow";
import { describe, expect, it } from "vitest";
import {
  DateDay,
  Dictionary,
  Int32,
  makeData,
  Table,
  Utf8,
  Vector,
  vectorFromArray,
} from "../../src/columns/arrow/arrow.js";
import { Frame } from "../../src/frame/frame.js";
import { frameOfIPC } from "../frame-of-ipc.js";

/** Text whose dictionary holds a null: rows 1 and 3 are of that entry, row 4 has no index. */
function table(): Table {
  const dictionary = vectorFromArray(["a", null, "b"], new Utf8());
  const type = new Dictionary(new Utf8(), new Int32());
  const data = Int32Array.of(0, 1, 2, 1, 0);
  const nullBitmap = Uint8Array.of(0b01111);
  const key = new Vector([makeData({ type, length: 5, nullCount: 1, nullBitmap, data, dictionary })]);
  const days = makeData({ type: new DateDay(), length: 5, nullCount: 0, data: Int32Array.of(0, 1, 2, 3, 4) });
  return new Table({ day: new Vector([days]), key: key as never });
}

describe.each([
  ["a table", () => Frame.from(table())],
  ["a slice", () => Frame.from(table().slice(0, 5))],
  ["an Arrow stream", () => frameOfIPC(tableToIPC(table() as never, "stream"))],
])("a null in the dictionary of %s is a null", (_, read) => {
  const keys = ["a", null, "b", null, null];

  it("in cells, counts and filters", () => {
    const frame = read();
    expect(frame.column("key").toStrings()).toEqual(keys);
    expect(frame.column("key").nullCount).toBe(3);
    expect(frame.dropNulls().column("key").toStrings()).toEqual(["a", "b"]);
  });

  it("in groups, keys and series", () => {
    const frame = read();
    const counted = [...frame.valueCounts("key").rows()].map((row) => [row["key"], row["count"]]);
    expect(new Map(counted as [string | null, number][])).toEqual(
      new Map([
        ["a", 1],
        ["b", 1],
        [null, 3],
      ]),
    );
    expect(frame.join(frame, { on: "key" }).numRows).toBe(2);
    expect(frame.fill("forward").column("key").toStrings()).toEqual(["a", "a", "b", "b", "b"]);
    expect(frame.collapse("monthly").column("key").toStrings()).toEqual(["b"]);
    expect(frame.sort("day").head(2).column("key").toStrings()).toEqual(["a", null]);
  });
});
