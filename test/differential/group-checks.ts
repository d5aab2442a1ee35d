import type { Frame } from "../../src/index.js";
import { type Canonical, canonical, canonicals, cellsOfFrame, plain } from "./canonical.js";
import { cells, columnOf, numberOf, unlessTooWide } from "./column-checks.js";
import { type Check, type Checks, expectCells, expectNear, type Given, modelOf, tableOf } from "./given.js";
import { compareCells, isNull, rowsByKey } from "./order.js";
import type { Cell, Model } from "./random-table.js";

/** For each row what its group makes of it, by the rows of the group. */
function byGroup<T>(given: Given, keys: readonly Model[], of: (group: readonly number[], row: number) => T): T[] {
  const out = new Array<T>(given.rows);
  for (const group of rowsByKey(keys, given.rows).values()) for (const row of group) out[row] = of(group, row);
  return out;
}

const filled = (group: readonly number[], { cells: all }: Model): number[] => group.filter((row) => !isNull(all[row]));

/** The rank of a row among rows of its group, or null. */
function rank(group: readonly number[], row: number, model: Model, method: string, descending: boolean): number | null {
  if (isNull(model.cells[row])) return null;
  const order = (other: number): number => compareCells(model.cells[other], model.cells[row]) * (descending ? -1 : 1);
  const rows = filled(group, model);
  const less = rows.filter((other) => order(other) < 0);
  const same = rows.filter((other) => order(other) === 0);
  if (method === "dense") return new Set(less.map((other) => String(model.cells[other]))).size + 1;
  if (method === "first") return less.length + 1 + same.indexOf(row);
  if (method === "min") return less.length + 1;
  return method === "max" ? less.length + same.length : less.length + (same.length + 1) / 2;
}

/** Linear quantiles of sorted numbers. */
function quantile(sorted: readonly number[], q: number): number {
  const at = q * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return low + (high - low) * (at - Math.floor(at));
}

const bucket = (values: readonly number[], value: number, count: number): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return (
    1 + Array.from({ length: count - 1 }, (_, k) => quantile(sorted, (k + 1) / count)).filter((e) => e < value).length
  );
};

const whole = (value: number | null): Canonical => (value === null ? null : String(value));

const within: Check = (given) => {
  const kind = given.random.pick(["integer", "decimal", "text", "date"] as const);
  const some = tableOf(given, ["text", kind, "integer"], 30);
  const [key, value, number] = some.models;
  const methods = ["average", "min", "max", "dense", "first"] as const;
  const descending = given.random.oneIn(2);
  const numbers = number.cells.map((cell) => (cell === null ? null : numberOf(cell, number)));
  const spec = Object.fromEntries(
    methods.map((method) => [method, [value.name, { rank: method, descending }] as const]),
  );
  const frame = some.frame.groupBy(key.name).with({
    ...spec,
    top: [value.name, "max"],
    n: [value.name, "count"],
    before: [value.name, { shift: 2 }],
    total: [number.name, "sum"],
    share: [number.name, "share"],
    zscore: [number.name, "zscore"],
    running: [number.name, "cumsum"],
    bucket: [number.name, { buckets: 3 }],
  });
  const found = cellsOfFrame(frame as unknown as Frame);
  const values = canonicals(value);
  const of = <T>(compute: (group: readonly number[], row: number) => T): T[] => byGroup(some, [key], compute);
  expectCells(found[value.name], values, "the rows");
  for (const method of methods) {
    const wanted = of((group, row) => rank(group, row, value, method, descending));
    if (method === "average") expectNear(found[method], wanted, "rank by average");
    else expectCells(found[method], wanted.map(whole), `rank by ${method}`);
  }
  const largest = (group: readonly number[]): Canonical => {
    const rows = filled(group, value);
    return rows.length === 0
      ? null
      : values[rows.reduce((best, row) => (compareCells(value.cells[row], value.cells[best]) > 0 ? row : best))];
  };
  expectCells(found["top"], of(largest), "max");
  expectCells(
    found["n"],
    of((group) => String(filled(group, value).length)),
    "count",
  );
  expectCells(
    found["before"],
    of((group, row) => values[group[group.indexOf(row) - 2]] ?? null),
    "shift",
  );
  const sumOf = (rows: readonly number[]): Canonical =>
    rows.length === 0
      ? null
      : plain(
          rows.reduce((sum, row) => sum + (number.cells[row] as bigint), 0n),
          0,
        );
  expectCells(
    found["total"],
    of((group) => sumOf(filled(group, number))),
    "sum",
  );
  const upTo = of((group, row) =>
    number.cells[row] === null ? null : sumOf(filled(group, number).filter((other) => other <= row)),
  );
  expectCells(found["running"], upTo, "cumsum");
  const size = Math.max(1, ...numbers.map((one) => Math.abs(one ?? 0)));
  const shares = of((group, row) => {
    const total = Number(sumOf(filled(group, number)));
    return numbers[row] === null || total === 0 ? null : (numbers[row] as number) / total;
  });
  expectNear(found["share"], shares, "share");
  const scores = of((group, row) => {
    const held = filled(group, number).map((other) => numbers[other] as number);
    const mean = held.reduce((sum, one) => sum + one, 0) / held.length;
    const deviation = Math.sqrt(held.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (held.length - 1));
    const isNone = numbers[row] === null || held.length < 2 || new Set(held).size < 2;
    return isNone ? null : ((numbers[row] as number) - mean) / deviation;
  });
  if (size < 2 ** 40) expectNear(found["zscore"], scores, "zscore", () => 1);
  const buckets = of((group, row) => {
    const held = filled(group, number).map((other) => numbers[other] as number);
    return numbers[row] === null ? null : String(bucket(held, numbers[row] as number, 3));
  });
  if (size < 2 ** 40) expectCells(found["bucket"], buckets, "buckets");
};

