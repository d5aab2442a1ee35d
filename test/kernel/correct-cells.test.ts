import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { longIt } from "../support/whole.js";
import { needBuild } from "./build.js";
import { type Cells, startCells } from "./cells.js";

/* Cells that are correct run, whatever the compiler has concluded about the columns of their frames. */
let cells: Cells;

beforeAll(async () => {
  needBuild();
  cells = startCells();
  expect(
    await cells.run(
      `import { connect, Frame } from "arrowbook";
       const service = await connect.sample();
       const prices = await service.table("MARKET/PRICES").where({ ticker: ["AAA", "BBB"] }).limit(60).frame();
       const one = prices.filter((row) => row.ticker === "AAA");
       const names = Frame.fromRows([{ ticker: "AAA", name: "Alpha", close: 1 }, { ticker: "BBB", name: "Beta", close: 2 }]);
       const typed = Frame.fromColumns({ ticker: ["AAA", "BBB"], name: ["Alpha", "Beta"], close: [1, 2] });
       const which: string = "close";`,
    ),
  ).toEqual([undefined]);
});

afterAll(() => cells.executor.close());

/** Frames whose columns have other names than those that they are made from. */
const FRAMES = [
  `prices.rolling(3, "mean", { columns: "close", suffix: "_3" })`,
  `prices.rolling(3, "max", { suffix: "_" + 3 })`,
  `prices.ewm({ span: 3, columns: ["close"], suffix: "_e" })`,
  `prices.ewm({ span: 3, suffix: "_e" }, "std")`,
  ...["shift", "diff", "pctChange"].map((verb) => `prices.${verb}(1, { columns: "close", suffix: "_${verb}" })`),
  ...["returns", "cumsum", "cumprod", "cummax", "cummin", "drawdown"].map(
    (verb) => `prices.${verb}({ columns: "close", suffix: "_${verb}" })`,
  ),
  `one.collapse("weekly", { value: { close: "ohlc" } })`,
  `one.collapse("weekly", { value: { close: "ohlc", volume: "sum" } })`,
  `one.select("date", "close").collapse("monthly", { value: "ohlc" })`,
  `one.resample("weekly", { value: { close: "ohlc" } })`,
  `one.query({ collapse: "weekly", value: { close: "ohlc" } })`,
  `prices.rolling(3, "mean", { columns: "close", suffix: "_3" }).returns({ columns: "close_3", suffix: "_r" })`,
  `prices.rolling(3, "mean", { columns: "close", suffix: "_3" }).with({ twice: (row) => 2 * row.close_3 }).sort("close_3")`,
  `prices.join(names, { on: "ticker" })`,
  `prices.join(typed, { on: "ticker" })`,
  `typed.join(typed, { on: ["ticker"], how: "left" })`,
  `typed.join(typed, { leftOn: "ticker", rightOn: "ticker", how: "outer" })`,
  `typed.join(typed, { on: "ticker", suffixes: ["_a", "_b"] })`,
  `typed.join(typed.head(1), { how: "cross", suffixes: ["", "_b"] })`,
  `prices.join(typed, { on: "ticker", how: "semi" })`,
  `one.asof(one, { by: [] })`,
  `one.asof(one.select("date", "close"), { suffix: "_then" })`,
  `Frame.align([one.select("date", "close"), one.select("date", "open")])`,
  `Frame.align([one.select("date", "close"), one.select("date", "close")])`,
  `Frame.align([one.select("date", "close"), one.select("date", "close")], { on: "date", suffixes: ["_a", "_b"] })`,
  `Frame.align([1, 2].map(() => one.select("date", "close")))`,
  `typed.unpivot({ index: "ticker", of: ["close"] })`,
  `typed.unpivot({ index: ["ticker"], of: "close", columns: "field", values: "cell" })`,
  `typed.select("name", "close").unpivot({ index: "name" })`,
  `prices.pivot({ index: "date", columns: "ticker", values: "close" })`,
  `prices.groupBy("ticker").agg({ close: "mean", volume: ["sum", "max", { quantile: 0.9 }] })`,
  `prices.groupBy("ticker").count()`,
  `prices.valueCounts("ticker")`,
  `prices.rename({ close: "last" })`,
  `prices.rename({ [which]: "last" })`,
  `prices.rename(prices.columns.map(({ name }) => name + "_x"))`,
  `prices.with({ x: 1, ["y"]: [...prices.column("close")] })`,
  `prices.with({ [which + "_z"]: (row) => row.close })`,
  `typed.with({ [which + "_z"]: (row) => row.close })`,
  `prices.describe("close")`,
  `prices.describe()`,
  `prices.info()`,
  `one.corr(["open", "close"])`,
  `Frame.concat([prices, prices.with({ ticker: "CCC" })])`,
  `await prices.sql("select close as c, ticker as t from this")`,
];

const columnsOf = async (name: string): Promise<string[]> =>
  (await cells.run(`${name}.columns.map(({ name }) => name)`))[0] as string[];

describe("every column of a result", () => {
  for (const [i, frame] of FRAMES.entries()) {
    (i % 10 === 0 ? it : longIt)(`${frame} is accepted in the same cell and in the next one`, async () => {
      expect(await cells.run(`const made = ${frame};`)).toEqual([undefined]);
      const columns = await columnsOf("made");
      const uses = (name: string): string =>
        `[${name}.select(${columns.map((column) => JSON.stringify(column)).join(", ")}).numColumns,
          ${columns.map((column) => `${name}.column(${JSON.stringify(column)}).length`).join(", ")},
          ${name}.toArray().map((row) => [${columns.map((column) => `row[${JSON.stringify(column)}]`).join(", ")}]).length].length`;
      expect(await cells.run(uses("made"))).toEqual([columns.length + 2]);
      expect(await cells.run(`const same = ${frame};\n${uses("same")}`)).toEqual([columns.length + 2]);
      expect(await cells.run(`let loose = ${frame};`, uses("loose"))).toEqual([undefined, columns.length + 2]);
    });
  }
});

