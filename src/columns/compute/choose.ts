import { InputError } from "../../errors/errors.js";
import { shown } from "../../errors/shown.js";
import {
  Bool,
  type Data,
  DataType,
  Dictionary,
  Float64,
  Int32,
  Int64,
  TimestampMillisecond,
  Utf8,
  Vector,
} from "../arrow/arrow.js";
import { alignedBits } from "../arrow/bits.js";
import { emptyData } from "../arrow/record-batch.js";
import { takeColumn } from "../table/take.js";
import { cast, castConstant, commonType } from "./cast.js";
import { isValid, needEqualLength, validOf } from "./chunks.js";
import type { Constant } from "./constant.js";
import { dictionaryData, textData } from "./map-texts.js";
import type { Operand } from "./operands.js";
import { type Place, wrongType } from "./place.js";

/**
 * For each row the value that belongs to the first condition which is true, else the last value. Numbers take the type
 * that holds them all.
 *
 * @param values one for each condition, and one more: columns as long as the conditions, and constants
 * @throws {InputError} WrongType, BadArgument, DifferentLength
 */
export function choose(conditions: readonly Vector[], values: readonly Operand[], place: Place): Vector {
  const [{ length }] = conditions;
  for (const condition of conditions) {
    if (!DataType.isBool(condition.type)) throw wrongType(place, condition.type, "conditions: columns of booleans");
    needEqualLength(conditions[0], condition, place);
  }
  const columns = values.filter((value) => value instanceof Vector);
  for (const column of columns) needEqualLength(conditions[0], column, place);
  const branches = branchOfRows(conditions, length);
  if (values.every((value) => typeof value === "string" || value === null)) return chosenTexts(branches, values);
  const like = columns[0]?.type ?? typeOfConstants(values as readonly Constant[], place);
  const made = values.map((value) =>
    value instanceof Vector ? value : value === null ? undefined : castConstant(value, like, place),
  );
  const held = made.filter((vector) => vector !== undefined);
  const type = held
    .map((vector) => vector.type as DataType)
    .reduce((a, b) => commonType(a, b, place), like as DataType);
  const chunks: Data[] = [];
  let rows = 0;
  const starts = made.map((vector, k) => {
    if (vector === undefined) return { from: -1, step: 0 };
    const from = rows;
    rows += vector.length;
    chunks.push(...(cast(vector, type, {}, place).data as readonly Data[]));
    return { from, step: values[k] instanceof Vector ? 1 : 0 };
  });
  const picks = new Int32Array(length);
  for (let i = 0; i < length; i++) {
    const { from, step } = starts[branches[i]];
    picks[i] = from + step * i;
  }
  return takeColumn(new Vector(chunks.length === 0 ? [emptyData(type)] : chunks), picks);
}

/** Texts by row: the values are the dictionary. */
function chosenTexts(branches: Uint16Array, values: readonly (string | null)[]): Vector {
  const texts = [...new Set(values)].filter((text) => text !== null);
  const codeOf = values.map((text) => (text === null ? -1 : texts.indexOf(text)));
  const codes = new Int32Array(branches.length);
  for (let row = 0; row < codes.length; row++) codes[row] = codeOf[branches[row]];
  return new Vector([
    dictionaryData(new Dictionary(new Utf8(), new Int32()), codes, new Vector([textData(texts)]) as Vector<Utf8>),
  ]);
}

/** The number of the first condition that is true for each row; that of the last value where none is. */
function branchOfRows(conditions: readonly Vector[], length: number): Uint16Array {
  const branches = new Uint16Array(length).fill(conditions.length);
  for (const [k, condition] of [...conditions.entries()].reverse()) {
    let at = 0;
    for (const data of condition.data as readonly Data[]) {
      const valid = validOf(data);
      const bits = alignedBits(data.values as Uint8Array, data.offset, data.length);
      for (let i = 0; i < data.length; i++, at++) {
        if ((bits[i >> 3] & (1 << (i & 7))) !== 0 && isValid(valid, i)) branches[at] = k;
      }
    }
  }
  return branches;
}

/** The type of a column of these constants. */
function typeOfConstants(values: readonly Constant[], { method }: Place): DataType {
  const value = values.find((constant) => constant !== null);
  switch (typeof value) {
    case "undefined":
    case "string":
      return new Dictionary(new Utf8(), new Int32());
    case "number":
      return new Float64();
    case "bigint":
      return new Int64();
    case "boolean":
      return new Bool();
    default:
      if (value instanceof Date) return new TimestampMillisecond("UTC");
      throw new InputError(
        `${method} expects columns, strings, numbers, booleans, dates or null; got ${shown(value)}.`,
        {
          code: "BadArgument",
          hint: 'Pass a column or one value: when(close.gt(10)).then("high").otherwise("low").',
        },
      );
  }
}
