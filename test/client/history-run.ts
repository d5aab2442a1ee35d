import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Manifest } from "../../src/client/mirror/log.js";
import type { Mirror, MirrorOptions } from "../../src/client/mirror/mirror.js";
import { duckdbEngine } from "../../src/engine/duckdb/duckdb.js";
import { hasCode } from "../../src/errors/errors.js";
import type { Frame } from "../../src/frame/frame.js";
import type { Profile } from "../../src/spec/profile.js";
import { serviceOf } from "../faults/bulk-fixtures.js";
import { type Bounds, type HistoryRow, type HistoryTable, meets } from "./history-table.js";

export const PLACES = ["a folder", "parts", "a file"] as const;
export type Place = (typeof PLACES)[number];

/** What happens to a copy before its next synchronisation. */
export const DAMAGES = ["none", "foreign", "deleted", "cut", "version", "table"] as const;
type Damage = (typeof DAMAGES)[number];

/** A row that is added or changed. */
interface Change {
  readonly ticker: string | null;
  readonly date: string;
  readonly note: string | null;
  readonly isFuture: boolean;
}

/** What happens to a table and its mirror. */
export interface History {
  readonly bounds: Bounds;
  readonly wholeEvery: number;
  /** Whether the service says when it refreshed the table. */
  readonly isDated: boolean;
  readonly steps: readonly { readonly changes: readonly Change[]; readonly damage: Damage }[];
}

export const day = (i: number): string => `2024-02-${String(i).padStart(2, "0")}`;

export const BOUNDS: readonly Bounds[] = [
  [],
  [["changed", "gte", [day(2)]]],
  [["changed", "gt", [day(1)]]],
  [["changed", "gte", [day(28)]]],
  [
    ["changed", "gte", [day(1)]],
    ["changed", "lte", [day(3)]],
  ],
  [["changed", "eq", [day(2), day(3)]]],
  [["ticker", "eq", ["A", "b"]]],
  [["note", "eq", ["b"]]],
];

/** The rows as lines in an order of their own; empty text is null where exports write both alike. */
export function linesOf(rows: Iterable<object>, { csvQuotesEmptyText }: Profile): string[] {
  const cell = (value: unknown): unknown => (value === "" && !csvQuotesEmptyText.value ? null : value);
  return [...(rows as Iterable<HistoryRow>)]
    .map(({ ticker, date, note, changed }) => JSON.stringify([ticker, date, note, changed].map(cell)))
    .sort();
}

/** Opens a mirror, in a folder below `root`, of the rows that meet the bounds. */
export async function openCopy(
  { server, profile }: HistoryTable,
  root: string,
  { bounds, place, ...options }: MirrorOptions & { readonly bounds: Bounds; readonly place: Place },
): Promise<Mirror> {
  const conditions: Record<string, unknown> = {};
  for (const [column, operator, values] of bounds) {
    conditions[column] = operator === "eq" ? values : { ...(conditions[column] as object), [operator]: values[0] };
  }
  const target = join(mkdtempSync(join(root, "h-")), place === "a file" ? "copy.duckdb" : "copy");
  const query = serviceOf(server, { profile })
    .table("V/T")
    .where(conditions as never);
  return query.mirror(target, { ...options, ...(place === "parts" ? { by: "ticker" } : {}) });
}

/**
 * Mirrors a table through a history.
 *
 * @returns whether a damaged copy was refused
 * @throws {Error} if a copy ever has other rows than the service, or a foreign file is gone
 */
export async function runHistory(
  table: HistoryTable,
  root: string,
  place: Place,
  { bounds, wholeEvery, isDated, steps }: History,
): Promise<boolean> {
  const { profile } = table;
  const rows = new Map<string, HistoryRow>();
  const foreign = new Set<string>();
  let mirror: Mirror | undefined;
  let before: string[] = [];
  let isRefused = false;
  for (const [i, { changes, damage }] of steps.entries()) {
    for (const { ticker, date, note, isFuture } of changes) {
      const changed = isFuture ? "2031-01-01" : day(i + 1);
      rows.set(linesOf([{ ticker, date }], profile)[0], { ticker, date, note, changed });
    }
    table.set([...rows.values()], isDated ? `${day(i + 1)}T12:00:00Z` : null);
    mirror ??= await openCopy(table, root, { bounds, place, since: "changed", wholeEvery });
    if (i > 0) {
      for (const path of await damaged(mirror.place, place, damage)) foreign.add(path);
      const frame = await unlessRefused(mirror);
      if (frame === undefined) isRefused = true;
      else demandSame(linesOf(frame.rows(), profile), before, `the copy before step ${i}`);
    }
    // A read beside the synchronisation has the rows of before or after it.
    const [beside] = await Promise.all([unlessRefused(mirror), mirror.sync()]);
    const now = linesOf((await mirror.frame()).rows(), profile);
    demandSame(
      now,
      linesOf(
        [...rows.values()].filter((row) => meets(row, bounds)),
        profile,
      ),
      `the copy of step ${i}`,
    );
    const read = beside && linesOf(beside.rows(), profile);
    if (read && JSON.stringify(read) !== JSON.stringify(before)) demandSame(read, now, `a read beside step ${i}`);
    for (const path of foreign) demandSame([readFileSync(path, "utf8")], ["foreign"], path);
    before = now;
  }
  return isRefused;
}

function demandSame(found: readonly string[], expected: readonly string[], what: string): void {
  if (JSON.stringify(found) === JSON.stringify(expected)) return;
  throw new Error(`${what} has\n  ${found.join("\n  ")}\nexpected\n  ${expected.join("\n  ")}`);
}

/** The rows of a copy; undefined if it is refused as incomplete. */
async function unlessRefused(mirror: Mirror): Promise<Frame | undefined> {
  try {
    return await mirror.frame();
  } catch (error) {
    if (hasCode(error, "BadMirror")) return undefined;
    throw error;
  }
}

/** Damages a copy; returns the paths of foreign files that were put beside it. */
async function damaged(at: string, place: Place, damage: Damage): Promise<string[]> {
  if (place === "a file") {
    if (damage === "none" || damage === "foreign") return [];
    const engine = await duckdbEngine(at);
    for (const table of (await engine.tables()).filter((name) => name.startsWith("V/T "))) {
      await engine.query(`${damage === "cut" ? "delete from" : "drop table"} "${table}"`);
    }
    await engine.close();
    return [];
  }
  const { number, versions, logs } = JSON.parse(readFileSync(join(at, "manifest.json"), "utf8")) as Manifest;
  const folderOf = (each: number): string => join(at, `v${String(each).padStart(6, "0")}`);
  const [log] = logs.filter((each) => each.number === versions[versions.length - 1].log);
  const paths = [...log.rows, ...log.removed].map(({ name }) => join(at, name));
  if (damage === "deleted" || damage === "table") rmSync(paths[0]);
  if (damage === "cut") truncateSync(paths[0], 50);
  if (damage === "version") for (const path of paths) rmSync(path);
  if (damage !== "foreign") return [];
  cpSync(paths[0], join(dirname(paths[0]), "other.parquet"));
  const foreign = [folderOf(202401), dirname(paths[0]), folderOf(number + 1)].map((folder) => join(folder, "model"));
  for (const path of foreign) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "foreign");
  }
  return foreign;
}
