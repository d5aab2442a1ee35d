import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { isArrowbookError } from "../../../src/errors/errors.js";
import { type ConnectOptions, connect, type Service } from "../../../src/index.js";
import { CALLS, type FuzzCall, goodReply } from "../http/calls.js";
import { mutateScript, type Plan, type Script } from "../http/plan.js";
import { type ScriptServer, scriptServer } from "../http/server.js";
import type { FuzzTarget, Outcome } from "../target.js";

/*
 * A server that damages its replies: status, headers, encodings, lengths, packets, stalls, garbage. Every call ends
 * within its timeouts, in the right rows or in an error of this package without a key in it; the calls after it on the
 * same connection work.
 */
const KEY = "canary-key-0123456789abcdef";
const ATTEMPTS = 2;
/**
 * Requests of one call, at most: metadata, two pages or an export and its file, each with its retries, renewals and
 * redirects.
 */
const MOST_REQUESTS = 12;
/** Short, so that stalled replies end soon; what a slow machine then refuses is an error of this package too. */
const TIMEOUTS = { response: 400, idle: 300, total: 800, export: 2_000, download: 4_000 };
/** For calls that have to succeed at any speed of the machine: only a hang exceeds it. */
const PATIENT = { response: 60_000, idle: 60_000, total: 60_000, export: 60_000, download: 60_000 };
const LONGEST_MS = MOST_REQUESTS * ATTEMPTS * TIMEOUTS.total + 60_000;

const encode = (script: Script): Uint8Array => Buffer.from(JSON.stringify(script));
const decode = (input: Uint8Array): Script => JSON.parse(Buffer.from(input).toString()) as Script;

// Exports are counted in a folder; this process's own is empty.
process.env["ARROWBOOK_STATE"] = mkdtempSync(join(tmpdir(), "arrowbook-fuzz-state-"));

let server: Promise<ScriptServer> | undefined;
let keys = 0;
const expected = new Map<string, string>();

/** A key of its own for each script: services with one key share the pauses that the server asked for. */
const newKey = (): string => `${KEY}-${keys++}`;

function serviceAt(port: number, apiKey: string, options: ConnectOptions): Service {
  return connect({
    url: `http://127.0.0.1:${port}`,
    apiKey,
    limits: { concurrency: 1, replyBytes: 1 << 20, exportsPerHour: 1e9 },
    retry: { attempts: ATTEMPTS, pause: 1, maxPause: 2, budget: 300 },
    warn: () => undefined,
    onProgress: false,
    ...options,
  });
}

async function check(input: Uint8Array): Promise<Outcome> {
  const script = decode(input);
  server ??= scriptServer(goodReply);
  const { port, start, stop } = await server;
  const folder = mkdtempSync(join(tmpdir(), "arrowbook-fuzz-http-"));
  const call = CALLS.get(script.call) as FuzzCall;
  try {
    start([]);
    const right = expected.get(script.call) ?? (await call(serviceAt(port, newKey(), { timeouts: PATIENT }), folder));
    expected.set(script.call, right);
    rmSync(folder, { recursive: true });
    start(script.plans);
    const fetch = script.transport === "fetch" ? { fetch: globalThis.fetch } : {};
    const key = newKey();
    const service = serviceAt(port, key, { ...fetch, timeouts: script.plans.length > 0 ? TIMEOUTS : PATIENT });
    // It shares the connections and, by its key and limits, the places and pauses of the first one.
    const next = serviceAt(port, key, { ...fetch, timeouts: PATIENT });
    const outcome = await run(call, service, folder, (rows) => isRight(rows, right, script));
    if (outcome === "read" || !readdirIfThere(folder).some((name) => /\.(zip|csv)$/.test(name))) {
      start([]);
      // HTTP/1.1 does not number replies: an unrequested one is taken for the reply to the next request, once.
      if (script.plans.some(sendsMore)) await nextCallWorks(next).catch(() => undefined);
      await nextCallWorks(next);
      return outcome;
    }
    throw new Error(`the failed call left ${readdirIfThere(folder).join(", ")}`);
  } finally {
    stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function run(
  call: FuzzCall,
  service: Service,
  folder: string,
  isRight: (rows: string) => boolean,
): Promise<Outcome> {
  const late = new Promise<never>((_, reject) => {
    const error = new Error(`no end after ${LONGEST_MS} ms`);
    setTimeout(() => reject(error), LONGEST_MS).unref();
  });
  try {
    const rows = await Promise.race([call(service, folder), late]);
    if (!isRight(rows)) throw new Error(`wrong rows: ${rows.slice(0, 300)}`);
    return "read";
  } catch (error) {
    if (!isArrowbookError(error)) throw error;
    const text = `${inspect(error, { depth: 9 })} ${JSON.stringify(error)} ${error.stack}`;
    if (/canary/.test(text)) throw new Error(`a key in ${text.slice(0, 500)}`);
    return "refused";
  }
}

/**
 * The right rows. A CSV reply has no end of its own: one that the server itself cut, with a length or chunks that prove
 * the cut reply complete, or one that declares too short a length, looks like a short one, and one that only the end of
 * the connection ends may lack rows. Its first line is whatever the service calls its columns: bytes before it rename
 * the first one.
 */
function isRight(rows: string, right: string, { call, plans }: Script): boolean {
  if (rows === right) return true;
  if (!call.endsWith(" csv")) return false;
  if (plans.some(({ share, end }) => share !== undefined && end === undefined)) return true;
  if (plans.some(({ framing }) => typeof framing === "number" && framing < 0)) return true;
  const renamed = rows.replaceAll(/"(?:\\.|[^"\\])*Date":/g, '"Date":');
  return plans.some(({ prefix }) => prefix !== undefined) && renamed === right;
}

/** Whether bytes follow the end of a reply: after a status without a body (RFC 9112, section 6.3) its body does. */
const sendsMore = ({ end, statusLine = "" }: Plan): boolean =>
  end === "more" || /^HTTP\/1\.\d (?:1\d\d|204|304)\b/.test(statusLine);

/** What went before holds no place and leaves no half-read reply on the connection. */
async function nextCallWorks(service: Service): Promise<void> {
  try {
    await service.database("D").metadata();
  } catch (error) {
    // The service may have asked for a pause that is longer than the budget.
    if (!isArrowbookError(error) || error.code !== "RateLimited")
      throw new Error(`the next call fails: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

function readdirIfThere(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

export const target: FuzzTarget = {
  name: "http",
  quick: 120,
  corpus: () => [...CALLS.keys()].map((call) => encode({ call, transport: "http", plans: [] })),
  mutate: (input, random) => encode(mutateScript(decode(input), random)),
  check,
};
