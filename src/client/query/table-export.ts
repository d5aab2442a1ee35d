import { InputError } from "../../errors/errors.js";
import type { ColumnSpec } from "../../spec/columns.js";
import type { Filter } from "../../spec/endpoints.js";
import type { Format } from "../../spec/vocabulary.js";
import type { BulkOrigin } from "../bulk/archive.js";
import { serviceColumns } from "../bulk/bulk-columns.js";
import type { ExportOptions } from "../bulk/export-options.js";
import { ExportSource } from "../bulk/export-source.js";
import { checkExportHeader, exportRowCheck } from "../pages/export-check.js";
import type { TableCall } from "../pages/table-page.js";
import { emptyTextOf } from "../pages/typed-rows.js";
import type { Session } from "../transport/session.js";
import { sourceOf } from "./table-source.js";

/** What an export of a table holds. */
interface ExportQuestion {
  readonly code: string;
  readonly codes: Readonly<Record<string, string>>;
  readonly filters: readonly Filter[];
  readonly select?: readonly string[];
  readonly format: Format;
  /** An export is never limited; this is an error once it is requested. */
  readonly limit?: number;
}

/** The origin of an export (spec 4.9); `call` checks its names before the first request. */
export function tableExport(
  session: Session,
  { limit, ...question }: ExportQuestion,
  call: (signal?: AbortSignal) => Promise<TableCall>,
  options: ExportOptions,
): BulkOrigin {
  const { code, codes, filters, select, format } = question;
  const { profile } = session.settings;
  const parameters = { ...(select ? { "qopts.columns": select.join(",") } : {}), "qopts.export": "true" };
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
  const asked = { endpoint: "tableExport", codes, format, parameters, filters } as const;
  const source = new ExportSource(session, asked, options, checked);
  return {
    about: sourceOf(code, filters, undefined),
    choose: async (firstCells) => {
      const { columns, primary_key: key } = await (await checked()).metadata();
      const wanted = select?.map((name) => columns.find((column) => column.name === name) as ColumnSpec);
      const first = await firstCells();
      const names = columns.map(({ name }) => name);
      checkExportHeader({ code, select }, names, first, profile);
      return { ...(await serviceColumns(wanted ?? columns, async () => first)), key };
    },
    check: exportRowCheck({ code, filters }, profile),
    emptyText: emptyTextOf(profile),
    status: (signal) => source.status(signal),
    ready: (signal, onProgress) => source.ready(signal, onProgress),
    from: { session, source },
  };
}
