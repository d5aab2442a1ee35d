import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Frame } from "../../src/index.js";
import { tableOf } from "../../src/series/core/tables.js";
import { ewm } from "../../src/series/ewm.js";
import { rolling } from "../../src/series/rolling.js";
import { forAll } from "../support/for-all.js";
import { runs } from "../support/whole.js";
import { quotient, series, UNIT_BITS, unitsOf } from "./exact-windows.js";
import { cellsIn, columnOf } from "./tables.js";

type Values = readonly (number | null)[];

/** A table of dates and two columns of doubles, `x` and `y`. */
const table = (x: Values, y: Values) =>
  tableOf(
    [
      columnOf(
        "d",
        "Date",
        x.map((_, i) => i),
      ),
      columnOf("x", "double", x),
      columnOf("y", "double", y),
    ],
    x.length,
  );

const sum = (units: readonly bigint[]): bigint => units.reduce((a, b) => a + b, 0n);
const dot = (a: readonly bigint[], b: readonly bigint[]): bigint => sum(a.map((unit, i) => unit * b[i]));

/** Exact covariance with divisor n − 1. */
const covariance = (x: readonly bigint[], y: readonly bigint[]): number => {
  const n = BigInt(x.length);
  return quotient(n * dot(x, y) - sum(x) * sum(y), n * (n - 1n), -2 * UNIT_BITS);
};

/** What exact arithmetic makes of the rows of one window, and the size of which results err by 10^-12 at most. */
const exactly = {
  cov: (x, y) => [covariance(x, y), Math.sqrt(covariance(x, x)) * Math.sqrt(covariance(y, y))],
  corr: (x, y) => {
    const [a, b] = [Math.sqrt(covariance(x, x)), Math.sqrt(covariance(y, y))];
    return a === 0 || b === 0 ? [null, 0] : [covariance(x, y) / a / b, 1];
  },
  beta: (x, y) => {
    const [a, b] = [Math.sqrt(covariance(x, x)), Math.sqrt(covariance(y, y))];
    return b === 0 ? [null, 0] : [covariance(x, y) / b / b, a / b];
  },
  vwap: (x, y) => (sum(y) === 0n ? [null, 0] : [quotient(dot(x, y), sum(y), -UNIT_BITS), largest(x)]),
  wma: (x) => {
    const weights = x.map((_, i) => BigInt(i + 1));
    return [quotient(dot(x, weights), sum(weights), -UNIT_BITS), largest(x)];
  },
} satisfies Record<string, (x: readonly bigint[], y: readonly bigint[]) => readonly [number | null, number]>;
type Method = keyof typeof exactly;

const largest = (x: readonly bigint[]): number =>
  Math.max(...x.map((unit) => Math.abs(quotient(unit, 1n, -UNIT_BITS))));

const optionOf = (method: Method): { readonly with?: "y"; readonly weights?: "y" } =>
  method === "wma" ? {} : method === "vwap" ? { weights: "y" } : { with: "y" };

/** Throws unless every window has the result of exact arithmetic over its rows alone. */
function check(x: Values, y: Values, size: number, method: Method, center = false): void {
  const least = method === "vwap" || method === "wma" ? 1 : 2;
  const options = { ...optionOf(method), columns: "x", minPeriods: least, center };
  const found = cellsIn(rolling(table(x, y), size, method, options), "x");
  const ahead = center ? (size - 1) >> 1 : 0;
  for (let i = 0; i < x.length; i++) {
    const rows = Array.from({ length: size }, (_, k) => i + ahead + 1 - size + k).filter(
      (row) => row >= 0 && row < x.length && x[row] !== null && y[row] !== null,
    );
    const [a, b] = [x, y].map((values) => rows.map((row) => unitsOf(values[row] as number)));
    const [expected, scale] = rows.length < least ? [null, 0] : exactly[method](a, b);
    const cell = found[i];
    const isNear =
      expected === null
        ? cell === null
        : typeof cell === "number" && Math.abs(cell - expected) <= 1e-12 * Math.max(scale, Math.abs(expected));
    if (!isNear) {
      const shown = JSON.stringify(rows.map((row) => [x[row], y[row]]));
      throw new Error(`row ${i}: ${method} of ${shown} is ${cell}, not ${expected}`);
    }
  }
}

