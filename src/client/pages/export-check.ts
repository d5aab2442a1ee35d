import type { Filter } from "../../spec/endpoints.js";
import type { Profile } from "../../spec/profile.js";
import type { RowCheck } from "../bulk/archive-reader.js";
import { refuseContradictions } from "./contradiction.js";
import { selectionContradictions, tableContradictions } from "./table-contradictions.js";
import { emptyTextOf } from "./typed-rows.js";

/** What an export was requested with. */
interface ExportQuestion {
  readonly code: string;
  readonly filters: readonly Filter[];
}

/**
 * Compares the rows of an export with its filters, as those of pages are.
 *
 * @throws {DataError} ReplyContradicts at the first batch with a row that does not meet them
 */
export function exportRowCheck({ code, filters }: ExportQuestion, profile: Profile): RowCheck {
  const checked = profile.replyChecks.value.includes("filters") ? filters : [];
  return (columns, options) => {
    const reading = { ...options, emptyIsNull: emptyTextOf(profile) === "null" };
    let before = 0;
    return (batch) => {
      const part = { columns, batches: [batch], before };
      refuseContradictions(code, tableContradictions({ filters: checked }, part, reading), profile);
      before += batch.numRows;
    };
  };
}

/**
 * Compares the header of an export with the selected columns. A file without a header, or with names that the table
 * does not have, is left to its reader.
 *
 * @param names of all columns of the table
 * @throws {DataError} ReplyContradicts if the file has other columns of the table
 */
export function checkExportHeader(
  { code, select }: { readonly code: string; readonly select: readonly string[] | undefined },
  names: readonly string[],
  first: readonly string[],
  profile: Profile,
): void {
  if (select === undefined || first.length === 0 || !first.every((name) => names.includes(name))) return;
  // Cells are matched by name, so that another order of the same columns does no harm.
  const isSame = select.length === first.length && select.every((name) => first.includes(name));
  if (!isSame) refuseContradictions(code, selectionContradictions(select, first), profile);
}
