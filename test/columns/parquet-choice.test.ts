import { mkdir, readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { textRows } from "../../src/columns/build/text-rows.js";
import { readFooter } from "../../src/columns/parquet/read/format/footer.js";
import { readParquet } from "../../src/columns/parquet/read/read.js";
import { ParquetRows } from "../../src/columns/parquet/read/rows.js";
import { writeParquet } from "../../src/columns/parquet/write/write.js";
import { fileAccess } from "../../src/format/random-access.js";
import { parquetBatches } from "../../src/frame/files/parquet-batches.js";
import { Frame } from "../../src/frame/frame.js";
import type { Condition } from "../../src/spec/vocabulary.js";
import { inBatches } from "../divided.js";
import { columnSpecs } from "../support/column-specs.js";
import { forAllAsync } from "../support/for-all.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { runs } from "../support/whole.js";
import { changedFooter } from "./parquet-footer.js";
import { textsOf } from "./rows.js";

let folder = "";
let connection: DuckDBConnection;
beforeAll(async () => {
  folder = temporaryFolder("parquet-choice");
  connection = await (await DuckDBInstance.create()).connect();
  await connection.run("set TimeZone = 'UTC'");
});
afterAll(async () => {
  connection.closeSync();
});

const ask = async (sql: string): Promise<unknown[][]> => (await connection.runAndReadAll(sql)).getRows();
const copied = async (sql: string, name: string, how = "row_group_size 2048"): Promise<string> => {
  const path = join(folder, name);
  await connection.run(`copy (${sql}) to '${path}' (format parquet${how && `, ${how}`})`);
  return path;
};

/**
 * Values that rise, values that repeat, and nulls: conditions leave out some row groups, all rows of others, or parts
 * of them.
 */
const rising = `select i::BIGINT n, (i / 3)::INTEGER third, (i * 1.25)::DECIMAL(15, 4) price, (i * 3::HUGEINT * 1000000000000000)::DECIMAL(30, 2) wide,
    case when i % 5 = 0 then null else i / 8 end ratio, date '2020-01-01' + (i // 10)::INTEGER as day,
    timestamp '2020-01-01' + to_milliseconds(i * 60001) as moment, 'K' || lpad((i // 100)::VARCHAR, 3, '0') as key,
    case when i % 7 = 0 then null else i % 2 = 0 end as flag, repeat('é', 40) || i as note
  from range(10000) t(i)`;

describe("columns", () => {
  it("are read in the order of their names, and no others", async () => {
    const path = await copied(rising, "rising.parquet");
    const totals: number[] = [];
    const bytes = async (columns?: string[]): Promise<number> => {
      await readParquet(path, { columns, onBytes: (_, total) => totals.push(total) });
      return totals.at(-1) as number;
    };
    const all = await readParquet(path);
    const some = await readParquet(path, { columns: ["key", "n"] });
    expect(some.schema.fields.map(({ name }) => name)).toEqual(["key", "n"]);
    expect(textsOf(some)).toEqual(textsOf(all).map((row) => [row[7], row[0]]));
    expect((await bytes(["third"])) * 4).toBeLessThan(await bytes());
  });

  it.each([
    [{ columns: ["N"] }, "UnknownColumn", 'Did you mean "n"?'],
    [{ columns: [] }, "BadArgument", "at least one name"],
    [{ columns: "n" }, "BadArgument", "at least one name"],
    [{ where: { no: 1 } }, "UnknownColumn", 'no column "no"'],
    [{ where: { n: "x" } }, "BadArgument", 'cannot be compared with "x"'],
    [{ where: { day: "2020-02-30" } }, "BadArgument", "date"],
    [{ where: { n: undefined } }, "BadArgument", "undefined"],
    [{ where: { n: null } }, "BadArgument", "null"],
    [{ where: { n: [] } }, "BadArgument", "empty"],
    [{ where: { n: { gte: [1] } } }, "BadArgument", "one value"],
    [{ where: { n: { above: 1 } } }, "UnknownValue", "above"],
    [{ where: { key: 5 } }, "BadArgument", "text"],
    [{ where: [] }, "BadArgument", "conditions by column"],
    [{ colums: ["n"] }, "UnknownOption", 'Did you mean "columns"?'],
    [{ nested: "no" }, "UnknownValue", "no"],
  ])("and options are checked: %j", async (options, code, text) => {
    const path = await copied(rising, "rising.parquet");
    const error = await Frame.fromParquet(path, options as never).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: "InputError", code });
    expect(`${(error as Error).message} ${(error as { hint?: string }).hint}`).toContain(text);
  });
});

