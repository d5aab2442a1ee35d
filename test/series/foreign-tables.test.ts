import { describe, expect, it } from "vitest";
import {
  Bool,
  type DataType,
  DateMillisecond,
  Dictionary,
  Float32,
  Int16,
  Int32,
  makeData,
  Table,
  TimestampMicrosecond,
  TimestampMillisecond,
  TimestampNanosecond,
  TimestampSecond,
  Uint8,
  Utf8,
  Vector,
  vectorFromArray,
} from "../../src/columns/arrow/arrow.js";
import { Frame } from "../../src/frame/frame.js";
import { frameOfIPC } from "../frame-of-ipc.js";
import { cellsOf, inBatches, textsOf } from "./tables.js";

/** Tables as other programs make them: other widths, times of day, plain text, dictionaries that repeat themselves. */

const MS = [
  Date.UTC(2024, 0, 30, 23, 59),
  Date.UTC(2024, 0, 31, 0, 0),
  Date.UTC(2024, 1, 1, 12, 0),
  Date.UTC(1969, 11, 31, 23, 0),
];

const table = (time: Vector, more: Record<string, Vector> = {}): Table =>
  new Table({ time, value: vectorFromArray([1, 2, 4, 8], new Int32()), ...more });

const raw = (type: DataType, perMs: bigint, below: boolean): Vector => {
  const data = BigInt64Array.from(MS, (ms) => (below ? BigInt(ms) / perMs : BigInt(ms) * perMs));
  return new Vector([makeData({ type: type as TimestampSecond, length: 4, data })]);
};

describe("timestamps count as their UTC day", () => {
  it.each([
    ["seconds", raw(new TimestampSecond("UTC"), 1000n, true)],
    ["milliseconds", raw(new TimestampMillisecond("UTC"), 1n, false)],
    ["microseconds", raw(new TimestampMicrosecond("UTC"), 1000n, false)],
    ["nanoseconds", raw(new TimestampNanosecond("UTC"), 1_000_000n, false)],
    ["dates in milliseconds", raw(new DateMillisecond(), 1n, false)],
  ])("%s", (_, time) => {
    const result = Frame.from(table(time)).collapse("monthly");
    expect(cellsOf(result.table)).toEqual([
      ["1969-12-31", 8],
      ["2024-01-31", 2],
      ["2024-02-29", 4],
    ]);
    expect(cellsOf(Frame.from(table(time)).diff().table).map(([, value]) => value)).toEqual([-7, 1, 2, null]);
    const dropped = Frame.from(table(time)).transform("diff");
    expect(textsOf(dropped.table)).toEqual(textsOf(Frame.from(table(time)).diff().slice(0, 3).table));
  });
});

const time = raw(new TimestampMillisecond("UTC"), 1n, false);

it("narrow numbers are numbers, and keep their type where values are picked", () => {
  const wide = table(time, {
    small: vectorFromArray([1, null, 300, -5], new Int16()),
    byte: vectorFromArray([1, 2, 3, 255], new Uint8()),
    single: vectorFromArray([0.5, 0.25, null, 4], new Float32()),
    flag: vectorFromArray([true, null, false, true], new Bool()),
  });
  const collapsed = Frame.from(wide).collapse("annual");
  expect(collapsed.table.schema.fields.slice(2).map(({ type }) => String(type))).toEqual([
    "Int16",
    "Uint8",
    "Float32",
    "Bool",
  ]);
  expect(cellsOf(collapsed.table)).toEqual([
    ["1969-12-31", 8, -5, 255, 4, true],
    ["2024-12-31", 4, 300, 3, 0.25, false],
  ]);
  const summed = Frame.from(wide).collapse("annual", { value: { small: "sum", byte: "max", single: "mean" } });
  expect(cellsOf(summed.table)[1]).toEqual(["2024-12-31", 4, 301, 3, 0.375, false]);
  expect(cellsOf(Frame.from(wide).fill("forward").table)[2]).toEqual(["2024-02-01T12:00:00Z", 4, 300, 3, 0.25, false]);
});

describe("any column identifies series", () => {
  const names = ["b", "a", "b", null];
  const repeated = (): Vector => {
    const dictionary = vectorFromArray(["a", "b", "b"], new Utf8());
    const type = new Dictionary(new Utf8(), new Int32());
    const nullBitmap = Uint8Array.of(0b0111);
    return new Vector([makeData({ type, length: 4, data: Int32Array.of(1, 0, 2, 0), dictionary, nullBitmap })]);
  };
  it.each([
    ["plain text", vectorFromArray(names, new Utf8())],
    ["a dictionary that repeats itself", repeated()],
    ["numbers", vectorFromArray([2, 1, 2, null], new Int32())],
    ["doubles", vectorFromArray([0, 1, -0, null], new Float32())],
    ["moments", vectorFromArray([new Date(5), new Date(4), new Date(5), null], new TimestampMillisecond())],
  ])("%s", (_, key) => {
    const whole = table(time, { key });
    for (const one of [whole, inBatches(whole, 1), inBatches(whole, 3)]) {
      const sums = Frame.from(one).cumsum({ by: "key" as never });
      expect(textsOf(sums.table).map(([, value]) => value)).toEqual(["1", "2", "5", "8"]);
      expect(
        Frame.from(one)
          .groupBy("key" as never)
          .count().numRows,
      ).toBe(3);
    }
  });
});

it("slices that begin inside a byte of validity bits", () => {
  const values = Array.from({ length: 40 }, (_, i) => (i % 3 === 0 ? null : i));
  const days = Array.from({ length: 40 }, (_, i) => new Date(i * 86_400_000));
  const whole = new Table({
    day: vectorFromArray(days, new TimestampMillisecond("UTC")),
    x: vectorFromArray(values, new Int32()),
    y: vectorFromArray(values, new Float32()),
    s: vectorFromArray(
      values.map((v) => (v === null ? null : `t${v}`)),
      new Utf8(),
    ),
  });
  const cut = Frame.from(whole.slice(5, 31));
  const expected = Frame.from(whole).filter((row) => String(row.day) >= "1970-01-06" && String(row.day) < "1970-02-01");
  expect(expected.numRows).toBe(26);
  for (const work of [
    (f: Frame) => f.fill("backward"),
    (f: Frame) => f.transform("cumul"),
    (f: Frame) => f.rolling(4, "sum", { minPeriods: 1 }),
    (f: Frame) => f.collapse("weekly", { value: { x: "sum", y: "mean" } }),
    (f: Frame) => f.shift(2, { columns: ["x", "y", "s"] }),
  ]) {
    expect(textsOf(work(cut).table)).toEqual(textsOf(work(expected).table));
  }
});

it.each([0, 3])("a dictionary without entries, of %i rows", (rows) => {
  const type = new Dictionary(new Utf8(), new Int32());
  const nulls = { length: rows, nullCount: rows, nullBitmap: new Uint8Array(8), data: new Int32Array(rows) };
  const word = new Vector([makeData({ type, ...nulls, dictionary: vectorFromArray([], new Utf8()) })]);
  const frame = Frame.from(new Table({ word }));
  const expected = Array.from({ length: rows }, () => ({ word: null }));
  expect(frame.toArray()).toEqual(expected);
  expect(Frame.concat([frame, frame]).toArray()).toEqual([...expected, ...expected]);
  expect(frameOfIPC(frame.toIPC()).toArray()).toEqual(expected);
  expect(frame.unique("word").numRows).toBe(Math.min(rows, 1));
  expect(String(frame)).toContain(`${rows} rows`);
});
