import type { CellBatch } from "../../src/document/cells/cell-batch.js";
import { Output } from "../../src/document/cells/output.js";
import { writeDocument } from "../../src/document/formats.js";
import type { RowsToWrite } from "../../src/document/members.js";
import type { ColumnSpec } from "../../src/spec/columns.js";
import { type Profile, specification } from "../../src/spec/profile.js";
import type { ResourceName } from "../../src/spec/resources.js";
import type { Format } from "../../src/spec/vocabulary.js";

/** Rows as exact texts, null as null. */
export interface TextRows {
  readonly columns: readonly ColumnSpec[];
  readonly rows: readonly (readonly (string | null)[])[];
}

/** Texts as cells to write. */
function rowsToWrite({ columns, rows }: TextRows): RowsToWrite {
  const batch: CellBatch = {
    rows: rows.length,
    columns: columns.map((_, k) => ({ valid: (i) => rows[i][k] !== null, text: (i) => rows[i][k] as string })),
  };
  return { columns, batches: [batch] };
}

/** A reply as text. */
export function writtenText(
  resource: ResourceName,
  format: Format,
  { fields, rows }: { readonly fields: object; readonly rows?: TextRows },
  profile: Profile = specification,
): string {
  const document = { fields, ...(rows && { rows: rowsToWrite(rows) }) };
  const out = new Output(16);
  for (const _ of writeDocument({ resource, document, profile }, format, out));
  return Buffer.from(out.written()).toString();
}
