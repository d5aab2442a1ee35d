import { InputError } from "../../errors/errors.js";
import { shown } from "../../errors/shown.js";
import { POWERS } from "../../value/decimal.js";
import { Float64, type Vector } from "../arrow/arrow.js";
import { storeChecked } from "./add.js";
import { doubleData, isValid, mapChunks, typeOfUnits, unitsData, validOf, wordsOf } from "./chunks.js";
import { bigQuotient, quotient } from "./divide.js";
import { mapBlocks } from "./in-blocks.js";
import { doublesOf, isNumber } from "./operands.js";
import { type Place, wrongType } from "./place.js";
import { big, exactType, MOST_DIGITS, small, store, type Units, type UnitsType, unitsOf } from "./units.js";

const HALF = 2 ** 52;

/**
 * Rounds half to even to this many digits after the point; negative values round to tens and hundreds. A decimal gets
 * that scale (one digit wider before the point) and stays as it is where it has no more digits; integers and doubles
 * keep their type. A double is rounded by its exact value, so that 1.115 to two digits is 1.11.
 *
 * @throws {InputError} WrongType, BadArgument
 * @throws {DataError} Overflow
 */
export function round(vector: Vector, digits: number, place: Place): Vector {
  if (!Number.isInteger(digits) || Math.abs(digits) > MOST_DIGITS) {
    throw new InputError(`${place.method} of column ${JSON.stringify(place.column)} to ${shown(digits)} digits.`, {
      code: "BadArgument",
      column: place.column,
      hint: `Pass a whole number from -${MOST_DIGITS} to ${MOST_DIGITS}.`,
    });
  }
  const exact = numberType(vector, place);
  if (exact === undefined) return mapDoubles(vector, (value) => roundDouble(value, digits));
  if (digits >= exact.scale) return vector;
  const type = { ...exact, scale: Math.max(digits, 0), precision: widened(exact, Math.max(digits, 0)) };
  return mapUnits(vector, type, { ...ROUNDED, down: exact.scale - digits, up: Math.max(-digits, 0), place });
}

/**
 * The largest whole number that is not above each value: of decimals one of scale 0, one digit wider.
 *
 * @throws {InputError} WrongType
 */
export function floor(vector: Vector, place: Place): Vector {
  const exact = numberType(vector, place);
  if (exact === undefined) return mapDoubles(vector, Math.floor);
  if (exact.scale === 0) return vector;
  const type = { ...exact, scale: 0, precision: widened(exact, 0) };
  return mapUnits(vector, type, { down: exact.scale, up: 0, divide: floorQuotient, divideBig: bigFloor, place });
}

/**
 * The negative (`negate`) or the size of each value; types stay.
 *
 * @throws {InputError} WrongType
 * @throws {DataError} Overflow for −2^63 as an integer
 */
export function signed(vector: Vector, how: "negate" | "size", place: Place): Vector {
  const exact = numberType(vector, place);
  const isNegated = how === "negate";
  if (exact === undefined) return mapDoubles(vector, isNegated ? (value) => -value : Math.abs);
  const divide = (x: number): number => (isNegated ? 0 - x : Math.abs(x));
  const divideBig = (x: bigint): bigint => (isNegated || x < 0n ? -x : x);
  return mapUnits(vector, exact, { down: 0, up: 0, divide, divideBig, place });
}

/** Integers and decimals; undefined for doubles. */
export function numberType(vector: Vector, place: Place): UnitsType | undefined {
  if (!isNumber(vector.type)) throw wrongType(place, vector.type, "a column of numbers");
  return exactType(vector.type);
}

const widened = ({ precision, scale }: UnitsType, to: number): number =>
  Math.min(MOST_DIGITS, Math.max(1, to, precision - scale + to + 1));

export function mapDoubles(vector: Vector, change: (value: number) => number): Vector {
  return mapChunks(vector, new Float64(), (data) => {
    const valid = validOf(data);
    const values = doublesOf(data);
    const out = new Float64Array(values.length);
    for (let i = 0; i < out.length; i++) if (isValid(valid, i)) out[i] = change(values[i]);
    return doubleData(out, valid);
  });
}

/** As {@link mapDoubles}, in WebAssembly. */
export function mapDoubleBlocks(vector: Vector, compute: Parameters<typeof mapBlocks>[3]): Vector {
  return mapChunks(vector, new Float64(), (data) => {
    const valid = validOf(data);
    const out = new Float64Array(mapBlocks(doublesOf(data), data.length, 64, compute).buffer, 0, data.length);
    if (valid !== undefined) for (let i = 0; i < out.length; i++) if (!isValid(valid, i)) out[i] = 0;
    return doubleData(out, valid);
  });
}

