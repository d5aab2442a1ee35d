import type { RecordBatch } from "../../columns/arrow/arrow.js";
import { DataError } from "../../errors/errors.js";

export interface RowBounds {
  /** The most rows that are wanted: the rest is not requested. */
  readonly limit?: number;
  /** The most rows that are accepted; more are an error, or left out with `truncate`. */
  readonly maxRows?: number;
  readonly truncate?: boolean;
}

/**
 * Counts the rows of a result and cuts it at its bounds.
 *
 * @throws {DataError} TooManyRows from `take`, for more than `maxRows` without `truncate`
 */
export function rowBudget(code: string, { limit, maxRows, truncate }: RowBounds) {
  const most = Math.min(limit ?? Number.POSITIVE_INFINITY, maxRows ?? Number.POSITIVE_INFINITY);
  const isStrict = maxRows !== undefined && most === maxRows && most !== limit && truncate !== true;
  let rows = 0;
  let isCut = false;
  return {
    /** The batches that are within the bounds. */
    take(batches: readonly RecordBatch[]): RecordBatch[] {
      const kept: RecordBatch[] = [];
      for (const batch of batches) {
        const room = most - rows;
        if (batch.numRows > room) {
          if (isStrict) throw tooMany(code, maxRows);
          isCut = true;
        }
        const taken = batch.numRows > room ? batch.slice(0, room) : batch;
        rows += taken.numRows;
        if (taken.numRows > 0) kept.push(taken);
      }
      return kept;
    },
    /** Whether no more rows are needed. */
    get isFull(): boolean {
      // One row more than `maxRows` must arrive before it is an error.
      return isStrict ? false : rows >= most;
    },
    /** Whether rows were left out. */
    get isCut(): boolean {
      return isCut;
    },
  };
}

function tooMany(code: string, maxRows: number): DataError {
  return new DataError(`${code} has more than ${maxRows} rows for this query, the most that maxRows allows.`, {
    code: "TooManyRows",
    hint: "Add filters, raise maxRows, or pass truncate: true for the first rows only.",
  });
}
