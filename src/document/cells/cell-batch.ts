/** Rows as columns of cells, one for each column of the reply. */
export interface CellBatch {
  readonly rows: number;
  readonly columns: readonly CellColumn[];
}

/** The cells of a column, by row number. Only `valid` takes the number of a null. */
export interface CellColumn {
  /** Absent where no cell is null. */
  readonly valid?: (i: number) => boolean;
  /** The bits that `valid` reads, if it reads one for each cell. */
  readonly validBits?: CellBits;
  /** The exact text of a cell. */
  readonly text: (i: number) => string;
  /** Faster ways to the same text, where there is one. */
  readonly fast?: CellPrinter | CellTexts | CellEntries;
}

/** A bit for each cell, least significant first; cell 0 has bit number `from`. */
export interface CellBits {
  readonly bytes: Uint8Array;
  readonly from: number;
}

/** The values that a printer prints, as they are in memory. */
export type CellValues =
  /** Numbers of `count` times 32 bits each, little-endian two's complement, with `scale` digits after the point. */
  | {
      readonly kind: "words";
      readonly values: Int32Array | Uint32Array;
      readonly count: number;
      readonly scale: number;
    }
  /** Days since 1970-01-01. */
  | { readonly kind: "days"; readonly values: Int32Array }
  /** Units of 10^-`digits` seconds since 1970-01-01 UTC. */
  | { readonly kind: "times"; readonly values: BigInt64Array; readonly digits: number }
  | { readonly kind: "doubles"; readonly values: Float64Array }
  | { readonly kind: "truths"; readonly bits: CellBits };

/** Cells that are printed as ASCII in which no format escapes anything. */
export interface CellPrinter {
  /** Numbers with a point, numbers without one, `true` and `false`, or anything else. */
  readonly kind: "point" | "whole" | "truth" | "other";
  /** Most bytes of a cell. */
  readonly width: number;
  /** Writes a cell at `at`; returns the position after it, or -1 where only its text says it. */
  readonly print: (i: number, out: Uint8Array, at: number) => number;
  readonly values: CellValues;
}

/** Cells that are UTF-8 already. */
export interface CellTexts {
  readonly kind: "texts";
  readonly bytes: Uint8Array;
  /** Cell `i` is from `offsets[i]` to before `offsets[i + 1]`. */
  readonly offsets: Int32Array;
}

/** Cells that are entries of a dictionary. */
export interface CellEntries {
  readonly kind: "entries";
  /** Number of a cell's entry: equal numbers are equal texts. */
  readonly entry: (i: number) => number;
  /** These numbers as they are in memory, if they have 32 bits. */
  readonly numbers?: Int32Array;
}
