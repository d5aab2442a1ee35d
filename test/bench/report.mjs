// docs/benchmarks.md out of the results.
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

Time series (collapse, transform, rolling, sort) have [a page of their own](benchmarks-series.md), and so have [showing](benchmarks-show.md) and [verbs](benchmarks-verbs.md).

Machine: ${machine.cpu}, ${machine.threads} threads, Node ${machine.node}. The price table has ${machine.rows.toLocaleString("en")} rows (${machine.megabytes.toFixed(0)} MB).

${parts.join("\n\n")}

## Why it is fast

- A cell stays bytes until its column's type reads it into a typed buffer. No string, number or Date is made for a cell.
- CSV and JSON rows are read by blocks in WebAssembly (\`src/wasm/row-blocks.ts\`): where all cells of a thousand rows end, then column by
  column, sixteen bytes at a time, with no branch that depends on the digits; short texts are looked up by 32 bytes at once.
- Whatever is not plain (quotes at odd places, exponents, long numbers, errors) leaves the fast readers and is read cell by cell, or row by
  row by the grammar, and exactly.
- Deflate is inflated in WebAssembly (\`src/wasm/inflate.ts\`): one look-up decodes two literals, or a literal and a length, and the next
  one is made before bits are added. It takes about 0.55 of the processor time of Node's zlib on such data.
- An archive is inflated on one worker thread and parsed on another, also for their small heaps. Reading passes
  through so much memory that the garbage collector runs all the time, and on the calling
  thread each of its rounds visits whatever that holds. A file that is not zipped is split over worker threads at line feeds; a border
  holds when the part before it ends there with a whole row.
- Buffers are not cleared before they are filled, batches are 64k rows, and dictionaries compare a text with the one above first.
- A batch that goes into a file lends its buffers: once it is written, the rows to come are read into them.
- Numbers go from Arrow's buffers into the pages of Parquet as doubles, where doubles hold them exactly, and are read from them in WebAssembly; no BigInt is made for a value.
`;
}
