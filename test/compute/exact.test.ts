import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Column } from "../../src/frame/cells/column.js";
import { forAll } from "../support/for-all.js";
import { runs } from "../support/whole.js";
import { codeOf, decimals, frameOf, type Model, numbers, spelt, texts } from "./model.js";

/*
 * Arithmetic of integers and decimals of up to 76 digits is that of BigInt, whatever the sizes, scales, nulls, batches
 * and slices.
 */

const ROWS = 7;
const cuts = fc.array(fc.integer({ min: 1, max: ROWS }), { maxLength: 3 });
const pair = fc.tuple(numbers(ROWS), numbers(ROWS), cuts);
const whole = ({ precision, scale }: Model) => precision - scale;
const power = (n: number) => 10n ** BigInt(n);
const size = (value: bigint) => (value < 0n ? -value : value);

interface Expected {
  readonly type: string;
  readonly units: readonly (bigint | null)[];
  readonly scale: number;
}

/** What a computation gives: its type and exact texts, or its error and the row at fault. */
function outcome(run: () => Column<unknown>): unknown {
  try {
    const column = run();
    return { type: column.type, texts: column.toStrings() };
  } catch (error) {
    const { code, row } = error as { code: string; row: number };
    return { code, row };
  }
}

/** The expected outcome: an error at the first row that does not fit. */
function wanted({ type, units, scale }: Expected, limit: (value: bigint) => boolean): unknown {
  const row = units.findIndex((value) => value !== null && !limit(value));
  return row === -1 ? { type, texts: texts({ units, scale }) } : { code: "Overflow", row };
}

