import { InputError } from "../../errors/errors.js";
import { shown } from "../../errors/shown.js";
import { POWERS } from "../../value/decimal.js";
import type { Vector } from "../arrow/arrow.js";
import { storeChecked } from "./add.js";
import { isValid, unitsData, wordsOf } from "./chunks.js";
import { withoutZeros } from "./divide.js";
import { inBlocksUntil } from "./in-blocks.js";
import { arithmetic, type Operand, type Rows } from "./operands.js";
import type { Place } from "./place.js";
import { mapDoubles, mapUnits, numberType } from "./round.js";
import { big, constantUnits, MOST_DIGITS, small, store, type Units, type UnitsType } from "./units.js";

/** Sizes up to this are whole numbers whose remainders doubles hold. */
const HALF = 2 ** 52;

/**
 * −1, 0 or 1 of each value: as integers of integers and decimals, as doubles of doubles.
 *
 * @throws {InputError} WrongType
 */
export function sign(vector: Vector, place: Place): Vector {
  if (numberType(vector, place) === undefined) return mapDoubles(vector, Math.sign);
  const type: UnitsType = { scale: 0, precision: 19, isInteger: true };
  const divideBig = (x: bigint): bigint => (x > 0n ? 1n : x < 0n ? -1n : 0n);
  return mapUnits(vector, type, { down: 0, up: 0, divide: Math.sign, divideBig, place });
}

/**
 * The remainder of a division, with the sign of the dividend as in SQL and JavaScript: exact for integers and decimals,
 * with the larger scale, null where the divisor is 0.
 *
 * @throws {InputError} WrongType, BadArgument, DifferentLength
 */
export function mod(left: Vector, right: Operand, place: Place): Vector {
  return arithmetic(left, right, place, {
    doubles(a, b, step, { length, valid }, out) {
      if (step === 0 && Number.isInteger(b[0]) && b[0] !== 0 && Math.abs(b[0]) <= HALF) {
        for (let i = 0; i < length; i++) {
          if (isValid(valid, i)) out[i] = Math.abs(a[i]) <= HALF ? remainder(a[i], b[0]) : a[i] % b[0];
        }
        return;
      }
      for (let i = 0; i < length; i++) if (isValid(valid, i)) out[i] = a[i] % b[i * step];
    },
    exact(first, second) {
      const type = remainderType(first, second);
      const [upA, upB] = [type.scale - first.scale, type.scale - second.scale];
      return {
        type,
        compute(a, b, { length, from, ...rows }) {
          const valid = withoutZeros(b, { length, from, ...rows });
          const isScaled = b.step === 0 && upB > 0;
          const other = isScaled ? constantUnits(big(b, 0) * 10n ** BigInt(upB)) : b;
          const division = { powers: { left: upA, right: isScaled ? 0 : upB }, type, place };
          const words = remainders(a, other, division, { length, from, valid });
          return unitsData(type, length, words, valid);
        },
      };
    },
  });
}

interface Division {
  /** Powers of ten that bring the operands to the scale of the remainder. */
  readonly powers: { readonly left: number; readonly right: number };
  readonly type: UnitsType;
  readonly place: Place;
}

function remainders(a: Units, b: Units, { powers, type, place }: Division, { length, valid, from }: Rows): Int32Array {
  const count = wordsOf(type);
  const [fa, fb] = [POWERS[powers.left], POWERS[powers.right]];
  const remainderOf = (words: Int32Array, i: number): void => {
    const x = small(a.words, i * a.step, a.count) * fa;
    const y = small(b.words, i * b.step, b.count) * fb;
    if (Math.abs(x) <= HALF && Math.abs(y) <= HALF) store(words, i * count, count, remainder(x, y));
    else {
      const rest = (big(a, i) * 10n ** BigInt(powers.left)) % (big(b, i) * 10n ** BigInt(powers.right));
      storeChecked(words, i * count, type, rest, { ...place, row: from + i });
    }
  };
  if (a.count === 4 && b.count === 4 && count === 4 && powers.left === 0 && powers.right === 0) {
    const { words, beyond } = inBlocksUntil(a, b, { length, valid }, ({ run, left, right, step, count, out }) =>
      run.remainders(left, right, step, count, out),
    );
    for (const i of beyond) remainderOf(words, i);
    return words;
  }
  const out = new Int32Array(length * count);
  for (let i = 0; i < length; i++) if (isValid(valid, i)) remainderOf(out, i);
  return out;
}

/**
 * The remainder of a division by a whole number as `%` has it, in a tenth of the time; both at most 2^52 in size, so
 * that each step is exact.
 */
function remainder(x: number, y: number): number {
  if (x === 0) return x;
  const [size, divisor] = [Math.abs(x), Math.abs(y)];
  const rest = size - Math.floor(size / divisor) * divisor;
  // The quotient is rounded, and may be off by one.
  const right = rest < 0 ? rest + divisor : rest >= divisor ? rest - divisor : rest;
  return x < 0 ? -right : right;
}

/** A remainder is not larger than either operand. */
function remainderType(a: UnitsType, b: UnitsType): UnitsType {
  const scale = Math.max(a.scale, b.scale);
  const whole = Math.min(a.precision - a.scale, b.precision - b.scale);
  return {
    scale,
    precision: Math.max(1, Math.min(MOST_DIGITS, scale + whole)),
    isInteger: a.isInteger && b.isInteger,
  };
}

/**
 * A function of each value as a double, as in JavaScript: `log` of 0 is −Infinity, of a negative number NaN.
 *
 * @throws {InputError} WrongType
 */
export function ofDoubles(vector: Vector, change: (value: number) => number, place: Place): Vector {
  numberType(vector, place);
  return mapDoubles(vector, change);
}

/**
 * The logarithms as doubles, natural ones without a base.
 *
 * @throws {InputError} WrongType, BadArgument
 */
export function logarithm(vector: Vector, base: number | undefined, place: Place): Vector {
  if (base === undefined) return ofDoubles(vector, Math.log, place);
  if (typeof base !== "number" || !(base > 0) || base === 1) {
    throw new InputError(`${place.method} of column ${JSON.stringify(place.column)} to the base ${shown(base)}.`, {
      code: "BadArgument",
      column: place.column,
      hint: "Pass a positive number other than 1: log(10), log(2); log() is natural.",
    });
  }
  const divisor = Math.log(base);
  const log = base === 10 ? Math.log10 : base === 2 ? Math.log2 : (value: number) => Math.log(value) / divisor;
  return ofDoubles(vector, log, place);
}

/**
 * Each value to the power of the other, as doubles.
 *
 * @throws {InputError} WrongType, BadArgument, DifferentLength
 */
export function power(vector: Vector, exponent: Operand, place: Place): Vector {
  return arithmetic(vector, exponent, place, {
    doubles(a, b, step, { length, valid }, out) {
      for (let i = 0; i < length; i++) if (isValid(valid, i)) out[i] = a[i] ** b[i * step];
    },
  });
}
