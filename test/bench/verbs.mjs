// What analysts do with 5 million rows × 10 columns: verbs of this package against nodejs-polars and DuckDB, in turns
// in one process. `npm run bench -- verbs` runs it and writes results/verbs.md. ARROWBOOK_BENCH_ROUNDS (default 5)
// and ARROWBOOK_BENCH_ROWS make it shorter.
import { writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { DuckDBInstance } from "@duckdb/node-api";
import pl from "nodejs-polars";
import { Frame, when } from "../../dist/esm/index.js";
import { danfoLines } from "./danfo.mjs";
import * as data from "./data.mjs";
import { writeSummary } from "./summary.mjs";

const ROUNDS = Number(process.env.ARROWBOOK_BENCH_ROUNDS ?? 5);
const threads = availableParallelism();
const DUCKDB_TYPES = { String: "VARCHAR", Date: "DATE" };

const path = data.prices();
const frame = await Frame.fromCSV(path, { columns: data.PRICE_COLUMNS });
const polars = pl.readCSV(path, { tryParseDates: true });
const instance = await DuckDBInstance.create(":memory:", { threads: String(threads) });
const duckdb = await instance.connect();
const types = data.PRICE_COLUMNS.map(({ name, type }) => `${name}: '${DUCKDB_TYPES[type] ?? type.slice(3)}'`);
await duckdb.run(
  `create table t as select * from read_csv('${path}', header = true, auto_detect = false, columns = {${types.join(", ")}})`,
);
const names = frame.groupBy("ticker").count().rename({ count: "rows" });
const polarsNames = polars.groupBy("ticker").agg(pl.col("close").count().alias("rows"));
await duckdb.run("create table names as select ticker, count(*) as rows from t group by ticker");

// The same prices as decimals and as doubles in both, for what is computed by value.
const priced = frame.select("ticker", "date", "close").with({ price: frame.column("close").cast("double") });
const polarsPriced = polars
  .select("ticker", "date", pl.col("close").alias("price"))
  .withColumn(pl.col("price").cast(pl.Decimal(15, 4)).alias("close"));

const column = (name) => frame.column(name);
const pricedColumn = (name) => priced.column(name);
/** The result of a statement as a table of DuckDB's own. */
const table = (sql) => async () => {
  await duckdb.run(`create or replace temp table o as ${sql}`);
  return Number((await duckdb.runAndReadAll("select count(*) from o")).getRows()[0][0]);
};
const dear = pl.col("close").gt(50);

/**
 * Each verb: what must hold of its time as a multiple of polars' (`limits`) or beyond DuckDB's (`overDuckDB`, ms), what
 * is aimed at, and the jobs, which give rows.
 */
const VERBS = {
  "filter(function), the number of rows": {
    limits: [2.5, 1.5],
    arrowbook: () => frame.filter((row) => row.close > 50).numRows,
    polars: () => polars.filter(dear).height,
    DuckDB: table("select * from t where close > 50"),
  },
  "filter(condition of columns), the number of rows": {
    limits: [2, 1],
    arrowbook: () => frame.filter(column("close").gt(50)).numRows,
    polars: () => polars.filter(dear).height,
  },
  "filter(function), two columns, toIPC": {
    limits: [2.5, 1.5],
    arrowbook: () => lengthOf(frame.filter((row) => row.close > 50).select("date", "close")),
    polars: () => heightOf(polars.filter(dear).select("date", "close")),
  },
  "filter(function), all ten columns, toIPC": {
    limits: [4, 2.5],
    arrowbook: () => lengthOf(frame.filter((row) => row.close > 50)),
    polars: () => heightOf(polars.filter(dear)),
  },
  "with(function)": {
    limits: [8, 4],
    arrowbook: () => frame.with({ x: (row) => row.close - row.open }).numRows,
    polars: () => polars.withColumn(pl.col("close").sub(pl.col("open")).alias("x")).height,
    DuckDB: table("select *, close - open as x from t"),
  },
  "with(columns), exact: a difference": {
    limits: [6, 3],
    arrowbook: () => frame.with({ x: column("close").sub(column("open")) }).numRows,
    polars: () => polars.withColumn(pl.col("close").sub(pl.col("open")).alias("x")).height,
  },
  "with(columns), exact: a product of 30 digits": {
    limits: [6, 3],
    arrowbook: () => frame.with({ x: column("close").mul(column("volume")) }).numRows,
    polars: () => polars.withColumn(pl.col("close").mul(pl.col("volume")).alias("x")).height,
  },
  "groupBy(ticker): mean, max, sum": {
    limits: [1.5, 0.8],
    arrowbook: () => frame.groupBy("ticker").agg({ close: ["mean", "max"], volume: "sum" }).numRows,
    polars: () =>
      polars.groupBy("ticker").agg(pl.col("close").mean(), pl.col("close").max().alias("top"), pl.col("volume").sum())
        .height,
    DuckDB: table("select ticker, avg(close), max(close), sum(volume) from t group by ticker"),
  },
  "align on a text key": {
    limits: [1.5, 1],
    arrowbook: () => Frame.align([frame, names], { on: "ticker", how: "left" }).table.numRows,
    polars: () => polars.join(polarsNames, { on: "ticker", how: "left" }).height,
    DuckDB: table("select * from t left join names using (ticker)"),
  },
  "join on a text key": {
    limits: [1.5, 1],
    when: () => "join" in frame,
    arrowbook: () => frame.join(names, { on: "ticker", how: "left" }).table.numRows,
    polars: () => polars.join(polarsNames, { on: "ticker", how: "left" }).height,
  },
  "sort by one decimal, all columns copied": {
    limits: [1.5, 1],
    arrowbook: () => frame.sort(["close", "desc"]).table.numRows,
    polars: () => polars.sort("close", true).height,
    DuckDB: table("select * from t order by close desc"),
  },
  "sort by one decimal, the first 1,000": {
    arrowbook: () => frame.sort(["close", "desc"]).head(1000).table.numRows,
    polars: () => polars.sort("close", true).head(1000).height,
  },
  "sort by text and date, all columns copied": {
    limits: [1.5, 1],
    arrowbook: () => frame.sort("ticker", "date").table.numRows,
    polars: () => polars.sort(["ticker", "date"]).height,
  },
  "sql over two of ten columns": {
    overDuckDB: [150, 60],
    arrowbook: async () => (await frame.sql("select ticker, avg(close) from this group by ticker")).numRows,
    polars: () => polars.groupBy("ticker").agg(pl.col("close").mean()).height,
    DuckDB: table("select ticker, avg(close) from t group by ticker"),
  },
  "text: upper, in a dictionary": {
    limits: [4, 1],
    arrowbook: () => column("ticker").upper().length,
    polars: () => polars.getColumn("ticker").str.toUpperCase().length,
  },
  "text: replace by a pattern, in a dictionary": {
    limits: [4, 1],
    arrowbook: () => column("ticker").replace(/[AE]/, "-").length,
    polars: () => polars.getColumn("ticker").str.replaceAll("[AE]", "-").length,
  },
  "mod, decimals": {
    limits: [2, 1],
    arrowbook: () => pricedColumn("close").mod(7).length,
    polars: () => polarsPriced.select(pl.col("close").modulo(7)).height,
  },
  "mod, doubles": {
    limits: [2, 1],
    arrowbook: () => pricedColumn("price").mod(7).length,
    polars: () => polarsPriced.select(pl.col("price").modulo(7)).height,
  },
  "clip, decimals": {
    limits: [2, 1],
    arrowbook: () => pricedColumn("close").clip(10, 60).length,
    polars: () => polarsPriced.select(pl.col("close").clip(10, 60)).height,
  },
  "clip, doubles": {
    limits: [2, 1],
    arrowbook: () => pricedColumn("price").clip(10, 60).length,
    polars: () => polarsPriced.select(pl.col("price").clip(10, 60)).height,
  },
  "log, decimals": {
    limits: [2, 1],
    arrowbook: () => pricedColumn("close").log().length,
    polars: () => polarsPriced.select(pl.col("close").log()).height,
  },
  "log, doubles": {
    limits: [2, 1],
    arrowbook: () => pricedColumn("price").log().length,
    polars: () => polarsPriced.select(pl.col("price").log()).height,
  },
  "when, numbers, decimals": {
    limits: [2, 1],
    arrowbook: () => when(pricedColumn("close").gt(60)).then(pricedColumn("close")).otherwise(0).length,
    polars: () =>
      polarsPriced.select(pl.when(pl.col("close").gt(60)).then(pl.col("close")).otherwise(pl.lit(0))).height,
  },
  "when, numbers, doubles": {
    limits: [2, 1],
    arrowbook: () => when(pricedColumn("price").gt(60)).then(pricedColumn("price")).otherwise(0).length,
    polars: () =>
      polarsPriced.select(pl.when(pl.col("price").gt(60)).then(pl.col("price")).otherwise(pl.lit(0))).height,
  },
  "quarter of dates": {
    limits: [2, 1],
    arrowbook: () => column("date").quarter().length,
    polars: () => polars.select(pl.col("date").date.month()).height,
  },
  "format of dates": {
    limits: [4, 1],
    arrowbook: () => column("date").format("%d/%m/%Y").length,
    polars: () => polars.select(pl.col("date").date.strftime("%d/%m/%Y")).height,
  },
  "when, three values": {
    limits: [2, 1],
    arrowbook: () => {
      const close = column("close");
      return when(close.gt(60)).then("high").when(close.gt(30)).then("middle").otherwise("low").length;
    },
    polars: () =>
      polars.select(
        pl
          .when(pl.col("close").gt(60))
          .then(pl.lit("high"))
          .when(pl.col("close").gt(30))
          .then(pl.lit("middle"))
          .otherwise(pl.lit("low")),
      ).height,
  },
  "groupBy(ticker).with: mean beside every row": {
    limits: [2, 1],
    arrowbook: () => frame.groupBy("ticker").with({ m: ["close", "mean"] }).numRows,
    polars: () => polars.withColumn(pl.col("close").mean().over("ticker").alias("m")).height,
  },
  "groupBy(ticker).with: rank, decimals": {
    limits: [2, 1],
    arrowbook: () => priced.groupBy("ticker").with({ r: ["close", "rank"] }).numRows,
    polars: () => polarsPriced.withColumn(pl.col("close").rank().over("ticker").alias("r")).height,
  },
  "groupBy(ticker).with: rank, doubles": {
    limits: [2, 1],
    arrowbook: () => priced.groupBy("ticker").with({ r: ["price", "rank"] }).numRows,
    polars: () => polarsPriced.withColumn(pl.col("price").rank().over("ticker").alias("r")).height,
  },
  "groupBy(ticker).with: running sum, decimals": {
    limits: [2, 1],
    arrowbook: () => priced.groupBy("ticker").with({ s: ["close", "cumsum"] }).numRows,
    polars: () => polarsPriced.withColumn(pl.col("close").cumSum().over("ticker").alias("s")).height,
  },
  "groupBy(ticker).with: running sum, doubles": {
    limits: [2, 1],
    arrowbook: () => priced.groupBy("ticker").with({ s: ["price", "cumsum"] }).numRows,
    polars: () => polarsPriced.withColumn(pl.col("price").cumSum().over("ticker").alias("s")).height,
  },
  "describe(close, volume)": {
    limits: [1.5, 1],
    arrowbook: () => frame.describe("close", "volume").numRows,
    polars: () => polars.select("close", "volume").describe().height,
    rows: false,
  },
};

const lengthOf = (some) => (some.toIPC().length > 0 ? some.numRows : 0);
const heightOf = (some) => (some.writeIPC().length > 0 ? some.height : 0);

const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
};
const processor = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e3;
};
const held = () => {
  globalThis.gc?.();
  return process.memoryUsage().arrayBuffers;
};

