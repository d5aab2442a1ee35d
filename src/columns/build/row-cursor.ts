/** A window of bytes and the position within it. Row readers advance `p` and `row` by complete rows. */
export interface RowCursor {
  b: Uint8Array;
  p: number;
  end: number;
  /** Rows that start at or after this position are not read. */
  fastEnd: number;
  /** The next row of the batch to fill, and its capacity in rows. */
  row: number;
  capacity: number;
}
