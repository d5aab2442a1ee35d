import type { Bounds, Encoding } from "./file-metadata.js";

/** The values of a column of a row group, encoded and not yet compressed. */
export interface EncodedColumn {
  readonly encoding: Encoding;
  /** The bytes of a page hold until the next page is asked for. */
  readonly pages: Iterable<EncodedPage>;
  /** The texts that values are numbers of. */
  readonly dictionary?: { readonly bytes: Uint8Array; readonly count: number };
  /** Least and greatest value, where there is one. */
  readonly statistics: Bounds;
}

export interface EncodedPage {
  readonly rows: number;
  readonly nulls: number;
  /** Definition levels. */
  readonly levels: Uint8Array;
  readonly values: Uint8Array;
  /** Already bit-packed; not worth compressing. */
  readonly dense?: boolean;
}

/** Writes the values of a page in Parquet's hybrid of runs and packed bits. */
export type WriteIndices = (indices: Int32Array, bitWidth: number) => Uint8Array;
