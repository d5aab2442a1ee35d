import { InputError } from "../../errors/errors.js";
import type { Vector } from "../arrow/arrow.js";
import { storeChecked } from "./add.js";
import { isValid, unitsData, wordsOf } from "./chunks.js";
import { inBlocksUntil } from "./in-blocks.js";
import { arithmetic, type Operand, type Rows } from "./operands.js";
import type { Place } from "./place.js";
import { big, MOST_DIGITS, small, store, type Units, type UnitsType } from "./units.js";

const TWO_53 = 9_007_199_254_740_992;

/**
 * The product: exact for integers and decimals, whose digits and scales add up (76 digits at most); of doubles as IEEE
 * 754 has it. Null where either is null.
 *
 * @throws {InputError} WrongType, BadArgument, DifferentLength
 * @throws {DataError} Overflow for a result beyond 64 bits (of integers) or 76 digits
 */
export function multiply(left: Vector, right: Operand, place: Place): Vector {
  return arithmetic(left, right, place, {
    doubles(a, b, step, { length, valid }, out) {
      for (let i = 0; i < length; i++) if (isValid(valid, i)) out[i] = a[i] * b[i * step];
    },
    exact(first, second) {
      const type = productType(first, second, place);
      return {
        type,
        compute(a, b, rows) {
          const isNarrow = !type.isInteger && a.count <= 4 && b.count <= 4;
          const words = isNarrow
            ? multiply128(as128(a, rows.length), as128(b, rows.length), type, rows, place)
            : multiplyUnits(a, b, type, rows, place);
          return unitsData(type, rows.length, words, rows.valid);
        },
      };
    },
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

function multiplyUnits(a: Units, b: Units, type: UnitsType, { length, valid, from }: Rows, place: Place): Int32Array {
  const count = wordsOf(type);
  const out = new Int32Array(length * count);
  for (let i = 0; i < length; i++) {
    if (valid !== undefined && (valid[i >> 3] & (1 << (i & 7))) === 0) continue;
    const product = small(a.words, i * a.step, a.count) * small(b.words, i * b.step, b.count);
    if (product < TWO_53 && product > -TWO_53) store(out, i * count, count, product);
    else storeChecked(out, i * count, type, big(a, i) * big(b, i), { ...place, row: from + i });
  }
  return out;
}

/** Multiplies values of 128 bits: most products have as many, the others are computed one by one. */
function multiply128(a: Units, b: Units, type: UnitsType, { length, valid, from }: Rows, place: Place): Int32Array {
  const { words: products, beyond } = inBlocksUntil(a, b, { length, valid }, ({ run, left, right, step, count, out }) =>
    run.multiply(left, right, step, count, out),
  );
  const words = wordsOf(type) === 4 ? products : as256(products);
  for (const i of beyond) {
    storeChecked(words, i * wordsOf(type), type, big(a, i) * big(b, i), { ...place, row: from + i });
  }
  return words;
}

/** Values of at most 128 bits as ones of 128. */
function as128(units: Units, length: number): Units {
  const { words, count, step } = units;
  if (count === 4) return units;
  const out = new Int32Array(length * 4);
  for (let i = 0; i < length; i++) {
    const high = count === 1 ? words[i] >> 31 : words[i * step + 1];
    out[4 * i] = words[i * step];
    out[4 * i + 1] = high;
    out[4 * i + 2] = out[4 * i + 3] = high >> 31;
  }
  return { words: out, count: 4, step: 4 };
}

function as256(words: Int32Array): Int32Array {
  const out = new Int32Array(words.length * 2);
  for (let i = 0; i < words.length; i += 4) {
    for (let w = 0; w < 4; w++) {
      out[2 * i + w] = words[i + w];
      out[2 * i + 4 + w] = words[i + 3] >> 31;
    }
  }
  return out;
}
