// What is measured: each contender does one job on the same bytes and gives the number of rows (or bytes) it saw.

import { execFileSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { createRequire, syncBuiltinESMExports } from "node:module";
import os, { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { createInflateRaw } from "node:zlib";
import * as data from "./data.mjs";

const MB = 1 << 20;
const arrowbook = () => import("../../dist/esm/index.js");
/** Reads as a machine of one processor does: the package asks once, at its import, and each contender has a process. */
const onOneThread = (read) => {
  os.availableParallelism = () => 1;
  syncBuiltinESMExports();
  return read();
};
const polars = async () => (await import("nodejs-polars")).default;
const columns = data.PRICE_COLUMNS;

/** The deflated bytes of the one entry, in 1 MB reads. */
function* deflated(zip) {
  const file = openSync(zip, "r");
  const { size } = fstatSync(file);
  const head = Buffer.alloc(30);
  readSync(file, head, 0, 30, 0);
  // Nothing is known of the entry's end here: inflating stops by itself.
  for (let at = 30 + head.readUInt16LE(26) + head.readUInt16LE(28); at < size; ) {
    const block = Buffer.allocUnsafeSlow(Math.min(MB, size - at));
    at += readSync(file, block, 0, block.length, at);
    yield block;
  }
  closeSync(file);
}

/** The bare inflate that everything from a zip is measured against: 1 MB reads, 1 MB chunks, nothing else done. */
async function* inflated(zip) {
  const inflate = createInflateRaw({ chunkSize: MB, readableHighWaterMark: 4 * MB });
  const input = Readable.from(deflated(zip), { objectMode: true, highWaterMark: 1 });
  input.pipe(inflate);
  try {
    for await (const chunk of inflate) yield chunk;
  } finally {
    inflate.destroy();
    input.destroy();
  }
}

async function duckdb(sql) {
  const { DuckDBInstance } = await import("@duckdb/node-api");
  const instance = await DuckDBInstance.create(":memory:", { threads: String(availableParallelism()) });
  const connection = await instance.connect();
  await connection.run(sql);
  const rows = Number((await connection.runAndReadAll("select count(*) from t")).getRows()[0][0]);
  connection.closeSync();
  instance.closeSync();
  return rows;
}

const DUCKDB_TYPES = {
  String: "VARCHAR",
  Date: "DATE",
  "BigDecimal(15,4)": "DECIMAL(15,4)",
  "BigDecimal(15,3)": "DECIMAL(15,3)",
};
const duckdbCsv = (path) =>
  `create table t as select * from read_csv('${path}', header = true, auto_detect = false, columns = {${columns.map(({ name, type }) => `${name}: '${DUCKDB_TYPES[type]}'`).join(", ")}})`;

export const hasPandas = () => {
  try {
    execFileSync(data.python, ["-c", "import pandas"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};
/** Timed inside Python, so that neither its start nor the import counts. */
const pandas = (path) => {
  const code = `import json, resource, time, pandas
start = time.perf_counter()
pandas.read_csv(${JSON.stringify(path)}, parse_dates=["date", "lastupdated"])
ms = (time.perf_counter() - start) * 1000
print(json.dumps({"ms": ms, "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}))`;
  return JSON.parse(execFileSync(data.python, ["-c", code]).toString());
};

async function batchRows(file) {
  let rows = 0;
  for await (const batch of file.batches()) rows += batch.numRows;
  return rows;
}

const page = () => readFileSync(data.jsonPage());
const pageByDay = () => readFileSync(data.jsonPageByDay());
const dataset = () => readFileSync(data.jsonDataset());

/** Runs a short job often enough to be timed: the median of 200 runs, in milliseconds. */
const often = (job) => {
  const times = [];
  for (let i = 0; i < 260; i++) {
    const start = performance.now();
    job();
    if (i >= 60) times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  return { ms: times[100] };
};

/** A text-heavy table as an Arrow stream: 1 million rows of two text columns, an integer and an exact price. */
async function textStream() {
  const { Frame } = await arrowbook();
  const lines = ["name,note,n,price"];
  for (let i = 0; i < 1_000_000; i++) lines.push(`name ${i % 977},note ${i} of row ${i * 7},${i},${i % 1000}.25`);
  const names = ["String", "String", "Integer", "BigDecimal(15,4)"];
  const spec = names.map((type, i) => ({ name: ["name", "note", "n", "price"][i], type }));
  return (await Frame.fromCSV(Buffer.from(`${lines.join("\n")}\n`), { columns: spec })).toIPC();
}

/** Reads every cell of an Arrow table. */
function readCells(table) {
  let present = 0;
  for (const column of table.schema.fields.map((_, i) => table.getChildAt(i))) {
    for (let row = 0; row < column.length; row++) if (column.get(row) !== null) present++;
  }
  return present;
}

/** Runs a job until it can be timed: the median of 15 runs, in milliseconds. */
const several = (job) => {
  const times = [];
  for (let i = 0; i < 20; i++) {
    const start = performance.now();
    job();
    if (i >= 5) times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  return { ms: times[7] };
};

const shape = (file, spec = columns) => ({
  bytes: () => statSync(file()).size,
  run: () => onOneThread(async () => (await (await arrowbook()).Frame.fromCSV(file(), { columns: spec })).numRows),
});

const parquet = () => join(tmpdir(), `arrowbook-bench-${process.pid}.parquet`);
process.once("exit", () => rmSync(parquet(), { force: true }));
const landed = async (written) => (await written).rows;

/** The table as a Parquet file, made once. */
async function prepared() {
  const path = data.parquetFile();
  if (!existsSync(path)) await (await arrowbook()).bulkFile(await data.zipped(), { columns }).toParquet(path);
  return path;
}

const decimal = (precision, scale) => ({ type: "INT64", converted_type: "DECIMAL", precision, scale });
const LEAVES = {
  String: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  Date: { type: "INT32", converted_type: "DATE" },
  "BigDecimal(15,4)": decimal(15, 4),
  "BigDecimal(15,3)": decimal(15, 3),
};

/** A column of a batch without nulls as the library's writer takes it. */
function physical(column, type) {
  const { values, length, dictionary } = column;
  if (type === "Date") return values.subarray(0, length);
  if (type === "String") {
    const words = [...dictionary];
    return Array.from({ length }, (_, i) => words[values[i]]);
  }
  const out = new BigInt64Array(length);
  const words = new Uint32Array(out.buffer);
  for (let i = 0; i < length; i++) words.set(values.subarray(4 * i, 4 * i + 2), 2 * i);
  return out;
}

/** Groups of contenders; the first of a group is what the others are compared with. */
export const groups = {
  zip: {
    title: "A zipped table export",
    contenders: {
      "bare inflate (1 MB reads)": {
        run: async () => {
          let size = 0;
          for await (const chunk of inflated(await data.zipped())) size += chunk.length;
          return size;
        },
      },
      "arrowbook: batches, exact, CRC checked": {
        run: async () => batchRows((await arrowbook()).bulkFile(await data.zipped(), { columns })),
      },
      "arrowbook: Frame.fromZip, exact": {
        run: async () => (await (await arrowbook()).Frame.fromZip(await data.zipped(), { columns })).numRows,
      },
      "inflate, then polars (floats)": {
        run: async () => {
          const chunks = [];
          for await (const chunk of inflated(await data.zipped())) chunks.push(chunk);
          return (await polars()).readCSV(Buffer.concat(chunks), { tryParseDates: true }).height;
        },
      },
      "DuckDB, the same bytes gzipped, DECIMAL": { run: async () => duckdb(duckdbCsv(await data.gzipped())) },
      "pandas read_csv of the zip (floats)": { when: hasPandas, run: async () => pandas(await data.zipped()) },
    },
  },
  csv: {
    title: "The same table, not zipped",
    contenders: {
      "polars (floats, all threads)": {
        run: async () => (await polars()).readCSV(data.prices(), { tryParseDates: true }).height,
      },
      "arrowbook: decimals float64, all threads": {
        run: async () =>
          (await (await arrowbook()).Frame.fromCSV(data.prices(), { columns, decimals: "float64" })).numRows,
      },
      "arrowbook: exact, all threads": {
        run: async () => (await (await arrowbook()).Frame.fromCSV(data.prices(), { columns })).numRows,
      },
      "arrowbook: exact, one thread": {
        run: () =>
          onOneThread(async () => (await (await arrowbook()).Frame.fromCSV(data.prices(), { columns })).numRows),
      },
      "DuckDB (DECIMAL, all threads)": { run: async () => duckdb(duckdbCsv(data.prices())) },
      "pandas (floats)": { when: hasPandas, run: async () => pandas(data.prices()) },
    },
  },
  javascript: {
    title: "JavaScript readers, a fifth of the table",
    contenders: {
      "arrowbook: exact columns, one thread": shape(data.plain),
      "uDSV: typed columns": {
        run: async () => {
          const { inferSchema, initParser } = await import("udsv");
          const text = readFileSync(data.plain(), "utf8");
          return initParser(inferSchema(text)).typedCols(text)[0].length;
        },
      },
      "papaparse: strings": {
        run: async () => {
          const Papa = (await import("papaparse")).default;
          return Papa.parse(readFileSync(data.plain(), "utf8"), { header: false }).data.length - 1;
        },
      },
      "csv-parse: strings": {
        run: async () => (await import("csv-parse/sync")).parse(readFileSync(data.plain())).length - 1,
      },
      "danfojs readCSV": {
        runs: 1,
        run: async () => (await createRequire(import.meta.url)("danfojs-node").readCSV(data.plain())).shape[0],
      },
    },
  },
  shapes: {
    title: "Other shapes of CSV, exact, one thread",
    perByte: true,
    contenders: {
      plain: shape(data.plain),
      "every field quoted": shape(data.quoted),
      CRLF: shape(data.crlf),
      "text-heavy, quotes and line breaks": shape(data.textHeavy, data.TEXT_COLUMNS),
      "201 columns": shape(data.wide, data.WIDE_COLUMNS),
    },
  },
  json: {
    title: "One JSON page of 10,000 rows",
    contenders: {
      "JSON.parse alone (loses digits)": {
        run: async () => {
          const bytes = page();
          return often(() => JSON.parse(bytes.toString()));
        },
      },
      "arrowbook: Frame.fromJSON, exact": {
        run: async () => {
          const { Frame } = await arrowbook();
          const bytes = page();
          return often(() => Frame.fromJSON(bytes));
        },
      },
      "arrowbook: Frame.fromJSON, float64": {
        run: async () => {
          const { Frame } = await arrowbook();
          const bytes = page();
          return often(() => Frame.fromJSON(bytes, { decimals: "float64" }));
        },
      },
      "JSON.parse alone, keys changing": {
        run: async () => {
          const bytes = pageByDay();
          return often(() => JSON.parse(bytes.toString()));
        },
      },
      "arrowbook: Frame.fromJSON, exact, keys changing": {
        run: async () => {
          const { Frame } = await arrowbook();
          const bytes = pageByDay();
          return often(() => Frame.fromJSON(bytes));
        },
      },
      "JSON.parse and Arrow's tableFromJSON": {
        run: async () => {
          const { tableFromJSON } = await import("apache-arrow");
          const bytes = page();
          const start = performance.now();
          const { datatable } = JSON.parse(bytes.toString());
          const names = datatable.columns.map((column) => column.name);
          tableFromJSON(datatable.data.map((row) => Object.fromEntries(row.map((cell, i) => [names[i], cell]))));
          return { ms: performance.now() - start };
        },
      },
    },
  },
  dataset: {
    title: "One dataset reply of 40,000 rows",
    contenders: {
      "JSON.parse alone": {
        run: async () => {
          const bytes = dataset();
          return often(() => JSON.parse(bytes.toString()));
        },
      },
      "arrowbook: Frame.fromJSON": {
        run: async () => {
          const { Frame } = await arrowbook();
          const bytes = dataset();
          return often(() => Frame.fromJSON(bytes));
        },
      },
    },
  },
  ipc: {
    title: "An Arrow stream of a million rows, text-heavy, from memory",
    contenders: {
      "apache-arrow: tableFromIPC, every cell read": {
        run: async () => {
          const { tableFromIPC } = await import("apache-arrow");
          const bytes = await textStream();
          return several(() => readCells(tableFromIPC(bytes)));
        },
      },
      "apache-arrow: tableFromIPC, nothing checked": {
        run: async () => {
          const { tableFromIPC } = await import("apache-arrow");
          const bytes = await textStream();
          return often(() => tableFromIPC(bytes));
        },
      },
      "arrowbook: Frame.fromArrow of bytes, everything checked": {
        run: async () => {
          const { Frame } = await arrowbook();
          const bytes = await textStream();
          return often(() => Frame.fromArrow(bytes));
        },
      },
    },
  },
  parquet: {
    title: "The zipped table into a Parquet file",
    contenders: {
      "arrowbook: toParquet, exact, one batch in memory": {
        run: async () => landed((await arrowbook()).bulkFile(await data.zipped(), { columns }).toParquet(parquet())),
      },
      "DuckDB, the same bytes gzipped, COPY": {
        run: async () => duckdb(`${duckdbCsv(await data.gzipped())}; copy t to '${parquet()}' (format parquet)`),
      },
      "inflate, then polars (floats)": {
        run: async () => {
          const chunks = [];
          for await (const chunk of inflated(await data.zipped())) chunks.push(chunk);
          const frame = (await polars()).readCSV(Buffer.concat(chunks), { tryParseDates: true });
          frame.writeParquet(parquet());
          return frame.height;
        },
      },
      "arrowbook's batches, then hyparquet-writer": {
        runs: 1,
        run: async () => {
          const file = (await arrowbook()).bulkFile(await data.zipped(), { columns });
          const { ByteWriter, ParquetWriter } = await import("hyparquet-writer");
          const bytes = new ByteWriter();
          const out = openSync(parquet(), "w");
          const flush = () => {
            writeSync(out, bytes.getBytes());
            bytes.index = 0;
          };
          const leaves = columns.map(({ name, type }) => ({ name, repetition_type: "OPTIONAL", ...LEAVES[type] }));
          const schema = [{ name: "root", num_children: leaves.length }, ...leaves];
          const writer = new ParquetWriter({ writer: Object.assign(bytes, { flush }), schema });
          let rows = 0;
          for await (const batch of file.batches()) {
            const columnData = columns.map(({ name, type }, i) => ({
              name,
              data: physical(batch.data.children[i], type),
            }));
            await writer.write({ columnData, rowGroupSize: batch.numRows });
            rows += batch.numRows;
          }
          await writer.finish();
          flush();
          closeSync(out);
          return rows;
        },
      },
    },
  },
  readParquet: {
    title: "A Parquet file into a table",
    contenders: {
      "arrowbook: Frame.fromParquet, exact": {
        run: async () => (await (await arrowbook()).Frame.fromParquet(await prepared())).numRows,
      },
      "DuckDB, into a table of its own": {
        run: async () => duckdb(`create table t as from read_parquet('${await prepared()}')`),
      },
      polars: { run: async () => (await polars()).readParquet(await prepared()).height },
      "arrowbook: 2 of 10 columns, exact": {
        run: async () => {
          const { Frame } = await arrowbook();
          return (await Frame.fromParquet(await prepared(), { columns: ["date", "close"] })).numRows;
        },
      },
      "polars: 2 of 10 columns": {
        run: async () => (await polars()).readParquet(await prepared(), { columns: ["date", "close"] }).height,
      },
      "hyparquet, rows of objects (decimals as doubles)": {
        runs: 1,
        run: async () => {
          const { asyncBufferFromFile, parquetReadObjects } = await import("hyparquet");
          return (await parquetReadObjects({ file: await asyncBufferFromFile(await prepared()) })).length;
        },
      },
    },
  },
  memory: {
    title: "Zip to an Arrow stream on disk",
    contenders: Object.fromEntries(
      [1, 4].map((times) => [
        `${times === 1 ? "the table" : "four times the table"}: toArrow`,
        {
          runs: 1,
          run: async () => {
            const out = join(tmpdir(), `arrowbook-bench-${process.pid}.arrow`);
            const zip = await data.zipped(times);
            const { bulkFile } = await arrowbook();
            await bulkFile(zip, { columns }).toArrow(out);
            const { size } = statSync(out);
            rmSync(out);
            return size;
          },
        },
      ]),
    ),
  },
  import: {
    title: "Importing the package",
    contenders: {
      'import "apache-arrow"': { runs: 1, run: () => imported("apache-arrow") },
      'import "arrowbook"': { runs: 1, run: () => imported("../../dist/esm/index.js") },
    },
  },
};

async function imported(name) {
  const start = performance.now();
  await import(name);
  return { ms: performance.now() - start };
}

export const missing = (contender) => contender.when !== undefined && !contender.when();
