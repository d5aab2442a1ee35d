import { readdirSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bulkFile } from "../../src/client/bulk/local-bulk-file.js";
import { connect } from "../../src/client/service.js";
import { sparkline } from "../../src/display/base/sparkline.js";
import { isArrowbookError } from "../../src/errors/errors.js";
import { Frame } from "../../src/frame/frame.js";
import { arrowBatches, csvBatches, jsonLinesBatches, parquetBatches } from "../../src/index.js";
import { columnSpecs } from "../support/column-specs.js";
import { temporaryFolder } from "../support/temporary-folder.js";

/* Every error for a bad argument says what, where and what next: no TypeError from inside. */

/* A string is a path to some methods: what they write goes to a folder of its own. */
const folder = temporaryFolder("junk");
const before = process.cwd();
beforeAll(() => process.chdir(folder));
afterAll(() => {
  process.chdir(before);
});

const JUNK: readonly unknown[] = [
  ...[undefined, null, true, 0, -1, 2.5, Number.NaN, Number.POSITIVE_INFINITY, 10n, "", "junk", "date", Symbol("junk")],
  ...[[], [null], ["junk"], [["date", "up"]], {}, { junk: 1 }, { x: null, y: 5, columns: 3, values: null }],
  ...[() => 1, () => Symbol("junk"), new Date(Number.NaN), new Map(), Promise.resolve(1), new Uint8Array(3), /x/],
];

const columns = columnSpecs({ ticker: "String", date: "Date", close: "BigDecimal(10,2)", volume: "double" });
const rows = ["2024-01-01", "2024-01-02", "2024-02-01"].map((date, i) => ({
  ticker: "A",
  date,
  close: `${i}.50`,
  volume: i,
}));
const frame = Frame.fromRows(rows, columns);
const empty = Frame.fromRows([], columns);
const chart = frame.plot();
const service = connect({
  url: "http://127.0.0.1:9",
  fetch: () => Promise.reject(new Error("nothing is sent")),
  retry: { attempts: 1 },
  limits: { windows: [] },
});

/** Methods that need another package or are distinguished by a file: the rest of their options is tested elsewhere. */
const SKIPPED = new Set(["constructor", "sql", "toDanfo", "close"]);

function* methodsOf(target: object): Generator<[string, (...args: unknown[]) => unknown]> {
  for (
    let at = target;
    at !== null && at !== Object.prototype && at !== Function.prototype;
    at = Object.getPrototypeOf(at)
  ) {
    for (const name of Object.getOwnPropertyNames(at)) {
      const { value } = Object.getOwnPropertyDescriptor(at, name) as PropertyDescriptor;
      if (typeof value === "function" && !SKIPPED.has(name) && !/^[A-Z]/.test(name)) yield [name, value.bind(target)];
    }
  }
}

/** Uses what came back as far as a caller would at once. */
async function used(result: unknown): Promise<void> {
  const value = await result;
  if (typeof value === "object" && value !== null && Symbol.iterator in value)
    for (const _ of value as Iterable<unknown>) break;
  if (typeof value === "object" && value !== null && Symbol.asyncIterator in value)
    for await (const _ of value as AsyncIterable<unknown>) break;
}

async function faultOf(call: () => unknown): Promise<string | undefined> {
  try {
    await used(call());
    return undefined;
  } catch (error) {
    if (!isArrowbookError(error)) return inspect(error).split("\n").slice(0, 4).join(" ");
    return error.message.trim().length > 0 ? undefined : "an empty message";
  }
}

async function faultsOf(name: string, call: (...args: unknown[]) => unknown): Promise<string[]> {
  const faults: string[] = [];
  const lists = [
    ...JUNK.map((one) => [one]),
    ...JUNK.map((one) => ["close", one]),
    ...JUNK.map((one) => ["monthly", one]),
  ];
  for (const args of lists) {
    const fault = await faultOf(() => call(...args));
    if (fault !== undefined)
      faults.push(`${name}(${args.map((arg) => inspect(arg, { depth: 0 })).join(", ")}): ${fault}`);
  }
  return faults;
}

it.each([
  ["a frame", frame],
  ["a frame without rows", empty],
  ["the class Frame", Frame],
  ["a column", frame.column("close")],
  ["groups", frame.groupBy("ticker")],
  ["a chart", chart],
  ["a service", service],
  ["a table", service.table("A/B")],
  ["a dataset", service.dataset("A/B")],
  ["a database", service.database("A")],
  ["a bulk file", bulkFile(join(folder, "missing.zip"))],
])("%s", async (_, target) => {
  const faults: string[] = [];
  for (const [name, call] of methodsOf(target)) faults.push(...(await faultsOf(name, call)));
  expect(faults).toEqual([]);
});

