import type { RecordBatch } from "../../columns/arrow/arrow.js";
import { DataError, InputError } from "../../errors/errors.js";
import { Frame } from "../../frame/frame.js";
import type { ColumnSpec } from "../../spec/columns.js";
import type { Filter } from "../../spec/endpoints.js";
import type { CellReading } from "./may-meet.js";
import { filterMask } from "./unmet-filter.js";

/** What is done to rows after they were received. */
export interface ResultShape {
  /** Row filters that the service did not apply. */
  readonly here: readonly Filter[];
  /** The columns of the result in order, if others were requested for `here`. */
  readonly show?: readonly string[];
}

/**
 * Applies a shape to batches of one schema.
 *
 * @throws {InputError} BadFilter for a filter that the type of its column cannot be compared with
 */
export function shaped(
  { here, show }: ResultShape,
  batches: readonly RecordBatch[],
  columns: readonly ColumnSpec[],
  reading: CellReading,
): readonly RecordBatch[] {
  if (batches.length === 0 || (here.length === 0 && show === undefined)) return batches;
  const result: RecordBatch[] = [];
  for (const batch of batches) {
    const mask = new Uint8Array(batch.numRows).fill(1);
    for (const filter of here) narrow(mask, filter, batch, columns, reading);
    let frame = Frame.fromBatches(batch.schema, [batch]);
    if (mask.includes(0)) frame = frame.filter(Array.from(mask, (kept) => kept === 1));
    if (show !== undefined) frame = frame.select([...show]);
    result.push(...frame.table.batches);
  }
  return result;
}

function narrow(
  mask: Uint8Array,
  filter: Filter,
  batch: RecordBatch,
  columns: readonly ColumnSpec[],
  reading: CellReading,
): void {
  const index = columns.findIndex(({ name }) => name === filter.column);
  if (index === -1) {
    throw new DataError(`The reply has no column ${JSON.stringify(filter.column)}.`, { code: "UnexpectedShape" });
  }
  const met = filterMask(filter, columns[index], batch.data.children[index], reading);
  if (met === undefined) {
    const value = JSON.stringify(filter.values[0]);
    throw new InputError(
      `${columns[index].type} column ${JSON.stringify(filter.column)} cannot be compared with ${value}.`,
      {
        code: "BadFilter",
        column: filter.column,
        hint: "Leave this condition out of where() and filter the frame.",
      },
    );
  }
  for (let i = 0; i < mask.length; i++) mask[i] &= met[i];
}
