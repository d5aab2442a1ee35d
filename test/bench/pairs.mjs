// Windows over two columns and with weights on 5 million rows (5,000 tickers × 1,000 days), beside polars and pandas:
// processor time, each contender in a process of its own, in turns. `npm run bench -- pairs` runs it and writes
// results/pairs.md. The Python of test:clients has both peers (or PYTHON); TICKERS and DAYS change the size.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { python } from "./data.mjs";

const TICKERS = Number(process.env.TICKERS ?? 5000);
const DAYS = Number(process.env.DAYS ?? 1000);
const ROWS = TICKERS * DAYS;
const ROUNDS = Number(process.env.ARROWBOOK_BENCH_ROUNDS ?? 5);
const here = fileURLToPath(new URL(".", import.meta.url));

/** Each row: the job of this package, the expressions of polars (by ticker) and pandas. */
const JOBS = {
  "rolling 20 cov": {
    ours: (f) => f.rolling(20, "cov", { ...CLOSE, with: "index" }),
    polars: `pl.rolling_cov("close", "index", window_size=20, min_samples=20)`,
  },
  "rolling 20 corr": {
    ours: (f) => f.rolling(20, "corr", { ...CLOSE, with: "index" }),
    polars: `pl.rolling_corr("close", "index", window_size=20, min_samples=20)`,
  },
  "rolling 250 corr": {
    ours: (f) => f.rolling(250, "corr", { ...CLOSE, with: "index" }),
    polars: `pl.rolling_corr("close", "index", window_size=250, min_samples=250)`,
  },
  "rolling 20 beta": {
    ours: (f) => f.rolling(20, "beta", { ...CLOSE, with: "index" }),
    polars: `pl.rolling_cov("close", "index", window_size=20, min_samples=20) / pl.col("index").rolling_var(20)`,
  },
  "rolling 20 vwap": {
    ours: (f) => f.rolling(20, "vwap", { ...CLOSE, weights: "volume" }),
    polars: `(pl.col("close") * pl.col("volume")).rolling_sum(20) / pl.col("volume").rolling_sum(20)`,
  },
  "rolling 20 wma": {
    ours: (f) => f.rolling(20, "wma", CLOSE),
    polars: `pl.col("close").rolling_mean(20, weights=[float(i) for i in range(1, 21)])`,
  },
  "rolling 250 wma": {
    ours: (f) => f.rolling(250, "wma", CLOSE),
    polars: `pl.col("close").rolling_mean(250, weights=[float(i) for i in range(1, 251)])`,
  },
  "ewm corr": {
    ours: (f) => f.ewm({ ...CLOSE, with: "index", span: 20 }, "corr"),
    // By the ticker, the correlation of a column with another is out of pandas' reach but for a loop.
    pandas: `pd.concat([g.close.ewm(span=20).corr(g["index"]) for _, g in df.groupby("ticker")])`,
  },
};
const CLOSE = { by: "ticker", columns: "close" };

const PYTHON = `
import json, sys, time
import numpy as np
folder, name, rounds = sys.argv[1], sys.argv[2], 3
job = json.load(open(folder + "/jobs.json"))[name]
read = lambda column, kind: np.fromfile(folder + "/" + column, kind)
columns = {"ticker": read("codes", np.int32), "close": read("close", float), "index": read("index", float), "volume": read("volume", float)}
if "polars" in job:
    import polars as pl
    df = pl.DataFrame(columns)
    e = eval(job["polars"])
    work = lambda: df.select(e.over("ticker"))
    version = "polars " + pl.__version__
else:
    import pandas as pd
    df = pd.DataFrame(columns)
    work = lambda: eval(job["pandas"])
    version = "pandas " + pd.__version__
    rounds = 1
least = 1e9
for _ in range(rounds):
    start = time.process_time(); work(); least = min(least, time.process_time() - start)
print(json.dumps({"ms": least * 1000, "version": version}))
`;

if (process.argv[2] === "one") {
  const { Frame } = await import("../../dist/esm/index.js");
  const [folder, name] = process.argv.slice(3);
  const read = (column) => new Float64Array(new Uint8Array(readFileSync(join(folder, column))).buffer);
  const codes = new Int32Array(new Uint8Array(readFileSync(join(folder, "codes"))).buffer);
  const frame = Frame.fromColumns({
    ticker: codes,
    close: read("close"),
    index: read("index"),
    volume: read("volume"),
  });
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3; round++) {
    const before = process.cpuUsage();
    JOBS[name].ours(frame);
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1e3);
  }
  console.log(JSON.stringify({ ms: least }));
} else await measure();

/** The same columns every time: prices that follow an index, and volumes. */
function write(folder) {
  let state = 7;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const codes = Int32Array.from({ length: ROWS }, (_, i) => Math.floor(i / DAYS));
  const [close, index, volume] = [1, 2, 3].map(() => new Float64Array(ROWS));
  for (let i = 0, price = 100, level = 1000; i < ROWS; i++) {
    if (i % DAYS === 0) [price, level] = [10 + next() * 200, 1000];
    const move = (next() - 0.5) * 0.02;
    level *= 1 + move;
    price *= 1 + move + (next() - 0.5) * 0.03;
    [close[i], index[i], volume[i]] = [price, level, Math.floor(next() * 1e6)];
  }
  for (const [name, values] of Object.entries({ codes, close, index, volume }))
    writeFileSync(join(folder, name), values);
  writeFileSync(join(folder, "jobs.json"), JSON.stringify(JOBS));
}

async function measure() {
  const folder = mkdtempSync(join(tmpdir(), "arrowbook-bench-"));
  const lines = [];
  try {
    write(folder);
    for (const name of Object.keys(JOBS)) {
      const taken = { ours: [], theirs: [] };
      let version = "";
      for (let round = 0; round < ROUNDS; round++) {
        const ours = execFileSync(process.execPath, [fileURLToPath(import.meta.url), "one", folder, name]);
        taken.ours.push(JSON.parse(ours.toString()).ms);
        const theirs = JSON.parse(execFileSync(python, ["-c", PYTHON, folder, name]).toString());
        taken.theirs.push(theirs.ms);
        version = theirs.version;
      }
      const [ours, theirs] = [median(taken.ours), median(taken.theirs)];
      lines.push(
        `| ${name} | ${ours.toFixed(0)} | ${theirs.toFixed(0)} | ${version} | ${(ours / theirs).toFixed(2)} |`,
      );
      console.log(lines.at(-1));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  writeFileSync(join(here, "results/pairs.md"), page(lines));
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1];
}

function page(lines) {
  return `# Benchmarks: windows of two columns

How much processor time windows over pairs of columns and with weights take beside the peers.

Made by \`npm run bench -- pairs\`: ${ROWS.toLocaleString("en")} rows (${TICKERS} tickers × ${DAYS} days of doubles) from a seed, each ticker by
itself. Each contender has a process of its own, in turns; the best of three runs in it (pandas: one), the median of ${ROUNDS} processes. Processor time
of all threads. Machine: ${cpus()[0].model.trim()}, Node ${process.version}.

| | arrowbook, ms | peer, ms | peer | ÷ peer |
|---|---:|---:|---|---:|
${lines.join("\n")}

polars: \`over("ticker")\` of an expression of whole columns. It has no exponentially weighted correlation; that row is a loop over the groups of pandas.
Results after an outlier are exact to 12 digits here and not in polars.
`;
}