const pairs = fc.tuple(series, series).map(([x, y]) => {
  const length = Math.min(x.length, y.length);
  return [x.slice(0, length), y.slice(0, length)] as const;
});
const positive = (values: Values): Values => values.map((value) => (value === null ? null : Math.abs(value)));

describe("every window of two columns with outliers is as if it was alone, within 1e-12 of exact arithmetic", () => {
  it.each(["cov", "corr", "beta"] as const)("%s", (method) => {
    forAll(
      { numRuns: runs(300), seed: 30 },
      pairs,
      fc.integer({ min: 2, max: 12 }),
      fc.boolean(),
      ([x, y], size, center) => check(x, y, size, method, center),
    );
  });

  it("vwap", () => {
    forAll({ numRuns: runs(300), seed: 31 }, pairs, fc.integer({ min: 1, max: 12 }), ([x, y], size) =>
      check(positive(x), positive(y), size, "vwap"),
    );
  });

  it("wma", () => {
    forAll({ numRuns: runs(300), seed: 32 }, series, fc.integer({ min: 1, max: 12 }), (x, size) => {
      const held = x.map((value) => value ?? 0);
      check(held, held, size, "wma");
    });
  });

  it.each(["cov", "corr", "beta", "vwap", "wma"] as const)("%s of a long series with an outlier of 1e12", (method) => {
    const x = Array.from({ length: 900 }, (_, i) => 100 + ((i * 7919) % 1013) / 256);
    const y = x.map((value, i) => value / 2 + ((i * 104_729) % 211) / 64);
    x[30] = 1e12;
    y[333] = -1e12;
    check(x, method === "vwap" ? positive(y) : y, 250, method);
  });
});

/** A number in units of 2^-400, in which weights are computed. */
const BITS = 400;
const fixed = (value: number): bigint => unitsOf(value) << BigInt(BITS - UNIT_BITS);
const times = (a: bigint, b: bigint): bigint => (a * b) >> BigInt(BITS);

/** The weighted covariance of the rows so far in 100 digits, by its definition. */
function weighted(x: Values, y: Values, alpha: number, adjust: boolean) {
  const rows = [...x.keys()].filter((row) => x[row] !== null && y[row] !== null);
  const last = rows[rows.length - 1];
  const decay = fixed(1) - fixed(alpha);
  const weights = rows.map((row) => {
    let weight = adjust || row === rows[0] ? fixed(1) : fixed(alpha);
    for (let k = row; k < last; k++) weight = times(weight, decay);
    return weight;
  });
  const total = sum(weights);
  const values = (column: Values) => rows.map((row) => fixed(column[row] as number));
  const mean = (column: Values) => dot(weights, values(column)) / total;
  const [a, b] = [x, y].map((column) => values(column).map((value) => value - mean(column)));
  const moment = (left: readonly bigint[], right: readonly bigint[]) =>
    dot(
      weights,
      left.map((value, i) => times(value, right[i])),
    );
  const double = (value: bigint) => quotient(value, total, -BITS);
  const squares = dot(weights, weights);
  const unbiased = quotient(total * total, total * total - squares, 0);
  return {
    cov: double(moment(a, b)) * unbiased,
    scale: Math.sqrt(double(moment(a, a)) * double(moment(b, b))) * unbiased,
  };
}

