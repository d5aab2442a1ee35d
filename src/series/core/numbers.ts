import { type Data, DataType, Field, Float64, Int64, makeData, Vector } from "../../columns/arrow/arrow.js";
import { fieldOf, TYPE_KEY } from "../../columns/arrow/schema.js";
import { vectorToNumbers } from "../../columns/arrow/vector-values.js";
import { store } from "../../columns/compute/units.js";
import { decimalDoubles } from "../../columns/table/decimal-doubles.js";
import { takeVector } from "../../columns/table/take.js";
import { cutsOf, joined } from "./pieces.js";

/** A column of a result: its field and its values in one chunk. */
export interface Column {
  readonly field: Field;
  readonly data: Data;
}

/**
 * A computed column: its values in one chunk, or in one chunk per batch of the table; long ones are split as by
 * `cutsOf`.
 */
export type Computed = Column | { readonly field: Field; readonly pieces: readonly Data[] };

/**
 * A column as doubles, null as NaN. A `Float64` column of one chunk without nulls is returned without a copy, so the
 * result must not be written to.
 */
export function numbersOf(vector: Vector): Float64Array {
  if (isDouble(vector.type)) return joined(vector.data.map(chunkNumbers), Float64Array);
  return decimalDoubles(vector.data as readonly Data[], vector.length) ?? vectorToNumbers(vector);
}

/** As {@link numbersOf}, chunk by chunk; long ones are split as by `cutsOf`. */
export function numberPieces(vector: Vector): Float64Array[] {
  return vector.data.flatMap((data) => {
    const values = chunkNumbers(data);
    return cutsOf(values.length).map(([from, to]) => values.subarray(from, to));
  });
}

function chunkNumbers(data: Data): Float64Array {
  if (!isDouble(data.type)) return vectorToNumbers(new Vector([data]));
  const values = (data.values as Float64Array).subarray(0, data.length);
  return data.nullCount === 0 ? values : withNulls(data, values.slice());
}

const isDouble = (type: DataType): boolean => DataType.isFloat(type) && type.precision === 2;

function withNulls(data: Data, values: Float64Array): Float64Array {
  const bitmap = data.nullBitmap as Uint8Array;
  for (let i = 0, bit = data.offset; i < data.length; i++, bit++) {
    if ((bitmap[bit >> 3] & (1 << (bit & 7))) === 0) values[i] = Number.NaN;
  }
  return values;
}

/**
 * Converts doubles to an Arrow column, NaN as null, using the array itself. `missing` is the number of NaN, if known.
 */
function doubleData(values: Float64Array, missing?: number): Data {
  const { length } = values;
  if (missing === 0) return makeData({ type: new Float64(), length, nullCount: 0, data: values });
  let first = 0;
  while (first < length && !Number.isNaN(values[first])) first++;
  if (first === length) return makeData({ type: new Float64(), length, nullCount: 0, data: values });
  const nullBitmap = new Uint8Array(((length + 63) & ~63) >> 3).fill(255, 0, length >> 3);
  nullBitmap[length >> 3] |= (1 << (length & 7)) - 1;
  let nullCount = 0;
  for (let i = first; i < length; i++) {
    if (!Number.isNaN(values[i])) continue;
    nullBitmap[i >> 3] &= ~(1 << (i & 7));
    nullCount++;
  }
  return makeData({ type: new Float64(), length, nullCount, nullBitmap, data: values });
}

/** A `double` column named as `field`; keeps the field's other metadata. */
export function doubleColumn(field: Field, values: Float64Array): Column {
  return { field: doubleField(field), data: doubleData(values) };
}

/** An `Integer` column named as `field`, of whole doubles below 2^53 in size; NaN as null. */
export function integerColumn(field: Field, values: Float64Array): Column {
  const { length, nullCount, nullBitmap } = doubleData(values);
  const data = new BigInt64Array(length);
  const words = new Int32Array(data.buffer);
  for (let row = 0; row < length; row++) if (!Number.isNaN(values[row])) store(words, 2 * row, 2, values[row]);
  const type = new Int64();
  return {
    field: retyped(field, type, "Integer"),
    data: makeData({ type, length, nullCount, data, ...(nullCount > 0 && { nullBitmap }) }),
  };
}

/** As {@link doubleColumn}, from one or several pieces. `missing` is the total number of NaN, if known. */
export function doublesColumn(field: Field, pieces: readonly Float64Array[], missing?: number): Computed {
  const made = pieces.map((values) => doubleData(values, missing === 0 ? 0 : undefined));
  const doubles = doubleField(field);
  return made.length === 1 ? { field: doubles, data: made[0] } : { field: doubles, pieces: made };
}

const doubleField = (field: Field): Field => retyped(field, new Float64(), "double");

/** The values at some rows of a column, null for row −1. */
export const picked = (field: Field, vector: Vector, rows: Int32Array): Column => ({
  field,
  data: takeVector(vector, rows).data[0],
});

export function countColumn(name: string, counts: ArrayLike<number>): Column {
  const data = BigInt64Array.from({ length: counts.length }, (_, i) => BigInt(counts[i]));
  return {
    field: fieldOf({ name, type: "Integer" }),
    data: makeData({ type: new Int64(), length: data.length, data }),
  };
}

/** The same field with another Arrow type and the corresponding service type. */
export function retyped(field: Field, type: DataType, serviceType: string): Field {
  return new Field(field.name, type, true, new Map([...field.metadata, [TYPE_KEY, serviceType]]));
}

export function renamed(field: Field, name: string): Field {
  return new Field(name, field.type, field.nullable, field.metadata);
}
