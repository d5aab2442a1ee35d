// npm run bench -- show: what showing costs, and test/bench/results/show.md. Every number is of a process of its own,
// median of five.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg } from "node:os";
import { fileURLToPath } from "node:url";

const ROUNDS = Number(process.env.ARROWBOOK_BENCH_ROUNDS ?? 5);
const SHOW = Symbol.for("Jupyter.display");

/** A frame of that many days with prices that walk at random, from a seed. */
async function series(rows) {
  const { Frame } = await import("../../dist/esm/index.js");
  const start = Date.UTC(2000, 0, 1);
  let state = 7;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
  let price = 100;
  const records = Array.from({ length: rows }, (_, i) => {
    const open = price;
    price += random() * 2;
    return {
      date: new Date(start + (i % 8_000) * 86_400_000).toISOString().slice(0, 10),
      open,
      high: Math.max(open, price) + Math.abs(random()),
      low: Math.min(open, price) - Math.abs(random()),
      close: price,
    };
  });
  const numbers = ["open", "high", "low", "close"].map((name) => ({ name, type: "double" }));
  return Frame.fromRows(records, [{ name: "date", type: "Date" }, ...numbers]);
}

/** The notebook's way of showing: every form at once, the PNG included. */
async function charts(rows, choices) {
  const frame = await series(rows);
  const [first, second, third] = choices.map((options) => {
    const began = performance.now();
    const bundle = frame.plot(options)[SHOW]();
    const ms = performance.now() - began;
    if (!bundle["image/png"]) throw new Error("There is no picture: install the optional dependencies.");
    return ms;
  });
  return { first, second, third };
}

/** Five million rows: ten batches of half a million that share their buffers. */
async function tables() {
  const { Frame } = await import("../../dist/esm/index.js");
  const part = await series(500_000);
  const frame = Frame.concat(Array.from({ length: 10 }, () => part));
  const shown = () => {
    const began = performance.now();
    if (!frame[SHOW]()["text/html"].includes("5,000,000 rows")) throw new Error("The table does not say its rows.");
    return performance.now() - began;
  };
  return { first: shown(), second: shown() };
}

const LINES = [{ y: "close" }, { y: "open" }, { y: "close", title: "Third" }];
const CANDLES = ["One", "Two", "Three"].map((title) => ({ mark: "candlestick", title }));

const JOBS = {
  line: ["a line of 250 days", () => charts(250, LINES)],
  long: ["a line of 6,500 days, drawn with 1,200 points", () => charts(6_500, LINES)],
  candles: ["90 candlesticks", () => charts(90, CANDLES)],
  table: ["a table of 5,000,000 rows × 5 columns", tables],
};

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

if (process.argv[2] in JOBS) {
  process.stdout.write(JSON.stringify(await JOBS[process.argv[2]][1]()));
} else {
  const path = fileURLToPath(import.meta.url);
  const taken = Object.fromEntries(Object.keys(JOBS).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of Object.keys(JOBS)) taken[name].push(JSON.parse(execFileSync(process.execPath, [path, name])));
  }
  const lines = Object.entries(JOBS).map(([name, [title]]) => {
    const of = (which) => {
      const ms = taken[name].map((times) => times[which]).filter((time) => time !== undefined);
      return ms.length === 0 ? "" : median(ms).toFixed(median(ms) < 20 ? 1 : 0);
    };
    return `| ${title} | ${of("first")} | ${of("second")} | ${of("third")} |`;
  });
  const table = ["| | ms, first | ms, second | ms, third |", "|---|---|---|---|", ...lines].join("\n");
  process.stdout.write(`${table}\n`);
  const load = loadavg()[0];
  const beside =
    load > 1.5
      ? ` Other work was running (load ${load.toFixed(1)}), so the times are too long rather than too short.`
      : "";
  writeFileSync(
    fileURLToPath(new URL("results/show.md", import.meta.url)),
    `# Benchmarks: showing

How long a notebook waits for a table or a chart.

Made by \`npm run bench -- show\`: what \`Symbol.for("Jupyter.display")\` takes, that is everything a notebook receives (for a chart the
specification, a PNG of two pixels for each and a text; for a table HTML and text), by the clock. Each row is the median of ${ROUNDS} processes
of their own; the first chart of a process also loads vega, vega-lite, the rasteriser and the font.

Machine: ${cpus()[0].model.trim()}, ${availableParallelism()} threads, Node ${process.version}.${beside}

${table}

- A picture has no tooltips, so their expressions are not compiled.
- The PNG is written with a palette where 256 colours do: a third of the time and half the bytes of the rasteriser's own.
- A line of more than 5,000 points is drawn with 1,200 that keep its shape.
- A table looks only at the rows that show.
`,
  );
}
