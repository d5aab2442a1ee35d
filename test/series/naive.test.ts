import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { collapse } from "../../src/series/collapse.js";
import { transform } from "../../src/series/transform.js";
import { formatDate } from "../../src/value/date.js";
import { forAll } from "../support/for-all.js";
import { cellsOf, inBatches, tableFrom, textsOf } from "./tables.js";

const DAY = 86_400_000;
const FIRST = Date.parse("0001-01-01T00:00:00Z") / DAY;
const LAST = Date.parse("9999-12-31T00:00:00Z") / DAY;

/** The last day of a period by the calendar of JavaScript. */
function endOf(day: number, frequency: string): number {
  const date = new Date(day * DAY);
  if (frequency === "weekly") return Math.min(LAST, day + ((7 - date.getUTCDay()) % 7));
  const month = date.getUTCMonth();
  const ends: Record<string, number> = { monthly: month, quarterly: month - (month % 3) + 2, annual: 11 };
  if (frequency in ends) {
    date.setUTCDate(1);
    date.setUTCMonth(ends[frequency] + 1);
    date.setUTCDate(0);
  }
  return date.getTime() / DAY;
}

const FREQUENCIES = ["daily", "weekly", "monthly", "quarterly", "annual"] as const;

/** Distinct days, near one another or far, in any order of the rows. */
const daysIn = fc
  .tuple(
    fc.oneof(
      fc.integer({ min: FIRST, max: FIRST + 400 }),
      fc.integer({ min: LAST - 1_500, max: LAST - 1_000 }),
      fc.integer({ min: -800, max: 800 }),
      fc.integer({ min: 10_900, max: 11_100 }),
    ),
    fc.uniqueArray(fc.integer({ min: 0, max: 1_000 }), { minLength: 0, maxLength: 40 }),
    fc.constantFrom("asc", "desc", "mixed"),
  )
  .map(([first, steps, order]) => {
    if (order === "mixed") return steps.map((step) => first + step);
    const days = steps.map((step) => first + step).sort((a, b) => a - b);
    return order === "asc" ? days : days.reverse();
  });

const units = fc.option(
  fc.oneof(
    fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }),
    fc.bigInt({ min: -20n, max: 20n }),
    fc.bigInt({ min: -(10n ** 49n) + 1n, max: 10n ** 49n - 1n }),
  ),
);

/** A decimal as text with `scale` digits after the point. */
function decimal(value: bigint | null, scale: number): string | null {
  if (value === null) return null;
  const digits = (value < 0n ? -value : value).toString().padStart(scale + 1, "0");
  const text = scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
  return value < 0n ? `-${text}` : text;
}

const sorted = (values: readonly bigint[]): bigint[] => [...values].sort((a, b) => (a < b ? -1 : 1));

/** Rows as [day, value] in ascending order of days. */
const ascending = <T>(days: readonly number[], values: readonly T[]): (readonly [number, T])[] =>
  days.map((day, i) => [day, values[i]] as const).sort((a, b) => a[0] - b[0]);

describe("collapse against a naive calculation", () => {
  it.each([0, 3, 28])("of decimals with a scale of %i", (scale) => {
    forAll(
      100,
      daysIn,
      fc.array(units, { minLength: 40, maxLength: 40 }),
      fc.constantFrom(...FREQUENCIES),
      fc.constantFrom("last", "first", "min", "max", "sum", "count"),
      fc.integer({ min: 1, max: 9 }),
      (days, values, frequency, how, size) => {
        const texts = days.map((_, i) => decimal(values[i], scale));
        const source = tableFrom({
          d: ["Date", days.map(formatDate)],
          v: [`BigDecimal(50,${scale})`, texts],
          other: ["double", days.map((_, i) => i)],
        });
        const periods = new Map<number, bigint[]>();
        for (const [day, value] of ascending(days, values.slice(0, days.length))) {
          const end = endOf(day, frequency);
          const held = periods.get(end) ?? [];
          if (value !== null) held.push(value);
          periods.set(end, held);
        }
        const one: Record<string, (held: readonly bigint[]) => string | null> = {
          last: (held) => decimal(held[held.length - 1], scale),
          first: (held) => decimal(held[0], scale),
          min: (held) => decimal(sorted(held)[0], scale),
          max: (held) => decimal(sorted(held)[held.length - 1], scale),
          sum: (held) =>
            decimal(
              held.reduce((a, b) => a + b),
              scale,
            ),
          count: (held) => String(held.length),
        };
        const expected = [...periods].map(([end, held]) => [
          formatDate(end),
          held.length === 0 && how !== "count" ? null : one[how](held),
        ]);
        if (days.length > 1 && days[0] > days[1]) expected.reverse();
        for (const table of [source, inBatches(source, size)]) {
          const found = collapse(table, frequency, { value: { v: how as "last" } });
          expect(textsOf(found).map((cells) => cells.slice(0, 2))).toEqual(expected);
        }
      },
    );
  });
});

