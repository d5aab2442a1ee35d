import { connect as dial } from "node:net";
import { inspect } from "node:util";
import { expect, it } from "vitest";
import { duckdbEngine } from "../../src/engine/duckdb/duckdb.js";
import { rememberSecret } from "../../src/errors/secrets.js";
import { scrubbedUrl } from "../../src/server/http/request-log.js";
import { type RequestLog, serve } from "../../src/server.js";
import { defineProfile, nasdaqDataLink, specification } from "../../src/spec/profile.js";
import { longIt } from "../support/whole.js";
import { get, sampleOf, started, withKeys } from "./support.js";

const KEY = "k3y-of-a-subscriber-0123456789";
const PATIENT = { timeout: 120_000 };
const log: RequestLog[] = [];
const service = await started({
  apiKeys: { [KEY]: { subscriptions: ["MARKET"] }, sample: { subscriptions: [] } },
  log: (entry) => log.push(entry),
});

it("spec 5: every call needs a known key, said in the format asked for", async () => {
  for (const path of [
    "/datasets/LABOR/EMPLOYMENT.json",
    "/databases/LABOR.json",
    "/datatables/TRANSPORT/AIRPORTS.json",
  ]) {
    const none = await get(service, `${path}?api_key=`);
    expect([none.status, none.json()]).toEqual([
      403,
      { error: { code: "QEAx03", message: expect.stringMatching(/api_key/) } },
    ]);
    const wrong = await get(service, `${path}?api_key=wrong`);
    expect([wrong.status, wrong.json()]).toEqual([400, { error: { code: "QEAx01", message: expect.any(String) } }]);
  }
  const csv = await get(service, "/databases/LABOR.csv?api_key=wrong");
  expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8");
  expect(csv.text).toMatch(/^code,message\nQEAx01,/);
  const bare = await fetch(`${service.url}/api/v3/databases/LABOR/data?download_type=full`);
  expect([bare.status, await bare.json()]).toEqual([403, { error: { code: "QEAx03", message: expect.any(String) } }]);
  expect((await get(service, "/databases/LABOR.json?api_key=sample&api_key=sample")).status).toBe(400);
});

/** Names of unbounded length wherever a request has one, with the most that an address or a body may carry. */
const LONG: readonly (readonly [string, (name: string) => readonly [string, RequestInit?], number])[] = [
  ["a database", (name) => [`/databases/${name}.json?`], 60_000],
  ["a dataset", (name) => [`/datasets/MARKET/${name}.json?`], 60_000],
  ["a table", (name) => [`/datatables/MARKET/${name}.json?`], 60_000],
  ["a call", (name) => [`/${name}?`], 60_000],
  ["a format", (name) => [`/databases/MARKET.${name}?`], 60_000],
  ["a parameter", (name) => [`/databases/MARKET.json?${name}=1&`], 7_900],
  ["an option value", (name) => [`/datasets/MARKET/AAA.json?collapse=${name}&`], 7_900],
  ["a download type", (name) => [`/databases/MARKET/data?download_type=${name}&`], 7_900],
  ["a column", (name) => [`/datatables/MARKET/PRICES.json?qopts.columns=${name}&`], 7_900],
  ["a filter", (name) => [`/datatables/MARKET/PRICES.json?${name}=1&`], 7_900],
  ["an operator", (name) => [`/datatables/MARKET/PRICES.json?close.${name}=1&`], 7_900],
  ["a header", (name) => [`/databases/MARKET?`, { headers: { accept: `a${name.replaceAll("x", " ")}b` } }], 60_000],
  [
    "accepted codings",
    (name) => [`/databases/MARKET.json?`, { headers: { "accept-encoding": `a${name.replaceAll("x", " ")}b` } }],
    60_000,
  ],
  ...["application/json", "application/x-www-form-urlencoded"].map((type): (typeof LONG)[number] => [
    `the body of a POST of ${type}`,
    (name) => {
      const body = type.endsWith("json") ? JSON.stringify({ [name]: 1 }) : `${name}=1`;
      return ["/datatables/MARKET/PRICES.json?", { method: "POST", headers: { "content-type": type }, body }];
    },
    1_000_000,
  ]),
];

