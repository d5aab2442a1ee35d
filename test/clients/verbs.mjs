// Verbs beside pandas and polars: random tables of nulls, NaN, infinities and batches of any size, cell by cell.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
/** Every fortieth has more than 65,536 rows. */
const TABLES = Number(process.env.ARROWBOOK_TABLES ?? 60);

/** Compares each verb with both libraries; `check` takes what was compared, whether it holds, and why not. */
export async function compareVerbs(python, { Frame }, check) {
  const child = spawn(python, [join(here, "verbs.py")], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const found = new Map();
  for (let seed = 1; seed <= TABLES; seed++) {
    child.stdin.write(`${seed}\n`);
    const { value, done } = await lines.next();
    if (done) throw new Error(`verbs.py ended at table ${seed}; its message is above.`);
    const { folder, params, made } = JSON.parse(value);
    const frame = await Frame.fromArrow(join(folder, "table.arrow"));
    const ours = new Map();
    for (const [library, verb] of made) {
      const name = `${library}: ${verb}`;
      if (found.get(name) !== undefined) continue;
      if (!ours.has(verb)) ours.set(verb, VERBS[verb](frame, params, Frame));
      const theirs = await Frame.fromArrow(join(folder, `${library}.${verb}.arrow`));
      const why = differenceOf(ours.get(verb), theirs, BOUNDS[name] ?? 1e-9);
      found.set(name, why && `table ${seed}, ${why}`);
    }
    child.stdin.write("\n");
  }
  child.stdin.end();
  for (const [name, why] of found) check(name, why === undefined, why);
  for (const verb of Object.keys(VERBS))
    check(
      `${verb} is compared`,
      [...found.keys()].some((name) => name.endsWith(`: ${verb}`)),
    );
}

// The windows of pandas keep the rounding of what has left them.
const BOUNDS = Object.fromEntries(
  ["std", "var", "cov", "corr", "beta", "cov of days"].map((word) => [`pandas: rolling ${word}`, 1e-6]),
);

const ALL = { on: "day", by: [] };
const Y = { ...ALL, columns: "y" };
const BY_KEY = { on: "day", by: "key", columns: "y" };
const AGGREGATES = {
  n: ["count", "sum"],
  d: ["sum", "min", "max"],
  y: ["mean", "std", "var", "median", "first", "last", "nunique"],
  day: ["min", "max"],
  word: ["min", "max"],
};

const everySecond = (frame) => frame.take(Array.from({ length: Math.ceil(frame.numRows / 2) }, (_, i) => 2 * i));
const everyThird = (frame, from = 0) =>
  frame.take(Array.from({ length: Math.ceil(Math.max(0, frame.numRows - from) / 3) }, (_, i) => from + 3 * i));
const joined = (how, on) => (frame) => {
  const right = everySecond(frame)
    .select("row", ...on)
    .rename({ row: "mate" });
  const found = frame.select("row", ...on).join(right, { on, how });
  return how === "semi" || how === "anti" ? found : found.select("row", ...on, "mate").sort("row", "mate");
};
const asof = (options) => (frame, params) =>
  frame.select("day", "n").asof(everyThird(frame, 1).select("day", "y"), { ...ALL, ...options(params) });
const withPrice = (frame) => frame.with({ p: frame.column("y").abs().add(1) });
const P = { ...ALL, columns: "p" };
const rolling =
  (word) =>
  (frame, { size, least }) =>
    frame.rolling(size, word, { ...Y, minPeriods: least }).select("y");
const rollingPair =
  (word) =>
  (frame, { size, least }) =>
    frame.rolling(size + 1, word, { ...Y, with: "n", minPeriods: Math.max(2, least) }).select("y");
const collapsed = (frequency) => (frame) =>
  frame
    .select("day", "n", "y", "d")
    .with({ x: frame.column("y") })
    .collapse(frequency, { ...ALL, value: { n: "sum", y: "mean", d: "last", x: "first" } });
const known = (frame) => frame.select("day", "y").dropNulls("y");
const above = (frame) => frame.select("day", "y").filter(frame.column("y").gt(0));

const VERBS = {
  filter: (frame) => frame.filter(frame.column("n").gt(0)),
  "filter by text": (frame) => frame.filter(frame.column("word").startsWith("w1")),
  sort: (frame) => frame.sort(["x", "desc"], "n"),
  "sort by text": (frame) => frame.sort("key", ["d", "desc"]),
  "sort by time": (frame) => frame.sort(["at", "desc"]),
  take: (frame, { places }) => frame.take(places),
  head: (frame, { size }) => frame.head(size),
  tail: (frame, { size }) => frame.tail(size),
  slice: (frame, { from }) => frame.slice(from, -1),
  concat: (frame, { from }, Frame) => Frame.concat([frame, frame.slice(from), frame]),
  unique: (frame) => frame.unique("key"),
  "unique of two": (frame) => frame.unique("word", "b"),
  "unique decimals": (frame, _, Frame) => Frame.fromColumns({ d: frame.column("d").unique() }),
  dropNulls: (frame) => frame.dropNulls(),
  "dropNulls of two": (frame) => frame.dropNulls("n", "key"),
  valueCounts: (frame) => frame.valueCounts("key"),
  groupBy: (frame) => frame.groupBy("key").agg(AGGREGATES),
  "groupBy days": (frame) => frame.groupBy("at").agg(AGGREGATES).drop("at"),
  "groupBy two": (frame) => frame.groupBy("word", "b").agg({ n: "sum", y: "max" }),
  "groupBy head": (frame) => frame.groupBy("key").head(2),
  "join inner": joined("inner", ["key"]),
  "join left": joined("left", ["key"]),
  "join right": joined("right", ["key"]),
  "join outer": joined("outer", ["key"]),
  "join semi": joined("semi", ["key", "b"]),
  "join anti": joined("anti", ["key", "b"]),
  "join of two": joined("inner", ["word", "n"]),
  "join cross": (frame) =>
    frame.select("row").join(everySecond(frame).select("row").rename({ row: "mate" }), { how: "cross" }),
  asof: asof(() => ({})),
  "asof forward": asof(() => ({ direction: "forward" })),
  "asof nearest": asof(() => ({ direction: "nearest" })),
  "asof within days": asof(({ days }) => ({ tolerance: days })),
  "asof not the same": asof(() => ({ exact: false })),
  "asof by key": (frame) => {
    const whole = frame.dropNulls("key");
    return whole.select("day", "key", "n").asof(everyThird(whole).select("day", "key", "y"), { on: "day", by: "key" });
  },
  pivot: (frame) => frame.dropNulls("key", "b").pivot({ index: "key", columns: "b", values: "n", agg: "sum" }),
  unpivot: (frame) => frame.select("day", "n", "row").unpivot({ index: "day", columns: "name", values: "value" }),
  quantile: (frame, { q }, Frame) => figures(Frame, { q: frame.quantile("y", q) }),
  corr: (frame, _, Frame) => figures(Frame, { r: frame.corr("y", "row") }),
  "corr of ranks": (frame, _, Frame) => figures(Frame, { r: frame.corr("y", "n", "spearman") }),
  describe: (frame, _, Frame) => {
    const rows = frame.describe("y").toArray();
    const found = Object.fromEntries(rows.map(({ statistic, y }) => [statistic, y]));
    return figures(
      Frame,
      Object.fromEntries(["count", "mean", "std", "min", "max"].map((name) => [name, found[name]])),
    );
  },
  shift: (frame, { steps }) =>
    frame
      .with({ day2: frame.column("day") })
      .shift(steps, { ...ALL, columns: ["d", "x", "word", "day2", "b"] })
      .select("d", "x", "word", "day2", "b"),
  "shift by key": (frame) => frame.shift(1, BY_KEY).select("y"),
  diff: (frame, { steps }) => frame.diff(steps, { ...ALL, columns: "d" }).select("d"),
  "diff of numbers": (frame) => frame.diff(2, { ...ALL, columns: "n" }).select("n"),
  pctChange: (frame) => withPrice(frame).pctChange(1, P).select("p"),
  returns: (frame) => withPrice(frame).returns(P).select("p"),
  "returns of logarithms": (frame) =>
    withPrice(frame)
      .returns({ ...P, kind: "log" })
      .select("p"),
  cumsum: (frame) => frame.cumsum(Y).select("y"),
  cumprod: (frame) =>
    frame
      .with({ y: frame.column("y").div(1e5).add(1) })
      .cumprod(Y)
      .select("y"),
  cummax: (frame) => frame.cummax({ ...ALL, columns: "x" }).select("x"),
  "cummin by key": (frame) => frame.cummin(BY_KEY).select("y"),
  drawdown: (frame) => withPrice(frame).drawdown(P).select("p"),
  "fill forward": (frame, { size }) =>
    frame.fill("forward", { ...ALL, columns: ["x", "word", "d"], limit: size }).select("x", "word", "d"),
  "fill backward": (frame) => frame.fill("backward", { ...ALL, columns: ["x", "word", "d"] }).select("x", "word", "d"),
  "fill by key": (frame) => frame.fill("forward", BY_KEY).select("y"),
  "fill with a number": (frame) => frame.fill(4.5, Y).select("y"),
  ewm: (frame, { alpha }) => frame.ewm({ ...Y, alpha }).select("y"),
  "ewm not adjusted": (frame, { size }) => known(frame).ewm({ ...Y, span: size, adjust: false }),
  "ewm not adjusted over nulls": (frame, { size }) => frame.ewm({ ...Y, span: size, adjust: false }).select("y"),
  "ewm without nulls": (frame, { size }) => frame.ewm({ ...Y, halflife: size, ignoreNulls: true }).select("y"),
  "ewm std": (frame, { size }) => frame.ewm({ ...Y, com: size }, "std").select("y"),
  "rolling mean": rolling("mean"),
  "rolling sum": rolling("sum"),
  "rolling min": rolling("min"),
  "rolling max": rolling("max"),
  "rolling std": rolling("std"),
  "rolling var": rolling("var"),
  "rolling median": rolling("median"),
  "rolling cov": rollingPair("cov"),
  "rolling corr": rollingPair("corr"),
  "rolling beta": rollingPair("beta"),
  "rolling cov of days": (frame, { days }) =>
    frame.rolling(days, "cov", { ...Y, with: "n", unit: "days", minPeriods: 2 }).select("y"),
  "rolling vwap": (frame, { size, least }) =>
    frame
      .with({ n: frame.column("n").abs() })
      .rolling(size, "vwap", { ...Y, weights: "n", minPeriods: least })
      .select("y"),
  "rolling wma": (frame, { size }) => known(frame).rolling(size, "wma", Y),
  "ewm cov": (frame, { alpha }) =>
    frame
      .dropNulls("y", "n")
      .ewm({ ...Y, with: "n", alpha }, "cov")
      .select("y"),
  "ewm corr": (frame, { size }) =>
    frame
      .dropNulls("y", "n")
      .ewm({ ...Y, with: "n", com: size }, "corr")
      .select("y"),
  "rolling count": (frame, { size }) => frame.rolling(size, "count", { ...Y, minPeriods: 0 }).select("y"),
  "rolling days": (frame, { days }) => frame.rolling(days, "mean", { ...Y, unit: "days" }).select("y"),
  "rolling max of days": (frame, { days }) => frame.rolling(days, "max", { ...Y, unit: "days" }).select("y"),
  "rolling by key": (frame, { size, least }) =>
    frame.rolling(size, "mean", { ...BY_KEY, minPeriods: least }).select("y"),
  "collapse weekly": collapsed("weekly"),
  "collapse monthly": collapsed("monthly"),
  "collapse quarterly": collapsed("quarterly"),
  "collapse annual": collapsed("annual"),
  resample: (frame) => frame.select("day", "y").resample("monthly", { ...ALL, value: "sum" }),
  "resample to days": (frame) => frame.select("day", "y").resample("daily", { ...ALL, gaps: "forward" }),
  "transform diff": (frame) => known(frame).transform("diff", ALL),
  "transform cumul": (frame) => known(frame).transform("cumul", ALL),
  "transform rdiff": (frame) => above(frame).transform("rdiff", ALL),
  "transform normalize": (frame) => above(frame).transform("normalize", ALL),
  "columns: arithmetic": (frame, _, Frame) => {
    const [n, d, y, row] = ["n", "d", "y", "row"].map((name) => frame.column(name));
    return Frame.fromColumns({
      add: n.add(row),
      sub: d.sub(n),
      mul: d.mul(n),
      div: y.div(row.add(1)),
      neg: d.neg(),
      abs: d.abs(),
      round: d.round(2),
      floor: d.floor(),
    });
  },
  "columns: comparisons": (frame, _, Frame) => {
    const [n, d, row, key, word] = ["n", "d", "row", "key", "word"].map((name) => frame.column(name));
    return Frame.fromColumns({
      eq: n.eq(row),
      ne: n.ne(5),
      lt: d.lt(n),
      le: key.le(word),
      gt: n.gt(row),
      ge: d.ge(n),
      between: n.between(-300, 400),
      isIn: key.isIn(["a", "é", "none"]),
    });
  },
  "columns: logic": (frame, _, Frame) => {
    const [b, n, word] = ["b", "n", "word"].map((name) => frame.column(name));
    return Frame.fromColumns({ and: b.and(n.gt(0)), or: b.or(n.gt(0)), not: b.not(), isNull: word.isNull() });
  },
  "columns: text and dates": (frame, _, Frame) => {
    const [n, day, word] = ["n", "day", "word"].map((name) => frame.column(name));
    return Frame.fromColumns({
      fillNull: word.fill("none"),
      contains: word.contains("1"),
      startsWith: word.startsWith("w1"),
      year: day.year(),
      month: day.month(),
      weekday: day.weekday(),
      cast: n.cast("String"),
    });
  },
  "columns: figures": (frame, _, Frame) => {
    const [key, d, y] = ["key", "d", "y"].map((name) => frame.column(name));
    const exact = { decimals: "string" };
    const numbers = figures(Frame, { mean: y.mean(), std: y.std(), nunique: key.nunique() });
    const texts = { sum: d.sum(exact), min: d.min(exact), max: key.max() };
    const types = { sum: "BigDecimal(38,4)", min: "BigDecimal(38,4)", max: "String" };
    const all = numbers.with(Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, [text]])), types);
    return all.select("mean", "sum", "min", "max", "std", "nunique");
  },
};