const lines = [];
for (const [verb, { limits, overDuckDB, when, rows: counted = true, ...jobs }] of Object.entries(VERBS)) {
  if (when !== undefined && !when()) continue;
  const taken = Object.fromEntries(Object.keys(jobs).map((name) => [name, []]));
  const rows = {};
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, job] of Object.entries(jobs)) {
      const before = processor();
      const start = performance.now();
      rows[name] = await job();
      taken[name].push({ ms: performance.now() - start, cpu: processor() - before });
    }
  }
  if (counted && new Set(Object.values(rows)).size > 1) throw new Error(`${verb}: ${JSON.stringify(rows)} rows`);
  const before = held();
  const kept = await jobs.arrowbook();
  const megabytes = (held() - before) / 1e6;
  const ms = (name) => median(taken[name].map((run) => run.ms));
  const cpu = (name) => median(taken[name].map((run) => run.cpu));
  const ratio = ms("arrowbook") / ms("polars");
  const beyond = overDuckDB?.map((most) => `DuckDB + ${most} ms`);
  const goal = (limits ?? beyond ?? []).join(" / ");
  const others = [
    cpu("arrowbook").toFixed(0),
    ms("polars").toFixed(0),
    cpu("polars").toFixed(0),
    taken.DuckDB === undefined ? "" : ms("DuckDB").toFixed(0),
    taken.arrowbook[0].ms.toFixed(0),
    taken.polars[0].ms.toFixed(0),
    kept === undefined ? "" : Math.max(0, megabytes).toFixed(0),
  ];
  lines.push([verb, ms("arrowbook").toFixed(0), ratio.toFixed(2), goal, ...others]);
  console.log(lines.at(-1).join(" | "));
}
duckdb.closeSync();
instance.closeSync();

