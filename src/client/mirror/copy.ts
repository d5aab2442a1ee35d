import type { RecordBatch } from "../../columns/arrow/arrow.js";
import { schemaOf } from "../../columns/arrow/schema.js";
import { digestTypes, RowsDigest } from "../../engine/contract/digest.js";
import type { ColumnSpec } from "../../spec/columns.js";
import { formatDate, parseDate } from "../../value/date.js";
import { keyedDifference, RepeatedKey, wholeDifference } from "./difference.js";
import {
  type Log,
  type Manifest,
  namesOf,
  newest,
  numberedColumns,
  type Piece,
  REMOVED,
  trimmed,
  type Version,
  type View,
  viewOf,
} from "./log.js";
import type { MirrorQuery, NextPieces, Place, Told } from "./place.js";
import type { SyncPlan } from "./plan.js";
import {
  collected,
  laterDay,
  liveRows,
  numbered,
  orEmpty,
  passingNumbers,
  removedBatches,
  rowsOf,
  withoutEmptyText,
} from "./rows.js";

/** More pieces than these, each of less than a part of the rows, are merged after a synchronisation. */
const MOST_SMALL = 16;
const SMALL_PART = 8;

/** What a synchronisation wrote. */
export interface Written {
  readonly manifest: Manifest;
  /** Rows that the service sent. */
  readonly received: number;
  /** `export` where an update was planned and could not find its rows by their key. */
  readonly change: "export" | "since";
}

/** Carries out a plan; the copy changes in one step, or not at all. */
export async function write(place: Place, query: MirrorQuery, plan: SyncPlan, told: Told): Promise<Written> {
  try {
    const { manifest, ...done } = await append(place, query, plan, told);
    return { manifest: await mergedSmall(place, manifest), ...done };
  } catch (error) {
    if (!(error instanceof RepeatedKey)) throw error;
    const whole: SyncPlan = { ...plan, change: "export", update: undefined, isNewLog: plan.history === undefined };
    return write(place, query, whole, told);
  }
}

async function append(place: Place, query: MirrorQuery, plan: SyncPlan, told: Told): Promise<Written> {
  const before = await place.manifest();
  const view = before === undefined || plan.isNewLog ? undefined : viewOf(before, newest(before));
  return place.writing(query.code, before?.number ?? 0, async (next) => {
    const { number } = next;
    const synced_at = new Date().toISOString();
    const first = before === undefined ? 0 : newest(before).end;
    const { added, removed, received, ...came } = await sent(query, plan, told, next.download, (batches) =>
      writeReceived(place, plan, batches, { next, view, first }),
    );
    const log: Log = view?.log ?? { number, columns: plan.columns, key: plan.key, rows: [], removed: [] };
    const version: Version = {
      ...came,
      number,
      log: log.number,
      refreshed_at: plan.refreshed_at,
      synced_at,
      known_at: await knownAt(query, plan, before, told),
      rows: (view?.version.rows ?? 0) + sum(added) - sum(removed),
      updates: plan.update === undefined ? 0 : (view?.version.updates ?? 0) + 1,
    };
    const others = before?.logs.filter((each) => each.number !== log.number) ?? [];
    const { by, since, history } = plan;
    const manifest: Manifest = {
      format: 2,
      code: query.code,
      question: query.question,
      by,
      since,
      history,
      number,
      versions: [...(before?.versions ?? []), version],
      logs: [...others, { ...log, rows: [...log.rows, ...added], removed: [...log.removed, ...removed] }],
      old: [],
    };
    const written = await commit(place, trimmed(manifest, new Date(synced_at)), before);
    return { manifest: written, received, change: plan.update === undefined ? "export" : "since" };
  });
}

/** Passes what the service sends to `use`, which may be called again. */
function sent<T>(
  query: MirrorQuery,
  { update }: SyncPlan,
  told: Told,
  download: string | undefined,
  use: (rows: AsyncIterable<RecordBatch>) => Promise<T>,
): Promise<T> {
  if (update === undefined) {
    const file = query.export();
    return download === undefined ? use(file.batches(told)) : file.readBeside(download, use, told);
  }
  const rows = query.since(update.column, update.day, told.signal);
  return use(query.emptyIsNull ? withoutEmptyText(rows) : rows);
}

/** Writes the rows that are new, and the numbers of those that are gone. */
async function writeReceived(
  place: Place,
  { columns, key, update, since, refreshed_at }: SyncPlan,
  batches: AsyncIterable<RecordBatch>,
  { next, view, first }: { readonly next: NextPieces; readonly view?: View; readonly first: number },
) {
  const names = columns.map(({ name }) => name);
  const until = parseDate((refreshed_at ?? new Date().toISOString()).slice(0, 10));
  const before = update && view?.version.last_day;
  let day = before === undefined ? Number.NEGATIVE_INFINITY : parseDate(before);
  let received = 0;
  const watched = async function* (): AsyncGenerator<RecordBatch> {
    for await (const batch of batches) {
      received += batch.numRows;
      if (since !== undefined) day = laterDay(batch, names.indexOf(since), day, until);
      yield batch;
    }
  };
  const types = digestTypes(schemaOf(columns));
  const positions = key.map((name) => names.indexOf(name));
  const difference = async (copy: View) =>
    update === undefined
      ? wholeDifference(rowsOf(place, copy), copy.version.rows, watched(), types)
      : keyedDifference(rowsOf(place, copy), await collected(watched()), types, positions);
  const { added, removed } = view === undefined ? { added: watched(), removed: () => [] } : await difference(view);
  const pieces = await next.write("rows", numbered(added, columns, first), view === undefined);
  const gone = removed();
  return {
    // The first piece of a log says which columns there are.
    added: view === undefined ? pieces : pieces.filter((piece) => piece.rows > 0),
    removed: gone.length === 0 ? [] : await next.write("removed", removedBatches(gone, next.number), false),
    received,
    end: first + sum(pieces),
    last_day: Number.isFinite(day) ? formatDate(day) : undefined,
  };
}

