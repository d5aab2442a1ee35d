import { type Data, type DataType, type Decimal, type Field, Type } from "../../columns/arrow/arrow.js";
import { chunkReader, validity } from "../../columns/arrow/cell-reader.js";
import { secondDigits } from "../../columns/arrow/instants.js";
import { kindOfArrow } from "../../columns/arrow/types.js";
import { DataError, InputError } from "../../errors/errors.js";
import type { TypeKind } from "../../spec/columns.js";

interface StoredType {
  /** The type of a column that stores an Arrow type exactly; undefined if there is none. */
  readonly stored: (type: DataType) => string | undefined;
  /** The first row whose value the column cannot hold; undefined if it holds all of them. */
  readonly outside?: (data: Data) => number | undefined;
}

/** ClickHouse's dates and timestamps are exact from 1900 to 2299; it clamps or wraps others without an error. */
export const FIRST_DAY = -25_567;
export const LAST_DAY = 120_529;
const DAY_SECONDS = 86_400n;

/** The Arrow library represents half floats by their bits. */
const HALF_FLOAT = 0;
const SINGLE_FLOAT = 1;

/** Decimals of up to this precision are stored in 64 bits or fewer. */
const SHORT_DIGITS = 18;

const TYPES: Readonly<Record<TypeKind, StoredType>> = {
  text: { stored: (type) => (type.typeId === Type.Dictionary ? "LowCardinality(String)" : "String") },
  date: { stored: () => "Date32", outside: (data) => outsideDays(data) },
  datetime: {
    stored: (type) => `DateTime64(${secondDigits(type)},'UTC')`,
    outside: (data) => outsideTimes(data),
  },
  decimal: {
    stored: (type) => {
      const { precision, scale } = type as Decimal;
      return scale >= 0 && scale <= precision ? `Decimal(${precision},${scale})` : undefined;
    },
    outside: (data) => outsideShort(data),
  },
  integer: {
    stored: (type) => {
      const { isSigned, bitWidth } = type as unknown as { isSigned: boolean; bitWidth: number };
      return `${isSigned ? "" : "U"}Int${bitWidth}`;
    },
  },
  double: {
    stored: (type) => {
      const { precision } = type as unknown as { precision: number };
      if (precision === HALF_FLOAT) return undefined;
      return precision === SINGLE_FLOAT ? "Float32" : "Float64";
    },
  },
  boolean: { stored: () => "Bool" },
  unknown: { stored: (type) => (type.typeId === Type.Null ? "String" : undefined) },
};

/**
 * The ClickHouse type of a column: `Nullable` unless it is part of the key.
 *
 * @throws {InputError} UnsupportedType, such as for nested types
 */
export function columnType(field: Field, isKey: boolean): string {
  const type = bareType(field);
  if (isKey) return type;
  const low = /^LowCardinality\((.*)\)$/.exec(type);
  return low === null ? `Nullable(${type})` : `LowCardinality(Nullable(${low[1]}))`;
}

function bareType(field: Field): string {
  // The values of a dictionary may be of any type; only text is stored as LowCardinality.
  const { type } = field as { type: DataType };
  const stored = TYPES[kindOfArrow(type)].stored(type);
  if (stored !== undefined) return stored;
  throw new InputError(
    `Column ${JSON.stringify(field.name)} has type ${type}, which ClickHouse cannot store exactly.`,
    {
      code: "UnsupportedType",
      column: field.name,
      hint: "Drop the column with select(), or convert it to text first.",
    },
  );
}

/** A column type without what does not matter to the values: `Nullable`, `LowCardinality` and spaces. */
export function plainType(type: string): string {
  const inner = /^(?:Nullable|LowCardinality)\((.*)\)$/s.exec(type.trim());
  return inner === null ? type.replaceAll(/\s+/g, "") : plainType(inner[1]);
}

/**
 * Checks that a column can be stored exactly.
 *
 * @param row the number of the batch's first row among all rows
 * @throws {DataError} EngineData with row, column and value
 */
export function checkValues(field: Field, data: Data, isKey: boolean, row: number): void {
  if (isKey) {
    const valid = validity(data);
    for (let i = 0; i < data.length; i++) {
      if (valid(i)) continue;
      throw new DataError(`Column ${JSON.stringify(field.name)} of the key is null in row ${row + i}.`, {
        code: "EngineData",
        row: row + i,
        column: field.name,
      });
    }
  }
  const at = TYPES[kindOfArrow(data.type)].outside?.(data);
  if (at === undefined) return;
  const value = chunkReader(data).text(at);
  const holds =
    data.type.typeId === Type.Decimal
      ? `decimals of ${(data.type as Decimal).precision} digits`
      : "dates from 1900-01-01 to 2299-12-31";
  throw new DataError(
    `Column ${JSON.stringify(field.name)} is ${value} in row ${row + at}; ClickHouse holds only ${holds} exactly.`,
    { code: "EngineData", row: row + at, column: field.name, value, hint: "Filter these rows out, or store text." },
  );
}

function firstWhere(data: Data, isOutside: (i: number) => boolean): number | undefined {
  let valid: ((i: number) => boolean) | undefined;
  for (let i = 0; i < data.length; i++) {
    if (!isOutside(i)) continue;
    valid ??= validity(data);
    if (valid(i)) return i;
  }
  return undefined;
}

function outsideDays(data: Data): number | undefined {
  const values = data.values as unknown;
  if (values instanceof Int32Array) return firstWhere(data, (i) => values[i] < FIRST_DAY || values[i] > LAST_DAY);
  const { integer } = chunkReader(data);
  return firstWhere(data, (i) => {
    const day = integer?.(i) ?? 0n;
    return day < FIRST_DAY || day > LAST_DAY;
  });
}

function outsideTimes(data: Data): number | undefined {
  const values = data.values as unknown as BigInt64Array;
  const second = 10n ** BigInt(secondDigits(data.type));
  const first = BigInt.asIntN(64, BigInt(FIRST_DAY) * DAY_SECONDS * second);
  const last = (BigInt(LAST_DAY) + 1n) * DAY_SECONDS * second - 1n;
  return firstWhere(data, (i) => values[i] < first || values[i] > last);
}

/** Decimals that a foreign table declares with too few digits: in 64 bits they would wrap. */
function outsideShort(data: Data): number | undefined {
  const { precision, bitWidth } = data.type as Decimal;
  if (precision > SHORT_DIGITS) return undefined;
  const count = bitWidth / 32;
  const { buffer, byteOffset } = data.values as unknown as Uint32Array;
  const words = new Int32Array(buffer, byteOffset, count * data.length);
  return firstWhere(data, (i) => {
    const sign = words[count * i + 1] >> 31;
    for (let w = 2; w < count; w++) if (words[count * i + w] !== sign) return true;
    return false;
  });
}
