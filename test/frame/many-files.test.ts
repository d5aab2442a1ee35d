import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import * as fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { csvBatches, Frame, parquetBatches } from "../../src/index.js";
import { textsOf } from "../columns/rows.js";
import { columnSpecs } from "../support/column-specs.js";
import { forAllAsync } from "../support/for-all.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { runs } from "../support/whole.js";

const folder = temporaryFolder("many-files");
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes files into a new folder; returns their paths. */
let folders = 0;
function written(files: Readonly<Record<string, string | Uint8Array>>): { at: string; paths: string[] } {
  const at = join(folder, String(folders++));
  const paths = Object.entries(files).map(([name, content]) => {
    const path = join(at, name);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, content);
    return path;
  });
  return { at, paths };
}

const PARTS = { "part-10.csv": "id,x\n3,c\n", "part-2.csv": "id,x\n2,b\n", "part-1.csv.gz": gzipSync("id,x\n1,a\n") };

describe("which files are read", () => {
  it("a pattern and a folder, in natural order; a list in its own; with the names of the files", async () => {
    const { at, paths } = written({
      ...PARTS,
      "notes.md": "#",
      "_old.csv": "id,x\n9,z\n",
      ".hidden.csv": "id,x\n9,z\n",
    });
    const expected = [
      ["1", "a", "part-1.csv.gz"],
      ["2", "b", "part-2.csv"],
      ["3", "c", "part-10.csv"],
    ];
    for (const source of [at, join(at, "part-*"), [join(at, "part-?.csv*"), join(at, "part-10.csv")]]) {
      const frame = await Frame.fromCSV(source, { source: "file" });
      expect(textsOf(frame.table)).toEqual(expected);
      expect(frame.columns.map(({ type }) => type)).toEqual(["Integer", "String", "String"]);
    }
    const listed = await Frame.fromCSV(paths.slice(0, 2), { source: "file" });
    expect(listed.column("file").toArray()).toEqual(["part-10.csv", "part-2.csv"]);
    expect(listed.source).toMatchObject({
      code: "part-10.csv and 1 more",
      inferred: expect.stringContaining("file String"),
    });
    expect((await Frame.fromCSV(paths[0], { source: "file" })).column("file").toArray()).toEqual(["part-10.csv"]);
    expect((await Frame.fromCSV(paths.slice(0, 3))).columns).toHaveLength(2);
  });

  it("names are below the folder that all files share", async () => {
    const { at, paths } = written({ "a/x.csv": "n\n1\n", "b/x.csv": "n\n2\n" });
    for (const source of [paths, at, join(at, "**/*.csv"), join(at, "{a,b}/*.csv")]) {
      expect((await Frame.fromCSV(source, { source: "f" })).column("f").toArray()).toEqual(["a/x.csv", "b/x.csv"]);
    }
    const bytes = await Frame.fromCSV([Buffer.from("n\n1\n"), paths[1]], { source: "f" });
    expect(bytes.column("f").toArray()).toEqual(["bytes 0", "x.csv"]);
  });

  it("a file whose name has the characters of a pattern is a file", async () => {
    const { paths } = written({ "a[1].csv": "n\n1\n", "a1.csv": "n\n2\n" });
    expect((await Frame.fromCSV(paths[0])).column("n").toArray()).toEqual([1]);
  });

  it("nothing to read is an error", async () => {
    const { at } = written({ "a.txt": "n\n1\n", "b/c.md": "" });
    await expect(Frame.fromCSV(join(at, "*.csv"))).rejects.toMatchObject({
      code: "NotAFile",
      message: expect.stringContaining("*.csv"),
    });
    await expect(Frame.fromCSV(join(at, "b"))).rejects.toMatchObject({ code: "NotAFile" });
    await expect(Frame.fromCSV([])).rejects.toMatchObject({ code: "BadArgument" });
    await expect(Frame.fromCSV([join(at, "none.csv")])).rejects.toMatchObject({ code: "FileNotFound" });
    await expect(Frame.fromCSV(at, { source: 5 as never })).rejects.toMatchObject({ code: "BadArgument" });
    await expect(Frame.fromCSV(at, { missingColumns: "skip" as never })).rejects.toMatchObject({
      code: "UnknownValue",
    });
  });

  it("an error names the file", async () => {
    const { at } = written({ "a.csv": "n,m\n1,2\n", "b.csv": "n,m\n1\n" });
    await expect(Frame.fromCSV(at)).rejects.toMatchObject({
      code: "ShortRow",
      message: expect.stringMatching(/^b\.csv: .*line 2/),
    });
  });
});

