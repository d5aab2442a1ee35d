import { InputError } from "../../errors/errors.js";
import { scrub } from "../../errors/secrets.js";
import type { Filter } from "../../spec/endpoints.js";
import { exportIdentity } from "../bulk/export-source.js";
import { address } from "../transport/address.js";
import { earlierRun } from "../transport/earlier-runs.js";
import type { Session } from "../transport/session.js";
import { bytesOf, rowsOf, rowsOfKey, rowsOfLimit } from "./estimate.js";
import { filterTexts, type Plan, shownPlan } from "./plan.js";
import { callOf, exportCall, rowsQuestion, type TableCall } from "./table-page.js";
import { exportFilters, partsOf } from "./table-pages.js";

export async function tablePlan(session: Session, table: TableCall, by: "pages" | "export"): Promise<Plan> {
  const { profile } = session.settings;
  const here = filterTexts(table.shape.here);
  const run = await earlierRun(session, rowsQuestion(table));
  // Conditions that are applied here limit the result, not what the service sends.
  const limit = here.length === 0 ? rowsOfLimit(table.limit) : undefined;
  const rows = rowsOf(run, [limit, rowsOfKey(table.known, table.filters)]);
  const shared = {
    rows,
    code: table.code,
    by,
    here,
    columns: table.shape.show ?? table.select ?? null,
    checks: checksOf(table),
  };
  if (by === "export") {
    if (here.length > 0 || table.limit !== undefined) {
      throw new InputError(`An export of ${table.code} can neither be filtered here nor limited.`, {
        code: "BadArgument",
        hint: "Leave out limit() and the conditions with local: true.",
      });
    }
    const identity = exportIdentity(session.settings.url, exportCall(table));
    return shownPlan({
      ...shared,
      bytes: bytesOf(await earlierRun(session, identity)),
      addresses: [addressOf(session, table, "tableExport", table.filters)],
      requests: { least: 2, most: null },
      rowsPerReply: null,
      atService: filterTexts(table.filters),
      notes: [`at most ${profile.exportsPerHour.value} exports an hour; the service may take minutes to make the file`],
    });
  }
  const parts = partsOf(session, table);
  const bound = table.limit === undefined ? [] : [`at most ${table.limit} rows`];
  const size = Math.min(table.pageSize ?? Number.POSITIVE_INFINITY, profile.maxRowsPerReply.value);
  return shownPlan({
    ...shared,
    bytes: bytesOf(run),
    addresses: parts.map((filters) => addressOf(session, table, "tableRows", filters)),
    requests: { least: table.limit === undefined ? parts.length : 1, most: mostRequests(table, parts, size) },
    rowsPerReply: size,
    atService: [...filterTexts(table.filters), ...(here.length > 0 ? [] : bound)],
    here: here.length > 0 ? [...here, ...bound] : here,
    notes: notesOf(session, table, parts.length),
  });
}

function addressOf(
  { settings }: Session,
  table: TableCall,
  endpoint: "tableRows" | "tableExport",
  filters: readonly Filter[],
): string {
  const { url, profile } = settings;
  const size = Math.min(table.pageSize ?? 0, profile.maxRowsPerReply.value);
  const pages: Record<string, string> = size > 0 && endpoint === "tableRows" ? { "@pageSize": String(size) } : {};
  return scrub(address(callOf(table, endpoint, filters, pages), url, profile));
}

/** Where the filters bound every column of the key, or the rows are limited, the number of pages is bounded. */
function mostRequests(table: TableCall, parts: readonly (readonly Filter[])[], size: number): number | null {
  const bounds: number[] = [];
  if (table.limit !== undefined && table.shape.here.length === 0) {
    bounds.push(Math.ceil(table.limit / size) + parts.length - 1);
  }
  const rows = parts.map((filters) => rowsOfKey(table.known, filters)?.value ?? Number.POSITIVE_INFINITY);
  const pages = rows.reduce((sum, count) => sum + Math.max(1, Math.ceil(count / size)), 0);
  if (Number.isFinite(pages)) bounds.push(pages);
  return bounds.length === 0 ? null : Math.min(...bounds);
}

function checksOf({ known, select, filters, shape, code }: TableCall): string[] {
  if (known === undefined) return [];
  const names = new Set([...(select ?? []), ...filters.map(({ column }) => column)]);
  for (const { column } of shape.here) names.add(column);
  const checks = [`${code} has the columns ${[...names].join(", ")}`];
  if (filters.length > 0) {
    const columns = new Set(filters.map(({ column }) => column));
    checks.push(`the service filters by ${[...columns].join(", ")}`);
  }
  return checks;
}

function notesOf(session: Session, table: TableCall, parts: number): string[] {
  const { maxQueryLength } = session.settings.profile;
  const notes: string[] = [];
  if (parts > 1) notes.push(`split into ${parts} parts: the address would exceed ${maxQueryLength.value} characters`);
  else if (exportFilters(session, table).length < table.filters.length) {
    notes.push(`the address exceeds ${maxQueryLength.value} characters and cannot be split`);
  }
  if (table.shape.here.length > 0) {
    notes.push("every row that meets the other conditions is requested: the service cannot filter by all columns");
  }
  return notes;
}
