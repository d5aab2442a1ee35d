import { compareBytes, unsetBytes, utf8Bytes } from "../../../platform/node/bytes.js";
import type { Data, Vector } from "../../arrow/arrow.js";
import { Type } from "../../arrow/arrow.js";
import { chunkReader } from "../../arrow/cell-reader.js";
import type { Bounds, EncodedColumn, EncodedPage } from "./encoded.js";
import { hybridPacked, isPresent, type Levels, levelBytes } from "./levels.js";

/** Bytes of a page of text, about; at least eight rows. */
const PAGE_BYTES = 1_048_576;
/** Rows looked at to see whether texts repeat. */
const SAMPLE = 1_000;
/** Bytes before each text. */
const LENGTH_BYTES = 4;

/**
 * A column of text: a dictionary where that takes at most half the bytes, else each text with its length. `bytes` of a
 * text are UTF-8; values of other types are written as their text.
 */
export function encodeTexts(chunks: readonly Data[], levels: Levels): EncodedColumn {
  return rawTexts(chunks, levels) ?? numberedTexts(chunks, levels);
}

/** Texts that hardly repeat, straight from Arrow's buffers; undefined where they repeat, or have another layout. */
function rawTexts(chunks: readonly Data[], levels: Levels): EncodedColumn | undefined {
  if (!chunks.every(({ type, valueOffsets }) => type.typeId === Type.Utf8 && valueOffsets instanceof Int32Array)) {
    return undefined;
  }
  const places = presentPlaces(chunks, levels);
  const seen = new Set<string>();
  const step = Math.max(1, Math.floor(levels.present / SAMPLE));
  let looked = 0;
  for (let k = 0; k < levels.present; k += step, looked++) {
    const data = chunks[places.chunk[k]];
    seen.add(chunkReader(data).text(places.row[k]));
  }
  if (looked === 0 || seen.size * 2 < looked) return undefined;
  const bytes = chunks.map(({ values }) => values);
  const offsets = chunks.map(({ valueOffsets }) => valueOffsets as Int32Array);
  const at = (k: number): Uint8Array => {
    const [c, row] = [places.chunk[k], places.row[k]];
    return bytes[c].subarray(offsets[c][row], offsets[c][row + 1]);
  };
  return plainTexts(levels, at);
}

/** Chunk and row within it of each value. */
function presentPlaces(chunks: readonly Data[], levels: Levels): { chunk: Int32Array; row: Int32Array } {
  const chunk = new Int32Array(levels.present);
  const row = new Int32Array(levels.present);
  let [k, r] = [0, 0];
  for (const [c, data] of chunks.entries()) {
    for (let i = 0; i < data.length; i++, r++) {
      if (!isPresent(levels, r)) continue;
      chunk[k] = c;
      row[k++] = i;
    }
  }
  return { chunk, row };
}

/** Texts of which each is held once, and its number for each value. */
function numberedTexts(chunks: readonly Data[], levels: Levels): EncodedColumn {
  const numbers = new Map<string, number>();
  const texts: Uint8Array[] = [];
  const numberOf = (text: string): number => {
    let number = numbers.get(text);
    if (number === undefined) {
      number = texts.length;
      numbers.set(text, number);
      texts.push(utf8Bytes(text));
    }
    return number;
  };
  /** Of each dictionary the numbers of its texts plus one; 0 for a text not met yet. */
  const met = new Map<Vector, Int32Array>();
  const numberer = (data: Data): ((i: number) => number) => {
    const { text } = chunkReader(data);
    const dictionary = data.dictionary as Vector | undefined;
    if (!dictionary) return (i) => numberOf(text(i));
    const ours = met.get(dictionary) ?? new Int32Array(dictionary.length);
    met.set(dictionary, ours);
    return (i) => {
      const theirs = Number(data.values[i]);
      if (!ours[theirs]) ours[theirs] = numberOf(text(i)) + 1;
      return ours[theirs] - 1;
    };
  };
  const indices = new Int32Array(levels.present);
  let [k, row] = [0, 0];
  for (const data of chunks) {
    const number = numberer(data);
    for (let i = 0; i < data.length; i++, row++) if (isPresent(levels, row)) indices[k++] = number(i);
  }
  return dictionaryTexts(levels, texts, indices) ?? plainTexts(levels, (i) => texts[indices[i]]);
}

