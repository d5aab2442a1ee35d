import { Bool, type Data, type DataType, Vector } from "../arrow/arrow.js";
import { missingCount } from "../arrow/bits.js";
import { takeVector } from "../table/take.js";
import { cast, castConstant, commonType } from "./cast.js";
import { isValid, mapChunks, needEqualLength, presentOf, truthData } from "./chunks.js";
import type { Constant } from "./constant.js";
import type { Place } from "./place.js";

/** Which rows hold no value or NaN; never null itself. */
export function isNull(vector: Vector): Vector {
  return mapChunks(vector, new Bool(), (data) => {
    const valid = presentOf(data);
    const bits = valid === undefined ? new Uint8Array((data.length + 7) >> 3) : valid.map((byte) => ~byte);
    if ((data.length & 7) !== 0) bits[bits.length - 1] &= (1 << (data.length & 7)) - 1;
    return truthData(data.length, bits, undefined);
  });
}

/**
 * The column with its nulls (and NaN) replaced by a constant or by the values of another column, whose own nulls stay.
 * Numbers take the type that holds both: decimals of more digits, or doubles.
 *
 * @throws {InputError} WrongType, BadArgument, DifferentLength
 */
export function fill(vector: Vector, value: Vector | Constant, place: Place): Vector {
  if (value === null || (typeof value === "number" && Number.isNaN(value))) return vector;
  const other = value instanceof Vector ? value : castConstant(value, vector.type, place);
  if (value instanceof Vector) needEqualLength(vector, value, place);
  const type = commonType(vector.type, other.type, place);
  const [left, right] = [cast(vector, type, {}, place), cast(other, type, {}, place)];
  if (missingCount(left.data as readonly Data[]) === 0) return left;
  const picks = new Int32Array(left.length);
  let at = 0;
  for (const data of left.data as readonly Data[]) {
    const valid = presentOf(data);
    for (let i = 0; i < data.length; i++, at++) {
      picks[at] = isValid(valid, i) ? at : left.length + (value instanceof Vector ? at : 0);
    }
  }
  return takeVector(new Vector([...left.data, ...right.data] as Data<DataType>[]), picks);
}
