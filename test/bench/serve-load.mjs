// node test/bench/serve-load.mjs [seconds]: pages and metadata of the embedded service side by side, on 127.0.0.1 only.
// Needs `npm run build`; takes about 5 × (seconds + 3); seconds are 6 by default. In the environment:
// `ARROWBOOK_DIST` is another build to measure, `LINE` is how the lines to measure begin, `CPU_PROFILE` is a folder for
// profiles of the service.
//
// Three processes: the service, four clients that ask for pages of about 10,000 rows and drop the bytes, and this one,
// which asks for metadata, one request after the other. Each client has a page size of its own, so that no two pages
// are equal; the cache of replies is off but in the last line.
import { fork } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const DIST = process.env.ARROWBOOK_DIST ?? join(import.meta.dirname, "../../dist");
const SECONDS = Number(process.argv[2] ?? 6);
const ROWS = 100_000;
const PAGE_CLIENTS = 4;
const PAGE_ROWS = 10_000;

/** What each line measures: format and coding of the pages, and bytes of the service's cache. */
const LINES = [
  { what: "json, gzip", format: "json", coding: "gzip", cache: 0 },
  { what: "json, plain", format: "json", coding: "identity", cache: 0 },
  { what: "csv, gzip", format: "csv", coding: "gzip", cache: 0 },
  { what: "xml, gzip", format: "xml", coding: "gzip", cache: 0 },
  { what: "json, gzip, kept", format: "json", coding: "gzip", cache: 64 << 20 },
];

function writeData(folder) {
  const names = ["ticker", "date", "open", "high", "low", "close", "volume"];
  const types = ["String", "Date", ...Array(4).fill("BigDecimal(15,4)"), "Integer"];
  const columns = names.map((name, i) => ({ name, type: types[i] }));
  const price = (i, k) => ((i * 37 + k * 11) % 100_000) / 100;
  const line = (i) =>
    `T${i % 50},2024-01-${10 + (i % 20)},${[1, 2, 3, 4].map((k) => price(i, k).toFixed(4)).join()},${i}`;
  const lines = Array.from({ length: ROWS }, (_, i) => line(i));
  writeFileSync(join(folder, "t.csv"), `${names.join()}\n${lines.join("\n")}\n`);
  const codes = { vendor_code: "V", datatable_code: "T", name: "T" };
  const table = { ...codes, columns, filters: ["ticker", "date"], file: "t.csv" };
  writeFileSync(join(folder, "catalog.json"), JSON.stringify({ databases: [], tables: [table] }));
}

/** Starts this file as another process; its first message says that it is ready. */
async function started(role, ...args) {
  const execArgv =
    role === "--serve" && process.env.CPU_PROFILE ? ["--cpu-prof", `--cpu-prof-dir=${process.env.CPU_PROFILE}`] : [];
  const child = fork(import.meta.filename, [role, ...args.map(String)], { execArgv });
  const first = await new Promise((resolve, reject) => {
    child.once("message", resolve).once("exit", () => reject(new Error(`${role} ended`)));
  });
  return { child, first };
}

const asked = (child, question) =>
  new Promise((resolve) => {
    child.once("message", resolve);
    child.send(question);
  });

const agent = new http.Agent({ keepAlive: true });

/** Sends a request and drops the body. */
const get = (url, coding) =>
  new Promise((resolve, reject) => {
    http
      .get(url, { agent, headers: { "accept-encoding": coding } }, (reply) => {
        let bytes = 0;
        reply.on("data", (chunk) => {
          bytes += chunk.length;
        });
        reply.on("end", () => {
          if (reply.statusCode !== 200) reject(new Error(`status ${reply.statusCode}`));
          else resolve({ bytes, cursor: reply.headers.cursor_id });
        });
      })
      .on("error", reject);
  });

const tenths = (value) => Math.round(value * 10) / 10;

function percentiles(waits) {
  waits.sort((a, b) => a - b);
  const at = (share) => tenths(waits[Math.floor(waits.length * share)] ?? Number.NaN);
  return { p50: at(0.5), p99: at(0.99), most: at(1 - 1e-9) };
}

/** Metadata requests one after the other until `until`; milliseconds that each took. */
async function metadataUntil(url, until) {
  const waits = [];
  while (performance.now() < until) {
    const began = performance.now();
    await get(`${url}/api/v3/datatables/V/T/metadata.json?api_key=sample`, "gzip");
    waits.push(performance.now() - began);
  }
  return waits;
}

async function measure(folder, { what, format, coding, cache }) {
  const { child: service, first: url } = await started("--serve", folder, cache);
  const { child: clients } = await started("--pages", url, format, coding);
  try {
    // Long enough to compile the code and, where replies are kept, to keep every page.
    await asked(clients, { ms: 1_500, pages: 60 });
    await metadataUntil(url, performance.now() + 300);
    const before = await asked(service, "cpu");
    const pages = asked(clients, { ms: SECONDS * 1_000, pages: 0 });
    const waits = await metadataUntil(url, performance.now() + SECONDS * 1_000);
    const { made, bytes } = await pages;
    const after = await asked(service, "cpu");
    const beside = percentiles(waits);
    // Metadata replies cost the service something too, so that this is an upper bound.
    const cpu = tenths((after - before) / 1_000 / made);
    const perSecond = { pages: tenths(made / SECONDS), metadata: Math.round(waits.length / SECONDS) };
    console.log(
      `${what.padEnd(17)} pages/s ${perSecond.pages}, service ${cpu} ms of processor time a page, ` +
        `${Math.round(bytes / made / 1_000)} kB sent a page; ` +
        `metadata beside them ${perSecond.metadata}/s, p50 ${beside.p50} ms, p99 ${beside.p99} ms, most ${beside.most} ms`,
    );
  } finally {
    service.disconnect();
    clients.disconnect();
  }
}

async function main() {
  const folder = mkdtempSync(join(tmpdir(), "arrowbook-load-"));
  console.log(`load of the machine before: ${loadavg().map(tenths).join(", ")}; ${PAGE_CLIENTS} clients`);
  try {
    writeData(folder);
    for (const line of LINES.filter(({ what }) => what.startsWith(process.env.LINE ?? ""))) await measure(folder, line);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The service, in its own process. */
async function serveHere([folder, cache]) {
  const { serve } = await import(pathToFileURL(resolve(DIST, "esm/server.js")));
  const service = await serve({ data: folder, replyCacheBytes: Number(cache) });
  process.on("message", () => {
    const { user, system } = process.cpuUsage();
    process.send(user + system);
  });
  process.send(service.url);
}

/** The clients for pages, in their own process: each message says for how long they ask, and how many at least. */
function pagesHere([url, format, coding]) {
  const cursors = Array(PAGE_CLIENTS).fill("");
  process.on("message", async ({ ms, pages }) => {
    const until = performance.now() + ms;
    let made = 0;
    let bytes = 0;
    const client = async (_, k) => {
      const page = `${url}/api/v3/datatables/V/T.${format}?api_key=sample&qopts.per_page=${PAGE_ROWS - k}`;
      while (performance.now() < until || made < pages) {
        const reply = await get(`${page}${cursors[k] && `&qopts.cursor_id=${cursors[k]}`}`, coding);
        cursors[k] = reply.cursor;
        bytes += reply.bytes;
        made++;
      }
    };
    await Promise.all(Array.from({ length: PAGE_CLIENTS }, client));
    process.send({ made, bytes });
  });
  process.send("ready");
}

process.once("disconnect", () => process.exit());
const [role, ...args] = process.argv.slice(2);
if (role === "--serve") await serveHere(args);
else if (role === "--pages") pagesHere(args);
else await main();