/** How whole units change: divided by 10^`down`, and times 10^`up`. */
interface Scaling {
  readonly down: number;
  readonly up: number;
  readonly divide: (x: number, y: number) => number;
  readonly divideBig: (x: bigint, y: bigint) => bigint;
  readonly place: Place;
  /** Called with the place in the chunk of a value that a division does not keep, and its number in the column. */
  readonly onLoss?: ((units: Units, i: number, row: number) => void) | undefined;
}

/** Half to even. */
export const ROUNDED = { divide: quotient, divideBig: bigQuotient };

export const KEPT = { divide: (x: number): number => x, divideBig: (x: bigint): bigint => x };

/** The units of a column scaled to those of a type. */
export function mapUnits(vector: Vector, type: UnitsType, scaling: Scaling): Vector {
  const { down, up, divide, divideBig, place, onLoss } = scaling;
  const count = wordsOf(type);
  const divisor = POWERS[down] <= HALF ? POWERS[down] : Number.NaN;
  const [bigDivisor, factor, bigFactor] = [10n ** BigInt(down), POWERS[up], 10n ** BigInt(up)];
  const most = type.isInteger ? HALF : Math.min(HALF, POWERS[type.precision] - 1);
  return mapChunks(vector, typeOfUnits(type), (data, from) => {
    const units = unitsOf(data);
    const valid = validOf(data);
    const out = new Int32Array(data.length * count);
    for (let i = 0; i < data.length; i++) {
      if (!isValid(valid, i)) continue;
      const x = small(units.words, i * units.step, units.count);
      const divided = Math.abs(x) <= HALF ? divide(x, divisor) : Number.NaN;
      if (Math.abs(divided * factor) <= most) {
        store(out, i * count, count, divided * factor);
        if (onLoss !== undefined && divided * divisor !== x) onLoss(units, i, from + i);
        continue;
      }
      const exact = divideBig(big(units, i), bigDivisor);
      if (onLoss !== undefined && exact * bigDivisor !== big(units, i)) onLoss(units, i, from + i);
      storeChecked(out, i * count, type, exact * bigFactor, { ...place, row: from + i });
    }
    return unitsData(type, data.length, out, valid);
  });
}

function floorQuotient(x: number, y: number): number {
  const whole = Math.trunc(x / y);
  const rest = x - whole * y;
  if (rest < 0) return whole - 1;
  return rest >= y ? whole + 1 : whole;
}

function bigFloor(x: bigint, y: bigint): bigint {
  const whole = x / y;
  return x % y < 0n ? whole - 1n : whole;
}

/** The nearest double of the exact value rounded half to even. */
function roundDouble(value: number, digits: number): number {
  if (!Number.isFinite(value)) return value;
  if (digits < 0) return roundWhole(value, -digits);
  const size = Math.abs(value);
  if (size >= HALF) return value;
  const scaled = digits <= MOST_EXACT_POWER ? size * POWERS[digits] : Number.POSITIVE_INFINITY;
  if (scaled < HALF) {
    const whole = Math.floor(scaled);
    const part = scaled - whole;
    // The product is rounded too, which misleads near a half only.
    const isClear = Math.abs(part - 0.5) > 1e-4 + scaled * 2 ** -52;
    if (isClear) return withSign((part > 0.5 ? whole + 1 : whole) / POWERS[digits], value);
  }
  const [units, scale] = exactParts(size);
  const rounded = bigQuotient(units * 10n ** BigInt(digits), 10n ** BigInt(scale));
  return withSign(Number(`${rounded}e${-digits}`), value);
}

/** Powers of ten up to this are exact doubles. */
const MOST_EXACT_POWER = 22;

function roundWhole(value: number, zeros: number): number {
  const [units, scale] = exactParts(Math.abs(value));
  const rounded = bigQuotient(units, 10n ** BigInt(scale + zeros)) * 10n ** BigInt(zeros);
  return withSign(Number(rounded), value);
}

const withSign = (size: number, value: number): number => (value < 0 || Object.is(value, -0) ? -size : size);

/** All digits of a double and how many of them are after the point. */
function exactParts(size: number): readonly [units: bigint, scale: number] {
  if (size >= 2 ** 53) return [BigInt(size), 0];
  let exponent = 0;
  let whole = size;
  while (!Number.isInteger(whole) && exponent < 1100) {
    whole *= 2;
    exponent++;
  }
  return [BigInt(whole) * 5n ** BigInt(exponent), exponent];
}