const INT64 = 2n ** 63n;
const fits = (type: string) => {
  const precision = /\((\d+),/.exec(type)?.[1];
  return precision === undefined
    ? (value: bigint) => value < INT64 && value >= -INT64
    : (value: bigint) => size(value) < power(Number(precision));
};

const zipped = (a: Model, b: Model, compute: (x: bigint, y: bigint) => bigint | null) =>
  a.units.map((x, i) => {
    const y = b.units[i];
    return x === null || y === null ? null : compute(x, y);
  });

const isIntegers = (...models: Model[]) => models.every(({ type }) => type === "Integer");

function sum(a: Model, b: Model, sign: bigint): Expected {
  const scale = Math.max(a.scale, b.scale);
  const precision = Math.min(76, Math.max(whole(a), whole(b)) + scale + 1);
  const type = isIntegers(a, b) ? "Integer" : `BigDecimal(${precision},${scale})`;
  return { type, scale, units: zipped(a, b, (x, y) => x * power(scale - a.scale) + sign * y * power(scale - b.scale)) };
}

function product(a: Model, b: Model): Expected {
  const scale = a.scale + b.scale;
  const type = isIntegers(a, b) ? "Integer" : `BigDecimal(${Math.min(76, a.precision + b.precision)},${scale})`;
  return { type, scale, units: zipped(a, b, (x, y) => x * y) };
}

function halfEven(n: bigint, d: bigint): bigint {
  const [x, y] = [size(n), size(d)];
  const [q, r] = [x / y, x % y];
  const up = 2n * r > y || (2n * r === y && q % 2n === 1n) ? 1n : 0n;
  return n < 0n !== d < 0n ? -(q + up) : q + up;
}

describe("arithmetic of integers and decimals", () => {
  it("adds and subtracts exactly, one digit wider", () => {
    forAll(runs(300), pair, ([a, b, at]) => {
      const frame = frameOf({ a, b }, at);
      const [x, y] = [frame.column("a"), frame.column("b")];
      const [plus, minus] = [sum(a, b, 1n), sum(a, b, -1n)];
      expect(outcome(() => x.add(y))).toEqual(wanted(plus, fits(plus.type)));
      expect(outcome(() => x.sub(y))).toEqual(wanted(minus, fits(minus.type)));
    });
  });

  it("multiplies exactly, with the scales added up", () => {
    forAll(runs(300), pair, ([a, b, at]) => {
      const frame = frameOf({ a, b }, at);
      const run = () => frame.column("a").mul(frame.column("b"));
      const expected = product(a, b);
      if (expected.scale > 76) expect(codeOf(run)).toBe("BadArgument");
      else expect(outcome(run)).toEqual(wanted(expected, fits(expected.type)));
    });
  });

  it("divides to the scale asked for, half to even, null by 0", () => {
    forAll(runs(300), pair, fc.integer({ min: 0, max: 20 }), ([a, b, at], scale) => {
      const frame = frameOf({ a, b }, at);
      const precision = Math.min(76, Math.max(whole(a) + b.scale + scale + 1, scale, 1));
      const expected = {
        type: `BigDecimal(${precision},${scale})`,
        scale,
        units: zipped(a, b, (x, y) => {
          if (y === 0n) return null;
          return halfEven(x * power(scale + b.scale), y * power(a.scale));
        }),
      };
      expect(outcome(() => frame.column("a").div(frame.column("b"), { scale }))).toEqual(
        wanted(expected, fits(expected.type)),
      );
      expect(codeOf(() => frame.column("a").div(frame.column("b")))).toBe("BadArgument");
    });
  });

  it("rounds half to even and down to whole numbers, negates and takes sizes", () => {
    forAll(runs(300), numbers(ROWS), cuts, fc.integer({ min: -5, max: 40 }), (a, at, digits) => {
      const x = frameOf({ a }, at).column("a");
      const rounded = (units: (value: bigint) => bigint, to: number, precision: number): Expected => ({
        type: isIntegers(a) ? "Integer" : `BigDecimal(${precision},${to})`,
        scale: to,
        units: a.units.map((value) => (value === null ? null : units(value))),
      });
      const to = Math.max(digits, 0);
      const wide = (scale: number) => Math.min(76, Math.max(1, scale, whole(a) + scale + 1));
      const near =
        digits >= a.scale
          ? rounded((value) => value, a.scale, a.precision)
          : rounded((value) => halfEven(value, power(a.scale - digits)) * power(to - digits), to, wide(to));
      expect(outcome(() => x.round(digits))).toEqual(wanted(near, fits(near.type)));
      const down = (value: bigint) => {
        const d = power(a.scale);
        return (value - (((value % d) + d) % d)) / d;
      };
      const lower = a.scale === 0 ? rounded((value) => value, 0, a.precision) : rounded(down, 0, wide(0));
      expect(outcome(() => x.floor())).toEqual(wanted(lower, fits(lower.type)));
      expect(x.neg().toBigInts()).toEqual(a.units.map((value) => (value === null ? null : -value)));
      expect(x.abs().toBigInts()).toEqual(a.units.map((value) => (value === null ? null : size(value))));
      expect(x.neg().type).toBe(a.type);
    });
  });

  it("takes constants as columns of one value", () => {
    forAll(runs(300), decimals(ROWS, 30), numbers(1, 18), cuts, (a, b, at) => {
      const [n] = b.units;
      fc.pre(n !== null);
      const value = spelt(n, b.scale);
      const x = frameOf({ a }, at).column("a");
      const y = frameOf({ other: { ...b, units: a.units.map(() => n) } }, at).column("other");
      expect(x.add(value).toStrings()).toEqual(x.add(y).toStrings());
      expect(x.sub(value).toStrings()).toEqual(x.sub(y).toStrings());
      expect(x.mul(value).toStrings()).toEqual(x.mul(y).toStrings());
      expect(x.div(value, { scale: 7 }).toStrings()).toEqual(x.div(y, { scale: 7 }).toStrings());
      for (const how of ["eq", "ne", "lt", "le", "gt", "ge"] as const) {
        expect(x[how](value).toArray()).toEqual(x[how](y).toArray());
      }
      expect(x.isIn([value, "1e-70"]).toArray()).toEqual(x.eq(y).toArray());
    });
  });

  it("compares exactly, across scales and widths", () => {
    forAll(runs(300), pair, ([a, b, at]) => {
      const frame = frameOf({ a, b }, at);
      const scale = Math.max(a.scale, b.scale);
      const order = zipped(a, b, (x, y) => x * power(scale - a.scale) - y * power(scale - b.scale));
      const [x, y] = [frame.column("a"), frame.column("b")];
      const truth = (test: (n: bigint) => boolean) => order.map((n) => (n === null ? null : test(n)));
      expect(x.eq(y).toArray()).toEqual(truth((n) => n === 0n));
      expect(x.ne(y).toArray()).toEqual(truth((n) => n !== 0n));
      expect(x.lt(y).toArray()).toEqual(truth((n) => n < 0n));
      expect(x.le(y).toArray()).toEqual(truth((n) => n <= 0n));
      expect(x.gt(y).toArray()).toEqual(truth((n) => n > 0n));
      expect(x.ge(y).toArray()).toEqual(truth((n) => n >= 0n));
    });
  });

  it("compares with constants that no unit is equal to", () => {
    forAll(
      runs(200),
      numbers(ROWS),
      fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }),
      fc.integer({ min: 0, max: 60 }),
      (a, n, s) => {
        const x = frameOf({ a }).column("a");
        const scale = Math.max(a.scale, s);
        const order = a.units.map((u) => (u === null ? null : u * power(scale - a.scale) - n * power(scale - s)));
        expect(x.gt(spelt(n, s)).toArray()).toEqual(order.map((o) => (o === null ? null : o > 0n)));
        expect(x.le(spelt(n, s)).toArray()).toEqual(order.map((o) => (o === null ? null : o <= 0n)));
        expect(x.lt(spelt(n, s)).toArray()).toEqual(order.map((o) => (o === null ? null : o < 0n)));
        expect(x.ge(spelt(n, s)).toArray()).toEqual(order.map((o) => (o === null ? null : o >= 0n)));
        expect(x.eq(spelt(n, s)).toArray()).toEqual(order.map((o) => (o === null ? null : o === 0n)));
        expect(x.ne(spelt(n, s)).toArray()).toEqual(order.map((o) => (o === null ? null : o !== 0n)));
      },
    );
  });

  it("converts between decimals and integers, or names the row that does not fit", () => {
    forAll(runs(300), pair, fc.boolean(), ([a, b, at], isRounded) => {
      const x = frameOf({ a }, at).column("a");
      const onPrecisionLoss = isRounded ? "round" : "error";
      const limit = fits(b.type);
      let expected: unknown;
      const units = a.units.map((value) => (value === null ? null : halfEven(value * power(b.scale), power(a.scale))));
      const row = a.units.findIndex((value, i) => {
        if (value === null) return false;
        const isExact = (units[i] as bigint) * power(a.scale) === value * power(b.scale);
        return (!isRounded && !isExact) || !limit(units[i] as bigint);
      });
      if (row === -1) expected = { type: b.type, texts: texts({ units, scale: b.scale }) };
      else {
        const isExact = (units[row] as bigint) * power(a.scale) === (a.units[row] as bigint) * power(b.scale);
        expected = { code: !isRounded && !isExact ? "PrecisionLoss" : "Overflow", row };
      }
      expect(outcome(() => x.cast(b.type, { onPrecisionLoss }))).toEqual(expected);
    });
  });

  it("fills nulls in the type that holds both", () => {
    forAll(runs(200), pair, ([a, b, at]) => {
      const frame = frameOf({ a, b }, at);
      const scale = Math.max(a.scale, b.scale);
      const precision = Math.max(whole(a), whole(b)) + scale;
      fc.pre(precision <= 76);
      const filled = frame.column("a").fill(frame.column("b"));
      const units = a.units.map((x, i) => {
        const y = b.units[i];
        return x === null ? (y === null ? null : y * power(scale - b.scale)) : x * power(scale - a.scale);
      });
      expect(filled.toStrings()).toEqual(texts({ units, scale }));
      expect(filled.isNull().toArray()).toEqual(units.map((value) => value === null));
    });
  });
});
