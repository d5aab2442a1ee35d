// What the checks of the package in web pages share: files served on this machine, Chromium, and how they end.
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { launchChromium, requireForSuite } from "../support/chromium.mjs";

requireForSuite("browser");
const { chromium } = await import("playwright-core");

export const root = fileURLToPath(new URL("../..", import.meta.url));

/** For the files of a check; it is removed when the process ends. */
export const folder = mkdtempSync(join(tmpdir(), "arrowbook-pages-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

/** What went wrong so far. */
export const failures = [];

/** Packages by name, for pages that no bundler made. */
export const IMPORTS = {
  arrowbook: "/dist/browser/index.js",
  "arrowbook/frame": "/dist/browser/frame.js",
  "apache-arrow": "/node_modules/apache-arrow/Arrow.dom.mjs",
  tslib: "/node_modules/tslib/tslib.es6.mjs",
  flatbuffers: "/node_modules/flatbuffers/mjs/flatbuffers.js",
};

/** A page with a script, behind an import map where it has one, and behind other elements. */
export function pageOf(script, importMap, head = "") {
  const map = importMap === undefined ? "" : `<script type="importmap">${JSON.stringify(importMap)}</script>`;
  return `<!doctype html><meta charset="utf-8">${head}${map}<script type="module" src="${script}"></script>`;
}

const TYPES = {
  "": "text/html",
  ".html": "text/html",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".json": "application/json",
  ".css": "text/css",
  ".wasm": "application/wasm",
};

/**
 * Serves files while `check` uses them in Chromium; then prints what failed, and ends the process.
 *
 * @param bodyOf the contents of a path of the server; it throws where there are none
 * @param check gets the `origin` of the server; `open(path, prepare)`, which opens a page that was prepared; and
 *   `openApp`, which waits for its script to set `app` too
 * @param options of the browser, and `headersOf` a path
 */
export async function inPages(bodyOf, check, { headersOf = () => ({}), ...options } = {}) {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url.split("?")[0]);
    try {
      const body = bodyOf(path);
      const type = TYPES[extname(path)] ?? "application/octet-stream";
      response.writeHead(200, { "content-type": type, ...headersOf(path) }).end(body);
    } catch {
      response.writeHead(path === "/favicon.ico" ? 204 : 404).end();
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const origin = `http://127.0.0.1:${server.address().port}`;
  const context = await launchChromium(chromium, join(folder, "profile"), options);
  const open = async (path, prepare = async () => {}) => {
    const page = await context.newPage();
    page.on("pageerror", (error) => failures.push(`${path}: ${error}`));
    await prepare(page);
    await page.goto(origin + path);
    return page;
  };
  const openApp = async (path, prepare) => {
    const page = await open(path, prepare);
    await page.waitForFunction(() => globalThis.app !== undefined, undefined, { timeout: 60_000 });
    return page;
  };
  try {
    await check({ origin, open, openApp });
  } catch (error) {
    failures.push(String(error));
  } finally {
    await context.close();
    server.close();
  }
  for (const failure of failures) console.error(failure);
  process.exit(failures.length > 0 ? 1 : 0);
}
