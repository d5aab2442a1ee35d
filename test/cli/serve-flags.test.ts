import { type ChildProcess, execFile, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, expect, it } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.js";

const bin = fileURLToPath(new URL("../../dist/esm/cli.js", import.meta.url));
const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill("SIGTERM");
});

/** Starts `arrowbook serve` with flags; resolves with its address. */
const started = (...flags: string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [bin, "serve", "--sample", "--port", "0", "--json", ...flags]);
    children.push(child);
    let out = "";
    let err = "";
    child.stderr.on("data", (text) => {
      err += text;
    });
    child.stdout.on("data", (text) => {
      out += text;
      if (out.includes("\n")) resolve((JSON.parse(out) as { url: string }).url);
    });
    // "exit" can come before the last of stderr is read.
    child.once("close", (status) => reject(new Error(`${status}: ${err}`)));
  });

it("serve --history: point-in-time calls from the copies of a place", async () => {
  const place = temporaryFolder();
  const sync = ["sync", "MARKET/PRICES", "--to", place, "--history", "--sample", "--quiet"];
  await promisify(execFile)(process.execPath, [bin, ...sync]);
  const url = await started("--profile", "nasdaqDataLink", "--history", place);
  const path = "pit/MARKET/PRICES/asofdate/2999-01-01.csv?ticker=AAA&date=2024-12-31&qopts.columns=ticker,date";
  const reply = await fetch(`${url}/api/v3/${path}`, { headers: { "x-api-token": "sample" } });
  expect(await reply.text()).toBe("ticker,date\nAAA,2024-12-31\n");
  await expect(started("--history", temporaryFolder())).rejects.toThrow("has no copy of a table that is served");
});

it("serve --profile --public-url --subscriptions --cors", async () => {
  const flags = [
    "--profile",
    "nasdaqDataLink",
    "--public-url",
    "https://data.example",
    "--cors",
    "https://app.example",
  ];
  const url = await started(...flags, "--key", "first", "second", "--subscriptions", "MARKET,TRANSPORT/FLIGHTS");
  const get = (path: string, key = "first") =>
    fetch(`${url}/api/v3${path}`, {
      redirect: "manual",
      headers: { "x-api-token": key, origin: "https://app.example" },
    });
  const bulk = await get("/databases/MARKET/data", "second");
  expect(bulk.status).toBe(302);
  expect(bulk.headers.get("location")).toMatch(/^https:\/\/data\.example\/files\//);
  expect(bulk.headers.get("access-control-allow-origin")).toBe("https://app.example");
  expect((await get("/databases/WEATHER/data")).status).toBe(403);
  expect((await get("/databases?query=labor")).status).toBe(200);
});

it("--engine: an address of another kind, a database file beside it and a password without it are refused", async () => {
  const address = "postgres://user:password-0123456789@localhost/db";
  const refusal = await started("--engine", address).catch((error: Error) => error.message);
  expect(refusal).toMatch(/^1: .*not that of a ClickHouse server.*clickhouse:\/\//s);
  expect(refusal).not.toContain("0123456789");
  await expect(started("--engine", "clickhouse://localhost", "--database", "x")).rejects.toThrow(
    /^2: .*cannot be used/,
  );
  await expect(started("--ask-password")).rejects.toThrow(/--engine/);
  await expect(started("--tables", '{"V/T":"db.t"}')).rejects.toThrow(
    /^2: .*--tables .*cannot be used with .*--sample/,
  );
});

it("a wrong profile, origin or address is refused before the service starts", async () => {
  await expect(started("--profile", "nasdaq")).rejects.toThrow(/^2: .*Allowed choices are specification/s);
  await expect(started("--cors", "app.example")).rejects.toThrow(/^1: .*cors.*https:\/\/app\.example\.org/s);
  await expect(started("--public-url", "data.example")).rejects.toThrow(/^1: .*publicUrl/s);
});
