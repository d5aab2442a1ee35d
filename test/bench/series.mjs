// Time series on 5 million rows (5,000 tickers × 1,000 days), against pandas, DuckDB and polars in one run.
// `npm run bench -- series` runs it and writes test/bench/results/series.md.
// pandas is asked where a Python has it (PYTHON, or that of test:clients); TICKERS and DAYS change the size.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  DateDay,
  Dictionary,
  Field,
  Float64,
  Int32,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Table,
  Utf8,
  vectorFromArray,
} from "apache-arrow";
import { Frame } from "arrowbook";
import { duckdb } from "arrowbook/duckdb";
import pl from "nodejs-polars";
import { python } from "./data.mjs";
import { writeSummary } from "./summary.mjs";

const TICKERS = Number(process.env.TICKERS ?? 5000);
const DAYS = Number(process.env.DAYS ?? 1000);
const ROWS = TICKERS * DAYS;
const FIRST_DAY = 18_262; // 2020-01-01
const ROUNDS = 5;
const names = Array.from({ length: TICKERS }, (_, t) => `T${String(t).padStart(4, "0")}`);

/** The same numbers every time. */
function random(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function seeded() {
  const next = random(7);
  const codes = new Int32Array(ROWS);
  const days = new Int32Array(ROWS);
  const close = new Float64Array(ROWS);
  for (let t = 0, i = 0; t < TICKERS; t++) {
    let price = 10 + next() * 200;
    for (let d = 0; d < DAYS; d++, i++) {
      price *= 1 + (next() - 0.5) * 0.04;
      codes[i] = t;
      days[i] = FIRST_DAY + d;
      close[i] = price;
    }
  }
  return { codes, days, close };
}

function shuffled({ codes, days, close }) {
  const next = random(11);
  const order = Int32Array.from({ length: ROWS }, (_, i) => i);
  for (let i = ROWS - 1; i > 0; i--) {
    const j = Math.floor(next() * (i + 1));
    [order[i], order[j]] = [order[j], order[i]];
  }
  const pick = (values) => values.map((_, i) => values[order[i]]);
  return { codes: pick(codes), days: pick(days), close: pick(close) };
}

const tickerType = new Dictionary(new Utf8(), new Int32());
const dictionary = vectorFromArray(names, new Utf8());

/** A frame in batches of `size` rows with buffers of their own, as a reader of files makes them (65,536), or in one. */
function frameOf({ codes, days, close }, size) {
  const fields = [
    new Field("ticker", tickerType, true),
    new Field("date", new DateDay(), true),
    new Field("close", new Float64(), true),
  ];
  const schema = new Schema(fields);
  const batches = [];
  for (let from = 0; from < ROWS; from += size) {
    const length = Math.min(size, ROWS - from);
    const part = (type, values, more) =>
      makeData({ type, length, nullCount: 0, data: values.slice(from, from + length), ...more });
    const children = [part(tickerType, codes, { dictionary }), part(new DateDay(), days), part(new Float64(), close)];
    batches.push(new RecordBatch(schema, makeData({ type: new Struct(fields), length, nullCount: 0, children })));
  }
  return Frame.from(new Table(schema, batches));
}

const PANDAS = `
import sys, time, json, warnings
warnings.filterwarnings("ignore")
import numpy as np, pandas as pd
folder, tickers, days = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
names = np.array(["T%04d" % t for t in range(tickers)], dtype=object)
df = pd.DataFrame({
    "ticker": names[np.fromfile(folder + "/codes", np.int32)],
    "date": np.fromfile(folder + "/days", np.int32).astype("datetime64[D]").astype("datetime64[ns]"),
    "close": np.fromfile(folder + "/close", np.float64),
})
cat = df.assign(ticker=df.ticker.astype("category"))
def best(work, rounds):
    least = 1e9
    for _ in range(rounds):
        start = time.perf_counter(); work(); least = min(least, time.perf_counter() - start)
    return least * 1000
def whole(f):
    out = f.assign(close=f.groupby("ticker", observed=True).close.pct_change())
    return out[out.groupby("ticker", observed=True).cumcount() > 0]
month = pd.Grouper(key="date", freq="M")
print(json.dumps({
    "version": pd.__version__,
    "resample": best(lambda: df.set_index("date").groupby("ticker").close.resample("M").last(), 1),
    "grouper": best(lambda: df.groupby(["ticker", month]).close.last(), 3),
    "grouper, categories": best(lambda: cat.groupby(["ticker", month], observed=True).close.last(), 3),
    "pct_change": best(lambda: df.groupby("ticker").close.pct_change(), 3),
    "pct_change, categories": best(lambda: cat.groupby("ticker", observed=True).close.pct_change(), 3),
    "whole": best(lambda: whole(df), 2),
    "rolling": best(lambda: df.groupby("ticker").close.rolling(20).mean(), 2),
    "rolling, categories": best(lambda: cat.groupby("ticker", observed=True).close.rolling(20).mean(), 2),
    "sort": best(lambda: df.sample(frac=1, random_state=1).sort_values(["ticker", "date"]), 1),
}))
`;

function pandas(data) {
  const folder = mkdtempSync(join(tmpdir(), "arrowbook-bench-"));
  try {
    for (const name of ["codes", "days", "close"]) writeFileSync(join(folder, name), data[name]);
    const run = spawnSync(python, ["-c", PANDAS, folder, String(TICKERS), String(DAYS)], { encoding: "utf8" });
    return run.status === 0 ? JSON.parse(run.stdout) : undefined;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const data = seeded();
const by = "ticker";
const frame = frameOf(data, ROWS);
const batched = frameOf(data, 65_536);

const works = {
  "collapse monthly": (f) => f.collapse("monthly", { by }),
  "transform rdiff": (f) => f.transform("rdiff", { by }),
  pctChange: (f) => f.pctChange(1, { by }),
  "rolling 20 mean": (f) => f.rolling(20, "mean", { by }),
};
const sql = {
  "collapse monthly": "select ticker, last_day(date) as month, arg_max(close, date) as close from t group by all",
  "transform rdiff": `select ticker, date, (close - p) / p as close
    from (select *, lag(close) over (partition by ticker order by date) as p from t) where p is not null`,
  pctChange: "select ticker, date, close / lag(close) over (partition by ticker order by date) - 1 as close from t",
  "rolling 20 mean": `select ticker, date, avg(close) over (partition by ticker order by date rows 19 preceding) as close from t`,
};

const engine = await duckdb();
await engine.load("t", frame);
const figures = {};
const note = (name, peer, ms) => {
  figures[name] ??= {};
  figures[name][peer] = Math.min(figures[name][peer] ?? Number.POSITIVE_INFINITY, ms);
};
const timed = async (name, peer, work) => {
  const start = performance.now();
  const result = await work();
  note(name, peer, performance.now() - start);
  return result;
};

// One after the other within each round, so that a busy period affects all of them.
for (const [name, work] of Object.entries(works)) {
  for (let round = 0; round < ROUNDS; round++) {
    const ours = await timed(name, "arrowbook", () => work(frame));
    await timed(name, "arrowbook, batches of 65,536", () => work(batched));
    await timed(name, "DuckDB", () => engine.query(`create or replace temp table o as ${sql[name]}`));
    if (round > 0) continue;
    const [{ n }] = [...(await engine.query("select count(*)::int as n from o")).rows()];
    if (Number(n) !== ours.numRows) throw new Error(`${name}: ${ours.numRows} rows, DuckDB has ${n}`);
  }
}
await engine.close();

const mixed = shuffled(data);
const unsorted = frameOf(mixed, 65_536);
const polars = pl.DataFrame([
  pl.Series(
    "ticker",
    Array.from(mixed.codes, (code) => names[code]),
    pl.Utf8,
  ),
  pl.Series("date", mixed.days, pl.Int32).cast(pl.Date),
  pl.Series("close", mixed.close),
]);
for (let round = 0; round < ROUNDS; round++) {
  await timed("sort by two keys", "arrowbook", () => unsorted.sort("ticker", "date"));
  await timed("sort by two keys", "polars", () => polars.sort(["ticker", "date"]));
}

const found = pandas(data);
if (found !== undefined) {
  note("collapse monthly", "pandas resample", found.resample);
  note("collapse monthly", "pandas groupby with Grouper", found.grouper);
  note("collapse monthly", "pandas groupby with Grouper, categories", found["grouper, categories"]);
  note("transform rdiff", "pandas", found.whole);
  note("pctChange", "pandas", found.pct_change);
  note("pctChange", "pandas, categories", found["pct_change, categories"]);
  note("rolling 20 mean", "pandas", found.rolling);
  note("rolling 20 mean", "pandas, categories", found["rolling, categories"]);
}

const table = Object.entries(figures).flatMap(([name, peers]) =>
  Object.entries(peers).map(([peer, ms]) => {
    const times = peer.startsWith("arrowbook") ? "" : `${(ms / peers.arrowbook).toFixed(1)} ×`;
    return `| ${name} | ${peer} | ${ms.toFixed(0)} | ${times} |`;
  }),
);
console.log(table.join("\n"));
const threads = availableParallelism();
const load = loadavg()[0];
const busy = `\n\nOther work was running (load ${load.toFixed(1)}): read the ratios, not the times.`;
const many = (count) => count.toLocaleString("en");
writeFileSync(
  fileURLToPath(new URL("results/series.md", import.meta.url)),
  `# Benchmarks: time series

How fast time-series methods are beside the peers.

Made by \`npm run bench -- series\`: ${many(ROWS)} rows (${many(TICKERS)} tickers × ${many(DAYS)} days; ticker, date, close as \`Float64\`) from a
seed. Contenders take turns within one process (pandas has its own); the best of up to ${ROUNDS} rounds counts, so the figures are those
of a warm process. Machine: ${cpus()[0].model.trim()}, ${threads} threads, Node ${process.version}, pandas ${found?.version ?? "not found"}; DuckDB and polars use all threads, arrowbook one.

| | contender | ms | × arrowbook |
|---|---|---|---|
${table.join("\n")}${load > threads + 1 ? busy : ""}

What is compared:

- **collapse monthly**: ticker, last day of the month, last close that is not null. pandas: \`groupby("ticker").close.resample("M").last()\`, and
  its faster spelling \`groupby(["ticker", Grouper(key="date", freq="M")]).close.last()\`. DuckDB: \`arg_max(close, date)\` by ticker
  and \`last_day(date)\`.
- **transform rdiff**: the whole table without the first row of each ticker, the results rounded to 14 significant digits as the service does.
  pandas: \`pct_change\`, put back into the table, first rows dropped, not rounded. DuckDB: \`lag\` over a window, not rounded.
- **pctChange**: \`frame.pctChange\` and pandas' \`groupby("ticker").close.pct_change()\`, which gives the one column. Nothing is dropped or rounded.
- **rolling 20 mean**: pandas \`groupby("ticker").close.rolling(20).mean()\`, DuckDB \`avg\` over \`rows 19 preceding\` (its first
  19 means are of fewer rows).
- **sort by two keys**: ticker, then date, of the same rows shuffled.

Tickers are text in pandas, DuckDB and polars, as a reader of files makes them; "categories" is pandas with them turned into
categories beforehand. DuckDB's result is kept as a temporary table. "batches of 65,536" is a frame as \`Frame.fromCSV\` makes it, the other has one batch.

pandas' \`pct_change\` is one pass of C over memory that the system gives it in large pages; there the gap is the smallest.
`,
);
writeSummary();
