// The tables of test/bench/results/scale.md out of results.json.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root, SIZES } from "./settings.mjs";

export const PAGE = join(root, "test/bench/results/scale.md");

/** Measurements as rows: label, stage, name of the measurement, and "other" for the process on the other side. */
const ROWS = [
  ["the service's first start", "start", "start"],
  ["a page of 10,000 rows: the service", "pages", "nextPage", "other"],
  ["a page of 10,000 rows: the client", "pages", "nextPage"],
  ["filter, one ticker (6,522 rows): the service", "filters", "byTicker", "other"],
  ["filter, one day: the service", "filters", "byDay", "other"],
  ["export: the service", "export", "export", "other"],
  ["export: the client", "export", "export"],
  ["the zip, batch by batch", "batches", "batches"],
  ["the zip to Parquet", "parquet", "parquet"],
  ["the zip as a Frame", "frame", "frame"],
  ["first sync, a file a year", "sync", "syncFirst"],
  ["sync of an unchanged table", "unchanged", "syncUnchanged"],
  ["one day of the mirror", "unchanged", "mirrorDay"],
  ["DuckDB: load with a key", "duckdb", "duckdbLoad"],
  ["DuckDB: group by", "duckdb", "duckdbGroup"],
  ["DuckDB: one ticker", "duckdb", "duckdbFind"],
  ["DuckDB: read all", "duckdb", "duckdbRead"],
  ["ClickHouse: load with a key, our side", "clickhouse", "clickhouseLoad"],
  ["ClickHouse: load with a key, its side", "clickhouse", "clickhouseLoad", "other"],
  ["ClickHouse: group by, its side", "clickhouse", "clickhouseGroup", "other"],
  ["ClickHouse: one ticker, its side", "clickhouse", "clickhouseFind", "other"],
  ["ClickHouse: read all, our side", "clickhouse", "clickhouseRead"],
];

/** Measurements of one process follow one another, so that its peak is shown once. */
const PEAKS = ROWS.filter(([label]) => !/: (group by|one ticker)|: read all/.test(label));

const FILES = [
  ["the service's Parquet file", "data", "data"],
  ["the service's database", "start", "start"],
  ["the zipped CSV of the export", "export", "export"],
  ["one Parquet file", "parquet", "parquet"],
  ["the mirror, a Parquet file a year", "sync", "syncFirst"],
  ["the DuckDB file with a key", "duckdb", "duckdbLoad"],
  ["ClickHouse, right after the load", "clickhouse", "clickhouseLoad"],
];

/** The service on ClickHouse: label, name of the measurement. */
const ON_CLICKHOUSE = [
  ["first start", "start"],
  ["a page of 10,000 rows, mean of the first 20", "firstPages"],
  ["the same in the middle of the table", "middlePages"],
  ["the same of the last 20", "lastPages"],
  ["export as zipped CSV", "export"],
];

function shown(value) {
  if (value === undefined) return "—";
  if (value === 0) return "< 0.01";
  if (value >= 100) return value.toFixed(0);
  return value >= 10 ? value.toFixed(1) : value.toFixed(value < 0.1 ? 3 : 2);
}

function table(sizes, head, rows, cellOf) {
  const lines = rows.map(([label, ...place]) => [
    label,
    ...SIZES.map((size) => cellOf(sizes[size]?.stages ?? {}, ...place, size)),
  ]);
  const all = [[head, ...SIZES.map((size) => `${size / 1e6} million`)], ["---", ...SIZES.map(() => "---:")], ...lines];
  return all.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** A table of its own for each size of which the service on ClickHouse was measured. */
function onClickhouse(sizes) {
  return Object.entries(sizes).flatMap(([size, { stages }]) => {
    const found = stages.onClickhouse;
    if (found === undefined) return [];
    const lines = ON_CLICKHOUSE.map(([label, name]) => {
      const { seconds, cpu, otherCpu, peak } = found[name];
      return `| ${[label, shown(cpu), otherCpu === undefined ? "—" : shown(otherCpu), shown(seconds), shown(peak)].join(" | ")} |`;
    });
    const head = ["", "the service, processor s", "ClickHouse, processor s", "elapsed s", "the service's peak, MB"];
    return [
      `### The service on ClickHouse, ${size / 1e6} million rows`,
      [`| ${head.join(" | ")} |`, "| --- | ---: | ---: | ---: | ---: |", ...lines].join("\n"),
    ];
  });
}

/** The generated part of the page. */
export function tables({ machine, sizes }) {
  const seconds = (member) => (stages, stage, name, side) =>
    shown(stages[stage]?.[name]?.[side === "other" ? `other${member}` : member.toLowerCase()]);
  const loads = Object.values(sizes).flatMap(({ stages }) => Object.values(stages).map(({ load }) => load));
  const elapsed = ROWS.filter(([, , , side]) => side === undefined);
  return [
    `Machine: ${machine.cpu}, ${machine.threads} threads, Node ${machine.node}. Load while measuring: ${Math.min(...loads).toFixed(0)} to ${Math.max(...loads).toFixed(0)}.`,
    "### Processor seconds",
    table(sizes, "", ROWS, seconds("Cpu")),
    "### Peak memory, MB",
    table(sizes, "", PEAKS, (stages, stage, name, side) =>
      shown(stages[stage]?.[name]?.[side === "other" ? "otherPeak" : "peak"]),
    ),
    "### Disk, MB, and bytes a row",
    table(sizes, "", FILES, (stages, stage, name, size) => {
      const bytes = stages[stage]?.[name]?.disk;
      return bytes === undefined ? "—" : `${(bytes / 1e6).toFixed(0)} · ${(bytes / size).toFixed(1)}`;
    }),
    "### Elapsed seconds, under that load",
    table(sizes, "", elapsed, seconds("Seconds")),
    ...onClickhouse(sizes),
  ].join("\n\n");
}

const PART = /(<!-- scale -->\n\n)[\s\S]*?(\n\n<!-- \/scale -->)/;

/** The page with the tables of some results. */
export function pageWith(page, results) {
  if (!PART.test(page)) throw new Error("test/bench/results/scale.md has lost the marks around its tables");
  return page.replace(PART, (_, before, after) => `${before}${tables(results)}${after}`);
}

export function writePage(results) {
  writeFileSync(PAGE, pageWith(readFileSync(PAGE, "utf8"), results));
}
