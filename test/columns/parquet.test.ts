import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { parquetMetadata } from "hyparquet";
import { type ColumnSource, parquetWriteBuffer } from "hyparquet-writer";
import polars from "nodejs-polars";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  Decimal,
  Float32,
  Int16,
  Int32,
  makeData,
  makeVector,
  Table,
  tableFromArrays,
  Uint64,
  Utf8,
  vectorFromArray,
} from "../../src/columns/arrow/arrow.js";
import { textRows } from "../../src/columns/build/text-rows.js";
import { readParquet } from "../../src/columns/parquet/read/read.js";
import { writeParquet } from "../../src/columns/parquet/write/write.js";
import { DataError } from "../../src/errors/errors.js";
import { columnSpecs } from "../support/column-specs.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { isWhole, longIt, runs } from "../support/whole.js";
import { textsOf } from "./rows.js";

// What is written is judged by DuckDB and polars, row by row.

const ROWS = isWhole ? 140_000 : 75_000;
const DAMAGES = runs(300, 30);
const columns = columnSpecs({
  count: "Integer",
  far: "BigInt",
  price: "BigDecimal(15,4)",
  long: "BigDecimal(18,2)",
  volume: "BigDecimal(20,0)",
  wide: "BigDecimal(38,18)",
  ratio: "double",
  date: "Date",
  at: "DateTime",
  flag: "Boolean",
  nothing: "Integer",
  key: "String",
  note: "Text",
});

/** Whole numbers below `below` that look random and are the same each time. */
function random(i: number, k: number, below: number): number {
  let t = Math.imul(i + 1, 0x9e3779b1) ^ Math.imul(k + 7, 0x85ebca6b);
  t = Math.imul(t ^ (t >>> 15), 0x2c1b3c6d);
  t = Math.imul(t ^ (t >>> 12), 0x297a2d39);
  return ((t ^ (t >>> 15)) >>> 0) % below;
}

const digits = (i: number, k: number, count: number): string =>
  Array.from({ length: count }, (_, n) => random(i, k * 100 + n, 10)).join("");
const sign = (i: number, k: number): string => (random(i, k, 2) === 0 ? "-" : "");
const two = (n: number): string => String(n).padStart(2, "0");

const rows = Array.from({ length: ROWS }, (_, i): (string | null)[] => {
  const cells = [
    String(i),
    `${sign(i, 1)}${random(i, 2, 9_223_372)}${digits(i, 3, 12)}`,
    `${100 + random(i, 4, 50)}.${digits(i, 5, 4)}`,
    // Few digits in the first row group, all 18 in the next.
    i < 70_000 ? `${random(i, 6, 1000)}.25` : `${sign(i, 7)}9${digits(i, 8, 15)}.${digits(i, 9, 2)}`,
    `${sign(i, 10)}${1 + random(i, 11, 9)}${digits(i, 12, random(i, 13, 19))}`,
    `${sign(i, 14)}1${digits(i, 15, random(i, 16, 19))}.${digits(i, 17, 17)}1`,
    `${sign(i, 18)}${random(i, 19, 1000)}.5`,
    `${1900 + random(i, 20, 200)}-${two(1 + random(i, 21, 12))}-${two(1 + random(i, 22, 28))}`,
    `${1900 + random(i, 23, 200)}-03-04T05:06:${two(random(i, 24, 60))}.${digits(i, 25, 2)}7Z`,
    String(random(i, 26, 2) === 0),
    null,
    `K${random(i, 27, 300)}`,
    `note ${i} é𝒳 ${"x".repeat(random(i, 28, 40))}`,
  ];
  // No nulls, a few, or many, one stretch after the other.
  const often = [0, 50, 3][Math.floor(i / 30_000) % 3];
  return cells.map((cell, k) => (k > 0 && often > 0 && random(i, 40 + k, often) === 0 ? null : cell));
});
const table = textRows(rows, columns, { batchRows: 1_777 }).table();

