import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { connect } from "../../src/connect.js";
import { serviceOf } from "../faults/bulk-fixtures.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { runs } from "../support/whole.js";
import { pagedTable, rowsOf } from "./paged-table.js";

const KEY = "canary-key-0123456789abcdef-checkpoint";
const table = await pagedTable();
const root = temporaryFolder("checkpoints");
afterAll(async () => {
  await table.server.close();
});

let checkpoint = "";
let said: string[] = [];
beforeEach(() => {
  checkpoint = join(temporaryFolder("c"), "rows.checkpoint");
  said = [];
  Object.assign(table, {
    rows: rowsOf(35),
    expired: false,
    refreshed: "2024-03-01T00:00:00.000Z",
    onRows() {},
    onMetadata() {},
  });
});

const query = (apiKey = KEY) =>
  serviceOf(table.server, { apiKey, retry: { attempts: 1 }, warn: (message) => void said.push(message) }).table("V/T");
const csv = async (): Promise<string> => (await query().frame({ checkpoint })).toCSV();
const expected = async (): Promise<string> => (await query().frame()).toCSV();

/** Reads until the rows of the n-th page are requested, and stops there. */
async function stopped(pages: number, of = query()): Promise<void> {
  let seen = 0;
  for await (const _ of of.batches({ checkpoint })) if (++seen === pages) return;
}

/** Requests for rows that `work` sends. */
async function requests(work: () => Promise<unknown>): Promise<number> {
  const before = table.requests();
  await work();
  return table.requests() - before;
}

