import { createServer } from "node:http";
import { join } from "node:path";
import { afterAll, afterEach, expect, it } from "vitest";
import type { ConnectOptions, Progress } from "../../src/index.js";
import { connect } from "../../src/index.js";
import { defineProfile, nasdaqDataLink, specification } from "../../src/spec/profile.js";
import { faultServer } from "../faults/fault-server.js";
import { folderOf, sampleOf, started } from "../server/support.js";
import { listening } from "../support/listening.js";
import { temporaryFolder } from "../support/temporary-folder.js";

/*
 * What users of services of this kind complain about, one test for each theme: it cannot happen here. Row caps and
 * merges are in never-short.test.ts too, proxies and keys in surroundings.test.ts.
 */
const server = await faultServer();
const running = await started({ data: sampleOf("MARKET", "LABOR", "MARKET/PRICES", "TRANSPORT/AIRPORTS") });
afterEach(() => server.reset());
afterAll(() => server.close());

const json = { "content-type": "application/json" };
const to = (options: ConnectOptions = {}) =>
  connect({ url: server.url, apiKey: "key-1234567890", retry: { attempts: 1 }, ...options });
const ours = (options: ConnectOptions = {}) => connect({ url: running.url, apiKey: "sample", ...options });
const thrown = (call: Promise<unknown>): Promise<Error> =>
  call.then(
    () => expect.unreachable(),
    (error) => error,
  );

const table = (columns: string[][], data: unknown[][], next: string | null = null): string =>
  JSON.stringify({
    datatable: { data, columns: columns.map(([name, type]) => ({ name, type })) },
    meta: { next_cursor_id: next },
  });

it("complaint 1: errors hide the cause", async () => {
  const causes = [
    [
      403,
      { "content-type": "text/html" },
      "<html><title>Access denied by the firewall</title></html>",
      /firewall|web page/i,
    ],
    [
      400,
      json,
      '{"quandl_error":{"code":"QEAx01","message":"We could not recognize your API key."}}',
      /recognize your API key/,
    ],
    [403, json, '{"quandl_error":{"code":"QEPx04","message":"Please subscribe."}}', /Please subscribe/],
    [500, json, "", /500/],
  ] as const;
  const hints = new Set<string>();
  for (const [status, headers, body, message] of causes) {
    server.on("/api/v3/databases/A", { status, headers, body });
    const error = await thrown(to().database("A").metadata());
    expect(error).toMatchObject({ name: "ServiceError", status, message: expect.stringMatching(message) });
    hints.add((error as Error & { hint: string }).hint);
    server.reset();
  }
  expect(hints.size).toBe(causes.length);
});

it("complaint 2: too many calls at once, daily limits retried", async () => {
  let open = 0;
  let most = 0;
  let calls = 0;
  const busy = createServer((_, reply) => {
    most = Math.max(most, ++open);
    calls++;
    setTimeout(() => {
      open--;
      const [status, code] = calls > 6 ? [429, "QELx01"] : [404, "QECx02"];
      reply.writeHead(status, json);
      reply.end(JSON.stringify({ quandl_error: { code, message: "no" } }));
    }, 20);
  });
  const url = await listening(busy);
  const one = (options: ConnectOptions = {}) =>
    connect({ url, apiKey: "key-of-both-123", profile: nasdaqDataLink, retry: { attempts: 1 }, ...options });
  // Two connections of one key share its limits.
  await Promise.all([one(), one(), one()].flatMap((each) => [0, 1].map(() => thrown(each.database("A").metadata()))));
  expect([most, calls]).toEqual([1, 6]);
  const daily = await thrown(
    one({ retry: { attempts: 5 } })
      .database("A")
      .metadata(),
  );
  expect(daily).toMatchObject({ code: "QELx01", retry: { retryable: false } });
  expect(calls).toBe(7);
});

it("complaint 3: row caps and truncation", async () => {
  const profile = defineProfile(specification, { maxRowsPerReply: 10_000 });
  const all = await ours({ profile }).table("MARKET/PRICES").pageSize(200).frame();
  // 164 pages: there is no number of pages after which rows are dropped.
  expect([all.numRows, all.source?.complete]).toEqual([32_610, true]);
});

