import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Data,
  type DataType,
  DateDay,
  DateMillisecond,
  Decimal,
  Dictionary,
  Field,
  Float64,
  Int8,
  Int32,
  Int64,
  LargeUtf8,
  MessageReader,
  makeData,
  Null,
  Struct,
  Table,
  tableToIPC,
  Uint16,
  Utf8,
  Utf8View,
  Vector,
  vectorFromArray,
} from "apache-arrow";
import { describe, expect, it } from "vitest";
import { coalesce, Frame, when } from "../../src/index.js";

/** Rows 0 to 4 are entries 1, 0, 2, none and 1. */
function coded(entries: Vector): Vector {
  const type = new Dictionary(entries.type, new Int8()) as Dictionary;
  const data = Int8Array.of(1, 0, 2, 0, 1);
  const nullBitmap = Uint8Array.of(0b10111);
  return new Vector([makeData({ type, length: 5, nullCount: 1, nullBitmap, data, dictionary: entries } as never)]);
}

const plain = (type: DataType, data: ArrayBufferView): Vector =>
  new Vector([makeData({ type, length: 3, nullCount: 0, data } as never) as Data]);

const units = new BigInt64Array([12345678901234567890n, 0n, -1n, -1n, 5n, 0n].map((word) => BigInt.asIntN(64, word)));
const table = new Table({
  price: coded(plain(new Decimal(10, 38), new Uint32Array(units.buffer))),
  size: coded(plain(new Int64(), new BigInt64Array([7n, 2n ** 62n, -1n]))),
  rate: coded(plain(new Float64(), Float64Array.of(0.1, -0, 1e300))),
  day: coded(plain(new DateDay(), Int32Array.of(-1, 0, 19_782))),
  sent: new Vector([
    makeData({
      type: new DateMillisecond(),
      length: 5,
      nullCount: 1,
      nullBitmap: Uint8Array.of(0b11011),
      data: BigInt64Array.from([0, -1, 0, 19_782, 2_932_896], (days) => BigInt(days) * 86_400_000n),
    }),
  ]),
});
const reads: readonly [string, () => Frame | Promise<Frame>][] = [
  ["a table", () => Frame.from(table)],
  ["a stream", () => Frame.fromArrow(tableToIPC(table))],
  ["batches", () => Frame.fromBatches(table.schema, table.batches)],
];

describe.each(reads)("dictionaries of numbers and dates, and dates in milliseconds, of %s", (_, read) => {
  it("are read as plain columns are, to the last digit", async () => {
    const frame = await read();
    const types = frame.columns.map(({ type }) => type);
    expect(types).toEqual(["BigDecimal(38,10)", "Integer", "double", "Date", "Date"]);
    expect([...frame.rows({ decimals: "string" })]).toEqual([
      { price: "-0.0000000001", size: 2n ** 62n, rate: -0, day: "1970-01-01", sent: "1970-01-01" },
      { price: "1234567890.1234567890", size: 7, rate: 0.1, day: "1969-12-31", sent: "1969-12-31" },
      { price: "0.0000000005", size: -1, rate: 1e300, day: "2024-02-29", sent: null },
      { price: null, size: null, rate: null, day: null, sent: "2024-02-29" },
      { price: "-0.0000000001", size: 2n ** 62n, rate: -0, day: "1970-01-01", sent: "9999-12-31" },
    ]);
  });

  it("compute, and keep their types in Parquet", async () => {
    const frame = await read();
    const price = frame.column("price");
    expect(price.add(price).toStrings().slice(0, 2)).toEqual(["-0.0000000002", "2469135780.2469135780"]);
    expect(frame.filter(frame.column("day").ge("1970-01-01")).numRows).toBe(3);
    expect(coalesce(frame.column("sent"), frame.column("day")).toStrings()[2]).toBe("2024-02-29");
    const late = when(frame.column("size").gt(0)).then(frame.column("sent")).otherwise("2000-01-01");
    expect(late.toStrings()).toEqual(["1970-01-01", "1969-12-31", "2000-01-01", "2000-01-01", "9999-12-31"]);
    expect(frame.column("sent").cast("DateTime").toStrings()[1]).toBe("1969-12-31T00:00:00Z");
    const path = join(mkdtempSync(join(tmpdir(), "layouts-")), "a.parquet");
    await frame.toParquet(path);
    const again = await Frame.fromParquet(path);
    expect(again.columns).toEqual(frame.columns);
    expect(again.toCSV()).toBe(frame.toCSV());
  });
});

