// The examples of the documents that run in the site's pages: marks their blocks, records the replies of the sample
// service that they need, and puts the code for pages beside them.
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { assemblyScript, inCharacters } from "../.config/assemblyscript.mjs";
import { forPages } from "../.config/browser.mjs";
import { forExamples, program, questionOf } from "./run/run.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const BLOCK = /^```ts *\n([\s\S]*?)^```$/gm;
/** Other replies are files, which pages do not read. */
const TEXT = /json|csv|xml|text/;

/** Runs the blocks of each page; gives the pages with their blocks marked, and the replies. */
export async function recordExamples(texts) {
  // The code for pages: a block that needs Node fails here as it would there.
  const arrowbook = await import("../dist/browser/index.js");
  globalThis.vega = await import("vega");
  globalThis.vegaLite = await import("vega-lite");
  const { sampleData, SAMPLE_KEY, serve } = await import("../dist/esm/server.js");
  const service = await serve({ data: sampleData() });
  const folder = mkdtempSync(join(tmpdir(), "arrowbook-examples-"));
  const back = process.cwd();
  const replies = {};
  const recorded = async (address, options) => {
    const url = new URL(address);
    url.searchParams.set("api_key", SAMPLE_KEY);
    const response = await fetch(url, options);
    const type = response.headers.get("content-type") ?? "";
    const text = TEXT.test(type) ? await response.text() : "";
    replies[questionOf(address)] = { status: response.status, headers: { "content-type": type }, text };
    return new Response(text, { status: response.status, headers: { "content-type": type } });
  };
  const own = forExamples(arrowbook, service.url, recorded, () => {});
  const marked = new Map();
  process.chdir(folder);
  try {
    for (const [path, text] of texts) {
      const runs = await runnable([...text.matchAll(BLOCK)].map(([, code]) => code), own);
      let i = 0;
      marked.set(path, text.replace(BLOCK, (block) => (runs.has(i++) ? `<div class="runnable"></div>\n\n${block}` : block)));
    }
  } finally {
    process.chdir(back);
    rmSync(folder, { recursive: true, force: true });
    await service.close();
  }
  return { marked, replies };
}

/** Which blocks of a page run, after those before them that do. */
async function runnable(blocks, own) {
  const runs = new Set();
  const quiet = { ...console, log: () => {} };
  for (const i of blocks.keys()) {
    try {
      await program([...runs, i].map((at) => blocks[at]))(own, () => {}, quiet);
      runs.add(i);
    } catch {
      // It needs another service, an engine of its own, or is not JavaScript.
    }
  }
  return runs;
}

/** Writes what the pages load when a block is run. */
export async function writeRunner(dist, replies) {
  const folder = join(dist, "run");
  mkdirSync(folder, { recursive: true });
  const bundle = await rolldown({
    input: { arrowbook: join(root, "src/index.ts") },
    platform: "browser",
    external: ["hucre/xlsx"],
    plugins: [assemblyScript(inCharacters), forPages()],
    logLevel: "silent",
  });
  await bundle.write({ dir: folder, format: "esm", minify: true, entryFileNames: "[name].js" });
  for (const name of ["vega", "vega-lite"]) {
    copyFileSync(join(root, `node_modules/${name}/build/${name}.min.js`), join(folder, `${name}.js`));
  }
  writeFileSync(join(folder, "replies.json"), JSON.stringify(replies));
}
