// A small HTTP interface in front of chdb, the real engine in this process: what the tests of types, SQL and loads run
// against where there is no server. It has no sessions, one user and a reader, no cluster, and runs one statement at a
// time. Run as a child process; prints its port. Arguments: a folder for the data, and the password.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

const [folder, password = ""] = process.argv.slice(2);
const { Session } = createRequire(import.meta.url)("chdb");
mkdirSync(folder, { recursive: true });
const session = new Session(join(folder, "data"));
session.query("CREATE DATABASE IF NOT EXISTS tests ENGINE = Atomic");
session.query("USE tests");

/** Names in the query string other than settings. */
const OWN = new Set([
  "query",
  "query_id",
  "database",
  "default_format",
  "enable_http_compression",
  "session_id",
  "role",
]);
// chdb takes statements that end at a NUL.
const quoted = (text) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'").replaceAll("\0", "\\0")}'`;

let database = "tests";
let last = Promise.resolve();
/** Running statements by query id: what stops them. */
const running = new Map();
let files = 0;

// Parameters of statements are in the address.
const server = createServer({ maxHeaderSize: 1 << 20 }, async (request, response) => {
  const url = new URL(request.url, "http://localhost");
  if (url.pathname === "/ping") return response.end("Ok.\n");
  const chunks = [];
  try {
    for await (const chunk of request) chunks.push(chunk);
  } catch {
    return;
  }
  let body = Buffer.concat(chunks);
  if (request.headers["content-encoding"] === "gzip") body = gunzipSync(body);
  const sent = Buffer.from((request.headers.authorization ?? "").replace("Basic ", ""), "base64").toString();
  if (sent.slice(sent.indexOf(":") + 1) !== password) {
    return fail(response, "Code: 516. DB::Exception: default: Authentication failed. (AUTHENTICATION_FAILED)");
  }
  const inAddress = url.searchParams.get("query");
  const sql = inAddress ?? body.toString();
  // chdb has one user only: this one may read, and nothing else.
  if (sent.startsWith("reader:") && !/^[\s(]*(SELECT|DESCRIBE|KILL)\b/i.test(sql)) {
    return fail(response, "Code: 497. DB::Exception: reader: Not enough privileges. (ACCESS_DENIED)");
  }
  const killed = /^KILL QUERY WHERE query_id = '([^']*)'/.exec(sql)?.[1];
  if (killed !== undefined) {
    running.get(killed)?.();
    return response.end();
  }
  last = last
    .then(() => run(url.searchParams, sql, inAddress === null ? undefined : body, response))
    .catch((error) => {
      fail(response, String(error?.message ?? error));
    });
});

async function run(params, sql, rows, response) {
  if (response.destroyed) return;
  const wanted = params.get("database") ?? "tests";
  if (wanted !== database) session.query(`USE ${wanted}`);
  database = wanted;
  // The settings of one request stay in the session: a later statement must not have the token of an earlier block.
  const settings = [["insert_deduplication_token", ""], ...[...params].filter(([name]) => !OWN.has(name))];
  session.query(`SET ${settings.map(([name, value]) => `${name} = ${quoted(value)}`).join(", ")}`);
  if (rows !== undefined) {
    const path = join(folder, `rows-${files++}`);
    writeFileSync(path, rows);
    try {
      await session.queryAsync(sql.replace(/ FORMAT (\w+)$/, ` FROM INFILE ${quoted(path)} FORMAT $1`));
    } finally {
      rmSync(path);
    }
    return response.end();
  }
  const [, statement, format = params.get("default_format") ?? "TabSeparated"] =
    /^([\s\S]*?)(?:\sFORMAT\s+(\w+)\s*)?$/.exec(sql);
  response.setHeader("x-clickhouse-format", format);
  // chdb streams the results of SELECT only.
  if (format !== "ArrowStream" || !/^[\s(]*(SELECT|WITH|FROM)\b/i.test(statement)) {
    const result = await session.queryAsync(statement, { format });
    return response.end(result.bytes());
  }
  const stream = session.queryStream(statement, { format });
  let stopped = false;
  const stop = () => {
    stopped = true;
    stream.cancel();
  };
  running.set(params.get("query_id"), stop);
  response.once("close", stop);
  try {
    let count = 0;
    let held;
    for await (const chunk of stream) {
      if (stopped) break;
      // Each chunk is a stream of its own: all but the first lose their schema, all but the last their end mark.
      const bytes = Buffer.from(chunk.raw());
      if (held !== undefined) response.write(held.subarray(0, held.length - 8));
      held = count++ === 0 ? bytes : bytes.subarray(8 + bytes.readInt32LE(4));
    }
    if (stopped) return response.destroy();
    // A result without rows has no chunk.
    response.end(held ?? (await session.queryAsync(statement, { format })).bytes());
  } catch (error) {
    if (!stopped) throw error;
    response.destroy();
  } finally {
    running.delete(params.get("query_id"));
    response.off("close", stop);
  }
}

function fail(response, message) {
  const text = message.replace(/^Query failed: /, "");
  if (response.headersSent) return response.destroy();
  response.writeHead(500, { "x-clickhouse-exception-code": /Code: (\d+)/.exec(text)?.[1] ?? "1002" });
  response.end(text);
}

server.listen(0, "127.0.0.1", () => process.stdout.write(`${server.address().port}\n`));
process.on("disconnect", () => process.exit(0));
