// node test/bench/serve-load.mjs [seconds]: pages and metadata of the embedded service side by side, on 127.0.0.1 only.
// The service runs in a process of its own; four clients ask for 10,000-row pages, one for metadata. Needs
// `npm run build`.
import { fork } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

const SECONDS = Number(process.argv[2] ?? 5);
const ROWS = 100_000;
const PAGE_CLIENTS = 4;

async function main() {
  const folder = mkdtempSync(join(tmpdir(), "arrowbook-load-"));
  const names = ["ticker", "date", "open", "high", "low", "close", "volume"];
  const types = ["String", "Date", ...Array(4).fill("BigDecimal(15,4)"), "Integer"];
  const columns = names.map((name, i) => ({ name, type: types[i] }));
  const price = (i, k) => ((i * 37 + k * 11) % 100_000) / 100;
  const line = (i) =>
    `T${i % 50},2024-01-${10 + (i % 20)},${[1, 2, 3, 4].map((k) => price(i, k).toFixed(4)).join()},${i}`;
  writeFileSync(
    join(folder, "t.csv"),
    `${names.join()}\n${Array.from({ length: ROWS }, (_, i) => line(i)).join("\n")}\n`,
  );
  const table = {
    vendor_code: "V",
    datatable_code: "T",
    name: "T",
    columns,
    filters: ["ticker", "date"],
    file: "t.csv",
  };
  writeFileSync(join(folder, "catalog.json"), JSON.stringify({ databases: [], tables: [table] }));
  try {
    for (const [what, cache] of [
      ["every page made", 0],
      ["equal pages kept", 64 << 20],
    ]) {
      const child = fork(new URL(import.meta.url), ["--serve", folder, String(cache)]);
      try {
        const url = await new Promise((resolve) => child.once("message", resolve).once("exit", resolve));
        console.log(what, JSON.stringify(await load(url)));
      } finally {
        child.kill();
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const agent = new http.Agent({ keepAlive: true });
const get = (url) =>
  new Promise((resolve, reject) => {
    http
      .get(url, { agent, headers: { "accept-encoding": "gzip" } }, (reply) => {
        let bytes = 0;
        reply.on("data", (chunk) => (bytes += chunk.length));
        reply.on("end", () =>
          reply.statusCode === 200 ? resolve({ bytes, cursor: reply.headers.cursor_id }) : reject(reply.statusCode),
        );
      })
      .on("error", reject);
  });

async function load(url) {
  const metadata = `${url}/api/v3/datatables/V/T/metadata.json?api_key=sample`;
  const page = `${url}/api/v3/datatables/V/T.json?api_key=sample`;
  for (let i = 0; i < 20; i++) await Promise.all([get(metadata), get(page)]);
  const until = performance.now() + SECONDS * 1000;
  let pages = 0;
  const waits = [];
  const clients = Array.from({ length: PAGE_CLIENTS }, async () => {
    for (let cursor = ""; performance.now() < until; pages++)
      cursor = (await get(`${page}${cursor && `&qopts.cursor_id=${cursor}`}`)).cursor;
  });
  while (performance.now() < until) {
    const began = performance.now();
    await get(metadata);
    waits.push(performance.now() - began);
  }
  await Promise.all(clients);
  waits.sort((a, b) => a - b);
  const at = (share) => Math.round(waits[Math.floor(waits.length * share)] * 10) / 10;
  return {
    pagesPerSecond: Math.round(pages / SECONDS),
    metadataPerSecond: Math.round(waits.length / SECONDS),
    p50: at(0.5),
    p99: at(0.99),
  };
}

if (process.argv[2] === "--serve") {
  const { serve } = await import("../../dist/esm/server.js");
  const service = await serve({ data: process.argv[3], replyCacheBytes: Number(process.argv[4]) });
  process.send(service.url);
} else await main();