describe("types that hold the values of all files", () => {
  it.each<[string, string[], (string | null)[]]>([
    ["Integer", ["1", "2"], ["1", "2"]],
    ["BigDecimal(12,4)", ["12345678.25", "1.1234"], ["12345678.2500", "1.1234"]],
    ["BigDecimal(21,2)", ["5", "1.25"], ["5.00", "1.25"]],
    ["BigDecimal(20,0)", ["5", "99999999999999999999"], ["5", "99999999999999999999"]],
    ["DateTime", ["2024-02-29", "2024-02-29 12:00:00"], ["2024-02-29T00:00:00Z", "2024-02-29T12:00:00Z"]],
    [
      "DateTime(9)",
      ["2024-02-29T12:00:00Z", "2024-02-29 12:00:00.000000001"],
      ["2024-02-29T12:00:00Z", "2024-02-29T12:00:00.000000001Z"],
    ],
    ["double", ["7", "NaN\n0.5"], ["7", "NaN"]],
    ["Date", ["", "2024-02-29"], [null, "2024-02-29"]],
    ["Integer", ["1", ""], ["1", null]],
    ["Boolean", ["", "true"], [null, "true"]],
    ["String", ["", ""], [null, null]],
    ["String", ["x", "y"], ["x", "y"]],
  ])("%s of %j", async (type, cells, texts) => {
    const { at } = written(
      Object.fromEntries(cells.map((cell, i) => [`${i}.csv`, `n,k\n${cell.replaceAll("\n", ",k\n")},k\n`])),
    );
    const frame = await Frame.fromCSV(at);
    expect(frame.columns[0].type).toBe(type);
    const found = frame.column("n").toStrings();
    expect([found[0], found[1]].map((text) => text?.replace(/\.0$/, "") ?? null)).toEqual(texts);
    const batches = [];
    for await (const batch of csvBatches(at)) batches.push(batch);
    const streamed = Frame.fromBatches(batches[0].schema, batches);
    expect(streamed.columns).toEqual(frame.columns);
    expect(textsOf(streamed.table)).toEqual(textsOf(frame.table));
  });

  it.each([
    ["1", "true", "Integer", "Boolean"],
    ["007", "8", "String", "Integer"],
    ["2024-02-29", "x", "Date", "String"],
    ["1.5", "NaN\n0.5", "BigDecimal(2,1)", "double"],
    ["9007199254740993", "NaN\n0.5", "Integer", "double"],
  ])("%s and %s are an error that names files and types, or declared text", async (a, b, one, other) => {
    const cell = (text: string): string => `n,k\n${text.replaceAll("\n", ",k\n")},k\n`;
    const { at } = written({ "0.csv": cell("").replace("n,", "n,"), "1.csv": cell(a), "2.csv": cell(b) });
    const error = await Frame.fromCSV(at).catch((cause) => cause);
    expect(error).toMatchObject({ column: "n", hint: expect.stringMatching(/types: { "n": "String" }|same type/) });
    if (error.code === "SchemaMismatch")
      expect(error.message).toBe(`Column "n" is ${one} in 1.csv and ${other} in 2.csv.`);
    else expect(error).toMatchObject({ code: "PrecisionLoss", message: expect.stringContaining("1.csv") });
    const text = await Frame.fromCSV(at, { types: { n: "String" } });
    expect(text.column("n").toArray().slice(0, 3)).toEqual([null, a, b.split("\n")[0]]);
  });
});

