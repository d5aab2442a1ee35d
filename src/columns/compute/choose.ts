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
import { isFixedWidth } from "../table/take-fixed.js";
import { cast, castConstant, commonType } from "./cast.js";
import { isValid, needEqualLength, validOf, valuesData } from "./chunks.js";
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
  const sources = made.map((vector) => vector && cast(vector, type, {}, place));
  const steps = values.map((value) => (value instanceof Vector ? 1 : 0));
  return copiedValues(branches, sources, steps) ?? takenValues(branches, sources, steps, type);
}

function takenValues(
  branches: Uint16Array,
  sources: readonly (Vector | undefined)[],
  steps: readonly number[],
  type: DataType,
): Vector {
  const chunks: Data[] = [];
  let rows = 0;
  const starts = sources.map((source) => {
    const from = source === undefined ? -1 : rows;
    rows += source?.length ?? 0;
    chunks.push(...((source?.data ?? []) as readonly Data[]));
    return from;
  });
  const picks = new Int32Array(branches.length);
  for (let i = 0; i < picks.length; i++) picks[i] = starts[branches[i]] + steps[branches[i]] * i;
  return takeColumn(new Vector(chunks.length === 0 ? [emptyData(type)] : chunks), picks);
}

/** Values of 4 bytes or a multiple, copied source by source; undefined for others. */
function copiedValues(
  branches: Uint16Array,
  sources: readonly (Vector | undefined)[],
  steps: readonly number[],
): Vector | undefined {
  const { length } = branches;
  const [like] = (sources.find((source) => source !== undefined && source.length > 0)?.data ?? []) as readonly Data[];
  if (length === 0 || like === undefined || !isFixedWidth(like.type)) return undefined;
  const Parts = like.values instanceof Float64Array ? Float64Array : Int32Array;
  const parts = (like.values.BYTES_PER_ELEMENT * like.stride) / Parts.BYTES_PER_ELEMENT;
  if (!Number.isInteger(parts)) return undefined;
  const out = new Parts(length * parts);
  const hasNulls = sources.some((source) => source === undefined || source.nullCount > 0);
  const marks = hasNulls ? new Uint8Array((length + 7) >> 3) : undefined;
  for (const [branch, source] of [...sources.entries()].reverse()) {
    const step = steps[branch];
    let row = 0;
    for (const data of (source?.data ?? []) as readonly Data[]) {
      const { buffer, byteOffset } = data.values as { buffer: ArrayBuffer; byteOffset: number };
      const from = new Parts(buffer, byteOffset, data.length * parts);
      const end = step === 0 ? length : row + data.length;
      const rows = branches.subarray(row, end);
      // The rows of other branches are overwritten.
      if (branch === sources.length - 1 && step === 1) out.set(from, row * parts);
      else if (branch === sources.length - 1 && parts === 1) out.fill(from[0]);
      else copyParts(rows, branch, { from, step, parts }, out.subarray(row * parts));
      const valid = validOf(data);
      for (let i = 0; marks !== undefined && i < rows.length; i++) {
        if (rows[i] === branch && isValid(valid, i * step)) marks[(row + i) >> 3] |= 1 << ((row + i) & 7);
      }
      row = end;
    }
  }
  const Values = like.values.constructor as new (buffer: ArrayBufferLike) => ArrayBufferView;
  return new Vector([valuesData(like.type, length, new Values(out.buffer), marks)]);
}

interface Source {
  readonly from: Float64Array | Int32Array;
  /** 1, or 0 where one value is for all rows. */
  readonly step: number;
  /** Of each value. */
  readonly parts: number;
}

/** Copies the values of the rows in a branch. */
function copyParts(branches: Uint16Array, branch: number, { from, step, parts }: Source, out: Source["from"]): void {
  if (parts === 1) {
    for (let row = 0; row < branches.length; row++) if (branches[row] === branch) out[row] = from[row * step];
    return;
  }
  const stride = step * parts;
  for (let row = 0; row < branches.length; row++) {
    if (branches[row] !== branch) continue;
    const [to, at] = [row * parts, row * stride];
    for (let part = 0; part < parts; part += 2) {
      out[to + part] = from[at + part];
      out[to + part + 1] = from[at + part + 1];
    }
  }
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
      for (let i = 0; i < data.length; i += 8) {
        const byte = bits[i >> 3] & (valid?.[i >> 3] ?? 255);
        const end = byte === 0 ? i : Math.min(i + 8, data.length);
        for (let row = i; row < end; row++) if ((byte & (1 << (row & 7))) !== 0) branches[at + row] = k;
      }
      at += data.length;
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
