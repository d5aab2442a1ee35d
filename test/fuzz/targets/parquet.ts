import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { cellTexts } from "../../../src/columns/arrow/cell-batch.js";
import { textRows } from "../../../src/columns/build/text-rows.js";
import type { ParquetRead, ParquetReadOptions } from "../../../src/columns/parquet/read/options.js";
import { parquetFileBatches, readParquet } from "../../../src/columns/parquet/read/read.js";
import { writeParquet } from "../../../src/columns/parquet/write/write.js";
import { ArrowbookError } from "../../../src/errors/errors.js";
import { footerOf, withFooter } from "../../columns/parquet-footer.js";
import { columnSpecs } from "../../support/column-specs.js";
import { AWKWARD_INT32, mutateBytes } from "../mutate.js";
import { Random } from "../random.js";
import type { FuzzTarget } from "../target.js";

/*
 * Parquet files of this package and of DuckDB: read whole and in batches with the same result, or refused with an error
 * of this package that no engine text is in. The pages of our own files have checksums: unless the footer was changed,
 * their cells are the right ones.
 */

type Cells = (string | null)[][];

const COLUMNS = columnSpecs({
  count: "Integer",
  price: "BigDecimal(15,4)",
  wide: "BigDecimal(38,18)",
  ratio: "double",
  date: "Date",
  at: "DateTime",
  flag: "Boolean",
  key: "String",
  note: "Text",
});

const ownRows = (count: number): Cells =>
  Array.from({ length: count }, (_, i) =>
    [
      String(i * i),
      `${i}.2500`,
      `-${i}1234567890.000000000000000001`,
      `${i / 8}`,
      `2024-02-${10 + (i % 19)}`,
      `2024-02-29T00:00:${10 + (i % 50)}Z`,
      String(i % 3 === 0),
      `K${i % 5}`,
      `note ${i} é`,
    ].map((cell, k) => (k > 0 && (i + k) % 7 === 0 ? null : cell)),
  );

const FLAT = `select i::INTEGER a, (i * 1e12)::BIGINT b, (i / 4)::DECIMAL(9, 2) c, (i * 1e20)::DECIMAL(38, 3) d, i / 7 e, (i / 8)::FLOAT f,
  i % 3 = 0 g, date '2020-01-01' + i::INTEGER h, timestamp '2020-01-01' + to_milliseconds(i * 1001) j, 'K' || (i % 4) k,
  'text ' || i || ' é' l, i::UINTEGER m, i::UBIGINT n, i::UTINYINT o from range(60) t(i)`;
const NULLS = `select ${[..."abcdefghjklmno"].map((name, k) => `case when (a + ${k}) % 4 = 0 then null else ${name} end as ${name}`).join(", ")} from (${FLAT})`;
const NESTED = `select i, case when i % 5 = 0 then null else [i, null, i * 2] end l, {'p': i, 'q': [i::VARCHAR, null]} s, map {'k' || i: i} m,
  [[i], [], null] ll, 'ab'::BLOB bytes, time '01:02:03' + to_seconds(i) clock from range(30) t(i)`;

/** What the pages of a file with a checksum hold, by the digest of its footer. */
const wanted = new Map<string, string>();

const footerDigest = (file: Uint8Array): string => {
  const view = new DataView(file.buffer, file.byteOffset, file.length);
  const length = file.length < 12 ? 0 : view.getUint32(file.length - 8, true);
  return createHash("sha1")
    .update(file.subarray(Math.max(0, file.length - 8 - length)))
    .digest("hex");
};

async function corpus(): Promise<Uint8Array[]> {
  const folder = await mkdtemp(join(tmpdir(), "arrowbook-fuzz-"));
  const path = join(folder, "a.parquet");
  const files: Uint8Array[] = [];
  for (const compression of ["none", "snappy"] as const) {
    for (const rows of [20, 120]) {
      const table = textRows(ownRows(rows), COLUMNS, { batchRows: 50 }).table();
      await writeParquet(table.batches, path, { compression });
      const file = await readFile(path);
      wanted.set(footerDigest(file), JSON.stringify(await cellsOf(file, {})));
      files.push(file);
    }
  }
  const instance = await DuckDBInstance.create(":memory:", { threads: "1", memory_limit: "200MB" });
  const connection = await instance.connect();
  const made = [
    [FLAT, "codec uncompressed, parquet_version v1"],
    [NULLS, "codec uncompressed, parquet_version v2"],
    [NULLS, "codec snappy, parquet_version v1, dictionary_size_limit 1"],
    [NULLS, "codec zstd, parquet_version v2"],
    [FLAT, "codec gzip, parquet_version v1"],
    [NULLS, "codec brotli, parquet_version v2"],
    [FLAT, "codec lz4_raw, parquet_version v1"],
    [NESTED, "codec uncompressed, parquet_version v1"],
    [NESTED, "codec snappy, parquet_version v2"],
  ];
  for (const [sql, how] of made) {
    await connection.run(`copy (${sql}) to '${path}' (format parquet, ${how})`);
    files.push(await readFile(path));
  }
  connection.closeSync();
  instance.closeSync();
  await rm(folder, { recursive: true });
  return files;
}