describe("exponentially weighted", () => {
  const value = fc.oneof(
    fc.integer({ min: -400, max: 400 }).map((n) => 100 + n / 64),
    fc.constantFrom(1e12, -1e12),
    fc.integer({ min: -9, max: 9 }),
  );
  const rows = fc.array(fc.tuple(value, value), { minLength: 2, maxLength: 60 });

  it.each(["cov", "corr"] as const)("%s is within 1e-12 of 100 digits after outliers of 1e12", (method) => {
    forAll(
      { numRuns: runs(40), seed: 33 },
      rows,
      fc.constantFrom(0.03, 0.25, 0.9),
      fc.boolean(),
      (all, alpha, adjust) => {
        const [x, y] = [all.map(([a]) => a), all.map(([, b]) => b)];
        const found = cellsIn(ewm(table(x, y), { alpha, adjust, columns: "x", with: "y" }, method), "x");
        for (let end = 2; end <= x.length; end++) {
          const { cov, scale } = weighted(x.slice(0, end), y.slice(0, end), alpha, adjust);
          const cell = found[end - 1] as number | null;
          if (scale === 0) expect(cell).toBe(method === "cov" ? 0 : null);
          else if (method === "cov") expect(Math.abs((cell as number) - cov)).toBeLessThanOrEqual(1e-12 * scale);
          else expect(Math.abs((cell as number) - cov / scale)).toBeLessThanOrEqual(1e-12);
        }
      },
    );
  });

  it("cov of a column with itself is its var, and a null repeats the result", () => {
    const x = [1, null, 4, 2, null, null, 9, 0.5];
    const y = [null, 3, 2, 7, 1, null, 4, 4];
    for (const options of [{ span: 3 }, { span: 3, adjust: false }, { com: 2, ignoreNulls: true }]) {
      const found = cellsIn(ewm(table(x, x), { ...options, columns: "x", with: "y" }, "cov"), "x") as number[];
      const expected = cellsIn(ewm(table(x, x), { ...options, columns: "x" }, "var"), "x") as number[];
      for (const [i, value] of expected.entries()) {
        if (value === null) expect(found[i]).toBe(null);
        else expect(found[i]).toBeCloseTo(value, 12);
      }
    }
    const crossed = cellsIn(ewm(table(x, y), { alpha: 0.5, columns: "x", with: "y" }, "corr"), "x");
    expect(crossed.slice(0, 3)).toEqual([null, null, null]);
    expect(crossed[5]).toBe(crossed[3]);
  });
});

describe("two columns of several series", () => {
  const day = 86_400_000;
  const cells = fc.record({
    key: fc.constantFrom("a", "b", "c"),
    at: fc.integer({ min: 0, max: 40 * 24 }),
    x: fc.option(fc.integer({ min: -50, max: 50 })),
    y: fc.option(fc.integer({ min: 0, max: 50 })),
  });

  it("are computed series by series, in windows of rows and of days, whatever the order", () => {
    const tables = fc.uniqueArray(cells, { minLength: 1, maxLength: 60, selector: ({ key, at }) => `${key}${at}` });
    const methods = fc.constantFrom<Method>("cov", "corr", "beta", "vwap", "wma");
    forAll(
      { numRuns: runs(300), seed: 34 },
      tables,
      methods,
      fc.integer({ min: 1, max: 9 }),
      fc.boolean(),
      (all, method, size, isDays) => {
        const frame = Frame.fromColumns(
          {
            key: all.map(({ key }) => key),
            at: all.map(({ at }) => new Date((at * day) / 24)),
            x: all.map(({ x }) => x),
            y: all.map(({ y }) => y),
          },
          { x: "Integer", y: "Integer" },
        );
        const unit = isDays ? "days" : "rows";
        const choice = { by: "key", columns: "x", unit, minPeriods: 1, ...optionOf(method) } as const;
        const found = frame.rolling(size, method, choice).column("x").toArray() as unknown[];
        for (const [i, row] of all.entries()) {
          const before = all.filter(({ key, at }) => key === row.key && at <= row.at).sort((a, b) => a.at - b.at);
          const held = isDays ? before.filter(({ at }) => at > row.at - 24 * size) : before.slice(-size);
          expect(found[i]).toEqual(simple(method, held));
        }
      },
    );
  });

  /** By the definition; whole numbers of this size are exact up to the last division. */
  function simple(method: Method, held: readonly { readonly x: number | null; readonly y: number | null }[]): unknown {
    const weights = held.map(({ y }, i) => (method === "wma" ? i + 1 : y));
    const rows = held.flatMap(({ x }, i) => (x === null || weights[i] === null ? [] : [[x, weights[i]]]));
    const total = (of: (row: number[]) => number) => rows.reduce((all, row) => all + of(row), 0);
    const n = rows.length;
    if (method === "vwap" || method === "wma") {
      const weight = total(([, w]) => w);
      return weight === 0 ? null : near(total(([x, w]) => x * w) / weight);
    }
    const product = (a: number, b: number) =>
      total((row) => row[a] * row[b]) - (total((row) => row[a]) * total((row) => row[b])) / n;
    const [xx, xy, yy] = [product(0, 0), product(0, 1), product(1, 1)].map((value) => Math.round(value * n) / n);
    if (n < 2 || (method === "beta" && yy === 0) || (method === "corr" && xx * yy === 0)) return null;
    return near(method === "cov" ? xy / (n - 1) : method === "beta" ? xy / yy : xy / Math.sqrt(xx * yy));
  }

  const near = (value: number) => expect.closeTo(value, 10);
});

