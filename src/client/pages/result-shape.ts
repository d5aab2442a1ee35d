import { type RecordBatch, type Schema, Table } from "../../columns/arrow/arrow.js";
import { type ColumnPredicate, rowsMeeting } from "../../columns/predicate/predicate.js";
import { pickColumns } from "../../columns/table/pick.js";
import { takeBatch } from "../../columns/table/take.js";
import { DataError, InputError } from "../../errors/errors.js";
import type { ColumnSpec } from "../../spec/columns.js";
import type { Filter } from "../../spec/endpoints.js";
import { filterPredicate } from "./filter-predicate.js";

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
): readonly RecordBatch[] {
  if (batches.length === 0 || (here.length === 0 && show === undefined)) return batches;
  const { schema } = batches[0];
  const conditions = here.map((filter) => conditionOf(filter, columns, schema));
  const kept = batches.flatMap((batch) => {
    const rows = rowsMeeting(batch, conditions);
    return rows === undefined ? batch : rows.length === 0 ? [] : takeBatch(batch, rows);
  });
  const positions = show?.map((name) => schema.fields.findIndex((field) => field.name === name));
  return positions === undefined ? kept : pickColumns(new Table(schema, kept), positions).batches;
}

function conditionOf(filter: Filter, columns: readonly ColumnSpec[], schema: Schema): ColumnPredicate {
  const column = columns.findIndex(({ name }) => name === filter.column);
  if (column === -1) {
    throw new DataError(`The reply has no column ${JSON.stringify(filter.column)}.`, { code: "UnexpectedShape" });
  }
  const { type } = columns[column];
  const predicate = filterPredicate(filter, type, schema.fields[column].type);
  if (predicate !== undefined) return { column, predicate };
  const name = JSON.stringify(filter.column);
  throw new InputError(`${type} column ${name} cannot be compared with ${JSON.stringify(filter.values[0])}.`, {
    code: "BadFilter",
    column: filter.column,
    hint: "Leave this condition out of where() and filter the frame.",
  });
}
