import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { duckdbEngine } from "../../src/engine/duckdb.js";
import type { Engine } from "../../src/engine/engine.js";
import { type Rendered, rendered, replyCache } from "../../src/server/answers/reply-cache.js";
import { slices } from "../../src/server/answers/slices.js";
import { folderOf, get, started } from "./support.js";

const rows = Array.from({ length: 12_000 }, (_, i) => `T${i % 40},2024-01-${10 + (i % 20)},${i}.25\n`).join("");
const table = (file: string) => ({
  vendor_code: "V",
  datatable_code: "T",
  name: "T",
  columns: [
    { name: "ticker", type: "String" },
    { name: "date", type: "Date" },
    { name: "close", type: "BigDecimal(15,4)" },
  ],
  filters: ["ticker"],
  file,
});

/** An engine that counts the questions for pages. */
async function counting(): Promise<{ engine: Engine; pages: () => number }> {
  const engine = await duckdbEngine();
  let pages = 0;
  return {
    engine: {
      ...engine,
      batches(sql, params) {
        if (sql.startsWith("SELECT rowid")) pages++;
        return engine.batches(sql, params);
      },
    },
    pages: () => pages,
  };
}

describe("equal questions on equal rows", () => {
  it("are made once, also at one time, in each format and coding; a refresh makes them again", async () => {
    const data = folderOf({
      "catalog.json": { databases: [], tables: [table("t.csv")] },
      "t.csv": `ticker,date,close\n${rows}`,
    });
    const { engine, pages } = await counting();
    const service = await started({ data, engine });
    const page = (query = "") => get(service, `/datatables/V/T.json${query}`);
    const [first, ...others] = await Promise.all(Array.from({ length: 4 }, () => page()));
    expect(pages()).toBe(1);
    for (const other of [...others, await page()]) {
      expect(other.text).toBe(first.text);
      expect(other.headers.get("cursor_id")).toBe(first.headers.get("cursor_id"));
      expect(other.headers.get("etag")).toBe(first.headers.get("etag"));
    }
    const plain = await fetch(`${service.url}/api/v3/datatables/V/T.json?api_key=sample`, {
      headers: { "accept-encoding": "identity" },
    });
    expect(await plain.text()).toBe(first.text);
    expect(pages()).toBe(1);
    const next = await page(`?qopts.cursor_id=${first.headers.get("cursor_id")}`);
    expect(next.text).not.toBe(first.text);
    await page("?ticker=T1");
    await get(service, "/datatables/V/T.csv");
    expect(pages()).toBe(4);
    await service.refresh("V/T");
    expect((await page()).headers.get("etag")).not.toBe(first.headers.get("etag"));
    expect(pages()).toBe(5);
    await engine.close();
  });

  it("a key without a subscription gets no kept reply", async () => {
    const premium = { ...table("t.csv"), premium: true };
    const data = folderOf({
      "catalog.json": { databases: [], tables: [premium] },
      "t.csv": `ticker,date,close\n${rows}`,
    });
    const apiKeys = { owner: { subscriptions: "all" as const }, guest: { subscriptions: [] } };
    const service = await started({ data, apiKeys });
    expect((await get(service, "/datatables/V/T.json?api_key=owner")).status).toBe(200);
    expect((await get(service, "/datatables/V/T.json?api_key=guest")).status).toBe(403);
  });
});

describe("the cache of replies", () => {
  const of = (size: number): Promise<Rendered> => Promise.resolve(rendered(new Uint8Array(size), {}));

  it("holds at most its bytes, the reply unused for longest goes first, one that is too large is not kept", async () => {
    const cache = replyCache(1_000);
    let made = 0;
    const ask = (tag: string, size = 200) =>
      cache.reply(tag, () => {
        made++;
        return of(size);
      });
    for (const tag of ["a", "b", "c", "d", "e"]) await ask(tag);
    await ask("a");
    expect(made).toBe(5);
    await ask("f");
    await ask("a");
    expect(made).toBe(6);
    await ask("b");
    expect(made).toBe(7);
    await ask("large", 600);
    await ask("large", 600);
    expect(made).toBe(9);
  });

  it("counts the packed form too, and keeps no failure", async () => {
    const cache = replyCache(1_000);
    const bytes = Buffer.from(Array.from({ length: 200 }, (_, i) => (i * 7919) & 255));
    let made = 0;
    const ask = () =>
      cache.reply("x", async () => {
        made++;
        return rendered(bytes, {});
      });
    const reply = await ask();
    expect(gunzipSync(await reply.gzipped()).equals(bytes)).toBe(true);
    await ask();
    expect(made).toBe(2);
    await expect(cache.reply("y", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    await expect(cache.reply("y", () => of(1))).resolves.toBeDefined();
  });
});

describe("long answers", () => {
  const busy = (ms: number): void => {
    for (const until = performance.now() + ms; performance.now() < until; );
  };

  it("are made in slices: the event loop turns between two, and each has its turn", async () => {
    const order: string[] = [];
    let turns = 0;
    let done = false;
    const count = (): void => {
      turns++;
      if (!done) setImmediate(count);
    };
    setImmediate(count);
    const work = async (name: string): Promise<void> => {
      const slice = slices();
      for (let step = 0; step < 10; step++) {
        busy(4);
        order.push(name);
        await slice.pause();
      }
    };
    await Promise.all([work("a"), work("b")]);
    done = true;
    expect(turns).toBeGreaterThanOrEqual(10);
    expect(order.join("")).toMatch(/^(?:ab|ba){8}/);
  });
});
