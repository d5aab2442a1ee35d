import { type Data, Vector } from "../../columns/arrow/arrow.js";
import { BATCH_ROWS } from "../../columns/arrow/read-options.js";
import { sliceData } from "../../columns/arrow/record-batch.js";
import { takeColumn, takeVector } from "../../columns/table/take.js";

/** Rows of a table for the rows of a result, −1 for none. */
export interface Picks {
  readonly length: number;
  /** Whether they are all rows of the table in their order. */
  readonly isWhole: boolean;
  readonly rows: () => Int32Array;
  /** The values of a column at these rows, in chunks of these lengths if there are any. */
  readonly taken: (vector: Vector, lengths?: readonly number[]) => Vector;
}

export function picksOf(rows: Int32Array, tableRows: number): Picks {
  return {
    length: rows.length,
    isWhole: rows.length === tableRows && isInOrder(rows),
    rows: () => rows,
    taken: (vector, lengths) => takenIn(vector, rows, lengths),
  };
}

export const allRows = (length: number): Picks => ({
  length,
  isWhole: true,
  rows: () => rowsTo(length),
  taken: (vector, lengths) => takenIn(vector, rowsTo(length), lengths),
});

export const rowsTo = (length: number): Int32Array => new Int32Array(length).map((_, i) => i);

/**
 * The row of each code, −1 for none, by the codes of the result's rows, also −1 for none. Where codes are few, so are
 * the values that a column has for them, which are made first.
 */
export function picksByCode(codes: Int32Array, rowOf: Int32Array): Picks {
  let made: Int32Array | undefined;
  const rows = (): Int32Array => {
    made ??= composed(codes, rowOf);
    return made;
  };
  return {
    length: codes.length,
    isWhole: false,
    rows,
    taken(vector, lengths) {
      if (rowOf.length * FEW > codes.length) return takenIn(vector, rows(), lengths);
      const values = takeColumn(vector, rowOf);
      if (lengths === undefined || lengths.length === 0) return takeColumn(values, codes);
      return inChunks(lengths, (from, length) => takeVector(values, codes.subarray(from, from + length)).data[0]);
    },
  };
}

/** Codes are few where each has, on average, more rows than this. */
const FEW = 8;

function composed(codes: Int32Array, rowOf: Int32Array): Int32Array {
  const rows = new Int32Array(codes.length);
  for (let i = 0; i < codes.length; i++) rows[i] = codes[i] === -1 ? -1 : rowOf[codes[i]];
  return rows;
}

/** The values at these rows, in chunks of these lengths if there are any. */
function takenIn(vector: Vector, rows: Int32Array, lengths: readonly number[] | undefined): Vector {
  if (lengths === undefined || lengths.length === 0) return takeColumn(vector, rows);
  const column = areUsual(lengths) ? takeColumn(vector, rows) : takeVector(vector, rows);
  const [whole] = column.data;
  if (column.data.length === 1) return inChunks(lengths, (from, length) => sliceData(whole, from, length));
  if (column.data.length === lengths.length && column.data.every(({ length }, k) => length === lengths[k]))
    return column;
  return inChunks(lengths, (from, length) => takeVector(vector, rows.subarray(from, from + length)).data[0]);
}

/** Whether these are the lengths of the batches that long results are cut into. */
const areUsual = (lengths: readonly number[]): boolean =>
  lengths.every(
    (length, k) => length === BATCH_ROWS || (k === lengths.length - 1 && length > 0 && length < BATCH_ROWS),
  );

function inChunks(lengths: readonly number[], chunkOf: (from: number, length: number) => Data): Vector {
  let from = 0;
  const chunks = lengths.map((length) => {
    from += length;
    return chunkOf(from - length, length);
  });
  return new Vector(chunks);
}

function isInOrder(rows: Int32Array): boolean {
  for (let i = 0; i < rows.length; i++) if (rows[i] !== i) return false;
  return true;
}
