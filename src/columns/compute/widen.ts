import { type Data, DataType, type Vector } from "../arrow/arrow.js";
import { vectorToNumbers } from "../arrow/vector-values.js";
import { cast, commonType } from "./cast.js";
import { isValid, validOf } from "./chunks.js";
import { isNumber } from "./operands.js";
import type { Place } from "./place.js";

/**
 * Columns of numbers as one type that holds the values of all exactly: decimals of more digits, or doubles where the
 * others are integers up to 2^53; undefined where there is none.
 *
 * @throws {DataError} Overflow for decimals of more than 76 digits
 */
export function widened(vectors: readonly Vector[], place: Place): readonly Vector[] | undefined {
  const types = vectors.map(({ type }) => type as DataType);
  if (!types.every(isNumber)) return undefined;
  const type = types.reduce((common, other) => commonType(common, other, place));
  if (DataType.isFloat(type)) {
    const isExact = vectors.every((vector, i) => DataType.isFloat(types[i]) || isSafe(vector));
    if (!isExact) return undefined;
  }
  return vectors.map((vector) => cast(vector, type, {}, place));
}

/** Whether a column holds only integers that doubles hold. */
function isSafe(vector: Vector): boolean {
  if (!DataType.isInt(vector.type)) return false;
  const numbers = vectorToNumbers(vector);
  let row = 0;
  for (const data of vector.data as readonly Data[]) {
    const valid = validOf(data);
    for (let i = 0; i < data.length; i++, row++) {
      if (isValid(valid, i) && !Number.isSafeInteger(numbers[row])) return false;
    }
  }
  return true;
}
