import { InputError } from "../../errors/errors.js";
import { Float64, type Vector } from "../arrow/arrow.js";
import { storeChecked } from "./add.js";
import { doubleData, isValid, nullDoubles, typeOfUnits, unitsData, type Validity, wordsOf } from "./chunks.js";
import { clearNulls, inBlocks } from "./in-blocks.js";
import { numberOperands, type Operand } from "./operands.js";
import type { Place } from "./place.js";
import { big, MOST_DIGITS, small, small128, store, type Units, type UnitsType } from "./units.js";

const TWO_32 = 4_294_967_296;
const TWO_53 = 9_007_199_254_740_992;

/**
 * The product: exact for integers and decimals, whose digits and scales add up (76 digits at most); of doubles as IEEE
 * 754 has it. Null where either is null.
 *
 * @throws {InputError} WrongType, BadArgument, DifferentLength
 * @throws {DataError} Overflow for a result beyond 64 bits (of integers) or 76 digits
 */
export function multiply(left: Vector, right: Operand, place: Place): Vector {
  const numbers = numberOperands(left, right, place);
  if (numbers.kind === "null") return nullDoubles(left);
  if (numbers.kind === "double") {
    return numbers.operands.map(new Float64(), (a, b, step, valid, length) => {
      const out = new Float64Array(length);
      for (let i = 0; i < length; i++) if (isValid(valid, i)) out[i] = a[i] * b[i * step];
      return doubleData(out, valid);
    });
  }
  const { operands } = numbers;
  const type = productType(operands.left, operands.right, place);
  return operands.map(typeOfUnits(type), (a, b, valid, length, from) => {
    if (a.count === 4 && b.count === 4 && wordsOf(type) === 4) {
      const words = multiply128(a, b, type, valid, length, from, place);
      if (words !== undefined) return unitsData(type, length, words, valid);
    }
    const words = new Int32Array(length * wordsOf(type));
    multiplyUnits(a, b, type, words, valid, length, from, place);
    return unitsData(type, length, words, valid);
  });
}

function productType(a: UnitsType, b: UnitsType, { column, method }: Place): UnitsType {
  const scale = a.scale + b.scale;
  if (scale <= MOST_DIGITS) {
    const precision = Math.max(scale, Math.min(MOST_DIGITS, a.precision + b.precision));
    return { scale, precision, isInteger: a.isInteger && b.isInteger };
  }
  throw new InputError(
    `${method} of column ${JSON.stringify(column)}: a product with ${scale} digits after the point; decimals have at most ${MOST_DIGITS}.`,
    { code: "BadArgument", column, hint: "Round one side first: column.round(6)." },
  );
}

function multiplyUnits(
  a: Units,
  b: Units,
  type: UnitsType,
  out: Int32Array,
  valid: Validity,
  length: number,
  from: number,
  place: Place,
): void {
  const count = wordsOf(type);
  const isNarrow = a.count === 4 && b.count === 4;
  for (let i = 0; i < length; i++) {
    if (valid !== undefined && (valid[i >> 3] & (1 << (i & 7))) === 0) continue;
    const x = isNarrow ? small128(a.words, i * a.step) : small(a.words, i * a.step, a.count);
    const y = isNarrow ? small128(b.words, i * b.step) : small(b.words, i * b.step, b.count);
    const product = x * y;
    if (product < TWO_53 && product > -TWO_53) store(out, i * count, count, product);
    // A product of two such values has at most 32 digits, which every decimal of 128 bits holds.
    else if (count > 2 && !Number.isNaN(product)) longProduct(x, y, out, i * count, count);
    else storeChecked(out, i * count, type, big(a, i) * big(b, i), from + i, place);
  }
}

/** Multiplies decimals of 128 bits whose product has as many; undefined without memory for WebAssembly. */
function multiply128(
  a: Units,
  b: Units,
  type: UnitsType,
  valid: Validity,
  length: number,
  from: number,
  place: Place,
): Int32Array | undefined {
  const words = inBlocks(a, b, length, ({ run, left, right, step, count, out, first, results }) => {
    for (let i = 0; i < count; i++) {
      i += run.multiply(left + i * 16, right + i * step, step, count - i, out + i * 16);
      if (i === count || !isValid(valid, first + i)) continue;
      storeChecked(results, i * 4, type, big(a, first + i) * big(b, first + i), from + first + i, place);
    }
  });
  if (words !== undefined) clearNulls(words, valid, length);
  return words;
}

/** Writes the product of two whole numbers below 2^53 in size, by parts of 32 bits. */
function longProduct(x: number, y: number, out: Int32Array, at: number, count: number): void {
  const isNegative = x < 0 !== y < 0;
  const a = Math.abs(x);
  const b = Math.abs(y);
  const aHigh = Math.floor(a / TWO_32);
  const bHigh = Math.floor(b / TWO_32);
  const aLow = a - aHigh * TWO_32;
  const bLow = b - bHigh * TWO_32;
  // The product of the lower parts has 64 bits; its lower half is known, and the double is off by less than 2^11.
  const low = Math.imul(aLow, bLow);
  const carry = Math.floor((aLow * bLow - (low >>> 0)) / TWO_32 + 0.5);
  const first = aLow * bHigh;
  const second = aHigh * bLow;
  const firstHigh = Math.floor(first / TWO_32);
  const secondHigh = Math.floor(second / TWO_32);
  const middle = carry + (first - firstHigh * TWO_32) + (second - secondHigh * TWO_32);
  const middleHigh = Math.floor(middle / TWO_32);
  const upper = aHigh * bHigh + firstHigh + secondHigh + middleHigh;
  const w1 = middle | 0;
  const w2 = upper | 0;
  const w3 = Math.floor(upper / TWO_32) | 0;
  if (isNegative) {
    out[at] = -low;
    const c1 = low === 0 ? 1 : 0;
    out[at + 1] = ~w1 + c1;
    const c2 = c1 === 1 && w1 === 0 ? 1 : 0;
    out[at + 2] = ~w2 + c2;
    out[at + 3] = ~w3 + (c2 === 1 && w2 === 0 ? 1 : 0);
  } else {
    out[at] = low;
    out[at + 1] = w1;
    out[at + 2] = w2;
    out[at + 3] = w3;
  }
  if (count > 4) out.fill(out[at + 3] >> 31, at + 4, at + count);
}
