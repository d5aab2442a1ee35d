// npm run fuzz -- --minutes N [target …]         runs each target (default: all) for N minutes, one after the other
// npm run fuzz -- --seed S target                runs one seed and keeps its input
// Every target runs in a child process of its own, so that a hang or an exhausted memory is a finding and not the end.
import { fork } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { rolldown } from "rolldown";
import { assemblyScript } from "../../.config/assemblyscript.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const built = join(here, "../../node_modules/.cache/fuzz");

/** An input that keeps the child from its next one for so long is a hang. */
const HANG_SECONDS = 60;
/** All methods on one long table take a minute. */
const LONG_TARGETS = { verbs: 300 };
/** A target with so many findings is stopped. */
const MAX_FAILURES = 20;

const known = readdirSync(join(here, "targets")).map((file) => file.replace(/\.ts$/, ""));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { minutes: { type: "string", default: "1" }, seed: { type: "string" }, from: { type: "string" } },
});
const minutes = Number(values.minutes);
const names = positionals.length > 0 ? positionals : known;
for (const name of names) if (!known.includes(name)) stop(`There is no target ${name}; there are ${known.join(", ")}.`);
if (!(minutes > 0)) stop(`--minutes expects a number above 0; got ${values.minutes}.`);
if (values.seed !== undefined && names.length !== 1) stop("--seed expects one target.");

mkdirSync(built, { recursive: true });
await build();
const results = [];
for (const name of names) results.push(values.seed === undefined ? await fuzz(name) : await once(name));
console.table(results.map(({ failures, ...figures }) => ({ ...figures, failures: failures.length })));
for (const { target, failures } of results) {
  for (const { seed, kind, message, file } of failures) {
    console.error(`\n${target}, seed ${seed}, ${kind}: ${message.slice(0, 2000)}\n  input: ${file}`);
    console.error(`  again: npm run fuzz -- --seed ${seed} ${target}`);
  }
}
process.exitCode = results.some(({ failures }) => failures.length > 0) ? 1 : 0;

function stop(message) {
  console.error(message);
  process.exit(2);
}

/** The targets and what they import from the project, as JavaScript. */
async function build() {
  const bundle = await rolldown({
    input: {
      child: join(here, "child.ts"),
      ...Object.fromEntries(names.map((name) => [`target-${name}`, join(here, `targets/${name}.ts`)])),
    },
    platform: "node",
    external: (id) => !id.startsWith(".") && !id.startsWith("/"),
    plugins: [assemblyScript()],
    checks: { pluginTimings: false },
  });
  await bundle.write({ dir: built, format: "esm", entryFileNames: "[name].mjs", chunkFileNames: "shared/[name].mjs" });
  await bundle.close();
}

/** Runs a target until its time is over, from one child to the next where one hangs, dies or fills its memory. */
async function fuzz(name) {
  const until = Date.now() + minutes * 60_000;
  const total = newTotal(name);
  let first = Number(values.from ?? Date.now() % 1_000_000_000);
  console.log(`${name}: seeds from ${first}`);
  while (Date.now() < until && total.failures.length < MAX_FAILURES) {
    const end = await run({ name, first, last: Number.MAX_SAFE_INTEGER, until }, total);
    if (end.failure !== undefined && (await isReal(name, end.failure))) await keep(name, total, end.failure);
    first = end.seed + 1;
  }
  return { ...total, minutes };
}

/** One seed alone. */
async function once(name) {
  const total = newTotal(name);
  const seed = Number(values.seed);
  const end = await run({ name, first: seed, last: seed, until: Number.MAX_SAFE_INTEGER }, total);
  const failure = end.failure ?? total.failures.shift();
  const file = await save(name, seed);
  if (failure !== undefined) total.failures.push({ ...failure, file });
  else console.log(`seed ${seed} is handled as it should; its input: ${file}`);
  return total;
}

/** Memory adds up over inputs, and a busy machine slows all of them: a finding is one that shows again alone. */
async function isReal(name, { kind, seed }) {
  if (kind !== "memory" && kind !== "hang") return true;
  const end = await run({ name, first: seed, last: seed, until: Number.MAX_SAFE_INTEGER }, newTotal(name));
  return end.failure !== undefined;
}

function newTotal(target) {
  return {
    target,
    inputs: 0,
    megabytes: 0,
    read: 0,
    refused: 0,
    slowest: 0,
    peak: 0,
    failures: [],
  };
}

async function keep(name, total, failure) {
  if (total.failures.length >= MAX_FAILURES) return;
  total.failures.push({ ...failure, file: await save(name, failure.seed) });
  console.log(`${name}: seed ${failure.seed}: ${failure.kind}: ${failure.message.split("\n")[0].slice(0, 200)}`);
}

/** Writes the input of a seed to a file. */
async function save(name, seed) {
  const file = join(built, `${name}-${seed}.bin`);
  await run({ name, first: seed, last: seed, until: Number.MAX_SAFE_INTEGER, save: file }, newTotal(name));
  return file;
}

/** One child, from its first seed to its last or to a finding that ends it. */
function run({ name, ...order }, total) {
  const seedFile = join(built, `${name}.seed`);
  const target = pathToFileURL(join(built, `target-${name}.mjs`)).href;
  const child = fork(join(built, "child.mjs"), [JSON.stringify({ ...order, target, seedFile })], {
    execArgv: ["--max-old-space-size=1024", "--enable-source-maps"],
    env: { ...process.env, TZ: "America/Los_Angeles" },
  });
  const hangSeconds = LONG_TARGETS[name] ?? HANG_SECONDS;
  let end = { seed: order.last };
  const found = [];
  let heard = Date.now();
  let lastSeed = -1;
  const currentSeed = () => {
    try {
      return readFileSync(seedFile).readDoubleLE(0);
    } catch {
      return order.first;
    }
  };
  const watch = setInterval(() => {
    const seed = currentSeed();
    if (seed !== lastSeed) {
      lastSeed = seed;
      heard = Date.now();
    } else if (Date.now() - heard > hangSeconds * 1000) {
      end = { seed, failure: { seed, kind: "hang", message: `no end after ${hangSeconds} s` } };
      child.kill("SIGKILL");
    }
  }, 500);
  child.on("message", ({ tally, seed, peak, overMemory }) => {
    total.inputs += tally.inputs;
    total.megabytes = Math.round((total.megabytes + tally.bytes / 1e6) * 1000) / 1000;
    total.read += tally.read;
    total.refused += tally.refused;
    total.slowest = Math.max(total.slowest, Math.round(tally.slowest));
    total.peak = Math.max(total.peak, Math.round(peak));
    found.push(...tally.failures);
    end = { seed, failure: overMemory };
  });
  return new Promise((resolve) => {
    child.on("exit", async (code, signal) => {
      clearInterval(watch);
      if (code !== 0 && end.failure === undefined) {
        const seed = currentSeed();
        end = { seed, failure: { seed, kind: "crash", message: `the process ended with ${signal ?? code}` } };
      }
      if (order.last === order.first) total.failures.push(...found);
      else for (const failure of found) await keep(name, total, failure);
      resolve(end);
    });
  });
}
