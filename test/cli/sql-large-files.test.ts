import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { beforeAll, expect, it } from "vitest";
import { ZipFile } from "yazl";
import { queryFiles } from "../../src/cli/input/query-files.js";
import { Frame } from "../../src/index.js";
import { columnSpecs } from "../support/column-specs.js";
import { temporaryFolder } from "../support/temporary-folder.js";

/* Files that do not fit into memory: the engine scans or loads them, with the results of files in memory. */
const folder = temporaryFolder("large");
const at = (name: string): string => join(folder, name);
const rows = Frame.fromRows(
  Array.from({ length: 500 }, (_, i) => ({
    ticker: i % 9 === 4 ? null : `T${i % 7}`,
    date: `2024-01-${String((i % 28) + 1).padStart(2, "0")}`,
    close: i % 11 === 3 ? null : `${i * 123456789}.${String(i).padStart(4, "0")}`,
    volume: i % 5 === 0 ? null : BigInt(i) * 9007199254740n,
    ratio: i % 13 === 0 ? null : i / 7,
    ok: i % 3 === 0,
  })),
  columnSpecs({
    ticker: "String",
    date: "Date",
    close: "BigDecimal(38,4)",
    volume: "Integer",
    ratio: "double",
    ok: "boolean",
  }),
);
const wide = Frame.fromRows(
  [{ id: 1, x: "12345678901234567890123456789012345678901.5000" }],
  columnSpecs({ id: "Integer", x: "BigDecimal(50,4)" }),
);
const times = Frame.fromRows(
  [{ id: 1, seen: "2024-01-02T03:04:05.678Z" }],
  columnSpecs({ id: "Integer", seen: "DateTime" }),
);

beforeAll(async () => {
  await rows.toParquet(at("rows.parquet"));
  await rows.toArrow(at("rows.arrows"));
  await rows.toCSV(at("rows.csv"));
  await rows.toJSONLines(at("rows.jsonl"));
  writeFileSync(at("rows.csv.gz"), gzipSync(rows.toCSV()));
  writeFileSync(at("rows.tsv"), rows.toCSV().replaceAll(",", "\t"));
  writeFileSync(at("rows.json"), JSON.stringify(rows.toJSON()));
  mkdirSync(at("rows"));
  await rows.slice(0, 200).toParquet(at("rows/a's [1].parquet"));
  await rows.slice(200).toParquet(at("rows/b.parquet"));
  const zip = new ZipFile();
  zip.addBuffer(Buffer.from(rows.toCSV()), "rows.csv");
  zip.end();
  writeFileSync(at("rows.zip"), await buffer(zip.outputStream));
  await wide.toParquet(at("wide.parquet"));
  await times.toParquet(at("times.parquet"));
});

const ask = async (sql: string, files: string[], mostBytes?: number, param?: string[]): Promise<Frame> =>
  Frame.from(await queryFiles(sql, files.map(at), { param }, new AbortController().signal, mostBytes));
const shown = (frame: Frame): unknown => ({ columns: frame.columns, rows: frame.toCSV() });

const STATEMENTS = [
  "select * from rows",
  "select ticker, sum(close) s, max(volume) v, count(*) n from rows group by ticker order by ticker",
  "select date, ratio from rows where ticker = 'T3' and ok order by ratio desc nulls last",
  "select a.close - b.close as d from rows a join rows b on a.volume = b.volume order by a.volume",
];
const NAMES = [
  "rows.parquet",
  "rows",
  "rows.arrows",
  "rows.csv",
  "rows.csv.gz",
  "rows.jsonl",
  "rows.json",
  "rows.zip",
  "rows.tsv",
];

it.each(NAMES.flatMap((name) => STATEMENTS.map((sql) => [name, sql] as const)))("%s: %s", async (name, sql) => {
  expect(shown(await ask(sql, [name], 0))).toEqual(shown(await ask(sql, [name])));
});

it("joins files of several kinds, with values", async () => {
  const sql =
    "select r.ticker, t.seen, w.x from rows r join times t on r.volume is null join wide w using (id) where r.ticker = $1";
  const files = ["rows.csv", "times.parquet", "wide.parquet"];
  const large = await ask(sql, files, 0, ["T3"]);
  expect(large.numRows).toBeGreaterThan(0);
  expect(shown(large)).toEqual(shown(await ask(sql, files, undefined, ["T3"])));
  expect(large.columns[2].type).toBe("BigDecimal(50,4)");
});

it.each([
  ["rows.parquet", 1],
  ["rows", 1],
  ["wide.parquet", 0],
  ["rows.csv", 0],
])("the engine scans a file where it reads the same types: %s", async (name, views) => {
  const found = await ask(
    `select count(*) n from duckdb_views() where view_name = '${basename(name, ".parquet")}'`,
    [name],
    0,
  );
  expect(found.column("n").get(0)).toBe(views);
});

it("leaves no temporary database, also after an error or a stop", async () => {
  const left = (): string[] =>
    readdirSync(tmpdir()).filter((name) => name.includes(`-${process.pid}-`) && /^arrowbook-files-/.test(name));
  // An earlier process of this number may have been killed.
  const before = left();
  await ask("select 1", ["rows.csv"], 0);
  await expect(ask("select nothing from rows", ["rows.csv"], 0)).rejects.toMatchObject({ code: "BadStatement" });
  const stop = new AbortController();
  const stopped = queryFiles("select 1", [at("rows.csv")], {}, stop.signal, 0);
  stop.abort(new Error("stopped"));
  await expect(stopped).rejects.toThrow("stopped");
  expect(left()).toEqual(before);
});
