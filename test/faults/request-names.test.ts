import { beforeEach, describe, expect, it } from "vitest";
import { connect } from "../../src/client/service.js";
import { json } from "./bulk-fixtures.js";
import { csvMetadata, good, KEY, rows, server, service, T, withoutAnswers } from "./request-service.js";

withoutAnswers();

describe("names", () => {
  beforeEach(() => server.on("/api/v3/datatables/V/T/metadata", csvMetadata));

  it("an unknown column is reported before rows are requested, with the nearest name", async () => {
    const query = service().table("V/T");
    await expect(query.select("clsoe").frame()).rejects.toMatchObject({
      code: "UnknownColumn",
      hint: 'Did you mean "close"?',
    });
    await expect(query.where({ tickr: "AAA" }).frame()).rejects.toMatchObject({
      code: "UnknownColumn",
      hint: 'Did you mean "ticker"?',
    });
    await expect(query.where({ close: { gt: 1 } }).frame()).rejects.toMatchObject({
      code: "NotFilterable",
      hint: expect.stringContaining('"ticker"'),
    });
    expect(server.count(T)).toBe(0);
  });

  it("a list of values too long for one address is asked for in parts, each value once", async () => {
    const asked: string[][] = [];
    server.on(T, ({ query }) => {
      const tickers = (query.get("ticker") ?? "").split(",");
      asked.push(tickers);
      const datatable = { data: tickers.map((ticker) => [ticker]), columns: [{ name: "ticker", type: "String" }] };
      return { headers: json, body: JSON.stringify({ datatable, meta: { next_cursor_id: null } }) };
    });
    const tickers = Array.from({ length: 5_000 }, (_, i) => `TICKER${i}`);
    const frame = await service().table("V/T").where({ ticker: tickers }).frame();
    expect(frame.column("ticker").toStrings()).toEqual(tickers);
    expect(asked.flat()).toEqual(tickers);
    expect(asked.length).toBeGreaterThan(5);
    expect(frame.source?.complete).toBe(true);
  });

  it("what cannot be asked is refused at once", () => {
    const query = service().table("V/T");
    expect(() => service().table("V")).toThrow(/VENDOR\/TABLE/);
    expect(() => service().dataset("V/T/U")).toThrow(/DATABASE\/DATASET/);
    expect(() => service().database("V/T")).toThrow(/Expected the code of a database/);
    expect(() => query.where({ ticker: [] })).toThrow(/is empty/);
    expect(() => query.where({ ticker: "a,b" })).toThrow(/commas/);
    expect(() => query.format("yaml" as never)).toThrow(/yaml/);
    expect(() => service().dataset("D/S").from("2024-02-30")).toThrow(/2024-02-30/);
    expect(() => service().dataset("D/S").limit(0)).toThrow(/limit/);
    expect(() => connect({ url: server.url, apikey: "x" } as never)).toThrow(/apikey/);
    expect(() => connect({ url: "data.example.com" })).toThrow(/base address/);
    expect(() => connect({ url: `${server.url}?api_key=${KEY}` })).toThrow(/base address/);
    expect(() => connect({ url: server.url, retry: { attempt: 3 } as never })).toThrow(/attempt/);
  });

  it("a service that has no list of its codes says so", async () => {
    await expect(service().catalog()).rejects.toMatchObject({ name: "InputError", code: "NoCatalog" });
  });

  it("a key that goes unencrypted beyond this machine brings a warning", () => {
    const said: string[] = [];
    const warn = (message: string) => said.push(message);
    connect({ url: "http://localhost:1", apiKey: KEY, warn });
    connect({ url: "https://data.example.com", apiKey: KEY, warn });
    connect({ url: "http://data.example.com", apiKey: "", warn });
    expect(said).toEqual([]);
    connect({ url: "http://data.example.com", apiKey: KEY, warn });
    expect(said).toEqual([expect.stringContaining("data.example.com unencrypted")]);
  });

  it("the base address may end in /api/v3", async () => {
    server.on(T, good);
    expect(await rows({ url: `${server.url}/api/v3/` })).toBe(1);
  });
});