it("complaint 4: memory blows up on full tables", async () => {
  let requests = 0;
  const service = ours({
    fetch: (input, init) => {
      if (String(input).includes("PRICES.json")) requests++;
      return fetch(`${input}${String(input).includes("?") ? "&" : "?"}api_key=sample`, init);
    },
    apiKey: "",
  });
  let seen = 0;
  for await (const batch of service.table("MARKET/PRICES").pageSize(1_000).batches()) {
    expect(batch.numRows).toBeLessThanOrEqual(1_000);
    // The page in use, and the next one: no more wait in memory.
    expect(requests).toBeLessThanOrEqual(++seen + 1);
    if (seen === 5) break;
  }
});

it("complaint 5: no progress for exports and bulk files", async () => {
  const events: Progress[] = [];
  const service = ours({ onProgress: (event) => events.push(event) });
  await service.table("MARKET/PRICES").export().frame();
  await service.database("MARKET").bulk("full").frame();
  const phases = new Set(events.map(({ phase }) => phase));
  expect(phases).toContain("download");
  expect(events.some((event) => "total" in event && Number(event.total) > 0)).toBe(true);
  expect(new Set(events.map(({ code }) => code))).toEqual(new Set(["MARKET/PRICES", "MARKET"]));
});

it("complaint 6: hung downloads, retried from zero", async () => {
  server.on("/api/v3/databases/A", { stallAt: -1 });
  const hung = await thrown(
    to({ timeouts: { response: 200 } })
      .database("A")
      .metadata(),
  );
  expect(hung).toMatchObject({ code: "Timeout" });

  const folder = temporaryFolder("complaint");
  const ranges: (string | null)[] = [];
  const service = ours({
    apiKey: "",
    retry: { pause: 1 },
    fetch: async (input, init) => {
      const range = new Headers(init?.headers).get("range");
      const reply = await fetch(`${input}${String(input).includes("?") ? "&" : "?"}api_key=sample`, init);
      if (!String(input).includes("/data") || reply.body === null) return reply;
      ranges.push(range);
      if (ranges.length > 1) return reply;
      const half = (await reply.arrayBuffer()).slice(0, 50_000);
      return new Response(half, { status: reply.status, headers: reply.headers });
    },
  });
  await service.database("MARKET").bulk("full").saveZip(join(folder, "market.zip"));
  expect(ranges).toEqual([null, "bytes=50000-"]);
});

it("complaint 7: no proxies", async () => {
  const seen: string[] = [];
  const proxy = createServer((request, reply) => {
    seen.push(request.url ?? "");
    reply.writeHead(200, json).end(table([["a", "Integer"]], [[1]]));
  });
  const through = await listening(proxy);
  const service = connect({ url: "http://data.example", apiKey: "key-1234", proxy: through, warn: () => undefined });
  expect((await service.table("A/B").page()).frame.numRows).toBe(1);
  expect(seen[0]).toBe("http://data.example/api/v3/datatables/A/B.json?api_key=key-1234");
});

it("complaint 8: one key for the whole process", async () => {
  server.on("/api/v3/databases/A", { status: 404 });
  await Promise.all(["key-one-1234", "key-two-1234"].map((apiKey) => thrown(to({ apiKey }).database("A").metadata())));
  expect(server.seen.map(({ query }) => query.get("api_key")).sort()).toEqual(["key-one-1234", "key-two-1234"]);
});

it("complaint 9: everything is a float or a string", async () => {
  const columns = [
    ["a", "double"],
    ["b", "datetime"],
    ["c", "Integer"],
    ["d", "BigDecimal(50,28)"],
    ["e", "Date"],
    ["f", "String"],
  ];
  const body = table(columns, [[0.5, "2016-07-21 13:03:18 +0000", 7, "D", "2024-02-29", "2024-02-29"]]);
  const digits = "1234567890123456789012.1234567890123456789012345678";
  server.on("/api/v3/datatables/A/B.json", { headers: json, body: body.replace('"D"', digits) });
  const { frame } = await to().table("A/B").page();
  expect([...frame.rows({ decimals: "string" })]).toEqual([
    { a: 0.5, b: "2016-07-21T13:03:18Z", c: 7, d: digits, e: "2024-02-29", f: "2024-02-29" },
  ]);
});

