import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request as forward } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { connect as connectSocket } from "node:net";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { connect } from "../../src/client/service.js";
import { proxyChooser, throughProxy } from "../../src/transport/proxy.js";
import { sampleOf, started, withKeys } from "../server/support.js";
import { listening } from "../support/listening.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { runs } from "../support/whole.js";
import { certificate } from "./certificate.js";

const LONG = { timeout: 60_000 };

const home = temporaryFolder("home");
beforeEach(() => {
  vi.stubEnv("HOME", home);
  for (const name of [
    "ARROWBOOK_URL",
    "ARROWBOOK_API_KEY",
    "NASDAQ_DATA_LINK_API_KEY",
    "NASDAQ_DATA_LINK_BASE_DOMAIN",
  ]) {
    vi.stubEnv(name, undefined);
  }
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(join(home, ".nasdaq"), { recursive: true, force: true });
});

const running = await started({ data: sampleOf("LABOR"), profile: withKeys, allowedHosts: ["data.example"] });
const name = (options: object) =>
  connect({ url: running.url, ...options })
    .database("LABOR")
    .metadata();
const nasdaq = { profile: "nasdaqDataLink" } as const;

const hostOf = async (server: ReturnType<typeof createServer>): Promise<string> => (await listening(server)).slice(7);

describe("the real service's names, in its profile (complaint 8: key handling)", () => {
  it("NASDAQ_DATA_LINK_API_KEY, then the key file, and what is passed or ARROWBOOK_API_KEY before both", async () => {
    await expect(name(nasdaq)).rejects.toMatchObject({ code: "QEAx03" });
    mkdirSync(join(home, ".nasdaq"));
    writeFileSync(join(home, ".nasdaq/data_link_apikey"), "\n  sample  \n");
    expect((await name(nasdaq)).database_code).toBe("LABOR");
    vi.stubEnv("NASDAQ_DATA_LINK_API_KEY", "wrong-key-1");
    await expect(name(nasdaq)).rejects.toMatchObject({ code: "QEAx01" });
    vi.stubEnv("ARROWBOOK_API_KEY", "sample");
    expect((await name(nasdaq)).database_code).toBe("LABOR");
    await expect(name({ ...nasdaq, apiKey: "wrong-key-2" })).rejects.toMatchObject({ code: "QEAx01" });
  });

  it("an empty key file is ignored, and other profiles do not read it", async () => {
    mkdirSync(join(home, ".nasdaq"));
    writeFileSync(join(home, ".nasdaq/data_link_apikey"), "\n\n");
    await expect(name(nasdaq)).rejects.toMatchObject({ code: "QEAx03" });
    writeFileSync(join(home, ".nasdaq/data_link_apikey"), "sample");
    await expect(name({ keyHeader: "X-Api-Token" })).rejects.toMatchObject({ code: "QEAx03" });
  });

  it("NASDAQ_DATA_LINK_BASE_DOMAIN, and the service's own domain", () => {
    expect(connect(nasdaq).url).toBe("https://data.nasdaq.com");
    vi.stubEnv("NASDAQ_DATA_LINK_BASE_DOMAIN", "data.example");
    expect(connect(nasdaq).url).toBe("https://data.example");
    expect(() => connect()).toThrow(expect.objectContaining({ code: "NoAddress" }));
  });

  it("keyHeader sends the key in a header or in the query", async () => {
    const seen: (string | undefined)[][] = [];
    const host = await hostOf(
      createServer((request, reply) => {
        seen.push([request.url, request.headers["x-api-token"] as string | undefined]);
        reply.writeHead(404).end();
      }),
    );
    const ask = (options: object) =>
      connect({ url: `http://${host}`, apiKey: "key-1234567890", ...options })
        .database("A")
        .metadata()
        .catch(() => undefined);
    await ask({ keyHeader: "x-api-token" });
    await ask({ ...nasdaq, keyHeader: null });
    expect(seen).toEqual([
      ["/api/v3/databases/A.json", "key-1234567890"],
      ["/api/v3/databases/A.json?api_key=key-1234567890", undefined],
    ]);
  });

  it.each([
    [410, ""],
    [403, "<html>Forbidden</html>"],
  ])("a series that was withdrawn is named as such: %i (complaint 15: drift)", async (status, body) => {
    const host = await hostOf(createServer((_, reply) => reply.writeHead(status).end(body)));
    const service = connect({ url: `http://${host}`, apiKey: "k", ...nasdaq });
    await expect(service.dataset("WIKI/AAPL").frame()).rejects.toMatchObject({
      status,
      message: expect.stringContaining("time series"),
      hint: expect.stringContaining("service.table"),
    });
    await expect(service.table("A/B").metadata()).rejects.not.toMatchObject({
      message: expect.stringContaining("withdrawn"),
    });
  });
});