describe("a checkpoint", () => {
  it("is resumed by frame() and by batches(), without a page requested twice", async () => {
    const whole = await expected();
    await stopped(2);
    const other = join(root, "copy");
    copyFileSync(checkpoint, other);
    expect(await requests(async () => expect(await csv()).toBe(whole))).toBe(2);
    expect(said).toEqual([]);
    const batches: number[] = [];
    const pages = await requests(async () => {
      for await (const { numRows } of query().batches({ checkpoint: other })) batches.push(numRows);
    });
    expect({ batches, pages }).toEqual({ batches: [10, 10, 10, 5], pages: 2 });
    expect(await requests(async () => expect(await csv()).toBe(whole))).toBe(0);
  });

  it("that holds enough rows for a limit is read without a request for rows", async () => {
    const limited = (rows: number) => query().limit(rows);
    await stopped(2, limited(25) as never);
    const whole = (await limited(25).frame()).toCSV();
    const read = async (rows: number): Promise<string> => (await limited(rows).frame({ checkpoint })).toCSV();
    expect(await requests(async () => expect(await read(25)).toBe(whole))).toBe(1);
    expect(await requests(async () => expect(await read(25)).toBe(whole))).toBe(0);
    table.expired = true;
    expect(await requests(async () => expect(await read(25)).toBe(whole))).toBe(0);
    expect(said).toEqual([]);
  });

  it("ends with a frame that says where it is from, as without one", async () => {
    const { source } = await query().frame({ checkpoint });
    expect(source).toEqual((await query().frame()).source);
    expect((await query().frame({ checkpoint })).source).toEqual(source);
  });

  it("of an earlier refresh starts over and says why", async () => {
    await stopped(2);
    table.rows = rowsOf(35, 2);
    table.refreshed = "2024-03-02T00:00:00.000Z";
    const whole = await expected();
    expect(await requests(async () => expect(await csv()).toBe(whole))).toBe(4);
    expect(said).toEqual([
      `V/T is read from the start: the table was refreshed at 2024-03-02T00:00:00Z (${checkpoint}).`,
    ]);
  });

  it("of a table that is refreshed twice within a second holds the later rows", async () => {
    const began = Date.now();
    table.refreshed = new Date(began).toISOString();
    table.onRows = () => Object.assign(table, { rows: rowsOf(35, Date.now() < began + 500 ? 1 : 2) });
    await csv();
    await sleep(began + 500 - Date.now());
    expect(await csv()).toBe(await expected());
  });

  it("is kept where the metadata cannot be requested for a while", async () => {
    const whole = await expected();
    await stopped(2);
    for (const request of [1, 2]) {
      let asked = 0;
      table.onMetadata = () => (++asked === request ? { status: 503, body: "busy" } : undefined);
      await expect(csv()).rejects.toMatchObject({ status: 503 });
    }
    table.onMetadata = () => undefined;
    expect(await requests(async () => expect(await csv()).toBe(whole))).toBe(0);
    expect(said).toEqual([]);
  });

  it("whose table is refreshed while it is resumed holds no mixture", async () => {
    await stopped(2);
    table.onRows = () => {
      table.onRows = () => undefined;
      table.rows = rowsOf(35, 3);
      table.refreshed = "2024-03-03T00:00:00.000Z";
    };
    const frame = await csv();
    expect(frame).toBe(await expected());
    expect(said.join()).toContain("was refreshed while its pages were read");
    expect(await requests(csv)).toBe(0);
  });

  it("of a service that does not say when it refreshed the table is not resumed", async () => {
    table.refreshed = null;
    await stopped(2);
    expect(await requests(csv)).toBe(4);
    expect(said.join()).toContain("the service does not say when the table was last refreshed");
  });

  it.each([
    ["another filter", (key: string) => query(key).where({ ticker: "T1" })],
    ["other columns", (key: string) => query(key).select("id", "price")],
    ["another page size", (key: string) => query(key).pageSize(7)],
    ["another key", () => query(`${KEY}-2`)],
  ])("of %s starts over and says so", async (_, change) => {
    await stopped(2);
    await change(KEY)
      .frame({ checkpoint })
      .catch(() => undefined);
    expect(said).toEqual([`V/T is read from the start: the checkpoint is of another query (${checkpoint}).`]);
  });

  it("of other types of cells starts over", async () => {
    await stopped(2);
    const floats = await query().frame({ checkpoint, decimals: "float64" });
    expect(floats.toCSV()).toBe((await query().frame({ decimals: "float64" })).toCSV());
    expect(said.join()).toContain("of another query");
  });

  it.each(["frame", "batches"])("whose cursor has expired starts over in %s()", async (method) => {
    await stopped(2);
    table.expired = true;
    table.onRows = () => {
      // The reading that starts over gets cursors that are accepted.
      table.onRows = () => {
        table.expired = false;
      };
    };
    const whole = rowsOf(35).length;
    let rows = 0;
    if (method === "frame") rows = (await query().frame({ checkpoint })).numRows;
    else for await (const { numRows } of query().batches({ checkpoint })) rows += numRows;
    expect(rows).toBe(whole);
    expect(said).toEqual(["V/T is read from the start: the service no longer accepts the kept cursor."]);
  });

  it("of any length resumes with the pages that are complete", async () => {
    await stopped(4);
    const bytes = readFileSync(checkpoint);
    const whole = await expected();
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: bytes.length }), async (length) => {
        writeFileSync(checkpoint, bytes.subarray(0, length));
        try {
          expect(await csv()).toBe(whole);
        } catch (error) {
          // The beginning of the first line alone may be that of any file.
          expect({ code: (error as { code?: string }).code, isShort: length < 87 }).toEqual({
            code: "BadCheckpoint",
            isShort: true,
          });
        }
      }),
      { numRuns: runs(40) },
    );
  });

  it("with a changed byte is never mixed with it", async () => {
    await stopped(4);
    const bytes = readFileSync(checkpoint);
    const lengths = [...bytes.toString("latin1").matchAll(/ [0-9a-f]{8} [0-9a-f]{12}\n/g)];
    const isOfLength = (at: number): boolean =>
      lengths.some(({ index, 0: text }) => at - index < text.length && at >= index);
    const whole = await expected();
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const damaged = Buffer.from(bytes);
        damaged[at] ^= change;
        writeFileSync(checkpoint, damaged);
        said = [];
        try {
          expect(await csv()).toBe(whole);
          // With another length, the file may look as if its end was never written.
          if (said.length > 0 || !isOfLength(at)) expect(said.join()).toMatch(/damaged/);
        } catch (error) {
          expect({ code: (error as { code?: string }).code, at: at < 87 }).toEqual({ code: "BadCheckpoint", at: true });
        }
      }),
      { numRuns: runs(40) },
    );
  });

  it("is never written over a file that is not one", async () => {
    writeFileSync(checkpoint, "ticker,id\nAAA,1\n".repeat(100));
    const before = readFileSync(checkpoint, "utf8");
    await expect(csv()).rejects.toMatchObject({ name: "FileError", code: "BadCheckpoint" });
    expect(readFileSync(checkpoint, "utf8")).toBe(before);
    expect(readdirSync(join(checkpoint, ".."))).toEqual(["rows.checkpoint"]);
  });

  it("is held by one reading at a time", async () => {
    const first = query().batches({ checkpoint });
    await first.next();
    await expect(csv()).rejects.toMatchObject({
      code: "CheckpointInUse",
      message: expect.stringContaining(`process ${process.pid}`),
    });
    await first.return(undefined);
    expect(existsSync(`${checkpoint}.lock`)).toBe(false);
    expect(await csv()).toBe(await expected());
  });

  it("contains no key; a page that does is not kept", async () => {
    await csv();
    expect(readFileSync(checkpoint, "latin1")).not.toContain("canary");
    table.rows = rowsOf(35).map((row, i) => (i === 15 ? [KEY, ...row.slice(1)] : row)) as typeof table.rows;
    table.refreshed = "2024-03-05T00:00:00.000Z";
    expect(await csv()).toContain(KEY);
    expect(readFileSync(checkpoint, "latin1")).not.toContain("canary");
    expect(said.join()).toContain("contains the API key and is not kept");
    expect(await requests(async () => expect(await csv()).toContain(KEY))).toBe(3);
  });

  it("in a folder that does not exist is created with it; a folder is an error", async () => {
    checkpoint = join(root, "new", "folder", "rows.checkpoint");
    expect(await csv()).toBe(await expected());
    checkpoint = root;
    await expect(csv()).rejects.toMatchObject({ name: "FileError" });
    await expect(query().frame({ checkpoint: "" })).rejects.toMatchObject({ code: "BadArgument" });
  });
});

it.each(["json", "xml", "csv"] as const)("a checkpoint keeps pages in %s, and those of split lists", async (format) => {
  const service = await connect.sample({ onProgress: false });
  const tickers = Array.from({ length: 2_000 }, (_, i) => `LONG-TICKER-${i}`);
  const long = service
    .table("MARKET/PRICES")
    .format(format)
    .pageSize(700)
    .where({ ticker: ["AAA", ...tickers, "BBB", "CCC"] });
  expect((await long.explain()).requests.least).toBeGreaterThan(1);
  const whole = await long.frame();
  let pages = 0;
  for await (const _ of long.batches({ checkpoint })) if (++pages === 2) break;
  const frame = await long.frame({ checkpoint });
  expect(frame.toCSV()).toBe(whole.toCSV());
  expect(frame.source).toEqual(whole.source);
  await service.close();
});