let folder = "";
let connection: DuckDBConnection;
beforeAll(async () => {
  folder = temporaryFolder("parquet");
  connection = await (await DuckDBInstance.create()).connect();
  await connection.run("set TimeZone = 'UTC'");
});
afterAll(async () => {
  connection.closeSync();
});

const ask = async (sql: string): Promise<unknown[][]> => (await connection.runAndReadAll(sql)).getRows();
const metadataOf = async (path: string) => parquetMetadata(new Uint8Array(await readFile(path)).buffer);

describe("a long table", () => {
  let path = "";
  beforeAll(async () => {
    path = join(folder, "long.parquet");
    expect(await writeParquet(table.batches, path)).toMatchObject({ rows: ROWS });
  });

  it("is read by DuckDB, cell by cell", async () => {
    const spelt = columns.map(({ name }) => {
      if (name === "at") return `strftime("at", '%Y-%m-%dT%H:%M:%S.%gZ')`;
      return `"${name}"::VARCHAR`;
    });
    const read = await ask(`select ${spelt.join(", ")} from read_parquet('${path}')`);
    expect(read.length).toBe(ROWS);
    for (let i = 0; i < ROWS; i++) {
      if (String(read[i]) !== String(rows[i]) || read[i].some((cell, k) => (cell === null) !== (rows[i][k] === null))) {
        expect({ i, cells: read[i] }).toEqual({ i, cells: rows[i] });
      }
    }
  });

  it("is read by polars", () => {
    const names = ["count", "far", "price", "long", "volume", "wide", "ratio", "key", "note"];
    const read = polars.readParquet(path).select(...names.map((name) => polars.col(name).cast(polars.Utf8)));
    for (const name of names) {
      const k = columns.findIndex((column) => column.name === name);
      const cells = read.getColumn(name).toArray() as (string | null)[];
      const wrong = cells.findIndex((cell, i) => cell !== rows[i][k]);
      expect([name, wrong, cells[wrong]]).toEqual([name, -1, undefined]);
    }
  });

  it("round-trips", async () => {
    const back = textsOf(await readParquet(path));
    const wanted = textsOf(table);
    const wrong = back.findIndex((row, i) => String(row) !== String(wanted[i]));
    expect([back.length, wrong]).toEqual([ROWS, -1]);
  });

  longIt.each(["DuckDB, version 1 pages, dictionaries", "DuckDB, version 2 pages, gzip", "polars"])(
    "round-trips when written by %s",
    async (writer) => {
      const other = join(folder, "other.parquet");
      if (writer === "polars") polars.readParquet(path).writeParquet(other);
      else {
        const how = writer.includes("2")
          ? "parquet_version v2, codec gzip, row_group_size 10000"
          : "row_group_size 122880";
        await connection.run(`copy (from read_parquet('${path}')) to '${other}' (format parquet, ${how})`);
      }
      const back = textsOf(await readParquet(other));
      const wanted = textsOf(table);
      const wrong = back.findIndex((row, i) => String(row) !== String(wanted[i]));
      expect([back.length, wrong, back[wrong]]).toEqual([ROWS, -1, undefined]);
    },
  );

  it("says of each row group the least and greatest value, and how many are null", async () => {
    const { row_groups: groups } = await metadataOf(path);
    expect(groups.length).toBeGreaterThan(1);
    const counted = ["price", "long", "volume", "wide", "date", "count", "far", "key", "note", "nothing"];
    const said = await ask(
      `select row_group_id, path_in_schema, stats_min_value, stats_max_value, stats_null_count from parquet_metadata('${path}') where path_in_schema in (${counted.map((name) => `'${name}'`)}) order by 1, 2`,
    );
    let from = 0;
    for (const [g, { num_rows }] of groups.entries()) {
      const to = from + Number(num_rows);
      const truly = await ask(
        `with part as (select * from read_parquet('${path}', file_row_number = true) where file_row_number >= ${from} and file_row_number < ${to}) ${counted
          .map(
            (name) =>
              `select '${name}', min("${name}")::VARCHAR, max("${name}")::VARCHAR, count(*) - count("${name}") from part`,
          )
          .join(" union all ")} order by 1`,
      );
      for (const [name, min, max, nulls] of truly) {
        const [, , low, high, none] = said.find((row) => Number(row[0]) === g && row[1] === name) ?? [];
        expect([name, none]).toEqual([name, nulls]);
        // Bounds of long text are cut.
        if (name === "note") expect(String(low) <= String(min) && String(high) >= String(max).slice(0, 4)).toBe(true);
        else expect([g, name, low, high]).toEqual([g, name, min, max]);
      }
      from = to;
    }
  });

  it("holds whole numbers as differences, and text that repeats once", async () => {
    const { row_groups: groups } = await metadataOf(path);
    const encodings = (name: string, g: number) =>
      groups[g].columns.find(({ meta_data: chunk }) => chunk?.path_in_schema[0] === name)?.meta_data?.encodings;
    expect(encodings("long", 0)).toContain("DELTA_BINARY_PACKED");
    expect(encodings("long", groups.length - 1)).toContain("PLAIN");
    expect(encodings("key", 0)).toContain("RLE_DICTIONARY");
    expect(encodings("note", 0)).toEqual(["RLE", "PLAIN"]);
  });

  it.each(["none", "snappy"] as const)("compressed by %s it holds the same", async (compression) => {
    const other = join(folder, `${compression}.parquet`);
    await writeParquet(table.batches.slice(0, 5), other, { compression });
    const [[differing]] = await ask(
      `select count(*) from (from read_parquet('${other}') except all (from read_parquet('${path}') limit ${5 * 1_777}))`,
    );
    expect(differing).toBe(0n);
  });
});

