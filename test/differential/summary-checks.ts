import { Frame } from "../../src/index.js";
import { type Canonical, canonicals, cellsOfFrame } from "./canonical.js";
import {
  at,
  type Checks,
  columnsOf,
  expectCells,
  expectFrame,
  expectNear,
  givenModels,
  modelOf,
  placesWhere,
} from "./given.js";
import { compareCells, rowsByKey } from "./order.js";
import { median, numbersOf, seriesOf } from "./series-checks.js";

/** Methods of frames that group, align and summarise. */
export const summaryChecks: Checks = {
  quantile: (given) => {
    const model = modelOf(given, "integer");
    const values = numbersOf(model).filter((one) => one !== null);
    const wanted = values.length === 0 ? null : median(values);
    expectNear([given.frame.quantile(model.name, 0.5)], [wanted], "quantile", () =>
      Math.max(0, ...values.slice(0, 50_000).map(Math.abs)),
    );
  },
  describe: (given) => {
    const model = modelOf(given, "decimal");
    const found = cellsOfFrame(given.frame.describe(model.name) as unknown as Frame);
    const figures = new Map(found["statistic"].map((name, i) => [name, found[model.name][i]]));
    const values = numbersOf(model).filter((one) => one !== null);
    expectNear([figures.get("count") as number], [values.length], "count");
    const [low, high] = [Math.min(...values.slice(0, 100_000)), Math.max(...values.slice(0, 100_000))];
    expectNear(
      [figures.get("min") as number, figures.get("max") as number],
      values.length === 0 ? [null, null] : [low, high],
      "min and max",
    );
  },
  corr: (given) => {
    const series = seriesOf(given);
    const [x, y] = [numbersOf(series.decimal, true), numbersOf(series.double)];
    const tame = y.map((value) => (value !== null && Math.abs(value) < 1e6 ? value : null));
    const largest = Math.max(Number.MIN_VALUE, ...tame.slice(0, 50_000).map((value) => Math.abs(value ?? 0)));
    const near = tame.map((value) => value && value / largest);
    const double = { ...series.double, cells: tame };
    const { frame } = givenModels([series.day, series.decimal, double], given.random);
    const rows = placesWhere(series.rows, (row) => x[row] !== null && tame[row] !== null);
    const mean = (values: readonly (number | null)[]): number =>
      rows.reduce((sum, row) => sum + (values[row] as number), 0) / rows.length;
    const [a, b] = [mean(x), mean(near)];
    let [xy, xx, yy] = [0, 0, 0];
    for (const row of rows) {
      const [dx, dy] = [(x[row] as number) - a, (near[row] as number) - b];
      xy += dx * dy;
      xx += dx * dx;
      yy += dy * dy;
    }
    const isConstant =
      new Set(rows.map((row) => x[row])).size < 2 || new Set(rows.map((row) => tame[row] || 0)).size < 2;
    expectNear([frame.corr("decimal", "double")], [isConstant ? null : xy / Math.sqrt(xx * yy)], "corr", () => 1);
  },
  groupBy: (given) => {
    const keys = [given.random.pick(given.models), given.random.pick(given.models)].slice(given.random.below(2));
    if (new Set(keys).size < keys.length) return;
    const value = modelOf(given, given.random.pick(["integer", "double", "date", "text"]));
    if (keys.includes(value)) return;
    const groups = [...rowsByKey(keys, given.rows).values()];
    const wanted = ["count", "nunique", "first", "last", "min", "max"] as const;
    const found = cellsOfFrame(
      given.frame.groupBy(...keys.map(({ name }) => name)).agg({ [value.name]: wanted } as never),
    );
    const cells = canonicals(value);
    const held = groups.map((rows) => rows.filter((row) => cells[row] !== null));
    const extreme = (sign: number) => (rows: readonly number[]) =>
      rows.reduce(
        (best, row) => (best < 0 || sign * compareCells(value.cells[row], value.cells[best]) > 0 ? row : best),
        -1,
      );
    const expected: Record<string, Canonical[]> = {
      count: held.map((rows) => String(rows.length)),
      nunique: held.map((rows) => String(new Set(rows.map((row) => cells[row])).size)),
      first: held.map((rows) => cells[rows[0]] ?? null),
      last: held.map((rows) => cells[rows.at(-1) ?? -1] ?? null),
      min: held.map((rows) => cells[extreme(-1)(rows)] ?? null),
      max: held.map((rows) => cells[extreme(1)(rows)] ?? null),
    };
    for (const [how, column] of Object.entries(expected)) {
      expectCells(found[`${value.name}_${how}`], column, `${how} of ${value.kind} by ${keys.map(({ kind }) => kind)}`);
    }
    const all = columnsOf(given);
    const firsts = at(
      all,
      groups.map(([first]) => first),
    );
    for (const { name } of keys) expectCells(found[name], firsts[name], name);
    const heads = given.frame.groupBy(...keys.map(({ name }) => name)).head(2);
    const places = groups.flatMap((rows) => rows.slice(0, 2)).sort((a, b) => a - b);
    expectFrame(heads, at(all, places));
  },
  align: (given) => {
    const series = seriesOf(given);
    const split = ["x", "y"].map((word) => series.tracks.find(([row]) => series.key.cells[row] === word) ?? []);
    const frames = ["x", "y"].map((word) =>
      series.frame.filter((row) => (row as { key: string }).key === word).select("day", "decimal"),
    );
    const found = cellsOfFrame(Frame.align(frames, { suffixes: [" x", " y"] }) as Frame);
    const cells = canonicals(series.decimal);
    const days = new Set(split.flat().map((row) => `day ${series.day.cells[row]}`));
    if (found["day"].length !== days.size) throw new Error(`${found["day"].length} days of ${days.size}`);
    for (const [i, word] of ["x", "y"].entries()) {
      const byDay = new Map(split[i].map((row) => [`day ${series.day.cells[row]}`, cells[row]]));
      expectCells(
        found[`decimal ${word}`],
        found["day"].map((day) => byDay.get(String(day)) ?? null),
        word,
      );
    }
  },
};
