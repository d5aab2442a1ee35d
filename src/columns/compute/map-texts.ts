import { InputError } from "../../errors/errors.js";
import { Data, DataType, Dictionary, Int32, makeData, Utf8, Vector } from "../arrow/arrow.js";
import { chunkReader } from "../arrow/cell-reader.js";
import { TEXT_LIMIT, textTooLong } from "../build/text-limit.js";
import { isValid, mapChunks, validOf, valuesData } from "./chunks.js";
import { type Place, wrongType } from "./place.js";
import { isText } from "./texts.js";

/** Half of a pair, which UTF-8 cannot hold. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * A column of text with each value changed; null where the change returns null. Each used entry of a dictionary is
 * changed once, and equal results become one entry.
 *
 * @throws {InputError} WrongType, BadArgument for a result with half of a surrogate pair
 */
export function mapTexts(vector: Vector, place: Place, change: (text: string) => string | null): Vector {
  if (!isText(vector.type)) throw wrongType(place, vector.type, "a column of text");
  const checked = (text: string): string | null => {
    const changed = change(text);
    if (changed !== null && LONE_SURROGATE.test(changed)) throw halfCharacter(changed, place);
    return changed;
  };
  if (!DataType.isDictionary(vector.type)) {
    return mapChunks(vector, new Utf8(), (data) => {
      const { text } = chunkReader(data);
      const valid = validOf(data);
      const texts = new Array<string | null>(data.length);
      for (let i = 0; i < texts.length; i++) texts[i] = isValid(valid, i) ? checked(text(i)) : null;
      return textData(texts);
    });
  }
  const entries = new Map<Vector, Entries>();
  const chunks = (vector.data as readonly Data[]).map((data) => {
    const dictionary = data.dictionary as Vector;
    const known = entries.get(dictionary) ?? new Entries(dictionary.length);
    entries.set(dictionary, known);
    return { known, codes: changedCodes(data, known, checked) };
  });
  const type = new Dictionary(new Utf8(), new Int32());
  if (chunks.length === 0) return mapChunks(vector, type, (data) => data);
  return new Vector(chunks.map(({ known, codes }) => dictionaryData(type, codes, known.dictionary())));
}

const UNKNOWN = -2;

/** What the entries of a dictionary become: the number of the text, -1 for null. */
class Entries {
  readonly codes: Int32Array;
  private readonly texts: string[] = [];
  private readonly numbers = new Map<string, number>();
  private made: Vector<Utf8> | undefined;

  constructor(length: number) {
    this.codes = new Int32Array(length).fill(UNKNOWN);
  }

  numberOf(text: string | null): number {
    if (text === null) return -1;
    let found = this.numbers.get(text);
    if (found === undefined) {
      found = this.texts.push(text) - 1;
      this.numbers.set(text, found);
    }
    return found;
  }

  /** The texts so far, made once. */
  dictionary(): Vector<Utf8> {
    this.made ??= new Vector([textData(this.texts)]) as Vector<Utf8>;
    return this.made;
  }
}

function changedCodes(data: Data, known: Entries, change: (text: string) => string | null): Int32Array {
  const { text } = chunkReader(data);
  const valid = validOf(data);
  const from = data.values as Int32Array | BigInt64Array;
  const codes = new Int32Array(data.length);
  for (let i = 0; i < codes.length; i++) {
    if (!isValid(valid, i)) {
      codes[i] = -1;
      continue;
    }
    const code = Number(from[i]);
    if (known.codes[code] === UNKNOWN) known.codes[code] = known.numberOf(change(text(i)));
    codes[i] = known.codes[code];
  }
  return codes;
}

/** A chunk of codes into a dictionary, in which -1 is null. */
export function dictionaryData(type: Dictionary<Utf8, Int32>, codes: Int32Array, dictionary: Vector<Utf8>): Data {
  const valid = codes.includes(-1) ? new Uint8Array((codes.length + 7) >> 3) : undefined;
  for (let i = 0; valid !== undefined && i < codes.length; i++) {
    if (codes[i] >= 0) valid[i >> 3] |= 1 << (i & 7);
    else codes[i] = 0;
  }
  const { length, nullCount, buffers } = valuesData(type.indices, codes.length, codes, valid);
  return new Data(type, 0, length, nullCount, buffers, [], dictionary);
}

/** A column of text made of few different values by row: `keyOf` numbers them, `textOf` writes each once. */
export function fewTexts(
  vector: Vector,
  keyOf: (data: Data) => (i: number) => number,
  textOf: (key: number) => string,
): Vector {
  const type = new Dictionary(new Utf8(), new Int32());
  const codeOf = new Map<number, number>();
  const texts: string[] = [];
  const chunks = (vector.data as readonly Data[]).map((data) => {
    const valid = validOf(data);
    const key = keyOf(data);
    const codes = new Int32Array(data.length).fill(-1);
    for (let i = 0; i < codes.length; i++) {
      if (!isValid(valid, i)) continue;
      let code = codeOf.get(key(i));
      if (code === undefined) {
        code = texts.push(textOf(key(i))) - 1;
        codeOf.set(key(i), code);
      }
      codes[i] = code;
    }
    return codes;
  });
  if (chunks.length === 0) return mapChunks(vector, type, (data) => data);
  const dictionary = new Vector([textData(texts)]) as Vector<Utf8>;
  return new Vector(chunks.map((codes) => dictionaryData(type, codes, dictionary)));
}

const encoder = new TextEncoder();

/** A chunk of strings as `Utf8`. */
export function textData(texts: readonly (string | null)[]): Data<Utf8> {
  const offsets = new Int32Array(texts.length + 1);
  const valid = new Uint8Array((texts.length + 7) >> 3);
  const all = texts.join("");
  let nullCount = 0;
  for (const [i, text] of texts.entries()) {
    if (text === null) nullCount++;
    else valid[i >> 3] |= 1 << (i & 7);
    offsets[i + 1] = offsets[i] + (text?.length ?? 0);
  }
  const data = encoder.encode(all);
  if (data.length > TEXT_LIMIT.bytes) throw textTooLong(data.length);
  // As many bytes as code units: all ASCII.
  if (data.length !== all.length) byteOffsets(texts, offsets);
  const validity = nullCount === 0 ? { nullCount } : { nullCount, nullBitmap: valid };
  return makeData({ type: new Utf8(), length: texts.length, valueOffsets: offsets, data, ...validity });
}

function byteOffsets(texts: readonly (string | null)[], offsets: Int32Array): void {
  for (const [i, text] of texts.entries()) {
    let bytes = 0;
    for (const character of text ?? "") {
      const point = character.codePointAt(0) as number;
      bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x1_0000 ? 3 : 4;
    }
    offsets[i + 1] = offsets[i] + bytes;
  }
}

function halfCharacter(text: string, { column, method }: Place): InputError {
  return new InputError(`${method} of column ${JSON.stringify(column)} splits a character: ${JSON.stringify(text)}.`, {
    code: "BadArgument",
    column,
    value: text,
    hint: "Add the flag u to the regular expression, which then matches whole characters.",
  });
}
