// test:clients: existing clients, unchanged, against the embedded service in the profile nasdaqDataLink. Every call is
// also made by this package, and the values must be equal; so must those of the verbs and tasks beside pandas, of
// Parquet files beside pyarrow, the sessions of exchanges beside exchange_calendars, and files in an object storage.
// `--write` renews the tables of results.md.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = join(here, "../..");
const page = join(here, "results.md");

if (!existsSync(join(root, "dist/esm/index.js"))) fail("test:clients lacks the built package: npm run build");
const python = preparePython(".venv", "requirements.txt");
const storage = preparePython(".venv-storage", "storage-requirements.txt");
prepareNpm();

const { serve, sampleData } = await import("arrowbook/server");
const arrowbook = await import("arrowbook");
const { connect } = arrowbook;
const { compareVerbs } = await import("./verbs.mjs");
const { compareParquet } = await import("./parquet.mjs");
const { compareExcel } = await import("./excel.mjs");
const { compareRecipes } = await import("./recipes.mjs");
const { compareStorage } = await import("./storage.mjs");
const { groups, rowsOf } = await import("./python-calls.mjs");
const { keptQuotes } = await import("./kept-quotes.mjs");
const { npmCalls, npmClient } = await import("./npm-calls.mjs");

let passed = 0;
const failures = [];
const kept = await keptQuotes();
const service = await serve({
  data: kept.besides(sampleData()),
  history: kept.copy,
  profile: "nasdaqDataLink",
  apiKeys: { sample: { subscriptions: "all" }, free: { subscriptions: [] } },
});
const ours = connect({ url: service.url, apiKey: "sample", profile: "nasdaqDataLink", limits: { windows: [] } });
ours.copy = kept.copy;
ours.catalogOf = (kind) => service.catalog().flatMap((item) => (item.kind === kind ? [item.code] : []));

try {
  const tables = `${await pythonTable()}\n${await npmTable()}`;
  checkPage(tables);
  await compareVerbs(python, arrowbook, check);
  await compareParquet(python, arrowbook, check);
  compareCalendars();
  await compareExcel(python, arrowbook, check);
  await compareRecipes(python, arrowbook, check);
  await compareStorage(storage, arrowbook, check);
} finally {
  await service.close();
  kept.remove();
}
for (const failure of failures) console.error(`FAILED ${failure}`);
if (process.env.ARROWBOOK_RESULTS) {
  const report = { numPassedTests: passed, numFailedTests: failures.length, failures };
  writeFileSync(join(process.env.ARROWBOOK_RESULTS, "clients.json"), JSON.stringify(report));
}
console.log(`${passed} passed, ${failures.length} failed`);
process.exitCode = failures.length === 0 ? 0 : 1;

async function pythonTable() {
  const calls = Object.entries(groups).flatMap(([group, list]) =>
    list.map(([source, expected, options = {}]) => ({ group, source, expected, options })),
  );
  const driver = spawn(python, [join(here, "driver.py"), service.url], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, NASDAQ_DATA_LINK_API_KEY: "sample", NO_PROXY: "127.0.0.1", TZ: "UTC" },
  });
  const answers = createInterface({ input: driver.stdout })[Symbol.asyncIterator]();
  const works = new Map(Object.keys(groups).map((group) => [group, 0]));
  for (const [id, { group, source, expected, options }] of calls.entries()) {
    driver.stdin.write(`${JSON.stringify({ id, source })}\n`);
    const line = (await answers.next()).value;
    if (line === undefined) fail(`The Python process ended at ${source}`);
    const answer = JSON.parse(line);
    const why = options.error ? differsFrom(options.error, answer.error) : await compare(answer, expected, options);
    if (check(source, why === undefined, `${why} ${answer.message ?? ""}`)) works.set(group, works.get(group) + 1);
  }
  await checkPairs(async (source) => {
    driver.stdin.write(`${JSON.stringify({ id: 0, source })}\n`);
    return JSON.parse((await answers.next()).value);
  });
  driver.stdin.end();
  const lines = Object.entries(groups).map(([group, list]) => {
    return `| ${group.replace(/[A-Za-z]+_[a-z_]+|[A-Z]\w+|^[a-z]+/g, "`$&`")} | ${works.get(group)} of ${list.length} |`;
  });
  const all = [...works.values()].reduce((a, b) => a + b);
  return `| Python, \`nasdaq-data-link\` 1.0.4 | calls |\n|---|---|\n${lines.join("\n")}\n| all | ${all} of ${calls.length} |\n`;
}

/** The pairs of docs/guides/python-client.md: the same question in both languages has the same result. */
async function checkPairs(inPython) {
  const text = readFileSync(join(root, "docs/guides/python-client.md"), "utf8");
  const pairs = [...text.matchAll(/```python\n([^`]*)\n```\n\n```ts\n([^`]*)\n```/g)];
  if (pairs.length < 10) fail("docs/guides/python-client.md has lost its pairs");
  for (const [, theirs, mine] of pairs) {
    const name = /^const (\w+) =/.exec(mine)[1];
    const run = new Function("service", `return (async () => { ${mine}\nreturn ${name}; })()`);
    const why = await compare(await inPython(theirs), (service) => run(service), {});
    check(`docs/guides/python-client.md: ${theirs}`, why === undefined, why);
  }
}

