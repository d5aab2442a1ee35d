import { readdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import * as zlib from "node:zlib";
import { DuckDBInstance } from "@duckdb/node-api";
import { tableFromIPC as flechetteTable } from "@uwdata/flechette";
import { tableToIPC } from "apache-arrow";
import { parquetMetadata } from "hyparquet";
import polars from "nodejs-polars";
import { beforeAll, describe, expect, it } from "vitest";
import { Dictionary, Int32, makeData, makeVector, Table, Utf8 } from "../../src/columns/arrow/arrow.js";
import type { CsvOptions } from "../../src/columns/arrow/read-options.js";
import { columnsOf } from "../../src/columns/arrow/schema.js";
import { textRows } from "../../src/columns/build/text-rows.js";
import { csvBatches, csvTable } from "../../src/columns/csv/reader.js";
import { csvHead, csvLineBlocks } from "../../src/columns/csv/write.js";
import { csvFileTable } from "../../src/columns/files/csv-file.js";
import { writeBlocks } from "../../src/columns/io/write-blocks.js";
import { readArrow, tableFromIPCBytes } from "../../src/columns/ipc/read/read.js";
import { tableToIPCBytes, tableToIPCFileBytes, writeArrowStream } from "../../src/columns/ipc/stream.js";
import { readParquet } from "../../src/columns/parquet/read/read.js";
import { writeParquet } from "../../src/columns/parquet/write/write.js";
import { tableOf } from "../../src/columns/table/conform.js";
import { adopt } from "../../src/columns/table/foreign-table.js";
import { DataError, FileError, InputError } from "../../src/errors/errors.js";
import { columnSpecs } from "../support/column-specs.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { longIt } from "../support/whole.js";
import { textsOf, utf8 } from "./rows.js";

const options: CsvOptions = {
  columns: columnSpecs({
    ticker: "String",
    name: "Text",
    date: "Date",
    close: "BigDecimal(15,4)",
    volume: "BigDecimal(38,18)",
    wide: "BigDecimal(50,28)",
    ratio: "double",
    count: "BigInt",
    open: "Boolean",
    at: "DateTime",
  }),
};
const rows = Array.from({ length: 700 }, (_, i) => [
  i % 7 === 0 ? "" : `T${i % 5}`,
  i % 11 === 0 ? "" : `"name ${i}, é𝒳"`,
  i % 3 === 0 ? "" : `20${String(10 + (i % 80)).padStart(2, "0")}-02-${String(1 + (i % 28)).padStart(2, "0")}`,
  i % 13 === 0 ? "" : `${i % 2 ? "-" : ""}${i * 1234567}.${String(i % 10_000).padStart(4, "0")}`,
  i % 17 === 0
    ? ""
    : `${i % 2 ? "-" : ""}${"123456789012345678".slice(0, 1 + (i % 18))}.000000000000000${String(i).padStart(3, "0")}`,
  i % 19 === 0 ? "" : `-${"9".repeat(i % 22)}1.0000000000000000000000000${String(i).padStart(3, "0")}`,
  i % 23 === 0 ? "" : String(i / 7),
  i % 29 === 0 ? "" : String(9007199254740993n * BigInt(i)),
  i % 31 === 0 ? "" : String(i % 2 === 0),
  i % 37 === 0 ? "" : `2017-11-10T00:${String(i % 60).padStart(2, "0")}:07.${String(i % 1000).padStart(3, "0")}Z`,
]);
const csv = utf8(`${options.columns.map((c) => c.name).join(",")}\n${rows.map((row) => row.join(",")).join("\n")}\n`);
const table = csvTable(csv, { ...options, batchRows: 256 });
const texts = textsOf(table);

let folder = "";
beforeAll(async () => {
  folder = temporaryFolder();
});

/** What a reader's value of each column is, as text. */
const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const shift = (digits: bigint, scale: number): string => {
  const plain = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, "0");
  return `${digits < 0n ? "-" : ""}${plain.slice(0, -scale)}.${plain.slice(-scale)}`;
};
const double = (x: number): string => (Number.isInteger(x) ? `${x}.0` : String(x));
const instant = (ms: number): string => new Date(ms).toISOString().replace(".000Z", "Z");

it("text is a dictionary where it repeats and Utf8 where it does not", () => {
  expect(table.schema.fields.slice(0, 2).map((field) => String(field.type))).toEqual([
    "Dictionary<Int32, Utf8>",
    "Dictionary<Int32, Utf8>",
  ]);
  expect(
    csvTable(csv, options)
      .schema.fields.slice(0, 2)
      .map((field) => String(field.type)),
  ).toEqual(["Dictionary<Int32, Utf8>", "Utf8"]);
  expect(textsOf(csvTable(csv, options))).toEqual(texts);
});

