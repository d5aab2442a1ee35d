import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import polars from "nodejs-polars";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Table } from "../../src/columns/arrow/arrow.js";
import { textRows } from "../../src/columns/build/text-rows.js";
import { parquetFileBatches, readParquet } from "../../src/columns/parquet/read/read.js";
import { writeParquet } from "../../src/columns/parquet/write/write.js";
import { Frame } from "../../src/frame/frame.js";
import { columnSpecs } from "../support/column-specs.js";
import { forAllAsync } from "../support/for-all.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { isWhole, runs } from "../support/whole.js";
import { textsOf } from "./rows.js";

let folder = "";
let connection: DuckDBConnection;
beforeAll(async () => {
  folder = temporaryFolder("parquet-reading");
  connection = await (await DuckDBInstance.create()).connect();
  await connection.run("set TimeZone = 'UTC'");
});
afterAll(async () => {
  connection.closeSync();
});

const ask = async (sql: string): Promise<unknown[][]> => (await connection.runAndReadAll(sql)).getRows();
const copied = async (sql: string, path: string, how = ""): Promise<string> => {
  await connection.run(`copy (${sql}) to '${path}' (format parquet${how && `, ${how}`})`);
  return path;
};

/** Rows of every flat type, with nulls in stretches; row `i` depends on `i` alone. */
const ROWS = isWhole ? 9_000 : 2_500;
const every = `select
    i::INTEGER as small, (i * 7919 - 30000)::BIGINT as big, (i * 1e15)::HUGEINT::DECIMAL(38, 4) as wide,
    ((i * 7919) % 100000 / 100 - 300)::DECIMAL(15, 4) as price, (i % 300 / 7)::DECIMAL(4, 1) as short,
    i / 7 as ratio, (i / 8)::FLOAT as float, i % 3 = 0 as flag, date '1999-12-31' + (i % 5000)::INTEGER as day,
    timestamp '1969-12-31 23:59:58' + to_milliseconds(i * 977) as "at", 'K' || (i % 40) as key,
    'note ' || i || ' é𝒳' || repeat('x', i % 50) as note, i::UINTEGER as narrow, (i * 1000000007)::UBIGINT as far
  from range(${ROWS}) t(i)`;
