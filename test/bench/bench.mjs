// npm run bench [-- group …]: measures this package and its peers on the same bytes, each in a process of its own, in
// turns, and writes the medians and their ratios to test/bench/results/files.md once every group was measured.
// ARROWBOOK_BENCH_ROUNDS (default 5) and ARROWBOOK_BENCH_ROWS (default 5,000,000) make it shorter.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { groups, missing } from "./contenders.mjs";
import * as data from "./data.mjs";
import { page } from "./report.mjs";
import { writeSummary } from "./summary.mjs";

const ROUNDS = Number(process.env.ARROWBOOK_BENCH_ROUNDS ?? 5);
const here = fileURLToPath(new URL(".", import.meta.url));
const asked = process.argv.slice(2);
/** Groups with pages of their own. */
const PAGES = ["pairs", "series", "show", "verbs"];
const unknown = asked.filter((name) => !PAGES.includes(name) && !(name in groups));
if (unknown.length > 0) {
  process.stderr.write(
    `Unknown: ${unknown.join(", ")}. The groups are ${[...Object.keys(groups), ...PAGES].join(", ")}.\n`,
  );
  process.exit(2);
}
if (asked.length === 0 || asked.includes("series")) {
  execFileSync(process.execPath, ["--max-old-space-size=8000", join(here, "series.mjs")], { stdio: "inherit" });
}
if (asked.length === 0 || asked.includes("pairs")) {
  execFileSync(process.execPath, [join(here, "pairs.mjs")], { stdio: "inherit" });
}
if (asked.length === 0 || asked.includes("show")) {
  execFileSync(process.execPath, [join(here, "show.mjs")], { stdio: "inherit" });
}
if (asked.length === 0 || asked.includes("verbs")) {
  const options = ["--max-old-space-size=8000", "--expose-gc"];
  execFileSync(process.execPath, [...options, join(here, "verbs.mjs")], { stdio: "inherit" });
}
const wanted = asked.filter((name) => !PAGES.includes(name));
if (asked.length > 0 && wanted.length === 0) process.exit(0);

const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
};

await data.zipped();
if (wanted.length === 0 || wanted.includes("zip")) await data.gzipped();

const stored = join(data.folder, "results.json");
const results = existsSync(stored) ? JSON.parse(readFileSync(stored, "utf8")) : {};
for (const name of wanted.length > 0 ? wanted : Object.keys(groups)) {
  const { title, contenders, perByte } = groups[name];
  const names = Object.keys(contenders).filter((contender) => !missing(contenders[contender]));
  const left = Object.keys(contenders).filter((contender) => missing(contenders[contender]));
  const taken = Object.fromEntries(names.map((contender) => [contender, []]));
  process.stdout.write(`\n${title}\n`);
  for (let round = 0; round < ROUNDS; round++) {
    for (const contender of names) {
      const printed = execFileSync(process.execPath, [join(here, "one.mjs"), name, contender], {
        maxBuffer: 1e8,
        stdio: ["ignore", "pipe", "ignore"],
      });
      taken[contender].push(JSON.parse(printed.toString().trim().split("\n").at(-1)));
      process.stderr.write(
        `  round ${round + 1}: ${contender}: ${taken[contender]
          .at(-1)
          .times.map((ms) => ms.toFixed(ms < 20 ? 2 : 0))
          .join(", ")} ms\n`,
      );
    }
  }
  const rows = names.map((contender) => ({
    contender,
    first: median(taken[contender].map(({ times }) => times[0])),
    again: median(taken[contender].map(({ times }) => times.at(-1))),
    cpu: median(taken[contender].map(({ cpu }) => cpu.at(-1))),
    peak: median(taken[contender].map(({ peak }) => peak)),
    ...(perByte && { bytes: contenders[contender].bytes() }),
  }));
  results[name] = { title, rows, left, rounds: ROUNDS, load: loadavg()[0], perByte: perByte === true };
  for (const row of rows) {
    const ratio = perByte ? row.bytes / row.again / (rows[0].bytes / rows[0].again) : row.again / rows[0].again;
    const rate = perByte ? `${(row.bytes / row.again / 1e3).toFixed(0)} MB/s, ` : "";
    process.stdout.write(
      `  ${row.contender.padEnd(44)} ${row.again.toFixed(row.again < 20 ? 2 : 0).padStart(7)} ms  ${rate}× ${ratio.toFixed(2)}  ${(row.peak / 1e6).toFixed(0)} MB\n`,
    );
  }
}
const machine = {
  cpu: cpus()[0].model.trim(),
  threads: availableParallelism(),
  node: process.version,
  rows: data.PRICE_ROWS,
  megabytes: data.megabytes(data.prices()),
};
writeFileSync(stored, JSON.stringify({ ...results, machine }, null, 1));
const unmeasured = Object.keys(groups).filter((name) => !(name in results));
if (unmeasured.length > 0) {
  process.stdout.write(
    `\nresults/files.md is kept, since ${unmeasured.join(", ")} were not measured on this machine.\n`,
  );
} else {
  writeFileSync(fileURLToPath(new URL("results/files.md", import.meta.url)), page(results, machine));
  writeSummary();
}
