/** The bytes at hand and how far they are read. A reader of rows moves `p` and `row` on, whole rows at a time. */
export interface RowCursor {
  b: Uint8Array;
  p: number;
  end: number;
  /** No row that starts here or later is read. */
  fastEnd: number;
  /** The row of the batch to be read next, and how many rows there is room for. */
  row: number;
  capacity: number;
}
