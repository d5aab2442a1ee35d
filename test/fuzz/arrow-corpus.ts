import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  Binary,
  Bool,
  type DataType,
  Dictionary,
  Field,
  FixedSizeBinary,
  FixedSizeList,
  Float32,
  Int8,
  Int32,
  Int64,
  Interval,
  LargeList,
  LargeUtf8,
  List,
  Map_,
  makeData,
  Null,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  Table,
  Time,
  TimestampNanosecond,
  TimeUnit,
  Uint16,
  Union,
  UnionMode,
  Utf8,
  Utf8View,
  Vector,
  vectorFromArray,
} from "../../src/columns/arrow/arrow.js";
import { recordBatch } from "../../src/columns/arrow/record-batch.js";
import { tableToIPCBytes, tableToIPCFileBytes } from "../../src/columns/ipc/stream.js";
import { Frame } from "../../src/index.js";
import { packageRoot } from "../../src/package/package-root.js";
import { columnSpecs } from "../support/column-specs.js";

/** The unit of intervals that the Arrow library does not export. */
const MONTH_DAY_NANO = 2;

/** The stream of two columns and three rows whose single bytes the tests damage. */
export function smallStream(): Uint8Array {
  const rows = [
    { t: "ab", n: 1 },
    { t: null, n: 2 },
    { t: "cde", n: null },
  ];
  const columns = columnSpecs({ t: "String", n: "Integer" });
  return Frame.fromRows(rows, columns).toIPC();
}

/** Each of the service's types, decimals of 256 bits among them. */
export function serviceTypes(): Table {
  const columns = [
    "String",
    "Date",
    "DateTime",
    "BigDecimal(15,4)",
    "BigDecimal(50,28)",
    "Integer",
    "double",
    "Boolean",
  ];
  const rows = Array.from({ length: 11 }, (_, i) =>
    i % 4 === 3
      ? {}
      : {
          c0: `text ${i % 3}`,
          c1: `2024-02-${10 + i}`,
          c2: `2024-02-${10 + i}T01:02:03Z`,
          c3: `${i}.1250`,
          c4: `-1234567890123456789${i}.0123456789012345678901234567`,
          c5: i * 1e9,
          c6: i / 3,
          c7: i % 2 === 0,
        },
  );
  return Frame.fromRows(
    rows,
    columns.map((type, i) => ({ name: `c${i}`, type })),
  ).table;
}

const column = (type: DataType, values: readonly unknown[]): Vector => vectorFromArray(values as never, type) as Vector;

/** A column for each layout that the service's types do not use. */
function otherColumns(): Record<string, Vector> {
  const point = new Struct([new Field("x", new Int32(), true), new Field("", new Utf8(), true)]);
  const entries = new Field(
    "entries",
    new Struct([new Field("key", new Utf8()), new Field("value", new Int32(), true)]),
  );
  const rows = <T>(make: (i: number) => T): (T | null)[] => [make(0), null, make(2), make(3), make(4)];
  return {
    list: column(
      new List(new Field("item", new Int32(), true)),
      rows((i) => [i, null, i + 1]),
    ),
    lists: column(
      new LargeList(new Field("item", new List(new Field("item", new Utf8(), true)), true)),
      rows((i) => [["a".repeat(i)], []]),
    ),
    fixed: column(
      new FixedSizeList(2, new Field("item", new Float32(), true)),
      rows((i) => [i, i / 2]),
    ),
    struct: column(
      point,
      rows((i) => ({ x: i, "": `y${i}` })),
    ),
    map: column(
      new Map_(entries as never),
      rows((i) => new Map([["a", i]])),
    ),
    large: column(
      new LargeUtf8(),
      rows((i) => `large ${i}`),
    ),
    view: column(
      new Utf8View(),
      rows((i) => (i % 2 === 0 ? "short" : `longer than twelve bytes ${i}`)),
    ),
    binary: column(
      new Binary(),
      rows((i) => Uint8Array.of(i, 255)),
    ),
    bytes: column(
      new FixedSizeBinary(3),
      rows((i) => Uint8Array.of(i, i, i)),
    ),
    time: column(
      new Time(TimeUnit.MICROSECOND, 64),
      rows((i) => BigInt(i) * 1_000_000n),
    ),
    stamp: column(
      new TimestampNanosecond(),
      rows((i) => 1_700_000_000_000 + i),
    ),
    small: column(
      new Int8(),
      rows((i) => i - 2),
    ),
    flag: column(
      new Bool(),
      rows((i) => i > 2),
    ),
    words: column(
      new Dictionary(new Utf8(), new Uint16()),
      rows((i) => `w${i % 2}`),
    ),
    numbers: column(
      new Dictionary(new Int64(), new Int8()),
      rows((i) => BigInt(i % 2)),
    ),
    nothing: column(new Null(), [null, null, null, null, null]),
    interval: new Vector([
      makeData({
        type: new Interval(MONTH_DAY_NANO),
        length: 5,
        nullCount: 0,
        data: Int32Array.from({ length: 20 }, (_, i) => i),
      }),
    ]),
    dense: new Vector([union(UnionMode.Dense)]),
    sparse: new Vector([union(UnionMode.Sparse)]),
  };
}

