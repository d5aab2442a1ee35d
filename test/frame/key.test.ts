import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { bulkFile } from "../../src/client/bulk/local-bulk-file.js";
import { Schema, Table } from "../../src/columns/arrow/arrow.js";
import { Frame } from "../../src/frame/frame.js";
import { frameOfIPC } from "../frame-of-ipc.js";
import { columnSpecs } from "../support/column-specs.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { zipBytes } from "../zip/archive.js";

const columns = columnSpecs({ ticker: "String", date: "Date", close: "BigDecimal(15,4)", volume: "Integer" });
const csv = `ticker,date,close,volume
AAA,2024-01-02,1.5000,10
AAA,2024-01-03,2.5000,
AAA,2024-02-01,,30
BBB,2024-01-02,8.0000,1
BBB,2024-01-03,9.0000,2
`;
const bytes = new TextEncoder().encode(csv);
const keyed = await Frame.fromCSV(bytes, { columns, key: ["ticker", "date"] });
const keyless = await Frame.fromCSV(bytes, { columns });
const turned = await Frame.fromCSV(bytes, { columns, key: ["date", "ticker"] });
const byTicker = await Frame.fromCSV(bytes, { columns, key: ["ticker"] });
const one = keyed.filter((row) => row["ticker"] === "AAA");

const names = Frame.fromColumns({ ticker: ["AAA", "CCC"], name: ["Alpha", "Gamma"] }) as Frame;

const splits = Frame.fromColumns({ ticker: ["AAA"], date: ["2024-02-01"], split: [2] }, { date: "Date" }) as Frame;

const KEY = ["ticker", "date"];
const NONE: readonly string[] = [];

/** What each method that makes a frame does with the key `["ticker", "date"]`; docs/frames.md, "The key" */
const verbs: Record<
  string,
  readonly [what: string, made: (frame: Frame) => Frame | Promise<Frame>, key: readonly string[]][]
