import { Data, Type, type Vector } from "./arrow.js";
import { validity } from "./cell-reader.js";
import { emptyData } from "./record-batch.js";

/**
 * The same column, where rows whose entry of the dictionary is null are null themselves: their index has no valid bit,
 * as every reader expects. Indices must be within the dictionary.
 */
export function withIndexNulls(data: Data): Data {
  const { type, length, values } = data;
  const dictionary = data.dictionary as Vector | undefined;
  // The library gives a column without rows no dictionary.
  if (type.typeId === Type.Dictionary && dictionary === undefined && length === 0) return emptyData(type);
  if (type.typeId !== Type.Dictionary || dictionary === undefined || dictionary.nullCount === 0) return data;
  const valid = validity(data);
  const nullBitmap = new Uint8Array(((length + 63) & ~63) >> 3);
  let nullCount = 0;
  for (let i = 0; i < length; i++) {
    if (valid(i)) nullBitmap[i >> 3] |= 1 << (i & 7);
    else nullCount++;
  }
  const buffers = [undefined, values, nullBitmap, undefined] as never;
  return new Data(type, 0, length, nullCount, buffers, [], dictionary);
}
