import { tableFromIPC, tableToIPC } from "apache-arrow";
import { describe, expect, it } from "vitest";
import {
  Dictionary,
  Field,
  Float64,
  Int32,
  List,
  Struct,
  Table,
  Utf8,
  vectorFromArray,
} from "../../src/columns/arrow/arrow.js";
import { Frame } from "../../src/frame/frame.js";
import { formatDate } from "../../src/value/date.js";
import { frameOfIPC } from "../frame-of-ipc.js";
import { Random } from "../fuzz/random.js";
import { runs } from "../support/whole.js";
import { chunked, randomCuts, tableOfChunks } from "./random-texts.js";

type AnyFrame = Frame<Record<string, unknown>>;

const KEYS = ["a", "b", "c", "d", null];

/** Text columns with dictionaries for each batch or for all, a date, a number, and what cannot be decoded alike. */
function frameOf(random: Random, value: string): AnyFrame {
  const rows = 1 + random.below(12);
  const days = Array.from({ length: rows }, (_, i) => formatDate(19_000 + i * 2 + random.below(2)));
  const cuts = randomCuts(random, rows);
  const texts = (): (string | null)[] => Array.from({ length: rows }, () => random.pick(KEYS));
  const layouts = ["dictionary", "dictionaries"] as const;
  const table = tableOfChunks({
    k: chunked(random, texts(), random.pick(layouts), cuts),
    [value]: chunked(random, texts(), random.pick(layouts), cuts),
  });
  return Frame.from(table).with(
    { day: days, x: Array.from({ length: rows }, () => random.below(9)) },
    { day: "Date" },
  ) as unknown as AnyFrame;
}

/** The same rows as files hold them, whose dictionaries are numbered from 0 in each. */
const files: Record<string, (frame: AnyFrame) => AnyFrame> = {
  "our streams": (frame) => frameOfIPC(frame.toIPC()) as never,
  "tables of the Arrow library": (frame) => Frame.from(tableFromIPC(frame.toIPC()) as never) as never,
};

const verbs: Record<string, (left: AnyFrame, right: AnyFrame) => AnyFrame> = {
  "inner join": (l, r) => l.join(r, { on: "k" }) as never,
  "left join": (l, r) => l.join(r, { on: "k", how: "left" }) as never,
  "right join": (l, r) => l.join(r, { on: "k", how: "right" }) as never,
  "outer join": (l, r) => l.join(r, { on: "k", how: "outer" }) as never,
  "semi join": (l, r) => l.join(r, { on: "k", how: "semi" }) as never,
  "cross join": (l, r) => l.join(r, { how: "cross" }) as never,
  "outer align": (l, r) => Frame.align([l, r], { on: "k" }) as never,
  "inner align": (l, r) => Frame.align([l, r], { on: ["k", "day"], how: "inner" }) as never,
  "left align": (l, r) => Frame.align([l, r], { on: "day", how: "left" }) as never,
  asof: (l, r) => l.asof(r, { on: "day" }) as never,
  "asof by": (l, r) =>
    l.sort("day").asof(r.unique(["k", "day"]).sort("day"), { by: "k", suffix: "_r" } as never) as never,
  concat: (l, r) => Frame.concat([l.select("k", "day"), r.select("k", "day")]) as never,
  "with a column": (l, r) => l.head(1).with({ other: r.head(1).column("k") as never }) as never,
  "fill by a column": (l, r) =>
    l.head(1).with({
      k: l
        .head(1)
        .column("k")
        .fill(r.head(1).column("k") as never),
    }) as never,
};

const rowsOf = (frame: AnyFrame): unknown[] => [...frame.rows()];

describe.each(Object.entries(verbs))("%s of frames of two files", (_, verb) => {
  it.each(Object.entries(files))("as of the same frames in memory, %s", (_kind, read) => {
    for (let seed = 1; seed <= runs(25); seed++) {
      const random = new Random(seed);
      const [left, right] = [frameOf(random, "v"), frameOf(random, "w")];
      const expected = rowsOf(verb(left, right));
      const frames = [read(left), read(right)] as const;
      const made = verb(...frames);
      expect(rowsOf(made), `seed ${seed}`).toEqual(expected);
      expect(rowsOf(frameOfIPC(made.toIPC()) as never), `seed ${seed}`).toEqual(expected);
      // Another writer takes the ids of dictionaries from the table.
      const library = tableFromIPC(tableToIPC(made.table as never)) as never;
      expect(rowsOf(Frame.from(library) as never), `seed ${seed}`).toEqual(expected);
      // A frame meets itself and its own results.
      const again = verb(frames[0], read(left)) as AnyFrame;
      expect(rowsOf(again), `seed ${seed}`).toEqual(rowsOf(verb(left, left)));
    }
  });
});

describe("dictionaries within lists and structs of two files", () => {
  const nested = (text: string): AnyFrame => {
    const code = () => new Dictionary(new Utf8(), new Int32());
    const list = new List(new Field("item", code()));
    const struct = new Struct([new Field("s", code())]);
    const table = new Table({
      k: vectorFromArray([1, 2], new Float64()),
      l: vectorFromArray([[text, "x"], [text]], list),
      s: vectorFromArray([{ s: text }, { s: "y" }], struct),
      d: vectorFromArray([text, "z"], code()),
    } as never);
    return Frame.from(tableFromIPC(tableToIPC(table as never)) as never) as never;
  };

  it("stay apart in join and align, and in files of the result", () => {
    const [left, right] = [nested("left"), nested("right")];
    const expected = [
      { k: 1, l: '["left","x"]', s: '{"s":"left"}', d: "left", l_right: '["right","x"]', s_right: '{"s":"right"}' },
      { k: 2, l: '["left"]', s: '{"s":"y"}', d: "z", l_right: '["right"]', s_right: '{"s":"y"}' },
    ];
    const joined = left.join(right, { on: "k" }) as unknown as AnyFrame;
    expect(rowsOf(joined)).toMatchObject(expected);
    expect(rowsOf(frameOfIPC(joined.toIPC()) as never)).toMatchObject(expected);
    expect(rowsOf(Frame.from(tableFromIPC(tableToIPC(joined.table as never)) as never) as never)).toMatchObject(
      expected,
    );
    expect(rowsOf(Frame.align([left, right], { on: "k" }) as never)).toMatchObject(
      expected.map(({ k, l, s, d }) => ({ k, l_1: l, s_1: s, d_1: d })),
    );
  });
});

describe("the Arrow library's own methods", () => {
  it("work on the tables of frames, also on those with dictionaries of two files", () => {
    const random = new Random(7);
    const [left, right] = [frameOf(random, "v"), frameOf(random, "w")];
    const joined = left.join(right, { on: "k", how: "outer" }) as unknown as AnyFrame;
    for (const frame of [left, joined]) {
      const { table } = frame;
      expect(rowsOf(Frame.from(table.slice(1)) as never)).toEqual(rowsOf(frame.slice(1)));
      expect(rowsOf(Frame.from(table.select(["k"])) as never)).toEqual(rowsOf(frame.select("k") as never));
      expect(rowsOf(Frame.from(table.concat(table.slice(0, 1))) as never)).toEqual([
        ...rowsOf(frame),
        rowsOf(frame)[0],
      ]);
    }
  });
});