> = {
  select: [
    ["all key columns", (f) => f.select("close", "date", "ticker"), KEY],
    ["one of them", (f) => f.select("ticker", "close"), NONE],
    ["one of them twice", (f) => f.select("ticker", "ticker", "date"), NONE],
    ["a dropped column made again", (f) => f.drop("ticker").with({ ticker: "X" }), NONE],
  ],
  drop: [
    ["another column", (f) => f.drop("close"), KEY],
    ["a key column", (f) => f.drop("date"), NONE],
  ],
  rename: [
    ["a key column", (f) => f.rename({ ticker: "symbol" }), ["symbol", "date"]],
    ["all columns", (f) => f.rename(["a", "b", "c", "d"]), ["a", "b"]],
    ["two exchanged", (f) => f.rename(["date", "ticker", "c", "d"]), ["date", "ticker"]],
    ["another to a name of the key", (f) => f.rename({ close: "date" }), NONE],
  ],
  with: [
    ["a new column", (f) => f.with({ twice: 2 }), KEY],
    ["another column replaced", (f) => f.with({ close: 2 }), KEY],
    ["a key column replaced", (f) => f.with({ ticker: "X" }), NONE],
  ],
  filter: [["", (f) => f.filter((row) => row["volume"] !== null), KEY]],
  sort: [["", (f) => f.sort("close"), KEY]],
  take: [
    ["", (f) => f.take([3, 0]), KEY],
    ["a row twice", (f) => f.take([3, 3]), NONE],
  ],
  head: [["", (f) => f.head(2), KEY]],
  tail: [["", (f) => f.tail(2), KEY]],
  slice: [["", (f) => f.slice(1, 3), KEY]],
  cast: [
    ["another column", (f) => f.cast({ close: "double" }), KEY],
    ["a key column", (f) => f.cast({ date: "String" }), NONE],
  ],
  dropNulls: [["", (f) => f.dropNulls("volume"), KEY]],
  sample: [["", (f) => f.sample(2, { seed: 1 }), KEY]],
  join: [
    ["a table whose key does not repeat", (f) => f.join(names, { on: "ticker", how: "left" }), KEY],
    ["the rows with a partner", (f) => f.join(names, { on: "ticker", how: "semi" }), KEY],
    ["a table whose key repeats", (f) => f.join(keyless, { on: "ticker" }), NONE],
    ["rows of the other table alone", (f) => f.join(names, { on: "ticker", how: "outer" }), NONE],
    ["every pair", (f) => f.join(names, { how: "cross" }), NONE],
  ],
  valueCounts: [["", (f) => f.valueCounts("ticker"), ["ticker"]]],
  unpivot: [["", (f) => f.unpivot({ index: ["ticker", "date"] }), NONE]],
  info: [["", (f) => f.info(), NONE]],
  unique: [
    ["of rows", (f) => f.unique(), KEY],
    ["of a column", (f) => f.unique("ticker"), KEY],
  ],
  concat: [
    ["equal keys", (f) => Frame.concat([f.head(2), f.tail(2)]), KEY],
    ["a key and none", (f) => Frame.concat([f, keyless]), NONE],
    ["a key in another order", (f) => Frame.concat([f, turned]), KEY],
    ["different keys", (f) => Frame.concat([f, byTicker]), NONE],
  ],
  align: [
    ["on the key", (f) => Frame.align([f, f]), KEY],
    ["on columns that identify the rows of each", () => Frame.align([one, one], { on: "date" }), ["date"]],
    ["on columns that do not", (f) => Frame.align([f, f], { on: "date" }), NONE],
    ["on columns that identify the rows of one", (f) => Frame.align([f, f.unique("ticker")], { on: "ticker" }), NONE],
  ],
  asof: [["", (f) => f.asof(keyed.rename({ close: "last" })), KEY]],
  groupBy: [
    ["agg", (f) => f.groupBy("date").agg({ close: "mean" }), ["date"]],
    ["count", (f) => f.groupBy("date", "ticker").count(), ["date", "ticker"]],
  ],
  pivot: [["", (f) => f.pivot({ index: "date", columns: "ticker", values: "close" }), ["date"]]],
  describe: [["", (f) => f.describe(), NONE]],
  corr: [["", (f) => f.corr(["close", "volume"]), NONE]],
  sql: [["", (f) => f.sql("select * from this"), NONE]],
  collapse: [
    ["", (f) => f.collapse("monthly"), KEY],
    ["as one series", (f) => f.collapse("monthly", { by: [] }), ["date"]],
    ["none", (f) => f.collapse("none"), KEY],
  ],
  resample: [["", (f) => f.resample("daily"), KEY]],
  query: [
    ["", (f) => f.query({ collapse: "monthly", transform: "diff", order: "asc", limit: 1 }), KEY],
    ["one column", (f) => f.query({ column: "close" }), KEY],
  ],
  transform: [["", (f) => f.transform("rdiff"), KEY]],
  rolling: [["", (f) => f.rolling(2, "mean"), KEY]],
  ewm: [["", (f) => f.ewm({ alpha: 0.5 }), KEY]],
  shift: [
    ["", (f) => f.shift(1), KEY],
    ["of a key column", (f) => f.shift(1, { columns: "ticker" }), NONE],
    ["of a key column, beside it", (f) => f.shift(1, { columns: "ticker", suffix: "_1" }), KEY],
  ],
  diff: [["", (f) => f.diff(), KEY]],
  pctChange: [["", (f) => f.pctChange(), KEY]],
  returns: [["", (f) => f.returns(), KEY]],
  cumsum: [["", (f) => f.cumsum(), KEY]],
  cumprod: [["", (f) => f.cumprod(), KEY]],
  cummax: [["", (f) => f.cummax(), KEY]],
  cummin: [["", (f) => f.cummin(), KEY]],
  drawdown: [["", (f) => f.drawdown(), KEY]],
  drawdowns: [["", (f) => f.drawdowns("close"), ["ticker", "start"]]],
  adjust: [["", (f) => f.adjust(splits, { columns: "close" }), KEY]],
  missingSessions: [["", (f) => f.missingSessions("XNYS"), KEY]],
  fill: [
    ["forward", (f) => f.fill("forward"), KEY],
    ["a value", (f) => f.fill(0), KEY],
  ],
};

/** Methods of a frame that make no other frame. */
const others = [
  // Refused: align and join.
  "merge",
  ...[
    "column",
    "rows",
    "quantile",
    "plot",
    "tearSheet",
    "explore",
    "toArrow",
    "toCSV",
    "toDanfo",
    "toHTML",
    "toIPC",
    "toJSON",
    "toJSONLines",
    "toArray",
  ],
  ...["toParquet", "toExcel", "toString", "constructor"],
];

/** Statics that make a frame of something else. */
const sources = [
  "from",
  "fromBatches",
  "fromRows",
  "fromColumns",
  "fromCSV",
  "fromZip",
  "fromJSON",
  "fromJSONLines",
  "fromExcel",
  "fromArrow",
  "fromParquet",
  "fromDanfo",
];

