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
import { isValid, needEqualLength, type Validity, validOf, valuesData } from "./chunks.js";
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
  const truths = conditions.map(truthsOf);
  if (values.every((value) => typeof value === "string" || value === null))
    return chosenTexts(branchOfRows(truths, length), values);
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
  return (
    copiedValues(truths, sources, steps, length) ?? takenValues(branchOfRows(truths, length), sources, steps, type)
  );
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
  truths: readonly Uint8Array[],
  sources: readonly (Vector | undefined)[],
  steps: readonly number[],
  length: number,
): Vector | undefined {
  const [like] = (sources.find((source) => source !== undefined && source.length > 0)?.data ?? []) as readonly Data[];
  if (length === 0 || like === undefined || !isFixedWidth(like.type)) return undefined;
  const Parts = like.values instanceof Float64Array ? Float64Array : Int32Array;
  const parts = (like.values.BYTES_PER_ELEMENT * like.stride) / Parts.BYTES_PER_ELEMENT;
  if (!Number.isInteger(parts)) return undefined;
  const out = new Parts(length * parts);
  const hasNulls = sources.some((source) => source === undefined || source.nullCount > 0);
  const valid = hasNulls ? new Uint8Array((length + 7) >> 3) : undefined;
  // The last value first; the rows of other branches are overwritten.
  for (const [branch, source] of [...sources.entries()].reverse()) {
    const own = truths[branch] as Uint8Array | undefined;
    const step = steps[branch];
    if (valid !== undefined) choosePresence(valid, own, source, step);
    let row = 0;
    for (const data of (source?.data ?? []) as readonly Data[]) {
      const { buffer, byteOffset } = data.values as { buffer: ArrayBuffer; byteOffset: number };
      const from = new Parts(buffer, byteOffset, data.length * parts);
      const end = step === 0 ? length : row + data.length;
      if (own !== undefined) copyTrue(own, row, end, { from, step, parts }, out);
      else if (step === 1) out.set(from, row * parts);
      else for (let part = 0; part < out.length; part++) out[part] = from[part % parts];
      row = end;
    }
  }
  const Values = like.values.constructor as new (buffer: ArrayBufferLike) => ArrayBufferView;
  return new Vector([valuesData(like.type, length, new Values(out.buffer), valid)]);
}

/** Takes over which values of a source are null, in the rows whose bit is set; in all without bits. */
function choosePresence(
  valid: Uint8Array,
  bits: Uint8Array | undefined,
  source: Vector | undefined,
  step: number,
): void {
  const own = source === undefined || step === 0 ? undefined : joinedBits(source, validOf);
  const all = source !== undefined && source.nullCount === 0 ? 255 : 0;
  for (let i = 0; i < valid.length; i++) {
    const chosen = bits?.[i] ?? 255;
    valid[i] = (valid[i] & ~chosen) | ((own?.[i] ?? all) & chosen);
  }
}

interface Source {
  readonly from: Float64Array | Int32Array;
  /** 1, or 0 where one value is for all rows. */
  readonly step: number;
  /** Of each value. */
  readonly parts: number;
}

/** Copies the values of the rows whose bit is set; those of `from` begin at row `start`. */
function copyTrue(
  bits: Uint8Array,
  start: number,
  end: number,
  { from, step, parts }: Source,
  out: Source["from"],
): void {
  const stride = step * parts;
  for (let first = start; first < end; first = (first | 7) + 1) {
    const byte = bits[first >> 3];
    if (byte === 0) continue;
    const last = Math.min((first | 7) + 1, end);
    for (let row = first; row < last; row++) {
      if ((byte & (1 << (row & 7))) === 0) continue;
      const at = (row - start) * stride;
      if (parts === 1) out[row] = from[at];
      else for (let part = 0; part < parts; part++) out[row * parts + part] = from[at + part];
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
function branchOfRows(truths: readonly Uint8Array[], length: number): Uint16Array {
  const branches = new Uint16Array(length).fill(truths.length);
  for (const [k, bits] of [...truths.entries()].reverse()) {
    for (let i = 0; i < length; i += 8) {
      const byte = bits[i >> 3];
      const end = byte === 0 ? i : Math.min(i + 8, length);
      for (let row = i; row < end; row++) if ((byte & (1 << (row & 7))) !== 0) branches[row] = k;
    }
  }
  return branches;
}

/** A bit for each row of a condition, set where it is true. */
const truthsOf = (condition: Vector): Uint8Array =>
  joinedBits(condition, (data) => {
    const bits = alignedBits(data.values as Uint8Array, data.offset, data.length);
    const valid = validOf(data);
    return valid === undefined ? bits : bits.map((byte, i) => byte & valid[i]);
  });

/** The bits of all chunks in one row; `read` returns those of a chunk, undefined where all are set. */
function joinedBits(vector: Vector, read: (data: Data) => Validity): Uint8Array {
  const out = new Uint8Array((vector.length + 7) >> 3);
  let at = 0;
  for (const data of vector.data as readonly Data[]) {
    const bits = read(data);
    const bytes = (data.length + 7) >> 3;
    if ((at & 7) === 0) {
      if (bits === undefined) out.fill(255, at >> 3, (at >> 3) + bytes);
      else out.set(bits.subarray(0, bytes), at >> 3);
      if ((data.length & 7) !== 0) out[(at + data.length) >> 3] &= (1 << (data.length & 7)) - 1;
    } else {
      for (let i = 0; i < data.length; i++) if (isValid(bits, i)) out[(at + i) >> 3] |= 1 << ((at + i) & 7);
    }
    at += data.length;
  }
  return out;
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
