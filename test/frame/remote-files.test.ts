import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  arrowBatches,
  csvBatches,
  Frame,
  isArrowbookError,
  jsonLinesBatches,
  parquetBatches,
} from "../../src/index.js";
import { fileAt, REMOTE } from "../../src/transport/remote-file.js";
import { rangeServer, sendPart } from "../support/range-server.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const ROWS = 140_000;
/** Rows of the text files. */
const LINES = 40_000;
/** Rows whose bytes do not compress to nothing, in groups of 65,536. */
const frame = Frame.fromColumns({
  ticker: Array.from({ length: ROWS }, (_, i) => `T${String(Math.floor(i / 10_000)).padStart(3, "0")}`),
  number: Int32Array.from({ length: ROWS }, (_, i) => i),
  price: Float64Array.from({ length: ROWS }, (_, i) => (Math.imul(i, 2_654_435_761) >>> 0) / 1024),
  noise: Float64Array.from({ length: ROWS }, (_, i) => Math.sin(i)),
});
const small = Frame.fromColumns({ id: ["007", "008"], close: ["1.50", "2.25"] }, { close: "BigDecimal(9,2)" });

const kept = { ...REMOTE, retry: { ...REMOTE.retry }, timeouts: { ...REMOTE.timeouts } };
let server: Awaited<ReturnType<typeof rangeServer>>;
let other: Awaited<ReturnType<typeof rangeServer>>;
let parquet: Uint8Array;
let csv: Uint8Array;

beforeAll(async () => {
  const folder = temporaryFolder();
  await frame.toParquet(join(folder, "prices.parquet"));
  await frame.toArrow(join(folder, "prices.arrow"));
  await small.toParquet(join(folder, "small.parquet"));
  const bytesOf = (name: string): Uint8Array => new Uint8Array(readFileSync(join(folder, name)));
  parquet = bytesOf("prices.parquet");
  csv = new TextEncoder().encode(frame.head(LINES).toCSV());
  const files = {
    "/prices.parquet": parquet,
    "/small.parquet": bytesOf("small.parquet"),
    "/prices.csv": csv,
    "/prices.csv.gz": gzipSync(csv),
    "/prices.jsonl": new TextEncoder().encode(small.toJSONLines()),
    "/prices.arrow": bytesOf("prices.arrow"),
    "/prices.arrows": frame.toIPC(),
    "/empty.csv": new Uint8Array(0),
    "/empty.parquet": new Uint8Array(0),
  };
  server = await rangeServer(files);
  other = await rangeServer(files);
  Object.assign(REMOTE.retry, { pause: 1, maxPause: 2 });
});

beforeEach(() => {
  server.reset();
  other.reset();
});

afterAll(async () => {
  Object.assign(REMOTE, kept);
  await server.close();
  await other.close();
});

/** Each test asks for other addresses, so that it does not see what the one before had asked for ahead. */
const at = (name: string): string => `${server.url}/${name}?${server.run}`;

/** Every 997th row. */
const gist = (read: Frame): unknown[] => {
  const places = Array.from({ length: Math.ceil(read.numRows / 997) }, (_, i) => i * 997);
  return [read.numRows, read.columns, read.take(places).toCSV()];
};

const failure = async (read: Promise<unknown>): Promise<Record<string, unknown>> => {
  const error: unknown = await read.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  if (!isArrowbookError(error)) throw error ?? new Error("it was read");
  return error as never;
};

