// One measurement in a process of its own: node stages.mjs STAGE FOLDER ROWS. Sends its result to the parent.
import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { COLUMNS, makeData } from "./data.mjs";
import { built, ENGINE, root } from "./settings.mjs";
import { bytesOf, cpuOf, measured, peakOf } from "./usage.mjs";

const [stage, folder, count, address] = process.argv.slice(2);
const rows = Number(count);
const at = (name) => join(folder, name);
const removed = (...names) => {
  for (const name of names) rmSync(at(name), { recursive: true, force: true });
};

/** The table's tickers begin with these, followed by the number of the copy. */
const COPY = 32_610;
const ticker = (copy) => `CCC${String(copy).padStart(4, "0")}`;
const copies = Math.max(1, Math.floor(rows / COPY));

/** Starts a script as the other side; its first message says that it is ready. */
async function other(script, args, options = {}) {
  const child = fork(script, args, options);
  const [ready] = await Promise.race([
    options.stdio === undefined ? once(child, "message") : once(child.stdout, "data"),
    once(child, "exit").then(([code]) => Promise.reject(new Error(`the other process ended with ${code}`))),
  ]);
  return { child, pid: child.pid, ready };
}

/** Runs `work` with the service in a child process and a client of it here. */
async function withService(work) {
  const { child, pid, ready } = await other(import.meta.filename, ["service", folder, count]);
  const { connect } = await built("index");
  const client = connect({ url: ready.url, apiKey: "sample", onProgress: false, timeouts: { response: 900_000 } });
  try {
    return await work(client.table("SCALE/PRICES"), pid);
  } finally {
    await client.close?.();
    child.disconnect();
    await once(child, "exit");
  }
}

const total = async (batches) => {
  let sum = 0;
  for await (const batch of batches) sum += batch.numRows;
  if (sum !== rows) throw new Error(`${sum} rows instead of ${rows}`);
};

const zipped = async () => (await built("index")).bulkFile(at("prices.zip"), { columns: COLUMNS });

const GROUP = (latest) => `SELECT ticker, count(*) AS n, ${latest}(close, date) AS newest, sum(close) AS total
  FROM prices WHERE date >= '2015-01-01' GROUP BY ticker ORDER BY total DESC LIMIT 10`;
const FIND = "SELECT * FROM prices WHERE ticker = $1 AND date >= '2024-01-01'";

/** Loads the zipped table into an engine, then asks it twice. */
async function loadAndQuery(engine, latest, place, pid) {
  const file = await zipped();
  const load = await measured(() => engine.load("prices", file.batches(), { key: ["ticker", "date"] }), pid);
  const group = await measured(async () => ({ found: (await engine.query(GROUP(latest))).numRows }), pid);
  const find = await measured(async () => ({ found: (await engine.query(FIND, [ticker(copies - 1)])).numRows }), pid);
  const read = await measured(() => total(engine.batches("SELECT * FROM prices")), pid);
  await engine.close();
  if (group.found !== 10 || find.found === 0) throw new Error("a query has another result");
  return { load: { ...load, disk: bytesOf(place) }, group, find, read };
}

/** The engine of ClickHouse in a process of its own, behind HTTP. */
async function chdb() {
  if (!existsSync(join(root, "test/clickhouse/node_modules/chdb"))) {
    throw new Error("needs npm ci --ignore-scripts --prefix test/clickhouse");
  }
  const script = join(root, "test/clickhouse/chdb-server.mjs");
  const options = { stdio: ["ignore", "pipe", "inherit", "ipc"] };
  const { child, pid, ready } = await other(script, [resolve(at("chdb"))], options);
  return {
    address: `http://default@127.0.0.1:${String(ready).trim()}/tests`,
    pid,
    async stop() {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
      removed("chdb");
    },
  };
}

