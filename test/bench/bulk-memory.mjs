// One large bulk file over a bad network: makes a CSV of about GIGABYTES (default 1.6), zips it, serves it with a
// connection that is cut every 50 MB, lands it as Parquet in a process of its own, and compares rows and per-column
// sums with the source. Run after `npm run build`: node test/bench/bulk-memory.mjs
import { fork } from "node:child_process";
import { createReadStream, createWriteStream, mkdtempSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32, createDeflateRaw } from "node:zlib";

const CUT = 50 * 1024 * 1024;
const columns = [
  { name: "ticker", type: "String" },
  { name: "date", type: "Date" },
  ...["open", "high", "low", "close"].map((name) => ({ name, type: "BigDecimal(15,4)" })),
  { name: "volume", type: "BigDecimal(20,0)" },
  { name: "closeadj", type: "BigDecimal(15,4)" },
  { name: "closeunadj", type: "BigDecimal(15,4)" },
  { name: "lastupdated", type: "Date" },
];

if (process.argv[2] === "client") await client(process.argv[3], process.argv[4]);
else await bench();

async function bench() {
  const folder = mkdtempSync(join(process.env.ARROWBOOK_BENCH ?? tmpdir(), "arrowbook-bench-"));
  try {
    const zip = join(folder, "T.zip");
    const made = await makeArchive(zip, Number(process.env.GIGABYTES ?? 1.6) * 1e9);
    console.log(`source: ${made.rows} rows, ${mb(made.bytes)} MB of CSV, ${mb(statSync(zip).size)} MB zipped`);
    const { server, cuts } = await serveArchive(zip);
    const url = `http://127.0.0.1:${server.address().port}`;
    const parquet = join(folder, "T.parquet");
    const report = await new Promise((resolve, reject) => {
      const child = fork(process.argv[1], ["client", url, parquet], {
        execArgv: process.env.NODE_FLAGS?.split(" ") ?? [],
      });
      child.on("message", resolve);
      child.on("exit", (code) => code !== 0 && reject(new Error(`client ended with ${code}`)));
    });
    server.closeAllConnections();
    server.close();
    console.log(
      `landed: ${report.rows} rows, ${mb(report.bytes)} MB of Parquet in ${report.seconds.toFixed(1)} s, ${cuts()} cuts, peak memory ${report.peak} MB (${report.downloaded} MB after the download)`,
    );
    const found = await sums(parquet);
    const same = report.rows === made.rows && JSON.stringify(found) === JSON.stringify(made.sums);
    console.log(
      same
        ? "equal to the source: rows and the sum of every column"
        : `DIFFERENT: ${JSON.stringify(made.sums)} ${JSON.stringify(found)}`,
    );
    process.exitCode = same && report.peak <= 250 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function client(url, parquet) {
  const { connect } = await import("arrowbook");
  const now = () => Math.round(process.resourceUsage().maxRSS / 1024);
  let downloaded = 0;
  const onProgress = ({ phase, done }) => {
    if (phase === "download" && done) downloaded = now();
  };
  const service = connect({ url, apiKey: "bench-key-000000", onProgress });
  const start = performance.now();
  const { rows, bytes } = await service.table("V/T").export().toParquet(parquet);
  process.send({ rows, bytes, seconds: (performance.now() - start) / 1000, downloaded, peak: now() });
  process.disconnect();
}

/** Writes the archive by hand: one deflated entry with its sizes behind it, zip64 where needed. */
async function makeArchive(path, wanted) {
  const file = createWriteStream(path);
  const name = Buffer.from("T.csv");
  const local = Buffer.alloc(30);
  local.write("PK\x03\x04", "latin1");
  local.writeUInt16LE(20, 4);
  local.writeUInt16LE(8, 6);
  local.writeUInt16LE(8, 8);
  local.writeUInt16LE(name.length, 26);
  file.write(Buffer.concat([local, name]));
  const deflate = createDeflateRaw({ level: 1, chunkSize: 1 << 20 });
  let compressed = 0;
  const written = (async () => {
    for await (const chunk of deflate) {
      compressed += chunk.length;
      if (!file.write(chunk)) await new Promise((go) => file.once("drain", go));
    }
  })();
  const total = {
    rows: 0,
    bytes: 0,
    sums: {
      tickers: 0,
      days: 0,
      open: 0n,
      high: 0n,
      low: 0n,
      close: 0n,
      volume: 0n,
      closeadj: 0n,
      closeunadj: 0n,
      updated: 0,
    },
  };
  let sum = 0;
  let text = `${columns.map(({ name: column }) => column).join(",")}\n`;
  const flush = async () => {
    const bytes = Buffer.from(text);
    text = "";
    sum = crc32(bytes, sum);
    total.bytes += bytes.length;
    if (!deflate.write(bytes)) await new Promise((go) => deflate.once("drain", go));
  };
  const price = (v) => `${Math.floor(v / 10000)}.${String(v % 10000).padStart(4, "0")}`;
  for (let i = 0; total.bytes < wanted; i++) {
    const day = 10957 + (i % 6000);
    const open = 10000 + ((Math.imul(i, 2654435761) >>> 0) % 9_000_000);
    const high = open + (i % 977);
    const low = open - (i % 613);
    const close = open + (i % 331);
    const volume = (Math.imul(i, 40503) >>> 0) % 100_000_000;
    const ticker = `T${1000 + Math.floor(i / 6000)}`;
    const date = new Date(day * 86_400_000).toISOString().slice(0, 10);
    text += `${ticker},${date},${price(open)},${price(high)},${price(low)},${price(close)},${volume},${price(close)},${price(close)},2024-02-29\n`;
    const { sums: s } = total;
    total.rows++;
    s.tickers += ticker.length;
    s.days += day;
    s.open += BigInt(open);
    s.high += BigInt(high);
    s.low += BigInt(low);
    s.close += BigInt(close);
    s.volume += BigInt(volume);
    s.closeadj += BigInt(close);
    s.closeunadj += BigInt(close);
    s.updated += 19782;
    if (text.length > 1 << 20) await flush();
  }
  await flush();
  deflate.end();
  await written;
  const size = Buffer.alloc(12);
  size.writeUInt32LE(sum >>> 0, 0);
  size.writeUInt32LE(compressed, 4);
  size.writeUInt32LE(total.bytes, 8);
  const descriptor = Buffer.concat([Buffer.from("PK\x07\x08", "latin1"), size]);
  const central = Buffer.alloc(46);
  central.write("PK\x01\x02", "latin1");
  central.writeUInt16LE(20, 4);
  local.copy(central, 6, 4, 14);
  size.copy(central, 16);
  central.writeUInt16LE(name.length, 28);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(46 + name.length, 12);
  end.writeUInt32LE(30 + name.length + compressed + descriptor.length, 16);
  file.end(Buffer.concat([descriptor, central, name, end]));
  await new Promise((go) => file.once("close", go));
  return { ...total, sums: plain(total.sums) };
}

function plain(object) {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, String(value)]));
}
function mb(bytes) {
  return Math.round(bytes / 1e6);
}