const withNulls = `select * replace (${["big", "price", "ratio", "flag", "day", "at", "key", "note", "far"]
  .map(
    (name, k) =>
      `case when (small // 700 + ${k}) % 3 = 0 and small % ${2 + k} = 0 then null else "${name}" end as "${name}"`,
  )
  .join(", ")}) from (${every})`;
const NAMES = [
  "small",
  "big",
  "wide",
  "price",
  "short",
  "ratio",
  "float",
  "flag",
  "day",
  "at",
  "key",
  "note",
  "narrow",
  "far",
];
/** A column as its cells are spelt here. */
const spelt = (name: string): string => {
  if (name === "at")
    return `strftime("at", '%Y-%m-%dT%H:%M:%S') || case when "at" = date_trunc('second', "at") then 'Z' else strftime("at", '.%gZ') end`;
  if (name === "ratio" || name === "float") return `"${name}"::DOUBLE`;
  return `"${name}"::VARCHAR`;
};
const wanted = async (from: string): Promise<string[][]> =>
  (await ask(`select ${NAMES.map(spelt).join(", ")} from ${from}`)).map((row) => row.map(String));
const found = (table: Table): string[][] =>
  textsOf(table).map((row) =>
    row.map((cell, k) =>
      (NAMES[k] === "ratio" || NAMES[k] === "float") && cell !== null ? String(Number(cell)) : String(cell),
    ),
  );

describe("files of other writers", () => {
  const CODECS = ["uncompressed", "snappy", "gzip", "zstd", "brotli", "lz4_raw"];
  const HOW = CODECS.flatMap((codec, i) => [
    `codec ${codec}, parquet_version ${i % 2 === 0 ? "v1" : "v2"}, row_group_size ${2048 * (i + 1)}`,
    `codec ${codec}, parquet_version ${i % 2 === 0 ? "v2" : "v1"}, dictionary_size_limit 1`,
  ]);

  it.each(HOW)("by DuckDB, %s", async (how) => {
    const path = await copied(withNulls, join(folder, "duck.parquet"), how);
    const expected = await wanted(`read_parquet('${path}')`);
    expect(expected).toHaveLength(ROWS);
    expect(found(await readParquet(path))).toEqual(expected);
    expect(found(await readParquet(await readFile(path)))).toEqual(expected);
    const batches = [];
    for await (const batch of parquetFileBatches(path, { batchRows: 1_001 })) batches.push(batch);
    expect(batches.map(({ numRows }) => numRows)).toEqual([
      ...new Array(Math.floor(ROWS / 1_001)).fill(1_001),
      ROWS % 1_001,
    ]);
    expect(batches.flatMap((batch) => found({ batches: [batch] } as unknown as Table))).toEqual(expected);
  });

  it.each(["uncompressed", "snappy", "gzip", "brotli", "lz4", "zstd"] as const)(
    "by polars, %s",
    async (compression) => {
      const source = await copied(`select * exclude (wide) from (${withNulls})`, join(folder, "source.parquet"));
      const path = join(folder, "polars.parquet");
      polars.readParquet(source).writeParquet(path, { compression });
      const names = NAMES.filter((name) => name !== "wide");
      const read = async (from: string) => textsOf(await readParquet(from, { columns: names }));
      expect(await read(path)).toEqual(await read(source));
    },
  );

  it("timestamps in every unit", async () => {
    const sql =
      "select ts::TIMESTAMP_S s, ts::TIMESTAMP_MS ms, ts us, ts::TIMESTAMP_NS ns, ts::TIMESTAMPTZ tz from (values (timestamp '2020-02-29 12:34:56.789'), (timestamp '1700-01-01 00:00:00'), (null), (timestamp '2261-12-31 23:59:59.999')) t(ts)";
    const path = await copied(sql, join(folder, "times.parquet"));
    const cells = textsOf(await readParquet(path));
    for (const row of cells) expect(new Set(row.slice(1)).size).toBe(1);
    expect(cells.map((row) => row[2])).toEqual([
      "2020-02-29T12:34:56.789Z",
      "1700-01-01T00:00:00Z",
      null,
      "2261-12-31T23:59:59.999Z",
    ]);
    const fine = await copied("select timestamp '2020-01-01 00:00:00.0005' t", join(folder, "fine.parquet"));
    for (const onPrecisionLoss of ["error", "round"] as const)
      expect(textsOf(await readParquet(fine, { onPrecisionLoss }))).toEqual([["2020-01-01T00:00:00.000500Z"]]);
  });

  it("decimals as doubles are the nearest ones", async () => {
    const path = await copied(
      "select (i * 7919 / 1e4 - 3)::DECIMAL(18, 4) a, (i::HUGEINT * 123456789012345678901)::DECIMAL(38, 7) b from range(300) t(i)",
      join(folder, "near.parquet"),
    );
    const exact = textsOf(await readParquet(path));
    const near = textsOf(await readParquet(path, { decimals: "float64" }));
    expect(near.map((row) => row.map(Number))).toEqual(exact.map((row) => row.map(Number)));
  });
});

describe("types that no service type holds", () => {
  it("bytes are bytes, times are times, and text is text", async () => {
    const path = await copied(
      "select 'ab\\xFF'::BLOB bytes, time '10:11:12.5' clock, '00112233-4455-6677-8899-aabbccddeeff'::UUID id, '[1]'::JSON doc, 'x'::ENUM('x', 'y') word",
      join(folder, "odd.parquet"),
    );
    const table = await readParquet(path);
    expect(table.schema.fields.map(({ type }) => String(type).replace(/<Int32, /, "<"))).toEqual([
      "Binary",
      "Time64<MICROSECOND>",
      expect.stringContaining("Utf8"),
      expect.stringContaining("Utf8"),
      expect.stringContaining("Utf8"),
    ]);
    expect(table.getChildAt(0)?.get(0)).toEqual(Uint8Array.of(0x61, 0x62, 0xff));
    expect(table.getChildAt(1)?.get(0)).toBe(36_672_500_000n);
    expect(textsOf(table)[0].slice(2)).toEqual(["00112233-4455-6677-8899-aabbccddeeff", "[1]", "x"]);
  });

  it("a column without a name is read", async () => {
    const path = join(folder, "nameless.parquet");
    const table = textRows(
      [
        ["1", "a"],
        [null, "b"],
      ],
      columnSpecs({ "": "Integer", t: "String" }),
    ).table();
    await writeParquet(table.batches, path);
    const frame = await Frame.fromParquet(path);
    expect(frame.columns.map(({ name }) => name)).toEqual(["", "t"]);
    expect([...frame.rows()]).toEqual([
      { "": 1, t: "a" },
      { "": null, t: "b" },
    ]);
    expect(String(frame)).toContain("Integer");
  });
});

describe("nested columns", () => {
  /** A value of a nested type as a literal of DuckDB, and as JSON. */
  const text = fc.constantFrom("a", "é", "", "it's", "long ".repeat(9));
  const leaf = fc.oneof(
    fc.constant(["INTEGER", fc.integer({ min: -9, max: 9 }).map((n) => [String(n), String(n)])] as const),
    fc.constant(["VARCHAR", text.map((t) => [`'${t.replaceAll("'", "''")}'`, t])] as const),
    fc.constant([
      "DECIMAL(9,2)",
      fc.integer({ min: -999, max: 999 }).map((n) => [(n / 100).toFixed(2), (n / 100).toFixed(2)]),
    ] as const),
    fc.constant(["BOOLEAN", fc.boolean().map((b) => [String(b), b])] as const),
  );
  type Typed = readonly [type: string, value: fc.Arbitrary<readonly unknown[]>];
  const nullable = ([type, value]: Typed): Typed => [
    type,
    fc.option(value, { freq: 4 }).map((made) => made ?? ["null", null]),
  ];
  const list = ([type, value]: Typed): Typed => [
    `${type}[]`,
    fc
      .array(value, { maxLength: 3 })
      .map((all) => [`[${all.map(([sql]) => sql).join(", ")}]`, all.map(([, json]) => json)]),
  ];
  const struct = (members: readonly Typed[]): Typed => [
    `STRUCT(${members.map(([type], k) => `m${k} ${type}`).join(", ")})`,
    fc
      .tuple(...members.map(([, value]) => value))
      .map((all) => [
        `{${all.map(([sql], k) => `'m${k}': ${sql}`).join(", ")}}`,
        Object.fromEntries(all.map(([, json], k) => [`m${k}`, json])),
      ]),
  ];
  const { type } = fc.letrec<{ type: Typed }>((tie) => ({
    type: fc.oneof(
      { maxDepth: 3, depthSize: "small" },
      leaf.map((typed) => nullable(typed as Typed)),
      tie("type").map((typed) => nullable(list(typed))),
      fc.array(tie("type"), { minLength: 1, maxLength: 3 }).map((members) => nullable(struct(members))),
    ),
  }));
  const column = fc
    .oneof(
      type.map((typed) => nullable(list(typed))),
      fc.array(type, { minLength: 1, maxLength: 3 }).map((members) => nullable(struct(members))),
    )
    .chain(([sql, value]) => fc.tuple(fc.constant(sql), fc.array(value, { minLength: 1, maxLength: 30 })));

  it("of any shape are what DuckDB wrote", async () => {
    await forAllAsync(
      { numRuns: runs(60, 20), seed: 21 },
      column,
      fc.constantFrom("v1", "v2"),
      fc.constantFrom(7, 65_536),
      async ([sql, values], version, batchRows) => {
        const rows = values.map(([literal], i) => `(${i}, ${literal}::${sql})`).join(", ");
        const path = await copied(
          `select * from (values ${rows}) t(i, x)`,
          join(folder, "nested.parquet"),
          `parquet_version ${version}, row_group_size 2048`,
        );
        const read = [];
        for await (const batch of parquetFileBatches(path, { batchRows }))
          read.push(
            ...batch
              .getChildAt(1)!
              .toJSON()
              .map((cell: unknown) => plain(cell)),
          );
        expect(read).toEqual(values.map(([, json]) => json));
      },
    );
  });

  it("are read in every row group, or left out on demand", async () => {
    const path = await copied(
      "select i, [i, i + 1] l, {'a': i, 'b': [i::VARCHAR]} s, map {'k' || i: i} m from range(5000) t(i)",
      join(folder, "groups.parquet"),
      "row_group_size 2048",
    );
    const table = await readParquet(path);
    expect(table.schema.fields.map(({ name }) => name)).toEqual(["i", "l", "s", "m"]);
    expect(table.numRows).toBe(5000);
    const last = table.get(4_999)?.toJSON();
    expect(plain(last?.l)).toEqual(["4999", "5000"]);
    expect(plain(last?.s)).toEqual({ a: "4999", b: ["4999"] });
    expect(JSON.stringify(plain(last?.m))).toContain("k4999");
    const flat = await readParquet(path, { nested: "skip" });
    expect(flat.schema.fields.map(({ name }) => name)).toEqual(["i"]);
    const chosen = await Frame.fromParquet(path, { columns: ["l"], where: { i: { gte: 4998 } } });
    expect([...chosen.table.getChildAt(0)!].map(plain)).toEqual([
      ["4998", "4999"],
      ["4999", "5000"],
    ]);
  });

  /** Arrow's rows and vectors as plain values, numbers as text. */
  function plain(cell: unknown): unknown {
    if (cell === null || cell === undefined) return null;
    if (typeof cell === "bigint" || typeof cell === "number") return String(cell);
    if (cell instanceof Uint32Array) return decimal(cell);
    if (typeof cell !== "object") return cell;
    const json = (cell as { toJSON?: () => unknown }).toJSON?.() ?? cell;
    if (Array.isArray(json)) return json.map(plain);
    return Object.fromEntries(Object.entries(json as object).map(([name, value]) => [name, plain(value)]));
  }
  /** A decimal of scale 2. */
  function decimal(words: Uint32Array): string {
    return (Number(BigInt.asIntN(64, BigInt(words[0]) | (BigInt(words[1]) << 32n))) / 100).toFixed(2);
  }
});