longIt("a name of any length is answered at once, without it in full, and after the key", PATIENT, async () => {
  const source = sampleOf("MARKET", "MARKET/PRICES");
  const [market] = source.catalog.databases;
  const many = Array.from({ length: 500 }, (_, i) => ({ ...market.datasets[0], dataset_code: `CODE${i}` }));
  const { rows: made } = { rows: source.dataset("MARKET/AAA", market.datasets[0]) };
  const wide = await started({
    data: {
      ...source,
      dataset: (code, entry) => (code.includes("CODE") ? made : source.dataset(code, entry)),
      catalog: { ...source.catalog, databases: [{ ...market, datasets: [...market.datasets, ...many] }] },
    },
    profile: withKeys,
  });
  for (const [what, make, length] of LONG) {
    for (const key of ["api_key=sample", "api_key=wrong", "a=1"]) {
      const [path, init] = make("x".repeat(length));
      const began = performance.now();
      const answer = await fetch(`${wide.url}/api/v3${path}${key}`, init);
      const text = await answer.text();
      const ms = performance.now() - began;
      expect(ms, `${what}: ${Math.round(ms)} ms`).toBeLessThan(1_000);
      expect(text.length, what).toBeLessThan(2_000);
      if (key !== "api_key=sample" && what !== "a call") {
        expect([what, text]).toEqual([what, expect.stringMatching(/QEAx0[13]|QESx05/)]);
        expect(text).not.toContain("Did you mean");
      }
    }
  }
});

it("premium data is for subscribers, its metadata and free data for every key", async () => {
  for (const path of [
    "/datasets/MARKET/AAA/data.json?limit=1",
    "/datatables/MARKET/PRICES.csv?ticker=AAA&date=2024-12-31",
  ]) {
    const refused = await get(service, path);
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining("QEPx04")]);
    expect((await get(service, `${path}&api_key=${KEY}`)).status).toBe(200);
  }
  for (const path of [
    "/datasets/MARKET/AAA/metadata.json",
    "/databases/MARKET.csv",
    "/datatables/MARKET/PRICES/metadata.json",
    "/datasets/LABOR/EMPLOYMENT.csv",
    "/datatables/TRANSPORT/FLIGHTS.json?id=1",
  ]) {
    expect((await get(service, path)).status, path).toBe(200);
  }
});

