import fc from "fast-check";
import { expect, it } from "vitest";
import { MOST_DISTINCT, SAMPLE_ROWS, sampleOf, summaryOf } from "../../src/display/table/column-summary.js";
import { Summaries } from "../../src/display/table/summaries.js";
import { summaryImage, summaryView } from "../../src/display/table/summary-view.js";
import { Frame } from "../../src/frame/frame.js";
import { forAll } from "../support/for-all.js";
import { runs } from "../support/whole.js";

const vectorOf = (type: string, values: readonly unknown[]) =>
  Frame.fromRows(
    values.map((v) => ({ v })),
    [{ name: "v", type }],
  ).column("v").vector;

const nullable = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });

it("counts nulls, different values, extremes and intervals as a plain loop does", () => {
  const units = fc.oneof(fc.bigInt({ min: -5n, max: 5n }), fc.bigInt({ min: -(10n ** 37n), max: 10n ** 37n }));
  forAll(runs(400), fc.array(nullable(units), { maxLength: 60 }), (values) => {
    const found = summaryOf(vectorOf("BigDecimal(38,0)", values));
    const held = values.filter((value): value is bigint => value !== null).sort((a, b) => (a < b ? -1 : 1));
    const { rows, nulls, distinct, range, bars } = found;
    expect([rows, nulls, distinct]).toEqual([values.length, values.length - held.length, new Set(held).size]);
    expect(range).toEqual(held.length === 0 ? undefined : [String(held[0]), String(held.at(-1))]);
    expect((bars ?? []).reduce((sum, count) => sum + count, 0)).toBe(held.length);
  });
});

it("counts texts, the most frequent first", () => {
  const text = fc.constantFrom("", "a", "b", "ü", "\u{1f600}", "\uffff");
  forAll(runs(200), fc.array(nullable(text), { maxLength: 40 }), (values) => {
    const { nulls, distinct, top } = summaryOf(vectorOf("String", values));
    const counts = new Map<string, number>();
    for (const value of values) if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1);
    expect([nulls, distinct]).toEqual([values.filter((value) => value === null).length, counts.size]);
    expect(new Map(top)).toEqual(counts);
    expect(top?.map(([, count]) => count)).toEqual([...counts.values()].sort((a, b) => b - a));
  });
});

it("places values in equal intervals of the range, without infinite ones", () => {
  const values = [0, -0, 1, 10, 19.9, 20, Number.NaN, Number.POSITIVE_INFINITY];
  const found = summaryOf(Frame.fromColumns({ v: Float64Array.from(values) }).column("v").vector);
  expect([found.nulls, found.distinct, found.range]).toEqual([1, 6, ["0.0", "Infinity"]]);
  const bars = new Array<number>(20).fill(0);
  for (const at of [0, 0, 1, 10, 19, 19]) bars[at]++;
  expect(found.bars).toEqual(bars);
});

it("keeps extremes that have one nearest double apart", () => {
  const values = ["9007199254740993", "9007199254740992", "9007199254740992"];
  const { range, distinct } = summaryOf(vectorOf("Integer", values));
  expect([range, distinct]).toEqual([["9007199254740992", "9007199254740993"], 2]);
});

it("summarizes dates, timestamps, truths, and columns of nulls", () => {
  expect(summaryOf(vectorOf("Date", ["2024-02-29", null, "2020-01-01"])).range).toEqual(["2020-01-01", "2024-02-29"]);
  expect(summaryOf(vectorOf("DateTime", ["2024-02-29T10:00:00Z"])).distinct).toBe(1);
  expect(summaryOf(vectorOf("boolean", [true, false, true])).top).toEqual([
    ["true", 2],
    ["false", 1],
  ]);
  const none = summaryOf(vectorOf("Integer", [null, null]));
  expect([none.nulls, none.distinct, none.range, none.bars]).toEqual([2, 0, undefined, undefined]);
});

it("counts no more different values than it says", () => {
  const some = (rows: number) => Frame.fromColumns({ v: Int32Array.from({ length: rows }, (_, i) => i) });
  expect(summaryOf(some(MOST_DISTINCT).column("v").vector).distinct).toBe(MOST_DISTINCT);
  const more = summaryOf(some(MOST_DISTINCT + 1).column("v").vector);
  expect(more.distinct).toBeUndefined();
  expect(summaryView("v", more, MOST_DISTINCT + 1).lines).toEqual(["0 … 250000", "> 250,000 distinct"]);
});

it("emits a sample that says so, then all rows, without holding up other work", async () => {
  const frame: Frame = Frame.fromColumns({
    n: Int32Array.from({ length: 200_000 }, (_, i) => i % 1_000),
    s: Array.from({ length: 200_000 }, (_, i) => (i % 4 === 0 ? null : `t${i % 3}`)),
    few: "x",
  });
  const vectors = frame.columns.map(({ name }) => frame.column(name).vector);
  const emitted: string[] = [];
  const queue = new Summaries(vectors, (at, summary) => {
    emitted.push(`${at} ${summaryView(frame.columns[at].name, summary, 200_000).lines.join(" | ")}`);
  });
  queue.request([0, 1]);
  queue.request([1, 0]);
  let turns = 0;
  while (emitted.length < 4) {
    await new Promise((done) => setImmediate(done));
    turns++;
  }
  expect(emitted).toEqual([
    `0 0 … 980 | ≥ 50 distinct | sample of ${SAMPLE_ROWS.toLocaleString("en")}`,
    expect.stringMatching(/^1 .* null · ≥ \d distinct \| sample of 10,000$/),
    "0 0 … 999 | 1,000 distinct",
    "1 t0 25% | 50,000 null · 3 distinct",
  ]);
  expect(turns).toBeGreaterThan(3);
  queue.request([1]);
  expect(emitted.at(-1)).toBe(emitted[3]);
  expect(emitted).toHaveLength(5);
});

it("begins the running column again when the kernel is interrupted", async () => {
  const vector = Frame.fromColumns({ n: Int32Array.from({ length: 300_000 }, (_, i) => i % 7) }).column("n").vector;
  const rows: number[] = [];
  const queue = new Summaries([vector], (_, summary) => {
    rows.push(summary.rows);
    if (rows.length === 1) queue.restart();
  });
  queue.request([0]);
  while (rows.length < 2) await new Promise((done) => setImmediate(done));
  await new Promise((done) => setImmediate(done));
  expect(rows).toEqual([SAMPLE_ROWS, 300_000]);
});

it("describes the picture for a screen reader, and draws it without text", () => {
  const vector = vectorOf("String", ["a<b", "a<b", null, ""]);
  const view = summaryView("s", summaryOf(vector), 4);
  expect(view.label).toBe('s: "" to a<b; most frequent a<b 50%, "" 25%; 1 null; 2 distinct');
  expect(sampleOf(vector)).toBe(vector);
  const svg = Buffer.from((summaryImage(view.bars) ?? "").split(",")[1], "base64").toString();
  expect(svg.match(/<rect/g)).toHaveLength(2);
  expect(summaryImage([])).toBeUndefined();
});
