// node test/bench/scale/run.mjs [millions…]: measures tables of 1, 5, 20 and 80 million rows, each stage in a process
// of its own, and writes the tables of test/bench/results/scale.md. Results are kept in results.json beside this file
// after each stage, so that it can be stopped and started again; STAGES="pages filters" measures those stages again.
// Needs the built package, and for ClickHouse `npm ci --ignore-scripts --prefix test/clickhouse`. Linux only. Data are
// kept in `bench-data/scale`, or in the folder ARROWBOOK_SCALE.
import { fork } from "node:child_process";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { cpus, freemem, loadavg } from "node:os";
import { delimiter, join } from "node:path";
import { writePage } from "./report.mjs";
import { folder, RESULTS, root, SIZES } from "./settings.mjs";

/** In order: each needs the files of those before it. */
const STAGES = [
  "data",
  "start",
  "pages",
  "filters",
  "export",
  "batches",
  "parquet",
  "frame",
  "sync",
  "unchanged",
  "duckdb",
  "clickhouse",
  "onClickhouse",
];

/** Seconds that a stage may take, and more for each million rows. */
const LIMIT = { base: 120, million: 60 };

/** Bytes a row that `frame` needs free; it is left out where they are not. */
const FRAME_BYTES = 200;

const { NODE_PATH } = process.env;
const env = {
  ...process.env,
  NODE_PATH: [join(root, "test/clickhouse/node_modules"), NODE_PATH].filter(Boolean).join(delimiter),
};

function results() {
  try {
    return JSON.parse(readFileSync(RESULTS, "utf8"));
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
    return { sizes: {} };
  }
}

function keep(value) {
  writeFileSync(`${RESULTS}.part`, `${JSON.stringify(value, null, 2)}\n`);
  renameSync(`${RESULTS}.part`, RESULTS);
}

/** Runs a stage; its measurements by name, or the reason why there are none. */
function run(stage, rows) {
  const place = join(folder, String(rows));
  mkdirSync(join(place, "tmp"), { recursive: true });
  const limit = LIMIT.base + (LIMIT.million * rows) / 1e6;
  return new Promise((resolve) => {
    // A group of its own, so that the limit ends its children too.
    const child = fork(join(import.meta.dirname, "stages.mjs"), [stage, place, String(rows)], {
      detached: true,
      env: { ...env, TMPDIR: join(place, "tmp") },
    });
    let found;
    const timer = setTimeout(() => {
      found = { failed: `not finished after ${limit} s` };
      process.kill(-child.pid, "SIGKILL");
    }, limit * 1000);
    const stop = () => process.kill(-child.pid, "SIGKILL");
    process.once("SIGINT", stop);
    child.on("message", (message) => {
      found = message;
    });
    child.on("exit", (code, signal) => {
      clearTimeout(timer);
      process.off("SIGINT", stop);
      resolve(found ?? { failed: `ended with ${signal ?? code}` });
    });
  });
}

const rounded = (value) => (typeof value === "number" ? Number(value.toPrecision(4)) : value);

const sizes = process.argv.slice(2).map((millions) => Number(millions) * 1e6);
const again = process.env.STAGES?.split(" ");
for (const rows of sizes.length > 0 ? sizes : SIZES) {
  for (const stage of STAGES) {
    const kept = results();
    kept.sizes[rows] ??= { stages: {} };
    const done = kept.sizes[rows].stages;
    if (again === undefined ? done[stage] !== undefined : !again.includes(stage)) continue;
    const load = loadavg()[0];
    console.log(`${rows / 1e6} million rows: ${stage}`);
    const found =
      stage === "frame" && freemem() < rows * FRAME_BYTES
        ? { failed: `left out: ${Math.round(freemem() / 1e9)} GB of memory free` }
        : await run(stage, rows);
    const now = results();
    now.machine = { cpu: cpus()[0].model, threads: cpus().length, node: process.version };
    now.sizes[rows] ??= { stages: {} };
    now.sizes[rows].stages[stage] = {
      load: rounded(load),
      ...Object.fromEntries(
        Object.entries(found).map(([name, facts]) => [
          name,
          typeof facts === "string"
            ? facts
            : Object.fromEntries(Object.entries(facts).map(([key, value]) => [key, rounded(value)])),
        ]),
      ),
    };
    console.log(JSON.stringify(now.sizes[rows].stages[stage]));
    keep(now);
  }
}
writePage(results());