const load = loadavg()[0];
const busy =
  load > threads + 1 ? `\n\nOther work was running (load ${load.toFixed(1)}): read the ratios, not the times.` : "";
const head = [
  "verb",
  "ms",
  "÷ polars",
  "must / aim",
  "processor ms",
  "polars ms",
  "polars processor ms",
  "DuckDB ms",
  "first run",
  "polars, first run",
  "MB left behind",
];
const page = [head, head.map(() => "---"), ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
writeFileSync(
  fileURLToPath(new URL("results/verbs.md", import.meta.url)),
  `# Benchmarks: verbs

How fast filters, joins, groups and sorts are beside the peers.

Made by \`npm run bench -- verbs\`: the price table of ${data.PRICE_ROWS.toLocaleString("en")} rows × ${data.PRICE_COLUMNS.length} columns (text, two dates, seven decimals), once in each
of arrowbook (exact decimals of 16 bytes, one thread, and a second one where rows of 192 MB are put in another order), nodejs-polars (doubles, and decimals where a row says so, ${threads} threads) and DuckDB (decimals of 8 bytes, ${threads} threads, results into a
temporary table). The contenders take turns in one process; medians of ${ROUNDS} runs, the first run of each beside them. Processor time is that of
all threads. "MB left behind" is how much more memory the buffers take after the call, rows that only were counted included.

Machine: ${cpus()[0].model.trim()}, ${threads} threads, Node ${process.version}.

${page}${busy}

- \`filter\`, \`sort\` and \`take\` find row numbers; columns are copied where they are used (docs/frames.md, "When rows are copied"). polars and
  DuckDB copy all columns at once, so that the rows with \`toIPC\` and "all columns copied" compare the same work.
- A product of two decimals is exact in 30 digits here and a double there.

${(await danfoLines()).join("\n")}
`,
);
writeSummary();
