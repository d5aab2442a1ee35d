import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { main } from "../../src/cli/main.js";
import { connect } from "../../src/connect.js";
import { Frame } from "../../src/frame/frame.js";
import { temporaryFolder } from "../support/temporary-folder.js";

type Sample = Awaited<ReturnType<typeof connect.sample>>;

const folder = temporaryFolder("cli");
let service: Sample;
beforeAll(async () => {
  service = await connect.sample();
});
afterAll(async () => {
  await service.close();
});
afterEach(() => vi.restoreAllMocks());

/** Runs the command line against the sample: the exit status and what was written where. */
const run = (...words: string[]) => {
  const asks = ["get", "meta", "export", "bulk", "sync", "types"].includes(words[0]);
  return runAlone(...words, ...(asks && !words.includes("--url") ? ["--url", service.url, "--key", "sample"] : []));
};

const runAlone = async (...words: string[]) => {
  const out: string[] = [];
  const err: string[] = [];
  vi.spyOn(process.stdout, "write").mockImplementation((text) => out.push(String(text)) > 0);
  vi.spyOn(process.stderr, "write").mockImplementation((text) => err.push(String(text)) > 0);
  try {
    const status = await main(words);
    return { status, out: out.join(""), err: err.join("") };
  } finally {
    vi.restoreAllMocks();
    process.exitCode = undefined;
  }
};

it("get dataset: CSV into a pipe, JSON for machines, a file by its ending", async () => {
  const words = [
    "get",
    "dataset",
    "MARKET/AAA",
    "--column",
    "Close",
    "--from",
    "2024-01-01",
    "--collapse",
    "monthly",
    "--order",
    "asc",
  ];
  const csv = await run(...words);
  expect(csv).toMatchObject({ status: 0, err: "" });
  expect(csv.out.split("\n")[0]).toBe("Date,Close");
  expect(csv.out.trim().split("\n")).toHaveLength(13);
  const rows = JSON.parse((await run(...words, "--json")).out);
  expect(rows).toHaveLength(12);
  expect(rows[0].Date).toBe("2024-01-31");
  for (const ending of ["csv", "parquet", "arrow", "arrows", "json"]) {
    const path = join(folder, `series.${ending}`);
    expect(await run(...words, "-o", path)).toMatchObject({
      status: 0,
      out: "",
      err: expect.stringContaining("12 rows"),
    });
    if (ending === "parquet") expect((await Frame.fromParquet(path)).numRows).toBe(12);
    if (ending.startsWith("arrow")) expect((await Frame.fromArrow(path)).numRows).toBe(12);
  }
});

it("get table: conditions, columns, formats", async () => {
  const words = [
    "get",
    "table",
    "MARKET/PRICES",
    "--where",
    "ticker=AAA,BBB",
    "--where",
    "date>=2024-12-30",
    "--where",
    "date<=2024-12-31",
    "--select",
    "ticker,date,close",
  ];
  const texts = await Promise.resolve(run(...words));
  expect(texts.out.split("\n")[0]).toBe("ticker,date,close");
  expect(texts.out.trim().split("\n")).toHaveLength(5);
  for (const format of ["xml", "csv"]) expect((await run(...words, "--format", format)).out).toBe(texts.out);
});

it("--sample starts the embedded service for one command", async () => {
  const words = ["get", "table", "MARKET/PRICES", "--where", "ticker=AAA", "--where", "date>=2024-12-31", "--select"];
  const { out } = await run(...words, "ticker,close");
  const connected = vi.spyOn(connect, "sample");
  expect(await runAlone(...words, "ticker,close", "--sample")).toEqual({ status: 0, out, err: "" });
  expect(connected).toHaveBeenCalledOnce();
  const meta = await runAlone("meta", "dataset", "MARKET/AAA", "--sample");
  expect(meta).toMatchObject({ status: 0, out: expect.stringContaining("column_names") });
});

