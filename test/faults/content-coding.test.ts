import { spawn } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import type { ConnectOptions } from "../../src/client/transport/settings.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { isWhole, longIt } from "../support/whole.js";
import { builtLibrary } from "./built-library.js";
import {
  archiveOf,
  csvOf,
  EXPORT,
  exportAnswer,
  FILE,
  json,
  METADATA,
  metadata,
  page,
  serviceOf,
} from "./bulk-fixtures.js";
import { type Answer, faultServer } from "./fault-server.js";

/*
 * The head of a reply names a coding and the body does not hold to it. Head and body come in packets of their own: the
 * decompression then fails after `fetch` has handed the body out.
 */
const server = await faultServer();
const root = temporaryFolder("coding");
afterAll(async () => {
  await server.close();
});
beforeEach(() => {
  server.reset();
  server.on(METADATA, metadata);
  server.on(EXPORT, exportAnswer(server));
});

const T = "/api/v3/datatables/V/T.json";
/** A page that is too long to be left to zlib. */
const longPage = page.replace(
  /"data":\[.*?\]\]/,
  `"data":${JSON.stringify(Array.from({ length: 20_000 }, (_, i) => [`T${i}`, "2024-02-29", ((i * 2654435761) % 1e9) / 1e4]))}`,
);
const zip = archiveOf(csvOf(500));
const gzip = { ...json, "content-encoding": "gzip" };

/** Every way in which a body may fail its coding. */
const damaged = (plain: Uint8Array): [string, Uint8Array][] => {
  const packed = gzipSync(plain);
  const flipped = Buffer.from(packed);
  flipped[packed.length >> 1] ^= 0xff;
  const wrongSum = Buffer.from(packed);
  wrongSum[packed.length - 8] ^= 0xff;
  return [
    ["is not gzip", plain],
    ["ends early", packed.subarray(0, packed.length - 12)],
    ["has changed bytes", flipped],
    ["has a wrong checksum", wrongSum],
    ["is empty", new Uint8Array(0)],
  ];
};
const HOUR = 3_600_000;
/** The own transport reports damage without a time limit; `fetch` may leave the body unsettled until it stalls. */
const transports: [string, ConnectOptions][] = [
  ["the own transport", { timeouts: { response: HOUR, idle: HOUR, total: HOUR } }],
  ["fetch", { fetch: (...request) => globalThis.fetch(...request), timeouts: { idle: 300 } }],
];
const failed = (work: Promise<unknown>): Promise<Error & { code?: string }> =>
  work.then(
    () => new Error("it succeeded"),
    (error) => error,
  );