it("the ends of the ranges round-trip", async () => {
  const path = join(folder, "ends.parquet");
  const ends = [
    ["9223372036854775807", "-9999-01-01"],
    ["-9223372036854775808", ""],
    ["2251799813685247", ""],
    ["-2251799813685248", ""],
    ["2251799813685248", ""],
    ["-2251799813685249", ""],
    ["0", ""],
  ].map(([number]) => [number, number.slice(0, 15).replace(/^-?$/, "0"), null]);
  const kinds = columnSpecs({ n: "BigInt", d: "BigDecimal(38,0)", none: "Date" });
  for (let count = 0; count <= ends.length; count++) {
    const some = textRows(ends.slice(0, count), kinds).table();
    await writeParquet(some.batches, path, { schema: some.schema });
    expect(textsOf(await readParquet(path))).toEqual(ends.slice(0, count));
    const [[least, greatest]] = await ask(`select min(n)::VARCHAR, max(n)::VARCHAR from read_parquet('${path}')`);
    const sorted = ends
      .slice(0, count)
      .map(([n]) => BigInt(n as string))
      .sort((a, b) => (a < b ? -1 : 1));
    expect([least, greatest]).toEqual([sorted[0]?.toString() ?? null, sorted.at(-1)?.toString() ?? null]);
  }
});