describe("remote files", () => {
  it("reads of an address are those of its bytes", async () => {
    const whole = await Frame.fromParquet(parquet);
    expect(gist(await Frame.fromParquet(at("prices.parquet")))).toEqual(gist(whole));
    expect((await Frame.fromParquet(new URL(at("small.parquet")))).toArray()).toEqual(small.toArray());
    expect(gist(await Frame.fromArrow(at("prices.arrow")))).toEqual(gist(whole));
    expect(gist(await Frame.fromArrow(at("prices.arrows")))).toEqual(gist(whole));
    const text = await Frame.fromCSV(csv);
    for (const name of ["prices.csv", "prices.csv.gz"]) {
      const read = await Frame.fromCSV(at(name));
      expect(gist(read)).toEqual(gist(text));
      expect(read.columns).toEqual(text.columns);
      expect(read.source?.code).toBe(name);
    }
    expect((await Frame.fromJSONLines(at("prices.jsonl"))).numRows).toBe(2);
  });

  it("batches of an address are those of its bytes", async () => {
    const count = async (batches: AsyncIterable<{ readonly numRows: number }>): Promise<number> => {
      let rows = 0;
      for await (const { numRows } of batches) rows += numRows;
      return rows;
    };
    expect(await count(parquetBatches(at("prices.parquet"), { columns: ["price"] }))).toBe(ROWS);
    expect(await count(arrowBatches(new URL(at("prices.arrow"))))).toBe(ROWS);
    expect(await count(csvBatches(at("prices.csv")))).toBe(LINES);
    expect(await count(jsonLinesBatches(at("prices.jsonl")))).toBe(2);
    expect(await count(csvBatches([at("prices.csv"), at("prices.csv.gz")], { source: "file" }))).toBe(2 * LINES);
  });

  it("a list of addresses is one table", async () => {
    const read = await Frame.fromParquet([at("prices.parquet"), `${other.url}/prices.parquet?${other.run}`], {
      columns: ["number"],
      source: "file",
    });
    expect(read.numRows).toBe(2 * ROWS);
    expect(new Set(read.column("file").toArray()).size).toBe(2);
  });

  it("only the footer, and the columns and row groups that are needed, are requested", async () => {
    const read = await Frame.fromParquet(at("prices.parquet"), {
      columns: ["price", "number"],
      where: { ticker: "T011" },
    });
    expect(read.numRows).toBe(10_000);
    const bytes = server.asked.reduce((sum, one) => sum + one.bytes, 0);
    expect(server.asked.length).toBeLessThanOrEqual(3);
    expect(bytes).toBeLessThan(parquet.length / 2);
    // Each part is of the state that the first reply had.
    for (const { headers } of server.asked.slice(1)) expect(headers["if-match"]).toMatch(/^"/);
  });

  it("a short file takes one request, a text file without compression two", async () => {
    await Frame.fromParquet(at("small.parquet"));
    expect(server.asked).toHaveLength(1);
    server.reset();
    await Frame.fromCSV(at("prices.csv"), { columns: frame.columns });
    expect(server.asked.map(({ range }) => range)).toEqual(["bytes=0-1048575", `bytes=1048576-${csv.length - 1}`]);
  });

  it("a server without parts sends the whole file, up to a limit", async () => {
    server.reset((request) => {
      delete request.headers.range;
    });
    const whole = await Frame.fromParquet(at("prices.parquet"), { where: { ticker: "T003" } });
    expect(whole.numRows).toBe(10_000);
    REMOTE.mostHeld = 100_000;
    try {
      expect(await failure(Frame.fromParquet(at("prices.parquet")))).toMatchObject({
        code: "TooLarge",
        message: expect.stringContaining("does not send parts"),
      });
    } finally {
      REMOTE.mostHeld = kept.mostHeld;
    }
  });

  it("a file whose end only the end of the connection marks is refused", async () => {
    server.reset((_, response) => {
      response.removeHeader("connection");
      response.useChunkedEncodingByDefault = false;
      response.writeHead(200).end("id,close\n007,1.50\n");
      return true;
    });
    expect(await failure(Frame.fromCSV(at("small.csv")))).toMatchObject({
      code: "BadRange",
      message: expect.stringContaining("does not declare its length"),
    });
  });

  it("a server that counts no part from the end is asked for the start", async () => {
    for (const status of [200, 416]) {
      server.reset((request, response) => {
        if (request.headers.range?.startsWith("bytes=-") !== true) return false;
        if (status === 200) delete request.headers.range;
        else response.writeHead(416, { "content-range": `bytes */${parquet.length}` }).end();
        return status === 416;
      });
      expect((await Frame.fromParquet(at("prices.parquet"), { where: { ticker: "T001" } })).numRows).toBe(10_000);
    }
  });

  it("a file that its server has compressed is requested as a whole", async () => {
    const stored = gzipSync(csv);
    server.reset((request, response) => {
      response.setHeader("content-encoding", "gzip");
      sendPart(request, response, stored);
      return true;
    });
    expect((await Frame.fromCSV(at("prices.csv"))).toCSV()).toBe((await Frame.fromCSV(csv)).toCSV());
    expect(server.asked.map(({ range }) => range)).toEqual(["bytes=0-1048575", undefined]);
  });

  it("empty files are empty files", async () => {
    expect(await failure(Frame.fromParquet(at("empty.parquet")))).toMatchObject({ code: "BadParquet" });
    expect(await failure(Frame.fromCSV(at("empty.csv")))).toMatchObject(
      await failure(Frame.fromCSV(new Uint8Array(0))).then(({ code }) => ({ code })),
    );
  });

  it("temporary failures are retried, and a reply that breaks off is resumed", async () => {
    let broken = 0;
    server.reset((request, response, number) => {
      if (number % 3 === 1) {
        response.writeHead(503, { "retry-after": "0" }).end("<Error><Code>SlowDown</Code></Error>");
        return true;
      }
      const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
      if (number % 3 !== 2 || start === undefined || Number(end) - Number(start) < 500_000) return false;
      broken++;
      const part = csv.subarray(Number(start), Math.min(csv.length, Number(end) + 1));
      response.writeHead(206, {
        "content-range": `bytes ${start}-${Number(start) + part.length - 1}/${csv.length}`,
        "content-length": part.length,
      });
      response.write(part.subarray(0, 300_000), () => setTimeout(() => response.destroy(), 20));
      return true;
    });
    const read = await Frame.fromCSV(at("prices.csv"), { columns: frame.columns });
    expect(read.toCSV()).toBe(frame.head(LINES).toCSV());
    expect(broken).toBeGreaterThan(0);
  });

  it.each([
    ["503 for ever", { code: "ServerFailed", status: 503 }, (_: unknown, r) => void r.writeHead(503).end()],
    ["404", { code: "FileNotFound", status: 404 }, (_: unknown, r) => void r.writeHead(404).end()],
    ["403", { code: "AccessDenied" }, (_: unknown, r) => void r.writeHead(403).end("<Code>ExpiredToken</Code>")],
    [
      "another start",
      { code: "BadRange" },
      (_: unknown, r) => {
        r.writeHead(206, { "content-range": "bytes 1-10/100" }).end(new Uint8Array(10));
      },
    ],
    [
      "no length of the file",
      { code: "BadRange" },
      (_: unknown, r) => {
        r.writeHead(206, { "content-range": "bytes 0-9/*" }).end(new Uint8Array(10));
      },
    ],
    [
      "parts of several types",
      { code: "BadRange" },
      (_: unknown, r) => {
        r.writeHead(206, { "content-type": "multipart/byteranges; boundary=x" }).end("--x");
      },
    ],
    [
      "more bytes than a part has",
      { code: "BadRange" },
      (_: unknown, r) => {
        r.writeHead(206, { "content-range": "bytes 0-9/10" }).end(new Uint8Array(40));
      },
    ],
    [
      "fewer bytes than a part has",
      { code: "TruncatedBody" },
      (_: unknown, r) => {
        r.writeHead(206, { "content-range": "bytes 0-99/100" }).end(new Uint8Array(40));
      },
    ],
    ["a connection that breaks", { code: "ConnectionLost" }, (_: unknown, r) => void r.destroy()],
    ["a redirect to itself", { code: "BadRedirect" }, (q, r) => void r.writeHead(302, { location: q.url }).end()],
    [
      "a length beyond all memory",
      { code: "TooLarge" },
      (_: unknown, r) => {
        r.writeHead(200, { "content-length": 2 ** 45 }).write("PAR1");
      },
    ],
    [
      "a footer of 2 GB in a file of 1 TB",
      { code: "BadParquet", message: expect.stringContaining("its footer has 2147483647 bytes") },
      (_: unknown, r) => {
        const bytes = Buffer.alloc(65_536);
        bytes.set([255, 255, 255, 127, 80, 65, 82, 49], 65_528);
        r.writeHead(206, { "content-range": `bytes ${2 ** 40 - 65_536}-${2 ** 40 - 1}/${2 ** 40}` }).end(bytes);
      },
    ],
    [
      "a footer beyond its file",
      { code: "BadParquet" },
      (_: unknown, r) => {
        const bytes = Buffer.concat([Buffer.from("PAR1"), Buffer.from([255, 255, 255, 127]), Buffer.from("PAR1")]);
        r.writeHead(206, { "content-range": "bytes 0-11/12" }).end(bytes);
      },
    ],
  ] as [string, object, (q: { url?: string }, r: import("node:http").ServerResponse) => void][])(
    "a hostile server: %s",
    async (_, expected, answer) => {
      server.reset((request, response) => {
        answer(request, response);
        return true;
      });
      const read = Frame.fromParquet(`${at("prices.parquet")}&X-Amz-Signature=0123456789abcdef`);
      const error = await failure(read);
      expect(error).toMatchObject(expected);
      expect(JSON.stringify([error["message"], error["hint"], String(error["stack"])])).not.toContain(
        "0123456789abcdef",
      );
      expect(server.asked.length).toBeLessThanOrEqual(6);
    },
  );

  it("a message of 2 GB that the server only claims to have is an error", async () => {
    const bytes = Buffer.alloc(1_048_576);
    bytes.writeInt32LE(-1, 0);
    bytes.writeInt32LE(2 ** 31 - 8, 4);
    server.reset((_, response) => {
      response.writeHead(206, { "content-range": `bytes 0-1048575/${2 ** 45}` }).end(bytes);
      return true;
    });
    expect(await failure(Frame.fromArrow(at("prices.arrow")))).toMatchObject({ code: "BadRange" });
    expect(server.asked.length).toBeLessThanOrEqual(5);
  });

  it("a pause beyond the budget is not taken, and the message names no option of a service", async () => {
    server.reset((_, response) => {
      response.writeHead(503, { "retry-after": "3600" }).end();
      return true;
    });
    const { hint } = await failure(Frame.fromParquet(at("prices.parquet")));
    expect(hint).toBe("The service requests a pause of 60 minutes; try again then.");
  });

  it("a bad request may be that of a signature that expired", async () => {
    server.reset((_, response) => {
      response.writeHead(400).end("<Error><Code>ExpiredToken</Code></Error>");
      return true;
    });
    expect(await failure(Frame.fromParquet(at("prices.parquet")))).toMatchObject({
      message: expect.stringContaining("(status 400, ExpiredToken)"),
      hint: expect.stringContaining("may have expired"),
    });
  });

  it("a password without a user is sent", async () => {
    await Frame.fromParquet(at("small.parquet").replace("://", "://:secret-word@"));
    expect(server.asked[0]?.headers.authorization).toBe(`Basic ${btoa(":secret-word")}`);
  });

  it("many parts at once cause no warning", async () => {
    const warnings: Error[] = [];
    const note = (warning: Error): void => void warnings.push(warning);
    process.on("warning", note);
    const access = await fileAt(new URL(at("prices.parquet"))).open("end");
    const parts = Array.from({ length: 12 }, (_, i) => ({ position: i * 90_000, bytes: new Uint8Array(10) }));
    await Promise.all(parts.map(({ position, bytes }) => access.read(bytes, position)));
    await access.close();
    process.off("warning", note);
    expect(warnings).toEqual([]);
    for (const { position, bytes } of parts) expect(bytes).toEqual(parquet.slice(position, position + 10));
  });

  it("a stall ends within the time limit", async () => {
    REMOTE.timeouts.idle = 50;
    REMOTE.retry.attempts = 2;
    try {
      server.reset((_, response) => {
        response.writeHead(206, { "content-range": "bytes 0-99/100", "content-length": 100 }).write("PAR1");
        return true;
      });
      expect(await failure(Frame.fromParquet(at("prices.parquet")))).toMatchObject({ code: "Timeout" });
    } finally {
      REMOTE.timeouts.idle = kept.timeouts.idle;
      REMOTE.retry.attempts = kept.retry.attempts;
    }
  });

  it.each(["it refuses other states", "it ignores the condition", "it has another length", "it ignores parts"])(
    "a file that changes between two requests is an error where %s",
    async (way) => {
      server.reset((request, response, number) => {
        if (number === 1) return false;
        if (way === "it ignores the condition") delete request.headers["if-match"];
        if (way === "it ignores parts") {
          delete request.headers["if-match"];
          delete request.headers.range;
        }
        if (way === "it has another length") {
          delete request.headers["if-match"];
          sendPart(request, response, new Uint8Array(parquet.length + 1), '"other"');
          return true;
        }
        server.state.etag = '"other"';
        return false;
      });
      const error = await failure(Frame.fromParquet(at("prices.parquet")));
      expect(error).toMatchObject({ code: "FileChanged" });
    },
  );

  it("a redirect is followed once; a user and password stay at their origin", async () => {
    server.reset((request, response) => {
      if (request.headers.authorization !== `Basic ${btoa("me:secret-word")}`) response.writeHead(401).end();
      else response.writeHead(302, { location: `${other.url}/prices.parquet?${other.run}&sig=abc` }).end();
      return true;
    });
    const source = at("prices.parquet").replace("://", "://me:secret-word@");
    expect((await Frame.fromParquet(source, { where: { ticker: "T001" } })).numRows).toBe(10_000);
    expect(server.asked).toHaveLength(1);
    expect(other.asked.length).toBeGreaterThan(1);
    for (const { headers } of other.asked) expect(headers.authorization).toBeUndefined();
    other.reset((_, response) => {
      response.writeHead(500).end();
      return true;
    });
    const { message, hint } = await failure(Frame.fromParquet(source));
    expect(`${String(message)} ${String(hint)}`).not.toMatch(/secret-word|sig=abc/);
  });

  it("an address that a redirect led to is asked for again when it has expired", async () => {
    server.reset((_, response) => {
      response.writeHead(302, { location: `${other.url}/prices.parquet?${other.run}&n=${server.asked.length}` }).end();
      return true;
    });
    other.reset((request, response, number) => {
      if (number !== 2) return false;
      response.writeHead(403).end(request.url);
      return true;
    });
    expect((await Frame.fromParquet(at("prices.parquet"), { where: { ticker: "T001" } })).numRows).toBe(10_000);
    expect(server.asked).toHaveLength(2);
  });

  it("an error of the contents names the address without its query", async () => {
    const { message } = await failure(Frame.fromParquet(`${at("prices.csv")}&token=abcdefgh`));
    expect(message).toContain(`${server.url}/prices.csv: `);
    expect(message).not.toContain("abcdefgh");
  });
});
