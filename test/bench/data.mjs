// Seeded data for the benchmarks, made once into bench-data/ (git-ignored). Every file is the same on every machine.
import {
  closeSync,
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  openSync,
  renameSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { createGzip } from "node:zlib";
import yazl from "yazl";

export const folder = process.env.ARROWBOOK_BENCH ?? fileURLToPath(new URL("../../bench-data", import.meta.url));

/** Xorshift: the same numbers for the same seed. */
function random(seed) {
  let x = seed | 0 || 1;
  return () => {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return (x >>> 0) / 4294967296;
  };
}

const price = "BigDecimal(15,4)";
export const PRICE_COLUMNS = [
  { name: "ticker", type: "String" },
  { name: "date", type: "Date" },
  ...["open", "high", "low", "close"].map((name) => ({ name, type: price })),
  { name: "volume", type: "BigDecimal(15,3)" },
  { name: "closeadj", type: price },
  { name: "closeunadj", type: price },
  { name: "lastupdated", type: "Date" },
];

const DAY = 86_400_000;
const iso = (days) => new Date(days * DAY).toISOString().slice(0, 10);
const days = Array.from({ length: 9000 }, (_, i) => iso(10_227 + i)).filter((_, i) => ((10_227 + i + 4) % 7) % 6 !== 0);

/** One row of the price table after another, as cells; `rows` in all, `span` of each ticker. */
export function* priceRows(rows, seed = 7, span = 2500) {
  const next = random(seed);
  for (let n = 0, t = 0; n < rows; t++) {
    let ticker = "";
    for (let k = t * 37 + 11, i = 0; i < 2 + (t % 4); i++, k = (k * 7 + 5) % 100_003)
      ticker += String.fromCharCode(65 + (k % 26));
    let close = 5 + next() * 200;
    const factor = 0.2 + next() * 0.8;
    const start = Math.floor(next() * (days.length - span));
    for (let d = 0; d < span && n < rows; d++, n++) {
      const open = close * (1 + (next() - 0.5) * 0.01);
      close = Math.max(0.5, close * (1 + (next() - 0.5) * 0.04));
      const high = Math.max(open, close) * (1 + next() * 0.01);
      const low = Math.min(open, close) * (1 - next() * 0.01);
      const volume = Math.floor(next() * next() * 2e7);
      yield [
        ticker + t,
        days[start + d],
        short(open),
        short(high),
        short(low),
        short(close),
        `${volume}.0`,
        short(close * factor),
        short(close),
        "2024-03-01",
      ];
    }
  }
}

/** A price as services write it: two to four places, no zeros at the end but one. */
function short(x) {
  const text = x.toFixed(x < 20 ? 4 : 2).replace(/0+$/, "");
  return text.endsWith(".") ? `${text}0` : text;
}

function writeText(path, header, rows, line) {
  const part = `${path}.part`;
  const fd = openSync(part, "w");
  let text = `${header}`;
  for (const row of rows) {
    text += line(row);
    if (text.length > 4_000_000) {
      writeSync(fd, text);
      text = "";
    }
  }
  writeSync(fd, text);
  closeSync(fd);
  renameSync(part, path);
}

const made = (file, make) => {
  const path = join(folder, file);
  mkdirSync(folder, { recursive: true });
  if (!existsSync(path)) {
    process.stderr.write(`making ${file} …\n`);
    make(path);
  }
  return path;
};

const comma = (row) => `${row.join(",")}\n`;
const header = (columns) => `${columns.map((column) => column.name).join(",")}\n`;

export const PRICE_ROWS = Number(process.env.ARROWBOOK_BENCH_ROWS ?? 5_000_000);

export const prices = () =>
  made(`prices-${PRICE_ROWS}.csv`, (path) => writeText(path, header(PRICE_COLUMNS), priceRows(PRICE_ROWS), comma));

/** The variants are a fifth as long. */
export const quoted = () =>
  made(`quoted-${PRICE_ROWS / 5}.csv`, (path) =>
    writeText(path, header(PRICE_COLUMNS), priceRows(PRICE_ROWS / 5), (row) => `"${row.join('","')}"\n`),
  );
export const crlf = () =>
  made(`crlf-${PRICE_ROWS / 5}.csv`, (path) =>
    writeText(path, header(PRICE_COLUMNS), priceRows(PRICE_ROWS / 5), (row) => `${row.join(",")}\r\n`),
  );
export const plain = () =>
  made(`plain-${PRICE_ROWS / 5}.csv`, (path) =>
    writeText(path, header(PRICE_COLUMNS), priceRows(PRICE_ROWS / 5), comma),
  );

const words =
  'the of market rose fell on strong earnings after report a quarter revenue analysts expected "upgrade" Nasdaq, guidance'.split(
    " ",
  );
export const TEXT_COLUMNS = [
  { name: "id", type: "Integer" },
  { name: "ticker", type: "String" },
  { name: "headline", type: "Text" },
  { name: "body", type: "Text" },
  { name: "source", type: "String" },
];

function* textRows(rows) {
  const next = random(11);
  const some = (n) => Array.from({ length: n }, () => words[Math.floor(next() * words.length)]).join(" ");
  const quote = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  for (let i = 0; i < rows; i++) {
    const body = `${some(20)}${i % 5 === 0 ? "\n" : " "}${some(12)}`;
    yield [
      i,
      `T${Math.floor(next() * 3000)}`,
      quote(some(8)),
      quote(body),
      ["wire", "blog", '"press"'].map(quote)[i % 3],
    ];
  }
}

export const textHeavy = () =>
  made(`text-${PRICE_ROWS / 10}.csv`, (path) =>
    writeText(path, header(TEXT_COLUMNS), textRows(PRICE_ROWS / 10), comma),
  );

export const WIDE_COLUMNS = [
  { name: "id", type: "Integer" },
  ...Array.from({ length: 200 }, (_, i) => ({ name: `c${i}`, type: i % 3 === 0 ? "double" : "BigDecimal(15,4)" })),
];

function* wideRows(rows) {
  const next = random(13);
  for (let i = 0; i < rows; i++)
    yield [i, ...Array.from({ length: 200 }, () => (next() < 0.1 ? "" : short(next() * 1000)))];
}

export const wide = () =>
  made(`wide-${PRICE_ROWS / 100}.csv`, (path) =>
    writeText(path, header(WIDE_COLUMNS), wideRows(PRICE_ROWS / 100), comma),
  );

/** A JSON cell of a column type. */
const literal = (cell, type) => (cell === "" ? "null" : /^(?:Big|double|Int)/.test(type) ? cell : JSON.stringify(cell));

/** Writes a page of the price table as the service replies. */
function writePage(path, rows) {
  const lines = rows.map((row) => `[${row.map((cell, i) => literal(cell, PRICE_COLUMNS[i].type)).join(",")}]`);
  writeFileSync(
    path,
    `{"datatable":{"data":[${lines.join(",")}],"columns":${JSON.stringify(PRICE_COLUMNS)}},"meta":{"next_cursor_id":null}}`,
  );
}

/** One page of 10,000 rows, ticker after ticker. */
export const jsonPage = () => made("page.json", (path) => writePage(path, [...priceRows(10_000, 5)]));

/** One page of 10,000 rows, day after day: another ticker, and prices of another size, in each row. */
export const jsonPageByDay = () =>
  made("page-by-day.json", (path) => {
    const tickers = 400;
    const rows = [...priceRows(10_000, 9, 10_000 / tickers)].map((row, i) => [i % 25, row]);
    // The days of the first ticker for all of them.
    for (const [day, row] of rows) row[1] = rows[day][1][1];
    writePage(
      path,
      rows.sort(([a], [b]) => a - b).map(([, row]) => row),
    );
  });

/** A dataset reply of 40,000 rows. */
export const jsonDataset = () =>
  made("dataset.json", (path) => {
    const names = ["Date", "Open", "High", "Low", "Close", "Volume"];
    const next = random(3);
    const rows = Array.from({ length: 40_000 }, (_, i) => {
      const close = 50 + next() * 100;
      return `["${iso(20_000 - i)}",${short(close * 0.99)},${short(close * 1.01)},${short(close * 0.98)},${short(close)},${Math.floor(next() * 1e7)}.0]`;
    });
    writeFileSync(
      path,
      `{"dataset_data":{"limit":null,"transform":null,"column_index":null,"column_names":${JSON.stringify(names)},"start_date":"${iso(20_000 - 39_999)}","end_date":"${iso(20_000)}","frequency":"daily","data":[${rows.join(",")}],"collapse":null,"order":"desc"}}`,
    );
  });

/** Where the price table is kept as a Parquet file. */
export const parquetFile = () => join(folder, `prices-${PRICE_ROWS}.parquet`);

export const megabytes = (path) => statSync(path).size / 1e6;

async function packed(source, file, pack) {
  const target = join(folder, file);
  if (existsSync(target)) return target;
  const path = source();
  process.stderr.write(`making ${file} …\n`);
  const part = `${target}.part`;
  await pack(path, part);
  renameSync(part, target);
  return target;
}

/** The price table, or several in a row under one header, as a zip archive of one deflated file, level 6. */
export const zipped = (times = 1) =>
  packed(prices, `prices-${PRICE_ROWS}${times === 1 ? "" : `x${times}`}.zip`, async (path, part) => {
    const zip = new yazl.ZipFile();
    const skip = header(PRICE_COLUMNS).length;
    const parts = async function* () {
      for (let i = 0; i < times; i++)
        yield* createReadStream(path, { start: i === 0 ? 0 : skip, highWaterMark: 1 << 20 });
    };
    zip.addReadStream(Readable.from(parts()), "PRICES.csv");
    zip.end();
    await pipeline(zip.outputStream, createWriteStream(part));
  });

/** The price table gzipped, for peers that read no zip. */
export const gzipped = () =>
  packed(prices, `prices-${PRICE_ROWS}.csv.gz`, (path, part) =>
    pipeline(createReadStream(path), createGzip({ level: 6 }), createWriteStream(part)),
  );

const clients = fileURLToPath(new URL("../clients/.venv/bin/python", import.meta.url));
/** The Python that runs pandas and polars: PYTHON, else that of test:clients, else the system's. */
export const python = process.env.PYTHON ?? (existsSync(clients) ? clients : "/usr/bin/python3");
