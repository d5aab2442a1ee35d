// The package in web pages: bundled by Vite and by esbuild, and unbundled by an import map. Each page does the work of
// app/work.mjs with a service of another origin, and gets the cells, specifications and tables that Node gets.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import zlib from "node:zlib";
import { DuckDBInstance } from "@duckdb/node-api";
import { ZipFile } from "yazl";
import { work } from "./app/work.mjs";
import { failures, folder, IMPORTS, inPages, pageOf, root } from "./in-pages.mjs";

const { build: esbuild } = await import("esbuild");
const { build: vite } = await import("vite");
const arrowbook = await import("../../dist/esm/index.js");
const { sampleData, SAMPLE_KEY, serve } = await import("../../dist/esm/server.js");

const service = await serve({ data: sampleData(), cors: "*" });
const frame = arrowbook.Frame.fromCSV(new TextEncoder().encode("t,x\na,1.5\nb,2\na,\n"));
await (await frame).toParquet(join(folder, "t.parquet"), { compression: "snappy" });
await (await frame).toParquet(
  join(folder, "z.parquet"),
  zlib.zstdCompressSync === undefined ? {} : { compression: "zstd" },
);
/** Lists of structs, and maps: the package itself writes flat columns. */
const NESTED = "SELECT [{'a': i, 'b': i::VARCHAR}, NULL] AS l, MAP {'k': i} AS m FROM range(3) t(i)";
const database = await (await DuckDBInstance.create()).connect();
await database.run(`COPY (${NESTED}) TO '${join(folder, "n.parquet")}'`);
database.closeSync();
/** An archive of one deflated file. */
async function zipOf(text) {
  const archive = new ZipFile();
  archive.addBuffer(Buffer.from(text), "t.csv");
  archive.end();
  return new Uint8Array(await buffer(archive.outputStream));
}
const { work: frameWork } = await import("./app/frame.mjs");
const given = {
  url: service.url,
  key: SAMPLE_KEY,
  parquet: readFileSync(join(folder, "t.parquet")),
  zstd: new Uint8Array(readFileSync(join(folder, "z.parquet"))),
  nested: new Uint8Array(readFileSync(join(folder, "n.parquet"))),
  arrow: (await frame).toIPC(),
  zip: await zipOf("t,x\na,1.5\nb,2\na,\n"),
};
const expected = JSON.stringify(await work(arrowbook, given));
const REFUSED = {
  path: "FileError NoDisk",
  parquet: "FileError NoDisk",
  write: "InputError NeedsNode",
  writeParquet: "InputError NeedsNode",
  sample: "InputError NeedsNode",
  mirror: "InputError NeedsNode",
  bulk: "InputError NeedsNode",
  sql: "InputError NeedsNode",
  cache: "InputError NeedsNode",
  proxy: "InputError NeedsNode",
  png: "InputError NeedsNode",
};

const main = join(root, "test/browser/app/main.mjs");
const VEGA = ["vega", "vega-lite"]
  .map((name) => `<script src="/node_modules/${name}/build/${name}.min.js"></script>`)
  .join("");