const stages = {
  /** The Parquet file that the service offers. */
  data: async () => ({
    data: { ...(await measured(() => makeData(folder, rows))), disk: bytesOf(at("prices.parquet")) },
  }),

  /** The first start of the service: rows into its database, the key checked, texts counted. */
  async start() {
    removed("state.duckdb", "state.duckdb.wal", "state.duckdb.tmp", "state.duckdb.files");
    const { serve } = await built("server");
    const { duckdb } = await built("duckdb");
    const start = await measured(async () => {
      const engine = await duckdb(at("state.duckdb"), ENGINE);
      const service = await serve({ data: folder, engine });
      await service.close();
      await engine.close();
    });
    return { start: { ...start, disk: bytesOf(at("state.duckdb")) } };
  },

  /** Pages of 10,000 rows, one after the other. */
  pages: () =>
    withService(async (table, pid) => {
      let page;
      const first = await measured(async () => {
        page = await table.page();
      }, pid);
      const PAGES = 40;
      const next = await measured(async () => {
        for (let i = 0; i < PAGES; i++) page = await table.page(page.next);
      }, pid);
      for (const member of ["seconds", "cpu", "otherCpu"]) next[member] /= PAGES;
      return { firstPage: first, nextPage: next };
    }),

  /** The service's filters: one ticker, and one day of all tickers. */
  filters: () =>
    withService(async (table, pid) => {
      const TIMES = 10;
      await table.where({ ticker: ticker(0) }).frame();
      const one = await measured(async () => {
        let found = 0;
        for (let i = 0; i < TIMES; i++) {
          const frame = await table.where({ ticker: ticker(Math.floor(((i + 1) * (copies - 1)) / TIMES)) }).frame();
          found += frame.numRows;
        }
        return { found };
      }, pid);
      const day = await measured(
        async () => ({ found: (await table.where({ date: "2020-03-16" }).frame()).numRows }),
        pid,
      );
      for (const member of ["seconds", "cpu", "otherCpu", "found"]) one[member] /= TIMES;
      return { byTicker: one, byDay: day };
    }),

  /** The whole table by an export: made by the service, downloaded as the zip. */
  export() {
    removed("state.duckdb.files");
    return withService(async (table, pid) => {
      const made = await measured(
        () =>
          table
            .export()
            .saveZip(at("prices.zip"))
            .then(() => ({})),
        pid,
      );
      return { export: { ...made, disk: bytesOf(at("prices.zip")) } };
    });
  },

  /** The zip, batch by batch. */
  async batches() {
    const file = await zipped();
    return { batches: await measured(() => total(file.batches())) };
  },

  /** The zip as one Parquet file. */
  async parquet() {
    const file = await zipped();
    const written = await measured(() => file.toParquet(at("out.parquet")).then(() => ({})));
    const disk = bytesOf(at("out.parquet"));
    removed("out.parquet");
    return { parquet: { ...written, disk } };
  },

  /** The zip as a Frame, whole in memory. */
  async frame() {
    const file = await zipped();
    return { frame: await measured(async () => ({ found: (await file.frame()).numRows })) };
  },

  /** A mirror in a folder of one file a year: its first export, then a table that has not changed. */
  sync: () =>
    withService(async (table, pid) => {
      removed("mirror");
      const first = await measured(async () => {
        const copy = await table.mirror(at("mirror"), { by: "date:year" });
        if (copy.rows !== undefined && copy.rows !== rows) throw new Error(`${copy.rows} rows`);
      }, pid);
      return { syncFirst: { ...first, disk: bytesOf(at("mirror")) } };
    }),

  unchanged: () =>
    withService(async (table, pid) => {
      let change;
      const again = await measured(async () => {
        const copy = await table.mirror(at("mirror"), { by: "date:year" });
        ({ change } = await copy.sync());
      }, pid);
      if (change !== "none") throw new Error(`the copy changed: ${change}`);
      const open = await table.mirror(at("mirror"), { by: "date:year", load: false });
      const read = await measured(async () => ({
        found: (await open.frame({ columns: ["ticker", "close"], where: { date: "2020-03-16" } })).numRows,
      }));
      removed("mirror");
      return { syncUnchanged: again, mirrorDay: read };
    }),

  async duckdb() {
    removed("copy.duckdb", "copy.duckdb.wal");
    const { duckdb } = await built("duckdb");
    const engine = await duckdb(at("copy.duckdb"), ENGINE);
    const { load, group, find, read } = await loadAndQuery(engine, "arg_max", at("copy.duckdb"));
    removed("copy.duckdb", "copy.duckdb.wal", "copy.duckdb.tmp");
    return { duckdbLoad: load, duckdbGroup: group, duckdbFind: find, duckdbRead: read };
  },

  async clickhouse() {
    removed("chdb");
    const { clickhouse } = await built("clickhouse");
    const { address, pid, stop } = await chdb();
    try {
      const engine = await clickhouse(address);
      const { load, group, find, read } = await loadAndQuery(engine, "argMax", at("chdb"), pid);
      return { clickhouseLoad: load, clickhouseGroup: group, clickhouseFind: find, clickhouseRead: read };
    } finally {
      await stop();
    }
  },

  onClickhouse,
};

