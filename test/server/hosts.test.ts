import { request } from "node:http";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { duckdbEngine } from "../../src/engine/duckdb/duckdb.js";
import { logLine } from "../../src/server/http/request-log.js";
import { type RequestLog, type ServeOptions, serve } from "../../src/server.js";
import { nasdaqDataLink } from "../../src/spec/profile.js";
import { forAllAsync } from "../support/for-all.js";
import { runs } from "../support/whole.js";
import { get, sampleOf, started } from "./support.js";

const data = sampleOf("LABOR", "TRANSPORT/AIRPORTS");
const PATHS = [
  "/api/v3/databases/LABOR.json",
  "/api/v3/datasets/LABOR/EMPLOYMENT.csv",
  "/api/v3/datatables/TRANSPORT/AIRPORTS.json",
  "/api/v3/datatables/TRANSPORT/AIRPORTS.json?qopts.export=true",
  "/catalog.json",
];

/** The status and text of a request for `host`. */
const ask = (service: { readonly url: string }, host: string, path = PATHS[0], method = "GET") =>
  new Promise<{ status: number; text: string }>((resolve, reject) => {
    const { port } = new URL(service.url);
    const complete = `${path}${path.includes("?") ? "&" : "?"}api_key=sample`;
    const asked = request({ host: "127.0.0.1", port, path: complete, method, headers: { host }, agent: false });
    asked.on("response", (reply) => {
      let text = "";
      reply.on("data", (chunk) => {
        text += chunk;
      });
      reply.on("end", () => resolve({ status: reply.statusCode ?? 0, text }));
    });
    asked.on("error", reject);
    asked.end();
  });

describe("the Host of a request to a service on this machine", () => {
  it("is a name of this machine", async () => {
    const service = await started({ data });
    const own = ["localhost", "LOCALHOST", "localhost.", "app.localhost", "127.0.0.1", "127.8.9.1", "[::1]"];
    for (const name of own) {
      for (const port of ["", ":80", `:${new URL(service.url).port}`]) {
        expect([name, (await ask(service, `${name}${port}`)).status]).toEqual([name, 200]);
      }
    }
  });

  it("foreign ones get no data, on any path, with any method", async () => {
    const service = await started({ data, profile: nasdaqDataLink });
    for (const path of PATHS) {
      for (const method of ["GET", "HEAD", "POST", "OPTIONS"]) {
        const { status, text } = await ask(service, "evil.example:8080", path, method);
        expect([path, method, status]).toEqual([path, method, 403]);
        if (method !== "HEAD") expect(text).toMatch(/evil\.example:8080.*allowedHosts/);
      }
    }
    const label = fc.stringMatching(/^[a-z0-9-]{1,8}$/);
    const foreign = fc.oneof(
      fc.array(label, { minLength: 2, maxLength: 4 }).map((labels) => `${labels.join(".")}.example`),
      label.map((name) => `localhost.${name}`),
      label.map((name) => `127.0.0.1.${name}.example`),
      label.map((name) => `${name}localhost`),
      label.map((name) => `localhost@${name}`),
      fc.ipV4().filter((address) => !address.startsWith("127.")),
      fc.ipV6().map((address) => `[${address}]`),
      fc.constantFrom("127.0.0.1:80:80", "[::1", "localhost/x", "0.0.0.0", "127.0.0.1#", "::1x"),
    );
    await forAllAsync(runs(100), foreign, async (host) => {
      fc.pre(host !== "[::1]" && !/^\[(0*:)+0*1\]$/.test(host));
      // Node itself refuses some that are not host names.
      expect([host, (await ask(service, host)).status]).toEqual([host, expect.toBeOneOf([400, 403])]);
    });
  });

  it("may be of the public address or of a list", async () => {
    const service = await started({ data, publicUrl: "https://Data.example:8443", allowedHosts: ["proxy.example"] });
    expect((await ask(service, "data.example")).status).toBe(200);
    expect((await ask(service, "PROXY.example:80")).status).toBe(200);
    expect((await ask(service, "other.example")).status).toBe(403);
  });

  it("may be any on another address, unless a list is passed", async () => {
    const open: ServeOptions = { data, host: "0.0.0.0", apiKeys: { sample: { subscriptions: "all" } } };
    expect((await ask(await started(open), "data.example")).status).toBe(200);
    const listed = await started({ ...open, allowedHosts: ["data.example"] });
    expect((await ask(listed, "data.example")).status).toBe(200);
    expect((await ask(listed, "evil.example")).status).toBe(403);
  });

  it.each(
    ["data.example", ["https://data.example"], ["data.example:80"], [""], [1]].map((allowedHosts) => ({
      allowedHosts,
    })),
  )("%j is refused", async ({ allowedHosts }) => {
    await expect(serve({ data, allowedHosts: allowedHosts as string[] })).rejects.toMatchObject({
      code: "BadArgument",
    });
  });
});

describe("the log", () => {
  it("has the error of a failure with its cause, without a key", async () => {
    const entries: RequestLog[] = [];
    const engine = await duckdbEngine();
    const broken = await started({
      data,
      engine: {
        ...engine,
        // biome-ignore lint/correctness/useYield: it fails before the first row
        async *batches() {
          throw new Error("no rows", { cause: new Error("the disk failed at api_key=secret-0123456789") });
        },
      },
      log: (entry) => entries.push(entry),
    });
    expect((await get(broken, "/datatables/TRANSPORT/AIRPORTS.json")).status).toBe(500);
    await expect.poll(() => entries.length).toBe(1);
    const line = logLine(entries[0]);
    expect(line).not.toContain("\n");
    expect(line).not.toContain("secret-0123456789");
    expect(JSON.parse(line)).toMatchObject({ status: 500, error: expect.stringMatching(/no rows.*the disk failed/s) });
    expect(JSON.parse(logLine({ ...entries[0], error: undefined }))).not.toHaveProperty("error");
    await broken.close();
    await engine.close();
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("the pipe is closed");
      },
    ],
    ["rejects", () => Promise.reject(new Error("the pipe is closed"))],
  ])("that %s is a warning, and the service continues", async (_, log) => {
    const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    const service = await started({ data, log });
    for (let i = 0; i < 3; i++) expect((await get(service, "/databases/LABOR.json")).status).toBe(200);
    await expect.poll(() => warned.mock.calls.length).toBe(3);
    expect(warned.mock.calls[0][0]).toMatch(/log function.*the pipe is closed/);
    warned.mockRestore();
  });
});
