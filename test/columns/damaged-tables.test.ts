import { tableFromIPC } from "apache-arrow";
import { expect, it } from "vitest";
import type { Data } from "../../src/columns/arrow/arrow.js";
import { tableToIPCBytes } from "../../src/columns/ipc/stream.js";
import { Frame } from "../../src/index.js";
import { otherTypes } from "../fuzz/arrow-corpus.js";

it.each<[name: string, damage: (data: Data) => void, code: string]>([
  ["list", (data) => data.valueOffsets.set([13], 5), "BadArrow"],
  ["large", (data) => (data.valueOffsets as unknown as BigInt64Array).set([-1n], 1), "BadArrow"],
  ["binary", (data) => data.valueOffsets.set([1000], 3), "BadArrow"],
  [
    "view",
    (data) => new DataView(data.values.buffer, data.values.byteOffset).setInt32(3 * 16 + 12, -1, true),
    "BadArrow",
  ],
  ["dense", (data) => data.valueOffsets.set([3], 0), "BadArrow"],
  ["sparse", (data) => data.typeIds.set([4], 1), "BadArrow"],
  ["words", (data) => data.values.set([2], 4), "BadDictionaryIndex"],
])(
  "a table that the Arrow library read, damaged in %s, is refused with the column and the row",
  (name, damage, code) => {
    const table = tableFromIPC(tableToIPCBytes(otherTypes(1, [name])));
    expect(Frame.from(table).numRows).toBe(5);
    damage(table.batches[0].data.children[0] as unknown as Data);
    expect(() => Frame.from(table)).toThrow(expect.objectContaining({ code, column: name, row: expect.any(Number) }));
  },
);