it.each([
  ["/databases/LABOUR.json", 404, "QECx02", /"LABOUR" does not exist\. Did you mean "LABOR"/],
  ["/datasets/LABOR/EMPLOYED.json", 404, "QECx02", /"LABOR\/EMPLOYED" does not exist/],
  ["/datasets/NOWHERE/X/metadata.json", 404, "QECx02", /"NOWHERE" does not exist/],
  ["/datatables/TRANSPORT/FLIGHT.json", 404, "QECx02", /Did you mean "TRANSPORT\/FLIGHTS"/],
  ["/datatables/TRANSPORT/FLIGHT/metadata.json", 404, "QECx02", /does not exist/],
  ["/nothing/here.json", 400, "QECx01", /no call/],
  ["/datasets/LABOR.json", 400, "QECx01", /no call/],
  ["/databases/LABOR.html", 406, "QESx05", /"html" is not a format/],
  ["/datasets/LABOR/EMPLOYMENT/data.yaml", 406, "QESx05", /"yaml" is not a format: end the path with \.json/],
  ["/datasets/LABOR/EMPLOYMENT/metadata.html", 406, "QESx05", /"html" is not a format/],
  ["/datatables/TRANSPORT/FLIGHTS/metadata.yaml", 406, "QESx05", /"yaml" is not a format/],
  ["/datatables/TRANSPORT/FLIGHTS.yaml", 406, "QESx05", /"yaml" is not a format/],
  ["/datasets/LABOR/EMPLOYMENT/dat.yaml", 400, "QECx01", /no call/],
  ["/databases/LABOR", 200, undefined, /"database_code":"LABOR"/],
  ["/databases/LABOR/data?download_type=some", 422, "QESx04", /download_type/],
  ["/databases/LABOR.json?x=1", 422, "QESx04", /no parameter "x"/],
  ["/datasets/__proto__/constructor.json", 404, "QECx02", /does not exist/],
  ["/datatables/__proto__/toString.json", 404, "QECx02", /does not exist/],
  ["/datatables/TRANSPORT/FLIGHTS.json?__proto__=1", 422, "QESx04", /no column "__proto__"/],
  ["/datatables/TRANSPORT/FLIGHTS.json?constructor.gte=1", 422, "QESx04", /no column "constructor"/],
  ["/datatables/TRANSPORT/FLIGHTS.json?id=1&id=2", 400, "QESx09", /"id" is repeated/],
  ["/datatables/TRANSPORT/FLIGHTS.json?origin=%zz", 400, "QESx09", /percent/],
  ["/datatables/TRANSPORT/FLIGHTS.json?origin=%ff", 400, "QESx09", /percent/],
  ["/datasets/%zz/X.json", 400, "QESx09", /percent/],
  ["/datatables/TRANSPORT/FLIGHTS.json?origin='%20OR%20'1'='1", 200, undefined, /"data":\[\]/],
  ["/datatables/TRANSPORT/FLIGHTS.json?origin=%00", 200, undefined, /"data":\[\]/],
])("%s: %i %s", async (path, status, code, message) => {
  const answer = await get(service, path);
  expect(answer.text).toMatch(code === undefined ? message : new RegExp(code));
  const said = code === undefined ? answer.text : (answer.json() as { error: { message: string } }).error.message;
  expect([answer.status, said]).toEqual([status, expect.stringMatching(message)]);
});

it("only GET and HEAD", async () => {
  for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
    const answer = await get(service, "/databases/LABOR.json", { method });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  }
});

it("input that is not HTTP gets one reply and a closed connection", async () => {
  const { port } = new URL(service.url);
  const talk = (text: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = dial(Number(port), "127.0.0.1", () => socket.write(text));
      let heard = "";
      socket.on("data", (chunk) => {
        heard += chunk;
      });
      socket.on("close", () => resolve(heard));
      socket.on("error", reject);
    });
  expect(await talk("hello\r\n\r\n")).toMatch(/^HTTP\/1\.1 400 .*QESx09/s);
  expect(await talk(`GET / HTTP/1.1\r\nHost: localhost\r\nX: ${"y".repeat(70_000)}\r\n\r\n`)).toMatch(
    /^HTTP\/1\.1 414 .*QELx07/s,
  );
  const odd = `GET /api/v3/databases/LABOR.json?api_key=sample HTTP/1.1\r\nHost: evil"/x\r\nConnection: close\r\n\r\n`;
  expect(await talk(odd)).toMatch(/^HTTP\/1\.1 40[03] /);
});

it("callers that are too slow, silent or too many are disconnected", async () => {
  const timeouts = { headers: 300, request: 300, idle: 2_500, keepAlive: 200 };
  const strict = await started({ data: sampleOf("LABOR"), timeouts });
  const small = await started({ data: sampleOf("LABOR"), timeouts: { keepAlive: 200 }, maxConnections: 3 });
  const open = (text: string, { url } = strict) =>
    new Promise<string>((resolve, reject) => {
      const socket = dial(Number(new URL(url).port), "127.0.0.1", () => socket.write(text));
      let heard = "";
      socket.on("data", (chunk) => {
        heard += chunk;
      });
      socket.on("close", () => resolve(heard));
      socket.on("error", (error: NodeJS.ErrnoException) =>
        error.code === "ECONNRESET" ? resolve(heard) : reject(error),
      );
    });
  const slow = open("GET /api/v3/databases/LABOR.json HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");
  const silent = open("");
  expect(await slow).toMatch(/^HTTP\/1\.1 408 .*took too long/s);
  await silent;
  const whole = "GET /api/v3/databases/LABOR.json?api_key=sample HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const many = await Promise.all(Array.from({ length: 8 }, () => open(whole, small)));
  const answered = many.filter((heard) => heard.startsWith("HTTP/1.1 200")).length;
  // A new connection replaces an idle one, so that more than three may be answered in turn.
  expect(answered, `${answered} answered`).toBeGreaterThanOrEqual(3);
});

