import { InputError } from "../../errors/errors.js";
import { type Data, type DataType, Vector } from "../arrow/arrow.js";
import { chunkReader } from "../arrow/cell-reader.js";
import { columnType } from "../arrow/types.js";
import { both, mapChunks, mapPairs, type Pair, type Validity, validOf } from "./chunks.js";
import { type Constant, exactConstant, numberConstant } from "./constant.js";
import { type Place, unlike, wrongType } from "./place.js";
import { constantUnits, exactType, MOST_DIGITS, type Units, type UnitsType, unitsOf } from "./units.js";

/** The other operand: a column, or one value for every row. */
export type Operand = Vector | Constant;

/** Two columns of units, or a column and a constant, chunk by chunk. */
interface ExactOperands {
  readonly left: UnitsType;
  readonly right: UnitsType;
  /** Computes every chunk; `from` is its first row. */
  map(type: DataType, compute: (a: Units, b: Units, valid: Validity, length: number, from: number) => Data): Vector;
}

/** As {@link ExactOperands}, for doubles; a constant is an array of one, `step` 0. */
interface DoubleOperands {
  map(
    type: DataType,
    compute: (a: Float64Array, b: Float64Array, step: 0 | 1, valid: Validity, length: number) => Data,
  ): Vector;
}

/** Numbers, as the types of two operands say: exact, doubles where either is one, or nothing but nulls. */
export type NumberOperands =
  | { readonly kind: "exact"; readonly operands: ExactOperands }
  | { readonly kind: "double"; readonly operands: DoubleOperands }
  | { readonly kind: "null" };

/** Whether a column holds numbers: integers, decimals and floating point. */
export const isNumber = (type: DataType): boolean => columnType(type).scale === "number";

/**
 * A column of numbers and the other operand, brought to one kind.
 *
 * @throws {InputError} WrongType, BadArgument, DifferentLength
 */
export function numberOperands(left: Vector, right: Operand, place: Place): NumberOperands {
  if (!isNumber(left.type)) throw wrongType(place, left.type, "a column of numbers");
  if (right === null) return { kind: "null" };
  const exact = exactType(left.type);
  if (right instanceof Vector) {
    if (!isNumber(right.type)) throw unlike(place, left.type, right.type);
    const other = exactType(right.type);
    if (exact === undefined || other === undefined) return { kind: "double", operands: doubles(left, right, place) };
    return {
      kind: "exact",
      operands: {
        left: exact,
        right: other,
        map: (type, compute) =>
          mapPairs(left, right, type, place, (pair) => {
            const { valid, length } = rowsOf(pair);
            return compute(unitsOf(pair.left), unitsOf(pair.right), valid, length, pair.from);
          }),
      },
    };
  }
  if (exact === undefined)
    return { kind: "double", operands: doublesAnd(left, numberConstant(right, left.type, place)) };
  const constant = exactConstant(right, left.type, place);
  if (constant === undefined) return { kind: "double", operands: doublesAnd(left, right as number) };
  const { units, scale } = constant;
  const precision = Math.max(String(units < 0n ? -units : units).length, scale, 1);
  if (precision > MOST_DIGITS) throw tooManyDigits(place, precision);
  const constantPart = constantUnits(units);
  return {
    kind: "exact",
    operands: {
      left: exact,
      right: { precision, scale, isInteger: scale === 0 && precision < 19 },
      map: (type, compute) =>
        mapChunks(left, type, (data, from) => compute(unitsOf(data), constantPart, validOf(data), data.length, from)),
    },
  };
}

function tooManyDigits({ column, method }: Place, digits: number): InputError {
  return new InputError(`${method} of column ${JSON.stringify(column)}: the constant has ${digits} digits.`, {
    code: "BadArgument",
    column,
    hint: `Decimals have at most ${MOST_DIGITS}; round the constant, or use cast("double") on the column.`,
  });
}

const rowsOf = ({ left, right }: Pair): { valid: Validity; length: number } => ({
  valid: both(validOf(left), validOf(right)),
  length: left.length,
});

const doubles = (left: Vector, right: Vector, place: Place): DoubleOperands => ({
  map: (type, compute) =>
    mapPairs(left, right, type, place, (pair) => {
      const { valid, length } = rowsOf(pair);
      return compute(doublesOf(pair.left), doublesOf(pair.right), 1, valid, length);
    }),
});

function doublesAnd(left: Vector, constant: number): DoubleOperands {
  const values = Float64Array.of(constant);
  return {
    map: (type, compute) =>
      mapChunks(left, type, (data) => compute(doublesOf(data), values, 0, validOf(data), data.length)),
  };
}

/** The nearest doubles of a chunk of numbers; 0 in rows of other types than `Float64` that hold none. */
export function doublesOf(data: Data): Float64Array {
  if (data.values instanceof Float64Array) return data.values.subarray(0, data.length);
  const { valid, number } = chunkReader(data);
  const values = new Float64Array(data.length);
  if (number !== undefined) for (let i = 0; i < values.length; i++) if (valid(i)) values[i] = number(i);
  return values;
}
