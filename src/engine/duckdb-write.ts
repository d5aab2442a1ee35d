import type { DuckDBDataChunk, DuckDBVector } from "@duckdb/node-api";
import type { Data, Decimal, Dictionary, Vector } from "../columns/arrow/arrow.js";
import { DataError } from "../errors/errors.js";
import { DECIMAL128_DIGITS } from "../value/decimal.js";

/** Fills a vector of a chunk with `count` cells of a column, from row `from` of the batch on. */
export type CellWriter = (vector: DuckDBVector, from: number, count: number) => void;

/** The writable insides of a vector of the binding. */
interface RawVector {
  readonly items?: { set(values: ArrayLike<never>): void } & ArrayLike<unknown>;
  readonly dataView?: DataView;
  readonly validity: { setItemValid(index: number, valid: boolean): void };
  setItem(index: number, value: unknown): void;
  flush(): void;
}

/** Puts `count` rows of a batch, from row `from` on, into a chunk made for its columns. */
export function fillChunk(chunk: DuckDBDataChunk, writers: readonly CellWriter[], from: number, count: number): void {
  chunk.rowCount = count;
  for (const [i, write] of writers.entries()) write(chunk.getColumnVector(i), from, count);
}

/** A column of nulls. */
export const nullWriter: CellWriter = (vector, _from, count) => {
  const raw = vector as unknown as RawVector;
  for (let i = 0; i < count; i++) raw.setItem(i, null);
  raw.flush();
};

function isNull(data: Data, row: number): boolean {
  const bits = data.nullBitmap;
  if (bits === undefined || bits.length === 0) return false;
  const bit = data.offset + row;
  return (bits[bit >> 3] & (1 << (bit & 7))) === 0;
}

function markNulls(raw: RawVector, data: Data, from: number, count: number): void {
  if (data.nullCount === 0) return;
  for (let i = 0; i < count; i++) if (isNull(data, from + i)) raw.validity.setItemValid(i, false);
}

/** Same width and meaning on both sides: floats, integers, times. */
export function copyWriter(data: Data): CellWriter {
  const values = data.values as unknown as { subarray(from: number, to: number): ArrayLike<never> };
  return (vector, from, count) => {
    const raw = vector as unknown as RawVector;
    (raw.items as { set(values: ArrayLike<never>): void }).set(values.subarray(from, from + count));
    markNulls(raw, data, from, count);
    raw.flush();
  };
}

const DAY_MS = 86_400_000;

/** Days; Arrow's other date type counts milliseconds in 64 bits, which its library keeps as BigInt or as numbers. */
export function dateWriter(data: Data): CellWriter {
  const values = data.values as Int32Array | BigInt64Array;
  if (values instanceof Int32Array && (data.type as unknown as { unit: number }).unit === 0) return copyWriter(data);
  return (vector, from, count) => {
    const raw = vector as unknown as RawVector;
    const days = raw.items as unknown as Int32Array;
    for (let i = 0; i < count; i++) days[i] = Math.floor(Number(values[from + i]) / DAY_MS);
    markNulls(raw, data, from, count);
    raw.flush();
  };
}

export function boolWriter(data: Data): CellWriter {
  const bits = data.values as Uint8Array;
  return (vector, from, count) => {
    const raw = vector as unknown as RawVector;
    for (let i = 0; i < count; i++) {
      const bit = data.offset + from + i;
      raw.setItem(i, isNull(data, from + i) ? null : (bits[bit >> 3] & (1 << (bit & 7))) !== 0);
    }
    raw.flush();
  };
}

export function decimalWriter(data: Data<Decimal>): CellWriter {
  const { precision, scale } = data.type;
  const words = data.values as Uint32Array;
  const perCell = data.type.bitWidth / 32;
  const limbs = new BigInt64Array(words.buffer.slice(words.byteOffset, words.byteOffset + words.byteLength));
  const step = perCell / 2;
  if (precision > DECIMAL128_DIGITS) return wideDecimalWriter(data, limbs, step, scale);
  return (vector, from, count) => {
    const raw = vector as unknown as RawVector;
    const view = raw.dataView as DataView;
    const width = count === 0 ? 16 : view.byteLength / count;
    for (let i = 0; i < count; i++) {
      const low = limbs[(from + i) * step];
      if (width === 16) {
        view.setBigInt64(i * 16, low, true);
        view.setBigInt64(i * 16 + 8, limbs[(from + i) * step + 1], true);
      } else if (width === 8) view.setBigInt64(i * 8, low, true);
      else if (width === 4) view.setInt32(i * 4, Number(low), true);
      else view.setInt16(i * 2, Number(low), true);
    }
    markNulls(raw, data, from, count);
    raw.flush();
  };
}

/** More digits than the engine has: the exact text, with exactly `scale` fraction digits. */
function wideDecimalWriter(data: Data, limbs: BigInt64Array, step: number, scale: number): CellWriter {
  const text = (row: number): string => {
    let value = limbs[row * step + step - 1];
    for (let limb = step - 2; limb >= 0; limb--) value = (value << 64n) | BigInt.asUintN(64, limbs[row * step + limb]);
    const digits = (value < 0n ? -value : value).toString().padStart(scale + 1, "0");
    const cut = digits.length - scale;
    return `${value < 0n ? "-" : ""}${digits.slice(0, cut)}${scale === 0 ? "" : `.${digits.slice(cut)}`}`;
  };
  return (vector, from, count) => {
    const raw = vector as unknown as RawVector;
    for (let i = 0; i < count; i++) raw.setItem(i, isNull(data, from + i) ? null : text(from + i));
    raw.flush();
  };
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export function textWriter(data: Data): CellWriter {
  const offsets = data.valueOffsets as unknown as ArrayLike<number | bigint>;
  const bytes = data.values as Uint8Array;
  return (vector, from, count) => {
    const raw = vector as unknown as RawVector;
    for (let i = 0; i < count; i++) {
      const row = from + i;
      const text = isNull(data, row)
        ? null
        : decoder.decode(bytes.subarray(Number(offsets[row]), Number(offsets[row + 1])));
      raw.setItem(i, text);
    }
    raw.flush();
  };
}

export function dictionaryWriter(data: Data<Dictionary>): CellWriter {
  const words = (data.dictionary as Vector).toArray() as ArrayLike<string | null>;
  const indices = data.values as ArrayLike<number>;
  return (vector, from, count) => {
    const raw = vector as unknown as RawVector;
    for (let i = 0; i < count; i++) {
      const row = from + i;
      if (isNull(data, row)) raw.setItem(i, null);
      else if (indices[row] >= 0 && indices[row] < words.length) raw.setItem(i, words[indices[row]]);
      else throw badIndex(row, Number(indices[row]), words.length);
    }
    raw.flush();
  };
}

function badIndex(row: number, index: number, size: number): DataError {
  return new DataError(`Row ${row}: dictionary index ${index} is outside the dictionary of ${size} entries.`, {
    code: "BadDictionaryIndex",
    row,
    hint: "The Arrow data was written wrongly; write the column without a dictionary.",
  });
}
