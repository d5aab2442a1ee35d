import type { RecordBatch } from "../../columns/arrow/arrow.js";
import type { ReadOptions } from "../../columns/arrow/read-options.js";
import { csvTable } from "../../columns/csv/reader.js";
import { jsonRowsBatches } from "../../columns/json/reader.js";
import { xmlRowsBatches } from "../../columns/xml/reader.js";
import type { Rows } from "../../document/rows.js";
import type { ColumnSpec } from "../../spec/columns.js";
import type { Profile } from "../../spec/profile.js";

/**
 * Reads the rows of one reply as record batches of typed columns.
 *
 * @throws {DataError} BadCell for a cell that does not fit its type
 */
export function typedRows(
  rows: Rows,
  columns: readonly ColumnSpec[],
  profile: Profile,
  options: ReadOptions = {},
): RecordBatch[] {
  switch (rows.kind) {
    case "json":
      return jsonRowsBatches(rows.bytes, rows.start, rows.end, columns, options);
    case "csv":
      return csvTable(rows.bytes, { ...options, columns, emptyText: emptyTextOf(profile) }).batches;
    case "xml":
      return xmlRowsBatches(rows, columns, options);
  }
}

/** How the service distinguishes empty text from null in CSV. */
export function emptyTextOf(profile: Profile): "quoted" | "null" {
  return profile.csvQuotesEmptyText.value ? "quoted" : "null";
}
