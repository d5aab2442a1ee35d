import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { inspect } from "node:util";
import { XMLValidator } from "fast-xml-parser";
import { describe, expect, it } from "vitest";
import { type FailedReply, readFailure, writeFailure } from "../../src/document/failure.js";
import { ServiceError } from "../../src/errors/errors.js";
import { rememberSecret } from "../../src/errors/secrets.js";
import { defineProfile, nasdaqDataLink, specification } from "../../src/spec/profile.js";

const answer = (status: number, body: string, headers: Readonly<Record<string, string>> = {}): FailedReply => ({
  status,
  contentType: null,
  headers: (name) => headers[name] ?? null,
  bytes: new TextEncoder().encode(body),
});
const fail = (status: number, body: string, headers?: Readonly<Record<string, string>>): ServiceError =>
  readFailure(answer(status, body, headers), specification);

describe("spec 7: an error is read from any body", () => {
  it.each([
    ['{"quandl_error":{"code":"QECx02","message":"No such table."}}'],
    ['{"error":{"code":"QECx02","message":"No such table."}}'],
    ['{"code":"QECx02","message":"No such table."}'],
    ['{"errors":[{"code":"QECx02","message":"No such table."}],"request":"x"}'],
    ['[{"code":"QECx02","message":"No such table."}]'],
    ['{"errors":[{"code":"QECx02","message":"No such table."},{"code":"QESx04","message":"And no such column."}]}'],
    ['{"data":null,"meta":{"a":1},"quandl_error":{"code":"QECx02","message":"No such table."}}'],
    [
      '{"status":"error","response":{"error":{"errors":[{"error_code":"QECx02","error_description":"No such table."}]}}}',
    ],
    ['{"fault":{"faultstring":"No such table.","detail":{"errorcode":"QECx02"}}}'],
    ['{"Code":"QECx02","Message":"No such table."}'],
    ["code,message\nQECx02,No such table.\n"],
    ['\ufeffcode,message\r\nQECx02,"No such table."\r\n'],
    [
      '<?xml version="1.0"?><service-response><error><code>QECx02</code><message>No such table.</message></error></service-response>',
    ],
    [
      '<a><!-- <code>QESx99</code> --><code/><e note="&lt;code>QEX&lt;/code>"><code> QECx02</code><message>No such <![CDATA[table.]]></message></e></a>',
    ],
    ["<a><code>QECx02</code><message>No such table. A & B</message></a>"],
    [
      '<quandl-response>\n<quandl-error>\n<code type="string">QECx02</code>\n<message>No such table.</message></quandl-error></quandl-response>',
    ],
  ])("%s", (body) => {
    const error = fail(404, body, { "x-request-id": "r-1" });
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ code: "QECx02", status: 404, requestId: "r-1", retry: { retryable: false } });
    expect(error.message).toContain("No such table.");
    expect(error.hint).toContain("code");
    expect(error.body).toBe(body.replace("\ufeff", ""));
  });

  it("a key that the service sends back appears in no field", () => {
    const key = "reflected-key-123";
    rememberSecret(key);
    const body = JSON.stringify({ error: { code: `Q-${key}`, message: `no ${key}` } });
    const error = fail(400, body, { "x-request-id": `r api_key=${key}` });
    expect(error).toMatchObject({ code: "Q-[key]", requestId: "r api_key=[key]" });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(key);
    expect(fail(400, body, { "x-request-id": "r api_key=short" }).requestId).toBe("r api_key=[key]");
  });

  it.each([
    ['{"errors":["First.","Second."]}', "First.; Second."],
    ['{"errors":[{"message":"First."},{"message":"Second."}]}', "First.; Second."],
    ['{"errors":{"ticker":["is unknown","is short"],"date":["is not a date"]}}', "ticker: is unknown; is short"],
    ['{"type":"about:blank","title":"Not found","status":404,"detail":"No such table."}', "No such table."],
    ['{"detail":"No such table."}', "No such table."],
    ['{"error":"not_found","error_description":"No such table."}', "No such table."],
    ["Too many requests", "Too many requests"],
    ["  No such\n table. ", "No such table."],
  ])("the message of %s", (body, message) => {
    expect(fail(404, body).message).toContain(message);
  });

  it("what a long list of errors says is cut", () => {
    const many = JSON.stringify({
      errors: Array.from({ length: 1_000 }, (_, i) => ({ message: `Row ${i} is wrong` })),
    });
    expect(fail(422, many).message).toMatch(/Row 0 is wrong; .*… \(997 more\)/);
    expect(fail(422, many).message.length).toBeLessThan(300);
    const deep = `${'{"error":'.repeat(5_000)}{"code":"X","message":"deep"}${"}".repeat(5_000)}`;
    expect(fail(422, deep).message).toContain("status 422");
  });

  it("a code may be a number, and a message may come alone", () => {
    expect(fail(400, '{"code":42,"message":"No."}')).toMatchObject({ code: "42" });
    const alone = fail(400, '{"error":"No such thing."}');
    expect(alone.code).toBe("HTTP400");
    expect(alone.message).toContain("No such thing.");
  });

  it.each([
    [403, "<!DOCTYPE html><html><head><title>Access &amp; denied</title></head></html>", "Access & denied", false],
    [503, "<html><title>Maintenance</title><code>x</code><message>y</message></html>", "Maintenance", true],
    [500, "", "without a body", true],
    [502, "\0\x01\x02", "without an error message", true],
    [400, '{"code":', "without an error message", false],
    [429, "\0Too many requests", "without an error message", true],
    [418, "null", "without an error message", false],
  ])("status %i without a code: %j", (status, body, words, retryable) => {
    const error = fail(status, body);
    expect(error).toMatchObject({ code: `HTTP${status}`, status, retry: { retryable } });
    expect(error.message).toContain(words);
    expect(error.hint).toBeTruthy();
  });
});

