import type { RecordBatch } from "../../columns/arrow/arrow.js";
import type { ReadOptions } from "../../columns/arrow/read-options.js";
import { csvTable } from "../../columns/csv/reader.js";
import { jsonRows } from "../../columns/json/reader.js";
import { xmlRows } from "../../columns/xml/reader.js";
import { csvHeader } from "../../document/csv.js";
import type { Rows } from "../../document/node.js";
import type { TableMetadata } from "../../document/records.js";
import { DataError } from "../../errors/errors.js";
import type { ColumnSpec } from "../../spec/columns.js";
import type { Profile } from "../../spec/profile.js";
import { refuseContradictions, selectionContradictions } from "./reply-check.js";

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
      return jsonRows({ bytes: rows.bytes, start: rows.start, end: rows.end }, columns, options).batches();
    case "csv":
      return csvTable(rows.bytes, { ...options, columns, emptyText: emptyTextOf(profile) }).batches;
    case "xml":
      return xmlRows(rows, columns, options).batches();
  }
}

/** How the service distinguishes empty text from null in CSV. */
export function emptyTextOf(profile: Profile): "quoted" | "null" {
  return profile.csvQuotesEmptyText.value ? "quoted" : "null";
}

interface CsvTable {
  readonly code: string;
  readonly select?: readonly string[];
  readonly metadata: () => Promise<TableMetadata>;
}

/**
 * The columns of a CSV reply, which contains names only: the types come from the metadata, matched by name (spec 2.6,
 * 2.7).
 *
 * @throws {DataError} ReplyContradicts if the reply has other columns than those selected; ColumnsChanged if it has
 *   other columns than the metadata
 */
export async function csvColumns(table: CsvTable, rows: Rows, profile: Profile): Promise<ColumnSpec[]> {
  const known = new Map((await table.metadata()).columns.map((column) => [column.name, column]));
  const names = rows.kind === "csv" ? csvHeader(rows.bytes) : [];
  refuseContradictions(table.code, selectionContradictions(table.select, names, "any"), profile);
  const wanted = table.select ?? [...known.keys()];
  const wrong = names.find((name) => !known.has(name)) ?? wanted.find((name) => !names.includes(name));
  if (wrong !== undefined) {
    const name = JSON.stringify(wrong);
    const isExtra = names.includes(wrong);
    const what = isExtra ? `has a column ${name} that the metadata does not list` : `lacks the column ${name}`;
    throw new DataError(`The CSV reply of ${table.code} ${what}.`, {
      code: "ColumnsChanged",
      column: wrong,
      hint: 'Send the query again, or with .format("json"), which includes the column types.',
    });
  }
  return wanted.map((name) => known.get(name) as ColumnSpec);
}