describe("Arrow IPC", () => {
  it("round-trips through stream and file, metadata included", () => {
    for (const bytes of [tableToIPCBytes(table), tableToIPCFileBytes(table)]) {
      const back = tableFromIPCBytes(bytes);
      expect(textsOf(back)).toEqual(texts);
      expect(columnsOf(back.schema)).toEqual(options.columns);
      expect(Buffer.compare(tableToIPCBytes(back), tableToIPCBytes(table))).toBe(0);
    }
  });

  it("of slices and of a table with columns of two others", () => {
    const slice = table.slice(250, 300);
    expect(textsOf(tableFromIPCBytes(tableToIPCBytes(slice)))).toEqual(texts.slice(250, 300));
    const other = csvTable(utf8("a\nx\ny\n"), { columns: [{ name: "a", type: "String" }] });
    const both = new Table({ a: other.getChildAt(0) as never, ticker: table.slice(0, 2).getChildAt(0) as never });
    expect(textsOf(tableFromIPCBytes(tableToIPCBytes(both)))).toEqual([
      ["x", null],
      ["y", "T1"],
    ]);
  });

  longIt("refuses nothing, no Arrow, and every cut inside a message", () => {
    expect(() => tableFromIPCBytes(new Uint8Array(0))).toThrow(DataError);
    expect(() => tableFromIPCBytes(utf8("not an Arrow file at all"))).toThrow(DataError);
    const bytes = tableToIPCBytes(table.slice(0, 3));
    const readable = Array.from({ length: bytes.length - 8 }, (_, i) => i + 1).filter((cut) => {
      try {
        tableFromIPCBytes(bytes.slice(0, cut));
        return true;
      } catch (error) {
        expect(error).toBeInstanceOf(DataError);
        return false;
      }
    });
    // The format lets a stream end after any message, and Arrow treats a truncated length as the end.
    expect(readable.length).toBeLessThan(4 * 8);
  });

  it("is streamed to disk and appears whole", async () => {
    const path = join(folder, "stream.arrows");
    const written = await writeArrowStream(csvBatches([csv], { ...options, batchRows: 100 }), path);
    expect(written.rows).toBe(700);
    expect(written.bytes).toBe((await readFile(path)).length);
    expect(textsOf(await readArrow(path))).toEqual(texts);
    const broken = csvBatches([csv.slice(0, csv.length - 30)], { ...options, batchRows: 100 });
    await expect(writeArrowStream(broken, path)).rejects.toThrow(DataError);
    expect(textsOf(await readArrow(path))).toEqual(texts);
    expect(await readdir(folder)).toEqual(["stream.arrows"]);
    await expect(writeArrowStream(table.batches, join(folder, "stream.arrows", "such"))).rejects.toThrow(FileError);
    await expect(readArrow(join(folder, "missing"))).rejects.toThrow(FileError);
  });

  it("is read by flechette", () => {
    const back = flechetteTable(tableToIPCBytes(table), { useDecimalInt: true, useBigInt: true });
    const columns = back.names.map((name) => [...back.getChild(name)]);
    const spell: readonly ((value: never) => string)[] = [
      String,
      String,
      day,
      (v: bigint) => shift(v, 4),
      (v: bigint) => shift(v, 18),
      (v: bigint) => shift(v, 28),
      double,
      String,
      String,
      instant,
    ];
    const read = texts.map((_, i) =>
      columns.map((column, k) => (column[i] === null ? null : spell[k](column[i] as never))),
    );
    expect(read).toEqual(texts);
  });

  it("is read by polars, but for Decimal256, which is written as text on demand", () => {
    const frame = polars.readIPCStream(Buffer.from(tableToIPCBytes(table, { wideDecimals: "string" })));
    const asText = frame.withColumns(
      ...["close", "volume", "ratio", "count"].map((name) => polars.col(name).cast(polars.Utf8)),
      polars.col("ticker").cast(polars.Utf8),
      polars.col("name").cast(polars.Utf8),
    );
    for (const [i, name] of options.columns.map((column) => column.name).entries()) {
      const values = asText.getColumn(name).toArray() as unknown[];
      const spell = (v: unknown): string | null => {
        if (v === null) return null;
        if (name === "date") return (v as Date).toISOString().slice(0, 10);
        if (name === "at") return instant(Number(v));
        return String(v);
      };
      expect([name, values.map(spell)]).toEqual([name, texts.map((row) => row[i])]);
    }
  });
});

