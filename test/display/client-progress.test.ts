import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { bulkFile } from "../../src/client/bulk/local-bulk-file.js";
import type { ConnectOptions } from "../../src/client/transport/settings.js";
import { BATCH_ROWS, READ_BATCH } from "../../src/columns/arrow/read-options.js";
import { connect, type SampleService } from "../../src/connect.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { fakeTerminal } from "./terminal.js";

/*
 * Slowed-down calls of the client: each shows its progress on a terminal while it runs and leaves nothing, however it
 * ends.
 */

const folder = temporaryFolder("progress");
let sample: SampleService;
let screen: ReturnType<typeof fakeTerminal>;

beforeAll(async () => {
  sample = await connect.sample();
});
afterAll(async () => {
  await sample.close();
});
beforeEach(() => {
  READ_BATCH.rows = 5_000;
  vi.stubEnv("ARROWBOOK_PROGRESS", "on");
  screen = fakeTerminal();
});
afterEach(() => {
  READ_BATCH.rows = BATCH_ROWS;
  screen.restore();
  vi.unstubAllEnvs();
});

const slow = (ms: number, more: Partial<ConnectOptions> = {}) =>
  connect({
    url: sample.url,
    apiKey: "sample",
    fetch: async (...request) => {
      await sleep(ms);
      return fetch(...request);
    },
    ...more,
  });

/** Reads all batches, with a pause after each of the first. */
async function readSlowly(batches: AsyncIterable<unknown>): Promise<void> {
  let read = 0;
  for await (const _ of batches) if (read++ < 8) await sleep(150);
}

const prices = (service: ReturnType<typeof slow>) => service.table("MARKET/PRICES").pageSize(1_000);

it("pages show while they come", async () => {
  await prices(slow(30)).frame();
  expect(screen.written).toMatch(/MARKET\/PRICES [\d,]+ rows · .*\/s/);
  expect(screen.screen).toEqual([]);
});

it("nothing stays when the caller breaks out", async () => {
  for await (const _ of prices(slow(200)).batches()) if (screen.screen.length > 0) break;
  expect(screen.screen).toEqual([]);
  const later = screen.written;
  await sleep(1_200);
  expect(screen.written).toBe(later);
});

it("a failed call says what it waits for, and leaves nothing", async () => {
  let asked = 0;
  const failing: typeof fetch = async (...request) => {
    await sleep(120);
    if (++asked > 5) throw Object.assign(new TypeError("fetch failed"), { cause: { code: "ECONNRESET" } });
    return fetch(...request);
  };
  const retry = { attempts: 3, pause: 50 };
  await expect(prices(slow(0, { fetch: failing, retry })).frame()).rejects.toThrow(/tried 3 times/);
  expect(screen.written).toMatch(/MARKET\/PRICES (rows|retry)/);
  expect(screen.screen).toEqual([]);
});

it("two calls at once share the line", async () => {
  const service = slow(40);
  await Promise.all([prices(service).frame(), service.table("TRANSPORT/AIRPORTS").pageSize(200).frame()]);
  expect(screen.written).toMatch(/MARKET\/PRICES .* · and 1 more/);
  expect(screen.screen).toEqual([]);
});

it("an export shows its wait and its reading; with false nothing", async () => {
  const file = slow(150)
    .table("MARKET/PRICES")
    .export({ poll: { first: 700 } });
  await readSlowly(file.batches());
  expect(screen.written).toMatch(/MARKET\/PRICES (wait|download|read)/);
  expect(screen.screen).toEqual([]);
  const before = screen.written;
  await readSlowly(file.batches({ onProgress: false }));
  await prices(slow(30, { onProgress: false })).frame();
  expect(screen.written).toBe(before);
});

it("reading a file on disk shows progress too, and a function of the caller replaces the bar", async () => {
  const path = join(folder, "prices.zip");
  await sample.table("MARKET/PRICES").export().saveZip(path);
  const { columns } = await sample.table("MARKET/PRICES").metadata();
  const before = screen.written;
  await readSlowly(bulkFile(path, { columns }).batches());
  expect(screen.written.slice(before.length)).toMatch(/prices\.zip reading ▕█*░*▏ \d+ %/);
  const [told, shown] = [[] as string[], screen.written];
  const onProgress = ({ phase }: { phase: string }) => void told.push(phase);
  for await (const _ of bulkFile(path, { columns }).batches({ onProgress }));
  expect(new Set(told)).toEqual(new Set(["read"]));
  expect(screen.written).toBe(shown);
});