async function npmTable() {
  const client = npmClient(service.url);
  const lines = [];
  for (const [name, theirs, expected, reason] of npmCalls) {
    const got = await theirs(client).catch((error) => ({ error: error.message }));
    if (expected === undefined) check(`npm ${name} is not offered`, got === undefined || got?.error !== undefined);
    else check(`npm ${name}`, same(got, await expected(ours)), JSON.stringify(got)?.slice(0, 200));
    lines.push(`| \`${name}\` | ${expected === undefined ? "no" : "yes"} | ${reason ?? ""} |`);
  }
  return `| npm, \`quandl\` 0.0.6 | works | reason |\n|---|---|---|\n${lines.join("\n")}\n`;
}

/** What differs between the client's result and ours; undefined where nothing does. */
async function compare(answer, expected, options) {
  if (answer.error !== undefined) return `${answer.error}:`;
  if ("value" in options) return same(answer.value, options.value) ? undefined : `is ${short(answer.value)}`;
  const result = await expected(ours);
  if (result?.table === undefined)
    return same(answer.value, result) ? undefined : `is ${short(answer.value)}, not ${short(result)}`;
  const frame = options.part ? options.part(result) : result;
  const names = frame.columns.map(({ name }) => name);
  if (!same(answer.value.columns, names)) return `has the columns ${short(answer.value.columns)}, not ${short(names)}`;
  const [theirs, mine] = [answer.value.rows, rowsOf(frame)];
  if (theirs.length !== mine.length) return `has ${theirs.length} rows, not ${mine.length}`;
  const at = mine.findIndex((row, i) => !same(row, theirs[i]));
  return at < 0 ? undefined : `row ${at} is ${short(theirs[at])}, not ${short(mine[at])}`;
}

function differsFrom(wanted, got) {
  return got === wanted ? undefined : `raises ${got}, not ${wanted}`;
}

/** Equal values; Python distinguishes neither a whole number from a double nor the order of members. */
function same(a, b) {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  const [names, others] = [Object.keys(a), Object.keys(b)];
  return names.length === others.length && names.every((name) => Object.hasOwn(b, name) && same(a[name], b[name]));
}

function short(value) {
  return JSON.stringify(value)?.slice(0, 300);
}

function check(what, holds, detail = "") {
  if (holds) passed++;
  else failures.push(`${what}: ${detail}`);
  return holds;
}

/** The tables of results.md say what was found. */
function checkPage(tables) {
  const [begin, end] = ["<!-- test:clients -->\n", "<!-- /test:clients -->"];
  const text = readFileSync(page, "utf8");
  const [before, rest] = text.split(begin);
  const [, after] = (rest ?? "").split(end);
  const renewed = `${before}${begin}${tables}${end}${after}`;
  if (process.argv.includes("--write")) writeFileSync(page, renewed);
  else check("results.md has the tables of this run", text === renewed, "npm run test:clients -- --write renews them");
}

/** The interpreter of an environment of its own, made once. */
/** Every session of every exchange, as exchange_calendars has them. */
function compareCalendars() {
  const days = execFileSync(python, [join(here, "calendars.py"), "days"], { maxBuffer: 1e9 });
  const lines = days.toString().trim().split("\n");
  check("there are calendars of 63 exchanges", lines.length === 63, `${lines.length}`);
  for (const line of lines) {
    const { code, sessions } = JSON.parse(line);
    const found = arrowbook.sessions(code).toArray();
    const texts = found.map(({ date, close, early }) => `${date} ${close}${early ? " early" : ""}`);
    const at = sessions.findIndex((text, i) => text !== texts[i]);
    const why = at === -1 ? `${texts.length} sessions` : `${texts[at]} where ${sessions[at]}`;
    check(`the sessions of ${code}`, at === -1 && texts.length === sessions.length, why);
  }
}

function preparePython(folder, requirements) {
  const own = join(here, folder, "bin/python");
  const wanted = join(here, requirements);
  const done = join(here, folder, "installed");
  if (existsSync(done) && statSync(done).mtimeMs > statSync(wanted).mtimeMs) return own;
  try {
    execFileSync("python3", ["-m", "venv", "--clear", join(here, folder)], { stdio: "inherit" });
  } catch {
    fail("test:clients lacks Python 3.11 or later with venv: apt-get install -y python3 python3-venv");
  }
  try {
    execFileSync(own, ["-m", "pip", "install", "-q", "--disable-pip-version-check", "-r", wanted], {
      stdio: "inherit",
    });
  } catch {
    fail(
      `test:clients cannot install its Python packages: pip needs a package index (see test/clients/${requirements})`,
    );
  }
  writeFileSync(done, "");
  return own;
}

function prepareNpm() {
  if (existsSync(join(here, "node_modules/quandl"))) return;
  try {
    execFileSync("npm", ["ci", "--prefix", here, "--ignore-scripts", "--no-audit"], { stdio: "inherit" });
  } catch {
    fail("test:clients lacks its npm client: npm ci --prefix test/clients");
  }
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
