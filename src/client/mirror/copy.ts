import type { RecordBatch, Schema, Table } from "../../columns/arrow/arrow.js";
import { schemaOf } from "../../columns/arrow/schema.js";
import type { ParquetReadOptions } from "../../columns/parquet/read/options.js";
import { digestTypes, RowsDigest } from "../../engine/contract/digest.js";
import type { Stoppable } from "../../engine/contract/engine.js";
import type { Watched } from "../../frame/files/watched.js";
import type { ColumnSpec } from "../../spec/columns.js";
import { type Difference, keyedDifference, RepeatedKey, wholeDifference } from "./difference.js";
import {
  incomplete,
  type Log,
  type Manifest,
  namesOf,
  newest,
  numberColumn,
  type Piece,
  REMOVED,
  trimmed,
  type Version,
  type View,
  viewOf,
} from "./log.js";
import type { MirrorQuery, PieceName, Place, Told } from "./place.js";
import type { SyncPlan } from "./plan.js";
import {
  described,
  lastDay,
  numbered,
  numberedSchema,
  passing,
  removedBatches,
  removedUpTo,
  withoutEmptyText,
} from "./rows.js";

/** More pieces than these, each of less than a part of the rows, are merged after a synchronisation. */
const MOST_SMALL = 16;
const SMALL_PART = 8;

const REMOVED_NAMES = REMOVED.map(({ name }) => name);

/** What a synchronisation wrote. */
export interface Written {
  readonly manifest: Manifest;
  /** Rows that the service sent. */
  readonly received: number;
  /** `export` where an update was planned and could not find its rows by their key. */
  readonly change: "export" | "since";
}

/** The log of a table in a place, and what can be done with it; see `log.ts`. */
export class Copy {
  constructor(readonly place: Place) {}

  /** Carries out a plan; the copy changes in one step, or not at all. */
  async write(query: MirrorQuery, plan: SyncPlan, told: Told): Promise<Written> {
    try {
      return await this.#append(query, plan, told);
    } catch (error) {
      if (!(error instanceof RepeatedKey)) throw error;
      const { update: _update, ...whole } = plan;
      return this.write(query, { ...whole, change: "export", isNewLog: plan.history === undefined }, told);
    }
  }

  async #append(query: MirrorQuery, plan: SyncPlan, told: Told): Promise<Written> {
    const before = await this.place.manifest();
    const number = await this.place.begin(query.code, before?.number ?? 0);
    const view = before === undefined || plan.isNewLog ? undefined : viewOf(before, newest(before));
    const synced_at = new Date().toISOString();
    const received = async (rows: AsyncIterable<RecordBatch>) =>
      this.#received(query, plan, rows, { number, view, before });
    const { update } = plan;
    const { added, removed, ...came } =
      update === undefined
        ? await this.place.exported(query, number, told, received)
        : await received(query.since(update.column, update.day, told.signal));
    const log: Log = view?.log ?? { number, columns: plan.columns, key: plan.key, rows: [], removed: [] };
    const version: Version = {
      number,
      log: log.number,
      refreshed_at: plan.refreshed_at,
      synced_at,
      known_at: await this.#knownAt(query, plan, before, told),
      rows: (view?.version.rows ?? 0) + sum(added) - sum(removed),
      end: came.end,
      updates: update === undefined ? 0 : (view?.version.updates ?? 0) + 1,
      ...(came.last_day === undefined ? {} : { last_day: came.last_day }),
    };
    const others = before?.logs.filter((each) => each.number !== log.number) ?? [];
    const { by, since, history } = plan;
    const manifest: Manifest = {
      format: 2,
      code: query.code,
      question: query.question,
      ...defined({ by, since, history }),
      number,
      versions: [...(before?.versions ?? []), version],
      logs: [...others, { ...log, rows: [...log.rows, ...added], removed: [...log.removed, ...removed] }],
      old: [],
    };
    const written = await this.#commit(trimmed(manifest, new Date(synced_at)), before);
    const change = update === undefined ? "export" : "since";
    return { manifest: await this.#mergedSmall(written), received: came.received, change };
  }

