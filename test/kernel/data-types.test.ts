import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findKernel } from "../../src/kernel/install/kernelspec.js";
import { type KernelClient, startKernel } from "../../src/kernel/protocol/jupyter-client.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { longIt } from "../support/whole.js";
import { needBuild } from "./build.js";

/* The compiler has the columns of the values that cells hold, without declarations. */
const folder = temporaryFolder("types");
const POLL = { timeout: 120_000 } as const;
const COLUMNS = ["close", "date", "high", "low", "open", "ticker", "volume"];

let kernel: KernelClient;

beforeAll(async () => {
  needBuild();
  kernel = await startKernel(findKernel("arrowbook"), { folder, env: { ...process.env, ARROWBOOK_URL: "" } });
});

afterAll(async () => {
  await kernel.shutdown();
});

const run = async (code: string): Promise<unknown> => {
  const { reply, published } = await kernel.execute(code, { timeout: 120_000 });
  if (reply.content["status"] !== "ok") return `${reply.content["ename"]}: ${reply.content["evalue"]}`;
  const shown = published.find((message) => message.header.msg_type === "execute_result");
  return (shown?.content["data"] as Record<string, unknown> | undefined)?.["text/plain"];
};

/** The completions at `|`. */
const matches = async (code: string): Promise<string[]> => {
  const cursor = code.indexOf("|");
  const content = { code: code.replace("|", ""), cursor_pos: cursor };
  return (await kernel.request("complete_request", content)).reply.content["matches"] as string[];
};

describe("before any cell has run", () => {
  it("completion requests the columns of a table, and of a series, in the very first cell", async () => {
    // The sample starts with the first completion that uses it, which may take longer than a completion waits.
    await expect.poll(() => matches(`service.table("MARKET/PRICES").select("|")`), POLL).toEqual(COLUMNS);
    expect(await matches(`service.table("MARKET/PRICES").where({ | })`)).toEqual(["date", "ticker"]);
    await expect
      .poll(() => matches(`service.dataset("MARKET/AAA").column("|")`), POLL)
      .toEqual(expect.arrayContaining(["Close", "Open"]));
    expect(await matches(`(await service.table("MARKET/PRICES").frame()).sort("|")`)).toEqual(COLUMNS);
  });
});

