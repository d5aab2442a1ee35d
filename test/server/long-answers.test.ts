import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { Engine } from "../../src/engine/contract/engine.js";
import { duckdbEngine } from "../../src/engine/duckdb/duckdb.js";
import { type Rendered, rendered } from "../../src/server/answers/rendered.js";
import { slices } from "../../src/server/answers/reply.js";
import { replyCache } from "../../src/server/answers/reply-cache.js";
import { folderOf, get, started, tableEntry } from "./support.js";

const rows = Array.from({ length: 12_000 }, (_, i) => `T${i % 40},2024-01-${10 + (i % 20)},${i}.25\n`).join("");
const TYPES = { ticker: "String", date: "Date", close: "BigDecimal(15,4)" };
const table = (file: string) => tableEntry("V/T", TYPES, { filters: ["ticker"], file });

/** An engine that counts the questions for pages. */
async function counting(): Promise<{ engine: Engine; pages: () => number }> {
  const engine = await duckdbEngine();
  let pages = 0;
  return {
    engine: {
      ...engine,
      batches(sql, params) {
        if (sql.includes("rowid")) pages++;
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
  const of = (size: number): Promise<Rendered> => rendered(new Uint8Array(size), "identity", {});
  const here = new AbortController().signal;

  it("holds at most its bytes, the reply unused for longest goes first, one that is too large is not kept", async () => {
    const cache = replyCache(1_000);
    let made = 0;
    const ask = (tag: string, size = 200) =>
      cache.reply(
        tag,
        () => {
          made++;
          return of(size);
        },
        here,
      );
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

  it.each(["identity", "gzip"] as const)("counts both forms, %s first, and keeps no failure", async (first) => {
    const cache = replyCache(16_000);
    const bytes = Buffer.from(Array.from({ length: 3_000 }, (_, i) => Math.imul(i, 0x9e3779b1) >>> 24));
    let made = 0;
    const ask = () =>
      cache.reply(
        "x",
        async () => {
          made++;
          return rendered(Buffer.from(bytes), first, {});
        },
        here,
      );
    const reply = await ask();
    await ask();
    expect(made).toBe(1);
    expect(gunzipSync(await reply.bytes("gzip")).equals(bytes)).toBe(true);
    expect(Buffer.from(await reply.bytes("identity")).equals(bytes)).toBe(true);
    await ask();
    expect(made).toBe(2);
    await expect(cache.reply("y", () => Promise.reject(new Error("no")), here)).rejects.toThrow("no");
    await expect(cache.reply("y", () => of(1), here)).resolves.toBeDefined();
  });
});

describe("a reply without askers", () => {
  it("is ended when the last asker is gone, not before, and begun again for the next", async () => {
    const cache = replyCache(1_000);
    const ends: AbortSignal[] = [];
    const ask = (gone: AbortSignal) =>
      cache.reply(
        "x",
        (signal) =>
          new Promise((_, reject) => {
            ends.push(signal);
            signal.addEventListener("abort", () => reject(signal.reason));
          }),
        gone,
      );
    const askers = [new AbortController(), new AbortController()];
    const replies = askers.map(({ signal }) => ask(signal));
    askers[0].abort();
    expect(ends.map(({ aborted }) => aborted)).toEqual([false]);
    askers[1].abort();
    expect(ends.map(({ aborted }) => aborted)).toEqual([true]);
    for (const reply of replies) await expect(reply).rejects.toThrow("abort");
    const late = ask(AbortSignal.abort());
    expect(ends.map(({ aborted }) => aborted)).toEqual([true, true]);
    await expect(late).rejects.toThrow("abort");
  });

  it("a finished reply stays when those who asked for it leave", async () => {
    const cache = replyCache(1_000);
    let made = 0;
    const asker = new AbortController();
    const ask = (gone: AbortSignal) =>
      cache.reply(
        "x",
        () => {
          made++;
          return rendered(new Uint8Array(10), "identity", {});
        },
        gone,
      );
    await ask(asker.signal);
    asker.abort();
    await ask(new AbortController().signal);
    expect(made).toBe(1);
  });
});

describe("a page that is still being read from the engine", () => {
  const slow = async () => {
    const engine = await duckdbEngine();
    const state = { begun: 0, pulled: 0, ended: 0 };
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    async function* rowByRow(sql: string, params?: readonly unknown[]) {
      state.begun++;
      try {
        for await (const batch of engine.batches(sql, params)) {
          for (let i = 0; i < batch.numRows; i++) {
            state.pulled++;
            yield batch.slice(i, i + 1);
            await (i < 10 ? gate : new Promise((turn) => setImmediate(turn)));
          }
        }
      } finally {
        state.ended++;
      }
    }
    const data = folderOf({
      "catalog.json": { databases: [], tables: [table("t.csv")] },
      "t.csv": `ticker,date,close\n${rows}`,
    });
    const batches: Engine["batches"] = (sql, params) =>
      sql.includes("rowid") ? rowByRow(sql, params) : engine.batches(sql, params);
    return { service: await started({ data, engine: { ...engine, batches } }), state, open };
  };

  it("does not keep other requests waiting", async () => {
    const { service, state, open } = await slow();
    let isDone = false;
    const page = get(service, "/datatables/V/T.json").finally(() => {
      isDone = true;
    });
    await expect.poll(() => state.begun).toBe(1);
    for (let i = 0; i < 5; i++) {
      expect((await get(service, `/datatables/V/T/metadata.${["json", "xml", "csv"][i % 3]}`)).status).toBe(200);
    }
    expect(isDone).toBe(false);
    open();
    expect(JSON.parse((await page).text).datatable.data).toHaveLength(10_000);
  });

  it("is abandoned when its caller goes away", async () => {
    const { service, state, open } = await slow();
    const caller = new AbortController();
    const page = get(service, "/datatables/V/T.json", { signal: caller.signal });
    await expect.poll(() => state.pulled).toBe(1);
    caller.abort();
    await expect(page).rejects.toThrow();
    const metadata = () => get(service, "/datatables/V/T/metadata.json");
    await metadata();
    open();
    await expect.poll(() => state.ended).toBe(1);
    expect(state.pulled).toBeLessThan(12_000 / 2);
    expect((await metadata()).status).toBe(200);
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
