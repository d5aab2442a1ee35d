import { DecoderProgram, withMemory } from "../../../../wasm/compiled-module.js";
import { binary } from "../../../../wasm/parquet.wasm";
import { ParquetFault } from "../format/fault.js";

export interface Integers {
  /**
   * As many words of 32 bits for each as were asked for, lowest first, in two's complement. Valid until the next call.
   */
  readonly words: Int32Array;
  /** Bytes of the input that they take. */
  readonly bytes: number;
  /** Least and greatest, nearly, where that was found on the way. */
  readonly range?: Range;
}

/** Bounds of integers, each the nearest double of one. */
export interface Range {
  readonly least: number;
  readonly most: number;
}

/** How integers are stored in a page, and how they are to be returned. */
export interface IntegerLayout {
  /** Words of 32 bits of each result: 1, 2, 4 or 8. */
  readonly words: number;
  /** The page holds integers of 32 bits, not of 64. */
  readonly narrow: boolean;
  /** They are unsigned: the upper bits are zero. */
  readonly unsigned: boolean;
}

type ReadIntegers = (
  from: number,
  end: number,
  count: number,
  words: number,
  narrow: boolean,
  unsigned: boolean,
  out: number,
) => number;

/** What src/wasm/parquet.ts exports; its comments say what each does. */
interface ParquetProgram {
  readonly end: { readonly value: number };
  readonly least: { readonly value: bigint };
  readonly greatest: { readonly value: bigint };
  hybrid(from: number, end: number, width: number, count: number, out: number): number;
  delta: ReadIntegers;
  widen: ReadIntegers;
  bigEndian(from: number, end: number, width: number, count: number, words: number, out: number): number;
}

// The encodings of integers in Parquet's pages. What a function returns is valid until the next call of any. All throw
// ParquetFault for bytes that are malformed or end early, and where there is no memory for the page.

const program = new DecoderProgram<ParquetProgram>(binary);

/** Compiles the program, before there are pages. */
export function prepareDecoders(): void {
  withMemory(() => program.place(new Uint8Array(0), 0));
}

/** `count` unsigned integers of `width` bits in Parquet's hybrid of runs and packed bits. */
export function decodeHybrid(bytes: Uint8Array, width: number, count: number): Int32Array {
  const { run, memory, from, end, out } = placed(bytes, count * 4);
  check(run.hybrid(from, end, width, count, out));
  return new Int32Array(memory.buffer, out, count);
}

/** `count` integers in the encoding DELTA_BINARY_PACKED. */
export const decodeDelta = (bytes: Uint8Array, count: number, layout: IntegerLayout): Integers =>
  integers("delta", bytes, count, layout);

/** `count` integers as they are in memory, lowest byte first. */
export const decodeWidened = (bytes: Uint8Array, count: number, layout: IntegerLayout): Integers =>
  integers("widen", bytes, count, layout);

/** `count` signed integers of `width` bytes, highest first, as `words` words of 32 bits each. */
export function decodeBigEndian(bytes: Uint8Array, width: number, count: number, words: number): Int32Array {
  const { run, memory, from, end, out } = placed(bytes, count * words * 4);
  check(run.bigEndian(from, end, width, count, words, out));
  return new Int32Array(memory.buffer, out, count * words);
}

function integers(name: "delta" | "widen", bytes: Uint8Array, count: number, layout: IntegerLayout): Integers {
  const { words, narrow, unsigned } = layout;
  const { run, memory, from, end, out } = placed(bytes, count * words * 4);
  check(run[name](from, end, count, words, narrow, unsigned, out));
  const found = { words: new Int32Array(memory.buffer, out, count * words), bytes: (run.end.value >>> 0) - from };
  // The program's bounds have a sign.
  if (count === 0 || (unsigned && !narrow)) return found;
  return { ...found, range: { least: Number(run.least.value), most: Number(run.greatest.value) } };
}

function placed(bytes: Uint8Array, size: number) {
  try {
    return program.place(bytes, size);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ParquetFault(`there is no memory for a page of ${size} bytes`, { cause: error });
  }
}

function check(sound: number): void {
  if (!sound) throw new ParquetFault("it is malformed or ends early");
}