describe("a web page instead of an error is not attributed to the key", () => {
  const CLOUDFLARE =
    "<!DOCTYPE html><html><head><title>Attention Required! | Cloudflare</title></head><body>blocked</body></html>";
  it.each([
    [403, CLOUDFLARE, { server: "cloudflare", "cf-ray": "8a1b2c3d4e5f-FRA" }, /Cloudflare.*8a1b2c3d4e5f-FRA/],
    [
      403,
      "<html><body>Request unsuccessful. Incapsula incident ID: 123-456</body></html>",
      { "x-iinfo": "1-2" },
      /Imperva/,
    ],
    [403, "<HTML><TITLE>Access Denied</TITLE>Reference #18.2f</HTML>", { server: "AkamaiGHost" }, /Akamai/],
    [
      403,
      "<html><title>ERROR: The request could not be satisfied</title></html>",
      { via: "1.1 x (CloudFront)" },
      /CloudFront/,
    ],
    [401, "<html><title>Sign in to the guest network</title></html>", {}, /Sign in to the guest network/],
    [407, "<html></html>", {}, /web page/],
    [429, "<html><title>Slow down</title></html>", {}, /Slow down/],
  ])("status %i: %s", (status, body, headers: Readonly<Record<string, string>>, message) => {
    const error = fail(status, body, headers);
    expect(error).toMatchObject({ code: `HTTP${status}`, status, retry: { retryable: status === 429 } });
    expect(error.message).toMatch(message);
    expect(error.message).toContain("web page");
    expect(error.hint).toMatch(/in place of the service/);
    expect(error.hint).not.toMatch(/subscribe|may not read|Check the API key/i);
  });

  it("a page of the service's own codes keeps its meaning: 404 and 503", () => {
    expect(fail(404, "<html></html>").hint).toContain("connect({ url })");
    expect(fail(503, "<html><title>Down</title></html>")).toMatchObject({ retry: { retryable: true } });
  });
});

