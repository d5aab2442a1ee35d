import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { Frame } from "../../src/frame/frame.js";
import { type ConnectOptions, connect } from "../../src/index.js";
import { forAllAsync } from "../support/for-all.js";
import { runs } from "../support/whole.js";
import { json, page } from "./bulk-fixtures.js";
import { type Answer, faultServer } from "./fault-server.js";
import {
  csvMetadata,
  fails,
  failure,
  fast,
  good,
  KEY,
  rows,
  server,
  service,
  T,
  withoutAnswers,
} from "./request-service.js";

withoutAnswers();

const HOUR = 3_600_000;

describe("transport", () => {
  it("row 1, 4: a reply cut in the middle is asked for again", async () => {
    server.on(
      T,
      { headers: json, body: page, cutAt: 40 },
      { headers: json, body: page, cutAt: 0 },
      { cutAt: -1 },
      good,
    );
    expect(await rows()).toBe(1);
    expect(server.count(T)).toBe(4);
  });

  it("row 4: a reply that is always cut ends as an error that says so", async () => {
    server.on(T, { headers: json, body: page, cutAt: 40 });
    expect(await fails()).toMatchObject({
      name: "TransportError",
      code: "ConnectionLost",
      message: expect.stringContaining("tried 5 times"),
    });
  });

  it("row 5: a CSV reply that only the end of the connection ends, cut in the middle of a value, is never a short table", async () => {
    const csv = "ticker,date,close\nAAA,2024-02-29,1.25\nBBB,2024-02-29,12.5\n";
    server.on("/api/v3/datatables/V/T/metadata", csvMetadata);
    server.on("/api/v3/datatables/V/T.csv", {
      headers: { "content-type": "text/csv" },
      body: csv.slice(0, -3),
      length: "close",
    });
    const query = service().table("V/T").format("csv");
    await expect(query.frame()).rejects.toMatchObject({ code: "TruncatedBody" });
    server.on(
      "/api/v3/datatables/V/T.csv",
      { body: csv.slice(0, -3), length: "close" },
      { headers: { "content-type": "text/csv" }, body: csv },
    );
    expect((await query.frame()).numRows).toBe(2);
  });

  it.each([undefined, "chunked"] as const)(
    "row 5: a CSV reply without a last line end is complete where its end is marked: %s",
    async (length) => {
      server.on("/api/v3/datatables/V/T/metadata", csvMetadata);
      const body = "ticker,date,close\nAAA,2024-02-29,1.25\nBBB,2024-02-29,12.5";
      server.on("/api/v3/datatables/V/T.csv", { headers: { "content-type": "text/csv" }, body, length });
      const frame = await service().table("V/T").format("csv").frame();
      expect(frame.column("close").toStrings()).toEqual(["1.2500", "12.5000"]);
      expect(server.count("/api/v3/datatables/V/T.csv")).toBe(1);
    },
  );

  it("row 5: a CSV reply truncated at any byte is an error or all of its rows, as far as its end is marked", async () => {
    server.on("/api/v3/datatables/V/T/metadata", csvMetadata);
    const warnings: string[] = [];
    const reply = fc.record({
      closes: fc.array(fc.constantFrom("1.25", "12.5", "", '"7"'), { minLength: 1, maxLength: 4 }),
      end: fc.constantFrom("\n", "\r\n", ""),
      length: fc.constantFrom(undefined, "chunked" as const, "close" as const),
      coded: fc.boolean(),
      kept: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
    });
    await forAllAsync({ numRuns: runs(60), seed: 18 }, reply, async ({ closes, end, length, coded, kept }) => {
      const text = `ticker,date,close\n${closes.map((close) => `AAA,2024-02-29,${close}`).join("\n")}${end}`;
      const body = coded ? gzipSync(text) : Buffer.from(text);
      const cutAt = kept === null ? undefined : Math.floor(kept * (body.length - 1));
      const headers = { "content-type": "text/csv", ...(coded && { "content-encoding": "gzip" }) };
      server.on("/api/v3/datatables/V/T.csv", { headers, body, length, cutAt });
      warnings.length = 0;
      const query = service({ retry: { ...fast, attempts: 1 }, warn: (message) => warnings.push(message) });
      const frame = await query
        .table("V/T")
        .format("csv")
        .frame()
        .catch((error: unknown) => error);
      if (frame instanceof Frame) {
        const whole = frame.numRows === closes.length && cutAt === undefined;
        // Cut behind a row, without a mark: said in a warning.
        expect(whole || (length === "close" && warnings.length > 0)).toBe(true);
      } else {
        expect(frame).toMatchObject({ name: expect.stringMatching(/TransportError|DataError/) });
        expect(cutAt !== undefined || (length === "close" && end === "")).toBe(true);
      }
    });
  });

  it("row 5: without a declared length a whole CSV reply brings a warning", async () => {
    const said: string[] = [];
    server.on("/api/v3/datatables/V/T/metadata", csvMetadata);
    server.on("/api/v3/datatables/V/T.csv", { body: "ticker,date,close\nAAA,2024-02-29,1.25\n", length: "close" });
    await service({ warn: (message) => said.push(message) })
      .table("V/T")
      .format("csv")
      .frame();
    expect(said).toEqual([expect.stringContaining("does not declare the length")]);
  });

  it("row 6: a declared length that is too small or too big is never a short table", async () => {
    server.on(T, { headers: json, body: page, length: page.length - 20 });
    expect(await fails({ retry: { ...fast, attempts: 2 } })).toMatchObject({
      name: expect.stringMatching(/DataError|TransportError/),
    });
    server.on(T, { headers: json, body: page, length: page.length + 20 }, good);
    expect(await rows()).toBe(1);
  });

  it("row 7: no answer, a stall and a trickle are timeouts, and tried again", async () => {
    server.on(
      T,
      { stallAt: -1 },
      { headers: json, body: page, stallAt: 30 },
      { headers: json, body: page, trickle: 20 },
      good,
    );
    const timeouts = { response: 500, idle: 200 };
    // A slow machine may meet a limit once more.
    expect(await rows({ timeouts, retry: { ...fast, attempts: 50 } })).toBe(1);
    expect(server.count(T)).toBeGreaterThanOrEqual(4);
    server.on(T, { stallAt: -1 });
    expect(await fails({ timeouts, retry: { ...fast, attempts: 1 } })).toMatchObject({
      code: "Timeout",
      message: expect.stringContaining("0.5 seconds"),
    });
  });

  it("row 8: a service that is down is said in one line, after three tries", async () => {
    // Port 1 has no service and is never a free port of another test.
    expect(await fails({ url: "http://127.0.0.1:1" })).toMatchObject({
      name: "TransportError",
      code: "Unreachable",
      message: expect.stringMatching(
        /^The service at 127\.0\.0\.1:1 cannot be reached: it refuses connections \(tried 3 times\)\.$/,
      ),
    });
    expect(await fails({ url: "http://no-such-host.invalid" })).toMatchObject({
      code: "Unreachable",
      message: expect.stringContaining("no-such-host.invalid"),
    });
  });

  it("row 8: a bad certificate is reported once, with the host only", async () => {
    let asked = 0;
    const fetch = (async () => {
      asked++;
      const cause = Object.assign(new Error("certificate has expired"), { code: "CERT_HAS_EXPIRED" });
      throw new TypeError("fetch failed", { cause });
    }) as typeof globalThis.fetch;
    expect(await fails({ url: "https://data.example.com", fetch })).toMatchObject({
      code: "Tls",
      message: "The secure connection to data.example.com failed: CERT_HAS_EXPIRED.",
    });
    expect(asked).toBe(1);
  });

  it("row 9: gzip, asked for or not, once or twice, is unpacked; a bomb is refused", async () => {
    const zipped = gzipSync(page);
    server.on(
      T,
      { headers: { ...json, "content-encoding": "gzip" }, body: zipped },
      { headers: json, body: zipped },
      { headers: { ...json, "content-encoding": "gzip" }, body: gzipSync(zipped) },
    );
    for (let i = 0; i < 3; i++) expect(await rows()).toBe(1);
    server.on(T, { headers: json, body: gzipSync(Buffer.alloc(30 << 20)) });
    expect(await fails({ limits: { replyBytes: 1 << 20 } })).toMatchObject({ code: "TooLarge" });
    server.on(T, { headers: { ...json, "content-encoding": "gzip" }, body: gzipSync(Buffer.alloc(30 << 20)) });
    expect(await fails({ limits: { replyBytes: 1 << 20 } })).toMatchObject({ code: "TooLarge" });
  });

  it("row 10: a web page with status 200 is not a reply, whatever its content type", async () => {
    const html = `<!DOCTYPE html><html><title>Sign in</title>api_key=${KEY} ${"x".repeat(500)}</html>`;
    for (const headers of [{ "content-type": "text/html" }, json]) {
      server.on(T, { headers, body: html });
      const error = await fails();
      expect(error).toMatchObject({
        name: "DataError",
        code: "UnexpectedContent",
        status: 200,
        message: expect.stringContaining("a web page"),
      });
      expect(error.body.length).toBeLessThanOrEqual(210);
      expect(JSON.stringify(error) + error.stack).not.toContain(KEY);
      expect(server.count(T)).toBe(1);
      server.reset();
    }
  });

  it.each([500, 502, 503, 504])(
    "row 11: status %i is retried, then an error that names the way out",
    async (status) => {
      server.on(T, { status, headers: { "content-type": "text/html" }, body: "<html>oops</html>" }, good);
      expect(await rows()).toBe(1);
      server.on(T, { status, body: "" });
      const error = await fails();
      expect(error).toMatchObject({ name: "ServiceError", status, hint: expect.stringMatching(/export|again/) });
      expect(server.count(T)).toBe(2 + 5);
    },
  );

  it("row 12: Retry-After is kept in full, and fails at once beyond the budget", async () => {
    const profile = { retry: { ...fast, budget: 90_000 } };
    for (const limited of [
      failure(429, "QELx04", "slow down", { "retry-after": "1" }),
      { status: 429, headers: { "retry-after": "1" } },
    ]) {
      server.on(T, limited, good);
      const start = performance.now();
      expect(await rows(profile)).toBe(1);
      expect(performance.now() - start).toBeGreaterThan(995);
      expect(performance.now() - start).toBeLessThan(20_000);
    }
    server.reset();
    server.on(T, { status: 429, headers: { "retry-after": "3600" } });
    expect(await fails(profile)).toMatchObject({
      status: 429,
      retry: { after: 3_600_000 },
      hint: expect.stringContaining("60 minutes"),
    });
    expect(server.count(T)).toBe(1);
  });

  it("row 12: Retry-After decides before the wait that a code stands for, and the error names its figure", async () => {
    server.on(T, failure(429, "QELx04", "slow down"));
    expect(await fails()).toMatchObject({ retry: { after: 60_000 }, hint: expect.stringContaining("60 seconds") });
    server.on(T, failure(429, "QELx04", "slow down", { "retry-after": "7" }));
    expect(await fails()).toMatchObject({ retry: { after: 7_000 }, hint: expect.stringContaining("7 seconds") });
    server.on(T, failure(429, "QELx04", "slow down", { "retry-after": "0" }), good);
    expect(await rows()).toBe(1);
    server.on(T, failure(429, "QELx04", "slow down", { "retry-after": "123456789012" }));
    expect(await fails({ retry: { ...fast, budget: 1e9 } })).toMatchObject({ retry: { after: 123_456_789_012_000 } });
  });

  it.each(["-2", "garbage", "NaN", "Infinity", "Wed, 21 Oct 2015 07:28:00 GMT", ""])(
    "row 12: Retry-After %j asks for nothing",
    async (value) => {
      server.on(T, { status: 503, headers: { "retry-after": value, date: new Date().toUTCString() } }, good);
      expect(await rows()).toBe(1);
    },
  );

  it("row 12: a date to wait for is kept, by the service's clock where the reply has one", async () => {
    const profile = { retry: { ...fast, budget: 90_000 } };
    const at = (ms: number) => new Date(ms).toUTCString();
    server.on(T, { status: 429, headers: { "retry-after": at(Date.now() + 3_600_000) } });
    expect((await fails(profile)).retry.after).toBeGreaterThan(3_590_000);
    server.on(T, { status: 429, headers: { "retry-after": at(3_600_000), date: at(0) } });
    expect((await fails(profile)).retry.after).toBe(3_600_000);
  });

  it.each(["QELx01", "QELx02", "QELx03", "QEAx06"])("row 13: the daily limit %s fails at once", async (code) => {
    server.on(T, failure(429, code));
    expect(await fails()).toMatchObject({ code, status: 429 });
    expect(server.count(T)).toBe(1);
  });

  it.each([
    [400, "QEAx01"],
    [401, "QEAx05"],
    [403, "QEPx04"],
    [404, "QECx02"],
    [422, "QESx08"],
    [414, "QELx07"],
    [413, "QELx08"],
    [422, "QELx06"],
    [410, undefined],
  ])("row 15: %i %s is never tried again", async (status, code) => {
    server.on(T, code ? failure(status, code) : { status, body: "" });
    expect(await fails()).toMatchObject({
      name: "ServiceError",
      code: code ?? "HTTP410",
      status,
      hint: expect.any(String),
    });
    expect(server.count(T)).toBe(1);
  });

  it("row 15: the code decides before the status", async () => {
    server.on(T, failure(400, "QEXx01"), failure(202, "QEAx07"), good);
    expect(await fails()).toMatchObject({ code: "QEAx07" }); // its 30 seconds are over this budget
    server.on(T, failure(400, "QEXx01"), good);
    expect(await rows()).toBe(1);
  });

  it("row 16: the key goes to its own host only; redirects are followed by hand, five at most", async () => {
    const other = await faultServer();
    other.on("/", good);
    server.on(T, { status: 302, headers: { location: `${other.url}/elsewhere` } });
    expect(await rows()).toBe(1);
    expect(JSON.stringify(other.seen)).not.toContain(KEY);
    expect(server.seen[0].query.get("api_key")).toContain(KEY);
    server.on(T, { status: 302, headers: { location: T } });
    expect(await fails()).toMatchObject({ code: "BadRedirect", message: expect.stringContaining("limit of 5") });
    server.on(T, { status: 302, headers: { location: "ftp://x/y" } });
    expect(await fails()).toMatchObject({ code: "BadRedirect", message: expect.stringContaining("not secure") });
    server.on(T, { status: 302 });
    expect(await fails()).toMatchObject({ code: "BadRedirect" });
    await other.close();
  });

  it("row 16: a redirect that repeats the query, or has a fragment, gets the key once", async () => {
    server.on(T, ({ query }) => ({ status: 302, headers: { location: `/moved?${query}` } }));
    server.on("/moved", { status: 302, headers: { location: "/again#top" } });
    server.on("/again", good);
    expect(await rows()).toBe(1);
    const calls = server.seen.filter(({ path }) => !path.includes("metadata"));
    expect(calls.map(({ path, query }) => [path, query.getAll("api_key")])).toEqual(
      [T, "/moved", "/again"].map((path) => [path, [expect.stringContaining(KEY)]]),
    );
  });

  it("row 16: a redirect from https to http is refused", async () => {
    const asked: string[] = [];
    const fetch = (async (url: string) => {
      asked.push(url);
      return new Response(null, { status: 302, headers: { location: "http://data.example.com/x" } });
    }) as typeof globalThis.fetch;
    const error = await fails({ url: "https://data.example.com", fetch });
    expect(error).toMatchObject({ code: "BadRedirect", message: expect.stringContaining("not secure") });
    expect(asked).toHaveLength(1);
  });

  it("a header key never leaves its origin either", async () => {
    const other = await faultServer();
    other.on("/", good);
    server.on(T, { status: 302, headers: { location: `${other.url}/elsewhere` } });
    expect(await rows({ profile: "nasdaqDataLink" })).toBe(1);
    expect(server.seen[0].headers["x-api-token"]).toContain(KEY);
    expect(other.seen[0].headers["x-api-token"]).toBeUndefined();
    await other.close();
  });

  it("row 48: an abort ends the call at once with its reason, waiting or reading", async () => {
    const patient = { response: HOUR, idle: HOUR, total: HOUR };
    for (const answer of [
      { stallAt: -1 },
      { headers: json, body: page, stallAt: 20 },
      { status: 503, headers: { "retry-after": "1800" } },
    ]) {
      server.reset();
      server.on(T, answer);
      const stop = new AbortController();
      const reason = new Error("enough");
      const call = service({ timeouts: patient, retry: { ...fast, budget: HOUR } })
        .table("V/T")
        .frame({ signal: stop.signal });
      const ended = expect(call).rejects.toBe(reason);
      await vi.waitFor(() => expect(server.count(T)).toBe(1), { timeout: 60_000 });
      setTimeout(() => stop.abort(reason), 50);
      await ended;
      expect(server.count(T)).toBe(1);
    }
  });

  it("row 49: no error of any kind holds the key", async () => {
    const answers: Answer[] = [
      { status: 400, body: `bad api_key=${KEY}` },
      failure(400, "QEAx01", `the key ${KEY} is unknown`),
      { cutAt: -1 },
      { headers: json, body: `{"datatable": "${KEY}"` },
      { status: 302, headers: { location: `ftp://${KEY}@x/` } },
    ];
    for (const answer of answers) {
      server.on(T, answer);
      const error = await fails({ apiKey: KEY, retry: { ...fast, attempts: 1 } });
      const { inspect } = await import("node:util");
      expect(`${inspect(error, { depth: 9 })} ${JSON.stringify(error)} ${error.stack}`).not.toContain(KEY);
    }
  });
});

