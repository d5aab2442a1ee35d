import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readParquet } from "../../src/columns/parquet/read/read.js";
import { parquetBatches } from "../../src/frame/files/parquet-batches.js";
import { inBatches } from "../divided.js";
import { forAllAsync } from "../support/for-all.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { textsOf } from "./rows.js";

let folder = "";
let connection: DuckDBConnection;
beforeAll(async () => {
  folder = temporaryFolder("parquet-random");
  connection = await (await DuckDBInstance.create()).connect();
  await connection.run("set TimeZone = 'UTC'");
});
afterAll(async () => {
  connection.closeSync();
});

const INTEGERS = { TINYINT: 8, SMALLINT: 16, INTEGER: 32, BIGINT: 64 };

/** Values of each type as SQL: the bounds, and some between. */
const POOLS: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    Object.entries(INTEGERS).flatMap(([type, bits]) => [
      [type, [`-${2n ** BigInt(bits - 1)}`, `${2n ** BigInt(bits - 1) - 1n}`, "0", "-1", "1", "100"]],
      [`U${type}`, [`${2n ** BigInt(bits) - 1n}`, `${2n ** BigInt(bits - 1)}`, "0", "1", "100"]],
    ]),
  ),
  "DECIMAL(4,0)": ["-9999", "9999", "0", "-1"],
  "DECIMAL(9,9)": ["-0.999999999", "0.000000001", "0", "0.5"],
  "DECIMAL(18,6)": ["-999999999999.999999", "999999999999.999999", "0", "-0.000001", "12.5"],
  "DECIMAL(19,2)": ["-99999999999999999.99", "99999999999999999.99", "90071992547409.93", "-0.01"],
  "DECIMAL(38,0)": [`-${"9".repeat(38)}`, "9".repeat(38), "18446744073709551616", "-1", "0"],
  "DECIMAL(38,38)": [`-0.${"9".repeat(38)}`, `0.${"0".repeat(37)}1`, "0"],
  DATE: ["'0001-01-01'", "'9999-12-31'", "'1969-12-31'", "'1970-01-01'", "'2000-02-29'", "'1900-02-28'"],
  ...Object.fromEntries(
    ["TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMPTZ"].map((type) => [
      type,
      ["'0001-01-01 00:00:00'", "'9999-12-31 23:59:59'", "'1969-12-31 23:59:59'", "'1970-01-01 00:00:00'"],
    ]),
  ),
  TIMESTAMP_NS: [
    "'1969-12-31 23:59:59.999'",
    "'1700-01-01 00:00:00.001'",
    "'2262-04-11 23:47:16'",
    "'2024-02-29 12:00:00'",
  ],
  DOUBLE: ["'nan'", "'inf'", "'-inf'", "'-0.0'", "0", "5e-324", "1.7976931348623157e308", "0.1"],
  FLOAT: ["'nan'", "'inf'", "'-0.0'", "1e-45", "3.4028235e38", "0.1"],
  BOOLEAN: ["true", "false"],
  VARCHAR: ["''", "'a'", "'é😀'", "'a' || chr(0)", "'line' || chr(10)", "repeat('long text, ', 40)", "'null'"],
  UUID: [
    "'00000000-0000-0000-0000-000000000000'",
    "'ffffffff-ffff-ffff-ffff-ffffffffffff'",
    "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'",
  ],
};

/** Which rows are null. */
const NULLS = ["false", "true", "i % 2 = 0", "i // 1000 % 2 = 0", "i < 3000", "hash(i) % 50 = 0", "hash(i) % 50 <> 0"];
/** Which value of the pool a row has. */
const PICKS = ["hash(i + 1) % n", "i // 700 % n", "0", "i % n", "least(i // 2048, n - 1)"];

const columnOf = fc.record({
  type: fc.constantFrom(...Object.keys(POOLS)),
  nulls: fc.constantFrom(...NULLS),
  pick: fc.constantFrom(...PICKS),
  distinct: fc.boolean(),
});

type ColumnPlan = typeof columnOf extends fc.Arbitrary<infer Plan> ? Plan : never;