describe("what is not defined is null", () => {
  const x = [1, 1, 1, 2, 3, null];
  const y = [2, 3, 4, 4, 4, 4];
  const of = (method: Method, a: Values = x, b: Values = y) =>
    cellsIn(rolling(table(a, b), 2, method, { ...optionOf(method), columns: "x" }), "x");

  it("a correlation with a constant column, a slope on one, weights that add to 0", () => {
    expect(of("corr")).toEqual([null, null, null, null, null, null]);
    expect(of("beta")).toEqual([null, 0, 0, null, null, null]);
    expect(of("cov")).toEqual([null, 0, 0, 0, 0, null]);
    expect(of("vwap", x, [0, 0, 1, -1, 2, 5])).toEqual([null, null, 1, null, 4, null]);
    expect(of("wma")).toEqual([null, 1, 1, expect.closeTo(5 / 3, 14), expect.closeTo(8 / 3, 14), null]);
  });

  it("a constant price is its mean by any weights, exactly", () => {
    const prices = new Array<number>(9).fill(0.1);
    const weights = [3, 0.7, 1e9, 0.1, 5, 1e-9, 2, 0.3, 1];
    expect(new Set(of("vwap", prices, weights).slice(1))).toEqual(new Set([0.1]));
    expect(new Set(of("wma", prices, weights).slice(1))).toEqual(new Set([0.1]));
  });

  it("a column correlates with its multiples by 1 or -1, from the smallest doubles to the largest", () => {
    const values = [3, 1, 4, 1.5, 9, 2, 6];
    for (const factor of [2, -3, 2 ** -1000, -(2 ** 1000)]) {
      const found = of(
        "corr",
        values,
        values.map((value) => value * factor),
      ).slice(1);
      for (const cell of found) expect(cell).toBeCloseTo(Math.sign(factor), 12);
      const slopes = of(
        "beta",
        values,
        values.map((value) => value * factor),
      ).slice(1);
      for (const cell of slopes) expect((cell as number) * factor).toBeCloseTo(1, 12);
    }
  });
});

describe("the second column", () => {
  const frame = Frame.from(table([1, 2, 4], [3, 5, 4]));

  it("is not computed unless it is named", () => {
    expect(
      frame
        .rolling(2, "cov", { with: "y" })
        .toArray()
        .map((row) => [row.x, row.y]),
    ).toEqual([
      [null, 3],
      [1, 5],
      [-1, 4],
    ]);
    expect(
      frame
        .rolling(2, "corr", { with: "y", columns: ["x", "y"] })
        .column("y")
        .toArray(),
    ).toEqual([null, 1, 1]);
  });

  it("must be passed to methods that take one, and to no other", () => {
    const codes = [
      () => frame.rolling(2, "corr"),
      () => frame.rolling(2, "vwap", { with: "y" }),
      () => frame.rolling(2, "mean", { weights: "y" }),
      () => frame.ewm({ alpha: 0.5 }, "cov"),
      () => frame.ewm({ alpha: 0.5, with: "y" }, "std"),
    ];
    for (const call of codes) expect(call).toThrow(expect.objectContaining({ code: "BadArgument" }));
    expect(() => frame.rolling(2, "corr")).toThrow('rolling(…, "corr") expects a second column as `with`; got none.');
    expect(() => frame.rolling(2, "corr", { with: "d" as never })).toThrow(
      expect.objectContaining({ code: "WrongType" }),
    );
  });
});