describe("decimals of a negative scale", () => {
  const decimals = (scale: number, units: readonly bigint[]): Frame => {
    const words = BigInt64Array.from(units.flatMap((value) => [0n, 64n].map((at) => BigInt.asIntN(64, value >> at))));
    const nullBitmap = Uint8Array.of(0b110111);
    const type = new Decimal(scale, 38, 128);
    const data = { type, length: units.length, nullCount: 1, nullBitmap, data: new Uint32Array(words.buffer) };
    return Frame.from(new Table({ a: new Vector([makeData(data)]) }));
  };

  it("compute to the last digit, in every engine", async () => {
    const frame = decimals(-3, [12345678901234567n, -1n, 0n, 9n, 10n ** 37n, -7n]);
    const column = frame.column("a");
    const texts = ["12345678901234567000", "-1000", "0", null, `1${"0".repeat(40)}`, "-7000"];
    expect([frame.columns[0].type, column.toStrings()]).toEqual(["BigDecimal(41,0)", texts]);
    expect(column.sum({ decimals: "string" })).toBe("10000000000000000000012345678901234559000");
    expect(column.add("0.5").toStrings().slice(0, 2)).toEqual(["12345678901234567000.5", "-999.5"]);
    const again = frame.slice(1).with({ g: 1 }).groupBy("g").agg({ a: "sum" });
    expect(again.column("a").toStrings()).toEqual([`${10n ** 40n - 8000n}`]);
    const narrow = decimals(-1, [-5n, 4n]).filter((row) => row["a"] !== null);
    expect(
      (await narrow.cast({ a: "BigDecimal(38,0)" }).sql("select sum(a) a from this")).column("a").toStrings(),
    ).toEqual(["-10"]);
  });

  it("are an error where they have more digits than a decimal", () => {
    expect(
      decimals(-60, [10n ** 15n])
        .column("a")
        .get(0),
    ).toBe(1e75);
    expect(() => decimals(-60, [-(10n ** 16n)])).toThrow(
      expect.objectContaining({ code: "Overflow", column: "a", row: 0 }),
    );
  });
});

it("columns without rows, which the library makes without buffers, are copied", () => {
  const none = Frame.from(new Table({ size: vectorFromArray([], new Int64()), word: vectorFromArray([], new Utf8()) }));
  expect(none.take([]).toCSV()).toBe("size,word\n");
  expect(Frame.concat([none.take([]), none]).table.numRows).toBe(0);
});

it("text of every layout goes together in concat()", () => {
  const words = ["a", "𝒳", ""];
  const texts = [
    coded(vectorFromArray(words, new Utf8())),
    vectorFromArray(words, new LargeUtf8()),
    vectorFromArray(words, new Utf8View()),
    vectorFromArray(words, new Dictionary(new Utf8(), new Uint16())),
    vectorFromArray(words, new Dictionary(new Utf8(), new Int32())),
  ].map((word) => Frame.from(new Table({ word })));
  const [first] = texts;
  expect(
    Frame.concat([first, first.sort("word")])
      .column("word")
      .toStrings(),
  ).toEqual(["𝒳", "a", "", null, "𝒳", "", "a", "𝒳", "𝒳", null]);
  for (const one of texts) {
    for (const other of texts) {
      const expected = [...one.column("word").toStrings(), ...other.column("word").toStrings()];
      expect(Frame.concat([one, other]).column("word").toStrings()).toEqual(expected);
    }
  }
});

it("a slice of a struct counts the nulls of a member without a type as every reader expects", () => {
  const type = new Struct<{ none: Null }>([new Field("none", new Null(), true)]);
  const none = makeData({ type: new Null(), length: 5 });
  const row = new Vector([makeData({ type, length: 5, nullCount: 0, children: [none] })]);
  const [, batch] = new MessageReader(Frame.from(new Table({ row })).slice(1, 3).toIPC());
  const { nodes } = batch.header() as { nodes: { length: number | bigint; nullCount: number | bigint }[] };
  expect(nodes.map(({ length, nullCount }) => [Number(length), Number(nullCount)])).toEqual([
    [2, 0],
    [2, 2],
  ]);
});
