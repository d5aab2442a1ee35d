import { expect, it } from "vitest";
import { csvTable } from "../../src/columns/csv/reader.js";
import { duckdb } from "../../src/duckdb.js";
import { Frame } from "../../src/frame/frame.js";
import { get, sampleOf, started } from "../server/support.js";
import { columnSpecs } from "../support/column-specs.js";

const columns = columnSpecs({ ticker: "String", date: "Date", close: "BigDecimal(15,4)", wide: "BigDecimal(50,28)" });

it("takes a Frame and answers with Frames", async () => {
  const engine = await duckdb();
  const bytes = new TextEncoder().encode(
    "ticker,date,close,wide\nAAA,2024-02-29,1.5000,1.0000000000000000000000000001\nBBB,,,\n",
  );
  const frame = Frame.from(csvTable(bytes, { columns }));
  expect(await engine.load("prices", frame, { key: ["ticker"] })).toEqual({ rows: 2 });
  const back = await engine.query("SELECT * FROM prices WHERE ticker = $1", ["AAA"]);
  expect(back).toBeInstanceOf(Frame);
  expect(back.columns).toEqual(columns);
  expect(back.column("close").toStrings()).toEqual(["1.5000"]);
  expect(back.column("wide").toStrings()).toEqual(["1.0000000000000000000000000001"]);
  expect([...(await engine.query("SELECT date FROM prices ORDER BY ticker")).rows()]).toEqual([
    { date: "2024-02-29" },
    { date: null },
  ]);
  const sizes: number[] = [];
  for await (const batch of engine.batches("SELECT * FROM prices")) sizes.push(batch.numRows);
  expect(sizes).toEqual([2]);
  await engine.close();
});

it("loads a table of the service and agrees with it on a sum", async () => {
  const service = await started({ data: sampleOf("MARKET/PRICES") });
  const { text } = await get(service, "/datatables/MARKET/PRICES.csv?ticker=EEE&qopts.columns=ticker,date,close");
  const table = csvTable(new TextEncoder().encode(text), { columns: columns.slice(0, 3) });
  const engine = await duckdb();
  await engine.load("prices", Frame.from(table));
  const answer = await engine.query("SELECT count(*) AS n, sum(close)::VARCHAR AS total FROM prices");
  let sum = 0n;
  for (const value of Frame.from(table).column("close").toBigInts()) sum += value as bigint;
  expect([...answer.rows()]).toEqual([
    { n: 6522, total: `${sum / 10_000n}.${String(sum % 10_000n).padStart(4, "0")}` },
  ]);
  await engine.close();
});

it("a service keeps its rows in it (the engine whose answers are Frames), and leaves it open", async () => {
  const engine = await duckdb();
  const service = await started({ data: sampleOf("LABOR"), engine });
  const { text } = await get(service, "/datasets/LABOR/EMPLOYMENT.csv?limit=1");
  expect(text.split("\n")[1]).toMatch(/^\d{4}-/);
  await service.close();
  expect((await engine.query("SELECT 1 AS one")).column("one").get(0)).toBe(1);
  await engine.close();
});

it("takes one key column by its name, and refuses values that are not an array", async () => {
  const engine = await duckdb();
  const one = (a: number) => Frame.fromRows([{ d: "x", a }], columnSpecs({ d: "String", a: "Integer" }));
  await engine.load("t", one(1), { key: "d" });
  await engine.load("t", one(2), { key: "d", mode: "append" });
  expect([...(await engine.query("SELECT * FROM t WHERE d = $1", ["x"])).rows()]).toEqual([{ d: "x", a: 2 }]);
  const refused = (answer: Promise<unknown>, code: string) =>
    expect(answer).rejects.toThrow(expect.objectContaining({ name: "InputError", code }));
  await refused(engine.query("SELECT $t", { t: "A" } as never), "BadArgument");
  await refused(engine.batches("SELECT $1", "A" as never).next(), "BadArgument");
  await refused(engine.load("t", one(1), { keys: "d" } as never), "UnknownOption");
  await refused(engine.load("t", one(1), { mode: "add" } as never), "UnknownValue");
  await refused(engine.load("t", one(1), { key: "e" }), "UnknownColumn");
  await engine.close();
});
