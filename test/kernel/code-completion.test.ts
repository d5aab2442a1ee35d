import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect } from "../../src/index.js";
import { findKernel } from "../../src/kernel/install/kernelspec.js";
import { type KernelClient, startKernel } from "../../src/kernel/protocol/jupyter-client.js";
import { ServiceNames } from "../../src/kernel/runtime/service-names.js";
import { sampleData } from "../../src/server/data/sample.js";
import { serve } from "../../src/server.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { longIt } from "../support/whole.js";
import { needBuild } from "./build.js";

const ready = async (): Promise<void> => undefined;

describe("codes of a service", () => {
  it.each(["specification", "nasdaqDataLink"] as const)("come from one request for each kind: %s", async (profile) => {
    const log: string[] = [];
    const running = await serve({ data: sampleData(), profile, log: (entry) => log.push(JSON.stringify(entry)) });
    try {
      const service = connect({ url: running.url, apiKey: "sample", profile, proxy: false });
      const names = new ServiceNames((name) => (name === "data" ? service : undefined), ready);
      const matches = async (before: string) => (await names.codes(before))?.matches;
      // On a busy machine a reply may take longer than a completion waits; it serves the next completion.
      await expect.poll(() => matches('data.table("MARKET/'), { timeout: 60_000 }).toEqual(["MARKET/PRICES"]);
      expect(await matches("data.table('MARKET/P")).toEqual(["MARKET/PRICES"]);
      expect(log).toHaveLength(1);
      await expect.poll(() => matches('data.database("LAB'), { timeout: 60_000 }).toEqual(["LABOR"]);
      expect(log).toHaveLength(2);
      const series = ["AAA", "BBB", "CCC", "DDD", "EEE"].map((name) => `MARKET/${name}`);
      const sorted = async () => (await matches('await data.dataset("MARKET/'))?.sort();
      await expect.poll(sorted, { timeout: 60_000 }).toEqual(series);
      expect(log).toHaveLength(3);
      expect(await names.codes('data.table("MARKET/')).toMatchObject({ start: 'data.table("'.length });
      for (const other of ['data.table("MARKET/PRICES"', "data.table(", 'other.table("MARK', 'data.select("MARK'])
        expect(await names.codes(other)).toBeUndefined();
      expect(log).toHaveLength(3);
    } finally {
      await running.close();
    }
  });

  it("are silently nothing where the service does not reply, after one request", async () => {
    let requests = 0;
    const server = createServer(() => {
      requests++;
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const names = new ServiceNames(() => connection, ready);
    const connection = connect({ url, apiKey: "sample", proxy: false });
    for (let i = 0; i < 3; i++) expect(await names.codes('service.table("M')).toBeUndefined();
    await expect.poll(() => requests, { timeout: 60_000 }).toBe(1);
    server.closeAllConnections();
    server.close();
  });

  it.each([
    ["down", connect({ url: "http://127.0.0.1:9", proxy: false, retry: { attempts: 1 } })],
    ["of another kind", {}],
    ["a proxy that throws", new Proxy({}, { has: () => expect.fail("looked into") })],
  ])("are silently nothing for a service that is %s", async (_, service) => {
    const names = new ServiceNames(() => service, ready);
    expect(await names.codes('service.table("M')).toBeUndefined();
  });
});

describe("in the kernel", () => {
  const folder = temporaryFolder("codes");
  let kernel: KernelClient;
  beforeAll(async () => {
    needBuild();
    kernel = await startKernel(findKernel("arrowbook"), { folder, env: { ...process.env, ARROWBOOK_URL: "" } });
  });
  afterAll(async () => {
    await kernel.shutdown();
  });

  longIt("the first cell completes codes of the sample, after characters of two units too", async () => {
    const ask = async (code: string) => {
      const { reply } = await kernel.request("complete_request", { code, cursor_pos: [...code].length });
      return reply.content;
    };
    const code = 'const note = "𝒳";\nservice.table("MARKET/';
    await expect.poll(async () => (await ask(code))["matches"], { timeout: 120_000 }).toEqual(["MARKET/PRICES"]);
    const end = [...code].length;
    expect(await ask(code)).toMatchObject({ status: "ok", cursor_start: end - "MARKET/".length, cursor_end: end });
    await expect
      .poll(async () => (await ask('service.database("M'))["matches"], { timeout: 120_000 })
      .toEqual(["MARKET"]);
  });
});