it.each([40, 80, 200])("a table fits a terminal of %i columns", async (columns) => {
  const { isTTY, columns: before } = process.stdout;
  Object.assign(process.stdout, { isTTY: true, columns });
  try {
    const { out } = await run("get", "table", "MARKET/PRICES", "--where", "ticker=AAA", "--where", "date>=2024-01-01");
    const lines = out.trimEnd().split("\n");
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
    expect(lines.join(" ")).toMatch(columns < 200 ? /more/ : /open +high +low +close/);
    expect(lines.join(" ")).toContain("262 rows × 7 columns");
  } finally {
    Object.assign(process.stdout, { isTTY, columns: before });
  }
});

it("a value that begins with a sign is asked for with the service's own operator", async () => {
  expect(await run("get", "table", "MARKET/PRICES", "--where", "ticker.eq==AAA")).toMatchObject({ status: 0, err: "" });
});

it("meta: text for people, JSON for machines", async () => {
  const text = await run("meta", "table", "MARKET/PRICES");
  expect(text).toMatchObject({ status: 0, err: "" });
  expect(text.out).toContain("BigDecimal(15,4)");
  expect(JSON.parse((await run("meta", "database", "MARKET", "--json")).out).database_code).toBe("MARKET");
  expect((await run("meta", "dataset", "MARKET/AAA", "--format", "xml")).out).toContain("column_names");
});

it("export and bulk: whole files of every kind, and nothing beside them", async () => {
  const place = temporaryFolder("bulk");
  const rows: number[] = [];
  for (const ending of ["parquet", "arrow", "arrows", "csv", "zip"]) {
    const path = join(place, `prices.${ending}`);
    const { status, out, err } = await run(
      "export",
      "MARKET/PRICES",
      "--where",
      "ticker=AAA",
      "-o",
      path,
      "--json",
      "--stale",
      "wait",
    );
    expect(err).toBe("");
    expect(status).toBe(0);
    const told = JSON.parse(out);
    expect(told.bytes).toBe(readFileSync(path).length);
    if (told.rows !== undefined) rows.push(told.rows);
  }
  expect(new Set(rows).size).toBe(1);
  expect((await run("bulk", "MARKET", "--type", "partial", "-o", join(place, "market.csv"))).status).toBe(0);
  expect(readFileSync(join(place, "market.csv"), "utf8").trim().split("\n")).toHaveLength(6);
  expect(readdirSync(place).sort()).toEqual([
    "market.csv",
    "prices.arrow",
    "prices.arrows",
    "prices.csv",
    "prices.parquet",
    "prices.zip",
  ]);
});