/** The service on ClickHouse: its first start, every page, an export; memory is that of the service alone. */
async function onClickhouse() {
  removed("chdb");
  const engine = await chdb();
  try {
    const { child, pid, ready } = await other(import.meta.filename, ["onEngine", folder, count, engine.address]);
    const side = async (work) => {
      const before = cpuOf(engine.pid);
      const { seconds, otherCpu, otherPeak, disk } = await measured(work, pid);
      return { seconds, cpu: otherCpu, peak: otherPeak, otherCpu: cpuOf(engine.pid) - before, disk };
    };
    const url = `${ready.url}/api/v3/datatables/SCALE/PRICES`;
    let cursor = "";
    const page = async () => {
      const reply = await fetch(`${url}.csv?api_key=sample${cursor === "" ? "" : `&qopts.cursor_id=${cursor}`}`);
      if (!reply.ok) throw new Error(await reply.text());
      cursor = reply.headers.get("cursor_id");
      // Without the header line.
      const bytes = new Uint8Array(await reply.arrayBuffer());
      let lines = -1;
      for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) lines++;
      return lines;
    };
    const PAGES = 20;
    const last = Math.ceil(rows / 10_000);
    const middle = Math.floor(last / 2);
    const pages = {};
    let found = 0;
    for (let from = 0; from < last; ) {
      const named = { 0: "firstPages", [middle]: "middlePages", [last - PAGES]: "lastPages" }[from];
      const next = [PAGES, middle, middle + PAGES, last - PAGES, last].find((at) => at > from);
      const some = await side(async () => {
        for (; from < next; from++) found += await page();
        return {};
      });
      if (named === undefined) continue;
      for (const member of ["seconds", "cpu", "otherCpu"]) some[member] /= PAGES;
      pages[named] = some;
    }
    if (found !== rows || cursor) throw new Error(`${found} rows in ${last} pages`);
    const exported = await side(async () => {
      let file;
      while (!file?.link) {
        const reply = await (await fetch(`${url}.json?api_key=sample&qopts.export=true`)).json();
        if (!reply.datatable_bulk_download) throw new Error(JSON.stringify(reply));
        ({ file } = reply.datatable_bulk_download);
        await new Promise((wake) => setTimeout(wake, 200));
      }
      const { headers } = await fetch(file.link, { method: "HEAD" });
      return { disk: Number(headers.get("content-length")) };
    });
    child.disconnect();
    await once(child, "exit");
    return {
      start: { ...ready.start, engineDisk: bytesOf(at("chdb")), enginePeak: peakOf(engine.pid) },
      ...pages,
      export: exported,
    };
  } finally {
    await engine.stop();
  }
}

/** The service of that stage, on the engine at an address. */
async function onEngine(address) {
  const { serve } = await built("server");
  const { clickhouse } = await built("clickhouse");
  const engine = await clickhouse(address);
  let running;
  const start = await measured(async () => {
    running = await serve({ data: folder, engine, maxResultRows: rows, replyCacheBytes: 0 });
    return {};
  });
  process.on("disconnect", async () => {
    await running.close();
    await engine.close();
    process.exit();
  });
  process.send({ url: running.url, start });
}

/** The service of the other stages. */
async function service() {
  const { serve } = await built("server");
  const running = await serve({ data: folder, database: at("state.duckdb"), maxResultRows: rows, replyCacheBytes: 0 });
  process.on("disconnect", async () => {
    await running.close();
    process.exit();
  });
  process.send({ url: running.url });
}

if (stage === "service") await service();
else if (stage === "onEngine") await onEngine(address);
else {
  process.send(await stages[stage]());
  process.disconnect();
}
