import { InputError } from "../../errors/errors.js";
import { shown } from "../../errors/shown.js";
import { POWERS } from "../../value/decimal.js";
import type { Vector } from "../arrow/arrow.js";
import { storeChecked } from "./add.js";
import { isValid, unitsData, type Validity, wordsOf } from "./chunks.js";
import { arithmetic, type Operand, type Rows } from "./operands.js";
import type { Place } from "./place.js";
import { big, MOST_DIGITS, small, store, type Units, type UnitsType } from "./units.js";

/** How decimals are divided. */
export interface DivideOptions {
  /** Digits after the point of the quotient, which is rounded half to even. Integers and decimals need it. */
  readonly scale?: number;
}

const HALF = 2 ** 52;

/**
 * The quotient: of integers and decimals a decimal of `scale` digits after the point, rounded half to even, null where
 * the divisor is 0; of doubles as IEEE 754 has it, where `scale` has no effect. Null where either is null.
 *
 * @throws {InputError} BadArgument where exact numbers are divided without a scale; WrongType, DifferentLength
 * @throws {DataError} Overflow for a result beyond 76 digits
 */
export function divide(left: Vector, right: Operand, { scale }: DivideOptions, place: Place): Vector {
  return arithmetic(left, right, place, {
    doubles(a, b, step, { length, valid }, out) {
      for (let i = 0; i < length; i++) if (isValid(valid, i)) out[i] = a[i] / b[i * step];
    },
    exact(first, second) {
      const type = quotientType(first, second, neededScale(scale, place));
      const power = type.scale - first.scale + second.scale;
      return {
        type,
        compute(a, b, rows) {
          const valid = withoutZeros(b, rows);
          const words = divideUnits(a, b, { power, type, place }, { ...rows, valid });
          return unitsData(type, rows.length, words, valid);
        },
      };
    },
  });
}

function neededScale(scale: number | undefined, { column, method }: Place): number {
  if (Number.isInteger(scale) && (scale as number) >= 0 && (scale as number) <= MOST_DIGITS) return scale as number;
  const message =
    scale === undefined
      ? `${method} of column ${JSON.stringify(column)}: a quotient of exact numbers needs a scale.`
      : `${method} of column ${JSON.stringify(column)}: the scale is ${shown(scale)}.`;
  throw new InputError(message, {
    code: "BadArgument",
    column,
    hint: `Pass digits after the point, 0 to ${MOST_DIGITS}: div(other, { scale: 6 }); for doubles use cast("double").`,
  });
}

/** As many digits before the point as the largest quotient can have, and one for rounding up. */
function quotientType(a: UnitsType, b: UnitsType, scale: number): UnitsType {
  const digits = a.precision - a.scale + b.scale + scale + 1;
  return { scale, precision: Math.min(MOST_DIGITS, Math.max(digits, scale, 1)), isInteger: false };
}

/** The rows that hold values and whose divisor is not 0. */
export function withoutZeros({ words, count, step }: Units, { valid, length }: Rows): Validity {
  if (step === 0) return small(words, 0, count) === 0 ? new Uint8Array((length + 7) >> 3) : valid;
  let held: Uint8Array | undefined;
  for (let i = 0; i < length; i++) {
    if (small(words, i * step, count) !== 0) continue;
    held ??= valid?.slice() ?? new Uint8Array((length + 7) >> 3).fill(255);
    held[i >> 3] &= ~(1 << (i & 7));
  }
  return held ?? valid;
}

interface Division {
  /** Of ten, which brings the quotient of the units to the scale of the result. */
  readonly power: number;
  readonly type: UnitsType;
  readonly place: Place;
}

function divideUnits(a: Units, b: Units, { power, type, place }: Division, { length, valid, from }: Rows): Int32Array {
  const count = wordsOf(type);
  const out = new Int32Array(length * count);
  const fa = power > 0 ? POWERS[power] : 1;
  const fb = power < 0 ? POWERS[-power] : 1;
  for (let i = 0; i < length; i++) {
    if (valid !== undefined && (valid[i >> 3] & (1 << (i & 7))) === 0) continue;
    const x = small(a.words, i * a.step, a.count) * fa;
    const y = small(b.words, i * b.step, b.count) * fb;
    if (Math.abs(x) <= HALF && Math.abs(y) <= HALF) store(out, i * count, count, quotient(x, y));
    else {
      const [n, d] = [big(a, i) * 10n ** BigInt(Math.max(power, 0)), big(b, i) * 10n ** BigInt(Math.max(-power, 0))];
      storeChecked(out, i * count, type, bigQuotient(n, d), { ...place, row: from + i });
    }
  }
  return out;
}

/** The quotient of two whole numbers of at most 2^52, rounded half to even. */
export function quotient(x: number, y: number): number {
  const n = Math.abs(x);
  const d = Math.abs(y);
  // The double may be off by one where the quotient is all but a whole number; the rest shows it.
  let whole = Math.floor(n / d);
  let rest = n - whole * d;
  if (rest < 0) {
    whole--;
    rest += d;
  } else if (rest >= d) {
    whole++;
    rest -= d;
  }
  const twice = 2 * rest;
  if (twice > d || (twice === d && whole % 2 === 1)) whole++;
  return x < 0 !== y < 0 ? -whole : whole;
}

/** As {@link quotient}, for numbers of any size. */
export function bigQuotient(x: bigint, y: bigint): bigint {
  const n = x < 0n ? -x : x;
  const d = y < 0n ? -y : y;
  const whole = n / d;
  const twice = 2n * (n % d);
  const rounded = twice > d || (twice === d && whole % 2n === 1n) ? whole + 1n : whole;
  return x < 0n !== y < 0n ? -rounded : rounded;
}
