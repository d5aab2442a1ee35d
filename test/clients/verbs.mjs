// Verbs beside pandas: random tables of nulls, NaN, infinities and batches of any size, cell by cell.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const TABLES = 120;
const DAY_MS = 86_400_000;
const TYPES = { day: "Date", key: "String", n: "Integer", x: "double" };
// No larger ones: the windows of pandas keep the rounding of what has left them.
const DOUBLES = [0, 1, -1, 0.1, 1.5, -2.25, 285.25, 99.99, 1e3, -1e3, Infinity, -Infinity, NaN];

/** Compares each verb on random tables with pandas; `check` takes what was compared, whether it holds, and why not. */
export async function comparePandas(python, { Frame }, check) {
  const pandas = spawn(python, [join(here, "verbs.py")], { stdio: ["pipe", "pipe", "inherit"] });
  const replies = createInterface({ input: pandas.stdout })[Symbol.asyncIterator]();
  const differences = new Map();
  for (let seed = 1; seed <= TABLES; seed++) {
    const rows = randomRows(randomOf(seed));
    pandas.stdin.write(`${JSON.stringify(rows, (_, cell) => (isNamed(cell) ? String(cell) : cell))}\n`);
    const theirs = JSON.parse((await replies.next()).value);
    const frame = frameOf(Frame, rows, randomOf(seed + TABLES));
    for (const [verb, compute] of Object.entries(VERBS)) {
      if (differences.has(verb)) continue;
      const why = differenceOf(compute(frame, Frame), theirs[verb]);
      if (why !== undefined) differences.set(verb, `table ${seed}, ${why}`);
    }
  }
  pandas.stdin.end();
  for (const verb of Object.keys(VERBS)) check(`pandas: ${verb}`, !differences.has(verb), differences.get(verb));
}

const ALL = { by: [] };
const WINDOW = { ...ALL, columns: "x" };

const VERBS = {
  groupBy: (frame) =>
    frame
      .groupBy("key")
      .agg({ n: ["count", "sum"], x: ["mean", "std", "min", "max", "first", "last", "nunique"] })
      .rename(["key", "rows", "total", "mean", "std", "low", "high", "first", "last", "distinct"]),
  sort: (frame) => frame.sort(["x", "desc"], "n"),
  unique: (frame) => frame.unique("key"),
  dropNulls: (frame) => frame.dropNulls(),
  shift: (frame) => frame.shift(1, WINDOW).select("x"),
  diff: (frame) => frame.diff(1, { ...ALL, columns: "n" }).select("n"),
  cummax: (frame) => frame.cummax(WINDOW).select("x"),
  fill: (frame) => frame.fill("forward", WINDOW).select("x"),
  median: (frame) => frame.rolling(4, "median", { ...WINDOW, minPeriods: 2 }).select("x"),
  mean: (frame) => frame.rolling(3, "mean", WINDOW).select("x"),
  std: (frame) => frame.rolling(5, "std", { ...WINDOW, minPeriods: 3 }).select("x"),
  ewm: (frame) =>
    frame
      .ewm({ ...ALL, alpha: 0.3, columns: "n" })
      .select("n")
      .rename({ n: "x" }),
  left: (frame) =>
    frame.select("key", "n").join(frame.dropNulls("key").unique("key").select("key", "x"), { on: "key", how: "left" }),
  asof: (frame) => {
    const third = Array.from({ length: Math.ceil(frame.numRows / 3) }, (_, i) => 3 * i);
    return frame.select("day", "n").asof(frame.take(third).select("day", "x"), ALL);
  },
  monthly: (frame) =>
    frame
      .select("day", "n")
      .collapse("monthly", { ...ALL, value: "sum" })
      .dropNulls("n"),
};

/** Numbers that JSON cannot hold. */
const isNamed = (cell) => typeof cell === "number" && !Number.isFinite(cell);

/** Chance that a seed determines. */
function randomOf(seed) {
  let state = seed;
  return (end) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * end);
  };
}

/** Different days in ascending order, and columns with nulls. */
function randomRows(random) {
  const length = 1 + random(60);
  const nullable = (cell) => (random(6) === 0 ? null : cell);
  let day = 19_000;
  const list = (cell) => Array.from({ length }, cell);
  const nextDay = () => {
    day += 1 + random(9);
    return new Date(day * DAY_MS).toISOString().slice(0, 10);
  };
  return {
    day: list(nextDay),
    key: list(() => nullable(["a", "b", "", "é"][random(4)])),
    n: list(() => nullable(random(2_000) - 1_000)),
    x: list(() => nullable(DOUBLES[random(DOUBLES.length)])),
  };
}

/** The rows as a frame of several batches. */
function frameOf(Frame, rows, random) {
  const length = rows.day.length;
  const cut = random(length + 1);
  const part = (from, end) =>
    Frame.fromColumns(
      Object.fromEntries(Object.entries(rows).map(([name, cells]) => [name, cells.slice(from, end)])),
      TYPES,
    );
  return Frame.concat([part(0, cut), part(cut, length)]);
}

function differenceOf(ours, theirs) {
  const names = ours.columns.map(({ name }) => name);
  if (names.join() !== Object.keys(theirs).join()) return `columns ${names} where ${Object.keys(theirs)}`;
  for (const name of names) {
    const cells = ours.column(name).toArray();
    if (cells.length !== theirs[name].length) return `${name}: ${cells.length} rows where ${theirs[name].length}`;
    for (const [row, cell] of cells.entries()) {
      const other = theirs[name][row];
      if (!isSame(cell, other)) return `${name}, row ${row}: ${cell} where ${other}`;
    }
  }
  return undefined;
}

function isSame(cell, other) {
  if (cell === null || Number.isNaN(cell)) return other === null;
  if (other === null) return false;
  if (typeof cell === "string") return cell === other;
  const [a, b] = [Number(cell), Number(String(other).replace("inf", "Infinity"))];
  return a === b || Math.abs(a - b) <= 1e-7 * Math.max(1, Math.abs(a), Math.abs(b));
}
