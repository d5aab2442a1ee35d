import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { main } from "../../src/cli/main.js";
import { connect } from "../../src/connect.js";
import { type FaultServer, faultServer, type Step } from "../faults/fault-server.js";

/* What commands print: the hint of an error names their flags, not calls of the library. */

let server: FaultServer;
let sample: Awaited<ReturnType<typeof connect.sample>>;
beforeAll(async () => {
  [server, sample] = await Promise.all([faultServer(), connect.sample()]);
});
afterAll(() => Promise.all([server.close(), sample.close()]));
beforeEach(() => {
  vi.stubEnv("ARROWBOOK_URL", undefined);
  vi.stubEnv("ARROWBOOK_API_KEY", undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
  server.reset();
});

/** Runs a command that fails: its line on stderr. */
async function complaint(...words: string[]): Promise<string> {
  const lines: string[] = [];
  const stderr = vi.spyOn(process.stderr, "write").mockImplementation((text) => lines.push(String(text)) > 0);
  try {
    expect(await main(words)).toBe(1);
  } finally {
    stderr.mockRestore();
    process.exitCode = undefined;
  }
  expect(lines).toHaveLength(1);
  return lines[0];
}

const json = { "content-type": "application/json" };
const echo = { limit: null, transform: null, column_index: null, collapse: null, order: null };
const series = { ...echo, start_date: "2024-01-02", end_date: "2024-01-03", frequency: "daily" };
const withRows = { ...series, column_names: ["Date", "Close"], data: [["2024-01-03", 3]] };
const refusal = (status: number, code: string): Step => ({
  status,
  headers: json,
  body: JSON.stringify({ error: { code, message: "No." } }),
});
const xml = (root: string): Step => ({ headers: { "content-type": "application/xml" }, body: `<${root}/>` });

it.each<[what: string, reply: Step, flags: string[], hint: string]>([
  [
    "a reply that contradicts the query",
    { headers: json, body: JSON.stringify({ dataset_data: withRows }) },
    ["--collapse", "annual"],
    'If the service replies so on purpose, leave "echo" out of the profile\'s replyChecks (in a program; there is no flag for it): see docs/profiles.md.',
  ],
  [
    "the XML of another profile",
    xml("quandl-response"),
    ["--format", "xml"],
    "The profile nasdaqDataLink has this root: --profile nasdaqDataLink.",
  ],
  [
    "XML of no known profile",
    xml("reply"),
    ["--format", "xml"],
    "Set the root in the profile (in a program; there is no flag for it): see docs/profiles.md.",
  ],
  [
    "JSON of another service",
    { headers: json, body: "{}" },
    [],
    "The address or the profile may belong to another service: see --profile.",
  ],
  [
    "a web page",
    { headers: { "content-type": "text/html" }, body: "<html>Sign in</html>" },
    [],
    "The reply may come from a proxy, a login page or a wrong address; check --url or ARROWBOOK_URL.",
  ],
  [
    "an unknown address",
    refusal(400, "QECx01"),
    [],
    "Check the address of the service: --url or ARROWBOOK_URL takes its base address: see docs/client.md.",
  ],
  ["no key", refusal(403, "QEAx03"), [], "This call needs an API key: pass --key-file or set ARROWBOOK_API_KEY."],
  [
    "a query that is too long",
    refusal(414, "QELx07"),
    [],
    "Request an export instead (arrowbook export), without filters if the query is long, and filter locally: see docs/bulk.md.",
  ],
])("%s", async (_what, reply, flags, hint) => {
  server.on("/api/v3/datasets/D/S", reply);
  const line = await complaint("get", "dataset", "D/S", "--url", server.url, "--key", "k", ...flags);
  expect(line.endsWith(` ${hint}\n`), line).toBe(true);
});

it("no address", async () => {
  expect(await complaint("get", "dataset", "D/S")).toBe(
    "arrowbook: No service address is set. Pass --url or set ARROWBOOK_URL; --sample starts a service with sample data.\n",
  );
});

it("a condition on a column without a filter", async () => {
  const words = ["get", "table", "MARKET/PRICES", "--where", "close=1", "--url", sample.url, "--key", "sample"];
  expect(await complaint(...words)).toBe(
    'arrowbook: MARKET/PRICES cannot be filtered by "close". Filter by "ticker", "date"; filter the output by the rest with arrowbook sql.\n',
  );
});