/** A number, text or choice somewhere in the footer is another one. */
function mutateFooter(file: Uint8Array, random: Random): Uint8Array {
  try {
    const footer = footerOf(file);
    // Files of this package have a checksum of their schema, which files of other writers lack.
    if (random.oneIn(2)) delete footer["field_6"];
    const places: (() => void)[] = [];
    collect(footer, places, random);
    for (let changes = 1 + (random.oneIn(3) ? random.below(3) : 0); changes > 0; changes--) random.pick(places)();
    return withFooter(file, footer);
  } catch {
    return mutateBytes(file, random);
  }
}

type Node = Record<string | number, unknown>;

function collect(node: Node, places: (() => void)[], random: Random): void {
  for (const [name, value] of Object.entries(node)) {
    const put = (other: unknown) => () => {
      node[name] = other;
    };
    if (typeof value === "number") {
      places.push(() => put(random.oneIn(2) ? random.pick(AWKWARD_INT32) : value + random.pick([-1, 1]))());
    } else if (typeof value === "bigint") {
      const far = [0n, -1n, 1n, 2n ** 31n, 2n ** 40n, 2n ** 62n, value + 1n, value - 1n, value * 2n, value * 1000n];
      places.push(() => put(random.pick(far))());
    } else if (value instanceof Uint8Array) places.push(() => put(mutateBytes(value, random))());
    else if (Array.isArray(value)) {
      places.push(
        () => value.splice(random.below(value.length), 1),
        () => value.push(value[0]),
      );
      value.forEach((item) => {
        if (typeof item === "object" && item !== null) collect(item as Node, places, random);
      });
    } else if (typeof value === "object" && value !== null) collect(value as Node, places, random);
    places.push(() => delete node[name]);
  }
}

async function cellsOf(file: Uint8Array, options: ParquetReadOptions): Promise<Cells> {
  const table = await readParquet(file, { warn: () => undefined, ...options });
  return table.batches.flatMap((batch) => [...cellTexts(batch)]);
}

async function batchCellsOf(file: Uint8Array, options: ParquetRead): Promise<Cells> {
  const cells: Cells = [];
  for await (const batch of parquetFileBatches(file, { warn: () => undefined, ...options }))
    cells.push(...cellTexts(batch));
  return cells;
}

/** Texts of the JavaScript engine. */
const ENGINE_TEXT = /Cannot |is not a function|is not iterable|of undefined|Invalid typed array|out of bounds/;

/**
 * Cells, or that an error of this package refuses them: which of several faults is met first may differ. Any other
 * error is thrown.
 */
async function outcome(read: () => Promise<Cells>): Promise<string> {
  try {
    return JSON.stringify(await read());
  } catch (error) {
    if (!(error instanceof ArrowbookError) || ENGINE_TEXT.test(error.message)) throw error;
    // A fault that no check of ours has met.
    for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
      if (["TypeError", "RangeError", "RuntimeError"].includes(cause.name)) throw error;
    }
    return "refused";
  }
}

const CONDITIONS: readonly ParquetReadOptions["where"][] = [
  undefined,
  { count: { gte: 100 } },
  { a: { lt: 30 }, k: ["K1", "K2"] },
  { i: 3 },
];

export const target: FuzzTarget = {
  name: "parquet",
  quick: 400,
  corpus,
  mutate: (input, random) => (random.oneIn(3) ? mutateFooter(input, random) : mutateBytes(input, random)),
  maxMemory: 768,
  async check(input) {
    const random = new Random(input.reduce((sum, byte) => (Math.imul(sum, 31) + byte) | 0, input.length));
    const all = await outcome(() => cellsOf(input, {}));
    const batched = await outcome(() => batchCellsOf(input, { batchRows: random.pick([1, 7, 64]) }));
    if (batched !== all) throw new Error(`in batches ${batched.slice(0, 300)} instead of ${all.slice(0, 300)}`);
    const right = wanted.get(footerDigest(input));
    if (right !== undefined && all !== "refused" && all !== right)
      throw new Error("cells are not those that were written");
    const options: ParquetReadOptions = {
      decimals: random.pick(["exact", "float64"]),
      onBadCell: random.pick(["error", "null"]),
      onPrecisionLoss: "round",
      nested: random.pick(["read", "skip"]),
      text: random.pick(["auto", "utf8", "dictionary"]),
      where: random.pick(CONDITIONS),
    };
    await outcome(() => cellsOf(input, options));
    return all === "refused" ? "refused" : "read";
  },
};
