import { Float64, Table, tableToIPC, Utf8, vectorFromArray } from "apache-arrow";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { clickhouseEngine } from "../../src/engine/clickhouse/clickhouse.js";
import { type Answer, proxyTo, type Seen } from "./proxy.js";
import { testServer } from "./server.js";

const server = await testServer();
const proxy = await proxyTo(server.address);
const engine = await clickhouseEngine(proxy.address);
const direct = await clickhouseEngine(server.address);
afterAll(async () => {
  await engine.close();
  await direct.close();
  await proxy.close();
  await server.stop();
});
afterEach(() => {
  proxy.fault = () => undefined;
  proxy.seen.length = 0;
});

const rows = (k: readonly number[]) =>
  new Table({ k: vectorFromArray(k, new Float64()), v: vectorFromArray(k.map(String), new Utf8()) });
const table = rows([1, 2, 3]);

/** The fault once, for the first request that fits. */
const once = (fits: (seen: Seen) => boolean, answer: Answer) => {
  let done = false;
  return (seen: Seen): Answer | undefined => {
    if (done || !fits(seen)) return undefined;
    done = true;
    return answer;
  };
};
const starts = (word: string) => (seen: Seen) => seen.sql.startsWith(word);
const isRead = (seen: Seen) => /^SELECT \* FROM/.test(seen.sql);

describe("loads through a broken connection", () => {
  /** All tables, also those that `tables()` does not list. */
  const allTables = async (): Promise<string[]> => {
    const found = await direct.query("SELECT name FROM system.tables WHERE database = currentDatabase() ORDER BY name");
    return [...(found.getChildAt(0) ?? [])];
  };
  const STEPS = ["CREATE TABLE", "INSERT", "SELECT count()", "EXCHANGE", "DROP"];
  const ADDING = ["INSERT", "SELECT count()", "ALTER TABLE", "DROP"];

  it.each(STEPS)("%s is done and its reply lost: the load succeeds, and no row is doubled", async (step) => {
    await direct.load("retried", rows([7]));
    proxy.fault = once(starts(step), "cut after");
    expect(await engine.load("retried", table)).toEqual({ rows: 3 });
    expect(await direct.verify("retried", table)).toMatchObject({ equal: true, rows: 3 });
    if (step === "INSERT") {
      const tokens = proxy.seen
        .filter(starts("INSERT"))
        .map(({ settings }) => settings.get("insert_deduplication_token"));
      expect([tokens.length, new Set(tokens).size]).toEqual([2, 1]);
    }
  });

  it.each(ADDING)("append: %s is done and its reply lost: no row is doubled", async (step) => {
    await direct.load("grown", rows([7]));
    proxy.fault = once(starts(step), "cut after");
    await engine.load("grown", table, { mode: "append" });
    expect(await direct.verify("grown", rows([7, 1, 2, 3]))).toMatchObject({ equal: true, rows: 4 });
  });

  it.each([...STEPS, "RENAME"])("%s never arrives: the old table or the new one, and nothing else", async (step) => {
    const name = step === "RENAME" ? "unborn" : "kept";
    if (name === "kept") await direct.load(name, rows([7]));
    const before = await allTables();
    proxy.fault = (seen) => (seen.sql.startsWith(step) ? "cut before" : undefined);
    const load = engine.load(name, table);
    if (step === "DROP") {
      // The new rows are visible; only the staging table with the old ones stays.
      await load;
      expect(await direct.verify(name, table)).toMatchObject({ equal: true });
      expect((await allTables()).length).toBe(before.length + 1);
    } else {
      await expect(load).rejects.toMatchObject({ name: "TransportError", code: "ConnectionLost" });
      expect(await allTables()).toEqual(before);
      if (name === "kept") expect(await direct.verify(name, rows([7]))).toMatchObject({ equal: true });
    }
  });

  it("an overloaded server is asked again; one that stays so is an error", async () => {
    proxy.fault = once(starts("INSERT"), { status: 503, body: "<html><h1>503 Service Unavailable</h1></html>" });
    expect(await engine.load("busy", table)).toEqual({ rows: 3 });
    proxy.fault = (seen) =>
      isRead(seen)
        ? {
            status: 500,
            headers: { "x-clickhouse-exception-code": "202" },
            body: "Code: 202. DB::Exception: Too many simultaneous queries. (TOO_MANY_SIMULTANEOUS_QUERIES)",
          }
        : undefined;
    await expect(engine.query("SELECT * FROM busy")).rejects.toMatchObject({ code: "EngineBusy", status: 500 });
    expect(proxy.seen.filter(isRead)).toHaveLength(4);
  });

  it("rows are sent compressed, one block for each INSERT", async () => {
    await engine.load("sent", table);
    const [insert] = proxy.seen.filter(starts("INSERT"));
    expect(insert.headers["content-encoding"]).toBe("gzip");
    expect(insert.settings.get("input_format_null_as_default")).toBe("0");
  });
});