async function serveArchive(path) {
  const { size } = statSync(path);
  let cuts = 0;
  const answer = (response, body) => response.setHeader("content-type", "application/json").end(JSON.stringify(body));
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://x");
    if (pathname.includes("/metadata")) {
      const nothing = { refreshed_at: null, status: null, expected_at: null, update_frequency: null };
      return answer(response, {
        datatable: {
          vendor_code: "V",
          datatable_code: "T",
          name: "T",
          description: null,
          columns,
          filters: [],
          primary_key: [],
          premium: true,
          status: nothing,
        },
      });
    }
    if (!pathname.startsWith("/files")) {
      const link = `http://${request.headers.host}/files/T.zip`;
      const file = { link, status: "fresh", data_snapshot_time: "2024-03-01 00:00:00 UTC" };
      return answer(response, {
        datatable_bulk_download: { file, datatable: { last_refreshed_time: "2024-02-29 00:00:00 UTC" } },
      });
    }
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0);
    response.writeHead(from > 0 ? 206 : 200, {
      etag: '"one"',
      "content-length": size - from,
      ...(from > 0 ? { "content-range": `bytes ${from}-${size - 1}/${size}` } : {}),
    });
    const last = Math.min(size, from + CUT) - 1;
    createReadStream(path, { start: from, end: last })
      .on("end", () => {
        if (last === size - 1) return response.end();
        cuts++;
        setTimeout(() => request.socket.destroy(), 20);
      })
      .pipe(response, { end: false });
  });
  await new Promise((go) => server.listen(0, "127.0.0.1", go));
  return { server, cuts: () => cuts };
}

async function sums(path) {
  const { DuckDBInstance } = await import("@duckdb/node-api");
  const connection = await (await DuckDBInstance.create()).connect();
  const scaled = (column) => `sum(cast(${column} * 10000 as hugeint)) as ${column}`;
  const result =
    await connection.runAndReadAll(`select sum(length(ticker)) as tickers, sum(date_diff('day', date '1970-01-01', date)) as days,
    ${["open", "high", "low", "close"].map(scaled).join(", ")}, sum(cast(volume as hugeint)) as volume, ${scaled("closeadj")}, ${scaled("closeunadj")},
    sum(date_diff('day', date '1970-01-01', lastupdated)) as updated from read_parquet('${path}')`);
  return plain(result.getRowObjects()[0]);
}
