import { InputError } from "../../errors/errors.js";
import { type Data, type DataType, Float64, Vector } from "../arrow/arrow.js";
import { chunkReader } from "../arrow/cell-reader.js";
import { columnType } from "../arrow/types.js";
import { decimalDoubles } from "../table/decimal-doubles.js";
import { both, doubleData, mapChunks, mapPairs, nullDoubles, typeOfUnits, type Validity, validOf } from "./chunks.js";
import { type Constant, type ExactConstant, exactConstant, numberConstant } from "./constant.js";
import { type Place, unlike, wrongType } from "./place.js";
import { constantUnits, exactType, MOST_DIGITS, type Units, type UnitsType, unitsOf } from "./units.js";

/** The other operand: a column, or one value for every row. */
export type Operand = Vector | Constant;

/** The rows of a chunk: which hold values in both operands, and the number of the first in the column. */
export interface Rows {
  readonly length: number;
  readonly valid: Validity;
  readonly from: number;
}

/** How two numbers become one. */
interface Arithmetic {
  /** Fills `out` from doubles; where `step` is 0, `b` has one value for all rows. */
  readonly doubles: (a: Float64Array, b: Float64Array, step: 0 | 1, rows: Rows, out: Float64Array) => void;
  /**
   * For units of these types, the type of the results and how a chunk of them is computed; without it, doubles are
   * computed of exact values too.
   */
  readonly exact?: (
    left: UnitsType,
    right: UnitsType,
  ) => { readonly type: UnitsType; readonly compute: (a: Units, b: Units, rows: Rows) => Data };
}

/** Whether a column holds numbers: integers, decimals and floating point. */
export const isNumber = (type: DataType): boolean => columnType(type).scale === "number";

/**
 * A column of numbers computed with the other operand: exactly, or as doubles where either is one; null where either is
 * null.
 *
 * @throws {InputError} WrongType, BadArgument, DifferentLength
 */
export function arithmetic(left: Vector, right: Operand, place: Place, how: Arithmetic): Vector {
  if (!isNumber(left.type)) throw wrongType(place, left.type, "a column of numbers");
  if (right === null) return nullDoubles(left);
  if (right instanceof Vector && !isNumber(right.type)) throw unlike(place, left.type, right.type);
  const exact = how.exact && exactType(left.type);
  const constant = right instanceof Vector || exact === undefined ? undefined : exactConstant(right, left.type, place);
  const other = right instanceof Vector ? exactType(right.type) : constant && constantType(constant, place);
  if (how.exact === undefined || exact === undefined || other === undefined) {
    const number = right instanceof Vector ? 0 : numberConstant(right, left.type, place);
    return mapRows(left, right, new Float64(), place, (a, b, rows) => {
      const out = new Float64Array(rows.length);
      how.doubles(
        doublesOf(a),
        b === undefined ? Float64Array.of(number) : doublesOf(b),
        b === undefined ? 0 : 1,
        rows,
        out,
      );
      return doubleData(out, rows.valid);
    });
  }
  const { type, compute } = how.exact(exact, other);
  const units = constant && constantUnits(constant.units);
  return mapRows(left, right, typeOfUnits(type), place, (a, b, rows) =>
    compute(unitsOf(a), units ?? unitsOf(b as Data), rows),
  );
}

/** Computes each chunk of a column, with that of the other where it is a column. */
export function mapRows(
  left: Vector,
  right: Operand,
  type: DataType,
  place: Place,
  compute: (a: Data, b: Data | undefined, rows: Rows) => Data,
): Vector {
  if (right instanceof Vector) {
    return mapPairs(left, right, type, place, ({ left: a, right: b, from }) =>
      compute(a, b, { length: a.length, valid: both(validOf(a), validOf(b)), from }),
    );
  }
  return mapChunks(left, type, (data, from) =>
    compute(data, undefined, { length: data.length, valid: validOf(data), from }),
  );
}

function constantType({ units, scale }: ExactConstant, place: Place): UnitsType {
  const precision = Math.max(String(units < 0n ? -units : units).length, scale, 1);
  if (precision > MOST_DIGITS) throw tooManyDigits(place, precision);
  return { precision, scale, isInteger: scale === 0 && precision < 19 };
}

function tooManyDigits({ column, method }: Place, digits: number): InputError {
  return new InputError(`${method} of column ${JSON.stringify(column)}: the constant has ${digits} digits.`, {
    code: "BadArgument",
    column,
    hint: `Decimals have at most ${MOST_DIGITS}; round the constant, or use cast("double") on the column.`,
  });
}

/** The nearest doubles of a chunk of numbers; 0 in rows of other types than `Float64` that hold none. */
export function doublesOf(data: Data): Float64Array {
  if (data.values instanceof Float64Array) return data.values.subarray(0, data.length);
  const decimals = data.nullCount === 0 ? decimalDoubles([data], data.length) : undefined;
  if (decimals !== undefined) return decimals;
  const { valid, number } = chunkReader(data);
  const values = new Float64Array(data.length);
  if (number !== undefined) for (let i = 0; i < values.length; i++) if (valid(i)) values[i] = number(i);
  return values;
}
