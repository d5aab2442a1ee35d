import { expect, it } from "vitest";
import {
  Data,
  type DataType,
  DateDay,
  Decimal,
  Dictionary,
  Field,
  FixedSizeBinary,
  Float64,
  Int8,
  Int32,
  Int64,
  List,
  Map_,
  makeData,
  Schema,
  Struct,
  Table,
  Timestamp,
  TimeUnit,
  Union,
  UnionMode,
  Utf8,
  Utf8View,
  Vector,
  vectorFromArray,
} from "../../src/columns/arrow/arrow.js";
import { recordBatch } from "../../src/columns/arrow/record-batch.js";
import { Frame } from "../../src/frame/frame.js";
import { frameOfIPC } from "../frame-of-ipc.js";

const dataOf = (type: DataType, values: readonly unknown[]): Data =>
  vectorFromArray(values as never, type).data[0] as Data;

const frameOf = (data: Data): Frame => {
  const schema = new Schema([new Field("a", data.type, true)]);
  return Frame.from(new Table(schema, [recordBatch(schema, [data], data.length)]));
};

const structOf = (members: readonly (readonly [name: string, data: Data])[]): Data => {
  const type = new Struct(members.map(([name, data]) => new Field(name, data.type, true)));
  return makeData({ type, length: members[0][1].length, nullCount: 0, children: members.map(([, data]) => data) });
};

it("members of a struct that share a name, or have none, all show, in text, rows and CSV", () => {
  const frame = frameOf(
    structOf([
      ["", dataOf(new Int32(), [1, 2])],
      ["", dataOf(new Utf8(), ["x", null])],
      ["b", dataOf(new Int8(), [3, 4])],
      ["b", dataOf(new Int8(), [5, 6])],
    ]),
  );
  const texts = ['{"":1,"":"x","b":3,"b":5}', '{"":2,"":null,"b":4,"b":6}'];
  expect(frame.column("a").toStrings()).toEqual(texts);
  expect([...frame.rows()]).toEqual(texts.map((a) => ({ a })));
  expect(frame.toCSV()).toBe(`a\n${texts.map((text) => `"${text.replaceAll('"', '""')}"\n`).join("")}`);
  expect(frame.toString()).toContain(texts[0]);
  expect(frameOfIPC(frame.toIPC()).column("a").toStrings()).toEqual(texts);
});

it("values inside keep every digit, date and byte", () => {
  const decimals = makeData({
    type: new Decimal(2, 38, 128),
    length: 2,
    nullCount: 0,
    data: new Uint32Array(BigInt64Array.of(1250n, 0n, -5n, -1n).buffer),
  });
  const frame = frameOf(
    structOf([
      ["decimal", decimals],
      ["long", dataOf(new Int64(), [2n ** 60n, -1n])],
      ["day", makeData({ type: new DateDay(), length: 2, nullCount: 0, data: Int32Array.of(0, 19_782) })],
      ["time", dataOf(new Timestamp(TimeUnit.MILLISECOND, "UTC"), [0, 1_500])],
      ["bytes", dataOf(new FixedSizeBinary(2), [Uint8Array.of(1, 255), Uint8Array.of(0, 16)])],
      ["double", dataOf(new Float64(), [Number.NaN, 0.5])],
      ["name", dataOf(new Dictionary(new Utf8(), new Int32()), ['a"b', "c"])],
      ["view", dataOf(new Utf8View(), ["\ufeffmark", "a text of more than twelve bytes"])],
    ]),
  );
  expect(frame.column("a").toStrings()).toEqual([
    '{"decimal":"12.50","long":"1152921504606846976","day":"1970-01-01","time":"1970-01-01T00:00:00Z",' +
      '"bytes":"01ff","double":"NaN","name":"a\\"b","view":"\ufeffmark"}',
    '{"decimal":"-0.05","long":"-1","day":"2024-02-29","time":"1970-01-01T00:00:01.500Z",' +
      '"bytes":"0010","double":0.5,"name":"c","view":"a text of more than twelve bytes"}',
  ]);
});

it("lists, maps and unions nest, and keep entries that share a key", () => {
  const entries = structOf([
    ["key", dataOf(new Utf8(), ["k", "k", "l"])],
    ["value", dataOf(new Int32(), [1, 2, null])],
  ]);
  const map = new Data(
    new Map_(new Field("entries", entries.type) as never),
    0,
    2,
    0,
    [Int32Array.of(0, 2, 3)] as never,
    [entries],
  );
  expect(frameOf(map).column("a").toStrings()).toEqual(['{"k":1,"k":2}', '{"l":null}']);

  const lists = dataOf(new List(new Field("item", new List(new Field("item", new Int8(), true)), true)), [
    [[1], [null, 2], null],
    [],
  ]);
  const union = makeData({
    type: new Union(UnionMode.Dense, [2, 7], [new Field("i", new Int64(), true), new Field("l", lists.type, true)]),
    length: 4,
    typeIds: Int8Array.of(7, 2, 7, 2),
    valueOffsets: Int32Array.of(0, 0, 1, 1),
    children: [dataOf(new Int64(), [9n, null]), lists],
  } as never) as Data;
  expect(frameOf(union).column("a").toStrings()).toEqual(["[[1],[null,2],null]", "9", "[]", null]);
  expect([...frameOf(union).rows()].map(({ a }) => a)).toEqual(["[[1],[null,2],null]", 9, "[]", null]);
  expect(
    frameOf(structOf([["u", union]]))
      .column("a")
      .toStrings(),
  ).toEqual(['{"u":[[1],[null,2],null]}', '{"u":"9"}', '{"u":[]}', '{"u":null}']);
  expect(frameOf(union).slice(1).column("a").toStrings()).toEqual(["9", "[]", null]);
  expect(new Vector([lists.slice(1, 1)]).length).toBe(1);
});
