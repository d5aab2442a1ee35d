import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { connect, Frame } from "../../src/index.js";
import { rangeServer } from "../support/range-server.js";
import { temporaryFolder } from "../support/temporary-folder.js";

/*
 * Files at addresses as a page of another origin requests them: without headers and forms of Range that a server would
 * have to allow, and with those headers of a reply alone that it exposes.
 */

const page = vi.hoisted(() => ({ hidden: [] as readonly string[] }));

vi.mock("../../src/platform/node/process.js", async (original) => ({
  ...(await original<object>()),
  pageFetch: async (address: string, { headers, ...init }: RequestInit) => {
    const { "user-agent": _agent, "accept-encoding": _coding, ...sent } = headers as Record<string, string>;
    const response = await fetch(address, { ...init, headers: sent });
    const shown = new Headers(response.headers);
    for (const name of page.hidden) shown.delete(name);
    return new Response(response.body, { status: response.status, headers: shown });
  },
}));

const ROWS = 140_000;
let server: Awaited<ReturnType<typeof rangeServer>>;
let size = 0;

beforeAll(async () => {
  const path = join(temporaryFolder(), "prices.parquet");
  const noise = Float64Array.from({ length: ROWS }, (_, i) => Math.sin(i));
  await Frame.fromColumns({ number: Int32Array.from(noise, (_, i) => i), noise, other: noise }).toParquet(path);
  const bytes = new Uint8Array(readFileSync(path));
  size = bytes.length;
  server = await rangeServer({ "/prices.parquet": bytes });
});
beforeEach(() => {
  server.reset();
  page.hidden = [];
});
afterAll(() => server.close());

const choice = { columns: ["number"], where: { number: { gte: ROWS - 5 } } };

it("a server that exposes Content-Range is asked for parts, in the form that needs no permission", async () => {
  const frame = await Frame.fromParquet(`${server.url}/prices.parquet?${server.run}`, choice);
  expect(frame.numRows).toBe(5);
  expect(server.asked.length).toBeGreaterThan(1);
  for (const { range, headers } of server.asked) {
    expect(range).toMatch(/^bytes=\d+-\d+$/);
    expect(headers["if-match"]).toBeUndefined();
  }
  expect(server.asked.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(size);
});

it("of a server that does not, the whole file is requested", async () => {
  page.hidden = ["content-range", "content-length", "etag", "accept-ranges"];
  const frame = await Frame.fromParquet(`${server.url}/prices.parquet?${server.run}`, choice);
  expect(frame.numRows).toBe(5);
  expect(server.asked.map(({ range }) => range)).toEqual(["bytes=0-1048575", undefined]);
});

it("redirects are followed", async () => {
  server.reset((request, response) => {
    if (request.url?.includes("moved") === true) return false;
    response.writeHead(302, { location: `/prices.parquet?${server.run}&moved` }).end();
    return true;
  });
  const frame = await Frame.fromParquet(`${server.url}/prices.parquet?${server.run}`, choice);
  expect(frame.numRows).toBe(5);
});

it("a service that redirects is an error at once, which says what to pass", async () => {
  vi.stubGlobal(
    "MessageChannel",
    class {
      readonly port1 = {};
      readonly port2 = {};
    },
  );
  const { pageFetch } = await import("../../src/platform/browser/process.js");
  // As a page sees it, which may not read where it leads.
  const redirect = vi.fn(async () => ({ type: "opaqueredirect", status: 0, headers: new Headers(), body: null }));
  vi.stubGlobal("fetch", redirect);
  const service = connect({ url: "https://data.example", apiKey: "sample", fetch: pageFetch, retry: { pause: 0 } });
  const failed = await service
    .dataset("EOD/AAPL")
    .frame()
    .catch((error: unknown) => error);
  vi.unstubAllGlobals();
  expect(failed).toMatchObject({
    code: "BadRedirect",
    message: "data.example redirects, which a page cannot follow.",
    hint: "Pass the address that it redirects to.",
  });
  expect(redirect).toHaveBeenCalledTimes(1);
});