/** A proxy for plain requests and tunnels; counts both. */
async function proxy(user?: string): Promise<{ url: string; seen: string[] }> {
  const seen: string[] = [];
  const allowed = (header: string | undefined): boolean =>
    user === undefined || header === `Basic ${Buffer.from(user).toString("base64")}`;
  const server = createServer((request, reply) => {
    seen.push(`${request.method} ${request.url}`);
    if (!allowed(request.headers["proxy-authorization"])) return void reply.writeHead(407).end();
    const { hostname, port, pathname, search } = new URL(request.url ?? "");
    const { "proxy-authorization": _, ...headers } = request.headers;
    const onward = forward({ hostname, port, path: pathname + search, headers }, (answer) => {
      reply.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(reply);
    });
    onward.on("error", () => reply.writeHead(502).end());
    onward.end();
  });
  server.on("connect", (request, socket) => {
    seen.push(`CONNECT ${request.url}`);
    if (!allowed(request.headers["proxy-authorization"])) {
      return void socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
    }
    const [host, port] = (request.url ?? "").split(":");
    const onward = connectSocket(Number(port), host === "data.example" ? "127.0.0.1" : host, () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      onward.pipe(socket).pipe(onward);
    });
    onward.on("error", () => socket.destroy());
    socket.on("error", () => onward.destroy());
  });
  return { url: await listening(server), seen };
}