describe("a caller's fetch whose body cannot be cancelled", () => {
  const never = new Promise<void>(() => undefined);
  const serviceOf = (chunks: readonly string[], more: boolean, options: ConnectOptions) => {
    const fetch = async (): Promise<Response> => {
      let sent = 0;
      const pull = (controller: ReadableStreamDefaultController): Promise<void> | undefined => {
        if (!more && sent === chunks.length) return never;
        controller.enqueue(Buffer.from(chunks[sent++ % chunks.length]));
      };
      const body = new ReadableStream({ pull, cancel: () => never });
      return new Response(body, { headers: { "content-type": "application/json" } });
    };
    return connect({ url: "http://127.0.0.1:1", apiKey: "k", fetch, retry: { attempts: 1 }, ...options });
  };

  it("ends with its time limit, or the caller's signal", async () => {
    const stalled = serviceOf(['{"datatable":'], false, { timeouts: { idle: 200 } });
    await expect(stalled.table("V/T").metadata()).rejects.toMatchObject({ name: "TransportError" });
    const signal = AbortSignal.timeout(50);
    await expect(stalled.table("V/T").metadata({ signal })).rejects.toMatchObject({ name: "TimeoutError" });
  });

  it("ends with the most bytes of a reply", async () => {
    const endless = serviceOf([" ".repeat(100_000)], true, { limits: { replyBytes: 1 << 20 } });
    await expect(endless.table("V/T").metadata()).rejects.toMatchObject({ code: "TooLarge" });
  });
});
