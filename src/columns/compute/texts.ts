import { Bool, type Data, type DataType, type Dictionary, Type, type Vector } from "../arrow/arrow.js";
import { chunkReader } from "../arrow/cell-reader.js";
import { isValid, mapChunks, truthData, validOf } from "./chunks.js";

/** Text, whatever its layout. */
export function isText(type: DataType): boolean {
  switch (type.typeId) {
    case Type.Utf8:
    case Type.LargeUtf8:
    case Type.Utf8View:
      return true;
    case Type.Dictionary:
      return isText((type as Dictionary).dictionary);
    default:
      return false;
  }
}

/** Truth values of a test of each text, null where there is none; each entry of a dictionary is tested once. */
export function truthsOfTexts(vector: Vector, test: (text: string) => boolean): Vector {
  const verdicts = new Map<Vector, Uint8Array>();
  return mapChunks(vector, new Bool(), (data) => {
    const bits = new Uint8Array((data.length + 7) >> 3);
    const valid = validOf(data);
    const dictionary = data.dictionary as Vector | undefined;
    if (data.type.typeId === Type.Dictionary && dictionary !== undefined) {
      const verdict = verdicts.get(dictionary) ?? verdictsOf(dictionary, test);
      verdicts.set(dictionary, verdict);
      const codes = data.values as Int32Array | BigInt64Array;
      for (let i = 0; i < data.length; i++) if (verdict[Number(codes[i])] === 1) bits[i >> 3] |= 1 << (i & 7);
    } else {
      const { text } = chunkReader(data);
      for (let i = 0; i < data.length; i++) if (isValid(valid, i) && test(text(i))) bits[i >> 3] |= 1 << (i & 7);
    }
    return truthData(data.length, bits, valid);
  });
}

function verdictsOf(dictionary: Vector, test: (text: string) => boolean): Uint8Array {
  const verdict = new Uint8Array(dictionary.length);
  let at = 0;
  for (const data of dictionary.data as readonly Data[]) {
    const { valid, text } = chunkReader(data);
    for (let i = 0; i < data.length; i++, at++) if (valid(i) && test(text(i))) verdict[at] = 1;
  }
  return verdict;
}
