import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import Papa from "papaparse";
import { describe, expect, it } from "vitest";
import type { Engine } from "../../src/engine/contract/engine.js";
import { zipEntry } from "../../src/format/zip.js";
import { serve } from "../../src/server.js";
import { forAllAsync } from "../support/for-all.js";
import { runs } from "../support/whole.js";
import { engineUnderTest } from "./engine-under-test.js";
import { databaseEntry, folderOf, get } from "./support.js";

const CODES = ["A", "B", "C"];
const ROWS = 40;

/** A series whose values are all `value`. */
function series(value: number): string {
  const day = (i: number): string => new Date(1.7e12 + 86_400_000 * i).toISOString().slice(0, 10);
  return `Date,v\n${Array.from({ length: ROWS }, (_, i) => `${day(i)},${value}\n`).join("")}`;
}

const columns = Object.fromEntries(CODES.map((code) => [code, ["Date", "v"]]));
const catalog = { databases: [databaseEntry("DB", columns, { premium: true })] };

/** A service each of whose streamed results waits until it is released. */
async function slowService(saving: () => void = () => undefined) {
  const engine = await engineUnderTest();
  const waiting: (() => void)[] = [];
  let isOpen = true;
  const slow: Engine = {
    ...engine,
    async load(name, data, options) {
      if (name === "arrowbook_service") saving();
      return engine.load(name, data, options);
    },
    async *batches(sql, params, options) {
      if (!isOpen) await new Promise<void>((go) => waiting.push(go));
      yield* engine.batches(sql, params, options);
    },
  };
  const files = Object.fromEntries(CODES.map((code) => [`${code}.csv`, series(0)]));
  const folder = folderOf({ "catalog.json": catalog, ...files });
  const start = () => serve({ data: folder, engine: slow, replyCacheBytes: 0 });
  const running = await start();
  return {
    running,
    start,
    waiting,
    close: () => {
      isOpen = false;
    },
    open: () => {
      isOpen = true;
      for (const go of waiting.splice(0)) go();
    },
    /** How many loads of series the engine has rows of. */
    async loads(): Promise<number> {
      const sql = `SELECT count(DISTINCT s) AS n FROM ${engine.dialect.quoteName("series/DB")}`;
      return Number((await engine.query(sql)).getChildAt(0)?.get(0));
    },
    async refresh(code: string, value: number): Promise<void> {
      writeFileSync(join(folder, `${code}.csv`), series(value));
      await running.refresh(`DB/${code}`);
    },
  };
}

type Counts = Record<string, string>;

/** Of each series: number of rows, and their values. */
const summary = (rows: readonly (readonly string[])[]): Counts =>
  Object.fromEntries(
    [...new Set(rows.map(([code]) => code))].map((code) => {
      const own = rows.filter((row) => row[0] === code);
      return [code, `${own.length} × ${[...new Set(own.map((row) => Number(row[2])))].join(" and ")}`];
    }),
  );

async function bulk(service: { readonly url: string }, type: string): Promise<Counts> {
  const reply = await fetch(`${service.url}/api/v3/databases/DB/data?download_type=${type}&api_key=sample`);
  const entry = await zipEntry(new Uint8Array(await reply.arrayBuffer()));
  let text = "";
  for await (const chunk of entry.chunks()) text += Buffer.from(chunk).toString();
  return summary(Papa.parse<string[]>(text, { skipEmptyLines: true }).data.slice(1));
}

async function dataset(service: { readonly url: string }, code: string): Promise<Counts> {
  const { text } = await get(service, `/datasets/DB/${code}.csv`);
  const { data } = Papa.parse<string[]>(text, { skipEmptyLines: true });
  return summary(data.slice(1).map((row) => [code, ...row]));
}

const all = (rows: number, values: Readonly<Record<string, number>>, codes = CODES): Counts =>
  Object.fromEntries(codes.map((code) => [code, `${rows} × ${values[code]}`]));

const KINDS = ["full", "partial", ...CODES] as const;

describe("series that are refreshed while they are read", () => {
  it("bulk files and replies have the rows of one state, however refreshes and reads overlap", async () => {
    const action = fc.oneof(
      fc.record({ read: fc.constantFrom(...KINDS) }),
      fc.record({ refresh: fc.constantFrom(...CODES) }),
      fc.record({ go: fc.nat(20) }),
    );
    const service = await slowService();
    let value = 0;
    const current: Record<string, number> = Object.fromEntries(CODES.map((code) => [code, 0]));
    await forAllAsync(
      { numRuns: runs(12), endOnFailure: true },
      fc.array(action, { minLength: 8, maxLength: 25 }),
      async (actions) => {
        service.close();
        const reads: Promise<void>[] = [];
        for (const step of actions) {
          if ("refresh" in step) {
            await service.refresh(step.refresh, ++value);
            current[step.refresh] = value;
          } else if ("read" in step) {
            const kind = step.read;
            const isBulk = kind === "full" || kind === "partial";
            const expected = isBulk ? all(kind === "full" ? ROWS : 1, current) : all(ROWS, current, [kind]);
            const read = isBulk ? bulk(service.running, kind) : dataset(service.running, kind);
            reads.push(read.then((found) => expect(found).toEqual(expected)));
            // The request has reached the service.
            await get(service.running, "/databases/DB/metadata.json");
          } else if (service.waiting.length > 0) service.waiting.splice(step.go % service.waiting.length, 1)[0]();
        }
        service.open();
        await Promise.all(reads);
        await expect.poll(service.loads, { timeout: 60_000 }).toBe(CODES.length);
      },
    );
    await service.running.close();
  });

  it("a file that waits for one of an older state is complete", async () => {
    const service = await slowService();
    service.close();
    const first = bulk(service.running, "full");
    await expect.poll(() => service.waiting.length).toBe(1);
    for (const code of CODES) await service.refresh(code, 1);
    const second = bulk(service.running, "full");
    await get(service.running, "/databases/DB/metadata.json");
    for (const value of [2, 3]) for (const code of CODES) await service.refresh(code, value);
    service.open();
    expect(await first).toEqual(all(ROWS, { A: 0, B: 0, C: 0 }));
    expect(await second).toEqual(all(ROWS, { A: 1, B: 1, C: 1 }));
    expect(await bulk(service.running, "full")).toEqual(all(ROWS, { A: 3, B: 3, C: 3 }));
    await expect.poll(service.loads, { timeout: 60_000 }).toBe(CODES.length);
    await service.running.close();
  });

  it("a refresh whose state cannot be saved keeps the rows, in this run and the next", async () => {
    let isFull = false;
    const service = await slowService(() => {
      if (isFull) throw new Error("the disk is full");
    });
    isFull = true;
    for (const value of [1, 2]) await expect(service.refresh("A", value)).rejects.toThrow("the disk is full");
    expect(await dataset(service.running, "A")).toEqual({ A: `${ROWS} × 0` });
    isFull = false;
    await service.running.close();
    const next = await service.start();
    expect(await dataset(next, "A")).toEqual({ A: `${ROWS} × 2` });
    await next.close();
  });
});