const doubles = fc.option(
  fc.oneof(
    fc.constantFrom(0, -0, 1e300, -1e300, 5e-324, 1e-7, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
    fc.integer({ min: -100_000, max: 100_000 }).map((cents) => cents / 100),
  ),
);

/** As the service rounds: to 14 digits; results that are not finite are null. */
const rounded = (value: number | null): number | null =>
  value === null || !Number.isFinite(value) ? null : Number(value.toPrecision(14)) + 0;

/** The value of each row by the formulas, oldest first; undefined where the row is dropped. */
const FORMULAS: Record<string, (y: readonly (number | null)[]) => (number | null | undefined)[]> = {
  diff: (y) =>
    y.map((now, t) => (t === 0 ? undefined : now === null || y[t - 1] === null ? null : now - Number(y[t - 1]))),
  rdiff: (y) =>
    y.map((now, t) => {
      const before = y[t - 1];
      if (t === 0) return undefined;
      return now === null || before === null || before === 0 ? null : (now - before) / before;
    }),
  rdiff_from(y) {
    const latest = y.findLastIndex((value) => value !== null);
    return y.map((value, t) => {
      if (value === null) return null;
      if (t === latest) return 0;
      return value === 0 ? null : (Number(y[latest]) - value) / value;
    });
  },
  cumul(y) {
    let sum: number | null = null;
    return y.map((value) => {
      if (value !== null) sum = sum === null ? value : sum + value;
      return sum;
    });
  },
  normalize(y) {
    const base = y.find((value) => value !== null && value !== 0);
    const first = base === undefined ? y.length : y.indexOf(base);
    return y.map((value, t) => (value === null || t < first ? value : (value / Number(base)) * 100));
  },
};

describe("transform against a naive calculation", () => {
  it.each(Object.entries(FORMULAS))("%s of doubles", (name, formula) => {
    forAll(100, daysIn, fc.array(doubles, { minLength: 40, maxLength: 40 }), (days, all) => {
      const values = days.map((_, i) => all[i]);
      const table = tableFrom({ d: ["Date", days.map(formatDate)], v: ["double", values] });
      const rows = ascending(days, values);
      const results = formula(rows.map(([, value]) => value));
      const byDay = new Map(rows.map(([day], t) => [day, results[t]]));
      const expected = days.flatMap((day) => {
        const value = byDay.get(day);
        return value === undefined ? [] : [[formatDate(day), rounded(value)]];
      });
      const found = cellsOf(transform(table, name as "diff"));
      expect(found.map(([day, value]) => [day, typeof value === "number" ? value + 0 : value])).toEqual(expected);
    });
  });

  it.each(["diff", "cumul"] as const)("%s of decimals, to the last digit", (name) => {
    forAll(100, daysIn, fc.array(units, { minLength: 40, maxLength: 40 }), (days, all) => {
      const values = days.map((_, i) => all[i]);
      const texts = values.map((value) => decimal(value, 28));
      const table = tableFrom({ d: ["Date", days.map(formatDate)], v: ["BigDecimal(50,28)", texts] });
      let sum: bigint | null = null;
      let before: bigint | null = null;
      const byDay = new Map<number, string | null>();
      for (const [t, [day, value]] of ascending(days, values).entries()) {
        if (value !== null) sum = sum === null ? value : sum + value;
        if (name === "cumul") byDay.set(day, decimal(sum, 28));
        else if (t > 0) byDay.set(day, value === null || before === null ? null : decimal(value - before, 28));
        before = value;
      }
      const expected = days.flatMap((day) => (byDay.has(day) ? [[formatDate(day), byDay.get(day)]] : []));
      expect(textsOf(transform(table, name))).toEqual(expected);
    });
  });
});