describe("proxies (complaint 7)", () => {
  it("HTTP_PROXY for plain requests, with its user, but not for hosts of NO_PROXY or with proxy: false", async () => {
    const { url, seen } = await proxy("me:secret-pass-1");
    vi.stubEnv("HTTP_PROXY", url.replace("://", "://me:secret-pass-1@"));
    expect((await name({ ...nasdaq, apiKey: "sample" })).database_code).toBe("LABOR");
    expect(seen).toEqual([`GET ${running.url}/api/v3/databases/LABOR.json`]);
    await name({ ...nasdaq, apiKey: "sample", proxy: false });
    vi.stubEnv("NO_PROXY", "localhost, 127.0.0.1");
    await name({ ...nasdaq, apiKey: "sample" });
    expect(seen).toHaveLength(1);
  });

  it("a wrong user, a proxy that is down and one that is not an address are named, without the password", async () => {
    const { url } = await proxy("me:other");
    const wrong = { ...nasdaq, apiKey: "sample", retry: { attempts: 1 } };
    const refused = await name({ ...wrong, proxy: url.replace("://", "://me:secret-pass-2@") }).catch((e: Error) => e);
    expect(refused).toMatchObject({ status: 407 });
    const down = await name({ ...wrong, proxy: "http://me:secret-pass-2@127.0.0.1:1" }).catch((e: Error) => e);
    expect(down).toMatchObject({ code: "Unreachable", message: expect.stringContaining("127.0.0.1:1") });
    for (const error of [refused, down]) expect(JSON.stringify([error, String(error)])).not.toContain("secret-pass-2");
    expect(() => connect({ url: running.url, proxy: "socks5://x" })).toThrow(
      expect.objectContaining({ code: "BadAddress" }),
    );
  });

  it("HTTPS_PROXY tunnels, with ca for own certificates", async () => {
    const secure = createSecureServer(certificate, (request, reply) => {
      forward(`${running.url}${request.url}`, { headers: request.headers }, (answer) => {
        reply.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(reply);
      }).end();
    });
    const host = await hostOf(secure as never);
    const port = host.split(":")[1];
    const ca = certificate.cert;
    const { url, seen } = await proxy();
    vi.stubEnv("HTTPS_PROXY", url);
    const options = { ...nasdaq, url: `https://data.example:${port}`, apiKey: "sample", retry: { attempts: 1 } };
    expect((await name({ ...options, ca })).database_code).toBe("LABOR");
    expect(seen).toEqual([`CONNECT data.example:${port}`]);
    await expect(name(options)).rejects.toMatchObject({ code: "Tls" });
    expect((await name({ ...options, url: `https://localhost:${port}`, proxy: false, ca })).database_code).toBe(
      "LABOR",
    );
    await expect(async () => name({ ...options, ca: "nothing" })).rejects.toMatchObject({ code: "BadArgument" });
    const { url: strict } = await proxy("me:x");
    await expect(name({ ...options, ca, proxy: strict })).rejects.toMatchObject({
      code: "Unreachable",
      message: expect.stringContaining("407"),
    });
  });

  it.each([
    ["example.com", "https://example.com/", false],
    ["example.com", "https://api.example.com/", false],
    [".example.com", "https://api.example.com/", false],
    ["*.example.com", "https://api.example.com/", false],
    ["example.com", "https://notexample.com/", true],
    ["example.com:8080", "https://example.com/", true],
    ["example.com:443", "https://example.com/", false],
    ["*", "https://example.com/", false],
    ["other, EXAMPLE.com", "https://example.com/", false],
    ["::1", "https://[::1]/", false],
    ["[::1]", "https://[::1]/", false],
    ["[::1]:8443", "https://[::1]/", true],
    ["", "https://example.com/", true],
  ])("NO_PROXY=%s: %s", (exceptions, address, isProxied) => {
    const choose = proxyChooser(undefined, { HTTPS_PROXY: "proxy.example:3128", NO_PROXY: exceptions });
    expect(choose(new URL(address))?.host).toBe(isProxied ? "proxy.example:3128" : undefined);
  });

  it("a password may contain a percent sign that encodes nothing", async () => {
    const choose = proxyChooser("http://user:50%secret@proxy.example:3128");
    const address = new URL("http://example.com/");
    const { headers } = throughProxy(choose(address) as URL, address, {});
    const basic = Buffer.from("user:50%secret").toString("base64");
    expect(headers).toMatchObject({ "proxy-authorization": `Basic ${basic}` });
  });

  it.each([
    5,
    null,
    {},
    [5],
    [null],
    [{ requests: 1 }],
    [{ requests: 0, perMs: 1 }],
    [{ requests: 2, perMs: "1" + "x" }],
  ])("limits.windows %j is refused", (windows) => {
    const options = { url: "http://localhost", apiKey: "k", limits: { windows: windows as never } };
    expect(() => connect(options)).toThrow(expect.objectContaining({ code: "BadArgument" }));
  });

  it.each([
    ["never answers", () => undefined],
    ["opens the tunnel to a service that never answers", (socket: Duplex) => socket.write("HTTP/1.1 200 OK\r\n\r\n")],
  ] as const)("a proxy that %s: an abort and a timeout end the call and its connections", async (_, answer) => {
    const silent = createServer();
    const open = new Set<Duplex>();
    silent.on("connect", (_request, socket) => {
      open.add(socket);
      socket.on("end", () => socket.end()).on("error", () => undefined);
      socket.on("close", () => open.delete(socket));
      socket.resume();
      answer(socket);
    });
    const through = { proxy: await listening(silent), url: "https://data.example", apiKey: "sample" };
    const stop = new AbortController();
    const retry = { attempts: 1 };
    const stopped = connect({ ...through, retry })
      .database("LABOR")
      .metadata({ signal: stop.signal });
    const outcome = expect(stopped).rejects.toThrow("enough");
    await vi.waitFor(() => expect(open.size).toBe(1), LONG);
    stop.abort(new Error("enough"));
    await outcome;
    await vi.waitFor(() => expect(open.size).toBe(0), LONG);
    const late = connect({ ...through, retry, timeouts: { response: 50 } })
      .database("LABOR")
      .metadata();
    await expect(late).rejects.toMatchObject({ name: "TransportError", code: "Timeout" });
    await vi.waitFor(() => expect(open.size).toBe(0), LONG);
  });

  it("an abort after the tunnel is open ends the one request, and the tunnel serves the next", async () => {
    let held: (() => void) | undefined;
    const secure = createSecureServer(certificate, (request, reply) => {
      if (request.url?.includes("HELD")) held = () => reply.end("{}");
      else forward(`${running.url}${request.url}`, { headers: request.headers }, (got) => got.pipe(reply)).end();
    });
    const port = (await hostOf(secure as never)).split(":")[1];
    const { url, seen } = await proxy();
    const options = { ...nasdaq, url: `https://data.example:${port}`, apiKey: "sample", proxy: url };
    const service = connect({ ...options, ca: certificate.cert, retry: { attempts: 1 } });
    expect((await service.database("LABOR").metadata()).database_code).toBe("LABOR");
    expect((await service.database("LABOR").metadata()).database_code).toBe("LABOR");
    expect(seen).toHaveLength(1);
    const stop = new AbortController();
    const outcome = expect(service.database("HELD").metadata({ signal: stop.signal })).rejects.toThrow("enough");
    await vi.waitFor(() => expect(held).toBeDefined(), LONG);
    stop.abort(new Error("enough"));
    await outcome;
    expect((await service.database("LABOR").metadata()).database_code).toBe("LABOR");
  });

  it.each(["http:", "https:"])("the address of a proxy may be an IPv6 address: %s requests", (protocol) => {
    const env = { HTTP_PROXY: "http://[::1]:3128", HTTPS_PROXY: "http://[::1]:3128" };
    const address = new URL(`${protocol}//data.example/`);
    const chosen = proxyChooser(undefined, env)(address) as URL;
    expect(throughProxy(chosen, address, {})).toMatchObject({ host: "::1", port: "3128" });
  });

  it("the first proxy that applies counts, and only it has to be one", () => {
    const value = fc.constantFrom(
      undefined,
      "http://proxy.example",
      "socks5://socks.example:1080",
      "socks5h://x",
      "://",
    );
    const names = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"] as const;
    fc.assert(
      fc.property(fc.record(Object.fromEntries(names.map((name) => [name, value]))), (env) => {
        const choose = proxyChooser(undefined, env);
        for (const protocol of ["https", "http"]) {
          const own =
            protocol === "https" ? (["https_proxy", "HTTPS_PROXY"] as const) : (["http_proxy", "HTTP_PROXY"] as const);
          const applies = [...own, "all_proxy", "ALL_PROXY"]
            .map((name) => env[name])
            .find((each) => each !== undefined);
          const address = new URL(`${protocol}://data.example/`);
          if (applies === undefined) expect(choose(address)).toBeUndefined();
          else if (applies.startsWith("http:")) expect(choose(address)?.host).toBe("proxy.example");
          else expect(() => choose(address)).toThrow(/_PROXY is not the address of a proxy/);
          expect(proxyChooser(undefined, { ...env, NO_PROXY: "data.example" })(address)).toBeUndefined();
        }
      }),
      { numRuns: runs(100) },
    );
  });

  it("ALL_PROXY of another kind is an error of connect() where it applies, and only there", () => {
    vi.stubEnv("ALL_PROXY", "socks5://127.0.0.1:1080");
    const options = { ...nasdaq, url: "https://data.example", apiKey: "sample" };
    expect(() => connect(options)).toThrow(/ALL_PROXY is not the address of a proxy/);
    vi.stubEnv("HTTPS_PROXY", "http://127.0.0.1:3128");
    connect(options);
    expect(() => connect({ ...options, url: "http://127.0.0.1" })).toThrow(/ALL_PROXY/);
    vi.stubEnv("HTTP_PROXY", "http://127.0.0.1:3128");
    connect({ ...options, url: "http://127.0.0.1" });
    vi.unstubAllEnvs();
  });

  it("no list of exceptions makes the choice fail", () => {
    fc.assert(
      fc.property(fc.string(), fc.webUrl(), (exceptions, address) => {
        const choose = proxyChooser(undefined, { ALL_PROXY: "http://proxy.example", no_proxy: exceptions });
        expect([undefined, "proxy.example"]).toContain(choose(new URL(address))?.host);
      }),
      { numRuns: runs(100) },
    );
  });
});