describe("conditions", () => {
  const number = fc.oneof(
    fc.integer({ min: -10, max: 13_000 }),
    fc.integer({ min: -10, max: 130_000 }).map((n) => n / 10),
    fc.constantFrom(0, 0.00001, -1, 1e9, 9999, 2047, 2048),
  );
  const day = fc
    .integer({ min: -3, max: 1100 })
    .map((n) => new Date(Date.UTC(2020, 0, 1 + n)).toISOString().slice(0, 10));
  const values: Readonly<Record<string, fc.Arbitrary<string | number | boolean | bigint>>> = {
    n: fc.oneof(number, fc.bigInt({ min: 0n, max: 10_000n })),
    third: number,
    price: fc.oneof(
      number,
      number.map((n) => n.toFixed(6)),
    ),
    wide: number.map((n) => (n * 3e15).toFixed(3)),
    ratio: number,
    day,
    moment: fc.oneof(
      day,
      fc.nat(600_000_000).map((ms) => new Date(Date.UTC(2020, 0, 1) + ms).toISOString()),
    ),
    key: fc.oneof(
      fc.nat(110).map((n) => `K${String(n).padStart(3, "0")}`),
      fc.constantFrom("", "K", "k", "K01"),
    ),
    flag: fc.boolean(),
    note: fc.oneof(
      fc.constant(`${"é".repeat(40)}17`),
      fc.nat(10_000).map((n) => `${"é".repeat(40)}${n}`),
      fc.constant("é"),
    ),
  };
  const where = fc
    .uniqueArray(
      fc.constantFrom(...Object.keys(values)).chain((name) => {
        const value = values[name];
        const bound = fc.constantFrom("gt", "gte", "lt", "lte", "eq");
        const condition = fc.oneof(
          value,
          fc.array(value, { minLength: 1, maxLength: 3 }),
          fc.dictionary(bound, value, { minKeys: 1, maxKeys: 2 }),
        );
        return fc.tuple(fc.constant(name), condition);
      }),
      { minLength: 1, maxLength: 3, selector: ([name]) => name },
    )
    .map((all) => Object.fromEntries(all) as Record<string, Condition>);

  const CASTS: Readonly<Record<string, string>> = {
    day: "DATE",
    moment: "TIMESTAMP",
    key: "VARCHAR",
    note: "VARCHAR",
    flag: "BOOLEAN",
    ratio: "DOUBLE",
  };
  const OPERATORS: Readonly<Record<string, string>> = { gt: ">", gte: ">=", lt: "<", lte: "<=", eq: "=" };
  /** The conditions as SQL, numbers compared as decimals. */
  const sqlOf = (conditions: Record<string, Condition>): string =>
    Object.entries(conditions)
      .flatMap(([name, condition]) => {
        const type = CASTS[name] ?? "DECIMAL(38, 10)";
        const literal = (value: unknown): string => `'${String(value)}'::${type}`;
        if (Array.isArray(condition)) return [`"${name}"::${type} in (${condition.map(literal).join(", ")})`];
        if (typeof condition !== "object") return [`"${name}"::${type} = ${literal(condition)}`];
        return Object.entries(condition).map(
          ([operator, value]) => `"${name}"::${type} ${OPERATORS[operator]} ${literal(value)}`,
        );
      })
      .join(" and ");

  it("choose the rows that DuckDB chooses, from its files and from our own", async () => {
    const theirs = await copied(rising, "theirs.parquet");
    const ours = join(folder, "ours.parquet");
    await writeParquet((await readParquet(theirs, { batchRows: 8_192 })).batches, ours);
    await forAllAsync(
      { numRuns: runs(150), seed: 33 },
      where,
      fc.constantFrom(theirs, ours),
      fc.constantFrom("auto", "utf8" as const),
      async (conditions, path, text) => {
        const expected = await ask(`select n::VARCHAR from read_parquet('${theirs}') where ${sqlOf(conditions)}`);
        const table = await readParquet(path, { columns: ["n"], where: conditions, text });
        expect(textsOf(table)).toEqual(expected);
        expect(table.schema.fields.map(({ name }) => name)).toEqual(["n"]);
      },
    );
  });

  it("leave out row groups by their bounds", async () => {
    const path = await copied(rising, "rising.parquet");
    const total = async (conditions?: Record<string, Condition>): Promise<number> => {
      let bytes = 0;
      await readParquet(path, { where: conditions, onBytes: (_, all) => (bytes = all) });
      return bytes;
    };
    const all = await total();
    for (const conditions of [
      { n: 5 },
      { day: { gte: "2022-09-01" } },
      { key: "K000" },
      { price: { lt: 3 } },
      { wide: { gt: "29900000000000000000" } },
      { moment: { lt: "2020-01-01T00:10:00Z" } },
      { ratio: { gte: 1240 } },
      { note: { lte: `${"é".repeat(40)}0` } },
    ]) {
      expect(await total(conditions as unknown as Record<string, Condition>)).toBeLessThan(all * 0.5);
    }
    expect(await total({ day: { gte: "2050-01-01" } })).toBe(0);
    const none = await Frame.fromParquet(path, { where: { n: -1 } });
    expect([none.numRows, none.columns.map(({ name }) => name).length]).toEqual([0, 10]);
  });

  it("on bounds beside NaN, in older files and on wrong types exclude nothing", async () => {
    const path = join(folder, "nan.parquet");
    const frame = Frame.fromRows([{ x: Number.NaN }, { x: 1 }, { x: null }], [{ name: "x", type: "double" }]);
    await frame.toParquet(path);
    const matching = async (condition: Condition) =>
      (await Frame.fromParquet(path, { where: { x: condition } })).column("x").toStrings();
    expect(await matching({ gt: 0 })).toEqual(["1.0"]);
    expect(await matching({ lt: 2 })).toEqual(["1.0"]);
    expect(await matching({ gte: 1, lte: 1 })).toEqual(["1.0"]);
  });

  it("hold for decimals read as doubles, and keep the key", async () => {
    const path = join(folder, "keyed.parquet");
    const columns = columnSpecs({ t: "String", p: "BigDecimal(9,2)" });
    await Frame.fromRows(
      [
        { t: "a", p: "1.25" },
        { t: "b", p: "2.50" },
      ],
      columns,
      undefined,
    ).toParquet(path);
    expect([...(await Frame.fromParquet(path, { decimals: "float64", where: { p: { gt: "1.25" } } })).rows()]).toEqual([
      { t: "b", p: 2.5 },
    ]);
    const keyed = textRows([["a", "1"]], columns, { key: ["t"] }).table();
    await writeParquet(keyed.batches, path);
    expect((await Frame.fromParquet(path)).key).toEqual(["t"]);
    expect((await Frame.fromParquet(path, { columns: ["p", "t"] })).key).toEqual(["t"]);
    expect((await Frame.fromParquet(path, { columns: ["p"] })).key).toEqual([]);
    expect((await Frame.fromParquet(path, { columns: ["p"], where: { t: "a" } })).key).toEqual([]);
  });
});

