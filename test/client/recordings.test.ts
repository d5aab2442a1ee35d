import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { connect } from "../../src/client/service.js";
import { serve } from "../../src/server/serve.js";
import { SAMPLE_KEY, sampleData } from "../../src/server.js";
import { record, replay } from "../../src/testing.js";
import { faultServer } from "../faults/fault-server.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const KEY = "canary-key-0123456789abcdef-recording";
const server = await faultServer();
const running = await serve({ data: sampleData(), apiKeys: { [KEY]: { subscriptions: "all" } } });
afterAll(async () => {
  await server.close();
  await running.close();
});

let path = "";
beforeEach(() => {
  path = join(temporaryFolder("r"), "replies.jsonl");
  server.reset();
});
const lines = () =>
  readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

/** What a caller sees of a reply. */
const seen = async (reply: Response) => ({ status: reply.status, text: await reply.text() });

describe("a connection", () => {
  /** Rows by every way in which the client asks. */
  const ask = async (url: string, apiKey: string, fetch: typeof globalThis.fetch) => {
    const service = connect({ url, apiKey, fetch, retry: { attempts: 1 }, onProgress: false });
    const prices = service.table("MARKET/PRICES");
    const where = { ticker: ["AAA", "BBB"] };
    const frames = [
      await service.dataset("MARKET/AAA").column("Close").limit(7).frame(),
      await service.dataset("MARKET/AAA").limit(7).format("xml").frame(),
      await prices.where(where).pageSize(200).format("csv").frame(),
      await prices.where(where).select("ticker", "close").frame(),
      await prices
        .where({ ticker: "AAA" })
        .export({ poll: { first: 1, longest: 2 } })
        .frame(),
    ];
    const failure = await service
      .dataset("MARKET/NONE")
      .frame()
      .catch((error: Error) => error.message);
    return { csv: frames.map((frame) => frame.toCSV()), failure };
  };

  it("is recorded, and replayed without the service, to another address and with another key", async () => {
    const live = await ask(running.url, KEY, record(path));
    const replayed = await ask("https://data.example.com", "another-key", replay(path));
    expect(replayed).toEqual(live);
    const text = readFileSync(path, "utf8");
    expect(text).not.toContain("canary");
    expect(text).not.toContain(new URL(running.url).host);
    expect(lines().some(({ base64 }) => typeof base64 === "string")).toBe(true);
  });

  it("makes equal files for equal replies, in whatever order they arrive", async () => {
    const codes = ["MARKET/AAA", "MARKET/BBB", "MARKET/CCC"];
    const made: string[] = [];
    for (const order of [codes, [...codes].reverse(), codes]) {
      const service = connect({ url: running.url, apiKey: KEY, fetch: record(path) });
      await Promise.all(order.map((code) => service.dataset(code).limit(3).frame()));
      made.push(readFileSync(path, "utf8"));
    }
    expect(new Set(made).size).toBe(1);
    expect(made[0].trim().split("\n")).toHaveLength(3);
  });
});