describe("columns by name", () => {
  const FILES = { "a.csv": "id,x\n1,a\n", "b.csv": "y,id\n2024-02-29,2\n", "c.csv": "x\nc\n" };

  it("in another order, and null where a file lacks one", async () => {
    const { at } = written(FILES);
    const expected = [
      ["1", "a", null, "a.csv"],
      ["2", null, "2024-02-29", "b.csv"],
      [null, "c", null, "c.csv"],
    ];
    const frame = await Frame.fromCSV(at, { source: "file", types: { y: "Date" } });
    expect(frame.columns.map(({ name }) => name)).toEqual(["id", "x", "y", "file"]);
    expect(textsOf(frame.table)).toEqual(expected);
    await expect(Frame.fromCSV(at, { types: { z: "Date" } })).rejects.toMatchObject({ code: "UnknownColumn" });
    await expect(Frame.fromCSV(at, { source: "x" })).rejects.toMatchObject({ code: "SchemaMismatch", column: "x" });
  });

  it('or an error with missingColumns: "error"', async () => {
    const { at } = written(FILES);
    await expect(Frame.fromCSV(at, { missingColumns: "error" })).rejects.toMatchObject({
      code: "MissingColumn",
      message: 'c.csv has no column "id", which a.csv has.',
    });
  });

  it("declared columns, keys, and files without rows", async () => {
    const { at } = written({ "a.csv": "id,x\n", "b.csv": "id,x\n2,b\n" });
    const columns = columnSpecs({ x: "String", id: "BigDecimal(5,2)" });
    const frame = await Frame.fromCSV(at, { columns, key: ["id"], source: "file" });
    expect([textsOf(frame.table), frame.key]).toEqual([[["b", "2.00", "b.csv"]], ["id"]]);
    expect((await Frame.fromCSV(at)).columns.map(({ type }) => type)).toEqual(["Integer", "String"]);
  });
});

describe("other formats", () => {
  const frames = [
    Frame.fromColumns({ id: ["1", "2"], n: ["1.25", null] }, { id: "Integer", n: "BigDecimal(10,2)" }),
    Frame.fromColumns({ n: ["0.1234"], day: ["2024-02-29"] }, { n: "BigDecimal(12,4)", day: "Date" }),
  ];
  const expected = [
    ["1", "1.2500", null, "1"],
    ["2", null, null, "1"],
    [null, "0.1234", "2024-02-29", "2"],
  ];
  const rows = (frame: Frame): (string | null)[][] =>
    textsOf(frame.table).map((row) => row.map((text) => text?.replace(/\.(parquet|arrow|jsonl)$/, "") ?? null));

  it("Parquet: lists and patterns; columns that only some files have; batches", async () => {
    const { at } = written({ x: "" });
    for (const [i, frame] of frames.entries()) await frame.toParquet(join(at, `${i + 1}.parquet`));
    const pattern = join(at, "*.parquet");
    const frame = await Frame.fromParquet(pattern, { source: "file" });
    expect(rows(frame)).toEqual(expected);
    expect(frame.columns.map(({ type }) => type)).toEqual(["Integer", "BigDecimal(12,4)", "Date", "String"]);
    expect(rows(await Frame.fromParquet(at, { missingColumns: "null", source: "f" }))).toEqual(expected);
    await expect(Frame.fromParquet(at)).rejects.toMatchObject({ code: "SchemaMismatch" });
    const chosen = await Frame.fromParquet(pattern, { columns: ["day", "id"] });
    expect(textsOf(chosen.table)).toEqual([
      [null, "1"],
      [null, "2"],
      ["2024-02-29", null],
    ]);
    const none = await Frame.fromParquet(pattern, { columns: ["day"], where: { n: { gte: "1" } } });
    expect(textsOf(none.table)).toEqual([[null]]);
    await expect(Frame.fromParquet(pattern, { columns: ["z"] })).rejects.toMatchObject({ code: "UnknownColumn" });
    const batches = [];
    for await (const batch of parquetBatches(pattern, { source: "file" })) batches.push(batch);
    expect(rows(Frame.fromBatches(batches[0].schema, batches))).toEqual(expected);
    const other = join(at, "3.parquet");
    await Frame.fromColumns({ id: ["x"] }, { id: "String" }).toParquet(other);
    await expect(Frame.fromParquet(pattern)).rejects.toMatchObject({
      code: "SchemaMismatch",
      message: 'Column "id" is Integer in 1.parquet and String in 3.parquet.',
      hint: expect.stringContaining('cast "id"'),
    });
  });

  it("Arrow and JSON lines", async () => {
    const { at } = written({ x: "" });
    for (const [i, frame] of frames.entries()) {
      await frame.toArrow(join(at, `${i + 1}.arrow`));
      await frame.toJSONLines(join(at, `${i + 1}.jsonl`));
    }
    expect(rows(await Frame.fromArrow(at, { source: "file" }))).toEqual(expected);
    expect(rows(await Frame.fromJSONLines(join(at, "*.jsonl"), { source: "file" }))).toEqual(expected);
    await expect(Frame.fromArrow(at, { files: "x" } as never)).rejects.toMatchObject({ code: "UnknownOption" });
  });
});

