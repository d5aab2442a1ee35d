import { csvHeader } from "../../document/csv.js";
import type { TableMetadata } from "../../document/records.js";
import type { Rows } from "../../document/rows.js";
import { DataError } from "../../errors/errors.js";
import type { ColumnSpec } from "../../spec/columns.js";
import type { Profile } from "../../spec/profile.js";
import { refuseContradictions } from "./contradiction.js";
import { selectionContradictions } from "./table-contradictions.js";

/** What is needed to find the columns of a CSV reply. */
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
  const { select } = table;
  // Cells are matched by name, so that another order of the same columns does no harm.
  const isSame = select?.length === names.length && select.every((name) => names.includes(name));
  if (!isSame) refuseContradictions(table.code, selectionContradictions(select, names), profile);
  const wanted = table.select ?? [...known.keys()];
  const wrong = names.find((name) => !known.has(name)) ?? wanted.find((name) => !names.includes(name));
  if (wrong !== undefined) {
    const extra = names.includes(wrong);
    throw new DataError(
      `The CSV reply of ${table.code} ${extra ? "has a column" : "lacks the column"} ${JSON.stringify(wrong)}${extra ? " that the metadata does not list" : ""}.`,
      {
        code: "ColumnsChanged",
        column: wrong,
        hint: 'Send the query again, or with .format("json"), which includes the column types.',
      },
    );
  }
  return wanted.map((name) => known.get(name) as ColumnSpec);
}
