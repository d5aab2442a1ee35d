import { DataError } from "../../errors/errors.js";
import type { ColumnSpec } from "../../spec/columns.js";
import type { RecordBatch, Table } from "../arrow/arrow.js";
import type { Batching, ReadOptions } from "../arrow/read-options.js";
import { BatchMaker, textModes, warnUnknownTypes } from "./batch-maker.js";
import { BatchRows } from "./batch-rows.js";
import type { RawBatch } from "./builder.js";

/** Rows in memory, which are read once: as batches, at least one, or as a table. */
export class MemoryRows {
  private readonly maker: BatchMaker;

  constructor(
    private readonly raws: Iterable<RawBatch>,
    columns: readonly ColumnSpec[],
    options: ReadOptions,
  ) {
    this.maker = new BatchMaker(columns, options);
  }

  batches(): RecordBatch[] {
    return Array.from(this.raws, (raw) => this.maker.batch(raw));
  }

  table(): Table {
    return this.maker.table([...this.raws]);
  }
}

/**
 * Rows of string cells. Null is null; strings are read by the type of their column exactly as the bytes of CSV and JSON
 * are.
 *
 * @throws {DataError} BadCell with row, column and value; the offset is 0
 */
export function textRows(
  rows: Iterable<readonly (string | null)[]>,
  columns: readonly ColumnSpec[],
  options: ReadOptions & Batching = {},
): MemoryRows {
  return new MemoryRows(rawBatches(rows, columns, options), columns, options);
}

function* rawBatches(
  rows: Iterable<readonly (string | null)[]>,
  columns: readonly ColumnSpec[],
  options: ReadOptions & Batching,
): Generator<RawBatch, void, undefined> {
  const iterator = rows[Symbol.iterator]();
  let cells: readonly (string | null)[] = [];
  const source: RowSource = {
    next() {
      const step = iterator.next();
      if (step.done !== true) cells = step.value;
      return step.done !== true;
    },
    read({ builders, row, policy }) {
      if (cells.length !== builders.length) throw wrongWidth(policy.rowNumber(row), cells.length, builders.length);
      for (const [i, builder] of builders.entries()) {
        const cell = cells[i];
        if (cell === null) builder.setNull(row);
        else {
          const bytes = encoded(cell);
          policy.write(builder, row, bytes, 0, bytes.length, 0);
        }
      }
    },
  };
  try {
    yield* rowBatches(source, columns, options);
  } finally {
    iterator.return?.();
  }
}

/** Rows that are read one at a time. */
export interface RowSource {
  /** Steps to the next row; false when there are no more. */
  next(): boolean;
  /** Reads the current row into the next row of the batch, which has room for it. */
  read(batch: BatchRows): void;
}

/** Reads the rows into batches of at most `options.batchRows` rows; yields at least one. */
export function* rowBatches(
  source: RowSource,
  columns: readonly ColumnSpec[],
  options: ReadOptions & Batching,
): Generator<RawBatch, void, undefined> {
  warnUnknownTypes(columns, options);
  const batch = new BatchRows(columns, options, { modes: textModes(options.schema) });
  while (source.next()) {
    if (batch.isFull) yield batch.take(false);
    batch.reserve();
    source.read(batch);
    batch.row++;
  }
  const last = batch.takeLast();
  if (last !== undefined) yield last;
  batch.policy.report();
}

/** The error for a row with too few or too many cells. */
export function wrongWidth(row: number, cells: number, width: number, offset?: number): DataError {
  return new DataError(
    `Row ${row} has ${cells} cells for ${width} columns${offset === undefined ? "" : ` (byte ${offset})`}.`,
    {
      code: cells < width ? "ShortRow" : "LongRow",
      row,
      ...(offset !== undefined && { offset }),
      hint: "The rows do not match these columns; compare them with the columns of the reply.",
    },
  );
}

const encoder = new TextEncoder();
let scratch = new Uint8Array(1024);

/** Encodes to UTF-8 in a buffer that the next call overwrites. */
function encoded(text: string): Uint8Array {
  if (text.length * 3 > scratch.length) scratch = new Uint8Array(text.length * 4);
  const { written } = encoder.encodeInto(text, scratch);
  return scratch.subarray(0, written);
}
