// Serves a large table from ClickHouse in a process of its own, whose memory is measured: every page, then an export.
// Arguments: the address, the number of rows. Prints one line of JSON. Run by large-service.test.ts, with the built
// package.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { clickhouse } from "../../dist/esm/clickhouse.js";
import { serve } from "../../dist/esm/server.js";

const [address, count] = [process.argv[2], Number(process.argv[3])];
const folder = mkdtempSync(join(tmpdir(), "arrowbook-large-"));
const file = await open(join(folder, "t.csv"), "w");
await file.write("ticker,date,open,close,volume,closeunadj\n");
const DAYS = 5_000;
const days = Array.from({ length: DAYS }, (_, i) => new Date(86_400_000 * i).toISOString().slice(0, 10));
for (let from = 0; from < count; from += 50_000) {
  const lines = [];
  for (let i = from; i < Math.min(count, from + 50_000); i++) {
    const price = ((i * 7919) % 1_000_003) / 100;
    lines.push(
      `T${Math.floor(i / DAYS)},${days[i % DAYS]},${price.toFixed(4)},${(price + 1).toFixed(4)},${i % 99_991}.5,${i / 8}\n`,
    );
  }
  await file.write(lines.join(""));
}
await file.close();
const columns = Object.entries({
  ticker: "String",
  date: "Date",
  open: "BigDecimal(15,4)",
  close: "BigDecimal(15,4)",
  volume: "BigDecimal(37,15)",
  closeunadj: "double",
}).map(([name, type]) => ({ name, type }));
const table = { vendor_code: "V", datatable_code: "T", name: "T", columns, filters: ["ticker"], file: "t.csv" };
writeFileSync(join(folder, "catalog.json"), JSON.stringify({ tables: [table] }));

const megabytes = () => Math.round(process.resourceUsage().maxRSS / 1024);
const engine = await clickhouse(address);
const began = performance.now();
const service = await serve({ data: folder, engine, maxResultRows: Number.MAX_SAFE_INTEGER, replyCacheBytes: 0 });
const load = performance.now() - began;
const afterLoad = megabytes();
const url = `${service.url}/api/v3/datatables/V/T`;

const times = [];
let rows = 0;
for (let cursor = ""; cursor !== null; ) {
  const at = performance.now();
  const reply = await fetch(`${url}.csv?api_key=sample${cursor === "" ? "" : `&qopts.cursor_id=${cursor}`}`);
  const text = await reply.text();
  times.push(performance.now() - at);
  rows += text.split("\n").length - 2;
  cursor = reply.headers.get("cursor_id") || null;
}
const afterPages = megabytes();

const exporting = performance.now();
let link = null;
while (link === null) {
  await new Promise((wake) => setTimeout(wake, 50));
  const reply = await (await fetch(`${url}.json?qopts.export=true&api_key=sample`)).json();
  link = reply.datatable_bulk_download.file.link;
}
const bytes = Number((await fetch(link, { method: "HEAD" })).headers.get("content-length"));
const exported = performance.now() - exporting;
await service.close();
await engine.close();
rmSync(folder, { recursive: true });

const mean = (some) => Math.round(some.reduce((a, b) => a + b, 0) / some.length);
console.log(
  JSON.stringify({
    rows,
    bytes,
    seconds: { load: Math.round(load / 1000), export: Math.round(exported / 1000) },
    milliseconds: { firstPages: mean(times.slice(0, 20)), lastPages: mean(times.slice(-20)) },
    megabytes: { afterLoad, afterPages, afterExport: megabytes() },
  }),
);