describe("a recording", () => {
  it("contains no key from any place: query, headers, cookies, bodies, replies, redirects, links", async () => {
    const secret = (place: string) => `canary-${place}-0123456789abcdef`;
    const repeated = ["query", "header", "bearer", "cookie", "body"].map(secret).join(" ");
    server.on("/a", {
      headers: {
        "content-type": "application/json",
        "set-cookie": `session=${secret("set-cookie")}`,
        "x-token": secret("reply-header"),
        location: `${server.url}/next?api_key=${secret("query")}&X-Amz-Signature=${secret("signature")}`,
        etag: `"${secret("query")}"`,
      },
      body: JSON.stringify({
        echo: repeated,
        encoded: encodeURIComponent(`${secret("percent")}/+`),
        api_key: secret("member"),
        link: `https://storage.example/f.zip?X-Amz-Signature=${secret("link")}&token=${secret("token")}&x=1`,
      }),
    });
    const fetch = record(path);
    const address = `${server.url}/a?z=1&api_key=${secret("query")}&auth_token=${encodeURIComponent(`${secret("percent")}/+`)}&b=2`;
    const headers = {
      "x-api-token": secret("header"),
      authorization: `Bearer ${secret("bearer")}`,
      cookie: `theme=dark; id=${secret("cookie")}`,
    };
    const reply = await fetch(address, { method: "POST", body: `api_key=${secret("body")}&q=5`, headers });
    expect(await reply.text()).toContain(secret("bearer")); // the caller's reply is as it was sent
    const text = readFileSync(path, "utf8");
    expect(text).not.toContain("canary");
    expect(lines()).toMatchObject([{ method: "POST", address: "https://recorded.invalid/a?b=2&z=1", status: 200 }]);
    expect(text).toContain("x=1");
  });

  it("is replayed by method, address without keys and in any order of parameters, and body", async () => {
    server.on("/a", ({ query }) => ({ body: `a ${query.get("x")}` }));
    const fetch = record(path);
    await fetch(`${server.url}/a?x=1&y=2&api_key=${KEY}`);
    await fetch(`${server.url}/a?x=3`, { method: "POST", body: "one" });
    await fetch(new Request(`${server.url}/a?x=4`, { method: "POST", body: "two" }));
    const again = replay(path);
    expect(await seen(await again("https://other.example/a?y=2&x=1"))).toEqual({ status: 200, text: "a 1" });
    expect(await seen(await again("https://other.example/a?x=4", { method: "POST", body: "two" }))).toMatchObject({
      text: "a 4",
    });
    await expect(again("https://other.example/a?x=4", { method: "POST", body: "one" })).rejects.toMatchObject({
      code: "NotRecorded",
    });
  });

  it("replies to a repeated request in order, and then with the last reply", async () => {
    server.on("/a", { body: "first" }, { status: 503, body: "second" }, { body: "third" });
    const fetch = record(path);
    const live = [];
    for (let i = 0; i < 3; i++) live.push(await seen(await fetch(`${server.url}/a`)));
    const again = replay(path);
    const replayed = [];
    for (let i = 0; i < 4; i++) replayed.push(await seen(await again(`${server.url}/a`)));
    expect(replayed).toEqual([...live, live[2]]);
  });

  it("keeps binary and compressed bodies, empty ones, and the headers that a client reads", async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
    server.on("/binary", { headers: { "content-range": "bytes 0-255/999", date: "now" }, body: bytes });
    server.on("/gzip", { headers: { "content-encoding": "gzip" }, body: gzipSync("text") });
    server.on("/empty", { status: 204 });
    server.on("/bom", { body: "\ufeffa,b\n" });
    const fetch = record(path);
    const get = async (send: typeof globalThis.fetch, name: string) => {
      const reply = await send(`${server.url}/${name}`);
      return { bytes: [...new Uint8Array(await reply.arrayBuffer())], range: reply.headers.get("content-range") };
    };
    const names = ["binary", "gzip", "empty", "bom"];
    const live = [];
    for (const name of names) live.push(await get(fetch, name));
    const again = replay(path);
    for (const [i, name] of names.entries()) expect(await get(again, name)).toEqual(live[i]);
    expect(live[0]).toEqual({ bytes: [...bytes], range: "bytes 0-255/999" });
    expect(readFileSync(path, "utf8")).not.toContain('"date"');
  });

  it("refuses a binary reply that contains the key", async () => {
    server.on("/a", { body: Buffer.concat([Buffer.from([0, 255]), Buffer.from(KEY)]) });
    await expect(record(path)(`${server.url}/a?api_key=${KEY}`)).rejects.toMatchObject({ code: "SecretInRecording" });
    expect(existsSync(path)).toBe(false);
  });

  it("names the nearest recorded request where it has no reply", async () => {
    server.on("/", { body: "x" });
    const fetch = record(path);
    await fetch(`${server.url}/api/v3/datasets/EOD/AAPL/data.json?limit=5&api_key=${KEY}`);
    await fetch(`${server.url}/api/v3/datasets/EOD/MSFT/data.json?limit=5`);
    await fetch(`${server.url}/api/v3/databases/EOD.json`);
    const error = await replay(path)(`${server.url}/api/v3/datasets/EOD/MSFT/data.json?limit=6&api_key=${KEY}`).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({
      name: "InputError",
      code: "NotRecorded",
      message: `${path} has no reply to GET /api/v3/datasets/EOD/MSFT/data.json?limit=6.`,
      hint: expect.stringContaining("GET /api/v3/datasets/EOD/MSFT/data.json?limit=5."),
    });
  });

  it("that is missing or damaged is an error with its line", async () => {
    await expect(replay(path)(server.url)).rejects.toMatchObject({ code: "FileNotFound" });
    writeFileSync(path, '{"method":"GET","address":"https://a/","status":200,"headers":{},"text":""}\n{"method":5}\n');
    await expect(replay(path)(server.url)).rejects.toMatchObject({
      code: "BadRecording",
      message: `Line 2 of ${path} is not a recorded reply.`,
    });
  });

  it("does not hold back a failure of the network, and an aborted signal ends a replay", async () => {
    const refused = record(path, { fetch: () => Promise.reject(new TypeError("fetch failed")) });
    await expect(refused(server.url)).rejects.toThrow("fetch failed");
    server.on("/a", { body: "x" });
    await record(path)(`${server.url}/a`);
    await expect(replay(path)(`${server.url}/a`, { signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow();
  });
});

it("an address with a short key is recorded without it, and data that is equal to it stays", async () => {
  server.on("/a", { body: `${SAMPLE_KEY} data` });
  await record(path)(`${server.url}/a?api_key=${SAMPLE_KEY}`);
  expect(lines()).toMatchObject([{ address: "https://recorded.invalid/a", text: "sample data" }]);
});

it("rows are recorded by filters of columns that are called like a key of other services", async () => {
  const columns = [
    { name: "trading_session", type: "String" },
    { name: "price", type: "Integer" },
  ];
  const rows = [
    ["PRE_MARKET", 1],
    ["AFTER_HOURS", 2],
  ];
  const send: typeof fetch = async (input) => {
    const url = new URL(String(input));
    const about = { vendor_code: "V", datatable_code: "T", name: "t", description: null, columns };
    const more = { filters: ["trading_session"], primary_key: [], premium: false, status: {} };
    if (url.pathname.includes("metadata")) return Response.json({ datatable: { ...about, ...more } });
    const data = rows.filter(([session]) => session === url.searchParams.get("trading_session"));
    return Response.json({ datatable: { data, columns }, meta: { next_cursor_id: null } });
  };
  const ask = async (fetch: typeof globalThis.fetch, sessions: readonly string[]) => {
    const table = connect({ url: "https://data.example.com", apiKey: KEY, fetch }).table("V/T");
    const found: string[] = [];
    for (const trading_session of sessions) found.push((await table.where({ trading_session }).frame()).toCSV());
    return found;
  };
  const recorded = await ask(record(path, { fetch: send }), ["PRE_MARKET", "AFTER_HOURS"]);
  expect(recorded[0]).toContain("PRE_MARKET,1");
  expect((await ask(replay(path), ["AFTER_HOURS", "PRE_MARKET"])).toReversed()).toEqual(recorded);
});
