import { type Data, Decimal, makeData, type RecordBatch, type Schema, Table } from "../../columns/arrow/arrow.js";
import { recordBatch } from "../../columns/arrow/record-batch.js";
import { schemaOf } from "../../columns/arrow/schema.js";
import { parseDate } from "../../value/date.js";
import type { Catalog, DatasetEntry } from "./catalog.js";

/** Prices are computed in ten-thousandths, so that the table's decimals and the series' doubles are equal. */
const UNITS = 10_000;

const FIRST = "2000-01-03";
const LAST = "2024-12-31";

/**
 * Each instrument: its initial price (in ten-thousandths), daily drift and volatility (in millionths), and typical
 * volume.
 */
const INSTRUMENTS = [
  { code: "AAA", start: 250_000, drift: 320, swing: 9_000, volume: 4_000_000 },
  { code: "BBB", start: 1_200_000, drift: 180, swing: 14_000, volume: 900_000 },
  { code: "CCC", start: 48_000, drift: 260, swing: 21_000, volume: 12_000_000 },
  { code: "DDD", start: 760_000, drift: 40, swing: 7_000, volume: 300_000 },
  { code: "EEE", start: 3_050_000, drift: -30, swing: 17_000, volume: 1_500_000 },
] as const;

const NAMES = ["Date", "Open", "High", "Low", "Close", "Volume"] as const;
const REFRESHED = "2025-01-02T06:00:00Z";

/** The catalogue entries of the seeded instruments, which have no files. */
export function marketCatalog(): Catalog {
  const dataset = ({ code }: { code: string }, i: number): DatasetEntry => ({
    id: 401 + i,
    dataset_code: code,
    name: `${code}, seeded daily prices, not real`,
    description: `Prices of an instrument that does not exist, made from a fixed seed, each business day from ${FIRST} to ${LAST}.`,
    frequency: "daily",
    type: "Time Series",
    refreshed_at: REFRESHED,
    columns: [...NAMES],
  });
  return {
    databases: [
      {
        id: 4,
        database_code: "MARKET",
        name: "Seeded market prices, not real",
        description:
          "Five instruments that do not exist: business-daily prices made from a fixed seed (seeded, not real).",
        premium: true,
        downloads: 0,
        image: null,
        datasets: INSTRUMENTS.map(dataset),
      },
    ],
    tables: [
      {
        vendor_code: "MARKET",
        datatable_code: "PRICES",
        name: "Seeded market prices, not real",
        description: "The five series of the database MARKET as one table: made from a fixed seed (seeded, not real).",
        columns: [
          { name: "ticker", type: "String" },
          { name: "date", type: "Date" },
          ...["open", "high", "low", "close"].map((name) => ({ name, type: "BigDecimal(15,4)" })),
          { name: "volume", type: "BigDecimal(20,0)" },
        ],
        filters: ["ticker", "date"],
        primary_key: ["ticker", "date"],
        premium: true,
        status: { refreshed_at: REFRESHED, status: "ON TIME", expected_at: "*", update_frequency: "DAILY" },
      },
    ],
  };
}

/** The rows of one series: date, then five doubles. `code` must be in the catalogue. */
export function marketSeries(code: string): Table {
  const days = walk(INSTRUMENTS.findIndex((instrument) => instrument.code === code));
  const schema = schemaOf(NAMES.map((name) => ({ name, type: name === "Date" ? "Date" : "double" })));
  const prices = [days.open, days.high, days.low, days.close].map((units) => units.map((unit) => unit / UNITS));
  return new Table(schema, [batchOf(schema, days.date.length, [days.date, ...prices, days.volume])]);
}

export function marketPrices(): Table {
  const { columns } = marketCatalog().tables[0];
  const schema = schemaOf(columns, { text: "utf8" });
  const batches = INSTRUMENTS.map((_, i) => {
    const { code, date, open, high, low, close, volume } = walk(i);
    return batchOf(schema, date.length, [code, date, open, high, low, close, volume]);
  });
  return new Table(schema, batches);
}

function batchOf(
  schema: Schema,
  length: number,
  columns: readonly (string | Int32Array | Float64Array)[],
): RecordBatch {
  const children = columns.map((values, i): Data => {
    const { type } = schema.fields[i];
    if (typeof values !== "string") {
      const data = type instanceof Decimal ? words(values as Float64Array) : values;
      return makeData({ type, length, nullCount: 0, data } as never);
    }
    const valueOffsets = Int32Array.from({ length: length + 1 }, (_, row) => row * values.length);
    const data = new TextEncoder().encode(values.repeat(length));
    return makeData({ type, length, nullCount: 0, valueOffsets, data } as never);
  });
  return recordBatch(schema, children, length);
}

/** Converts nonnegative integers of up to 53 bits to the 128-bit words of a decimal. */
function words(values: Float64Array): Uint32Array {
  const out = new Uint32Array(values.length * 4);
  for (let i = 0; i < values.length; i++) {
    out[4 * i] = values[i] >>> 0;
    out[4 * i + 1] = Math.floor(values[i] / 2 ** 32);
  }
  return out;
}

/**
 * A random walk in integers, so that all machines compute the same prices: each step is a fraction of the price in
 * millionths, truncated to ten-thousandths; all products stay below 2^53. Dates are days since 1970-01-01.
 */
function walk(index: number) {
  const { code, start, drift, swing, volume } = INSTRUMENTS[index];
  const next = uniform(0x9e3779b9 + index);
  const date = businessDays();
  const column = () => new Float64Array(date.length);
  const days = { code, date, open: column(), high: column(), low: column(), close: column(), volume: column() };
  let price: number = start;
  for (let i = 0; i < date.length; i++) {
    const open = moved(price, centred(next, swing >> 2));
    const close = moved(open, drift + centred(next, swing));
    days.open[i] = open;
    days.close[i] = close;
    days.high[i] = moved(Math.max(open, close), next(swing >> 1));
    days.low[i] = moved(Math.min(open, close), -next(swing >> 1));
    days.volume[i] = Math.floor(volume / 2) + next(volume);
    price = close;
  }
  return days;
}

/** One cent, so that a falling walk does not reach zero. */
const FLOOR = 100;

function moved(price: number, millionths: number): number {
  return Math.max(FLOOR, price + Math.trunc((price * millionths) / 1_000_000));
}

/** The sum of four draws, so that small steps are more likely; between -2 and 2 times `swing`. */
function centred(next: (below: number) => number, swing: number): number {
  return next(swing) + next(swing) + next(swing) + next(swing) - 2 * swing;
}

/** Integers from 0 to below `below` (xorshift, 32 bits). */
function uniform(seed: number): (below: number) => number {
  let state = seed | 0;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

/** Monday to Friday from the first day to the last, in days from 1970-01-01 (a Thursday). */
function businessDays(): Int32Array {
  const days: number[] = [];
  for (let day = parseDate(FIRST); day <= parseDate(LAST); day++) if ((day + 3) % 7 < 5) days.push(day);
  return Int32Array.from(days);
}
