// Long files in a page are read by Web Workers, with the cells of Node: found by Vite, esbuild and without a bundler;
// where a page forbids workers, or their program is missing, the page's own thread reads them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readCsv, sumsOf } from "./app/workers.mjs";
import { failures, folder, IMPORTS, inPages, pageOf, root } from "./in-pages.mjs";

const { build: esbuild } = await import("esbuild");
const { build: vite } = await import("vite");
const { Frame } = await import("../../dist/esm/index.js");

const ROWS = 960_000;
const BAD = 950_000;
const DOUBLES = 2_600_000;
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

/** The program of a page, whether it has workers, and its policy. */
const PAGES = {
  "/unbundled.html": ["/test/browser/app/workers.mjs", true],
  "/vite.html": ["/vite/main.js", true],
  "/esbuild.html": ["/esbuild/main.js", true],
  "/alone.html": ["/alone/main.js", false],
  "/forbidden.html": ["/test/browser/app/workers.mjs", false, "worker-src 'none'"],
};
const headersOf = (path) => {
  const policy = PAGES[path]?.[2];
  return policy === undefined ? {} : { "content-security-policy": policy };
};
const bodyOf = (path) => {
  const page = PAGES[path];
  if (page !== undefined) return pageOf(page[0], { imports: IMPORTS });
  return readFileSync(join(/^\/(vite|esbuild|alone|long)\b/.test(path) ? folder : root, path));
};
const countReplies = (page) =>
  page.addInitScript(() => {
    globalThis.replies = new Map();
    const { Worker } = globalThis;
    globalThis.Worker = class extends Worker {
      constructor(...values) {
        super(...values);
        this.addEventListener("message", () => globalThis.replies.set(this, (globalThis.replies.get(this) ?? 0) + 1));
      }
    };
  });

await inPages(
  bodyOf,
  async ({ origin, openApp }) => {
    for (const [path, [, hasWorkers]] of Object.entries(PAGES)) {
      const page = await openApp(path, countReplies);
      const atWork = () => page.evaluate(() => globalThis.replies.size);
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
  },
  { headersOf },
);
