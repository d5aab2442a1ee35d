import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Frame } from "../../src/frame/frame.js";
import { frameOfIPC } from "../frame-of-ipc.js";
import { columnSpecs } from "../support/column-specs.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const base = Frame.fromRows(
  [
    { d: "2024-01-30", v: 1.5, w: "10", x: "a" },
    { d: "2024-01-31", v: null, w: "20", x: "b" },
    { d: "2024-02-01", v: 3.5, w: null, x: "b" },
    { d: "2024-02-02", v: 2, w: "20", x: null },
  ],
  columnSpecs({ d: "Date", v: "double", w: "Integer", x: "String" }),
);

/** Two batches, so that verbs that work batch by batch meet more than one. */
const later = ["2024-02-03", "2024-02-04", "2024-02-05", "2024-02-06"];
const apart = Frame.concat([base, base.with({ d: later, v: [9, 8, 7, null] }, { d: "Date" })]);
const equal = apart.rename(["d", "v", "v", "v"]) as unknown as typeof apart;

/** Types and exact texts of all columns; the names are left out. */
const contents = (frame: Frame) =>
  frame.columns.map(({ type }, i) => [type, String(frame.column(i).vector.type), frame.column(i).toStrings()]);

type Verb = (frame: typeof apart) => Frame;
const verbs: Record<string, Verb> = {
  head: (frame) => frame.head(3),
  take: (frame) => frame.take([4, 0, 2]),
  slice: (frame) => frame.slice(2, 6),
  filter: (frame) => frame.filter([1, 0, 1, 1, 0, 0, 1, 0]),
  sort: (frame) => frame.sort("d"),
  with: (frame) => frame.with({ y: (row) => row.d }),
  rename: (frame) => frame.rename(["a", "b", "b", "b"]),
  concat: (frame) => Frame.concat([frame, frame]),
  cumsum: (frame) => frame.sort("d").cumsum(),
  cummax: (frame) => frame.sort("d").cummax(),
  shift: (frame) => frame.sort("d").shift(1),
  diff: (frame) => frame.sort("d").diff(),
  fill: (frame) => frame.sort("d").fill("forward"),
  rolling: (frame) => frame.sort("d").rolling(2, "sum"),
  ewm: (frame) => frame.sort("d").ewm({ span: 3 }),
  returns: (frame) => frame.sort("d").returns(),
  collapse: (frame) => frame.sort("d").collapse("monthly"),
  resample: (frame) => frame.sort("d").resample("monthly"),
  unique: (frame) => frame.unique("d"),
  asof: (frame) => frame.sort("d").asof(frame.sort("d").select("d"), { on: "d" }),
};

describe("a table with three columns of one name and different types", () => {
  for (const [name, verb] of Object.entries(verbs)) {
    it(`goes through ${name}() as with distinct names`, () => {
      expect(contents(verb(equal))).toEqual(contents(verb(apart)));
    });
  }

  it("is written and read as Arrow and Parquet", async () => {
    const folder = temporaryFolder("equal-names");
    try {
      expect(contents(frameOfIPC(equal.toIPC()))).toEqual(contents(apart));
      await equal.toArrow(join(folder, "a.arrow"));
      expect(contents(await Frame.fromArrow(join(folder, "a.arrow")))).toEqual(contents(apart));
      await equal.toParquet(join(folder, "a.parquet"));
      expect(contents(await Frame.fromParquet(join(folder, "a.parquet")))).toEqual(contents(apart));
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("is displayed, and its columns are found by position", () => {
    expect(equal.toHTML().match(/<th/g)).toEqual(apart.toHTML().match(/<th/g));
    expect(equal.column(2).toArray()).toEqual(apart.column(2).toArray());
    expect(String(Frame.from(equal.table))).toBe(String(equal));
  });
});

describe("a SQL result with equal names", () => {
  it("keeps each column with its type", async () => {
    const frame = await apart.sql("select 1 x, 'a' x, date '2024-02-29' x from this limit 1");
    expect(frame.columns.map(({ name }) => name)).toEqual(["x", "x", "x"]);
    expect(frame.columns.map((_, i) => frame.column(i).toStrings())).toEqual([["1"], ["a"], ["2024-02-29"]]);
  });

  it("keeps each batch under the schema of the result", async () => {
    const { table } = await apart.sql("select i x, i::varchar x from range(200000) t(i)");
    expect(table.batches.every((batch) => batch.schema === table.schema)).toBe(true);
    expect(table.numRows).toBe(200_000);
  });

  it("as input is refused with an error of this package", async () => {
    await expect(equal.sql("select * from this")).rejects.toMatchObject({ name: "InputError" });
  });
});