const cell = fc.oneof(
  fc.constant(""),
  fc.integer().map(String),
  fc.tuple(fc.integer(), fc.integer({ min: 0, max: 999 })).map(([a, b]) => `${a}.${String(b).padStart(3, "0")}`),
);
const tables = fc.array(
  fc.record({
    names: fc.subarray(["a", "b", "c", "d"], { minLength: 1 }),
    rows: fc.array(fc.array(cell, { minLength: 4, maxLength: 4 }), { minLength: 1, maxLength: 4 }),
  }),
  { minLength: 2, maxLength: 4 },
);

it("has the rows of union_by_name of DuckDB", async () => {
  await forAllAsync(runs(25), tables, async (files) => {
    const { at, paths } = written(
      Object.fromEntries(
        files.map(({ names, rows }, i) => {
          // A column more, without which a row of empty cells would be an empty line.
          const lines = [["k", ...names], ...rows.map((row) => ["k", ...names.map((_, c) => row[c])])];
          return [`${i}.csv`, lines.map((line) => `${line.join(",")}\n`).join("")];
        }),
      ),
    );
    const own = await Frame.fromCSV(join(at, "*.csv"), { source: "filename" });
    const names = own.columns.map(({ name }) => JSON.stringify(name)).join(", ");
    const theirs = await Frame.fromRows([{ x: 1 }]).sql(
      `select ${names} from read_csv([${paths.map((path) => `'${path}'`).join(", ")}], union_by_name = true,
          filename = true, all_varchar = true, header = true, delim = ',')`,
    );
    const number = (text: string | null): string | null =>
      text?.replace(/^-?\d+(\.\d+)?$/, (digits) =>
        (digits.includes(".") ? digits.replace(/\.?0+$/, "") : digits).replace(/^-0$/, "0"),
      ) ?? null;
    const plain = (table: Frame["table"]): (string | null)[][] =>
      textsOf(table).map((row) => [...row.slice(0, -1).map(number), row.at(-1)?.split("/").pop() ?? null]);
    expect(plain(own.table)).toEqual(plain(theirs.table));
  });
});

it("a folder partitioned by names is refused, and progress is reported for several files", async () => {
  const folder = temporaryFolder("partitions");
  mkdirSync(join(folder, "y=1"));
  await Frame.fromColumns({ b: [1] }).toParquet(join(folder, "y=1", "a.parquet"));
  for (const options of [{}, { source: "file" }, { missingColumns: "error" }] as const) {
    await expect(Frame.fromParquet(folder, options)).rejects.toMatchObject({ code: "UnsupportedParquet", column: "y" });
  }
  const paths = ["1.csv", "2.csv"].map((name) => join(folder, name));
  for (const path of paths) writeFileSync(path, "a\n1\n");
  let events = 0;
  for await (const _ of csvBatches(paths, { onProgress: () => void events++ }));
  expect(events).toBeGreaterThan(0);
});
