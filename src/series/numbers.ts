import { type Data, DataType, Field, Float64, Int64, makeData, type Vector } from "../columns/arrow.js";
import { vectorToNumbers } from "../columns/readers.js";
import { TYPE_KEY } from "../columns/schema.js";

/** A column as it goes into a result: its field and its values in one piece. */
export interface Column {
  readonly field: Field;
  readonly data: Data;
}

/** A column as doubles, null as NaN: a `Float64` column of one chunk without nulls is not copied, so never write into it. */
export function numbersOf(vector: Vector): Float64Array {
  const chunks = vector.data.filter((data) => data.length > 0);
  const isDouble = DataType.isFloat(vector.type) && vector.type.precision === 2;
  if (!isDouble) return vectorToNumbers(vector);
  if (chunks.length === 1 && chunks[0].nullCount === 0) return doublesOf(chunks[0]);
  const out = new Float64Array(vector.length);
  let at = 0;
  for (const data of chunks) {
    out.set(doublesOf(data), at);
    if (data.nullCount > 0) markNulls(data, out, at);
    at += data.length;
  }
  return out;
}

const doublesOf = (data: Data): Float64Array => (data.values as Float64Array).subarray(0, data.length);

function markNulls(data: Data, out: Float64Array, at: number): void {
  const bitmap = data.nullBitmap as Uint8Array;
  for (let i = 0, bit = data.offset; i < data.length; i++, bit++) {
    if ((bitmap[bit >> 3] & (1 << (bit & 7))) === 0) out[at + i] = Number.NaN;
  }
}

function missingIn(values: Float64Array): number {
  let missing = 0;
  for (let i = 0; i < values.length; i++) if (Number.isNaN(values[i])) missing++;
  return missing;
}

/** Doubles as an Arrow column, NaN as null; the array itself becomes the column. `missing` is the number of NaN where it is known. */
export function doubleData(values: Float64Array, missing?: number): Data {
  const { length } = values;
  const nullCount = missing ?? missingIn(values);
  if (nullCount === 0) return makeData({ type: new Float64(), length, nullCount, data: values });
  const nullBitmap = new Uint8Array(((length + 63) & ~63) >> 3);
  for (let i = 0; i < length; i++) if (!Number.isNaN(values[i])) nullBitmap[i >> 3] |= 1 << (i & 7);
  return makeData({ type: new Float64(), length, nullCount, nullBitmap, data: values });
}

/** A `double` column named as `field`; other metadata of the field stays. */
export function doubleColumn(field: Field, values: Float64Array, missing?: number): Column {
  return { field: retyped(field, new Float64(), "double"), data: doubleData(values, missing) };
}

/** A column of counts. */
export function countColumn(name: string, counts: ArrayLike<number>): Column {
  const data = BigInt64Array.from({ length: counts.length }, (_, i) => BigInt(counts[i]));
  const field = new Field(name, new Int64(), true, new Map([[TYPE_KEY, "Integer"]]));
  return { field, data: makeData({ type: new Int64(), length: data.length, nullCount: 0, data }) };
}

/** The same field with another Arrow type and the service type that goes with it. */
export function retyped(field: Field, type: DataType, serviceType: string): Field {
  return new Field(field.name, type, true, new Map([...field.metadata, [TYPE_KEY, serviceType]]));
}

/** The same field under another name. */
export function renamed(field: Field, name: string): Field {
  return new Field(name, field.type, field.nullable, field.metadata);
}