await vite({
  root: join(root, "test/browser/app"),
  configFile: false,
  logLevel: "error",
  build: { outDir: join(folder, "vite"), lib: { entry: main, formats: ["es"], fileName: "main" } },
});
await esbuild({
  entryPoints: [main],
  bundle: true,
  splitting: true,
  format: "esm",
  outdir: join(folder, "esbuild"),
  external: ["hucre", "danfojs-node", "tinyglobby"],
  logLevel: "error",
});
await esbuild({
  entryPoints: [join(root, "test/browser/app/frame.mjs")],
  bundle: true,
  minify: true,
  splitting: true,
  format: "esm",
  outdir: join(folder, "frame"),
  external: ["hucre", "danfojs-node", "tinyglobby", "apache-arrow"],
  logLevel: "error",
});
const importMap = { imports: IMPORTS };
const pages = {
  "/vite.html": pageOf("/vite/main.js", undefined, VEGA),
  "/esbuild.html": pageOf("/esbuild/main.js", undefined, VEGA),
  "/unbundled.html": pageOf("/test/browser/app/main.mjs", importMap, VEGA),
};
const framePages = {
  "/frame.html": pageOf("/frame/frame.js", importMap, VEGA),
  "/frame-unbundled.html": pageOf("/test/browser/app/frame.mjs", importMap, VEGA),
};
/** Bytes that a page of `arrowbook/frame` may fetch for a format besides apache-arrow, compressed by gzip. */
const MOST = { csv: 149_500, lines: 140_000, arrow: 147_500, parquet: 155_000 };
const fetched = new Map();
const bodyOf = (path) => {
  const page = pages[path] ?? framePages[path];
  if (page !== undefined) return page;
  const body = readFileSync(join(/^\/(vite|esbuild|frame)\//.test(path) ? folder : root, path));
  if (path.startsWith("/frame/")) fetched.set(path, zlib.gzipSync(body).length);
  return body;
};

/** Reads and computes with `arrowbook/frame`: the cells of Node, few bytes, and the rest once `arrowbook` is loaded. */
async function checkFrame(path, openApp) {
  for (const format of Object.keys(MOST)) {
    fetched.clear();
    const page = await openApp(path);
    const bytes = [...(given[format] ?? [])];
    const found = await page.evaluate(
      async ([name, numbers]) => globalThis.app.work(name, Uint8Array.from(numbers)),
      [format, bytes],
    );
    const here = JSON.stringify(await frameWork(format, Uint8Array.from(bytes)));
    if (JSON.stringify(found) !== here) failures.push(`${path} ${format}: ${found} instead of ${here}`);
    const sum = [...fetched.values()].reduce((a, b) => a + b, 0);
    if (path === "/frame.html") console.log(`${path} ${format}: ${sum} bytes`);
    if (sum > MOST[format]) failures.push(`${path} ${format}: ${sum} bytes instead of ${MOST[format]}`);
    const { codes, drawn } = await page.evaluate(async (isUnbundled) => {
      const { codes: before, plot, html } = await globalThis.app.lacking();
      if (!isUnbundled) return { codes: before, drawn: true };
      await import("arrowbook");
      return { codes: before, drawn: "mark" in plot() && html().includes("<table") };
    }, path !== "/frame.html");
    if (Object.values(codes).some((code) => code !== "NotLoaded")) failures.push(`${path}: ${JSON.stringify(codes)}`);
    if (!drawn) failures.push(`${path}: no chart after import("arrowbook")`);
    await page.close();
  }
}

await inPages(bodyOf, async ({ openApp }) => {
  for (const path of Object.keys(pages)) {
    const page = await openApp(path, async (opened) => {
      opened.on("console", (message) => {
        if (message.type() === "error") console.error(path, message.text().slice(0, 300));
      });
    });
    const plain = {
      ...given,
      parquet: [...given.parquet],
      zstd: [...given.zstd],
      nested: [...given.nested],
      arrow: [...given.arrow],
      zip: [...given.zip],
    };
    const found = await page.evaluate(async ({ parquet, zstd, nested, arrow, zip, ...rest }) => {
      const bytes = {
        parquet: Uint8Array.from(parquet),
        zstd: Uint8Array.from(zstd),
        nested: Uint8Array.from(nested),
        arrow: Uint8Array.from(arrow),
        zip: Uint8Array.from(zip),
      };
      const { work, refused, arrowbook } = globalThis.app;
      return { cells: JSON.stringify(await work(arrowbook, { ...rest, ...bytes })), refused: await refused(arrowbook) };
    }, plain);
    const [here, there] = [JSON.parse(expected), JSON.parse(found.cells)];
    for (const name of Object.keys(here)) {
      const [a, b] = [JSON.stringify(here[name]), JSON.stringify(there[name])];
      const at = [...a].findIndex((char, i) => char !== b?.[i]);
      if (a !== b)
        failures.push(
          `${path} ${name}: ${a.slice(Math.max(0, at - 60), at + 60)} in Node, ${b?.slice(Math.max(0, at - 60), at + 60)} here`,
        );
    }
    for (const [name, code] of Object.entries(REFUSED)) {
      if (found.refused[name] !== code) failures.push(`${path} ${name}: ${found.refused[name]} instead of ${code}`);
    }
    console.log(`${path}: ${Object.keys(here).length} results as in Node, ${Object.keys(REFUSED).length} refusals`);
    await page.close();
  }
  for (const path of Object.keys(framePages)) await checkFrame(path, openApp);
  await service.close();
});
