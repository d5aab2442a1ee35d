import type { TableMetadata } from "../../document/records.js";
import { InputError } from "../../errors/errors.js";
import { noColumn } from "../../errors/options.js";
import { type ColumnSpec, parseType } from "../../spec/columns.js";
import type { Filter } from "../../spec/endpoints.js";
import { type Manifest, newest, type View, viewOf } from "./log.js";
import type { MirrorQuery } from "./place.js";

const WHOLE_EVERY = 10;

/** What a synchronisation does. */
export interface SyncPlan extends Pick<Manifest, "code" | "by" | "since" | "history"> {
  /** What a run does: nothing, a whole export, or the rows since a day. */
  readonly change: "none" | "export" | "since";
  /** Why, as a sentence. */
  readonly why: string;
  /** When the service last refreshed the table, ISO 8601; null if it does not say. */
  readonly refreshed_at: string | null;
  /** Name and declared type of each column, in order. */
  readonly columns: readonly ColumnSpec[];
  /** The primary key, by which updates replace rows; empty if the columns lack it. */
  readonly key: readonly string[];
  /** The update: rows of `column` at or after `day` replace those of the same key. */
  readonly update?: { readonly column: string; readonly day: string };
  /** Whether the rows cannot be compared with those of the copy, or need not be, as it keeps no history. */
  readonly isNewLog: boolean;
}

interface PlanOptions extends Pick<Manifest, "by" | "since" | "history"> {
  readonly wholeEvery?: number;
}

/**
 * Decides how a copy becomes current, from the table's metadata and the copy's manifest.
 *
 * @param damage what is missing of the newest version, as a clause
 * @throws {InputError} UnknownColumn, WrongType, NotFilterable for a `since` that cannot be used
 */
export async function planSync(
  query: MirrorQuery,
  manifest: Manifest | undefined,
  damage: (view: View) => Promise<string | undefined>,
  { since, by, history, wholeEvery = WHOLE_EVERY }: PlanOptions,
  signal: AbortSignal | undefined,
): Promise<SyncPlan> {
  const metadata = await query.metadata(signal);
  const columns = selected(metadata, query.select);
  if (since !== undefined) checkSince(query.code, metadata, columns, since);
  const names = columns.map(({ name }) => name);
  const key = metadata.primary_key?.every((name) => names.includes(name)) ? metadata.primary_key : [];
  if (since !== undefined && key.length === 0) throw noKey(query.code);
  const refreshed_at = metadata.status?.refreshed_at ?? null;
  const options = { code: query.code, refreshed_at, columns, key, by, since, history };
  const plan = (change: SyncPlan["change"], why: string, isNewLog = false): SyncPlan => ({
    ...options,
    change,
    why,
    isNewLog,
  });
  if (manifest === undefined) return plan("export", "There is no copy yet.", true);
  const state = newest(manifest);
  const log = manifest.logs.find(({ number }) => number === state.log);
  if (manifest.by !== by) return plan("export", "The rows are split in another way.", true);
  if (!equal(log?.columns, columns)) return plan("export", "The columns have changed.", true);
  if (!equal(log?.key, key)) return plan("export", "The primary key has changed.", true);
  const missing = await damage(viewOf(manifest, state));
  if (missing !== undefined) return plan("export", `The copy is not complete: ${missing}.`, true);
  if (since !== undefined && manifest.since !== since)
    return whole("The copy was not made for updates by this column.");
  if (refreshed_at === null) return update("The service does not say when it refreshed the table.");
  if (refreshed_at === state.refreshed_at) return plan("none", `Unchanged since ${refreshed_at}.`);
  return update(`The service refreshed the table at ${refreshed_at}.`);

  function whole(why: string): SyncPlan {
    return plan("export", why, history === undefined);
  }

  function update(why: string): SyncPlan {
    if (since === undefined) return whole(why);
    if (state.updates + 1 >= wholeEvery) return whole(`${why} ${state.updates} updates since the last export.`);
    const left = query.filters.find((filter) => !keepsRows(filter, since, key))?.column;
    if (left !== undefined) return whole(`${why} Changed rows may no longer meet the filter on ${left}.`);
    // Only the day of a time: every service filters by days, and a row of the copy that is sent again is left out.
    const day = state.last_day;
    if (day === undefined) return whole(`${why} The copy has no value of ${since} up to its own refresh.`);
    return { ...plan("since", why), update: { column: since, day } };
  }
}

/** Whether changed rows still meet a filter: their key stays, and the date of their last change only gets later. */
function keepsRows({ column, operator }: Filter, since: string, key: readonly string[]): boolean {
  return key.includes(column) || (column === since && (operator === "gt" || operator === "gte"));
}

const equal = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

function selected(metadata: TableMetadata, select: readonly string[] | undefined): ColumnSpec[] {
  const all = metadata.columns.map(({ name, type }) => ({ name, type }));
  return select === undefined ? all : select.flatMap((name) => all.filter((column) => column.name === name));
}

/** @throws {InputError} UnknownColumn, WrongType, NotFilterable */
function checkSince(code: string, metadata: TableMetadata, columns: readonly ColumnSpec[], since: string): void {
  const column = columns.find(({ name }) => name === since);
  if (column === undefined) {
    throw noColumn(
      code,
      since,
      columns.map(({ name }) => name),
    );
  }
  const { kind } = parseType(column.type);
  if (kind !== "date" && kind !== "datetime") {
    throw new InputError(`The column ${JSON.stringify(since)} is ${column.type}; since needs dates or times.`, {
      code: "WrongType",
      column: since,
      hint: "Leave since out: every change then exports the whole table.",
    });
  }
  if (!metadata.filters.includes(since)) {
    throw new InputError(`${code} cannot be filtered by ${JSON.stringify(since)}.`, {
      code: "NotFilterable",
      column: since,
      hint: `It can by: ${metadata.filters.join(", ")}. Without since every change exports the whole table.`,
    });
  }
}

const noKey = (code: string): InputError =>
  new InputError(`${code} has no primary key among the columns, so changed rows cannot find theirs.`, {
    code: "BadArgument",
    hint: "Leave since out, or select the columns of the primary key too.",
  });