describe.each(isWhole ? transports : transports.slice(0, 1))(
  "a body that is not in its coding, by %s",
  (name, transport) => {
    const service = (options: ConnectOptions = {}) => serviceOf(server, { ...transport, ...options });
    const retry = { attempts: 2, pause: 1, maxPause: 2, budget: 2_000 };

    it.each(damaged(Buffer.from(page)))("row 9: a page that %s is an error within its timeouts", async (what, body) => {
      for (const length of [undefined, "close", "chunked"] as const) {
        server.on(T, { headers: gzip, body, length, headFirst: 20 });
        const error = await failed(service({ retry }).table("V/T").frame());
        expect(error).toMatchObject({ name: expect.stringMatching(/^(Transport|Data)Error$/) });
        if (name === "fetch" || what === "is empty") continue;
        expect(error.message).toMatch(/gzip|truncated/);
      }
    });

    it.each(damaged(Buffer.from(longPage)))(
      "row 9: a long page that %s is an error within its timeouts",
      async (what, body) => {
        for (const length of [undefined, "close", "chunked"] as const) {
          server.on(T, { headers: gzip, body, length, headFirst: 20 });
          const error = await failed(service({ retry }).table("V/T").frame());
          expect(error).toMatchObject({ name: expect.stringMatching(/^(Transport|Data)Error$/) });
          if (name === "fetch" || what === "is empty") continue;
          expect(error.code).toBe(what === "ends early" ? "TruncatedBody" : "BadEncoding");
        }
      },
    );

    it.each(damaged(zip))("row 9: a bulk file that %s is an error within its timeouts", async (_what, body) => {
      server.on(FILE, { headers: { "content-encoding": "gzip" }, body, headFirst: 20 });
      const folder = temporaryFolder("t");
      const file = service({ retry }).table("V/T").export();
      const error = await failed(file.saveZip(join(folder, "T.zip")));
      expect(error).toMatchObject({ name: expect.stringMatching(/^(Transport|Data)Error$/) });
      expect(readdirSync(folder).filter((file) => !file.includes(".part"))).toEqual([]);
    });

    it("row 9, 15: the status of an error reply decides, whatever its body is", async () => {
      for (const [body, headers] of [
        [page, gzip],
        ["", gzip],
        [gzipSync('{"error":{"code":"QECx02","message":"no"}}'), gzip],
        [Buffer.alloc(200_000, 65), json],
      ] as const) {
        server.on(T, { status: 404, headers, body, headFirst: 20 });
        const error = await failed(service({ retry }).table("V/T").frame());
        expect(error).toMatchObject({ name: "ServiceError", status: 404 });
      }
      server.on(T, { status: 404, headers: json, body: page, stallAt: 10 });
      const impatient = service({ retry, timeouts: { idle: 300 } });
      expect(await failed(impatient.table("V/T").frame())).toMatchObject({ status: 404 });
    });

    it("row 9: the next reply is read, and other calls of the key do not wait for ever", async () => {
      const good: Answer = { headers: gzip, body: gzipSync(page), headFirst: 5 };
      server.on(T, { headers: gzip, body: page, headFirst: 20 }, good);
      const shared = service({ limits: { concurrency: 1 }, retry: { ...retry, attempts: 50 } });
      const frames = await Promise.all([shared.table("V/T").frame(), shared.table("V/T").frame()]);
      expect(frames.map((frame) => frame.numRows)).toEqual([1, 1]);
    });

    it("row 9, 48: an abort ends the wait for the rest of such a body at once", async () => {
      server.on(T, { headers: gzip, body: page, headFirst: 20 });
      server.on(FILE, { headers: { "content-encoding": "gzip" }, body: zip, headFirst: 20 });
      const patient = service({ timeouts: { response: HOUR, idle: HOUR }, retry: { attempts: 99, budget: HOUR } });
      const calls = [
        (signal: AbortSignal) => patient.table("V/T").frame({ signal }),
        (signal: AbortSignal) => patient.table("V/T").export().frame({ signal }),
      ];
      for (const call of calls) {
        const stop = new AbortController();
        const reason = new Error("enough");
        setTimeout(() => stop.abort(reason), 300);
        expect(await failed(call(stop.signal))).toBe(reason);
      }
    });
  },
);

describe("codings of the own transport", () => {
  const service = (options: ConnectOptions = {}) => serviceOf(server, options);

  it.each([
    ["gzip", gzipSync(page)],
    ["x-gzip", gzipSync(page)],
    ["GZIP", gzipSync(page)],
    ["deflate", deflateSync(page)],
    ["br", brotliCompressSync(page)],
    ["gzip, br", brotliCompressSync(gzipSync(page))],
    ["identity", Buffer.from(page)],
    ["", Buffer.from(page)],
  ])("row 9: %s is read", async (coding, body) => {
    for (const headFirst of [0, 5]) {
      server.on(T, { headers: { ...json, "content-encoding": coding }, body, headFirst });
      expect((await service().table("V/T").frame()).numRows).toBe(1);
    }
    expect(server.seen.at(-1)?.headers["accept-encoding"]).toBe("gzip");
  });

  it.each([
    ["one member", gzipSync(longPage)],
    ["two members", Buffer.concat([gzipSync(longPage.slice(0, 99)), gzipSync(longPage.slice(99))])],
    ["zeros behind it", Buffer.concat([gzipSync(longPage), Buffer.alloc(99)])],
  ])("row 9: a long page is read: %s", async (_, body) => {
    expect(body.length).toBeGreaterThan(65_536);
    server.on(T, { headers: json, body: longPage });
    const expected = await service().table("V/T").frame();
    for (const headFirst of [0, 5]) {
      server.on(T, { headers: gzip, body, headFirst });
      const frame = await service().table("V/T").frame();
      expect(frame.numRows).toBe(20_000);
      expect(frame.toCSV()).toBe(expected.toCSV());
    }
  });

  it("row 9: a long page with other bytes behind it is refused", async () => {
    server.on(T, { headers: gzip, body: Buffer.concat([gzipSync(longPage), Buffer.from("more")]) });
    const error = await failed(
      service({ retry: { attempts: 1 } })
        .table("V/T")
        .frame(),
    );
    expect(error).toMatchObject({ code: "BadEncoding" });
  });

  it("row 9: a coding that cannot be read is named, and not asked for again", async () => {
    server.on(T, { headers: { ...json, "content-encoding": "compress" }, body: page });
    const error = await failed(service().table("V/T").frame());
    expect(error).toMatchObject({ code: "UnknownEncoding", message: expect.stringContaining('"compress"') });
    expect(server.count(T)).toBe(1);
  });
});

