import { Float16 } from "apache-arrow";
import fc from "fast-check";
import {
  DateDay,
  Dictionary,
  Float32,
  Float64,
  Int32,
  makeData,
  Table,
  Utf8,
  Vector,
  vectorFromArray,
} from "../../src/columns/arrow/arrow.js";
import { Column, Frame } from "../../src/index.js";

/** A cell of the tables: NaN stands for a value that is either NaN or null. */
interface Row {
  readonly date: number;
  readonly g: string;
  readonly k: number;
  readonly x: number;
  readonly y: number;
  readonly n: number;
}

type Layout = "double" | "float" | "half";
const FLOATS = { double: new Float64(), float: new Float32(), half: new Float16() };

/** The rows as a frame, each missing double as NaN or as null (`missing` says which, by place). */
function frameOf(rows: readonly Row[], missing: (place: number) => boolean, layout: Layout, names = "kxy"): Made {
  let place = 0;
  const doubles = (name: "k" | "x" | "y") =>
    vectorFromArray(
      rows.map((row) => (Number.isNaN(row[name]) && missing(place++) ? null : row[name])),
      FLOATS[layout],
    );
  const days = Int32Array.from(rows, ({ date }) => date);
  const table = new Table({
    date: new Vector([makeData({ type: new DateDay(), data: days, length: days.length })]),
    g: vectorFromArray(
      rows.map(({ g }) => g),
      new Dictionary(new Utf8(), new Int32()),
    ),
    k: doubles("k"),
    x: doubles("x"),
    y: doubles("y"),
    n: vectorFromArray(
      rows.map(({ n }) => n),
      new Int32(),
    ),
  });
  return Frame.from(table).select("date", "g", "n", ...([...names] as never[])) as never;
}

/** Cells as text; NaN is null, infinities are not. */
const shown = (value: unknown): string =>
  JSON.stringify(value, (_, cell) =>
    typeof cell === "bigint"
      ? `${cell}n`
      : typeof cell === "number" && Number.isNaN(cell)
        ? null
        : cell === Number.POSITIVE_INFINITY || cell === Number.NEGATIVE_INFINITY
          ? String(cell)
          : Object.is(cell, -0)
            ? 0
            : cell,
  );
const resultOf = (act: () => unknown): string => {
  try {
    const value = act();
    if (value instanceof Frame) return shown([value.columns, value.toArray()]);
    if (value instanceof Column) return shown([value.type, value.toArray()]);
    return shown(value);
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code === undefined) throw error;
    return `${code}: ${message}`;
  }
};

type Made = Frame<{
  date: string;
  g: string;
  k: number | null;
  x: number | null;
  y: number | null;
  n: number;
}>;
type Verb = (frame: Made, other: Made) => unknown;
const AGGREGATES = ["last", "first", "mean", "sum", "min", "max", "count", "std", "var", "median", "nunique", "list"];
const all = { x: [...AGGREGATES, { quantile: 0.3 }] } as never;