/** A column of the pool's values; with `distinct`, most rows have one of their own where the type has as many. */
function sqlOf({ type, nulls, pick, distinct }: ColumnPlan, k: number): string {
  const pool = POOLS[type];
  const value = `([${pool.map((each) => `${/^[-\d]/.test(each) ? `'${each}'` : `(${each})`}::${type}`).join(", ")}])[1 + (${pick.replaceAll("n", String(pool.length))})::INTEGER]`;
  const own: Readonly<Record<string, string>> = {
    BIGINT: "(hash(i) // 2)::BIGINT",
    INTEGER: "(i * 7919 % 100003)::INTEGER",
    DOUBLE: "i / 7",
    VARCHAR: "'row ' || i",
    DATE: "date '1960-01-01' + i::INTEGER",
    TIMESTAMP: "timestamp '1960-01-01' + to_milliseconds(i * 12345678)",
    "DECIMAL(18,6)": "(i * 1000.000001)::DECIMAL(18,6)",
    "DECIMAL(38,0)": "(i::HUGEINT * 12345678901234567890123456789)::DECIMAL(38,0)",
  };
  const filled = distinct && type in own ? `case when i % 3 = 0 then ${value} else ${own[type]} end` : value;
  return `case when ${nulls} then null else ${filled} end::${type} as c${k}`;
}

/** A cell as DuckDB spells it, in our spelling. */
function ours(text: string | null, type: string): string | null {
  if (text === null) return null;
  if (type === "DOUBLE" || type === "FLOAT") {
    const value = text === "inf" ? Number.POSITIVE_INFINITY : text === "-inf" ? Number.NEGATIVE_INFINITY : Number(text);
    return Object.is(value, -0) ? "-0" : String(value);
  }
  if (type.startsWith("DECIMAL")) return text.replace(/^(-?)\./, "$10.");
  if (!type.startsWith("TIMESTAMP")) return text;
  const [day, time] = text.replace(/\+00$/, "").split(" ");
  const [clock, fraction = ""] = time.split(".");
  return `${day}T${clock}${fraction === "" ? "" : `.${fraction.padEnd(3, "0")}`}`;
}

/** A cell as read, comparable with {@link ours}. */
function read(text: string | null, type: string): string | null {
  if (text === null || !/^(?:DOUBLE|FLOAT|TIMESTAMP)/.test(type)) return text;
  if (type.startsWith("TIMESTAMP")) return text.replace(/Z$/, "");
  const value = Number(text);
  return Object.is(value, -0) ? "-0" : String(value);
}

it("files of DuckDB of any types, encodings, codecs and row groups are read cell by cell", async () => {
  await forAllAsync(
    25,
    fc.array(columnOf, { minLength: 1, maxLength: 5 }),
    fc.constantFrom(0, 1, 2048, 2049, 5000),
    fc.constantFrom("uncompressed", "snappy", "zstd", "gzip", "lz4_raw", "brotli"),
    fc.constantFrom("V1", "V2"),
    fc.constantFrom(0, 3, 100_000),
    fc.integer({ min: 1, max: 3000 }),
    async (columns, rows, codec, version, dictionary, batchRows) => {
      const path = join(folder, "random.parquet");
      const select = columns.map(sqlOf).join(", ");
      await connection.run(
        `copy (select ${select} from range(${rows}) t(i)) to '${path}'
           (format parquet, row_group_size 2048, compression ${codec}, parquet_version ${version}, dictionary_size_limit ${dictionary})`,
      );
      const texts = columns.map(({ type }, k) => `c${k}${type === "FLOAT" ? "::DOUBLE" : ""}::VARCHAR`);
      const reader = await connection.runAndReadAll(`select ${texts.join(", ")} from read_parquet('${path}')`);
      const expected = reader
        .getRows()
        .map((row) => row.map((cell, k) => ours(cell as string | null, columns[k].type)));
      const spelt = (cells: readonly (readonly (string | null)[])[]) =>
        cells.map((row) => row.map((cell, k) => read(cell, columns[k].type)));
      expect(spelt(textsOf(await readParquet(path)))).toEqual(expected);
      const batches: (string | null)[][] = [];
      await inBatches(batchRows, async () => {
        for await (const batch of parquetBatches(path, { onProgress: false })) {
          batches.push(...textsOf({ batches: [batch] } as never));
        }
      });
      expect(spelt(batches)).toEqual(expected);
    },
  );
});
