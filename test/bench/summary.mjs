// The table of docs/benchmarks.md out of the pages in results/. `node test/bench/summary.mjs` writes it, and so does
// each run of the benchmarks.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const PAGE = fileURLToPath(new URL("../../docs/benchmarks.md", import.meta.url));
const PART = /(<!-- figures -->\n)[\s\S]*?(<!-- \/figures -->)/;

const CSV = "The same table, not zipped";
const ZIP = "A zipped table export";
const TO_PARQUET = "The zipped table into a Parquet file";
const PARQUET = "A Parquet file into a table";

const file = (heading, row) => ({ page: "files", heading, row: [row], column: "ms" });
const verb = (row, column) => ({ page: "verbs", row: [row], column });
const series = (method, contender) => ({ page: "series", row: [method, contender], column: "ms" });

/** A row of verbs beside polars and DuckDB. */
const verbs = (label, row) => [
  label,
  { arrowbook: verb(row, "ms"), polars: verb(row, "polars ms"), DuckDB: verb(row, "DuckDB ms") },
];
/** A row of series beside the best spelling of pandas. */
const methods = (label, method, inPandas) => [
  label,
  {
    arrowbook: series(method, "arrowbook"),
    DuckDB: series(method, "DuckDB"),
    pandas: series(method, inPandas),
  },
];

const PEERS = ["arrowbook", "polars", "DuckDB", "pandas"];
const ROWS = [
  [
    "read 395 MB of CSV",
    {
      arrowbook: file(CSV, "arrowbook: exact, all threads"),
      polars: file(CSV, "polars (floats, all threads)"),
      DuckDB: file(CSV, "DuckDB (DECIMAL, all threads)"),
      pandas: file(CSV, "pandas (floats)"),
    },
  ],
  [
    "read it from a zip",
    {
      arrowbook: file(ZIP, "arrowbook: Frame.fromZip, exact"),
      polars: file(ZIP, "inflate, then polars (floats)"),
      DuckDB: file(ZIP, "DuckDB, the same bytes gzipped, DECIMAL"),
      pandas: file(ZIP, "pandas read_csv of the zip (floats)"),
    },
  ],
  [
    "turn the zip into Parquet",
    {
      arrowbook: file(TO_PARQUET, "arrowbook: toParquet, exact, one batch in memory"),
      polars: file(TO_PARQUET, "inflate, then polars (floats)"),
      DuckDB: file(TO_PARQUET, "DuckDB, the same bytes gzipped, COPY"),
    },
  ],
  [
    "read the Parquet file",
    {
      arrowbook: file(PARQUET, "arrowbook: Frame.fromParquet, exact"),
      polars: file(PARQUET, "polars"),
      DuckDB: file(PARQUET, "DuckDB, into a table of its own"),
    },
  ],
  [
    "read 2 of its 10 columns",
    {
      arrowbook: file(PARQUET, "arrowbook: 2 of 10 columns, exact"),
      polars: file(PARQUET, "polars: 2 of 10 columns"),
    },
  ],
  verbs("filter by a function, ten columns copied", "filter(function), all ten columns, toIPC"),
  verbs("a new column by a function", "with(function)"),
  verbs("a new column, the exact difference of two", "with(columns), exact: a difference"),
  verbs("group by a text: mean, max, sum", "groupBy(ticker): mean, max, sum"),
  verbs("join on a text key", "join on a text key"),
  verbs("sort by a decimal", "sort by one decimal, all columns copied"),
  verbs("sort by text and date", "sort by text and date, all columns copied"),
  verbs("describe two columns", "describe(close, volume)"),
  methods("last close of each month", "collapse monthly", "pandas groupby with Grouper, categories"),
  methods("change from the row before", "pctChange", "pandas, categories"),
  methods("rolling mean of 20 rows", "rolling 20 mean", "pandas, categories"),
];

/** The cell that a row of the table takes from a page of results. */
function figure({ page, heading, row, column }) {
  const text = readFileSync(new URL(`results/${page}.md`, import.meta.url), "utf8");
  const part = heading === undefined ? text : text.split(`## ${heading}\n`)[1].split("\n## ")[0];
  const lines = part
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) => line.split("|").map((cell) => cell.trim()));
  const head = lines.find((cells) => cells.includes(column));
  const found = lines.find((cells) => row.every((name, i) => cells[i + 1] === name));
  // A peer that the machine lacks has no row.
  if (found === undefined && column !== "arrowbook") return "";
  if (head === undefined || found === undefined) throw new Error(`results/${page}.md has no ${row.join(", ")}`);
  return found[head.indexOf(column)];
}

/** The page with the table of the results. */
export function pageWith(page) {
  if (!PART.test(page)) throw new Error("docs/benchmarks.md has lost the marks around its table");
  const lines = ROWS.map(([label, of]) => [label, ...PEERS.map((peer) => (of[peer] ? figure(of[peer]) : ""))]);
  const all = [["milliseconds", ...PEERS], ["---", ...PEERS.map(() => "---:")], ...lines];
  const table = all.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
  return page.replace(PART, (_, before, after) => `${before}\n${table}\n\n${after}`);
}

export function writeSummary() {
  writeFileSync(PAGE, pageWith(readFileSync(PAGE, "utf8")));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeSummary();