it("every answer has an id, and the log has it with the key removed", async () => {
  log.length = 0;
  const answer = await get(service, `/datatables/MARKET/PRICES.json?ticker=AAA&date=2024-12-31&api_key=${KEY}`);
  await get(service, `/databases/NONE.json?api_key=${KEY}`);
  await expect.poll(() => log.length, PATIENT).toBe(2);
  expect(log.map(({ method, url, status }) => ({ method, url, status }))).toEqual([
    {
      method: "GET",
      url: "/api/v3/datatables/MARKET/PRICES.json?ticker=AAA&date=2024-12-31&api_key=[key]",
      status: 200,
    },
    { method: "GET", url: "/api/v3/databases/NONE.json?api_key=[key]", status: 404 },
  ]);
  expect(log[0].requestId).toBe(answer.headers.get("x-request-id"));
  expect(log[0].bytes).toBe(Buffer.byteLength(answer.text));
  expect(log[0].ms).toBeGreaterThan(0);
  expect(inspect(log, { depth: 9 })).not.toContain(KEY);
});

it("serves another profile: its option values, its key header, its error member", async () => {
  const other = await started({
    data: sampleOf("MARKET"),
    profile: nasdaqDataLink,
    apiKeys: { "some-other-key": { subscriptions: "all" } },
  });
  const headers = { "x-api-token": "some-other-key" };
  const answer = await fetch(`${other.url}/api/v3/databases/MARKET.json`, { headers });
  expect(answer.status).toBe(200);
  expect((await fetch(`${other.url}/api/v3/databases/MARKET/data?download_type=complete`, { headers })).status).toBe(
    200,
  );
  const refused = await fetch(`${other.url}/api/v3/databases/MARKETS.json`, { headers });
  expect(await refused.json()).toEqual({ quandl_error: { code: "QECx02", message: expect.any(String) } });
});

it("a failure inside is a 500 without its reason, which the log has", async () => {
  const failures: RequestLog[] = [];
  const engine = await duckdbEngine();
  const broken = await started({
    data: sampleOf("TRANSPORT/FLIGHTS"),
    engine: {
      ...engine,
      async *batches(sql) {
        if (sql !== "") throw new Error(`lost ${KEY}`);
        yield* engine.batches(sql);
      },
    },
    log: (entry) => failures.push(entry),
  });
  const answer = await get(broken, "/datatables/TRANSPORT/FLIGHTS.csv");
  expect([answer.status, answer.text]).toEqual([
    500,
    expect.stringMatching(/^code,message\nQEMx01,The service failed/),
  ]);
  expect(answer.text).toContain(answer.headers.get("x-request-id") as string);
  const order = "/datatables/TRANSPORT/FLIGHTS.json?qopts.export=true";
  expect((await get(broken, order)).text).toContain("creating");
  await expect.poll(async () => (await get(broken, order)).status, PATIENT).toBe(500);
  await expect.poll(() => failures.filter((entry) => entry.error !== undefined).length, PATIENT).toBe(2);
  await broken.close();
  await engine.close();
});

it("a request whose caller leaves before the reply is made is logged", async () => {
  const entries: RequestLog[] = [];
  const engine = await duckdbEngine();
  const leave = new AbortController();
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const slow = await started({
    data: sampleOf("TRANSPORT/FLIGHTS"),
    engine: {
      ...engine,
      async *batches(sql, params) {
        leave.abort();
        await held;
        yield* engine.batches(sql, params);
      },
    },
    log: (entry) => entries.push(entry),
  });
  const left = get(slow, "/datatables/TRANSPORT/FLIGHTS.json", { signal: leave.signal });
  await expect(left).rejects.toMatchObject({ name: "AbortError" });
  // The service serves others meanwhile, and has noticed by then.
  expect((await get(slow, "/datatables/TRANSPORT/FLIGHTS/metadata.json")).status).toBe(200);
  release();
  await expect.poll(() => entries.map((entry) => entry.url).sort(), PATIENT).toHaveLength(2);
  await slow.close();
  await engine.close();
});

