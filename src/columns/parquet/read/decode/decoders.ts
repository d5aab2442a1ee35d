/** Integers of a page. */
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
  /** They have no sign: what is above is zero. */
  readonly unsigned: boolean;
}

/**
 * The encodings of integers in Parquet's pages. What a method returns is valid until the next call of any.
 * All methods throw {@link ParquetFault} for bytes that are malformed or end early.
 */
export interface Decoders {
  /** `count` unsigned integers of `width` bits in Parquet's hybrid of runs and packed bits. */
  hybrid(bytes: Uint8Array, width: number, count: number): Int32Array;
  /** `count` integers in the encoding DELTA_BINARY_PACKED. */
  delta(bytes: Uint8Array, count: number, layout: IntegerLayout): Integers;
  /** `count` integers as they are in memory, lowest byte first. */
  widened(bytes: Uint8Array, count: number, layout: IntegerLayout): Integers;
  /** `count` signed integers of `width` bytes, highest first, as `words` words of 32 bits each. */
  bigEndian(bytes: Uint8Array, width: number, count: number, words: number): Int32Array;
}
