import { describe, expect, it } from "vitest";
import { connect, type Service } from "../../src/client/service.js";
import { ServiceError } from "../../src/errors/errors.js";
import { Frame } from "../../src/frame/frame.js";
import type { Format } from "../../src/spec/vocabulary.js";
import { goldenReplies } from "../document/replies.js";

/*
 * RFC 8259, 8.1: a reader may ignore a byte order mark; XML 1.0, 4.3.3 allows one; spreadsheets write one before CSV.
 */
const MARK = Uint8Array.of(0xef, 0xbb, 0xbf);
const TYPES = { json: "application/json", xml: "application/xml", csv: "text/csv" } as const;

const answering = (body: Uint8Array, format: Format, status = 200): Service =>
  connect({
    url: "https://data.example.com",
    apiKey: "mark-key-0123456789",
    retry: { attempts: 1 },
    warn: () => undefined,
    fetch: (async () =>
      new Response(body, {
        status,
        headers: { "content-type": TYPES[format], "content-length": String(body.length) },
      })) as typeof globalThis.fetch,
  });

/** The call that each recorded reply answers. */
const CALLS: Readonly<Record<string, (service: Service, format: Format) => Promise<unknown>>> = {
  "2.1-dataset-data": (service, format) => service.dataset("EOD/AAPL").format(format).data(),
  "2.2-dataset": (service, format) => service.dataset("EOD/AAPL").format(format).metadata(),
  "2.3-combined": (service, format) => service.dataset("EOD/AAPL").column(1).limit(2).format(format).withMetadata(),
  "2.4-database": (service, format) => service.database("EOD").format(format).metadata(),
  "2.6-table-empty": async (service, format) =>
    Buffer.from((await service.table("A/B").format(format).frame()).toIPC()).toString("hex"),
  "2.7-table-metadata": (service, format) => service.table("A/B").format(format).metadata(),
  "2.8-fresh": (service, format) => service.table("A/B").format(format).export().status(),
};

const bytesOf = (name: string, format: Format): Uint8Array | undefined =>
  goldenReplies.find((reply) => reply.name === name)?.bytes[format];

const cases = Object.keys(CALLS).flatMap((name) =>
  (["json", "xml", "csv"] as const)
    // Rows with metadata do not exist in CSV; the types of table rows in CSV come from a second call with another
    // reply.
    .filter((format) => bytesOf(name, format) !== undefined && !(format === "csv" && /^2\.[36]/.test(name)))
    .map((format) => [name, format] as const),
);

describe("a byte order mark before a reply changes nothing", () => {
  it.each(cases)("%s.%s", async (name, format) => {
    const body = bytesOf(name, format) as Uint8Array;
    const plain = await CALLS[name](answering(body, format), format);
    const marked = await CALLS[name](answering(Buffer.concat([MARK, body]), format), format);
    expect(marked).toEqual(plain);
  });

  it.each([
    ["json", 404],
    ["json", 200],
    ["xml", 404],
    ["xml", 200],
    ["csv", 404],
    ["csv", 200],
  ] as const)("an error in %s with status %i", async (format, status) => {
    const body = {
      json: '{"error":{"code":"QECx02","message":"no"}}',
      xml: '<?xml version="1.0" encoding="UTF-8"?><service-response><error><code>QECx02</code><message>no</message></error></service-response>',
      csv: "code,message\nQECx02,no\n",
    }[format];
    const marked = Buffer.concat([MARK, Buffer.from(body)]);
    const error = await answering(marked, format, status)
      .dataset("EOD/AAPL")
      .format(format)
      .data()
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ code: "QECx02", status });
  });

  it("Frame.fromJSON() reads it from bytes and from a string; a second mark is not JSON", () => {
    const body = bytesOf("2.6-table", "json") as Uint8Array;
    const plain = Frame.fromJSON(body).toIPC();
    expect(Frame.fromJSON(Buffer.concat([MARK, body])).toIPC()).toEqual(plain);
    expect(Frame.fromJSON(`\ufeff${Buffer.from(body).toString()}`).toIPC()).toEqual(plain);
    expect(() => Frame.fromJSON(Buffer.concat([MARK, MARK, body]))).toThrow(
      expect.objectContaining({ code: "BadJson" }),
    );
  });
});
