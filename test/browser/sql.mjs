// SQL in a page by @duckdb/duckdb-wasm, offline: the columns and cells that the embedded engine gives in Node. Its own
// apache-arrow is an older one, which the page loads beside ours.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { launchChromium, requireForSuite } from "../support/chromium.mjs";
import { work } from "./app/sql.mjs";

requireForSuite("browser");
const { chromium } = await import("playwright-core");
const arrowbook = await import("../../dist/esm/index.js");

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "arrowbook-sql-"));
const PACKAGES = "/test/browser/node_modules";
const ARROW = "Arrow.dom.mjs";
const IMPORTS = {
  imports: {
    arrowbook: "/dist/browser/index.js",
    "arrowbook/duckdb": "/dist/browser/duckdb.js",
    "@duckdb/duckdb-wasm": `${PACKAGES}/@duckdb/duckdb-wasm/dist/duckdb-browser.mjs`,
    "apache-arrow": `/node_modules/apache-arrow/${ARROW}`,
    tslib: "/node_modules/tslib/tslib.es6.mjs",
    flatbuffers: "/node_modules/flatbuffers/mjs/flatbuffers.js",
  },
  scopes: {
    [`${PACKAGES}/`]: {
      "apache-arrow": `${PACKAGES}/apache-arrow/${ARROW}`,
      flatbuffers: `${PACKAGES}/flatbuffers/mjs/flatbuffers.js`,
    },
  },
};
const PAGE = `<!doctype html><meta charset="utf-8"><script type="importmap">${JSON.stringify(IMPORTS)}</script>
<script type="module" src="/test/browser/app/sql-page.mjs"></script>`;
const TYPES = { ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm" };

const server = createServer((request, response) => {
  const path = decodeURIComponent(request.url.split("?")[0]);
  try {
    const body = path === "/" ? PAGE : readFileSync(join(root, path));
    response.writeHead(200, { "content-type": path === "/" ? "text/html" : TYPES[extname(path)] }).end(body);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const failures = [];
const context = await launchChromium(chromium, join(folder, "profile"), {});
try {
  const page = await context.newPage();
  page.on("pageerror", (error) => failures.push(String(error)));
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  await page.waitForFunction(() => globalThis.app !== undefined, undefined, { timeout: 60_000 });
  const [here, there] = [await work(arrowbook), await page.evaluate(() => globalThis.app.work())];
  for (const name of Object.keys(here)) {
    if (here[name] !== there[name]) failures.push(`${name}: ${here[name]} in Node, ${there[name]} here`);
  }
  const { before, after, aborted, next, own, left, rounding } = await page.evaluate(() => globalThis.app.others());
  const expect = (what, found, expected) => {
    if (found !== expected) failures.push(`${what}: ${found} instead of ${expected}`);
  };
  expect("without a database", before, "InputError NeedsNode");
  expect("after useDuckDB(undefined)", after, "InputError NeedsNode");
  expect("an abort", aborted, "enough");
  expect("the statement after an abort", next, 1);
  expect("a table of the page's own", own, 7);
  expect("databases that are left", left, "memory");
  expect("a database that rounds", rounding, "InputError BadArgument");
  console.log(`sql: ${Object.keys(here).length} statements as in Node, ${failures.length} failures`);
} catch (error) {
  failures.push(String(error));
} finally {
  await context.close();
  server.close();
  rmSync(folder, { recursive: true, force: true });
}
for (const failure of failures) console.error(failure);
process.exit(failures.length > 0 ? 1 : 0);
