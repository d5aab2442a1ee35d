import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { main } from "../../src/cli/main.js";
import { connect } from "../../src/connect.js";

let service: Awaited<ReturnType<typeof connect.sample>>;
beforeAll(async () => {
  service = await connect.sample();
});
afterAll(() => service.close());

const run = async (...words: string[]) => {
  const out: string[] = [];
  const err: string[] = [];
  vi.spyOn(process.stdout, "write").mockImplementation((text) => out.push(String(text)) > 0);
  vi.spyOn(process.stderr, "write").mockImplementation((text) => err.push(String(text)) > 0);
  try {
    const status = await main([...words, "--url", service.url, "--key", "sample"]);
    return { status, out: out.join(""), err: err.join("") };
  } finally {
    vi.restoreAllMocks();
    process.exitCode = undefined;
  }
};

it("explain prints the plan of the same flags as get, as text or JSON", async () => {
  const table = await run("explain", "table", "MARKET/PRICES", "--where", "ticker=AAA", "--limit", "5");
  expect(table).toMatchObject({ status: 0, err: "" });
  expect(table.out).toMatch(/^Plan of MARKET\/PRICES\n.*ticker=AAA&qopts\.per_page=5/s);
  const file = await run("explain", "table", "MARKET/PRICES", "--by", "export", "--json");
  expect(JSON.parse(file.out)).toMatchObject({ by: "export", code: "MARKET/PRICES" });
  const series = await run("explain", "dataset", "MARKET/AAA", "--column", "Close", "--format", "csv");
  expect(series.out).toContain("/datasets/MARKET/AAA/data.csv?column_index=4");
  const wrong = await run("explain", "table", "MARKET/PRICES", "--where", "tiker=AAA");
  expect(wrong).toMatchObject({ status: 1, out: "" });
  expect(wrong.err).toContain("ticker");
});

it("get table --limit is a look, --fallback export changes nothing where pages work", async () => {
  const few = await run("get", "table", "MARKET/PRICES", "--limit", "2", "--fallback", "export");
  expect(few).toMatchObject({ status: 0, err: "" });
  expect(few.out.trim().split("\n")).toHaveLength(3);
  expect((await run("get", "table", "MARKET/PRICES", "--limit", "0")).status).toBe(2);
});