/** One row of numbers. */
const figures = (Frame, numbers) =>
  Frame.fromColumns(
    Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, [value]])),
    Object.fromEntries(Object.keys(numbers).map((name) => [name, "double"])),
  );

function differenceOf(ours, theirs, bound) {
  const names = ours.columns.map(({ name }) => name);
  const others = theirs.columns.map(({ name }) => name);
  if (names.join() !== others.join()) return `columns ${names} where ${others}`;
  if (ours.numRows !== theirs.numRows) return `${ours.numRows} rows where ${theirs.numRows}`;
  for (const [i, { name, type }] of ours.columns.entries()) {
    const areDoubles = [type, theirs.columns[i].type].some((one) => /^(double|float)$/i.test(one));
    const cells = (frame) => (areDoubles ? [...frame.column(name).toNumbers()] : frame.column(name).toStrings());
    const [a, b] = [cells(ours), cells(theirs)];
    for (let row = 0; row < a.length; row++) {
      const isSame = areDoubles ? isNear(a[row], b[row], bound) : isEqual(a[row], b[row]);
      if (!isSame) return `${name}, row ${row}: ${a[row]} where ${b[row]}`;
    }
  }
  return undefined;
}

const isNear = (a, b, bound) =>
  a === b || (Number.isNaN(a) && Number.isNaN(b)) || Math.abs(a - b) <= bound * Math.max(1, Math.abs(a), Math.abs(b));

/** Exactly equal: decimals and times may have other numbers of zeros at their ends. */
const isEqual = (a, b) => a === b || (a !== null && b !== null && shortest(a) === shortest(b));

const shortest = (text) =>
  /^[-\dT:Z.]+$/.test(text) ? text.replace(/(\.\d*?)0+(?=Z?$)/, "$1").replace(/\.(?=Z?$)/, "") : text;