it("functions", async () => {
  const faults: string[] = [];
  const all = { connect, sparkline, bulkFile: (...args: unknown[]) => bulkFile(...(args as [string])).status() };
  for (const [name, call] of Object.entries(all)) faults.push(...(await faultsOf(name, call as never)));
  expect(faults).toEqual([]);
});

it.each([
  ["fromCSV", (given: unknown) => Frame.fromCSV(given as string, { columns: "header" })],
  ["fromJSONLines", (given: unknown) => Frame.fromJSONLines(given as string)],
  ["csvBatches", (given: unknown) => csvBatches(given as string, { columns: "header" }).next()],
  ["jsonLinesBatches", (given: unknown) => jsonLinesBatches(given as string).next()],
  ["parquetBatches", (given: unknown) => parquetBatches(given as string).next()],
  ["arrowBatches", (given: unknown) => arrowBatches(given as string).next()],
] as const)("%s refuses what is neither a path nor bytes", async (name, read) => {
  for (const given of [undefined, null, 5, [], {}, [5], Promise.resolve("a.csv")]) {
    const error = await (async () => read(given))().catch((thrown: unknown) => thrown);
    expect(error, inspect(given)).toMatchObject({ name: "InputError", message: expect.stringContaining(`${name}()`) });
  }
});

it.each([
  [() => frame.head(Symbol("x") as never), "head() does not accept a symbol.", /0 or more/],
  [() => frame.tail(-1), "tail() does not accept -1.", /0 or more/],
  [() => frame.slice("a" as never), 'slice() expects row numbers; got "a".', /row numbers/],
  [() => frame.plot(null as never), "plot() expects an options object; got null.", /"x", "y"/],
  [() => frame.plot({ mark: "lien" as never }), 'There is no mark "lien" to plot.', /Did you mean "line"/],
  [() => frame.plot({ y: "clsoe" as never }), 'There is no column "clsoe" to plot.', /Did you mean "close"/],
  [() => frame.plot({ width: "wide" as never }), 'plot() cannot use "wide" as width.', /pixels/],
  [() => frame.plot().toPNG({ scale: 0 }), "toPNG() expects a scale above 0; got 0.", /above 0/],
  [() => Frame.fromDanfo(5 as never), /fromDanfo\(\) expects a Danfo frame; 5 has/, /danfojs-node/],
  [() => frame.sort(null as never), "sort() does not accept null.", /"date", "desc"/],
  [
    () => frame.select(undefined as never),
    "Expected the name or position of one column; got undefined.",
    /column name or a position/,
  ],
  [() => frame.filter(5 as never), "filter() does not accept 5.", /one boolean per row/],
  [() => frame.rename({ close: 5 as never }), "Column names must be strings; got 5.", /string/],
  [() => Frame.align([]), /./, /./],
  [() => Frame.concat([]), "concat() expects at least one frame.", /frames/],
  [() => bulkFile(5 as never), "bulkFile() expects the path of a zip file; got 5.", /Frame\.fromZip/],
])("says what, where and what next: %s", (call, message, hint) => {
  const error = (() => {
    try {
      call();
    } catch (thrown) {
      return thrown as { message: string; hint?: string };
    }
    throw new Error("nothing was thrown");
  })();
  if (typeof message === "string") expect(error.message).toBe(message);
  else expect(error.message).toMatch(message);
  expect(error.hint).toMatch(hint);
});

it("describe() of a frame without rows counts nothing", () => {
  const [count] = empty.describe().rows();
  expect(count).toMatchObject({ close: 0, volume: 0 });
});

it("leaves nothing in the working folder", () => {
  expect(readdirSync(folder)).toContain("junk");
  expect(readdirSync(before).filter((name) => readdirSync(folder).includes(name))).toEqual([]);
});

it("text that UTF-8 cannot hold is refused, not changed", () => {
  const lone = `a${String.fromCharCode(0xd800)}`;
  const refused = expect.objectContaining({ code: "BadArgument", column: "t" });
  expect(() => Frame.fromRows([{ t: lone }])).toThrow(refused);
  expect(() => Frame.fromColumns({ t: ["x", lone] })).toThrow(refused);
  expect(() => Frame.fromRows([{ n: 1 }]).with({ t: () => lone })).toThrow(refused);
  expect(
    Frame.fromRows([{ t: "😀" }])
      .column("t")
      .get(0),
  ).toBe("😀");
});

it("a negative zero stays one in a declared column of doubles", () => {
  const zero = Frame.fromRows([{ z: -0, t: -0 }], columnSpecs({ z: "double", t: "String" }));
  expect(zero.column("z").get(0)).toBe(-0);
  expect(zero.column("t").get(0)).toBe("0");
});
