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

/** Tests the texts of a chunk by row number; the result of rows without a value is arbitrary. */
type CellTest = (data: Data) => (i: number) => boolean;

/** The result of an entry of a dictionary; 0 until it is tested. */
const FAILS = 1;
const PASSES = 2;

/** Marks the texts of chunks that pass a test; each entry of a dictionary is tested once, if it is used. */
export function textMarks(test: CellTest): (data: Data, valid: Validity) => Uint8Array {
  const verdicts = new Map<Vector, Uint8Array>();
  return (data, valid) => {
    const bits = new Uint8Array((data.length + 7) >> 3);
    const dictionary = data.dictionary as Vector | undefined;
    if (data.type.typeId === Type.Dictionary && dictionary !== undefined) {
      const codes = data.values as Int32Array | BigInt64Array;
      const known = verdicts.get(dictionary) ?? new Uint8Array(dictionary.length);
      verdicts.set(dictionary, known);
      // Of a dictionary that is longer than the chunk, only the entries that the chunk uses.
      learn(known, dictionary.length <= data.length ? known.keys() : codes, entryTest(dictionary, test));
      markPassing(codes, known, data.length, bits);
      return bits;
    }
    const passes = test(data);
    for (let i = 0; i < data.length; i++) if (isValid(valid, i) && passes(i)) bits[i >> 3] |= 1 << (i & 7);
    return bits;
  };
}

function learn(known: Uint8Array, codes: Iterable<number | bigint>, passes: (code: number) => boolean): void {
  for (const given of codes) {
    const code = Number(given);
    if (known[code] === 0) known[code] = passes(code) ? PASSES : FAILS;
  }
}

function markPassing(codes: Int32Array | BigInt64Array, known: Uint8Array, length: number, bits: Uint8Array): void {
  for (let i = 0; i < length; i++) if (known[Number(codes[i])] === PASSES) bits[i >> 3] |= 1 << (i & 7);
}

function entryTest(dictionary: Vector, test: CellTest): (code: number) => boolean {
  const chunks = dictionary.data.map((data) => ({ passes: test(data as Data), length: data.length }));
  return (code) => {
    let [at, row] = [0, code];
    while (row >= chunks[at].length) row -= chunks[at++].length;
    return chunks[at].passes(row);
  };
}