describe("every method either carries the key or drops it", () => {
  for (const [name, cases] of Object.entries(verbs)) {
    it.each(cases)(`${name} %s`, async (_, made, key) => {
      expect((await made(keyed)).key).toEqual(key);
    });
  }

  it("no method is missing here", () => {
    const names: string[] = [];
    for (let of: object = Frame.prototype; of !== Object.prototype; of = Object.getPrototypeOf(of)) {
      const own = Object.entries(Object.getOwnPropertyDescriptors(of));
      for (const [name, { value }] of own) if (typeof value === "function") names.push(name);
    }
    const statics = Object.getOwnPropertyNames(Frame).filter((name) => typeof Reflect.get(Frame, name) === "function");
    const known = new Set([...Object.keys(verbs), ...others, ...sources, "like", "over", "computed"]);
    expect([...names, ...statics].filter((name) => !known.has(name))).toEqual([]);
    expect(Object.keys(verbs).filter((name) => ![...names, ...statics].includes(name))).toEqual([]);
  });

  it("a frame without a key gets one only where the method makes it", () => {
    expect(keyless.key).toEqual([]);
    expect(keyless.sort("date").select("ticker", "date").key).toEqual([]);
    expect(keyless.groupBy("ticker").count().key).toEqual(["ticker"]);
    expect(keyless.collapse("monthly", { by: "ticker" }).key).toEqual(["ticker", "date"]);
  });
});

describe("files keep the key", () => {
  it("Arrow bytes, Arrow and Parquet files", async () => {
    const folder = temporaryFolder("key");
    onTestFinished(() => rm(folder, { recursive: true }));
    await keyed.toArrow(join(folder, "a.arrow"));
    await keyed.toParquet(join(folder, "a.parquet"));
    expect(frameOfIPC(keyed.toIPC()).key).toEqual(KEY);
    expect((await Frame.fromArrow(join(folder, "a.arrow"))).key).toEqual(KEY);
    expect((await Frame.fromParquet(join(folder, "a.parquet"))).key).toEqual(KEY);
    await keyless.toParquet(join(folder, "b.parquet"));
    expect((await Frame.fromParquet(join(folder, "b.parquet"))).key).toEqual([]);
  });

  it("bulk files with declared columns, in every output", async () => {
    const folder = temporaryFolder("key");
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, "a.zip");
    await writeFile(path, zipBytes([{ name: "a.csv", data: csv }]));
    const file = bulkFile(path, { columns, key: KEY });
    await file.toArrow(join(folder, "a.arrow"));
    await file.toArrow(join(folder, "b.arrow"), { format: "file" });
    await file.toParquet(join(folder, "a.parquet"));
    expect((await file.frame()).key).toEqual(KEY);
    for await (const batch of file.batches()) expect(Frame.from(batch).key).toEqual(KEY);
    expect((await Frame.fromArrow(join(folder, "a.arrow"))).key).toEqual(KEY);
    expect((await Frame.fromArrow(join(folder, "b.arrow"))).key).toEqual(KEY);
    expect((await Frame.fromParquet(join(folder, "a.parquet"))).key).toEqual(KEY);
    expect((await Frame.fromZip(path, { columns, key: KEY })).key).toEqual(KEY);
  });

  it("the bulk file of a database is keyed by its code and date", async () => {
    const folder = temporaryFolder("key");
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, "db.zip");
    const data = "Code,Date,Close\nAAA,2024-01-02,1\nBBB,2024-01-02,2\n";
    await writeFile(path, zipBytes([{ name: "db.csv", data }]));
    const frame = await bulkFile(path).frame();
    expect(frame.key).toEqual(["Code", "Date"]);
    expect(frame.pctChange().column("Close").toArray()).toEqual([null, null]);
  });
});

describe("a key is declared or refused", () => {
  it.each<[string, unknown, string]>([
    ["a name that is not a column", ["ticker", "dat"], "UnknownColumn"],
    ["a name twice", ["ticker", "ticker"], "BadArgument"],
    ["not a list", "ticker", "BadArgument"],
    ["not names", [1], "BadArgument"],
  ])("an error for %s", async (_, key, code) => {
    await expect(Frame.fromCSV(bytes, { columns, key: key as string[] })).rejects.toMatchObject({ code });
  });

  it.each<[string, string]>([
    ["not JSON", "ticker"],
    ["not a list", '"ticker"'],
    ["names of other columns", '["symbol"]'],
    ["not names", "[1]"],
    ["a name twice", '["ticker","ticker"]'],
  ])("metadata of a foreign file is not a key where it is %s", (_, value) => {
    const { fields } = keyless.table.schema;
    const schema = new Schema(fields, new Map([["arrowbook.key", value]]));
    const frame = Frame.from(new Table(schema, keyless.table.batches));
    expect(frame.key).toEqual([]);
    expect(frame.rename({ ticker: "symbol" }).key).toEqual([]);
  });
});