describe("batches", () => {
  it("give the rows of the table, as many at a time as wanted", async () => {
    const path = await copied(rising, "rising.parquet");
    const table = await readParquet(path);
    for (const batchRows of [1, 999, 4_096, 4_097, 100_000].slice(1)) {
      const rows: (string | null)[][] = [];
      const sizes: number[] = [];
      await inBatches(batchRows, async () => {
        for await (const batch of parquetBatches(path, { onProgress: false })) {
          rows.push(...textsOf({ batches: [batch] } as never));
          sizes.push(batch.numRows);
        }
      });
      expect(Math.max(...sizes)).toBeLessThanOrEqual(batchRows);
      expect(rows).toEqual(textsOf(table));
    }
    const batches = [];
    for await (const batch of parquetBatches(path, { where: { n: -1 } })) batches.push(batch);
    expect(batches.map(({ numRows }) => numRows)).toEqual([0]);
    expect(() => parquetBatches(5 as never)).toThrow("does not accept 5");
    expect(() => parquetBatches(path, { batchRow: 1 } as never)).toThrow('no option "batchRow"');
    for (const gone of ["batchRows", "threads"]) {
      expect(() => parquetBatches(path, { [gone]: 1 } as never)).toThrow(`no option "${gone}"`);
    }
  });

  it("stop by a signal and when the reader leaves", async () => {
    const path = await copied(rising, "rising.parquet");
    await inBatches(10, async () => {
      for await (const batch of parquetBatches(path)) {
        expect(batch.numRows).toBe(10);
        break;
      }
    });
    const stop = new AbortController();
    const run = async () => {
      for await (const _ of parquetBatches(path, { signal: stop.signal })) stop.abort(new Error("enough"));
    };
    await expect(inBatches(10, run)).rejects.toThrow("enough");
  });
});

