import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Binary, type Data, makeData, type Table, Utf8, Vector } from "../../src/columns/arrow/arrow.js";
import { TEXT_LIMIT } from "../../src/columns/build/text-limit.js";
import { takeVector } from "../../src/columns/table/take.js";
import { Frame } from "../../src/frame/frame.js";
import { frameOfIPC } from "../frame-of-ipc.js";
import { Random } from "../fuzz/random.js";
import { chunked, LAYOUTS, randomCuts, randomTexts, tableOfChunks } from "../series/random-texts.js";
import { runs } from "../support/whole.js";
import { utf8 } from "./rows.js";

const MOST = TEXT_LIMIT.bytes;
beforeEach(() => {
  TEXT_LIMIT.bytes = 600;
});
afterEach(() => {
  TEXT_LIMIT.bytes = MOST;
});

/** No chunk and no dictionary of a table holds more than the limit; its offsets ascend. */
function expectWithin({ batches }: Table): void {
  const check = (data: Data): void => {
    for (const values of data.dictionary?.data ?? []) check(values as Data);
    const offsets = data.valueOffsets as Int32Array | undefined;
    if (!(offsets instanceof Int32Array)) return;
    expect(offsets[data.length] - offsets[0]).toBeLessThanOrEqual(TEXT_LIMIT.bytes);
    expect(offsets.every((offset, i) => i === 0 || offset >= offsets[i - 1])).toBe(true);
  };
  for (const { data } of batches) for (const child of data.children) check(child);
}

const words = (random: Random, rows: number, distinct: number): (string | null)[] =>
  Array.from({ length: rows }, () => {
    const n = random.below(distinct);
    return n === 0 ? null : `${n}`.padStart(1 + (n % 90), "ab\u00e9");
  });

type Row = Record<"k" | "t", string | null>;
const cell = (value: string | null): string => (value === null ? "" : JSON.stringify(value));

