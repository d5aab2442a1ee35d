import type { Encoding } from "../read/format/types.js";

/** The values of a column of a row group, encoded and not yet compressed. */
export interface EncodedColumn {
  readonly encoding: Encoding;
  /** The bytes of a page hold until the next page is asked for. */
  readonly pages: Iterable<EncodedPage>;
  /** The texts that values are numbers of. */
  readonly dictionary?: { readonly bytes: Uint8Array; readonly count: number };
  readonly bounds: Bounds;
}

/** Least and greatest value of a column of a row group as they are stored, where there is one. */
export interface Bounds {
  readonly min?: Uint8Array;
  readonly max?: Uint8Array;
  /** They are below and above the values, which are longer. */
  readonly minIsCut?: boolean;
  readonly maxIsCut?: boolean;
}

export interface EncodedPage {
  readonly rows: number;
  readonly nulls: number;
  readonly levels: Uint8Array;
  readonly values: Uint8Array;
  /** Already bit-packed; not worth compressing. */
  readonly dense?: boolean;
}