it("types: a declaration per table, and its place in Tables", async () => {
  const { out } = await run("types", "MARKET/PRICES", "TRANSPORT/STRIKES");
  expect(out).toContain("export interface MarketPrices {");
  expect(out).toContain("  close: number | null;");
  expect(out).toMatch(/\["?"Cost Total \$"|"Cost Total \$": /);
  expect(out).toContain('declare module "arrowbook" {\n  interface Tables {\n    "MARKET/PRICES": MarketPrices;');
});

it.each([
  [["get", "table", "MARKET/PRICES", "--select", "clsoe"], 1, /no column "clsoe".*Did you mean "close"/],
  [["get", "table", "MARKET/PRICE"], 1, /MARKET\/PRICE/],
  [["get", "dataset", "MARKET"], 1, /DATABASE\/DATASET/],
  [["export", "MARKET/PRICES", "-o", "x.parket"], 1, /Did you mean "\.parquet"/],
  [["export", "MARKET/PRICES"], 2, /--output/],
  [["get", "table", "MARKET/PRICES", "--where", "ticker"], 2, /expected a condition such as/],
  [["get", "table", "MARKET/PRICES", "--where", "ticker==AAA"], 2, /"==" is not an operator; write "ticker=AAA"/],
  [["get", "table", "MARKET/PRICES", "--where", "date=>2024-01-01"], 2, /write "date>=2024-01-01"/],
  [["get", "table", "MARKET/PRICES", "--where", "date=<2024-01-01"], 2, /write "date<=2024-01-01"/],
  [["get", "table", "MARKET/PRICES", "--where", "ticker!=AAA"], 2, /"!=" is not an operator/],
  [["get", "table", "MARKET/PRICES", "--where", "ticker<>AAA"], 2, /"<>" is not an operator/],
  [["get", "table", "MARKET/PRICES", "--sample"], 2, /cannot be used with/],
  [["get", "table", "MARKET/PRICES", "--format", "yaml"], 2, /json, xml, csv/],
])("%j fails with status %i and one clear line", async (words, status, message) => {
  const result = await run(...words);
  expect(result).toMatchObject({ status, out: "" });
  expect(result.err).toMatch(message);
  expect(result.err.trim().split("\n").length).toBeLessThanOrEqual(status);
});

it("a wrong key and a service that is down are one line each, without the key", async () => {
  const key = "wrong-key-9876543210";
  const wrong = await run("get", "table", "MARKET/PRICES", "--url", service.url, "--key", key);
  expect(wrong).toMatchObject({ status: 1, out: "", err: expect.stringMatching(/^arrowbook: [^\n]*QEAx01[^\n]*\n$/) });
  expect(wrong.err).not.toContain(key);
  // Not a port of a closed service: another test could be listening on it by now.
  const down = await run("meta", "table", "A/B", "--url", "http://127.0.0.1:9", "--key", key);
  expect(down).toMatchObject({
    status: 1,
    err: expect.stringMatching(/^arrowbook: The service at [^\n]* cannot be reached[^\n]*\n$/),
  });
});

it("serve: what is missing on the command line is wrong usage, with the parser's message", async () => {
  const nothing = await run("serve");
  expect(nothing).toMatchObject({ status: 2, out: "", err: expect.stringMatching(/--sample or --data/) });
  expect((await run("serve", "--sample", "--data", folder)).status).toBe(2);
  const open = await run("serve", "--sample", "--host", "0.0.0.0");
  expect(open).toMatchObject({
    status: 2,
    out: "",
    err: expect.stringMatching(/^[^\n]*0\.0\.0\.0[^\n]*--key[^\n]*\n$/),
  });
  expect(open.err).not.toContain("apiKeys");
  expect((await run("serve", "--data", join(folder, "nowhere"))).status).toBe(1);
});

it("sync: copies tables, says what it would do, and leaves unchanged ones alone", async () => {
  const to = join(folder, "mirrors");
  const words = ["sync", "MARKET/PRICES", "--to", to, "--by", "date:year"];
  expect(await run(...words, "--dry-run")).toEqual({
    status: 0,
    out: "MARKET/PRICES: would export the whole table. There is no copy yet.\n",
    err: "",
  });
  const copied = await run(...words, "--quiet");
  expect(copied).toMatchObject({ status: 0, err: "" });
  expect(copied.out).toMatch(/^MARKET\/PRICES: copied 32,610 rows of \d{4}-\d\d-\d\dT[\d:]+Z\.\n$/);
  expect((await run(...words, "--dry-run")).out).toMatch(/nothing to do\. Unchanged since/);
  const report = JSON.parse((await run(...words, "--json")).out);
  expect(report).toMatchObject({ code: "MARKET/PRICES", change: "none", rows: 32_610, received: 0 });
  const { number } = JSON.parse(readFileSync(join(to, "MARKET/PRICES/manifest.json"), "utf8"));
  expect((await Frame.fromParquet(join(to, "MARKET/PRICES", `v00000${number}`))).numRows).toBe(32_610);
});

it("sync --history, get --from --as-of: a copy is read as it was known, without the service", async () => {
  const to = join(folder, "known");
  await run("sync", "MARKET/PRICES", "--to", to, "--history", "2 years", "--quiet");
  const words = ["get", "table", "MARKET/PRICES", "--from", to, "--where", "ticker=AAA", "--select", "date,close"];
  const all = await runAlone(...words);
  expect(all).toMatchObject({ status: 0, err: "" });
  const expected = await run(
    "get",
    "table",
    "MARKET/PRICES",
    "--where",
    "ticker=AAA",
    "--select",
    "date,close",
    "--quiet",
  );
  expect(all.out.trim().split("\n").sort()).toEqual(expected.out.trim().split("\n").sort());
  expect(
    (await runAlone(...words, "--as-of", "2999-01-01", "--lag", "1 day", "--limit", "3")).out.split("\n"),
  ).toHaveLength(5);
  const early = await runAlone(...words, "--as-of", "1999-01-01");
  expect(early).toMatchObject({ status: 1, out: "", err: expect.stringContaining("begins with its state of") });
  expect(await run("get", "table", "MARKET/PRICES", "--as-of", "2025-01-01")).toMatchObject({
    err: expect.stringContaining("--from copies"),
  });
  expect(await runAlone("get", "table", "OTHER/TABLE", "--from", to)).toMatchObject({
    status: 1,
    err: expect.stringContaining("no copy of OTHER/TABLE"),
  });
  expect(await run("sync", "MARKET/PRICES", "--to", to, "--history", "long")).toMatchObject({
    err: expect.stringContaining("2 years"),
  });
});

it("sync: a copy of the embedded service is that of the next one, on another port", async () => {
  const to = join(folder, "other-port");
  expect((await run("sync", "MARKET/PRICES", "--to", to, "--quiet")).out).toMatch(/copied 32,610 rows/);
  const again = await runAlone("sync", "MARKET/PRICES", "--to", to, "--quiet", "--sample");
  expect(again).toMatchObject({ status: 0, out: expect.stringMatching(/unchanged, 32,610 rows/), err: "" });
});

it("sync: several tables into one DuckDB file", async () => {
  const to = join(folder, "copies.duckdb");
  const words = ["sync", "MARKET/PRICES", "TRANSPORT/AIRPORTS", "--to", to, "--quiet"];
  expect((await run(...words)).out).toMatch(
    /^MARKET\/PRICES: copied 32,610 rows.*\nTRANSPORT\/AIRPORTS: copied [\d,]+ rows/,
  );
  expect((await run(...words)).out).toMatch(/^MARKET\/PRICES: unchanged.*\nTRANSPORT\/AIRPORTS: unchanged/);
});

it("sync: one table that fails does not keep the others from being copied", async () => {
  const to = join(folder, "some");
  const done = await run("sync", "NO/TABLE", "MARKET/PRICES", "--to", to, "--quiet");
  expect(done.status).toBe(1);
  expect(done.out).toMatch(/^MARKET\/PRICES: copied/);
  expect(done.err).toMatch(/NO\/TABLE/);
});

it.each(["1", "1w", "0s", "25d"])("sync: refuses the time %s", async (every) => {
  const done = await run("sync", "MARKET/PRICES", "--to", folder, "--watch", "--every", every);
  expect(done).toMatchObject({ status: 2, err: expect.stringContaining("must be a time from 1s to 24d") });
});

it.each([
  ["export", ["MARKET/PRICES", "-o", join(folder, "ratio.parquet")]],
  ["sync", ["MARKET/PRICES", "--to", join(folder, "ratio")]],
])("%s: --max-ratio limits how much an archive grows", async (command, words) => {
  const refused = await run(command, ...words, "--quiet", "--max-ratio", "1");
  expect([refused.status, refused.err]).toEqual([expect.any(Number), expect.stringContaining("with --max-ratio")]);
  expect(refused.status).not.toBe(0);
  expect(await run(command, ...words, "--quiet", "--max-ratio", "1000")).toMatchObject({ status: 0, err: "" });
});
