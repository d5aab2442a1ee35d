// toDanfo() beside what Danfo's users write: `new DataFrame(rows)` of row objects, the making of the objects counted.
// `npm run bench -- verbs` runs it; so does `node test/bench/danfo.mjs`, after a build.
import { fileURLToPath } from "node:url";
import { DataFrame } from "danfojs-node";
import { Frame } from "../../dist/esm/index.js";

const ROWS = 100_000;
const ROUNDS = Number(process.env.ARROWBOOK_BENCH_ROUNDS ?? 5) * 3;
const COLUMNS = ["open", "high", "low", "close"].map((name) => ({ name, type: "BigDecimal(15,4)" }));

function prices() {
  const lines = ["ticker,date,open,high,low,close,volume"];
  for (let i = 0; i < ROWS; i++) {
    const day = new Date(Date.UTC(2000, 0, 1 + (i % 5000))).toISOString().slice(0, 10);
    const price = ((i * 7919) % 100_000) / 100;
    const four = [price, price + 1, price * 0.9, price].map((value) => value.toFixed(4));
    lines.push(`T${Math.floor(i / 5000)},${day},${four.join(",")},${i * 137}`);
  }
  const columns = [{ name: "ticker", type: "String" }, { name: "date", type: "Date" }, ...COLUMNS];
  const text = new TextEncoder().encode(`${lines.join("\n")}\n`);
  return Frame.fromCSV(text, { columns: [...columns, { name: "volume", type: "Integer" }] });
}

/** The lines of the page about Danfo: processor time of both ways in turns. */
export async function danfoLines() {
  const frame = await prices();
  const jobs = { toDanfo: () => frame.toDanfo(), rows: () => new DataFrame(frame.toArray()) };
  const taken = { toDanfo: [], rows: [] };
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, job] of Object.entries(jobs)) {
      globalThis.gc?.();
      const before = process.cpuUsage();
      const { shape } = await job();
      const { user, system } = process.cpuUsage(before);
      taken[name].push((user + system) / 1e3);
      if (shape[0] !== ROWS || shape[1] !== 7) throw new Error(`${name}: ${shape}`);
    }
  }
  const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
  const [ours, theirs] = [median(taken.toDanfo), median(taken.rows)];
  return [
    `## Danfo, ${ROWS.toLocaleString("en")} rows × 7 columns`,
    "",
    `Medians of ${ROUNDS} runs of each, in turns, processor time. Must: twice as fast.`,
    "",
    "| | ms | first run |",
    "| --- | --- | --- |",
    `| \`frame.toDanfo()\` | ${ours.toFixed(0)} | ${taken.toDanfo[0].toFixed(0)} |`,
    `| \`new DataFrame(frame.toArray())\` | ${theirs.toFixed(0)} | ${taken.rows[0].toFixed(0)} |`,
    `| times as fast | ${(theirs / ours).toFixed(2)} | |`,
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log((await danfoLines()).join("\n"));
