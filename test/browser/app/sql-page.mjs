import { AsyncDuckDB, VoidLogger } from "@duckdb/duckdb-wasm";
import * as arrowbook from "arrowbook";
import { useDuckDB } from "arrowbook/duckdb";
import { work } from "./sql.mjs";

const files = "/test/browser/node_modules/@duckdb/duckdb-wasm/dist/";
const frame = arrowbook.Frame.fromRows([{ a: 1 }]);

async function codeOf(call) {
  try {
    await call();
    return "none";
  } catch (error) {
    return `${error.name} ${error.code}`;
  }
}

const before = await codeOf(() => frame.sql("select a from this"));
const db = new AsyncDuckDB(new VoidLogger(), new Worker(`${files}duckdb-browser-eh.worker.js`));
await db.instantiate(`${files}duckdb-eh.wasm`);
const connection = await db.connect();
// There is no network from which it could load extensions.
await connection.query("SET autoinstall_known_extensions = false");
await connection.query("SET autoload_known_extensions = false");
useDuckDB(db);

/** What differs from Node: the database is the page's. */
async function others() {
  await connection.query("create table mine as select 7 as n");
  const [{ n }] = (await frame.sql("select n from memory.main.mine")).toArray();
  const stop = new AbortController();
  const endless = "select count(*) from range(10_000_000) a(i), range(10_000_000) b(j) where (a.i * b.j) % 7 = 3";
  const stopped = frame.sql(endless, { signal: stop.signal });
  setTimeout(() => stop.abort("enough"), 300);
  const aborted = await stopped.then(String, String);
  const [{ a }] = (await frame.sql("select a from this")).toArray();
  const databases = await connection.query("select database_name from duckdb_databases() where not internal");
  await db.open({ query: { castBigIntToDouble: true } });
  const rounding = await codeOf(() => frame.sql("select a from this"));
  useDuckDB(undefined);
  const after = await codeOf(() => frame.sql("select a from this"));
  const left = databases.toArray().map((row) => row.database_name);
  return { before, after, aborted, next: Number(a), own: Number(n), left: left.join(), rounding };
}

globalThis.app = { work: () => work(arrowbook), others };