describe("golden error replies", () => {
  const golden = (name: string): string => readFileSync(resolve(import.meta.dirname, "../cases/replies", name), "utf8");

  it.each(["7-error.json", "7-error.xml", "7-error.csv", "7-wrapped.json", "7-wrapped.xml"])("%s", (name) => {
    const error = fail(404, golden(name));
    expect(error).toMatchObject({ code: "QECx02", status: 404 });
    expect(error.message).toContain("The following datatable 'CBOE/VIX' does not exist.");
  });

  it.each(["json", "xml", "csv"] as const)("the embedded service writes 7-error.%s", (format) => {
    const failure = { code: "QECx02", message: "The following datatable 'CBOE/VIX' does not exist.", status: 404 };
    expect(writeFailure(failure, format, specification).body.trim()).toBe(golden(`7-error.${format}`).trim());
  });

  it("7-page.html", () => {
    const error = fail(403, golden("7-page.html"));
    expect(error).toMatchObject({ code: "HTTP403", status: 403, retry: { retryable: false } });
    expect(error.message).toContain("403 Forbidden");
  });
});

describe("spec 7: the sentence on what to do next", () => {
  it.each([
    ["query parameters too long", 414, "QELx07", "x", "export"],
    ["query parameters too long, by its message", 400, "Foo1", "The request query parameters are too long", "export"],
    ["too many results", 422, "QELx06", "x", "filter"],
    [
      "too many results, by its message",
      400,
      "Foo2",
      "Your query would return too many results. Apply some filters.",
      "filter",
    ],
    ["server failure", 500, "QEMx01", "x", "export"],
    ["server failure without a known code", 500, "Foo3", "boom", "export"],
    ["wrong key", 400, "QEAx01", "x", "API key"],
    ["not a subscriber", 403, "QEPx04", "x", "ubscri"],
    ["cursor", 400, "QESx06", "x", "first page"],
  ])("%s", (_, status, code, message, hint) => {
    expect(fail(status, JSON.stringify({ error: { code, message } })).hint).toContain(hint);
  });
});

describe("retry advice", () => {
  it.each([
    ["the daily limit is not worth a retry", 429, "QELx02", {}, { retryable: false }],
    ["the ten-minute limit is, later", 429, "QELx04", {}, { retryable: true, after: 60_000 }],
    ["try again in 30 seconds", 202, "QEAx07", {}, { retryable: true, after: 30_000 }],
    ["Retry-After in seconds", 429, "QELx04", { "retry-after": "3600" }, { retryable: true, after: 3_600_000 }],
    [
      "Retry-After decides before the wait that the code stands for",
      429,
      "QELx04",
      { "retry-after": "1" },
      { retryable: true, after: 1_000 },
    ],
    [
      "Retry-After as a date, by the service's clock",
      503,
      "QEXx01",
      { "retry-after": "Fri, 20 Nov 2026 10:00:10 GMT", date: "Fri, 20 Nov 2026 10:00:00 GMT" },
      { retryable: true, after: 10_000 },
    ],
    [
      "a date gone by",
      503,
      "QEXx01",
      { "retry-after": "Fri, 20 Nov 2026 09:00:00 GMT", date: "Fri, 20 Nov 2026 10:00:00 GMT" },
      { retryable: true },
    ],
    ["garbage", 503, "QEXx01", { "retry-after": "-2" }, { retryable: true }],
    ["an unknown code of a class", 400, "QEXx99", {}, { retryable: true }],
    ["an unknown code of a refusing class, whatever the status", 500, "QEPx99", {}, { retryable: false }],
  ])("%s", (_, status, code, headers, retry) => {
    expect(fail(status, JSON.stringify({ error: { code, message: "x" } }), headers).retry).toEqual(retry);
  });
});

it("no key stays in what an error keeps", () => {
  rememberSecret("s3cr3t-k3y-0001");
  const error = fail(400, '{"error":{"code":"QEAx01","message":"bad key s3cr3t-k3y-0001 in ?api_key=other"}}');
  const all = JSON.stringify([error.message, error.body, error.hint, error.stack]);
  expect(all).not.toContain("s3cr3t-k3y-0001");
  expect(all).not.toContain("=other");
});