describe("a folder", () => {
  it("of Parquet files is one table, in the order of their names", async () => {
    const parts = join(folder, "parts");
    await mkdir(join(parts, "b"), { recursive: true });
    await copied("select i::BIGINT i, 'T' || (i % 3) t from range(3000) t(i)", "parts/a.parquet");
    await copied("select 'U' || (i % 3000) t, i::BIGINT i from range(3000, 6000) t(i)", "parts/b/c.parquet");
    await copied("select i::BIGINT i, 'V' t from range(0) t(i)", "parts/b/d.parquet");
    await writeFile(join(parts, "_SUCCESS"), "");
    await writeFile(join(parts, ".a.parquet.crc"), "x");
    const frame = await Frame.fromParquet(parts);
    expect(frame.numRows).toBe(6_000);
    expect(frame.column("i").toStrings()).toEqual(Array.from({ length: 6_000 }, (_, i) => String(i)));
    expect(frame.column("t").get(3_001)).toBe("U1");
    const some = await Frame.fromParquet(parts, { columns: ["t"], where: { i: { gte: 2_999, lte: 3_000 } } });
    expect([...some.rows()]).toEqual([{ t: "T2" }, { t: "U0" }]);
    await copied("select i::DOUBLE i, 'V' t from range(2) t(i)", "parts/e.parquet");
    await expect(Frame.fromParquet(parts)).rejects.toMatchObject({
      code: "SchemaMismatch",
      column: "i",
      message: expect.stringContaining("e.parquet"),
    });
    await copied("select i::BIGINT i, 'V' t, 1 more from range(2) t(i)", "parts/e.parquet");
    await expect(Frame.fromParquet(parts)).rejects.toMatchObject({ code: "SchemaMismatch", column: "more" });
    expect((await Frame.fromParquet(parts, { columns: ["i", "t"] })).numRows).toBe(6_002);
  });

  it("without Parquet files, or with a column in the names of its folders, is refused", async () => {
    const empty = join(folder, "empty");
    await mkdir(join(folder, "hive/date=2024-01-01"), { recursive: true });
    await mkdir(empty);
    await expect(Frame.fromParquet(empty)).rejects.toMatchObject({ name: "FileError", code: "NotAFile" });
    await expect(Frame.fromParquet(join(folder, "nowhere"))).rejects.toMatchObject({
      name: "FileError",
      code: "FileNotFound",
    });
    await copied("select 1 a", "hive/date=2024-01-01/a.parquet");
    await expect(Frame.fromParquet(join(folder, "hive"))).rejects.toMatchObject({
      code: "UnsupportedParquet",
      column: "date",
    });
  });
});

