import { POWERS } from "../../value/decimal.js";
import type { Vector } from "../arrow/arrow.js";
import { isValid, unitsData, wordsOf } from "./chunks.js";
import { clearNulls, inBlocks } from "./in-blocks.js";
import { arithmetic, type Operand, type Rows } from "./operands.js";
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
  return arithmetic(left, right, place, {
    doubles(a, b, step, { length, valid }, out) {
      for (let i = 0; i < length; i++) if (isValid(valid, i)) out[i] = a[i] + sign * b[i * step];
    },
    exact(first, second) {
      const type = sumType(first, second);
      const [up, otherUp] = [type.scale - first.scale, type.scale - second.scale];
      return {
        type,
        compute(a, b, rows) {
          const isScaled = b.step === 0 && otherUp > 0;
          const other = isScaled ? constantUnits(big(b, 0) * 10n ** BigInt(otherUp)) : b;
          const powers = { left: up, right: isScaled ? 0 : otherUp };
          return unitsData(type, rows.length, addUnits(a, other, { sign, powers, type, place }, rows), rows.valid);
        },
      };
    },
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

interface Addition {
  readonly sign: 1 | -1;
  /** Powers of ten that bring the operands to the scale of the sum. */
  readonly powers: { readonly left: number; readonly right: number };
  readonly type: UnitsType;
  readonly place: Place;
}

function addUnits(a: Units, b: Units, { sign, powers, type, place }: Addition, rows: Rows): Int32Array {
  const { length, valid, from } = rows;
  const count = wordsOf(type);
  if (a.count === 4 && b.count === 4 && count === 4 && powers.left === 0 && powers.right === 0) {
    const sums = inBlocks(a, b, length, ({ run, left, right, step, count, out }) => {
      if (sign > 0) run.add(left, right, step, count, out);
      else run.subtract(left, right, step, count, out);
    });
    clearNulls(sums, valid, length);
    return sums;
  }
  const out = new Int32Array(length * count);
  const fa = POWERS[powers.left];
  const fb = POWERS[powers.right];
  for (let i = 0; i < length; i++) {
    if (valid !== undefined && (valid[i >> 3] & (1 << (i & 7))) === 0) continue;
    const x = small(a.words, i * a.step, a.count) * fa;
    const y = small(b.words, i * b.step, b.count) * fb;
    if (Math.abs(x) <= HALF && Math.abs(y) <= HALF) store(out, i * count, count, x + sign * y);
    else {
      const sum = big(a, i) * 10n ** BigInt(powers.left) + BigInt(sign) * big(b, i) * 10n ** BigInt(powers.right);
      storeChecked(out, i * count, type, sum, { ...place, row: from + i });
    }
  }
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
  place: Place & { readonly row: number },
): void {
  const size = value < 0n ? -value : value;
  if (type.isInteger ? size > INT64_LIMIT - (value < 0n ? 0n : 1n) : size >= 10n ** BigInt(type.precision)) {
    const name = type.isInteger ? "64 bits" : `${type.precision} digits`;
    throw tooLarge(place, place.row, `${value}${type.scale === 0 ? "" : `e-${type.scale}`}`, name);
  }
  storeBig(out, at, wordsOf(type), value);
}