describe("text beyond what the offsets of a chunk reach", () => {
  const readers: Record<string, (rows: readonly Row[]) => Promise<Frame> | Frame> = {
    "CSV, declared": (rows) =>
      Frame.fromCSV(utf8(`k,t\n${rows.map(({ k, t }) => `${k},${cell(t)}\n`).join("")}`), {
        columns: ["k", "t"].map((name) => ({ name, type: "String" })),
      }),
    "CSV, inferred": (rows) =>
      Frame.fromCSV(utf8(`k,t\n${rows.map(({ k, t }) => `k${k},${cell(t)}\n`).join("")}`), { columns: "infer" }).then(
        (frame) => frame.with({ k: rows.map(({ k }) => k) }),
      ),
    "CSV as utf8": (rows) =>
      Frame.fromCSV(utf8(`k,t\n${rows.map(({ k, t }) => `${k},${cell(t)}\n`).join("")}`), {
        columns: ["k", "t"].map((name) => ({ name, type: "String" })),
        text: "utf8",
      }),
    "JSON lines": (rows) => Frame.fromJSONLines(utf8(rows.map((row) => `${JSON.stringify(row)}\n`).join(""))),
    rows: (rows) => Frame.fromRows(rows),
    columns: (rows) => Frame.fromColumns({ k: rows.map(({ k }) => k), t: rows.map(({ t }) => t) }, { t: "String" }),
  };

  it.each(Object.entries(readers))("is read in several chunks: %s", async (_, read) => {
    // More than readers take from a file at a time.
    TEXT_LIMIT.bytes = 4_000_000;
    for (let seed = 1; seed <= runs(4, 1); seed++) {
      const random = new Random(seed);
      const texts = words(random, random.pick([1, 900, 3_000]), random.pick([3, 1 << 30]));
      const rows = ["x", ...texts].map((t, i) => ({ k: String(i), t: t && (i % 3 > 0 ? t.padEnd(4_000, t) : t) }));
      const frame = await read(rows);
      // Not as one value: what differs would take minutes to print.
      expect(
        frame.toArray().every(({ k, t }, i) => k === rows[i].k && t === rows[i].t),
        `seed ${seed}`,
      ).toBe(true);
      expect(frame.numRows).toBe(rows.length);
      expectWithin(frame.table);
    }
  });

  it("is taken, filtered and sorted in several chunks", () => {
    for (let seed = 1; seed <= runs(40); seed++) {
      const random = new Random(seed);
      const rows = random.pick([1, 30, 200]);
      const texts = randomTexts(random, rows).map((text) => text?.padEnd(random.below(60), "x") ?? null);
      TEXT_LIMIT.bytes = MOST;
      const cuts = randomCuts(random, rows);
      const t = chunked(random, texts, "utf8", cuts);
      const b = new Vector(t.data.map((data) => data.clone(new Binary() as never)));
      TEXT_LIMIT.bytes = 600;
      const frame = Frame.from(tableOfChunks({ t, b })).with({ n: Array.from({ length: rows }, (_, i) => i) });
      const places = Int32Array.from({ length: 300 }, () => random.below(rows));
      const taken = frame.take(places);
      expect(taken.column("t").toStrings(), `seed ${seed}`).toEqual(Array.from(places, (i) => texts[i]));
      expect(taken.toArray()).toEqual(
        Array.from(places, (i) => frame.column("b").get(i)).map((cell, i) => ({
          t: texts[places[i]],
          b: cell,
          n: places[i],
        })),
      );
      expectWithin(taken.table);
      const kept = frame.filter(({ n }: { n: number }) => n % 3 > 0);
      expect(kept.column("t").toStrings()).toEqual(texts.filter((_, i) => i % 3 > 0));
      expectWithin(kept.table);
      const turned = frame.sort(["n", "desc"]);
      expect(turned.column("t").toStrings()).toEqual([...texts].reverse());
      expectWithin(turned.table);
    }
  });

  it("in every layout, is right or one error that says so", () => {
    let refused = 0;
    for (let seed = 1; seed <= runs(60); seed++) {
      const random = new Random(seed);
      const rows = random.pick([1, 30, 200]);
      const texts = randomTexts(random, rows).map((text) => text?.padEnd(random.below(60), "x") ?? null);
      TEXT_LIMIT.bytes = MOST;
      const cuts = randomCuts(random, rows);
      const t = chunked(random, texts, random.pick(LAYOUTS), cuts);
      TEXT_LIMIT.bytes = 600;
      const frame = Frame.from(tableOfChunks({ t, u: t })).with({ n: Array.from({ length: rows }, (_, i) => i) });
      const checks: (() => unknown)[] = [
        () => expect(frame.groupBy("n").agg({ t: "first" }).column("t").toStrings()).toEqual(texts),
        () => expect(frame.sort(["n", "desc"]).column("t").toStrings()).toEqual([...texts].reverse()),
        () => expect(frame.cast({ t: "String" }).column("t").toStrings()).toEqual(texts),
        () => expect(frame.unpivot({ index: "n" }).column("value").toStrings()).toEqual([...texts, ...texts]),
        () => expect(Frame.concat([frame, frame]).column("t").toStrings()).toEqual([...texts, ...texts]),
        () => expect(frame.select("n").join(frame, { on: "n" }).column("t").toStrings()).toEqual(texts),
        () =>
          expect(
            Frame.align([frame.select("n", "u"), frame], { on: "n" })
              .column("t")
              .toStrings(),
          ).toEqual(texts),
        () => expect(frame.fill({ value: "y" }).column("t").toStrings()).toEqual(texts.map((text) => text ?? "y")),
        () => expect(frameOfIPC(frame.toIPC()).column("t").toStrings()).toEqual(texts),
      ];
      for (const check of checks) {
        try {
          check();
        } catch (error) {
          if ((error as { code?: string }).code !== "TextTooLong") throw error;
          refused++;
        }
      }
    }
    expect(refused).toBeGreaterThan(0);
  });

  it("in one chunk by itself is an error with the bytes", () => {
    const text = "x".repeat(50);
    const data = Buffer.from(text.repeat(10));
    const valueOffsets = Int32Array.from({ length: 11 }, (_, i) => i * 50);
    const vector = new Vector([makeData({ type: new Utf8(), length: 10, valueOffsets, data: new Uint8Array(data) })]);
    const places = Int32Array.from({ length: 13 }, (_, i) => i % 10);
    expect(() => takeVector(vector, places)).toThrow("would have 650 bytes of text; it holds 600");
  });
});