describe("what cannot be read", () => {
  it("is named: encrypted files and columns, other formats, truncated files", async () => {
    const path = join(folder, "secret.parquet");
    const two = await readFile(await copied("select 1 a, 'x' b", "two.parquet"));
    const sealed = Buffer.concat([two.subarray(0, -4), Buffer.from("PARE")]);
    await expect(readParquet(sealed)).rejects.toMatchObject({
      code: "UnsupportedParquet",
      message: expect.stringContaining("file is encrypted"),
    });
    // The second column has a key of its own.
    const partly = changedFooter(two, ["field_4", 0, "field_1", 1, "field_8"], { field_1: {} });
    await expect(readParquet(partly)).rejects.toMatchObject({
      code: "UnsupportedParquet",
      message: expect.stringContaining('column "b" is encrypted'),
    });
    expect(textsOf(await readParquet(partly, { columns: ["a"] }))).toEqual([["1"]]);
    const lzo = changedFooter(two, ["field_4", 0, "field_1", 1, "field_3", "field_4"], 3);
    await expect(readParquet(lzo)).rejects.toMatchObject({
      code: "UnsupportedParquet",
      message: expect.stringContaining('column "b" of row group 0: it is compressed by LZO'),
    });
    await writeFile(path, "a,b\n1,2\n");
    await expect(readParquet(path)).rejects.toMatchObject({ code: "BadParquet" });
    await writeFile(path, "");
    await expect(readParquet(path)).rejects.toMatchObject({
      code: "BadParquet",
      message: expect.stringContaining("empty"),
    });
    await writeFile(path, "PK\x03\x04 and so on");
    await expect(readParquet(path)).rejects.toMatchObject({
      code: "WrongFormat",
      hint: expect.stringContaining("fromZip"),
    });
    const sound = await readFile(await copied(rising, "sound.parquet"));
    await writeFile(path, sound.subarray(0, sound.length - 100));
    await expect(readParquet(path)).rejects.toMatchObject({
      code: "BadParquet",
      message: expect.stringContaining("truncated"),
    });
  });

  it("a file that is truncated while it is read ends early, wherever", async () => {
    const sound = await readFile(await copied(rising, "sound.parquet"));
    for (const left of [0, 5, sound.length >> 1, sound.length - 70_000, sound.length - 10, sound.length - 1]) {
      const path = join(folder, "shrinking.parquet");
      await writeFile(path, sound);
      // The size is that of the whole file.
      const file = await fileAccess(path);
      await truncate(path, left);
      const read = async () => new ParquetRows(file, await readFooter(file), {}).table();
      await expect(read()).rejects.toThrow(/^(column "\w+" of row group \d+: )?the file ends early$/);
      await file.close();
    }
  });

  it("a leaf that another writer made a time of day is read as one, whatever type the file notes for it", async () => {
    const path = join(folder, "noted.parquet");
    await Frame.fromRows(
      [{ p: "1.25" }, { p: "2.5" }, { p: null }, { p: "3" }],
      [{ name: "p", type: "BigDecimal(15,4)" }],
    ).toParquet(path);
    // Logical type TIME of microseconds (field 7) in the schema element of the column.
    const time = { field_7: { field_1: true, field_2: { field_2: {} } } };
    const timed = changedFooter(await readFile(path), ["field_2", 1, "field_10"], time);
    // In a file of this package, that is damage.
    await expect(readParquet(timed)).rejects.toMatchObject({ code: "BadParquet" });
    const older = changedFooter(timed, ["field_2", 1, "field_6"], undefined);
    const file = changedFooter(older, ["field_6"], Buffer.from("another writer"));
    const column = (await Frame.fromParquet(file)).table.getChildAt(0);
    expect(String(column?.type)).toBe("Time64<MICROSECOND>");
    expect([...(column ?? [])]).toEqual([12500n, 25000n, null, 30000n]);
  });

  it("a footer whose number of rows is not that of its row groups", async () => {
    const path = join(folder, "rows.parquet");
    await writeParquet(textRows([["1"], ["2"], ["3"]], [{ name: "n", type: "Integer" }]).table().batches, path);
    const wrong = changedFooter(await readFile(path), ["field_3"], 5n);
    await expect(readParquet(wrong)).rejects.toMatchObject({
      code: "BadParquet",
      message: expect.stringMatching(/5 rows.*hold 3/),
    });
  });
});