it("columns of other makers: narrow and unsigned integers, floats, repeated Utf8, and slices of them", async () => {
  const path = join(folder, "foreign.parquet");
  const foreign = new Table({
    small: vectorFromArray([1, -2, null, 32_767, 5, 6, 7, 8, 9, null], new Int16()),
    days: vectorFromArray([2 ** 31 - 1, -(2 ** 31), 0, null, 1, 2, 3, 4, 5, 6], new Int32()),
    huge: vectorFromArray([2n ** 64n - 1n, 0n, null, 1n, 2n, 3n, 4n, 5n, 2n ** 63n, 7n], new Uint64()),
    half: vectorFromArray([0.5, null, -0.25, 1, 2, 3, 4, 5, 6, Number.NaN], new Float32()),
    word: vectorFromArray(["a", "a", "a", "b", null, "a", "", "a", "b", "a"], new Utf8()),
  });
  for (const [from, to] of [
    [0, 10],
    [1, 9],
    [3, 4],
    [2, 10],
  ]) {
    const part = foreign.slice(from, to);
    await writeParquet(part.batches, path);
    const spelt = (await ask(
      `select small::VARCHAR, days::VARCHAR, huge::VARCHAR, half::VARCHAR, word from read_parquet('${path}')`,
    )) as (string | null)[][];
    const wanted = [...part].map((row) =>
      Object.entries(row.toJSON()).map(([name, value]) => {
        if (value === null) return null;
        if (name === "half") return Number.isInteger(value) ? `${value}.0` : String(value).toLowerCase();
        return String(value);
      }),
    );
    expect(spelt).toEqual(wanted);
    const back = await readParquet(path);
    expect(textsOf(back).map((row) => row[2])).toEqual(wanted.map((row) => row[2]));
  }
});

it("booleans and numbers that are all alike, NaN and both zeros", async () => {
  const path = join(folder, "alike.parquet");
  await writeParquet(
    tableFromArrays({
      zero: Float64Array.of(0, -0, 0),
      none: Float64Array.of(Number.NaN, Number.NaN, Number.NaN),
      some: Float64Array.of(Number.NaN, -1.5, Number.POSITIVE_INFINITY),
    }).batches,
    path,
  );
  const bounds = (await metadataOf(path)).row_groups[0].columns.map(({ meta_data: chunk }) => [
    chunk?.statistics?.min_value,
    chunk?.statistics?.max_value,
  ]);
  expect(bounds).toEqual([
    [-0, 0],
    [undefined, undefined],
    [undefined, undefined],
  ]);
  const [[greater]] = await ask(`select count(*) from read_parquet('${path}') where "some" > 1e9`);
  expect(greater).toBe(2n);
  const one = new Table({ flag: makeVector(Uint8Array.of(1, 1, 1)) });
  await writeParquet(one.batches, path);
  expect(textsOf(await readParquet(path))).toEqual([["1"], ["1"], ["1"]]);
});

it.each(columns.map(({ type }) => type))("a column of nothing but nulls, of %s", async (type) => {
  const path = join(folder, "nothing.parquet");
  const given = textRows(
    Array.from({ length: 22 }, () => [null]),
    [{ name: "n", type }],
  ).table();
  await writeParquet(given.batches, path);
  expect(textsOf(await readParquet(path))).toEqual(Array.from({ length: 22 }, () => [null]));
  expect(await ask(`select count(*)::VARCHAR, count(n)::VARCHAR from read_parquet('${path}')`)).toEqual([["22", "0"]]);
});

it("damaged anywhere, it is refused, and no cell is another one", async () => {
  const kinds = columns.slice(0, 8);
  const some = textRows(
    rows.slice(29_900, 30_100).map((row) => row.slice(0, 8)),
    kinds,
  ).table();
  const path = join(folder, "sound.parquet");
  const damaged = join(folder, "damaged.parquet");
  await writeParquet(some.batches, path);
  const sound = await readFile(path);
  const wanted = JSON.stringify(textsOf(some));
  const { row_groups: groups } = await metadataOf(path);
  const pagesEnd = Math.max(
    ...groups[0].columns.map(({ file_offset: from, meta_data: chunk }) =>
      Number(from + (chunk?.total_compressed_size ?? 0n)),
    ),
  );
  let refused = 0;
  for (let n = 0; n < DAMAGES; n++) {
    const bytes = n % 10 === 0 ? sound.subarray(0, random(n, 1, sound.length)) : Buffer.from(sound);
    if (n % 10 > 0) for (let k = 0; k <= n % 4; k++) bytes[random(n, 2 + k, pagesEnd)] ^= 1 + random(n, 6 + k, 255);
    await writeFile(damaged, bytes);
    try {
      // Bytes before the first page, and header fields that are not used.
      expect(JSON.stringify(textsOf(await readParquet(damaged, { warn() {} })))).toBe(wanted);
    } catch (error) {
      expect(error).toBeInstanceOf(DataError);
      refused++;
    }
  }
  expect(refused).toBeGreaterThan(DAMAGES * 0.9);
});

