// test/bench/results/files.md out of the results.
import { groups } from "./contenders.mjs";

const ms = (value) => (value < 20 ? value.toFixed(2) : value.toFixed(0));

function table({ rows, perByte }) {
  const [base] = rows;
  const ratio = (row) => (perByte ? row.bytes / row.again / (base.bytes / base.again) : row.again / base.again);
  const head = perByte
    ? ["", "MB/s", "of plain", "ms", "ms, first run", "processor ms", "peak MB"]
    : ["", "ms", "× the first", "ms, first run", "processor ms", "peak MB"];
  const lines = rows.map((row) => [
    row.contender,
    ...(perByte
      ? [(row.bytes / row.again / 1e3).toFixed(0), ratio(row).toFixed(2), ms(row.again)]
      : [ms(row.again), ratio(row).toFixed(2)]),
    ms(row.first),
    // Short jobs are repeated in one process, and pandas works in a process of its own.
    row.again < 20 || row.contender.startsWith("pandas") ? "" : ms(row.cpu),
    (row.peak / 1e6).toFixed(0),
  ]);
  return [head, head.map(() => "---"), ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

const NOTES = {
  zip: "Everything from the zip is compared with inflating it and doing nothing else, reading and inflating 1 MB at a time. Batches are dropped as they come; `Frame.fromZip` holds the table.",
  csv: "One row of the table takes about 79 bytes: text, two dates, seven decimals of 15 digits.",
  shapes: "Throughput against that of the plain file.",
  json: "The page is 0.86 MB. `JSON.parse` alone turns the decimals into doubles and makes no columns. With keys changing, the page is in order of days: another ticker in each row.",
  parquet: "Both libraries in JavaScript compress by Snappy here (Node 20); DuckDB and polars by their defaults.",
  readParquet: "The file that arrowbook wrote.",
  memory: "The second file is four times as long; the memory must not follow it.",
  import: "A process of its own each time, files in the system's cache.",
};

/** The page. */
export function page(results, machine) {
  const parts = Object.keys(groups)
    .filter((name) => results[name] !== undefined)
    .map((name) => {
      const result = results[name];
      const left = result.left.length > 0 ? `\n\nNot available in this run: ${result.left.join(", ")}.` : "";
      const load =
        result.load > machine.threads + 1
          ? `\n\nOther work was running (load ${result.load.toFixed(1)}): read the ratios, not the times.`
          : "";
      return `## ${result.title}\n\n${NOTES[name] ?? ""}\n\n${table(result)}\n\nMedians of ${result.rounds} rounds.${left}${load}`;
    });
  return `# Benchmarks

How fast files are read and written, and how much memory that takes, beside the peers on the same bytes.

Made by \`npm run bench\`; \`npm run bench -- csv json\` measures only those groups. The data are made from a seed into \`bench-data/\`
(about 1.5 GB, git-ignored). Each contender does its job in a process of its own, twice; the contenders take turns, and the tables
show the median of the second runs, beside it that of the first, whose code is still cold. Processor time is that of all threads of the process.

Machine: ${machine.cpu}, ${machine.threads} threads, Node ${machine.node}. The price table has ${machine.rows.toLocaleString("en")} rows (${machine.megabytes.toFixed(0)} MB).

${parts.join("\n\n")}
`;
}
