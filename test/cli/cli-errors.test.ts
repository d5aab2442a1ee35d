import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { packageRoot } from "../../src/package/package-root.js";
import { temporaryFolder } from "../support/temporary-folder.js";

/*
 * What a user of the command line sees when something is wrong: one clear line on stderr, exit status 1 (2 for wrong
 * usage), no stack, no key. The built command, on the embedded service.
 */
const command = join(packageRoot(), "dist/esm/cli.js");
const KEY = "a-wrong-key-0123456789";
let worker: Worker;
let url: string;
let folder: string;

beforeAll(async () => {
  folder = temporaryFolder("cli");
  const code = `
    const { parentPort } = require("node:worker_threads");
    const { connect } = require(${JSON.stringify(join(packageRoot(), "dist/cjs/index.js"))});
    connect.sample().then((service) => parentPort.postMessage(service.url));
    parentPort.on("message", () => process.exit(0));`;
  worker = new Worker(code, { eval: true });
  url = await new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
});
afterAll(async () => {
  await worker.terminate();
});

const run = (key: string, ...words: string[]): { status: number | null; stdout: string; stderr: string } =>
  spawnSync(process.execPath, [command, ...words], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, ARROWBOOK_URL: url, ARROWBOOK_API_KEY: key },
  });

describe("what goes wrong is one clear line", () => {
  it.each([
    ["a wrong column", "sample", ["get", "table", "MARKET/PRICES", "--select", "ticker,clse"], /clse.*close/],
    ["a wrong column of a series", "sample", ["get", "dataset", "MARKET/AAA", "--column", "Clse"], /Clse.*Close/],
    [
      "a column that is not a filter",
      "sample",
      ["get", "table", "MARKET/PRICES", "--where", "close=1"],
      /close.*filter/i,
    ],
    ["a wrong table", "sample", ["get", "table", "MARKET/PRICE"], /MARKET\/PRICE/],
    ["a wrong series", "sample", ["get", "dataset", "MARKET/ZZZ"], /MARKET\/ZZZ|ZZZ/],
    ["half a code", "sample", ["get", "dataset", "MARKET"], /DATABASE\/DATASET/],
    ["a wrong key", KEY, ["get", "dataset", "MARKET/AAA"], /key/i],
    ["a wrong key for a bulk file", KEY, ["bulk", "MARKET", "-o", "market.csv"], /key/i],
    ["a service that is down", KEY, ["get", "dataset", "MARKET/AAA", "--url", "http://127.0.0.1:9"], /127\.0\.0\.1:9/],
    ["a notebook that is not there", "sample", ["run", "nothing.ipynb"], /nothing\.ipynb/],
  ])("%s", (_what, key, words, expected) => {
    const { status, stdout, stderr } = run(key, ...words);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(stderr).toMatch(expected);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(stdout).toBe("");
    expect(status).toBe(1);
    expect(stdout + stderr).not.toContain(KEY);
    expect(existsSync(join(folder, "market.csv"))).toBe(false);
  });

  it.each([[["get"]], [["get", "table"]], [["get", "--nonsense"]], [["nonsense"]], [[]]])(
    "wrong usage %j ends with status 2",
    (words) => {
      const { status, stdout, stderr } = run("sample", ...words);
      expect(status).toBe(2);
      expect(stdout).toBe("");
      expect(stderr).not.toBe("");
    },
  );

  it("data goes to stdout alone", () => {
    const { status, stdout, stderr } = run(
      "sample",
      "get",
      "table",
      "MARKET/PRICES",
      "--where",
      "ticker=AAA",
      "--select",
      "date,close",
    );
    expect(status).toBe(0);
    expect(stdout.split("\n")[0]).toBe("date,close");
    expect(stdout.split("\n")[1]).toBe("2000-01-03,24.9961");
    expect(stderr).toBe("");
  });

  it.each([["get"], ["meta"], ["export"], ["bulk"], ["types"], ["serve"], ["run"], ["kernel"], ["demo"]])(
    "%s --help explains itself",
    (name) => {
      const { status, stdout } = run("sample", name, "--help");
      expect(status).toBe(0);
      expect(stdout).toContain(`Usage: arrowbook ${name}`);
    },
  );
});

it.skipIf(process.platform === "win32" || !existsSync("/dev/full"))(
  "a full disk behind stdout is one clear line",
  () => {
    const words = ["get", "table", "MARKET/PRICES", "--limit", "5"].join(" ");
    const { status, stderr } = spawnSync("sh", ["-c", `"${process.execPath}" "${command}" ${words} > /dev/full`], {
      cwd: folder,
      encoding: "utf8",
      env: { ...process.env, ARROWBOOK_URL: url, ARROWBOOK_API_KEY: "sample" },
    });
    expect(stderr).toMatch(/^arrowbook: Cannot write the output: .*\n$/);
    expect(status).toBe(1);
  },
);