it("of other writers, damaged anywhere, it is refused or read, and comes to an end", async () => {
  const kinds = columns.slice(0, 13);
  const some = textRows(rows.slice(29_900, 30_100), kinds).table();
  const path = join(folder, "own.parquet");
  const other = join(folder, "others.parquet");
  const damaged = join(folder, "damaged-other.parquet");
  await writeParquet(some.batches, path);
  let refused = 0;
  for (const version of ["v1", "v2"]) {
    await connection.run(
      `copy (from read_parquet('${path}')) to '${other}' (format parquet, parquet_version ${version})`,
    );
    const sound = await readFile(other);
    for (let n = 0; n < DAMAGES; n++) {
      const bytes = Buffer.from(sound);
      for (let k = 0; k <= n % 4; k++) bytes[random(n, 2 + k, sound.length)] = random(n, 6 + k, 256);
      await writeFile(damaged, bytes);
      try {
        expect((await readParquet(damaged, { warn() {} })).numRows).toBe(200);
      } catch (error) {
        expect(error).toBeInstanceOf(DataError);
        refused++;
      }
    }
  }
  expect(refused).toBeGreaterThan(DAMAGES / 5);
});

it("a batch of very many rows, or of very many columns, is cut into row groups", async () => {
  const path = join(folder, "cut.parquet");
  const long = tableFromArrays({ n: Int32Array.from({ length: 300_001 }, (_, i) => i) });
  expect(long.batches).toHaveLength(1);
  expect(await writeParquet(long.batches, path)).toMatchObject({ rows: 300_001 });
  expect((await metadataOf(path)).row_groups.map((group) => Number(group.num_rows))).toEqual([
    65_536, 65_536, 65_536, 65_536, 37_857,
  ]);
  const [[sum, rows]] = await ask(`select sum(n)::BIGINT, count(*) from read_parquet('${path}')`);
  expect([sum, rows]).toEqual([(300_000n * 300_001n) / 2n, 300_001n]);
  const numbers = Float64Array.from({ length: 20_000 }, (_, i) => i / 2);
  const wide = tableFromArrays(Object.fromEntries(Array.from({ length: 600 }, (_, k) => [`c${k}`, numbers])));
  await writeParquet(wide.batches, path);
  expect((await metadataOf(path)).row_groups.map((group) => Number(group.num_rows))).toEqual([8_192, 8_192, 3_616]);
  expect(await ask(`select sum(c0), sum(c599) from read_parquet('${path}')`)).toEqual([[99_995_000, 99_995_000]]);
});

it("required columns, and rare encodings", async () => {
  const path = join(folder, "library.parquet");
  const texts = ["alpha", "alphabet", "beta", "beta", ""];
  const numbers = [1n, -5n, 2n ** 60n, 0n, 7n];
  const halves = Float64Array.of(1.5, -2, 0, Number.NaN, 1e300);
  const columnData: ColumnSource[] = [
    { name: "a", data: texts, type: "STRING", encoding: "DELTA_BYTE_ARRAY" },
    { name: "b", data: texts, type: "STRING", encoding: "DELTA_LENGTH_BYTE_ARRAY", nullable: false },
    { name: "c", data: numbers, type: "INT64", nullable: false },
    { name: "d", data: numbers, type: "INT64", encoding: "DELTA_BINARY_PACKED" },
    { name: "e", data: halves, type: "DOUBLE", encoding: "BYTE_STREAM_SPLIT", nullable: false },
    { name: "f", data: halves, type: "DOUBLE", nullable: false },
    { name: "g", data: [true, false, true, true, false], type: "BOOLEAN", nullable: false },
    { name: "h", data: [0.5, 1, 2, 3, -0], type: "FLOAT16" },
  ];
  await writeFile(path, new Uint8Array(parquetWriteBuffer({ columnData })));
  const [a, c] = [texts, numbers.map(String)];
  const spelt = textsOf(await readParquet(path));
  const column = (k: number) => spelt.map((row) => row[k]);
  expect([column(0), column(1), column(2), column(3)]).toEqual([a, a, c, c]);
  expect(column(4)).toEqual(column(5));
  expect(column(5).map((cell) => Number(cell))).toEqual([...halves]);
  expect(column(6)).toEqual(["true", "false", "true", "true", "false"]);
  expect(column(7)).toEqual(["0.5", "1.0", "2.0", "3.0", "-0.0"]);
});