/** Every verb and column method in which a missing double takes part. */
export const verbs: Record<string, Verb> = {
  "groupBy text": (frame) => frame.groupBy("g").agg(all),
  "groupBy doubles": (frame) => frame.groupBy("k").agg(all),
  "groupBy both": (frame) => frame.groupBy("g", "k").agg(all),
  "groupBy count": (frame) => frame.groupBy("k").count(),
  "groupBy head": (frame) => frame.groupBy("k").head(1),
  "unique of doubles": (frame) => frame.unique("k"),
  "unique of all": (frame) => frame.drop("date", "n").unique(),
  "sort up": (frame) => frame.sort("x", "y"),
  "sort down": (frame) => frame.sort(["x", "desc"], "k"),
  dropNulls: (frame) => frame.dropNulls(),
  "dropNulls of one": (frame) => frame.dropNulls("x"),
  "fill forward": (frame) => frame.fill("forward", { by: [], columns: ["x", "y"] }),
  "fill backward": (frame) => frame.fill("backward", { by: "g", limit: 1 }),
  "fill value": (frame) => frame.fill(0, { columns: "x" }),
  collapse: (frame) => frame.collapse("weekly", { by: "g" }),
  "collapse of one column": (frame) => frame.select("date", "g", "x").collapse("monthly", { by: "g" }),
  "collapse first": (frame) => frame.collapse("monthly", { by: "g", value: "first" }),
  "collapse ohlc": (frame) =>
    frame.select("date", "g", "x").collapse("monthly", { by: "g", value: { x: "ohlc" } as never }),
  "collapse count": (frame) => frame.collapse("weekly", { by: "g", value: "count" }),
  "resample forward": (frame) => frame.resample("weekly", { by: "g", gaps: "forward" }),
  "resample null": (frame) => frame.resample("daily", { by: "g" }),
  query: (frame) => frame.select("date", "x").query({ column: "x", collapse: "monthly", transform: "diff" } as never),
  join: (frame, other) => frame.join(other, { on: "k" as never }),
  "left join": (frame, other) => frame.join(other, { on: "k" as never, how: "left" }),
  "outer join": (frame, other) => frame.join(other, { on: ["g", "k"] as never, how: "outer" }),
  "right join": (frame, other) => frame.join(other, { on: "k" as never, how: "right" }),
  "anti join": (frame, other) => frame.join(other, { on: "k" as never, how: "anti" }),
  "semi join": (frame, other) => frame.join(other, { on: "k" as never, how: "semi" }),
  "align on doubles": (frame, other) => Frame.align([frame, other], { on: "k" }),
  "align inner": (frame, other) => Frame.align([frame, other], { on: ["k", "g"], how: "inner" }),
  asof: (frame, other) =>
    frame.select("date", "g").asof(other.rename({ x: "z" } as never) as never, { by: "g" } as never),
  "asof by doubles": (frame, other) => frame.asof(other.rename({ x: "z" } as never) as never, { by: "k" } as never),
  "pivot of doubles": (frame) => frame.pivot({ index: "g", columns: "k", values: "x", agg: "last" as never } as never),
  "pivot by doubles": (frame) => frame.pivot({ index: "k", columns: "g", values: "x", agg: "count" as never } as never),
  unpivot: (frame) => frame.unpivot({ index: ["date", "g"], of: ["x", "y"] } as never),
  "unpivot as text": (frame) =>
    frame.cast({ x: "String", n: "String" } as never).unpivot({ index: "date", of: ["g", "x"] } as never),
  describe: (frame) => frame.describe("x", "y"),
  info: (frame) => frame.info(),
  corr: (frame) => frame.corr(["x", "y"]),
  spearman: (frame) => frame.corr("x", "y", "spearman"),
  quantile: (frame) => frame.quantile("x", 0.25),
  concat: (frame, other) => Frame.concat([frame, other]).unique("k"),
  cumsum: (frame) => frame.cumsum({ columns: ["x", "y"], by: "g" }),
  cumprod: (frame) => frame.cumprod({ columns: "x", by: [] }),
  cummax: (frame) => frame.cummax({ columns: "x", by: "g" }),
  cummin: (frame) => frame.cummin({ columns: "x", by: "k" }),
  drawdown: (frame) => frame.drawdown({ columns: "x", by: "g" }),
  shift: (frame) => frame.shift(1, { columns: "x", by: "g" }),
  diff: (frame) => frame.diff(1, { columns: "x", by: "g" }),
  pctChange: (frame) => frame.pctChange(1, { columns: "x", by: "g" }),
  returns: (frame) => frame.returns({ columns: "x", by: [], kind: "log" }),
  "ewm mean": (frame) => frame.ewm({ alpha: 0.3, columns: "x", by: "g" }),
  "ewm std": (frame) => frame.ewm({ alpha: 0.3, columns: "x", by: [] }, "std"),
  "ewm corr": (frame) => frame.ewm({ alpha: 0.3, columns: "x", with: "y", by: "g" }, "corr"),
  "ewm cov": (frame) => frame.ewm({ alpha: 0.3, columns: "x", with: "y", by: [] }, "cov"),
  "rolling vwap": (frame) => frame.rolling(3, "vwap", { columns: "x", weights: "y", by: "g", minPeriods: 1 }),
  "rolling wma": (frame) => frame.rolling(3, "wma", { columns: "x", by: "g", minPeriods: 1 }),
  "filter by a comparison": (frame) => frame.filter(frame.column("x").gt(1)),
  "filter by not": (frame) => frame.filter(frame.column("x").eq(1).not()),
  "filter by ne": (frame) => frame.filter(frame.column("x").ne(1)),
  "filter by null": (frame) => frame.filter(frame.column("x").isNull()),
};
for (const name of ["diff", "rdiff", "rdiff_from", "cumul", "normalize"] as const) {
  verbs[`transform ${name}`] = (frame) => frame.transform(name, { columns: "x", by: "g" });
}
for (const name of ["mean", "sum", "min", "max", "std", "var", "median", "count"] as const) {
  verbs[`rolling ${name}`] = (frame) => frame.rolling(3, name, { columns: "x", by: "g", minPeriods: 1 });
}
for (const name of ["cov", "corr", "beta"] as const) {
  verbs[`rolling ${name}`] = (frame) => frame.rolling(3, name, { columns: "x", with: "y", by: "g", minPeriods: 2 });
}

