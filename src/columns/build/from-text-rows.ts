import { DataError } from "../../errors/errors.js";
import type { ColumnSpec } from "../../spec/columns.js";
import type { RecordBatch, Table } from "../arrow/arrow.js";
import { BATCH_ROWS, type ReadOptions } from "../arrow/read-options.js";
import { CellPolicy } from "./bad-cells.js";
import { BatchMaker, textModes, warnUnknownTypes } from "./batch-maker.js";
import { buildersFor, type RawBatch } from "./builder.js";

/**
 * Rows of text cells (as XML replies give them) as record batches: null is null, text is read by its column's type exactly as the
 * bytes of CSV and JSON are. There is at least one batch.
 *
 * @throws DataError naming row, column and value; the offset is 0
 */
export function* textBatches(
  rows: Iterable<readonly (string | null)[]>,
  columns: readonly ColumnSpec[],
  options: ReadOptions = {},
): Generator<RecordBatch> {
  const maker = new BatchMaker(columns, options);
  for (const raw of rawBatches(rows, columns, options)) yield maker.batch(raw);
}

/** {@link textBatches} as a table. */
export function textTable(
  rows: Iterable<readonly (string | null)[]>,
  columns: readonly ColumnSpec[],
  options: ReadOptions = {},
): Table {
  return new BatchMaker(columns, options).table([...rawBatches(rows, columns, options)]);
}

function* rawBatches(
  rows: Iterable<readonly (string | null)[]>,
  columns: readonly ColumnSpec[],
  options: ReadOptions,
): Generator<RawBatch> {
  warnUnknownTypes(columns, options);
  const builders = buildersFor(columns, options, textModes(options.schema));
  const policy = new CellPolicy(options);
  const batchRows = options.batchRows ?? BATCH_ROWS;
  let row = 0;
  let batches = 0;
  const flush = (final: boolean): RawBatch => {
    const raw = { rows: row, columns: builders.map((builder) => builder.take(row, final)) };
    policy.rowsBefore += row;
    row = 0;
    batches++;
    return raw;
  };
  for (const cells of rows) {
    if (row === batchRows) yield flush(false);
    if (cells.length !== columns.length) throw wrongWidth(policy.rowNumber(row), cells.length, columns.length);
    for (let i = 0; i < builders.length; i++) {
      const builder = builders[i];
      if (row === builder.capacity) builder.reserve(Math.min(batchRows, row * 4));
      const cell = cells[i];
      if (cell === null) builder.setNull(row);
      else {
        const bytes = encoded(cell);
        policy.write(builder, row, bytes, 0, bytes.length, 0);
      }
    }
    row++;
  }
  if (row > 0 || batches === 0) yield flush(true);
  policy.report();
}

/** The error for a row with too few or too many cells. */
export function wrongWidth(row: number, cells: number, width: number, offset?: number): DataError {
  return new DataError(
    `Row ${row} has ${cells} cells for ${width} columns${offset === undefined ? "" : ` (byte ${offset})`}.`,
    {
      code: cells < width ? "ShortRow" : "LongRow",
      row,
      ...(offset !== undefined && { offset }),
      hint: "The rows do not belong to these columns; compare the columns of the reply.",
    },
  );
}

const encoder = new TextEncoder();
let scratch = new Uint8Array(1024);

/** UTF-8 of a text in memory that the next call uses again. */
function encoded(text: string): Uint8Array {
  if (text.length * 3 > scratch.length) scratch = new Uint8Array(text.length * 4);
  const { written } = encoder.encodeInto(text, scratch);
  return scratch.subarray(0, written);
}
