// The unit tests of readers, series and frames in Chromium: their cells must be those that they are in Node. Cases that
// need Node or a disk are counted and left out: what they call throws NeedsNode or NoDisk.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { builtinModules } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { assemblyScript, inCharacters } from "../../.config/assemblyscript.mjs";
import { forPages } from "../../.config/browser.mjs";
import { launchChromium, requireForSuite } from "../support/chromium.mjs";

requireForSuite("browser");
const { chromium } = await import("playwright-core");

const root = fileURLToPath(new URL("../..", import.meta.url));
const ROOMS = /^(columns|compute|differential|document|format|frame|series|value)\//;
/** Packages that are themselves programs for Node. */
const NATIVE = [
  "@duckdb/node-api",
  "nodejs-polars",
  "typescript",
  "danfojs-node",
  "yauzl",
  "yazl",
  "vega",
  "vega-lite",
];
const BUFFER = join(root, "test/browser/node_modules/buffer/index.js");
const STUB = "\0needs-node:";

const files = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })
  .filter((name) => ROOMS.test(name) && name.endsWith(".test.ts") && !name.endsWith(".long.test.ts"))
  .filter((name) => process.argv.length < 3 || process.argv.slice(2).some((part) => name.includes(part)))
  .sort();

/** Replaces modules of Node in tests: whatever is called throws NeedsNode. */
const stubs = {
  name: "stubs",
  async resolveId(source, importer) {
    if (source === "arrowbook") return join(root, "src/index.ts");
    if (source === "node:path" || source === "path") return this.resolve("pathe", importer);
    if (source === "node:buffer") return BUFFER;
    if (source.startsWith("node:") || builtinModules.includes(source) || NATIVE.includes(source)) return STUB + source;
    return null;
  },
  /** Tests make their inputs with Node's Buffer; the package itself must not find one. */
  transform(code, id) {
    if (!id.startsWith(join(root, "test/")) || id.includes("node_modules") || !/\bBuffer\b/.test(code)) return null;
    return { code: `import { Buffer } from ${JSON.stringify(BUFFER)};\n${code}` };
  },
  async load(id) {
    if (!id.startsWith(STUB)) return null;
    const name = id.slice(STUB.length);
    const found = await import(name);
    const names = new Set(
      [...Object.keys(found), ...Object.keys(found.default ?? {})].filter((key) => /^[A-Za-z]\w*$/.test(key)),
    );
    names.delete("default");
    const own = name === "node:zlib" ? ["gzipSync", "gunzipSync", "deflateRawSync", "inflateRawSync"] : [];
    for (const made of own) names.delete(made);
    const code = own.map(
      (made) =>
        `export { ${made === "deflateRawSync" ? "deflateSync as deflateRawSync" : made === "inflateRawSync" ? "inflateSync as inflateRawSync" : made} } from "fflate";`,
    );
    code.push(...[...names].map((key) => `const x_${key} = place("${name}.${key}"); export { x_${key} as ${key} };`));
    return { code: `${PLACE}\n${code.join("\n")}\nexport default place("${name}");`, moduleType: "js" };
  },
};
const PLACE = `function place(what) {
  const refuse = () => { throw Object.assign(new Error("Not in a page: " + what), { code: "NeedsNode" }); };
  return new Proxy(function () {}, { apply: refuse, construct: refuse, get: (target, key) => key in target || typeof key === "symbol" ? target[key] : place(what + "." + key) });
}`;

const folder = mkdtempSync(join(tmpdir(), "arrowbook-unit-"));
const runner = join(root, "test/browser/unit-page.mjs");
const bundle = await rolldown({
  input: { runner, ...Object.fromEntries(files.map((name) => [name.replace(/\.ts$/, ""), join(root, "test", name)])) },
  platform: "browser",
  plugins: [stubs, assemblyScript(inCharacters), forPages()],
  preserveEntrySignatures: "allow-extension",
  logLevel: "silent",
});
await bundle.write({
  dir: folder,
  format: "esm",
  entryFileNames: "[name].js",
  chunkFileNames: "chunks/[name]-[hash].js",
});

/** Without these a page has no memory that threads share, which some tests make. */
const ISOLATED = { "cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp" };
const server = createServer((request, response) => {
  try {
    const path = request.url.split("?")[0];
    const body =
      path === "/" ? "<!doctype html><title>tests</title>" : readFileSync(join(folder, decodeURIComponent(path)));
    response.writeHead(200, { ...ISOLATED, "content-type": path === "/" ? "text/html" : "text/javascript" }).end(body);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
process.env.TZ = "America/Los_Angeles";
const context = await launchChromium(chromium, join(folder, "profile"), {});
const page = await context.newPage();
page.on("pageerror", (error) => console.error("page error", String(error).slice(0, 300)));
if (process.env.VERBOSE) page.on("console", (message) => console.log(message.text().slice(0, 500)));
const total = { passed: 0, node: 0, skipped: 0, failed: 0 };
try {
  for (const name of files) {
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    const results = await page.evaluate(
      async (file) => {
        const { run } = await import("/runner.js");
        return run(file);
      },
      `/${name.replace(/\.ts$/, ".js")}`,
    );
    for (const { state, title, message } of results) {
      total[state]++;
      if (state === "failed") console.log(`${name} > ${title}\n    ${message.slice(0, 400)}`);
      if (state === "node" && process.env.VERBOSE)
        console.log(`${name} > ${title}\n    node: ${message.slice(0, 200)}`);
    }
  }
} finally {
  await context.close();
  server.close();
  rmSync(folder, { recursive: true, force: true });
}
console.log(JSON.stringify(total));
process.exit(total.failed > 0 ? 1 : 0);
