import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.js";
import { longIt } from "../support/whole.js";
import { builtLibrary } from "./built-library.js";

/*
 * Row 49: one known key goes through everything a user can do, with temporary files, caches, state and output in one
 * folder; then nothing written anywhere, and nothing printed, holds it.
 */
const KEY = "canary-0a1b2c3d4e5f";
const root = temporaryFolder("canary");
let library = "";
beforeAll(async () => {
  library = await builtLibrary();
});
afterAll(() => {
  rmSync(library, { recursive: true, force: true });
});

const script = `
import { createServer } from "node:http";
import { inspect } from "node:util";
import { connect, display } from "./index.mjs";
import { main } from "./main.mjs";
const KEY = ${JSON.stringify(KEY)};
const root = process.argv[2];
const sample = await connect.sample();
const rest = { retry: { attempts: 2, pause: 1 }, cache: root + "/cache", onProgress: (event) => console.log(JSON.stringify(event)) };
// The sample's own key is a common name: a service in front of it uses the canary instead, and repeats it wherever it
// can.
const front = createServer(async (request, response) => {
  const url = new URL(request.url, sample.url);
  const known = url.searchParams.get("api_key") === KEY;
  if (!known) return response.writeHead(400).end("no key: " + request.url + " " + KEY);
  url.searchParams.set("api_key", "sample");
  if (url.pathname.includes("STRIKES")) return response.writeHead(500, { "x-request-id": KEY }).end("<html>" + KEY);
  if (url.pathname.includes("AIRPORTS")) return response.writeHead(200, { "content-type": "text/html" }).end("<html>" + request.url);
  if (url.pathname.includes("FLIGHTS")) return request.socket.destroy();
  const answer = await fetch(url, { redirect: "manual" });
  let bytes = Buffer.from(await answer.arrayBuffer());
  const type = answer.headers.get("content-type") ?? "";
  if (type.includes("json")) bytes = Buffer.from(bytes.toString().replaceAll(sample.url, "http://" + request.headers.host).replaceAll("api_key=sample", "api_key=" + KEY));
  const headers = { "content-type": type };
  for (const name of ["cursor_id", "etag"]) if (answer.headers.get(name)) headers[name] = answer.headers.get(name);
  response.writeHead(answer.status, headers).end(bytes);
});
await new Promise((go) => front.listen(0, "127.0.0.1", go));
const url = "http://127.0.0.1:" + front.address().port;
const service = connect({ url, apiKey: KEY, ...rest });
const tried = async (name, run) => {
  try {
    const value = await run();
    console.log(name, inspect(value, { depth: 6 }));
    if (value && typeof value === "object" && "toIPC" in value) {
      display(value);
      console.log(value.toHTML(), JSON.stringify(value.source), Buffer.from(value.toIPC()).toString("latin1").length);
    }
  } catch (error) {
    console.log(name, inspect(error, { depth: 9 }), error.stack, JSON.stringify(error), String(error.cause));
  }
};
for (const format of ["json", "xml", "csv"]) {
  await tried("dataset", () => service.dataset("MARKET/AAA").format(format).limit(3).frame());
  await tried("table", () => service.table("MARKET/PRICES").where({ ticker: "AAA" }).format(format).frame());
  await tried("unknown", () => service.table("MARKET/NOTHING").format(format).frame());
}
for (const code of ["TRANSPORT/STRIKES", "TRANSPORT/AIRPORTS", "TRANSPORT/FLIGHTS"]) await tried(code, () => service.table(code).frame());
const file = service.table("MARKET/PRICES").export();
await tried("status", () => file.status());
await tried("frame", () => file.frame());
for (const name of ["a.parquet", "a.arrow", "a.csv"]) await tried(name, () => file[{ parquet: "toParquet", arrow: "toArrow", csv: "toCSV" }[name.slice(2)]](root + "/" + name));
await tried("zip", () => file.saveZip(root + "/a.zip"));
await tried("bulk", () => service.database("MARKET").bulk("partial").frame());
const stop = new AbortController();
await tried("aborted", () => service.table("MARKET/PRICES").export().toParquet(root + "/b.parquet", { signal: stop.signal, onProgress: ({ phase }) => phase === "download" && stop.abort(new Error("enough")) }));
await tried("service", async () => [service, file, service.table("MARKET/PRICES"), service.dataset("MARKET/AAA")]);
await tried("bad address", async () => connect({ url: url + "/?api_key=" + KEY }));
process.env.ARROWBOOK_URL = url;
process.env.ARROWBOOK_API_KEY = KEY;
process.env.ARROWBOOK_STACK = "1";
for (const words of [["get", "table", "MARKET/PRICES", "--where", "ticker=AAA"], ["get", "table", "TRANSPORT/STRIKES"], ["meta", "table", "MARKET/PRICES"], ["export", "MARKET/PRICES", "-o", root + "/c.csv"], ["types", "MARKET/PRICES"], ["get", "table", "--key", KEY]]) {
  console.log(words[0], await main(words));
}
front.closeAllConnections();
front.close();
await sample.close();
console.log("all done");
`;

longIt("row 49: nothing written and nothing printed holds the key", () => {
  const path = join(library, "canary.mjs");
  writeFileSync(path, script);
  for (const name of ["tmp", "home", "state", "cache"]) mkdirSync(join(root, name));
  const result = spawnSync(process.execPath, [path, root], {
    encoding: "utf8",
    maxBuffer: 1 << 28,
    cwd: root,
    env: {
      PATH: process.env.PATH,
      TMPDIR: join(root, "tmp"),
      HOME: join(root, "home"),
      ARROWBOOK_STATE: join(root, "state"),
    },
  });
  expect(result.stderr).not.toContain(KEY);
  expect(result.stdout.split("\n").filter((line) => line.includes(KEY))).toEqual([]);
  expect(result.stdout).toContain("all done");
  const written = readdirSync(root, { recursive: true, encoding: "utf8" }).map((name) => join(root, name));
  expect(written.length).toBeGreaterThan(8);
  for (const name of written) {
    expect(relative(root, name)).not.toContain(KEY);
    if (statSync(name).isFile()) expect(readFileSync(name, "latin1").includes(KEY), name).toBe(false);
  }
});