it("refuses what cannot be started", async () => {
  await expect(serve({ data: sampleOf("LABOR"), host: "0.0.0.0" })).rejects.toMatchObject({ code: "KeysNeeded" });
  const port = Number(new URL(service.url).port);
  await expect(serve({ data: sampleOf("LABOR"), port })).rejects.toMatchObject({
    name: "TransportError",
    code: "NotListening",
  });
  await expect(serve({})).rejects.toMatchObject({ code: "NoData" });
});

it("lets requests under way finish when it is closed, and can be closed twice", async () => {
  const engine = await duckdbEngine();
  let begun = 0;
  const batches: typeof engine.batches = (sql, params) => {
    begun++;
    return engine.batches(sql, params);
  };
  const other = await serve({ data: sampleOf("MARKET/PRICES"), engine: { ...engine, batches } });
  const answers = Array.from({ length: 8 }, (_, i) =>
    get(other, `/datatables/MARKET/PRICES.csv?qopts.per_page=${9_000 + i}`),
  );
  while (begun < answers.length) await new Promise((wake) => setTimeout(wake, 1));
  const closing = Promise.all([other.close(), other.close()]);
  for (const [i, answer] of answers.entries()) expect((await answer).rows()).toHaveLength(9_001 + i);
  await closing;
  await engine.close();
  await expect(fetch(other.url)).rejects.toThrow();
});

it("answers many at once, each its own", async () => {
  const ids = Array.from({ length: 100 }, (_, i) => i * 150 + 1);
  const answers = await Promise.all(
    ids.map((id) => get(service, `/datatables/TRANSPORT/FLIGHTS.json?id=${id}&qopts.columns=id`)),
  );
  const found = answers.map((answer) => (answer.json() as { datatable: { data: number[][] } }).datatable.data[0][0]);
  expect(found).toEqual(ids);
});

it("a stop does not wait for connections that have asked nothing, or half a request", PATIENT, async () => {
  const other = await serve({ data: sampleOf("LABOR"), graceMs: 60_000 });
  const closed: Promise<void>[] = [];
  for (const text of ["", "GET /api/v3/databases/LABOR.json HTTP/1.1\r\nHost: localhost\r\n"]) {
    const socket = dial(Number(new URL(other.url).port), "127.0.0.1");
    closed.push(
      new Promise((resolve) =>
        socket
          .resume()
          .once("error", () => undefined)
          .once("close", () => resolve()),
      ),
    );
    await new Promise<void>((resolve) => socket.once("connect", resolve));
    if (text !== "") await new Promise<void>((resolve) => socket.write(text, () => resolve()));
  }
  expect((await get(other, "/databases/LABOR.json")).status).toBe(200);
  await other.close();
  await Promise.all(closed);
});

it("no key is in the log under another name, wrong, or encoded in another way", () => {
  const profile = defineProfile(specification, { keyParameter: "token" });
  expect(scrubbedUrl("/x&y?a=1&token=short&b=t,u", profile)).toBe("/x&y?a=1&token=[key]&b=t,u");
  expect(scrubbedUrl("/x?to%6ben=%6by&token[]=k;y", profile)).toBe("/x?to%6ben=[key]&token[]=[key]");
  expect(scrubbedUrl("/x?api_key=one,two;three", specification)).toBe("/x?api_key=[key]");
});

it("a long address in the log holds no part of a key, also where it is cut", () => {
  rememberSecret(KEY);
  for (let length = 1_960; length < 2_010; length++) {
    expect(scrubbedUrl(`/${"x".repeat(length)}${KEY}`, specification)).not.toContain(KEY.slice(0, 4));
  }
});