const X = "x" as const;
const columns: Record<string, (x: Column<number | null>, y: Column<number | null>) => unknown> = {
  isNull: (x) => x.isNull(),
  "fill of a column's nulls": (x) => x.fill(7),
  "fill by a column": (x, y) => x.fill(y),
  "fill by NaN": (x) => x.fill(Number.NaN),
  nullCount: (x) => x.nullCount,
  mean: (x) => x.mean(),
  sum: (x) => x.sum(),
  std: (x) => x.std(),
  min: (x) => x.min(),
  max: (x) => x.max(),
  nunique: (x) => x.nunique(),
  unique: (x) => x.unique(),
  isIn: (x) => x.isIn([1, 2]),
  "isIn with NaN": (x) => x.isIn([1, Number.NaN]),
  "isIn with null": (x) => x.isIn([1, null]),
  between: (x) => x.between(0, 2),
  "between columns": (x, y) => x.between(y, 3),
  "and of comparisons": (x, y) => x.gt(0).and(y.gt(0)),
  "or of comparisons": (x, y) => x.gt(0).or(y.gt(0)),
  "cast to text": (x) => x.cast("String"),
  "cast to integers": (x) => x.round().cast("Integer"),
  "cast to decimals": (x) => x.cast("BigDecimal(20,4)"),
  add: (x, y) => x.add(y),
  sub: (x) => x.sub(1),
  mul: (x, y) => x.mul(y),
  div: (x) => x.div(2),
  neg: (x) => x.neg(),
  abs: (x) => x.abs(),
  round: (x) => x.round(),
  floor: (x) => x.floor(),
  toNumbers: (x) => Array.from(x.toNumbers()),
};
for (const how of ["eq", "ne", "lt", "le", "gt", "ge"] as const) {
  columns[how] = (x) => x[how](1);
  columns[`${how} of columns`] = (x, y) => x[how](y);
  columns[`${how} NaN`] = (x) => x[how](Number.NaN);
}
for (const [name, act] of Object.entries(columns))
  verbs[`column: ${name}`] = (frame) => act(frame.column(X), frame.column("y"));

const value = fc.constantFrom(Number.NaN, Number.NaN, 0, 1, 2, -1.5, 3.25, Number.POSITIVE_INFINITY);
const row = fc.record({
  date: fc.integer({ min: 0, max: 3 }),
  g: fc.constantFrom("a", "b"),
  k: fc.constantFrom(Number.NaN, 0, 1, 2),
  x: value,
  y: value,
  n: fc.integer({ min: 0, max: 3 }),
});
/** Dates rise by up to two weeks, so that no series repeats one. */
const table = fc.array(row, { minLength: 1, maxLength: 14 }).map((rows) => {
  let day = 19_000;
  return rows.map((one) => {
    day += one.date * 5 + 1;
    return { ...one, date: day };
  });
});

/** Rows, other rows, which missing values are NaN in the third layout, and the type of the doubles. */
export const tables = fc.tuple(
  table,
  table,
  fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
  fc.constantFrom<Layout>("double", "double", "float", "half"),
);

/** Throws unless a verb has one result for missing values as NaN, as null, and as a mixture of both. */
export function check(
  name: string,
  [rows, others, mixed, layout]: typeof tables extends fc.Arbitrary<infer T> ? T : never,
): void {
  const [nan, ...rest] = [() => false, () => true, (place: number) => mixed[place % 8]].map((missing) =>
    resultOf(() => verbs[name](frameOf(rows, missing, layout), frameOf(others, missing, layout, "kx"))),
  );
  for (const result of rest) if (result !== nan) throw new Error(`${name}: ${nan} with NaN, ${result} with nulls`);
}
