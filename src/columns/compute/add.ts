import { POWERS } from "../../value/decimal.js";
import { Float64, type Vector } from "../arrow/arrow.js";
import { doubleData, isValid, nullDoubles, typeOfUnits, unitsData, type Validity, wordsOf } from "./chunks.js";
import { clearNulls, inBlocks } from "./in-blocks.js";
import { numberOperands, type Operand } from "./operands.js";
import { type Place, tooLarge } from "./place.js";
import { big, constantUnits, MOST_DIGITS, small, store, storeBig, type Units, type UnitsType } from "./units.js";

/** Sizes up to this add up to a whole number that a double holds. */
const HALF = 2 ** 52;

/**
 * The sum (`sign` 1) or difference (−1): exact for integers and decimals, one digit wider, with the larger scale; of
 * doubles as IEEE 754 has it. Null where either is null.
 *
 * @throws {InputError} WrongType, BadArgument, DifferentLength
 * @throws {DataError} Overflow for a result beyond 64 bits (of integers) or 76 digits
 */
export function add(left: Vector, right: Operand, sign: 1 | -1, place: Place): Vector {
  const numbers = numberOperands(left, right, place);
  if (numbers.kind === "null") return nullDoubles(left);
  if (numbers.kind === "double") {
    return numbers.operands.map(new Float64(), (a, b, step, valid, length) => {
      const out = new Float64Array(length);
      for (let i = 0; i < length; i++) if (isValid(valid, i)) out[i] = a[i] + sign * b[i * step];
      return doubleData(out, valid);
    });
  }
  const { operands } = numbers;
  const type = sumType(operands.left, operands.right);
  const powers = { left: type.scale - operands.left.scale, right: type.scale - operands.right.scale };
  return operands.map(typeOfUnits(type), (a, other, valid, length, from) => {
    const isScaled = other.step === 0 && powers.right > 0;
    const b = isScaled ? constantUnits(big(other, 0) * 10n ** BigInt(powers.right)) : other;
    const right = isScaled ? 0 : powers.right;
    if (a.count === 4 && b.count === 4 && wordsOf(type) === 4 && powers.left === 0 && right === 0) {
      return unitsData(type, length, add128(a, b, sign, valid, length), valid);
    }
    const words = new Int32Array(length * wordsOf(type));
    addUnits(a, b, sign, { left: powers.left, right }, type, words, valid, length, from, place);
    return unitsData(type, length, words, valid);
  });
}

/** The type of a sum: one digit more than the wider operand has before the point, and the larger scale. */
function sumType(a: UnitsType, b: UnitsType): UnitsType {
  const scale = Math.max(a.scale, b.scale);
  const whole = Math.max(a.precision - a.scale, b.precision - b.scale);
  return {
    scale,
    precision: Math.max(1, scale, Math.min(MOST_DIGITS, whole + scale + 1)),
    isInteger: a.isInteger && b.isInteger,
  };
}

function addUnits(
  a: Units,
  b: Units,
  sign: 1 | -1,
  powers: { readonly left: number; readonly right: number },
  type: UnitsType,
  out: Int32Array,
  valid: Validity,
  length: number,
  from: number,
  place: Place,
): void {
  const count = wordsOf(type);
  const fa = POWERS[powers.left];
  const fb = POWERS[powers.right];
  for (let i = 0; i < length; i++) {
    if (valid !== undefined && (valid[i >> 3] & (1 << (i & 7))) === 0) continue;
    const x = small(a.words, i * a.step, a.count) * fa;
    const y = small(b.words, i * b.step, b.count) * fb;
    if (Math.abs(x) <= HALF && Math.abs(y) <= HALF) store(out, i * count, count, x + sign * y);
    else {
      const sum = big(a, i) * 10n ** BigInt(powers.left) + BigInt(sign) * big(b, i) * 10n ** BigInt(powers.right);
      storeChecked(out, i * count, type, sum, from + i, place);
    }
  }
}

/** Adds decimals of 128 bits of one scale, whose sums have 128 bits too. Leaves 0 in rows that hold no value. */
function add128(a: Units, b: Units, sign: 1 | -1, valid: Validity, length: number): Int32Array {
  const out = inBlocks(a, b, length, ({ run, left, right, step, count, out }) =>
    run.add(left, right, step, count, sign, out),
  );
  clearNulls(out, valid, length);
  return out;
}

const INT64_LIMIT = 2n ** 63n;

/**
 * Writes a result of any size.
 *
 * @throws {DataError} Overflow where the type does not hold it
 */
export function storeChecked(
  out: Int32Array,
  at: number,
  type: UnitsType,
  value: bigint,
  row: number,
  place: Place,
): void {
  const size = value < 0n ? -value : value;
  if (type.isInteger ? size > INT64_LIMIT - (value < 0n ? 0n : 1n) : size >= 10n ** BigInt(type.precision)) {
    const name = type.isInteger ? "64 bits" : `${type.precision} digits`;
    throw tooLarge(place, row, `${value}${type.scale === 0 ? "" : `e-${type.scale}`}`, name);
  }
  storeBig(out, at, wordsOf(type), value);
}
