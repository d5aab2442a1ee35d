// Long files in a page are read by Web Workers, with the cells of Node: found by Vite, esbuild and without a bundler;
// where a page forbids workers, or their program is missing, the page's own thread reads them.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { launchChromium, requireForSuite } from "../support/chromium.mjs";
import { readCsv, sumsOf } from "./app/workers.mjs";

requireForSuite("browser");
const { chromium } = await import("playwright-core");
const { build: esbuild } = await import("esbuild");
const { build: vite } = await import("vite");
const { Frame } = await import("../../dist/esm/index.js");

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "arrowbook-workers-"));
const ROWS = 320_000;
const BAD = 310_000;
const DOUBLES = 2_600_000;
const failures = [];
const check = (what, found, expected) => {
  if (found !== expected) failures.push(`${what}: ${found} instead of ${expected}`);
};

const expected = await readCsv(ROWS);
const wrong = await readCsv(ROWS, BAD);
const long = Frame.fromColumns(
  Object.fromEntries(
    ["a", "b", "c"].map((name, k) => [name, Float64Array.from({ length: DOUBLES }, (_, i) => i / (k + 3))]),
  ),
);
await long.toParquet(join(folder, "long.parquet"), { compression: "snappy" });
const doubles = sumsOf(long);

const entry = join(root, "test/browser/app/workers.mjs");
await vite({
  root: join(root, "test/browser/app"),
  configFile: false,
  logLevel: "error",
  base: "/vite/",
  build: {
    outDir: join(folder, "vite"),
    rollupOptions: { input: entry, output: { entryFileNames: "main.js" }, preserveEntrySignatures: "allow-extension" },
  },
});
const bundle = (outdir, entryPoints) =>
  esbuild({
    entryPoints,
    bundle: true,
    splitting: true,
    format: "esm",
    outdir: join(folder, outdir),
    external: ["hucre", "danfojs-node", "tinyglobby"],
    logLevel: "error",
  });
await bundle("esbuild", { main: entry, worker: "arrowbook/worker" });
await bundle("alone", { main: entry });

const IMPORTS = {
  "arrowbook/frame": "/dist/browser/frame.js",
  "apache-arrow": "/node_modules/apache-arrow/Arrow.dom.mjs",
  tslib: "/node_modules/tslib/tslib.es6.mjs",
  flatbuffers: "/node_modules/flatbuffers/mjs/flatbuffers.js",
};
const importMap = `<script type="importmap">${JSON.stringify({ imports: IMPORTS })}</script>`;
const pageOf = (script) =>
  `<!doctype html><meta charset="utf-8">${importMap}<script type="module" src="${script}"></script>`;
/** The program of a page, whether it has workers, and its policy. */
const PAGES = {
  "/unbundled.html": ["/test/browser/app/workers.mjs", true],
  "/vite.html": ["/vite/main.js", true],
  "/esbuild.html": ["/esbuild/main.js", true],
  "/alone.html": ["/alone/main.js", false],
  "/forbidden.html": ["/test/browser/app/workers.mjs", false, "worker-src 'none'"],
};
const TYPES = { ".js": "text/javascript", ".mjs": "text/javascript", ".html": "text/html" };
const server = createServer((request, response) => {
  const path = decodeURIComponent(request.url.split("?")[0]);
  try {
    const page = PAGES[path];
    const isMade = /^\/(vite|esbuild|alone|long)\b/.test(path);
    const body = page !== undefined ? pageOf(page[0]) : readFileSync(isMade ? join(folder, path) : join(root, path));
    const policy = page?.[2] === undefined ? {} : { "content-security-policy": page[2] };
    response
      .writeHead(200, { "content-type": TYPES[extname(path)] ?? "application/octet-stream", ...policy })
      .end(body);
  } catch {
    response.writeHead(path === "/favicon.ico" ? 204 : 404).end();
  }
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const origin = `http://127.0.0.1:${server.address().port}`;
const context = await launchChromium(chromium, join(folder, "profile"), {});
try {
  for (const [path, [, hasWorkers]] of Object.entries(PAGES)) {
    const page = await context.newPage();
    page.on("pageerror", (error) => failures.push(`${path}: ${error}`));
    await page.addInitScript(() => {
      globalThis.replies = new Map();
      const { Worker } = globalThis;
      globalThis.Worker = class extends Worker {
        constructor(...values) {
          super(...values);
          this.addEventListener("message", () => globalThis.replies.set(this, (globalThis.replies.get(this) ?? 0) + 1));
        }
      };
    });
    const atWork = () => page.evaluate(() => globalThis.replies.size);
    await page.goto(origin + path);
    await page.waitForFunction(() => globalThis.app !== undefined, undefined, { timeout: 20_000 });
    const csv = await page.evaluate((rows) => globalThis.app.readCsv(rows), ROWS);
    check(`${path} CSV`, csv.digest, expected.digest);
    check(`${path} CSV by several workers`, (await atWork()) > 1, hasWorkers);
    const bad = await page.evaluate(([rows, at]) => globalThis.app.readCsv(rows, at), [ROWS, BAD]);
    check(`${path} bad cell`, bad.error, wrong.error);
    const parquet = await page.evaluate((address) => globalThis.app.readParquet(address), `${origin}/long.parquet`);
    check(`${path} Parquet`, parquet.digest, doubles);
    check(`${path} Parquet by a worker`, parquet.workers > 0, hasWorkers);
    console.log(
      `${path}: ${(csv.bytes / 1e6).toFixed(0)} MB of CSV ${csv.ms.toFixed(0)} ms, Parquet ${parquet.ms.toFixed(0)} ms`,
    );
    await page.close();
  }
} catch (error) {
  failures.push(String(error));
} finally {
  await context.close();
  server.close();
  rmSync(folder, { recursive: true, force: true });
}
for (const failure of failures) console.error(failure);
process.exit(failures.length > 0 ? 1 : 0);
