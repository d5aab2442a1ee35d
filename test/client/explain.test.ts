import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { connect } from "../../src/client/service.js";
import type { DatasetQuery, Plan, TableQuery } from "../../src/index.js";
import { defineProfile, specification } from "../../src/spec/profile.js";
import { started } from "../server/support.js";

const running = await started();
const KEY = "sample";
const service = connect({ url: running.url, apiKey: KEY });
const short = connect({
  url: running.url,
  apiKey: KEY,
  profile: defineProfile(specification, { maxQueryLength: 500, maxRowsPerReply: 1_000 }),
});

const prices = service.table("MARKET/PRICES");
const strikes = service.table("TRANSPORT/STRIKES");
const flights = service.table("TRANSPORT/FLIGHTS");
const aaa = service.dataset("MARKET/AAA");
const two = { ticker: ["AAA", "BBB"] };
const days = { date: { gte: "2024-01-01", lte: "2024-12-31" } };
const many = Array.from({ length: 100 }, (_, i) => `T${i}`);
const local = { local: true };

type Explained = () => Promise<Plan>;
const table =
  (query: TableQuery<never, never> | TableQuery): Explained =>
  () =>
    query.explain();
const file =
  (query: TableQuery): Explained =>
  () =>
    query.explain({ by: "export" });
const series =
  (query: DatasetQuery): Explained =>
  () =>
    query.explain();

const questions: readonly (readonly [string, Explained])[] = [
  ["a whole table", table(prices)],
  ["a filter of one value", table(prices.where({ ticker: "AAA" }))],
  ["a filter of two values", table(prices.where(two))],
  ["a range", table(prices.where(days))],
  ["values and a range", table(prices.where({ ...two, ...days }))],
  ["chosen columns", table(prices.select("ticker", "close"))],
  ["values, a range and columns", table(prices.where({ ...two, ...days }).select("ticker", "date", "close"))],
  ["one row by its key", table(prices.where({ ticker: "AAA", date: "2024-12-02" }))],
  ["a hundred rows by their keys", table(flights.where({ id: Array.from({ length: 100 }, (_, i) => i) }))],
  ["small pages", table(prices.pageSize(100))],
  ["a peek", table(prices.limit(5))],
  ["a peek beyond a page", table(prices.limit(25_000))],
  ["a peek in small pages", table(prices.limit(250).pageSize(100))],
  ["pages beyond the limit of the service", table(prices.pageSize(50_000))],
  ["XML", table(prices.format("xml").limit(3))],
  ["CSV", table(prices.format("csv").where(two))],
  ["column names with spaces", table(strikes.where({ "Flight Date": { gte: "1999-01-01" } }))],
  ["a condition applied here", table(prices.where({ close: { gt: "500" } }, local))],
  ["one at the service, one here", table(prices.where({ ticker: "AAA", close: { gt: "500" } }, local))],
  ["one here on a column that is not selected", table(prices.where({ close: { gt: "500" } }, local).select("ticker"))],
  ["one here, with a peek", table(prices.where({ close: { gt: "500" } }, local).limit(5))],
  ["a list that is split", table(short.table("MARKET/PRICES").where({ ticker: many }))],
  ["a list that is split, by keys", table(short.table("MARKET/PRICES").where({ ticker: many, date: "2024-12-02" }))],
  ["an address too long to be split", table(short.table("MARKET/PRICES").where({ ticker: "x".repeat(250) }))],
  ["an export", file(prices)],
  ["an export with filters and columns", file(prices.where({ ...two, ...days }).select("ticker", "close"))],
  ["an export in XML", file(prices.format("xml"))],
  ["a series", series(aaa)],
  ["a series by the title of a column", series(aaa.column("Close").from("2024-01-01"))],
  ["a series by the number of a column", series(aaa.column(4).to("2024-12-31").format("csv"))],
  ["a series, computed", series(aaa.collapse("monthly").transform("rdiff").order("asc").limit(12))],
];

const plain = (text: string): string => text.replaceAll(running.url, "https://data.example");

describe("explain", () => {
  it.each(questions)("%s", async (_, explain) => {
    const text = plain(inspect(await explain()));
    expect(text).not.toContain(KEY);
    expect(text).toMatchSnapshot();
  });

  it("names are checked as in frame()", async () => {
    await expect(prices.where({ tiker: "AAA" }).explain()).rejects.toMatchObject({ code: "UnknownColumn" });
    await expect(aaa.column("Clse").explain()).rejects.toMatchObject({ code: "UnknownColumn" });
  });

  it("a column that cannot be filtered offers the filter here", async () => {
    const error = await prices
      .where({ close: { gt: 5 } })
      .explain()
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "NotFilterable", hint: expect.stringContaining("{ local: true }") });
    await expect(prices.where({ close: 5 }, local).explain({ by: "export" })).rejects.toMatchObject({
      code: "BadArgument",
    });
  });

  it("the addresses are those that are requested", async () => {
    const requested: string[] = [];
    const watched = connect({
      url: running.url,
      apiKey: KEY,
      fetch: (input, init) => {
        requested.push(String(input).replace(new RegExp(`[?&]api_key=${KEY}$`), ""));
        return fetch(input, init);
      },
      profile: defineProfile(specification, { maxQueryLength: 500 }),
    });
    for (const query of [
      watched.table("MARKET/PRICES").where({ ticker: [...many, "AAA"], date: "2024-12-02" }),
      watched
        .table("MARKET/PRICES")
        .where({ close: { gt: 1 } }, local)
        .select("ticker")
        .limit(3),
      watched.dataset("MARKET/AAA").column("Close").limit(3),
    ]) {
      const { addresses } = await query.explain();
      requested.length = 0;
      await query.frame();
      for (const address of addresses) expect(requested).toContain(address);
    }
  });

  it("is rendered as a card in a notebook", async () => {
    const plan = await prices.explain();
    const show = (plan as never)[Symbol.for("Jupyter.display")] as () => Record<string, string>;
    expect(Object.keys(plan)).toContain("addresses");
    expect(show.call(plan)["text/html"]).toContain("Plan of MARKET/PRICES");
  });
});
