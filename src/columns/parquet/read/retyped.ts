import { Data, type DataType, type Time, Type } from "../../arrow/arrow.js";

/** A column of texts or integers under the Arrow type that its values have: bytes, or times of a day. */
export function retyped(data: Data, type: DataType): Data {
  const { length, nullCount, nullBitmap: validity } = data;
  if (type.typeId === Type.Binary)
    return new Data(type, 0, length, nullCount, [data.valueOffsets, data.values, validity]);
  const values = data.values as BigInt64Array;
  const isNarrow = (type as Time).bitWidth === 32;
  return new Data(type, 0, length, nullCount, [
    undefined,
    isNarrow ? Int32Array.from(values, Number) : values,
    validity,
  ]);
}
