import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { connect } from "../../src/client/service.js";
import { cases, casesFolder } from "../cases.js";

/* The client against whole answers of a real service, as they were recorded. */
const folder = cases("quandl-recorded");

if (!existsSync(folder)) console.info(`no recorded answers under ${casesFolder}: those tests did not run`);

/**
 * A recorded reply: status line without a version, headers, body; the file ends with one line end more than the body.
 */
const recorded = (name: string): Response => {
  const bytes = readFileSync(join(folder, "stock_calculator", name));
  const split = bytes.indexOf("\r\n\r\n");
  const [first, ...lines] = bytes.subarray(0, split).toString().split("\r\n");
  const headers = lines.map((line): [string, string] => [
    line.slice(0, line.indexOf(":")),
    line.slice(line.indexOf(":") + 1).trim(),
  ]);
  const length = headers.find(([key]) => key.toLowerCase() === "content-length")?.[1];
  const body = bytes.subarray(split + 4, length === undefined ? undefined : split + 4 + Number(length));
  return new Response(body, { status: Number(/\d{3}/.exec(first)?.[0]), headers });
};

const answering = (answer: (url: URL) => Response, asked: string[] = []) =>
  connect({
    url: "https://data.example.com",
    apiKey: "recorded-key-0123456789",
    profile: "nasdaqDataLink",
    warn: () => undefined,
    fetch: (async (address: string) => {
      asked.push(address);
      return answer(new URL(address));
    }) as typeof globalThis.fetch,
  });

const decimal = (precision: number, scale: number) => `BigDecimal(${precision},${scale})`;
const columns = [
  ["ticker", "String"],
  ["date", "Date"],
  ...["open", "high", "low", "close"].map((name) => [name, decimal(34, 12)]),
  ["volume", decimal(37, 15)],
  ["ex-dividend", decimal(42, 20)],
  ["split_ratio", "double"],
  ...["adj_open", "adj_high", "adj_low", "adj_close"].map((name) => [name, decimal(50, 28)]),
  ["adj_volume", "double"],
].map(([name, type]) => ({ name, type }));

describe.runIf(existsSync(folder))("quandl-recorded", () => {
  it.each([
    ["no_data.http", 0],
    ["ticker-AAPL_date-2017-11-22.http", 1],
    ["ticker-AAPL_date-2017-11-23_to_2017-11-30.http", 4],
  ])("%s: %i rows, every type, exact decimals", async (name, rows) => {
    const asked: string[] = [];
    const frame = await answering(() => recorded(name), asked)
      .table("WIKI/PRICES")
      .frame();
    expect(frame.numRows).toBe(rows);
    expect(frame.columns).toEqual(columns);
    expect(frame.source?.complete).toBe(true);
    // The API key goes in a header; the metadata, here not readable, is asked for the table's key.
    const table = "https://data.example.com/api/v3/datatables/WIKI/PRICES";
    expect(asked).toEqual([`${table}.json`, `${table}/metadata.json`]);
    expect(frame.key).toEqual([]);
    for (const text of frame.column("volume").toStrings()) expect(text).toMatch(/^\d+\.0{15}$/);
  });

  it("invalid_api_key.http: the service's code and status, one request", async () => {
    const asked: string[] = [];
    const run = answering(() => recorded("invalid_api_key.http"), asked)
      .table("WIKI/PRICES")
      .frame();
    await expect(run).rejects.toMatchObject({ name: "ServiceError", code: "QEAx01", status: 400 });
    expect(asked).toHaveLength(1);
  });

  it("an export in CSV and its archive: 916 rows of 14 columns", async () => {
    const status = gunzipSync(readFileSync(join(folder, "zipline", "metadata.csv.gz")));
    const archive = readFileSync(join(folder, "zipline", "QUANDL_ARCHIVE.zip"));
    const nothing = { refreshed_at: null, status: null, expected_at: null, update_frequency: null };
    const datatable = {
      vendor_code: "WIKI",
      datatable_code: "PRICES",
      name: "n",
      description: null,
      columns,
      filters: [],
      primary_key: [],
      premium: false,
      status: nothing,
    };
    const service = answering(({ pathname, searchParams }) => {
      if (pathname.includes("/metadata")) return Response.json({ datatable });
      return new Response(searchParams.has("qopts.export") ? status : archive);
    });
    const frame = await service.table("WIKI/PRICES").format("csv").export().frame();
    expect([frame.numRows, frame.columns.length]).toEqual([916, 14]);
    expect(frame.column("adj_close").toStrings()[0]).toMatch(/^\d+\.\d{28}$/);
    const counts = new Map<string, number>();
    for (const { ticker } of frame.rows()) counts.set(String(ticker), (counts.get(String(ticker)) ?? 0) + 1);
    expect(Object.fromEntries(counts)).toEqual({ AAPL: 252, BRK_A: 252, MSFT: 252, ZEN: 160 });
  });
});