/** Methods of groups that keep every row, and columns cut into intervals. */
export const groupChecks: Checks = {
  "groupBy.with": (given) => unlessTooWide(() => within(given)),
  "groupBy.agg by name": (given) => {
    const some = tableOf(given, ["text", "integer"], 30);
    const [key, number] = some.models;
    const found = cellsOfFrame(
      some.frame.groupBy(key.name).agg({ top: [number.name, "max"], n: [number.name, "count"] }) as unknown as Frame,
    );
    const groups = [...rowsByKey([key], some.rows).values()].map((group) => filled(group, number));
    expectCells(
      found["n"],
      groups.map((rows) => String(rows.length)),
      "count by name",
    );
    const tops = groups.map((rows) => {
      const units = rows.map((row) => number.cells[row] as bigint);
      return units.length === 0 ? null : String(units.reduce((a, b) => (compareCells(a, b) < 0 ? b : a)));
    });
    expectCells(found["top"], tops, "max by name");
  },
  "column.cut": (given) => {
    const model = modelOf(given, given.random.pick(["integer", "decimal", "double"]));
    const edges = [-1.5, 0, 3, Number.POSITIVE_INFINITY];
    const named = (cell: Cell): Canonical => {
      if (isNull(cell)) return null;
      const value = numberOf(cell, model);
      const at = edges.findIndex((edge) => value <= edge);
      return at < 1 ? null : `(${edges[at - 1]}, ${edges[at]}]`;
    };
    expectCells(cells(columnOf(given, model)["cut"](edges)), model.cells.map(named), `cut of ${model.kind}`);
    const days = modelOf(given, "date");
    const wanted = days.cells.map((cell) =>
      cell === null || (cell as bigint) <= 0n || (cell as bigint) > 19_723n ? null : "then",
    );
    const found = columnOf(given, days)["cut"](["1970-01-01", "2024-01-01"], ["then"]);
    expectCells(cells(found), wanted, "cut of dates");
  },
  "column.qcut": (given) => {
    const some = tableOf(given, [given.random.pick(["integer", "double"])], 30);
    const [model] = some.models;
    const tame = (cell: Cell): boolean => !isNull(cell) && Math.abs(numberOf(cell, model)) < 2 ** 40;
    if (model.cells.some((cell) => !isNull(cell) && !tame(cell))) return;
    const held = model.cells.filter(tame).map((cell) => numberOf(cell, model));
    const wanted = model.cells.map((cell) =>
      isNull(cell) ? null : canonical(BigInt(bucket(held, numberOf(cell, model), 4)), "integer", 0),
    );
    expectCells(cells(columnOf(some, model)["qcut"](4)), wanted, "qcut");
  },
};