it("text that is not UTF-8 is an error, and identifiers are spelt as such", async () => {
  const path = join(folder, "bytes.parquet");
  await connection.run(`copy (from (values ('ok'), ('zzzz'))) to '${path}' (format parquet, codec uncompressed)`);
  const bytes = await readFile(path);
  for (let at = bytes.indexOf("zzzz"); at >= 0; at = bytes.indexOf("zzzz")) bytes.write("\xff\xfe", at, "latin1");
  await writeFile(path, bytes);
  await expect(readParquet(path)).rejects.toMatchObject({ code: "BadUtf8", column: "col0", row: 1 });
  expect(textsOf(await readParquet(path, { onBadCell: "null" }))).toEqual([["ok"], [null]]);
  const id = "f0f1f2f3-f4f5-f6f7-f8f9-fafbfcfdfeff";
  await connection.run(`copy (select '${id}'::UUID u) to '${path}' (format parquet)`);
  expect(textsOf(await readParquet(path))).toEqual([[id]]);
});

it("decimals that Parquet does not know become text, and those too long for their type are an error", async () => {
  const path = join(folder, "odd.parquet");
  const decimals = (type: Decimal, words: number[]) =>
    new Table({ x: makeVector(makeData({ type, length: 1, nullCount: 0, data: Uint32Array.from(words) })) });
  const warnings: string[] = [];
  const warn = (text: string) => warnings.push(text);
  await writeParquet(decimals(new Decimal(5, 2, 128), [5, 0, 0, 0]).batches, path, { warn });
  expect(textsOf(await readParquet(path))[0][0]).toContain("5");
  expect(warnings).toEqual([
    'Column "x" has 2 digits and a scale of 5, which Parquet does not know, so it is written as text.',
  ]);
  const tooLong = { code: "PrecisionLoss", column: "x" };
  for (const [precision, words] of [
    [10, [5, 0, 1, 0]],
    [18, [0, 2 ** 31, 0, 0]],
    [20, [5, 0, 0, 1]],
  ] as const) {
    const wrong = writeParquet(decimals(new Decimal(2, precision, 128), [...words]).batches, path);
    await expect(wrong).rejects.toMatchObject(tooLong);
  }
});

it("no bytes stand for no bytes in any compression, and no page inflates to more than it says", async () => {
  const path = join(folder, "gzip.parquet");
  const nothing: ColumnSource[] = [{ name: "n", data: [null, null], type: "INT32" }];
  const empty = { GZIP: (bytes: Uint8Array) => (bytes.length === 0 ? bytes : gzipSync(bytes)) };
  const make = (columnData: ColumnSource[], compressors: typeof empty) =>
    writeFile(path, new Uint8Array(parquetWriteBuffer({ columnData, codec: "GZIP", compressors })));
  await make(nothing, empty);
  expect(textsOf(await readParquet(path))).toEqual([[null], [null]]);
  await make([{ name: "n", data: [1, 2], type: "INT32" }], { GZIP: () => gzipSync(Buffer.alloc(50_000_000)) });
  await expect(readParquet(path)).rejects.toThrow(/column "n" of row group 0: .*does not decompress to 8 bytes/);
});
