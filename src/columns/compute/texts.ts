import { type Data, type DataType, type Dictionary, Type, type Vector } from "../arrow/arrow.js";
import { isValid, type Validity } from "./chunks.js";

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

/** Tests the texts of a chunk by row number, whatever the rows without a value hold. */
type CellTest = (data: Data) => (i: number) => boolean;

/** Marks the texts of chunks that pass a test; each entry of a dictionary is tested once, where it is used. */
export function textMarks(test: CellTest): (data: Data, valid: Validity) => Uint8Array {
  const tested = new Map<Vector, (code: number) => boolean>();
  return (data, valid) => {
    const bits = new Uint8Array((data.length + 7) >> 3);
    const dictionary = data.dictionary as Vector | undefined;
    if (data.type.typeId === Type.Dictionary && dictionary !== undefined) {
      const passes = tested.get(dictionary) ?? entryTest(dictionary, test);
      tested.set(dictionary, passes);
      const codes = data.values as Int32Array | BigInt64Array;
      for (let i = 0; i < data.length; i++) {
        if (isValid(valid, i) && passes(Number(codes[i]))) bits[i >> 3] |= 1 << (i & 7);
      }
      return bits;
    }
    const passes = test(data);
    for (let i = 0; i < data.length; i++) if (isValid(valid, i) && passes(i)) bits[i >> 3] |= 1 << (i & 7);
    return bits;
  };
}

function entryTest(dictionary: Vector, test: CellTest): (code: number) => boolean {
  const chunks = dictionary.data.map((data) => ({ passes: test(data as Data), length: data.length }));
  const known = new Int8Array(dictionary.length).fill(-1);
  return (code) => {
    if (known[code] < 0) {
      let [at, row] = [0, code];
      while (row >= chunks[at].length) row -= chunks[at++].length;
      known[code] = Number(chunks[at].passes(row));
    }
    return known[code] === 1;
  };
}
