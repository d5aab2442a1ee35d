// SQL in a page by @duckdb/duckdb-wasm, offline: the columns and cells that the embedded engine gives in Node. Its own
// apache-arrow is an older one, which the page loads beside ours.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { work } from "./app/sql.mjs";
import { failures, IMPORTS, inPages, pageOf, root } from "./in-pages.mjs";

const arrowbook = await import("../../dist/esm/index.js");

const PACKAGES = "/test/browser/node_modules";
const PAGE = pageOf("/test/browser/app/sql-page.mjs", {
  imports: {
    ...IMPORTS,
    "arrowbook/duckdb": "/dist/browser/duckdb.js",
    "@duckdb/duckdb-wasm": `${PACKAGES}/@duckdb/duckdb-wasm/dist/duckdb-browser.mjs`,
  },
  scopes: {
    [`${PACKAGES}/`]: {
      "apache-arrow": `${PACKAGES}/apache-arrow/Arrow.dom.mjs`,
      flatbuffers: `${PACKAGES}/flatbuffers/mjs/flatbuffers.js`,
    },
  },
});

const bodyOf = (path) => (path === "/" ? PAGE : readFileSync(join(root, path)));

await inPages(bodyOf, async ({ openApp }) => {
  const page = await openApp("/");
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
});