describe("Parquet", () => {
  it.each([
    [undefined, "zstdCompressSync" in zlib ? "ZSTD" : "SNAPPY"],
    ["snappy", "SNAPPY"],
    ["none", "UNCOMPRESSED"],
  ] as const)("pages compressed by %s are %s and read back", async (compression, codec) => {
    const path = join(folder, `${compression}.parquet`);
    const one = textRows([["7", "a"]], columnSpecs({ n: "Integer", s: "String" })).table();
    await writeParquet(one.batches, path, { compression });
    const { row_groups } = parquetMetadata(new Uint8Array(await readFile(path)).buffer);
    expect(row_groups[0].columns.map((column) => column.meta_data?.codec)).toEqual([codec, codec]);
    expect(textsOf(await readParquet(path))).toEqual([["7", "a"]]);
  });

  it("a compression that is none is refused by name", async () => {
    const wrong = writeParquet([], join(folder, "wrong.parquet"), { compression: "gzip" as "snappy" });
    await expect(wrong).rejects.toMatchObject({ code: "UnknownValue" });
  });

  it("round-trips and is read by DuckDB", async () => {
    const path = join(folder, "table.parquet");
    const warnings: string[] = [];
    expect(await writeParquet(table.batches, path, { warn: (text) => warnings.push(text) })).toMatchObject({
      rows: 700,
    });
    expect(warnings).toEqual([expect.stringContaining('"wide" has 50 digits')]);
    const back = await readParquet(path);
    expect(columnsOf(back.schema)).toEqual(options.columns);
    expect(textsOf(back)).toEqual(texts);
    const connection = await (await DuckDBInstance.create()).connect();
    await connection.run("set TimeZone = 'UTC'");
    const casts = options.columns.map(({ name }) =>
      name === "at" ? `strftime("at", '%Y-%m-%dT%H:%M:%S.%gZ')` : `"${name}"::VARCHAR`,
    );
    const answer = await connection.runAndReadAll(`select ${casts.join(", ")} from read_parquet('${path}')`);
    const read = answer
      .getRows()
      .map((row) => row.map((cell, i) => (i === 9 && cell !== null ? String(cell).replace(".000Z", "Z") : cell)));
    expect(read).toEqual(texts);
    connection.closeSync();
  });

  it("of another writer is read by its own types", async () => {
    const path = join(folder, "duck.parquet");
    const connection = await (await DuckDBInstance.create()).connect();
    await connection.run(
      `copy (select 12.50::DECIMAL(9,2) a, -0.000000000000000001::DECIMAL(38,18) b, DATE '1900-02-28' c, TIMESTAMP '1969-12-31 23:59:59.999' d, 1.5::FLOAT e, 7::SMALLINT f, true g, 'é' h, null::INT i) to '${path}' (format parquet, codec gzip)`,
    );
    connection.closeSync();
    expect(textsOf(await readParquet(path))).toEqual([
      ["12.50", "-0.000000000000000001", "1900-02-28", "1969-12-31T23:59:59.999Z", "1.5", "7", "true", "é", null],
    ]);
    await writeFile(join(folder, "no.parquet"), "no");
    await expect(readParquet(join(folder, "no.parquet"))).rejects.toThrow(DataError);
  });
});

it("CSV written is CSV read", async () => {
  const path = join(folder, "table.csv");
  const blocks = table.batches.flatMap((batch) => [...csvLineBlocks(batch)].map((block) => Buffer.from(block)));
  await writeBlocks(path, [csvHead(table.schema), ...blocks]);
  expect(textsOf(await csvFileTable(path, options))).toEqual(texts);
});

describe("tables of others", () => {
  const cjs = createRequire(import.meta.url)("apache-arrow") as typeof import("apache-arrow");

  it("of the other copy of Arrow are adopted without copying data", () => {
    const foreign = cjs.tableFromIPC(tableToIPCBytes(table));
    const own = adopt(foreign);
    expect(own).toBeInstanceOf(Table);
    expect(Object.getPrototypeOf(own)).toBe(Table.prototype);
    expect(textsOf(own)).toEqual(texts);
    expect(own.batches[0].data.children[3].values).toBe(foreign.batches[0].data.children[3].values);
    expect(tableToIPC(own as never).length).toBeGreaterThan(0);
  });

  it("are refused when an index points outside its dictionary", () => {
    const type = new Dictionary(new Utf8(), new Int32());
    const dictionary = makeVector(
      makeData({ type: new Utf8(), valueOffsets: Int32Array.of(0, 1, 2), data: utf8("ab") }),
    );
    const data = makeData({ type, length: 3, data: Int32Array.of(0, 1, 2), dictionary });
    expect(() => adopt(new Table({ x: makeVector(data) }))).toThrow(
      expect.objectContaining({ code: "BadDictionaryIndex", row: 2 }),
    );
    expect(() => adopt({ not: "a table" })).toThrow(InputError);
    const fine = makeData({ type, length: 3, data: Int32Array.of(0, 1, 2), nullBitmap: Uint8Array.of(3), dictionary });
    expect(textsOf(adopt(new Table({ x: makeVector(fine) })))).toEqual([["a"], ["b"], [null]]);
  });
});

it("batches of separate pages make one table with one dictionary", () => {
  const page = (text: string): Table => csvTable(utf8(text), { columns: [{ name: "a", type: "String" }] });
  const pages = [page("a\nx\ny\nx\n"), page("a\nz\ny\n\n"), page("a\n")];
  const whole = tableOf(
    pages.flatMap((p) => p.batches),
    pages[0].schema,
  );
  expect(textsOf(whole)).toEqual([["x"], ["y"], ["x"], ["z"], ["y"], [null]]);
  const dictionaries = new Set(whole.batches.map((batch) => batch.data.children[0].dictionary));
  expect(dictionaries.size).toBe(1);
  const other = csvTable(utf8("b\nx\n"), { columns: [{ name: "b", type: "String" }] });
  expect(() => tableOf([...pages[0].batches, ...other.batches])).toThrow(
    expect.objectContaining({ code: "SchemaMismatch" }),
  );
});