describe("the row type of a frame", () => {
  it("is that of its schema in the next cells", async () => {
    expect(await run(`const f = await service.table("MARKET/PRICES").where({ ticker: "AAA" }).frame();`)).toBe(
      undefined,
    );
    expect(await matches(`f.select("|")`)).toEqual(COLUMNS);
    expect(await matches(`f.filter((row) => row.|)`)).toEqual(COLUMNS);
    expect(await run(`f.select("ticker", "clsoe")`)).toMatch(/TypeScriptError: .*"clsoe"/);
    expect(await run(`f.filter((row) => row.close > 10 && row.ticker.startsWith("A")).numRows > 0`)).toBe("true");
  });

  it("follows patterns, results of SQL, files, pages, and the verbs", async () => {
    writeFileSync(join(folder, "own.csv"), "city,degrees\nOslo,3\nRome,21\n");
    const cells = [
      `const csv = await Frame.fromCSV("own.csv", { columns: [{ name: "city", type: "String" }, { name: "degrees", type: "double" }] });`,
      `const sql = await csv.sql("select city as town, degrees * 2 as twice from this");`,
      `const { frame: series } = await service.dataset("MARKET/AAA").column("Close").data();`,
      `const page = await service.table("MARKET/PRICES").select("date", "close").page();`,
      `const whole = await service.dataset("MARKET/AAA").limit(2).data();`,
      `const [one, two] = await Promise.all([csv.head(1), sql.head(1)]);`,
      `const added = csv.with({ warm: (row) => Number(row.degrees) > 10 });`,
      `const degrees = csv.column("degrees");`,
    ];
    for (const cell of cells) expect(await run(cell), cell).toBe(undefined);
    expect(await matches(`csv.select("|")`)).toEqual(["city", "degrees"]);
    expect(await matches(`sql.column("|")`)).toEqual(["town", "twice"]);
    expect(await matches(`series.sort("|")`)).toEqual(["Close", "Date"]);
    expect(await matches(`page.frame.sort("|")`)).toEqual(["close", "date"]);
    expect(await matches(`whole.frame.sort("|")`)).toEqual(expect.arrayContaining(["Close", "Date"]));
    expect(await matches(`two.sort("|")`)).toEqual(["town", "twice"]);
    expect(await matches(`added.sort("|")`)).toEqual(["city", "degrees", "warm"]);
    expect(await run("degrees.contains('x')")).toMatch(/TypeScriptError/);
    expect(await run("degrees.add(1).get(0)")).toBe("4");
  });

  it("changes when the cell runs again with other columns", async () => {
    expect(await run(`const again = Frame.fromRows([{ a: 1 }]);`)).toBe(undefined);
    expect(await matches(`again.select("|")`)).toEqual(["a"]);
    expect(await run(`const again = Frame.fromRows([{ b: 1, c: 2 }]);`)).toBe(undefined);
    expect(await matches(`again.select("|")`)).toEqual(["b", "c"]);
    expect(await run(`again.select("a")`)).toMatch(/TypeScriptError/);
  });

  it("does not refuse a valid assignment: a let has completions alone", async () => {
    await run(`let loose = Frame.fromRows([{ a: 1 }]);`);
    expect(await matches(`loose.select("|")`)).toEqual(["a"]);
    expect(await run(`loose = Frame.fromRows([{ z: "x" }]); loose.numRows`)).toBe("1");
    expect(await matches(`loose.select("|")`)).toEqual(["z"]);
    expect(await run(`loose.select("z").numRows`)).toBe("1");
  });

  it("leaves declared types alone", async () => {
    await run(`interface Own { x: number }\nconst mine = Frame.fromRows<Own>([{ x: 1, y: 2 }]);`);
    expect(await matches(`mine.select("|")`)).toEqual(["x"]);
    await run(`const any: Frame = Frame.fromRows([{ p: 1 }]);`);
    expect(await run(`any.select("whatever" as string).numRows`)).toMatch(/InputError/);
  });

  longIt("stays usable where any frame is expected", async () => {
    await run(`function rowsIn(frame: Frame): number { return frame.numRows; }`);
    expect(await run("rowsIn(csv)")).toBe("2");
    expect(await run("Frame.concat([csv, csv.head(1)]).numRows")).toBe("3");
    expect(await run(`const list: Frame[] = [csv, sql]; list.length`)).toBe("2");
    expect(await run(`csv.join(sql, { leftOn: "city", rightOn: "town" }).numRows`)).toBe("2");
    expect(await run(`service.datasets([service.dataset("MARKET/AAA"), "MARKET/BBB"]) !== undefined`)).toBe("true");
  });

  longIt("does not refuse frames of different columns as one type", async () => {
    await run(`const wide = Frame.fromRows([{ a: 1, b: 2 }]); const other = Frame.fromRows([{ a: 3, c: "x" }]);`);
    expect(
      await run(`[wide, other, wide.head(1).with({ d: 1 })].map((frame) => frame.column("a").get(0)).join()`),
    ).toBe("1,3,1");
    await run("let either = wide;");
    expect(await run("let both = wide; both = other; both.numRows")).toBe("1");
    expect(await matches(`wide.select("|")`)).toEqual(["a", "b"]);
    expect(await run(`wide.select("z")`)).toMatch(/TypeScriptError/);
    expect(await run(`[wide, other].map((frame) => frame.column("a")); wide.select("z")`)).toMatch(/TypeScriptError/);
  });

  it("supports unusual column names", async () => {
    await run(`const odd = Frame.fromRows([{ "a \\"b\\"": 1, "naïve": 2, "1st": 3, "*/": 4 }]);`);
    expect(await matches(`odd.select("|")`)).toHaveLength(4);
    expect(await run(`odd.select("*/", "1st").numColumns`)).toBe("2");
  });
});

describe("a query", () => {
  it("has the columns of its table once the metadata is known", async () => {
    await run(`const t = service.table("TRANSPORT/FLIGHTS");`);
    // Metadata may take longer than a completion waits; it serves the next completion.
    await expect.poll(() => matches(`t.select("|")`), POLL).toContain("delay");
    expect(await run("1 + 1")).toBe("2");
    expect(await run(`t.select("dealy")`)).toMatch(/TypeScriptError/);
    expect(
      await run(`const d = service.dataset("MARKET/AAA"); const fd = await d.column("Close").limit(1).frame();`),
    ).toBe(undefined);
    await expect.poll(() => matches(`d.column("|")`), POLL).toEqual(expect.arrayContaining(["Close", "Open"]));
    expect(await matches(`fd.select("|")`)).toEqual(["Close", "Date"]);
  });

  it("can be filtered only by what its table filters by", async () => {
    await run(`const p = service.table("MARKET/PRICES");`);
    await expect.poll(() => matches("p.where({ | })"), POLL).toEqual(["date", "ticker"]);
    await run("0");
    expect(await run(`p.where({ close: 1 })`)).toMatch(/TypeScriptError/);
    expect(await run(`(await p.select("close").where({ ticker: "AAA" }).frame()).numRows`)).toBe("6522");
  });
});

describe("a service that is slow or gone", () => {
  let server: Server;
  let requests = 0;
  let abandoned = 0;

  beforeAll(async () => {
    server = createServer((_, response) => {
      requests++;
      response.once("close", () => abandoned++);
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  });

  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  longIt("is asked at most once, and a completion does not wait for its reply", async () => {
    const { port } = server.address() as AddressInfo;
    await run(`const slow = connect({ url: "http://127.0.0.1:${port}", apiKey: "k" });`);
    await matches(`slow.|`);
    expect(await matches(`slow.table("A/B").sel|`)).toContain("select");
    // The request is abandoned after 10 s; a completion waits 300 ms.
    expect(abandoned).toBe(0);
    for (let i = 0; i < 2; i++) expect(await matches(`slow.table("A/B").sel|`)).toContain("select");
    await expect.poll(() => requests, POLL).toBe(1);
  });
});
