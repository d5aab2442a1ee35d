import type { TableMetadata } from "../../document/records.js";
import { InputError } from "../../errors/errors.js";
import { noColumn } from "../../errors/options.js";
import { type ColumnSpec, parseType } from "../../spec/columns.js";
import type { Filter } from "../../spec/endpoints.js";
import type { Copy, CopyState, MirrorQuery, SyncPlan } from "./copy.js";

const WHOLE_EVERY = 10;

/**
 * Decides how a copy becomes current, from the table's metadata and the copy's state.
 *
 * @throws {InputError} UnknownColumn, WrongType, NotFilterable for a `since` that cannot be used
 */
export async function planSync(
  query: MirrorQuery,
  copy: Pick<Copy, "lastDay" | "damage">,
  state: CopyState | undefined,
  {
    since,
    wholeEvery = WHOLE_EVERY,
    by,
  }: { readonly since?: string; readonly wholeEvery?: number; readonly by?: string },
  signal: AbortSignal | undefined,
): Promise<SyncPlan> {
  const metadata = await query.metadata(signal);
  const columns = selected(metadata, query.select);
  const key = since === undefined ? [] : keyFor(query.code, metadata, columns, since);
  const refreshed_at = metadata.status?.refreshed_at ?? null;
  const plan = (change: SyncPlan["change"], why: string): SyncPlan => ({ change, why, refreshed_at, columns, key });
  if (state === undefined) return plan("export", "There is no copy yet.");
  if (state.by !== by) return plan("export", "The rows are split in another way.");
  if (!equal(state.columns, columns)) return plan("export", "The columns have changed.");
  if (since !== undefined && !equal(state.key, key))
    return plan("export", "The copy was not made for updates by this key.");
  const damage = await copy.damage(state);
  if (damage !== undefined) return plan("export", `The copy is not complete: ${damage}.`);
  if (refreshed_at === null) return update("The service does not say when it refreshed the table.");
  if (refreshed_at === state.refreshed_at) return plan("none", `Unchanged since ${refreshed_at}.`);
  return update(`The service refreshed the table at ${refreshed_at}.`);

  async function update(why: string): Promise<SyncPlan> {
    if (since === undefined || state === undefined) return plan("export", why);
    if (state.updates + 1 >= wholeEvery)
      return plan("export", `${why} ${state.updates} updates since the last export.`);
    const left = query.filters.find((filter) => !keepsRows(filter, since, key))?.column;
    if (left !== undefined) {
      return plan("export", `${why} Changed rows may no longer meet the filter on ${left}.`);
    }
    // Rows of later days, such as that of the next planned change, do not say that all changes before are in the copy.
    const until = (state.refreshed_at ?? state.synced_at)?.slice(0, 10);
    // Only the day of a time: every service filters by days, and a row of the copy that is sent again is replaced.
    const day = until === undefined ? null : await copy.lastDay(since, until);
    if (day === null) return plan("export", `${why} The copy has no value of ${since} up to its own refresh.`);
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

/** The primary key, by which updates find their rows. */
function keyFor(
  code: string,
  metadata: TableMetadata,
  columns: readonly ColumnSpec[],
  since: string,
): readonly string[] {
  const names = columns.map(({ name }) => name);
  const column = columns.find(({ name }) => name === since);
  if (column === undefined) throw noColumn(code, since, names);
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
  const key = metadata.primary_key ?? [];
  if (key.length > 0 && key.every((name) => names.includes(name))) return key;
  throw new InputError(`${code} has no primary key among the columns, so changed rows cannot find theirs.`, {
    code: "BadArgument",
    hint: "Leave since out, or select the columns of the primary key too.",
  });
}