/** Correct cells, one after the other. */
const CORRECT: readonly (readonly string[])[] = [
  ["let made = prices;", `made = prices.with({ x: 1 });`, `made.column("x").get(0)`],
  [`let made = prices; made = prices.with({ x: 1 }); made.column("x").get(0)`],
  [`let made = prices;`, `made = prices.with({ x: 1 }); made.column("x").get(0)`],
  [`let made = typed;`, `made = typed.with({ x: 1 });`, `made.column("x").get(0)`],
  [`let made = typed; made = made.with({ x: 1 }); made.column("x").get(0)`],
  [`let made = typed.column("close");`, `made = typed.column("name"); made.contains("A").length`],
  [`var made = prices; for (const n of [1, 2]) made = made.with({ ["x" + n]: n });`, `made.column("x2").get(0)`],
  [
    `let made = typed; for (const n of ["u", "v"]) made = made.with({ [n]: (row) => row.close }); made.select("u", "v").numColumns`,
  ],
  [`const held = { frame: prices };`, `held.frame = prices.with({ x: 1 });`, `held.frame.column("x").get(0)`],
  [`const list = [prices];`, `list.push(typed); list[0] = typed;`, `list[0].column("name").get(0)`],
  [`for (const name of ["close", "open"]) prices.column(name).length`],
  [`prices.columns.map(({ name }) => prices.column(name).length).length`],
  [
    `const wanted: string[] = ["close"];`,
    `prices.select(wanted).sort(wanted[0]).rolling(2, "mean", { columns: wanted }).numColumns`,
  ],
  [`prices.groupBy("ticker").agg(Object.fromEntries(["close"].map((name) => [name, "mean" as const]))).numRows`],
  [`const p = await service.table("MARKET/PRICES").frame(); p.toArray().map((r) => new Date(r.date)).length`],
  [`const p = await service.table("MARKET/PRICES").frame(); p.toArray().map((r) => r.close * 2)[0]`],
  [`const p = await service.table("MARKET/PRICES").frame(); p.toArray().map((r) => r.ticker?.replaceAll("A", "B"))[0]`],
  [
    `for (const { date, close } of (await service.table("MARKET/PRICES").limit(2).frame()).rows()) new Date(date).getTime() + close;`,
  ],
  [
    `let sum = 0; for await (const batch of service.table("MARKET/PRICES").limit(2).batches()) sum += batch.numRows; sum`,
  ],
  [`const d = await service.dataset("MARKET/AAA").frame(); d.toArray().reduce((sum, r) => sum + r.Close, 0) > 0`],
  [`(await prices.sql("select sum(close) as total from this")).toArray()[0].total.toFixed(1).length`],
  [
    `const q = Frame.fromRows([{ a: 1, b: "x" }]); q.filter((r) => r.a > 0 && r.b.startsWith("x")).with({ c: (r) => r.a * 2 }).column("c").get(0)`,
  ],
];

describe("correct cells run", () => {
  for (const [i, sources] of CORRECT.entries()) {
    (i % 3 === 0 ? it : longIt)(sources.join(" | "), async () => {
      for (const value of await cells.run(...sources)) expect(String(value)).not.toMatch(/Error/);
    });
  }
});

describe("a mistake is refused before the cell runs, once", () => {
  const WRONG = [
    [`prices.column("clsoe")`, /1:15 - There is no column "clsoe"\. Did you mean "close"/],
    [`prices.select("ticker", "clsoe")`, /There is no column "clsoe"/],
    [`typed.join(typed, { on: "tikcer" })`, /There is no column "tikcer"/],
    [`one.collapse("weekly", { value: { clsoe: "ohlc" } })`, /clsoe/],
    [`one.rolling(3, "mean", { columns: "clsoe", suffix: "_3" })`, /There is no column "clsoe"/],
    [`one.rolling(3, "mean", { colums: "close", suffix: "_3" })`, /colums/],
    [`one.rolling("3", "mean")`, /string.*number/],
    [`service.table("MARKET/PRICES").where({ ticker: "AAA" }, { by: 1 })`, /./],
    [`Frame.merge([prices, prices])`, /A Frame has no merge\(\)\. Did you mean a\.join\(.* or Frame\.align/],
    [`typed.merge(typed)`, /or Frame\.align/],
    [`unknownName + 1`, /unknownName/],
    [`new Date({ a: 1 }.b)`, /'b'/],
    [`["a"].map((x) => x.toFixd())`, /toFixd/],
    [`Frame.fromColumns({ a: [1] }).sort(["a", "down"])`, /./],
  ] as const;
  for (const [source, message] of WRONG) {
    it(source, async () => {
      const result = await cells.executor.run(source, 9000);
      if (result.status === "ok") throw new Error("the cell ran");
      expect(result.error.ename).toBe("TypeScriptError");
      expect(result.error.evalue).toMatch(message);
      expect(result.error.traceback.filter((line) => /cell \[9000\]:/.test(line))).toHaveLength(1);
    });
  }
});
