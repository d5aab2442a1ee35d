import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import { clickhouseEngine } from "../../src/engine/clickhouse/clickhouse.js";
import { testServer } from "./server.js";

const PASSWORD = "password-0123456789abcdef";
const bin = fileURLToPath(new URL("../../dist/esm/cli.js", import.meta.url));
const server = await testServer(PASSWORD);
const children: ChildProcess[] = [];
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await server.stop();
});

/** Runs `arrowbook serve` until it prints its address; then stops it and returns all that it printed. */
async function output(flags: string[], password: string, use?: (url: string) => Promise<void>): Promise<string> {
  const child = spawn(process.execPath, [bin, "serve", "--port", "0", "--json", ...flags], {
    env: { ...process.env, ARROWBOOK_ENGINE_PASSWORD: password },
  });
  children.push(child);
  let out = "";
  let err = "";
  const ended = new Promise((done) => child.once("close", done));
  child.stderr.on("data", (text) => {
    err += text;
  });
  const begun = new Promise<void>((done) => {
    child.stdout.on("data", (text) => {
      out += text;
      if (out.includes("\n")) done();
    });
    child.once("close", () => done());
  });
  await begun;
  if (out !== "") await use?.((JSON.parse(out) as { url: string }).url);
  child.kill("SIGTERM");
  await ended;
  return `${out}${err}`;
}

const rows = async (url: string): Promise<void> => {
  const reply = await fetch(`${url}/api/v3/datatables/MARKET/PRICES.csv?ticker=AAA&qopts.per_page=1&api_key=sample`);
  expect(await reply.text()).toMatch(/^ticker,date,open,high,low,close,volume\nAAA,2000-01-03,/);
};

it("serve --engine --tables: tables that are there already, and no others are made", async () => {
  const address = server.address.replace("http:", "clickhouse:").replace(`:${PASSWORD}`, "");
  const owner = await clickhouseEngine(server.address);
  await owner.query("CREATE TABLE in_place (n UInt8) ENGINE = MergeTree ORDER BY n AS SELECT number FROM numbers(3)");
  const tables = ["--engine", address, "--tables"];
  const read = async (url: string): Promise<void> => {
    const reply = await fetch(`${url}/api/v3/datatables/V/T.csv?n.gte=1&api_key=sample`);
    expect(await reply.text()).toBe("n\n1\n2\n");
  };
  expect(await output([...tables, '{"V/T": {"from": "in_place"}}'], PASSWORD, read)).toContain('"code":"V/T"');
  expect(await output([...tables, "{"], PASSWORD)).toMatch(/--tables is not JSON/);
  expect(await output([...tables, '{"V/T": "nothing"}'], PASSWORD)).toMatch(/There is no table "nothing"/);
  expect(await owner.tables()).toEqual(["in_place"]);
  await owner.query("DROP TABLE in_place SYNC");
  await owner.close();
});

it("serve --engine: the password comes from the environment, and the rows stay for the next run", async () => {
  const address = server.address.replace("http:", "clickhouse:").replace(`:${PASSWORD}`, "");
  expect(address).not.toContain(PASSWORD);
  const first = await output(["--sample", "--engine", address], PASSWORD, rows);
  const second = await output(["--engine", address], PASSWORD, rows);
  expect(`${first}${second}`).not.toContain(PASSWORD);
  const wrong = "wrong-password-0123456789";
  const refused = await output(["--sample", "--engine", address.replace("default", `default:${wrong}`)], wrong);
  expect(refused).toMatch(/EngineAccess|cannot be used/);
  expect(refused).not.toContain(wrong);
});