it("complaint 10: dates move by an hour or a day, and become an index", async () => {
  expect(process.env["TZ"]).toBe("America/Los_Angeles");
  const frame = await ours().dataset("MARKET/AAA").from("2024-03-08").to("2024-03-12").order("asc").frame();
  // Clocks changed on the tenth of March.
  expect([...frame.rows()].map((row) => row["Date"])).toEqual(["2024-03-08", "2024-03-11", "2024-03-12"]);
  expect(frame.columns[0]).toMatchObject({ name: "Date", type: "Date" });
});

it("complaint 11: columns are off by one, or missing", async () => {
  const aaa = ours().dataset("MARKET/AAA").limit(3);
  const byTitle = await aaa.column("Close").frame();
  expect((await aaa.column(4).frame()).toCSV()).toBe(byTitle.toCSV());
  expect(byTitle.toCSV()).toBe((await aaa.frame()).select("Date", "Close").toCSV());
  await expect(aaa.column(99).frame()).rejects.toMatchObject({ name: expect.stringMatching(/Error$/) });
  await expect(aaa.column("close").frame()).rejects.toMatchObject({ hint: expect.stringContaining('"Close"') });
});

it("complaint 12: merged series are empty, or hide what was not found", async () => {
  const both = await ours().datasets(["MARKET/AAA.4", "LABOR/EMPLOYMENT.1"]).from("2024-01-01").frame();
  expect(both.columns.map(({ name }) => name)).toEqual(["Date", "MARKET/AAA - Close", "LABOR/EMPLOYMENT - nonfarm"]);
  expect(both.numRows).toBeGreaterThan(100);
  const missing = await thrown(ours().datasets(["MARKET/AAA.4", "MARKET/ZZZ"]).frame());
  expect(missing).toMatchObject({ code: "QECx02", message: expect.stringContaining("MARKET/ZZZ") });
});

it("complaint 13: a row of another width crashes, or shifts cells", async () => {
  server.on("/api/v3/datatables/A/B.json", {
    headers: json,
    body: table(
      [
        ["a", "Integer"],
        ["b", "Integer"],
      ],
      [[1, 2], [3]],
    ),
  });
  expect(await thrown(to().table("A/B").page())).toMatchObject({ name: "DataError", row: 1 });
});

it("complaint 14: codes of the wrong kind or half of one", async () => {
  const service = ours();
  expect(() => service.dataset("AAA")).toThrow(expect.objectContaining({ code: "BadCode" }));
  expect(() => service.table("MARKET-PRICES")).toThrow(expect.objectContaining({ code: "BadCode" }));
  const asTable = await thrown(service.table("MARKET/AAA").frame());
  expect(asTable).toMatchObject({ code: "QECx02", message: expect.stringContaining("datatable") });
  const data = folderOf({
    "catalog.json": {
      databases: [],
      tables: [
        {
          vendor_code: "A-B",
          datatable_code: "C_D.E",
          name: "x",
          columns: [{ name: "a", type: "Integer" }],
          file: "t.csv",
        },
      ],
    },
    "t.csv": "a\n1\n",
  });
  const strange = await started({ data });
  expect((await connect({ url: strange.url, apiKey: "sample" }).table("A-B/C_D.E").frame()).numRows).toBe(1);
});

it("complaint 15: addresses move, interfaces are withdrawn, sockets stay open", async () => {
  server.on("/moved", { headers: json, body: table([["a", "Integer"]], [[1]]) });
  server.on("/api/v3/datatables/A/B.json", { status: 301, headers: { location: `${server.url}/moved` } });
  expect((await to().table("A/B").page()).frame.numRows).toBe(1);
  server.on("/api/v3/datasets/WIKI/AAPL", { status: 410 });
  const retired = await thrown(to({ profile: nasdaqDataLink }).dataset("WIKI/AAPL").frame());
  expect(retired).toMatchObject({ status: 410, message: expect.stringContaining("withdrawn") });
});