/**
 * When the rows that have just been received were known at the latest: the table may have been refreshed while they
 * were.
 */
async function knownAt(
  query: MirrorQuery,
  { refreshed_at, history }: SyncPlan,
  before: Manifest | undefined,
  { signal }: Told,
): Promise<string> {
  const latest = history === undefined ? refreshed_at : (await query.metadata(signal)).status?.refreshed_at;
  const times = [refreshed_at, latest ?? new Date().toISOString(), before && newest(before).known_at];
  const known = times.map((time) => Date.parse(time ?? "")).filter((time) => !Number.isNaN(time));
  return new Date(Math.max(...known)).toISOString();
}

/** What is damaged of the pieces of all versions: their digests are compared with those that were written. */
export async function verified(place: Place, { logs }: Manifest): Promise<string[]> {
  const found: string[] = [];
  for (const { columns, rows, removed } of logs) {
    for (const piece of [...rows, ...removed]) {
      const specs = removed.includes(piece) ? REMOVED : numberedColumns(columns);
      const damage = (await place.damage([piece])) ?? (await otherRows(place, piece, specs));
      if (damage !== undefined) found.push(damage);
    }
  }
  return found;
}

async function otherRows(place: Place, piece: Piece, columns: readonly ColumnSpec[]): Promise<string | undefined> {
  const digest = new RowsDigest(digestTypes(schemaOf(columns)));
  const names = columns.map(({ name }) => name);
  try {
    for await (const batch of place.batches([piece], names)) digest.add(batch);
  } catch (error) {
    return `${piece.name} cannot be read: ${(error as Error).message}`;
  }
  const isSame = piece.rows === 0 || digest.whole() === piece.digest;
  return isSame ? undefined : `${piece.name} has other rows than were written`;
}

/** Merges small pieces, or all where most rows are not needed: each row is merged a few times at most. */
async function mergedSmall(place: Place, manifest: Manifest): Promise<Manifest> {
  const { log } = viewOf(manifest, newest(manifest));
  const all = sum(log.rows);
  const [oldest] = manifest.versions.filter((version) => version.log === log.number);
  const unneeded = sum(log.removed.filter(({ last }) => last <= oldest.number));
  if (unneeded * 2 > all) return merged(place, manifest);
  const small = log.rows.filter(({ rows, value }) => value === undefined && rows * SMALL_PART < all);
  const isMany = small.length > MOST_SMALL || log.removed.length > MOST_SMALL;
  return isMany ? merged(place, manifest, small) : manifest;
}

/**
 * Merges pieces of the newest log into one, or into one for each value of `by`.
 *
 * @param small pieces of rows; if undefined, all are, and rows that no version needs are left out
 */
export async function merged(place: Place, manifest: Manifest, small?: readonly Piece[]): Promise<Manifest> {
  const { log } = viewOf(manifest, newest(manifest));
  const [oldest] = manifest.versions.filter((version) => version.log === log.number);
  const removedUpTo = small === undefined ? oldest.number : 0;
  const isNeeded = await liveRows(place, { version: newest(manifest), removed: log.removed, removedUpTo });
  const chosen = small ?? log.rows;
  return place.writing(manifest.code, manifest.number, async ({ number, write: writePiece }) => {
    const rewritten = (
      kind: "rows" | "removed",
      from: readonly Piece[],
      columns: readonly ColumnSpec[],
      passes: (number: number) => boolean,
    ): Promise<Piece[]> => {
      const names = columns.map(({ name }) => name);
      const kept = orEmpty(passingNumbers(place.batches(from, names), passes), columns);
      return writePiece(kind, kept, kind === "rows" && small === undefined);
    };
    const isMerged = chosen.length > 1 || small === undefined;
    const rows = isMerged ? await rewritten("rows", chosen, numberedColumns(log.columns), isNeeded) : chosen;
    const removals = await rewritten("removed", log.removed, REMOVED, (version) => version > removedUpTo);
    const left = log.rows.filter((piece) => !chosen.includes(piece));
    const removed = removals.filter((piece) => piece.rows > 0);
    const logs = manifest.logs.map((each) => (each === log ? { ...log, rows: [...left, ...rows], removed } : each));
    return commit(place, { ...manifest, number, logs }, manifest);
  });
}

async function commit(place: Place, manifest: Manifest, before: Manifest | undefined): Promise<Manifest> {
  const names = new Set(namesOf(manifest));
  const dropped = before === undefined ? [] : namesOf(before).filter((name) => !names.has(name));
  await place.commit({ ...manifest, old: [...(before?.old ?? []), ...dropped] }, before);
  return (await place.manifest()) as Manifest;
}

const sum = (pieces: readonly Piece[]): number => pieces.reduce((total, { rows }) => total + rows, 0);