  /** Writes the rows that are new, and the numbers of those that are gone. */
  #received(
    { emptyIsNull }: MirrorQuery,
    { columns, key, update, since, refreshed_at, code }: SyncPlan,
    sent: AsyncIterable<RecordBatch>,
    { number, view, before }: { readonly number: number; readonly view?: View; readonly before?: Manifest },
  ) {
    const names = columns.map(({ name }) => name);
    const until = (refreshed_at ?? new Date().toISOString()).slice(0, 10);
    const last =
      since === undefined ? undefined : lastDay(names.indexOf(since), until, update && view?.version.last_day);
    let received = 0;
    const watched = async function* (rows: AsyncIterable<RecordBatch>): AsyncGenerator<RecordBatch> {
      for await (const batch of rows) {
        received += batch.numRows;
        last?.add(batch);
        yield batch;
      }
    };
    return described(emptyIsNull && update ? withoutEmptyText(sent) : sent, columns, async (all, schema) => {
      const rows = watched(all);
      const difference = view && (await this.#difference(view, rows, schema, update && key));
      const first = before === undefined ? 0 : newest(before).end;
      const own = numberedSchema(schema, numberColumn(columns));
      const name = { number, code, isSplit: view === undefined };
      const numberedRows = numbered(difference?.added ?? rows, own, first);
      const pieces = await this.place.write({ ...name, kind: "rows" }, numberedRows, own);
      const gone = difference?.removed() ?? [];
      const removals = removedBatches(gone, number);
      const removed =
        gone.length === 0 ? [] : await this.place.write({ ...name, kind: "removed" }, removals, schemaOf(REMOVED));
      // The first piece of a log says which columns there are.
      const added = view === undefined ? pieces : pieces.filter((piece) => piece.rows > 0);
      return { added, removed, received, end: first + sum(pieces), last_day: last?.day };
    });
  }

  /** @param key of an update; undefined where the rows are all of the table */
  async #difference(
    view: View,
    rows: AsyncIterable<RecordBatch>,
    schema: Schema,
    key: readonly string[] | undefined,
  ): Promise<Difference> {
    const types = digestTypes(schema);
    if (key === undefined) return wholeDifference(await this.live(view), view.version.rows, rows, types);
    const changed: RecordBatch[] = [];
    for await (const batch of rows) changed.push(batch);
    const names = schema.fields.map(({ name }) => name);
    return keyedDifference(
      await this.live(view),
      changed,
      types,
      key.map((name) => names.indexOf(name)),
    );
  }

  /**
   * When the rows that have just been received were known at the latest: the table may have been refreshed while they
   * were.
   */
  async #knownAt(
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

  /** The rows of a version, one batch at a time, with their numbers in the last column. */
  async live(view: View): Promise<AsyncIterable<RecordBatch>> {
    const rows = this.place.batches(view.rows, allNames(view.log.columns));
    return view.isWhole ? rows : passing(rows, await this.#isLive(view));
  }

  async #isLive({ version: { end }, removed, removedUpTo: last }: View): Promise<(row: number) => boolean> {
    const isGone = await removedUpTo(last, end, this.place.batches(removed, REMOVED_NAMES));
    return (row) => row < end && !isGone(row);
  }

  /** The rows that only one of two versions has: those of `from` that are gone, and those of `to` that are new. */
  async between(from: View, to: View): Promise<readonly [gone: RecordBatch[], added: RecordBatch[]]> {
    await this.#demandWhole(from);
    await this.#demandWhole(to);
    const isSameLog = from.log.number === to.log.number;
    const only = async (one: View, other: View): Promise<RecordBatch[]> => {
      const isOther = isSameLog ? await this.#isLive(other) : () => false;
      const batches: RecordBatch[] = [];
      for await (const batch of passing(await this.live(one), (row) => !isOther(row))) batches.push(batch);
      return batches;
    };
    return [await only(from, to), await only(to, from)];
  }

  damage(manifest: Manifest): Promise<string | undefined> {
    const { rows, removed } = viewOf(manifest, newest(manifest));
    return this.place.damage([...rows, ...removed]);
  }

  /** What is damaged of the pieces of all versions: their digests are compared with those that were written. */
  async verify({ logs }: Manifest): Promise<string[]> {
    const found: string[] = [];
    for (const { columns, rows, removed } of logs) {
      for (const piece of [...rows, ...removed]) {
        const specs = removed.includes(piece) ? REMOVED : numberedColumns(columns);
        const damage = (await this.place.damage([piece])) ?? (await this.#changed(piece, specs));
        if (damage !== undefined) found.push(damage);
      }
    }
    return found;
  }

  async #changed(piece: Piece, columns: readonly ColumnSpec[]): Promise<string | undefined> {
    const digest = new RowsDigest(digestTypes(schemaOf(columns)));
    try {
      for await (const batch of this.place.batches(
        [piece],
        columns.map(({ name }) => name),
      ))
        digest.add(batch);
    } catch (error) {
      return `${piece.name} cannot be read: ${(error as Error).message}`;
    }
    return piece.rows === 0 || digest.whole() === piece.digest
      ? undefined
      : `${piece.name} has other rows than were written`;
  }

  async read(view: View, options: ParquetReadOptions & Watched): Promise<Table> {
    await this.#demandWhole(view);
    return this.place.table(view, options);
  }

  async query(view: View, text: string, params?: readonly unknown[], options?: Stoppable): Promise<Table> {
    await this.#demandWhole(view);
    return this.place.query(view, text, params, options);
  }

  /** @throws {FileError} BadMirror if some of the version is missing */
  async #demandWhole({ code, rows, removed }: View): Promise<void> {
    const damage = await this.place.damage([...rows, ...removed]);
    if (damage !== undefined) throw incomplete(this.place.name, code, damage);
  }

  /** Merges small pieces, or all where most rows are not needed: each row is merged a few times at most. */
  async #mergedSmall(manifest: Manifest): Promise<Manifest> {
    const { log } = viewOf(manifest, newest(manifest));
    const all = sum(log.rows);
    const [oldest] = manifest.versions.filter((version) => version.log === log.number);
    const unneeded = sum(log.removed.filter(({ last }) => last <= oldest.number));
    if (unneeded * 2 > all) return this.merged(manifest);
    const small = log.rows.filter(({ rows, value }) => value === undefined && rows * SMALL_PART < all);
    const isMany = small.length > MOST_SMALL || log.removed.length > MOST_SMALL;
    return isMany ? this.merged(manifest, small) : manifest;
  }

  /**
   * Merges pieces of the newest log into one, or into one for each value of `by`.
   *
   * @param small pieces of rows; if undefined, all are, and rows that no version needs are left out
   */
  async merged(manifest: Manifest, small?: readonly Piece[]): Promise<Manifest> {
    const { code, versions } = manifest;
    const { log } = viewOf(manifest, newest(manifest));
    const oldest = small === undefined ? versions.filter((version) => version.log === log.number)[0].number : 0;
    const { end } = newest(manifest);
    const number = await this.place.begin(code, manifest.number);
    const removals = (): AsyncIterable<RecordBatch> => this.place.batches(log.removed, REMOVED_NAMES);
    const isGone = await removedUpTo(oldest, end, removals());
    const write = (kind: PieceName["kind"], batches: AsyncIterable<RecordBatch>, columns: readonly ColumnSpec[]) =>
      described(batches, columns, (all, schema) =>
        this.place.write({ number, code, kind, isSplit: kind === "rows" && small === undefined }, all, schema),
      );
    const chosen = small ?? log.rows;
    const kept = passing(this.place.batches(chosen, allNames(log.columns)), (row) => !isGone(row));
    const isMerged = chosen.length > 1 || small === undefined;
    const rows = isMerged ? await write("rows", kept, numberedColumns(log.columns)) : chosen;
    const later = passing(removals(), (version) => version > oldest);
    const removed = (await write("removed", later, REMOVED)).filter((piece) => piece.rows > 0);
    const merged: Log = { ...log, rows: [...log.rows.filter((piece) => !chosen.includes(piece)), ...rows], removed };
    const logs = manifest.logs.map((each) => (each.number === log.number ? merged : each));
    return this.#commit({ ...manifest, number, logs }, manifest);
  }

  async #commit(manifest: Manifest, before: Manifest | undefined): Promise<Manifest> {
    const names = new Set(namesOf(manifest));
    const dropped = before === undefined ? [] : namesOf(before).filter((name) => !names.has(name));
    await this.place.commit({ ...manifest, old: [...(before?.old ?? []), ...dropped] }, before);
    return (await this.place.manifest()) as Manifest;
  }
}

const sum = (pieces: readonly Piece[]): number => pieces.reduce((total, { rows }) => total + rows, 0);

const numberedColumns = (columns: readonly ColumnSpec[]): ColumnSpec[] => [
  ...columns,
  { name: numberColumn(columns), type: "Integer" },
];

const allNames = (columns: readonly ColumnSpec[]): string[] => numberedColumns(columns).map(({ name }) => name);

const defined = <T extends object>(members: T): Partial<T> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<T>;
