import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { connect, Frame } from "../../src/index.js";
import { temporaryFolder } from "../support/temporary-folder.js";

/* What newcomers write, and the remedy that the error names. */
const folder = temporaryFolder("mistakes");
const prices = Frame.fromRows([
  { ticker: "AAA", date: "2024-12-30", close: 1.5 },
  { ticker: "BBB", date: "2024-12-31", close: 2.5 },
]);
const service = connect({ url: "http://127.0.0.1:9", apiKey: "k" });
const loose = (value: unknown): never => value as never;

const mistakes: readonly (readonly [written: string, run: () => unknown, remedy: RegExp])[] = [
  ["new Frame({ a: [1, 2] })", () => new (Frame as never as new (columns: object) => Frame)({ a: [1] }), /fromRows/],
  ["Frame.fromJSON('{\"a\":1}')", () => Frame.fromJSON('{"a":1}'), /an array of objects, or JSON lines/],
  ["Frame.fromJSON('[[1]]')", () => Frame.fromJSON("[[1]]"), /A row is an object/],
  ["a reply read with columns", () => Frame.fromJSON('{"datatable":{}}', { columns: [] }), /declares its columns/],
  ["Frame.align([promise])", () => Frame.align([loose(Promise.resolve(prices)), prices]), /Await it first/],
  ["Frame.concat([promise])", () => Frame.concat([loose(Promise.resolve(prices))]), /Await it first/],
  ["Frame.from(rows)", () => Frame.from([{ a: 1 }]), /Frame\.fromRows\(rows\)/],
  ["Frame.from(bytes)", () => Frame.from(prices.toIPC()), /Frame\.fromArrow\(bytes\)/],
  ['sort("close", "desc")', () => prices.sort("close", loose("desc")), /sort\(\["close", "desc"\]\)/],
  ['sql("… from prices")', () => prices.sql("select * from prices"), /called this: select … from this/],
  ["row => row.clsoe", () => prices.filter((row) => loose(row)["clsoe"]), /Did you mean "close"\?/],
  ["from(a Date with a time)", () => service.dataset("A/B").from(new Date("2024-01-02T10:00:00Z")), /"2024-01-02"/],
  ["from(an invalid Date)", () => service.dataset("A/B").from(new Date("x")), /YYYY-MM-DD/],
  [
    "where({ date: a Date with a time })",
    () => service.table("A/B").where({ date: { gte: new Date("2024-01-02T10:00:00Z") } }),
    /"2024-01-02"/,
  ],
];

describe("a first mistake names its remedy", () => {
  it.each(mistakes)("%s", async (_, run, remedy) => {
    const error = await (async () => run())().then(
      () => undefined,
      (cause: unknown) => cause,
    );
    expect(error).toMatchObject({ code: expect.any(String), hint: expect.stringMatching(remedy) });
  });
});

it("a Date of midnight in UTC is that day", async () => {
  const asked: string[] = [];
  const fetch = async (address: string | URL | Request): Promise<Response> => {
    asked.push(new URL(String(address instanceof Request ? address.url : address)).search);
    throw new Error("offline");
  };
  const offline = connect({ url: "http://x.example", apiKey: "k", fetch: fetch as never, retry: { attempts: 1 } });
  const day = new Date("2024-01-02");
  await expect(offline.dataset("A/B").from(day).to(day).data()).rejects.toThrow();
  expect(asked[0]).toMatch(/start_date=2024-01-02&.*end_date=2024-01-02|end_date=2024-01-02.*start_date=2024-01-02/);
  const where = { date: { gte: new Date("2024-12-31") } };
  const typed = Frame.fromRows([{ date: "2024-12-30" }, { date: "2024-12-31" }], [{ name: "date", type: "Date" }]);
  await typed.toParquet(join(folder, "d.parquet"));
  expect((await Frame.fromParquet(join(folder, "d.parquet"), { where })).toJSON()).toEqual([{ date: "2024-12-31" }]);
});

it("files are found by a file: URL too, bytes by an ArrayBuffer", async () => {
  const path = join(folder, "a b.csv");
  writeFileSync(path, "a\n1\n");
  const columns = [{ name: "a", type: "Integer" }];
  expect((await Frame.fromCSV(pathToFileURL(path), { columns })).toJSON()).toEqual([{ a: 1 }]);
  await prices.toParquet(join(folder, "p.parquet"));
  expect((await Frame.fromParquet(pathToFileURL(join(folder, "p.parquet")))).numRows).toBe(2);
  await prices.toArrow(join(folder, "p.arrows"));
  expect((await Frame.fromArrow(pathToFileURL(join(folder, "p.arrows")))).numRows).toBe(2);
  const buffer = new Uint8Array(Buffer.from("a\n2\n")).buffer;
  expect((await Frame.fromCSV(loose(buffer), { columns })).toJSON()).toEqual([{ a: 2 }]);
});