describe("errors are written in the format asked for", () => {
  const failure = { code: "QESx08", message: 'You cannot use "a, <b>" as a filter.', status: 422 };
  it.each([
    ["json", "application/json", '{"error":{"code":"QESx08"'],
    ["csv", "text/csv", "code,message\nQESx08,"],
    ["xml", "application/xml", "<service-response><error><code>QESx08</code><message>"],
    [undefined, "application/json", '{"error":'],
  ] as const)("%s", (format, type, start) => {
    const { contentType, body } = writeFailure(failure, format, specification);
    expect(contentType).toContain(type);
    expect(body).toContain(start);
    const read = readFailure(answer(422, body), specification);
    expect(read).toMatchObject({ code: failure.code, status: 422 });
    expect(read.message).toContain(failure.message);
  });

  it("a message with characters that XML cannot hold is still well-formed XML", async () => {
    const odd = { ...failure, message: "a\0b\u0001c\ufffed\ud800e" };
    const { body } = writeFailure(odd, "xml", specification);
    expect(body).toContain("a\ufffdb\ufffdc\ufffdd\ufffde");
    expect(XMLValidator.validate(body)).toBe(true);
  });

  it("the wrapper's name is the profile's", () => {
    expect(writeFailure(failure, "json", nasdaqDataLink).body).toContain('{"quandl_error":');
    expect(writeFailure(failure, "xml", nasdaqDataLink).body).toContain("<quandl-response><quandl-error>");
  });
});

describe("profiles", () => {
  it("entries are replaced by plain values and marked as `given`", () => {
    const own = defineProfile(specification, {
      cursorParameter: "cursor",
      keyHeader: "X-Key",
      errors: { E1: { retryable: true, hint: "wait" } },
    });
    expect(own.cursorParameter).toEqual({ value: "cursor", evidence: "given", source: "defineProfile" });
    expect(own.keyHeader.value).toBe("X-Key");
    expect(own.xmlRoot).toBe(specification.xmlRoot);
    expect(own.errors.value).toMatchObject({ E1: { hint: "wait" }, QELx07: { status: 414 } });
    expect(readFailure(answer(400, '{"error":{"code":"E1","message":"m"}}'), own)).toMatchObject({
      hint: "wait",
      retry: { retryable: true },
    });
  });

  it("an unknown entry is refused by its name, a value of the wrong kind by its kind", () => {
    const changes =
      (value: object): (() => unknown) =>
      () =>
        defineProfile(specification, value);
    expect(changes({ cursorParam: "x" })).toThrow(
      expect.objectContaining({ code: "UnknownOption", hint: expect.stringContaining("cursorParameter") }),
    );
    expect(changes({ collapses: "monthly" })).toThrow(expect.objectContaining({ code: "BadArgument" }));
    expect(changes({ xmlRoot: null })).toThrow(expect.objectContaining({ code: "BadArgument" }));
  });

  it("every entry says whether it is specified or observed, and where", () => {
    for (const profile of [specification, nasdaqDataLink]) {
      for (const [name, entry] of Object.entries(profile)) {
        if (name === "name") continue;
        expect(entry, name).toMatchObject({
          evidence: expect.stringMatching(/^(specified|observed)$/),
          source: expect.any(String),
        });
      }
    }
  });
});

it("docs/profiles.md lists every entry with its evidence", () => {
  const page = readFileSync(resolve(import.meta.dirname, "../../docs/profiles.md"), "utf8");
  for (const [name, entry] of Object.entries(specification)) {
    if (name === "name") continue;
    const line = page.split("\n").find((text) => text.startsWith(`| \`${name}\` |`));
    expect(line, name).toContain(`| ${(entry as { evidence: string }).evidence} |`);
  }
  expect(page).toContain(`${Object.keys(specification.errors.value).length} codes`);
});
