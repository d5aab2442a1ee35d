import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import Papa from "papaparse";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ASSISTANT_TOOLS } from "../../src/cli/assistant/tools.js";
import { connect, type SampleService } from "../../src/connect.js";
import { QuoteTable } from "../client/as-of-run.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const bin = fileURLToPath(new URL("../../dist/esm/cli.js", import.meta.url));
const root = temporaryFolder("mcp");
const KEY = "key-of-the-assistant-0123456789";
const folder = join(root, "mirrors");
const clients: Client[] = [];
let sample: SampleService;

/** An assistant that started `arrowbook mcp` with flags. */
async function assistant(...flags: string[]): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const env = { PATH: String(process.env["PATH"]), ARROWBOOK_API_KEY: KEY };
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [bin, "mcp", ...flags], env }));
  clients.push(client);
  return client;
}

async function call(client: Client, name: string, input: object = {}) {
  const reply = await client.callTool({ name, arguments: { ...input } });
  const [{ text }] = reply.content as { text: string }[];
  expect(text).not.toContain(KEY);
  const cells = Papa.parse<string[]>(text.replace(/^# .*$/m, ""), { skipEmptyLines: true }).data;
  return { text, isError: reply.isError === true, rows: cells.slice(1), note: /^# .*$/m.exec(text)?.[0] ?? "" };
}

/** Copies with the states of three days: prices of 60 digits, a row that is later removed, a later revision. */
async function makeCopies(): Promise<void> {
  const table = new QuoteTable();
  const quote = (ticker: string, date: string, close: string, changed: string) => ({ ticker, date, close, changed });
  const states = [
    ["2024-01-02", [quote("A", "2024-01-01", "1.5", "2024-01-01"), quote("B", "2024-01-01", "2.25", "2024-01-01")]],
    ["2024-01-03", [quote("A", "2024-01-01", "1.75", "2024-01-03"), quote("B", "2024-01-01", "2.25", "2024-01-01")]],
    ["2024-01-04", [quote("A", "2024-01-01", "1.75", "2024-01-03"), quote("A", "2024-01-03", "9", "2024-01-04")]],
  ] as const;
  const mirror = table.mirror(join(folder, "V", "T"), { history: true });
  for (const [day, rows] of states) {
    table.rows = rows;
    table.refreshed = `${day}T20:00:00.000Z`;
    await mirror.sync();
  }
}

let served: Client;
beforeAll(async () => {
  await makeCopies();
  sample = await connect.sample();
  served = await assistant("--sample");
});
afterAll(async () => {
  for (const client of clients) await client.close();
  await sample.close();
});

it("an error is one text with its code and what to do, without a key", async () => {
  const { text } = await call(served, "query", { code: "MARKET/PRICES", columns: ["clos"] });
  expect(text).toBe('UnknownColumn: MARKET/PRICES has no column "clos". Did you mean "close"?');
});

it("has at most five tools that read alone, described in fewer than 2,000 tokens", async () => {
  const { tools } = await served.listTools();
  expect(tools.map(({ name }) => name)).toEqual(["find", "describe", "explain", "query", "sql"]);
  expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);
  // A token of English and JSON has three to four characters.
  expect(JSON.stringify(tools).length / 3).toBeLessThan(2_000);
  expect(ASSISTANT_TOOLS).toHaveLength(5);
});

describe("tasks at a service", () => {
  it("find: everything, by some terms, nothing", async () => {
    expect((await call(served, "find")).text).toContain("MARKET/PRICES");
    const found = await call(served, "find", { text: "seattle weather" });
    expect(found.text).toContain("WEATHER/SEATTLE");
    expect(found.text).not.toContain("MARKET/PRICES");
    expect((await call(served, "find", { text: "no such thing" })).text).toBe("# all 0");
  });

  it("describe: a table and a series", async () => {
    const table = JSON.parse((await call(served, "describe", { code: "MARKET/PRICES" })).text);
    expect(table.columns).toContainEqual({ name: "close", type: "BigDecimal(15,4)" });
    expect(table.primary_key).toEqual(["ticker", "date"]);
    const series = JSON.parse((await call(served, "describe", { code: "MARKET/AAA", kind: "dataset" })).text);
    expect(series.column_names).toContain("Close");
  });

  it("explain: addresses without the key", async () => {
    const plan = await call(served, "explain", { code: "MARKET/PRICES", where: { ticker: "AAA" } });
    expect(plan.text).toContain("ticker=AAA");
    expect(plan.text).not.toMatch(/api_key=(?!\[key\])/);
  });

  it.each([
    [{ where: { ticker: "AAA", date: "2024-12-31" }, columns: ["ticker", "date", "close"] }],
    [{ where: { ticker: ["AAA", "BBB"], date: { gte: "2024-12-27" } }, columns: ["close", "ticker"] }],
    [{ where: { ticker: "EEE", date: { gt: "2024-12-01", lt: "2024-12-10" } } }],
  ] as const)("query %j: every digit of the service", async (question) => {
    const { where, columns } = { columns: undefined, ...question };
    let query = sample.table("MARKET/PRICES").where(where as never);
    if (columns !== undefined) query = query.select(...(columns as unknown as [string]));
    const expected = Papa.parse<string[]>((await query.frame()).toCSV(), { skipEmptyLines: true }).data.slice(1);
    const found = await call(served, "query", { code: "MARKET/PRICES", ...question });
    expect(found.rows).toEqual(expected);
    expect(found.note).toMatch(new RegExp(`^# all ${expected.length} rows; refreshed 2025-01-02T06:00:00Z$`));
  });

  it.each([
    [{ from: "2024-12-01", order: "asc" }],
    [{ columns: ["Close"], collapse: "annual" }],
    [{ columns: ["Close"], collapse: "monthly", transform: "rdiff", to: "2005-12-31" }],
  ] as const)("query of a series %j: the values of the service", async (question) => {
    const { rows } = await call(served, "query", { code: "MARKET/AAA", kind: "dataset", ...question });
    const { columns, ...rest } = { columns: undefined, ...question };
    let query = sample.dataset("MARKET/AAA");
    if (columns !== undefined) query = query.column(columns[0]);
    const set = query as unknown as Record<string, (value: unknown) => typeof query>;
    for (const [name, value] of Object.entries(rest)) query = set[name].call(query, value);
    expect(rows).toEqual(Papa.parse<string[]>((await query.frame()).toCSV(), { skipEmptyLines: true }).data.slice(1));
  });

  it("query: a long result says what is missing, and never has half a row", async () => {
    const long = await call(served, "query", { code: "MARKET/PRICES", where: { ticker: "AAA" } });
    expect(Buffer.byteLength(long.text)).toBeLessThanOrEqual(8_000);
    expect(long.note).toMatch(/^# the first \d+ of 6522 rows; filter/);
    expect(long.rows.every((cells) => cells.length === 7)).toBe(true);
    const wide = await call(served, "query", { code: "MARKET/PRICES", where: { ticker: "AAA" }, max_bytes: 100_000 });
    expect(Buffer.byteLength(wide.text)).toBeLessThanOrEqual(100_000);
    expect(wide.rows.length).toBeGreaterThan(1_000);
    expect(wide.rows.slice(0, long.rows.length)).toEqual(long.rows);
    const few = await call(served, "query", { code: "MARKET/PRICES", limit: 3 });
    expect([few.rows.length, few.note]).toEqual([3, expect.stringMatching(/^# the first 3 of more than 3 rows/)]);
  });

  it("sql: exact sums, joins and texts that look like numbers", async () => {
    const tables = {
      p: { code: "MARKET/PRICES", where: { date: { gte: "2024-01-01" } }, columns: ["ticker", "close"] },
    };
    const sums = await call(served, "sql", {
      statement: "select ticker, sum(close) as total, count(*) as n from p group by ticker order by ticker",
      tables,
    });
    const frame = await sample
      .table("MARKET/PRICES")
      .where({ date: { gte: "2024-01-01" } })
      .frame();
    const expected = frame
      .groupBy("ticker")
      .agg({ total: ["close", "sum"], n: ["close", "count"] })
      .sort("ticker");
    expect(sums.rows).toEqual(Papa.parse<string[]>(expected.toCSV(), { skipEmptyLines: true }).data.slice(1));
    const joined = await call(served, "sql", {
      statement: "select a.close - b.close as spread from a join b on a.date = b.date where a.date = '2024-12-31'",
      tables: {
        a: { code: "MARKET/PRICES", where: { ticker: "AAA", date: { gte: "2024-12-01" } } },
        b: { code: "MARKET/PRICES", where: { ticker: "BBB", date: { gte: "2024-12-01" } } },
      },
    });
    expect(joined.rows).toHaveLength(1);
    const many = await call(served, "sql", { statement: "select * from range(50000000)", tables: {} });
    expect(many.note).toMatch(/^# the first \d+ of more than 10000 rows/);
    const exact = await call(served, "sql", {
      statement: "select 123456789012345678901234567890.12::decimal(38,2)",
      tables: {},
    });
    expect(exact.rows).toEqual([["123456789012345678901234567890.12"]]);
  });

  it.each([
    ["query", { code: "MARKET/PRICE" }, /QECx02.*MARKET\/PRICES/s],
    ["query", { code: "MARKET/PRICES", columns: ["clse"] }, /UnknownColumn.*"close"/s],
    ["query", { code: "MARKET/PRICES", where: { close: 1 } }, /NotFilterable|filter/],
    ["query", { code: "MARKET/PRICES", collapse: "monthly" }, /collapse is not for a table/],
    ["query", { code: "MARKET/AAA", kind: "dataset", where: { Date: "2024-01-01" } }, /where is not for a time series/],
    ["sql", { statement: "select * from nowhere", tables: {} }, /BadStatement/],
    ["sql", { statement: `select * from read_text('${bin}')`, tables: {} }, /Permission Error.*disabled/s],
    ["sql", { statement: `copy (select 1) to '${join(root, "made.csv")}'`, tables: {} }, /Permission Error.*disabled/s],
    ["sql", { statement: "set enable_external_access = true", tables: {} }, /BadStatement.*locked|cannot/s],
  ])("%s %j is refused, with what to do", async (name, input, message) => {
    const { isError, text } = await call(served, name, input);
    expect(isError).toBe(true);
    expect(text).toMatch(message);
    expect(readdirSync(root)).not.toContain("made.csv");
  });

  it("a member that a tool does not have is refused", async () => {
    const reply = await served
      .callTool({ name: "query", arguments: { code: "MARKET/PRICES", wher: {} } })
      .catch((e) => e);
    expect(reply instanceof Error || reply.isError).toBe(true);
  });
});

describe("tasks at copies, as they were known at a day", () => {
  const PRICES = ["1.5000000000000000000000000000", "1.7500000000000000000000000000"];

  it.each([
    ["2024-01-01", []],
    [
      "2024-01-02",
      [
        ["A", PRICES[0]],
        ["B", "2.2500000000000000000000000000"],
      ],
    ],
    [
      "2024-01-03",
      [
        ["A", PRICES[1]],
        ["B", "2.2500000000000000000000000000"],
      ],
    ],
    [
      "2024-01-04",
      [
        ["A", PRICES[1]],
        ["A", "9.0000000000000000000000000000"],
      ],
    ],
  ])("as of %s nothing later is seen", async (day, expected) => {
    const client = await assistant("--from", folder, "--as-of", day);
    expect(client.getInstructions()).toContain(day);
    expect((await call(client, "find")).text).toContain("V/T");
    const found = await call(client, "query", { code: "V/T", columns: ["ticker", "close"] });
    if (expected.length === 0) expect(found.text).toMatch(/no state|known|BadArgument|OutOfRange|BadMirror/i);
    else expect(found.rows.sort()).toEqual(expected);
    const statement = "select count(*) as n, max(date) as last from t";
    const summed = await call(client, "sql", { statement, tables: { t: { code: "V/T" } } });
    if (expected.length > 0) expect(summed.rows).toEqual([["2", day === "2024-01-04" ? "2024-01-03" : "2024-01-01"]]);
    else expect(summed.isError).toBe(true);
  });

  it("describes a state, explains, and refuses series and other places", async () => {
    const client = await assistant("--from", folder, "--as-of", "2024-01-03");
    const about = JSON.parse((await call(client, "describe", { code: "V/T" })).text);
    expect(about).toMatchObject({
      code: "V/T",
      rows: 2,
      as_of: "2024-01-03",
      refreshed_at: expect.stringMatching(/^2024-01-03T20/),
    });
    expect((await call(client, "explain", { code: "V/T" })).text).toContain('"requests":0');
    expect((await call(client, "query", { code: "V/S", kind: "dataset" })).text).toMatch(/tables alone/);
    expect((await call(client, "query", { code: "V/MISSING" })).isError).toBe(true);
    for (const code of ["../mirrors/V/T", "../mirrors", "V/../V", "/V/T"]) {
      expect((await call(client, "query", { code })).text).toMatch(/BadCode/);
    }
  });
});

it("--as-of without copies is refused on the command line", async () => {
  await expect(assistant("--sample", "--as-of", "2024-01-01")).rejects.toThrow();
});