describe("results that break", () => {
  const TAG = "abcdefghijklmnop";
  const whole = Buffer.from(tableToIPC(rows(Array.from({ length: 3_000 }, (_, i) => i)), "stream"));
  const exception = (tag: string): string => {
    const message =
      "Code: 395. DB::Exception: Value passed to 'throwIf' function is non-zero. (FUNCTION_THROW_IF_VALUE_IS_NON_ZERO)\n";
    return `\r\n__exception__\r\n${tag}\r\n${message}${message.length} ${tag}\r\n__exception__\r\n`;
  };
  const replied = (answer: Answer) => {
    proxy.fault = (seen) => (isRead(seen) ? answer : undefined);
    return engine.query("SELECT * FROM broken");
  };

  it("the whole reply is the whole table", async () => {
    expect((await replied({ body: whole })).numRows).toBe(3_000);
  });

  it("cut at any byte, with or without a length, it is an error and never a shorter table", async () => {
    const places = [0, 1, 7, 8, 9, 100, 300, whole.length >> 1, whole.length - 9, whole.length - 8, whole.length - 1];
    for (const at of places) {
      for (const cut of [false, true]) {
        await expect(replied({ body: whole.subarray(0, at), cut }), `${at} ${cut}`).rejects.toMatchObject({
          code: at === 0 && !cut ? "BadStatement" : "TruncatedBody",
        });
      }
    }
  });

  it("an error in the middle is that error: with a tag, as text, after whole batches", async () => {
    const failed = { name: "DataError", code: "EngineData", message: expect.stringContaining("throwIf") };
    const headers = { "x-clickhouse-exception-tag": TAG };
    for (const at of [400, whole.length >> 1, whole.length - 8, whole.length]) {
      const part = whole.subarray(0, at);
      await expect(
        replied({ headers, body: Buffer.concat([part, Buffer.from(exception(TAG))]) }),
      ).rejects.toMatchObject(failed);
      const text =
        "Code: 395. DB::Exception: Value passed to 'throwIf' function is non-zero: while executing. (X_Y_Z) (version 24.8.1.1)";
      await expect(replied({ body: Buffer.concat([part, Buffer.from(text)]) })).rejects.toMatchObject(failed);
    }
  });

  it("bytes after the end mark, other formats and pages of proxies are errors", async () => {
    await expect(replied({ body: Buffer.concat([whole, whole]) })).rejects.toMatchObject({ code: "TruncatedBody" });
    await expect(replied({ body: "1\t2\n" })).rejects.toMatchObject({ code: "TruncatedBody" });
    await expect(replied({ status: 404, body: "<html>not found</html>" })).rejects.toMatchObject({
      code: "UnexpectedContent",
      status: 404,
      message: expect.stringContaining("not found"),
    });
  });

  it("a reply that does not come is a timeout", async () => {
    const hasty = await clickhouseEngine(proxy.address, { timeout: 300, retries: 0 });
    proxy.fault = (seen) => (isRead(seen) ? "silent" : undefined);
    await expect(hasty.query("SELECT * FROM broken")).rejects.toMatchObject({ code: "Timeout" });
    await hasty.close();
  });

  it("a stopped query is killed on the server", async () => {
    const stop = new AbortController();
    proxy.fault = (seen) => {
      if (isRead(seen)) setTimeout(() => stop.abort(new Error("enough")), 50);
      return isRead(seen) ? "silent" : undefined;
    };
    await expect(engine.query("SELECT * FROM broken", [], { signal: stop.signal })).rejects.toThrow("enough");
    await expect.poll(() => proxy.seen.some(starts("KILL QUERY"))).toBe(true);
    const id = proxy.seen.find(isRead)?.settings.get("query_id");
    expect(proxy.seen.find(starts("KILL QUERY"))?.sql).toContain(`'${id}'`);
  });
});

describe("servers that refuse", () => {
  it("a user who may not change settings still reads and loads", async () => {
    proxy.fault = (seen) =>
      seen.settings.has("final") || seen.settings.has("session_timezone")
        ? {
            status: 500,
            headers: { "x-clickhouse-exception-code": "164" },
            body: "Code: 164. DB::Exception: Cannot modify 'final' setting in readonly mode. (READONLY)",
          }
        : undefined;
    const reader = await clickhouseEngine(proxy.address);
    await direct.load("plain", table);
    expect(await reader.verify("plain", table)).toMatchObject({ equal: true });
    await reader.close();
  });

  it("an old server, a web page, a closed port, a wrong address", async () => {
    const opened = (answer: Answer) => {
      proxy.fault = () => answer;
      return clickhouseEngine(proxy.address, { retries: 0 });
    };
    await expect(opened({ body: "18.16.1\n" })).rejects.toMatchObject({ code: "EngineTooOld" });
    await expect(opened({ body: "24.3.1.1\n" })).rejects.toMatchObject({ code: "EngineTooOld" });
    await expect(opened({ body: "<html>hello</html>" })).rejects.toMatchObject({ code: "UnexpectedContent" });
    await expect(opened("cut before")).rejects.toMatchObject({ code: "ConnectionLost" });
    await expect(clickhouseEngine("http://127.0.0.1:1", { retries: 0 })).rejects.toMatchObject({ code: "Unreachable" });
    await expect(clickhouseEngine("ftp://user:hunter22@host")).rejects.toMatchObject({
      code: "BadAddress",
      message: expect.not.stringContaining("hunter22"),
    });
  });

  it("a wrong password is an error without the password", async () => {
    const guarded = await testServer("correct horse");
    try {
      const open = await clickhouseEngine(
        guarded.address.replace("correct%20horse", encodeURIComponent("correct horse")),
      );
      await open.close();
      const wrong = await clickhouseEngine(guarded.address, { password: "battery staple" }).catch((error) => error);
      expect(wrong).toMatchObject({ name: "InputError", code: "EngineAccess" });
      expect(JSON.stringify([wrong.message, wrong.hint, wrong.stack, String(wrong.cause)])).not.toMatch(
        /battery|horse/,
      );
    } finally {
      await guarded.stop();
    }
  });
});