describe("scripts end", () => {
  const script = (folder: string, body: string): string => {
    const path = join(root, `script-${Math.random().toString(36).slice(2)}.mjs`);
    writeFileSync(path, `import { connect } from ${JSON.stringify(join(folder, "index.mjs"))};\n${body}`);
    return path;
  };
  const ended = (words: string[]): Promise<{ status: number | null; stderr: string; stdout: string }> =>
    new Promise((resolve) => {
      const child = spawn(process.execPath, words, { env: { ...process.env, ARROWBOOK_PROGRESS: "off" } });
      let [stdout, stderr] = ["", ""];
      child.stdout.on("data", (text) => (stdout += text));
      child.stderr.on("data", (text) => (stderr += text));
      child.on("close", (status) => resolve({ status, stdout, stderr }));
    });

  longIt("a command that never settles is a failure; one that is done has its own status", async () => {
    const library = await builtLibrary();
    const path = join(root, "exit.mjs");
    const run = (work: string) => {
      writeFileSync(
        path,
        `import { exitWith } from ${JSON.stringify(join(library, "exit-with.mjs"))};\nexitWith(${work});`,
      );
      return ended([path]);
    };
    expect(await run("new Promise(() => {})")).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^arrowbook: .*\n$/),
    });
    expect(await run("Promise.reject(new Error('bug'))")).toMatchObject({ status: 1 });
    for (const status of [0, 1, 2]) {
      expect(await run(`Promise.resolve(${status})`)).toEqual({ status, stdout: "", stderr: "" });
    }
  });

  longIt("row 9, 48: no top-level await ends unsettled, and no file handle is left to the collector", async () => {
    const library = await builtLibrary();
    server.on(T, { headers: gzip, body: page, headFirst: 20 });
    server.on(FILE, { headers: { "content-encoding": "gzip" }, body: zip, headFirst: 20 });
    const target = join(root, "script.zip");
    for (const transport of ["", "fetch: (...request) => fetch(...request),"]) {
      const path = script(
        library,
        `const service = connect({ url: ${JSON.stringify(server.url)}, apiKey: "k", ${transport}
           timeouts: { response: 500, idle: 300 }, retry: { attempts: 2, pause: 1, budget: 100 } });
         const codeOf = (error) => error.name;
         console.log(await service.table("V/T").frame().catch(codeOf));
         console.log(await service.table("V/T").export().saveZip(${JSON.stringify(target)}).catch(codeOf));
         for (let i = 0; i < 20; i++) { globalThis.gc(); await new Promise((resolve) => setTimeout(resolve, 5)); }`,
      );
      const { status, stdout, stderr } = await ended(["--expose-gc", path]);
      expect(stdout.trim()).toMatch(/^(Transport|Data)Error\n(Transport|Data)Error$/);
      expect(stderr).toBe("");
      expect(status).toBe(0);
    }
  });
});