/** Undefined where a dictionary would not halve the bytes. */
function dictionaryTexts(levels: Levels, texts: readonly Uint8Array[], indices: Int32Array): EncodedColumn | undefined {
  const bitWidth = Math.max(1, 32 - Math.clz32(texts.length - 1));
  const held = texts.reduce((sum, text) => sum + text.length + LENGTH_BYTES, 0);
  let plain = 0;
  for (const index of indices) plain += texts[index].length + LENGTH_BYTES;
  if (texts.length === 0 || 2 * (held + (indices.length * bitWidth) / 8) > plain) return undefined;
  const bytes = unsetBytes(held);
  let at = 0;
  for (const text of texts) at = putText(bytes, at, text);
  const { rows, present } = levels;
  const packed = hybridPacked(indices, bitWidth);
  const values = new Uint8Array(packed.length + 1);
  values[0] = bitWidth;
  values.set(packed, 1);
  const page: EncodedPage = { rows, nulls: rows - present, levels: levelBytes(levels, 0, rows), values };
  const bounds = boundsOf(texts.length, (k) => texts[k]);
  return { encoding: "RLE_DICTIONARY", pages: [page], dictionary: { bytes, count: texts.length }, bounds };
}

function plainTexts(levels: Levels, at: (k: number) => Uint8Array): EncodedColumn {
  return { encoding: "PLAIN", pages: plainPages(levels, at), bounds: boundsOf(levels.present, at) };
}

/** Each text with its length before it, cut into pages after a multiple of eight rows. */
function* plainPages(levels: Levels, at: (k: number) => Uint8Array): Generator<EncodedPage> {
  let k = 0;
  for (let from = 0; from < levels.rows; ) {
    const first = k;
    let bytes = 0;
    let to = from;
    while (to < levels.rows && (bytes < PAGE_BYTES || (to & 7) !== 0)) {
      if (isPresent(levels, to++)) bytes += at(k++).length + LENGTH_BYTES;
    }
    const values = unsetBytes(bytes);
    let end = 0;
    for (let i = first; i < k; i++) end = putText(values, end, at(i));
    yield { rows: to - from, nulls: to - from - (k - first), levels: levelBytes(levels, from, to), values };
    from = to;
  }
}

function putText(out: Uint8Array, at: number, text: Uint8Array): number {
  for (let i = 0; i < LENGTH_BYTES; i++) out[at + i] = text.length >>> (8 * i);
  out.set(text, at + LENGTH_BYTES);
  return at + LENGTH_BYTES + text.length;
}

/** Bytes of a bound at most: footers stay short. */
const BOUND_BYTES = 16;

/** The first and the last text by their bytes, or a shorter one before and after. */
function boundsOf(count: number, at: (k: number) => Uint8Array): Bounds {
  if (count === 0) return {};
  let min = at(0);
  let max = min;
  for (let k = 1; k < count; k++) {
    const text = at(k);
    if (isBefore(text, min)) min = text;
    else if (isBefore(max, text)) max = text;
  }
  const after = max.length > BOUND_BYTES ? shorterAfter(max) : undefined;
  return {
    min: Uint8Array.from(min.subarray(0, cutAt(min))),
    max: after ?? Uint8Array.from(max),
    minIsCut: min.length > BOUND_BYTES,
    maxIsCut: after !== undefined,
  };
}

/** Bytes of the characters that a bound has room for. */
function cutAt(text: Uint8Array): number {
  let end = Math.min(text.length, BOUND_BYTES);
  while (end > 0 && end < text.length && (text[end] & 0xc0) === 0x80) end--;
  return end;
}

const LAST_ASCII = 126;

/** The beginning of a text whose last ASCII character is replaced by the next; undefined where it has none. */
function shorterAfter(text: Uint8Array): Uint8Array | undefined {
  for (let end = cutAt(text); end > 0; end--) {
    if (text[end - 1] > LAST_ASCII) continue;
    const bound = Uint8Array.from(text.subarray(0, end));
    bound[end - 1]++;
    return bound;
  }
  return undefined;
}

function isBefore(a: Uint8Array, b: Uint8Array): boolean {
  // Most texts differ in their first byte.
  if (a.length > 0 && b.length > 0 && a[0] !== b[0]) return a[0] < b[0];
  return compareBytes(a, b) < 0;
}