function union(mode: UnionMode) {
  const fields = [new Field("i", new Int32(), true), new Field("s", new Utf8(), true)];
  const type = new Union(mode, [3, 5], fields);
  const typeIds = Int8Array.of(3, 5, 3, 5, 3);
  const numbers = column(new Int32(), mode === UnionMode.Dense ? [1, null, 3] : [1, 0, null, 0, 3]).data[0];
  const texts = column(new Utf8(), mode === UnionMode.Dense ? ["a", "b"] : ["", "a", "", "b", ""]).data[0];
  const offsets = mode === UnionMode.Dense ? { valueOffsets: Int32Array.of(0, 0, 1, 1, 2) } : {};
  return makeData({ type, length: 5, typeIds, children: [numbers, texts], ...offsets } as never);
}

/** The columns of {@link otherColumns}, in batches of five rows. */
export function otherTypes(batches: number, only: readonly string[] = []): Table {
  const columns = Object.entries(otherColumns()).filter(([name]) => only.length === 0 || only.includes(name));
  const schema = new Schema(columns.map(([name, vector]) => new Field(name, vector.type, true)));
  const data = columns.map(([, vector]) => vector.data[0]);
  return new Table(
    schema,
    Array.from({ length: batches }, () => recordBatch(schema, data, 5)),
  );
}

/** Batches whose dictionary grows by a delta, then is replaced. */
export function changingDictionaries(): Uint8Array {
  const type = new Dictionary(new Utf8(), new Int32(), 7);
  const schema = new Schema([new Field("t", type, true)]);
  const [one, two, other] = [["a", "b"], ["c"], ["x", "y", "z"]].map(
    (words) => vectorFromArray(words, new Utf8()).data[0],
  );
  const batch = (dictionary: Vector, indices: number[]) =>
    recordBatch(
      schema,
      [makeData({ type, length: indices.length, nullCount: 0, data: Int32Array.from(indices), dictionary } as never)],
      indices.length,
    );
  const writer = new RecordBatchStreamWriter();
  writer.write(batch(new Vector([one]), [0, 1, 1]));
  writer.write(batch(new Vector([one, two]), [2, 0]));
  writer.write(batch(new Vector([other]), [2, 1, 0]));
  writer.finish();
  return writer.toUint8Array(true);
}

/** Streams with compressed buffers. */
export function compressedStreams(): Uint8Array[] {
  const folder = join(packageRoot(), "test/columns/ipc/compressed");
  return ["small-lz4.arrows", "small-zstd.arrows", "blocks-lz4.arrows"].map(
    (name) => new Uint8Array(readFileSync(join(folder, name))),
  );
}

/** Well-formed streams and files of every layout, one small one for each column as well. */
export function arrowCorpus(): Uint8Array[] {
  const alone = Object.keys(otherColumns()).map((name) => tableToIPCBytes(otherTypes(1, [name])));
  return [
    smallStream(),
    tableToIPCBytes(serviceTypes()),
    tableToIPCFileBytes(serviceTypes()),
    tableToIPCBytes(otherTypes(1)),
    tableToIPCFileBytes(otherTypes(3)),
    changingDictionaries(),
    tableToIPCBytes(new Table(serviceTypes().schema, [])),
    ...alone,
  ];
}
