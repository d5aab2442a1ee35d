import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect } from "../../src/client/service.js";
import { type Content, contentOf } from "../../src/format/content.js";
import { FORMATS, type Format } from "../../src/spec/vocabulary.js";
import { goldenReplies } from "../document/replies.js";
import { json, metadata } from "../faults/bulk-fixtures.js";
import { type FaultServer, faultServer } from "../faults/fault-server.js";
import { forAll } from "../support/for-all.js";
import { zipBytes } from "../zip/archive.js";

const bytes = (text: string): Uint8Array => Buffer.from(text);

const SAMPLES: readonly (readonly [Content, string, Uint8Array])[] = [
  ["nothing", "nothing", bytes("")],
  ["nothing", "nothing", bytes(" \r\n\t")],
  ["page", "a web page", bytes("<!DOCTYPE html><title>Sign in</title>")],
  ["page", "a web page", bytes("\n  <HTML lang=en>")],
  ["page", "a web page", bytes("<body class='x'>")],
  ["json", "JSON", bytes(' {"a":1}')],
  ["json", "JSON", bytes("[1]")],
  ["xml", "XML", bytes('<?xml version="1.0"?><a/>')],
  ["xml", "XML", bytes("<htmlish/>")],
  ["other", "other content", bytes("oops")],
  ["zip", "a zip archive", zipBytes([{ name: "a.csv", data: "a\n1\n" }])],
  ["parquet", "a Parquet file", Buffer.from("PAR1\x15\x04")],
  ["utf16", "text in UTF-16", Buffer.from('\ufeff{"a":1}', "utf16le")],
];

it.each(SAMPLES)("content by its first bytes: %s", (content, _, sample) => {
  expect(contentOf(sample)).toBe(content);
});

it("gzip is known by three bytes", () => {
  expect(contentOf(gzipSync("x"))).toBe("gzip");
});

it("every reply is known as its format, behind any white space and a byte order mark", () => {
  const replies = goldenReplies.flatMap((reply) =>
    FORMATS.flatMap((format) => (reply.bytes[format] ? [[format, reply.bytes[format] as Uint8Array] as const] : [])),
  );
  expect(replies.length).toBeGreaterThan(20);
  const wanted = { json: "json", xml: "xml", csv: "other" } as const;
  const space = fc.stringMatching(/^[ \t\r\n]{0,20}$/);
  forAll(100, fc.constantFrom(...replies), fc.boolean(), space, ([format, reply], marked, before) => {
    const mark = marked ? Uint8Array.of(0xef, 0xbb, 0xbf) : new Uint8Array();
    expect(contentOf(Buffer.concat([mark, bytes(before), reply]))).toBe(wanted[format]);
  });
});

describe("other content than was requested is refused in one wording", () => {
  let server: FaultServer;
  beforeAll(async () => {
    server = await faultServer();
  });
  afterAll(() => server.close());

  const call = (format: Format): Promise<unknown> =>
    connect({ url: server.url, apiKey: "k", warn: () => undefined })
      .table("V/T")
      .format(format)
      .frame();
  const bulk = (): Promise<unknown> => connect({ url: server.url, apiKey: "k" }).database("D").bulk().frame();
  const WANTED: readonly (readonly [string, string, () => Promise<unknown>])[] = [
    ["json", "JSON", () => call("json")],
    ["xml", "XML", () => call("xml")],
    ["csv", "CSV", () => call("csv")],
    ["zip", "a zip archive", bulk],
  ];

  it.each(
    WANTED.flatMap(([wanted, name, ask]) =>
      SAMPLES.filter(([content, , sample]) => {
        if (wanted !== "csv") return content !== wanted;
        return !["other", "json"].includes(content) && sample.toString() !== bytes("<htmlish/>").toString();
      }).map(([content, what, body]) => ({ wanted, name, ask, content, what, body })),
    ),
  )("$content instead of $wanted", async ({ name, ask, what, body }) => {
    server.reset();
    const headers = { "content-type": "application/octet-stream" };
    server.on("/api/v3", { headers, body });
    server.on("/api/v3/datatables/V/T/metadata.json", metadata);
    await expect(ask()).rejects.toMatchObject({
      name: "DataError",
      code: "UnexpectedContent",
      message: `${new URL(server.url).host} replied with ${what}, not ${name} (status 200, application/octet-stream).`,
    });
  });

  it("a type of text/html is a web page whatever the body", async () => {
    server.reset();
    server.on("/api/v3", { headers: { "content-type": "text/html" }, body: '{"a":1}' });
    await expect(call("json")).rejects.toMatchObject({ message: expect.stringContaining("a web page, not JSON") });
  });

  it("an error body with status 200 is the error that it reports, for a reply and for an archive", async () => {
    server.reset();
    server.on("/api/v3", { headers: json, body: '{"error":{"code":"QEPx04","message":"not subscribed"}}' });
    for (const [, , ask] of WANTED) await expect(ask()).rejects.toMatchObject({ name: "ServiceError", code: "QEPx04" });
  });
});
