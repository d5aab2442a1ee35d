import { InputError } from "../../errors/errors.js";
import type { ColumnSpec } from "../../spec/columns.js";
import type { Profile } from "../../spec/profile.js";
import type { BulkOrigin } from "../bulk/archive.js";
import type { RowCheck } from "../bulk/archive-reader.js";
import { serviceColumns } from "../bulk/bulk-columns.js";
import type { ExportOptions } from "../bulk/export-options.js";
import { ExportSource } from "../bulk/export-source.js";
import { refuseContradictions, selectionContradictions, tableContradictions } from "../pages/reply-check.js";
import { exportCall, type TableCall } from "../pages/table-page.js";
import { emptyTextOf } from "../pages/typed-rows.js";
import type { Session } from "../transport/session.js";
import { sourceOf } from "./table-source.js";

/** What an export of a table holds. It is never limited: a `limit` is an error once it is requested. */
type ExportQuestion = Pick<TableCall, "code" | "codes" | "filters" | "select" | "format" | "limit">;

/** The origin of an export (spec 4.9); `call` checks its names before the first request. */
export function tableExport(
  session: Session,
  { limit, ...question }: ExportQuestion,
  call: (signal?: AbortSignal) => Promise<TableCall>,
  options: ExportOptions,
): BulkOrigin {
  const { code, filters, select } = question;
  const { profile } = session.settings;
  const checked = async (signal?: AbortSignal): Promise<TableCall> => {
    const table = await call(signal);
    const { here } = table.shape;
    if (here.length === 0 && limit === undefined) return table;
    const what = here.length > 0 ? `filtered by ${JSON.stringify(here[0].column)}` : "limited";
    throw new InputError(`An export of ${code} cannot be ${what}: the service makes it.`, {
      code: here.length > 0 ? "NotFilterable" : "BadArgument",
      hint: "Export without it, and filter or cut the frame.",
    });
  };
  const source = new ExportSource(session, exportCall(question), options, checked);
  return {
    about: sourceOf(code, filters, undefined),
    choose: async (firstCells) => {
      const { columns, primary_key: key } = await (await checked()).metadata();
      const wanted = select?.map((name) => columns.find((column) => column.name === name) as ColumnSpec);
      const first = await firstCells();
      const names = columns.map(({ name }) => name);
      // A file without a header, or with names that the table does not have, is left to its reader.
      const isHeader = first.length > 0 && first.every((name) => names.includes(name));
      if (isHeader) refuseContradictions(code, selectionContradictions(select, first, "any"), profile);
      return { ...(await serviceColumns(wanted ?? columns, async () => first)), key };
    },
    check: exportRowCheck({ code, filters }, profile),
    emptyText: emptyTextOf(profile),
    status: (signal) => source.status(signal),
    ready: (signal, onProgress) => source.ready(signal, onProgress),
    from: { session, source },
  };
}

/**
 * Compares the rows of an export with its filters, as those of pages are.
 *
 * @throws {DataError} ReplyContradicts at the first batch with a row that does not meet them
 */
function exportRowCheck({ code, filters }: Pick<ExportQuestion, "code" | "filters">, profile: Profile): RowCheck {
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
