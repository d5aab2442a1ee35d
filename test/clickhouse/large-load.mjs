// Loads, verifies and queries rows in a process of its own, whose memory is measured. Arguments: the address, the
// number of rows. Prints one line of JSON. Run by large.test.ts, with the built package.
import { performance } from "node:perf_hooks";
import { Frame } from "../../dist/esm/index.js";

const [address, count] = [process.argv[2], Number(process.argv[3])];
const engine =
  address === "duckdb"
    ? await (await import("../../dist/esm/duckdb.js")).duckdb()
    : await (await import("../../dist/esm/clickhouse.js")).clickhouse(address);

const BATCH = 50_000;
const columns = [
  { name: "ticker", type: "String" },
  { name: "date", type: "Date" },
  { name: "open", type: "BigDecimal(15,4)" },
  { name: "close", type: "BigDecimal(15,4)" },
  { name: "volume", type: "BigDecimal(37,15)" },
  { name: "closeunadj", type: "double" },
];
const DAYS = 5_000;

/** The same rows each time, one batch in memory. */
async function* rows() {
  for (let from = 0; from < count; from += BATCH) {
    const lines = [];
    for (let i = from; i < Math.min(count, from + BATCH); i++) {
      const day = new Date(86_400_000 * (i % DAYS)).toISOString().slice(0, 10);
      const price = ((i * 7919) % 1_000_003) / 100;
      lines.push(
        `T${Math.floor(i / DAYS)},${day},${price.toFixed(4)},${(price + 1).toFixed(4)},${i % 99_991}.5,${i / 8}`,
      );
    }
    const frame = await Frame.fromCSV(new TextEncoder().encode(`${lines.join("\n")}\n`), { columns, header: false });
    yield* frame.table.batches;
  }
}

const timed = async (work) => {
  const [started, cpu] = [performance.now(), process.cpuUsage()];
  const result = await work();
  const { user, system } = process.cpuUsage(cpu);
  return { result, seconds: (performance.now() - started) / 1000, cpu: (user + system) / 1e6 };
};

const making = await timed(async () => {
  for await (const batch of rows()) if (batch.numRows === 0) throw new Error("an empty batch");
});
const load = await timed(() => engine.load("large", rows(), { key: ["ticker", "date"] }));
const verify = await timed(() => engine.verify("large", rows()));
const query = await timed(() =>
  engine.query("SELECT ticker, count(*) AS n, max(close) AS top FROM large GROUP BY ticker ORDER BY ticker LIMIT 3"),
);
const read = await timed(async () => {
  let total = 0;
  for await (const batch of engine.batches("SELECT * FROM large")) total += batch.numRows;
  return total;
});
await engine.close();

console.log(
  JSON.stringify({
    rows: load.result.rows,
    equal: verify.result.equal,
    verified: verify.result.rows,
    groups: query.result.toArray(),
    read: read.result,
    seconds: Object.fromEntries(
      Object.entries({ making, load, verify, query, read }).map(([name, { seconds, cpu }]) => [
        name,
        [seconds.toFixed(2), cpu.toFixed(2)],
      ]),
    ),
    megabytes: Math.round(process.resourceUsage().maxRSS / 1024),
  }),
);
