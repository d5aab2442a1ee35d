import { isUtf8 } from "node:buffer";
import { type Data, DataType, type Vector } from "../../columns/arrow/arrow.js";
import { chunkReader } from "../../columns/arrow/cell-reader.js";
import { sameDictionary } from "../../columns/table/take.js";

/** Bytes of a string in a vector of the engine: its length, then its bytes where they fit. */
export const STRING_BYTES = 16;
/** The longest string, in bytes, that is part of the vector. */
export const LONGEST_INLINE = 12;

/** Strings as a vector holds them, 4 integers of 32 bits each, and the bytes of those that are too long for it. */
export interface Strings {
  readonly words: Int32Array;
  readonly long: Map<number, Uint8Array>;
}

/** Strings written one by one; all begin as empty strings. */
export class StringWriter implements Strings {
  readonly words: Int32Array;
  readonly long = new Map<number, Uint8Array>();
  private readonly bytes: Uint8Array;

  constructor(count: number) {
    this.words = new Int32Array(count * (STRING_BYTES / 4));
    this.bytes = new Uint8Array(this.words.buffer);
  }

  clear(count: number): void {
    this.words.fill(0, 0, count * (STRING_BYTES / 4));
    this.long.clear();
  }

  /** Sets a string to bytes of valid UTF-8, from one position to another (exclusive). */
  put(i: number, source: Uint8Array, from: number, end: number): void {
    const at = i * STRING_BYTES;
    const length = end - from;
    this.words[at / 4] = length;
    if (length > LONGEST_INLINE) this.long.set(i, source.subarray(from, end));
    else for (let b = 0; b < length; b++) this.bytes[at + 4 + b] = source[from + b];
  }

  /** Sets a string; a lone surrogate becomes U+FFFD. */
  putText(i: number, text: string): void {
    const bytes = encoder.encode(text);
    this.put(i, bytes, 0, bytes.length);
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Rows of text: their bytes, one after the other. */
export interface TextBytes {
  readonly bytes: Uint8Array;
  /** Where each begins, and the end of the last. */
  readonly offsets: Int32Array;
}

/** Writes `count` texts from row `from` on as the first strings; bytes that are not UTF-8 become U+FFFD. */
export function putTexts({ bytes, offsets }: TextBytes, from: number, count: number, to: StringWriter): void {
  const isValid = isUtf8(bytes.subarray(offsets[from], offsets[from + count]));
  for (let i = 0; i < count; i++) {
    const [start, end] = [offsets[from + i], offsets[from + i + 1]];
    // Valid as a whole, and each begins with a character: each is valid.
    if (isValid && (start === end || (bytes[start] & 0xc0) !== 0x80)) to.put(i, bytes, start, end);
    else to.putText(i, decoder.decode(bytes.subarray(start, end)));
  }
}

/**
 * Makes something of a dictionary once: it is known by the chunks of the dictionary, since batches that share them may
 * have a vector each.
 */
export function oncePerDictionary<T>(make: (dictionary: Vector) => T): (dictionary: Vector) => T {
  const known = new WeakMap<Data, { readonly dictionary: Vector; readonly made: T }>();
  return (dictionary) => {
    const [first] = dictionary.data as readonly Data[];
    if (first === undefined) return make(dictionary);
    const found = known.get(first);
    if (found !== undefined && sameDictionary(found.dictionary, dictionary)) return found.made;
    const made = make(dictionary);
    known.set(first, { dictionary, made });
    return made;
  };
}

/** The strings of a dictionary; those of nulls are empty. */
export const dictionaryStrings = oncePerDictionary(stringsOf);

function stringsOf(vector: Vector): Strings {
  const strings = new StringWriter(vector.length);
  let row = 0;
  for (const data of vector.data) {
    const { valid, value } = chunkReader(data);
    for (let i = 0; i < data.length; i++, row++) if (valid(i)) strings.putText(row, String(value(i)));
  }
  return strings;
}

/** Whether a type holds text whose bytes follow each other. */
export const isPlainText = (type: DataType): boolean => DataType.isUtf8(type) || DataType.isLargeUtf8(type);
