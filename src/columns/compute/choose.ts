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
import { columnProgram } from "../table/column-program.js";
import { takeColumn } from "../table/take.js";
import { isFixedWidth } from "../table/take-fixed.js";
import { PART_ROWS, partBuffers } from "../table/take-places.js";
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

/** Bytes of a value that the program copies. */
const WIDTHS: readonly number[] = [4, 8, 16, 32];
/** Rows of one call of the program. */
const CALL = 8_192;
/** Bytes of the rows of one call. */
const ROOM = CALL * 32;

/** Values of fixed width, copied source by source in WebAssembly; undefined for others. */
function copiedValues(
  truths: readonly Uint8Array[],
  sources: readonly (Vector | undefined)[],
  steps: readonly number[],
  length: number,
): Vector | undefined {
  const [like] = (sources.find((source) => source !== undefined && source.length > 0)?.data ?? []) as readonly Data[];
  if (length === 0 || like === undefined || !isFixedWidth(like.type)) return undefined;
  const width = like.values.BYTES_PER_ELEMENT * like.stride;
  if (!WIDTHS.includes(width)) return undefined;
  const valid = sources.some((source) => source === undefined || source.nullCount > 0)
    ? presenceOf(truths, sources, steps, length)
    : undefined;
  const branches = sources.map((source, k) => source && { rows: rowReader(source, width), step: steps[k] * width });
  const Values = like.values.constructor as new (buffer: ArrayBufferLike) => ArrayBufferView;
  const chunks = partBuffers(length, width).map((out, k) => {
    const from = k * PART_ROWS;
    copyBranches(truths, branches, { from, width }, out);
    const bits = valid?.subarray(from >> 3, (from + PART_ROWS) >> 3);
    return valuesData(like.type, out.length / width, new Values(out.buffer), bits);
  });
  return new Vector(chunks);
}

interface Branch {
  readonly rows: RowReader;
  /** Bytes from one row to the next; 0 where one value is for all rows. */
  readonly step: number;
}

/** Fills `out` with the chosen values of the rows from one on; undefined branches are null. */
function copyBranches(
  truths: readonly Uint8Array[],
  branches: readonly (Branch | undefined)[],
  { from, width }: { readonly from: number; readonly width: number },
  out: Uint8Array,
): void {
  const { run, memory, at } = columnProgram();
  const [outAt, bitsAt] = [at + ROOM, at + 2 * ROOM];
  const rows = out.length / width;
  for (let first = 0; first < rows; first += CALL) {
    const count = Math.min(CALL, rows - first);
    const row = from + first;
    memory.fill(0, outAt, outAt + count * width);
    // The last value first; the rows of other branches are overwritten.
    for (let k = branches.length - 1; k >= 0; k--) {
      const branch = branches[k];
      if (branch === undefined) continue;
      const { rows: read, step } = branch;
      if (k < truths.length) memory.set(truths[k].subarray(row >> 3, (row + count + 7) >> 3), bitsAt);
      else memory.fill(255, bitsAt, bitsAt + ((count + 7) >> 3));
      read(step === 0 ? 0 : row, step === 0 ? 1 : count, memory, at);
      run.choose(bitsAt, count, at, step, width, outAt);
    }
    out.set(memory.subarray(outAt, outAt + count * width), first * width);
  }
}

/** Copies a number of values from a row on; rows are read in ascending order. */
type RowReader = (row: number, count: number, memory: Uint8Array, at: number) => void;

function rowReader(source: Vector, width: number): RowReader {
  const chunks = (source.data as readonly Data[]).map(({ values, length }) => {
    const { buffer, byteOffset } = values as Uint8Array;
    return new Uint8Array(buffer, byteOffset, length * width);
  });
  let k = 0;
  let start = 0;
  return (row, count, memory, at) => {
    let from = row * width;
    const end = from + count * width;
    for (const begin = from; from < end; ) {
      while (from >= start + chunks[k].length) {
        start += chunks[k].length;
        k++;
      }
      const part = chunks[k].subarray(from - start, end - start);
      memory.set(part, at + from - begin);
      from += part.length;
    }
  };
}

/** A bit for each row whose chosen value is not null. */
function presenceOf(
  truths: readonly Uint8Array[],
  sources: readonly (Vector | undefined)[],
  steps: readonly number[],
  length: number,
): Uint8Array {
  const valid = new Uint8Array((length + 7) >> 3);
  for (let k = sources.length - 1; k >= 0; k--) choosePresence(valid, truths[k], sources[k], steps[k]);
  return valid;
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
