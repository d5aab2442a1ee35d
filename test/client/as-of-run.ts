import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect } from "vitest";
import { Mirror, type MirrorOptions } from "../../src/client/mirror/mirror.js";
import type { MirrorQuery } from "../../src/client/mirror/place.js";
import { type MirrorTarget, placeAt } from "../../src/client/mirror/place-at.js";
import type { RecordBatch } from "../../src/columns/arrow/arrow.js";
import { duckdbEngine } from "../../src/engine/duckdb/duckdb.js";
import { Frame } from "../../src/frame/frame.js";

export interface Quote {
  readonly ticker: string | null;
  readonly date: string;
  readonly close: string | null;
  readonly changed: string;
}

const COLUMNS = [
  { name: "ticker", type: "String" },
  { name: "date", type: "Date" },
  { name: "close", type: "BigDecimal(50,28)" },
  { name: "changed", type: "Date" },
];

/** A table that a mirror can copy without a server; tests set its rows and its refresh time. */
export class QuoteTable {
  rows: readonly Quote[] = [];
  refreshed: string | null = null;
  /** Requests for metadata, and for rows. */
  requests = 0;
  columns: readonly string[] = COLUMNS.map(({ name }) => name);
  /** Called before a request for metadata is replied to. */
  whenAsked: () => void = () => undefined;

  constructor(readonly key: readonly string[] | null = ["ticker", "date"]) {}

  get query(): MirrorQuery {
    const sent = (rows: readonly Quote[]): AsyncGenerator<RecordBatch> => {
      this.requests++;
      return batchesOf(rows, this.#specs);
    };
    return {
      code: "V/T",
      question: "V/T",
      about: { code: "V/T" },
      filters: [],
      emptyIsNull: false,
      metadata: async () => {
        this.requests++;
        this.whenAsked();
        const status = { refreshed_at: this.refreshed };
        return { columns: this.#specs, filters: ["changed"], primary_key: this.key, status } as never;
      },
      export: () => ({
        batches: () => sent(this.rows),
        readBeside: (_path, use) => use(sent(this.rows)),
      }),
      since: (_column, day) => sent(this.rows.filter(({ changed }) => changed >= day)),
    };
  }

  get #specs() {
    return COLUMNS.filter(({ name }) => this.columns.includes(name));
  }

  mirror(target: MirrorTarget, { by, ...options }: MirrorOptions = {}): Mirror {
    return new Mirror(this.query, placeAt(target, "V/T", by), { by, ...options });
  }
}

async function* batchesOf(rows: readonly Quote[], columns: typeof COLUMNS): AsyncGenerator<RecordBatch> {
  if (rows.length > 0) yield* Frame.fromRows(rows, columns).table.batches;
}

export const rowsFrame = (rows: readonly Quote[]): Frame => Frame.fromRows(rows, COLUMNS);

const lineOf = ({ ticker, date, close, changed }: Quote): string => [ticker, date, close, changed].join(",");
/** The rows of a frame exactly, in an order of their own. */
export const linesOf = (frame: Frame): string[] => frame.toCSV().trim().split("\n").slice(1).sort();
export const linesOfRows = (rows: readonly Quote[]): string[] => rows.map(lineOf).sort();

const change = fc.record({
  ticker: fc.constantFrom("A", "b", "C", null),
  day: fc.nat(4),
  close: fc.option(fc.nat(3)),
  what: fc.constantFrom("put", "put", "put", "delete", "repeat"),
});
const step = fc.record({
  changes: fc.array(change, { maxLength: 6 }),
  hours: fc.constantFrom(0, 1, 9, 30, 30, 30, -5),
  isCompacted: fc.nat(5).map((n) => n === 0),
});

/** What happens to a table and its mirror with history. */
export const histories = fc.record({
  mode: fc.constantFrom("whole", "whole", "since", "keyless"),
  by: fc.constantFrom(undefined, undefined, "ticker", "date:month"),
  wholeEvery: fc.constantFrom(2, 100),
  steps: fc.array(step, { minLength: 1, maxLength: 6 }),
  lag: fc.constantFrom(undefined, "1 day", "7 hours"),
});
export type AsOfHistory = typeof histories extends fc.Arbitrary<infer T> ? T : never;

const START = Date.UTC(2025, 0, 30, 10);
const HOUR = 3_600_000;
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** A whole state of the table, and from when on it was known. */
interface Snapshot {
  readonly known: number;
  readonly rows: readonly Quote[];
}

/** Mirrors a table through a history and compares every state with the whole snapshots of the table. */
export async function runAsOf(root: string, place: "folder" | "engine", each: AsOfHistory): Promise<void> {
  const { mode, by, wholeEvery, steps, lag } = each;
  const table = new QuoteTable(mode === "keyless" ? null : ["ticker", "date"]);
  const folder = mkdtempSync(join(root, "h-"));
  const engine = place === "engine" ? await duckdbEngine() : undefined;
  const options = {
    history: true,
    ...(mode === "since" ? { since: "changed", wholeEvery } : {}),
    ...(by !== undefined && engine === undefined ? { by } : {}),
  };
  try {
    const snapshots: Snapshot[] = [];
    let rows: Quote[] = [];
    let refreshed = START;
    const mirror = table.mirror(engine ?? join(folder, "copy"), options);
    for (const [i, { changes, hours, isCompacted }] of steps.entries()) {
      refreshed += i === 0 ? 0 : hours * HOUR;
      rows = changed(rows, changes, mode === "since", dayOf(Math.max(refreshed, snapshots.at(-1)?.known ?? 0)));
      const isUnchanged = snapshots.length > 0 && table.refreshed === new Date(refreshed).toISOString();
      table.rows = rows;
      table.refreshed = new Date(refreshed).toISOString();
      await mirror.sync();
      if (isUnchanged) rows = [...(snapshots.at(-1) as Snapshot).rows];
      else snapshots.push({ known: Math.max(refreshed, snapshots.at(-1)?.known ?? 0), rows });
      if (isCompacted) await mirror.compact();
    }
    expect((await mirror.versions()).map((version) => version.rows)).toEqual(snapshots.map((one) => one.rows.length));
    expect(await mirror.verify()).toEqual({ complete: true, damage: [] });
    await compareStates(mirror, snapshots, engine !== undefined, lag);
    await compareChanges(mirror, snapshots, mode !== "keyless");
    await comparePeriods(mirror, snapshots);
  } finally {
    await engine?.close();
    rmSync(folder, { recursive: true });
  }
}

function changed(
  before: readonly Quote[],
  changes: AsOfHistory["steps"][number]["changes"],
  isKeyed: boolean,
  today: string,
): Quote[] {
  let rows = [...before];
  for (const { ticker, day, close, what } of changes) {
    const date = `2024-0${1 + (day % 2)}-0${day + 1}`;
    const isSame = (row: Quote): boolean => row.ticker === ticker && row.date === date;
    if (what === "repeat" && !isKeyed) rows = rows.flatMap((row) => (isSame(row) ? [row, row] : [row]));
    else if (what === "delete" && !isKeyed) rows = rows.filter((row) => !isSame(row));
    else {
      const digits = close === null ? null : `${close}.${"0".repeat(27)}${close}`;
      rows = [...rows.filter((row) => !isSame(row)), { ticker, date, close: digits, changed: today }];
    }
  }
  return rows;
}

async function compareStates(
  mirror: Mirror,
  snapshots: readonly Snapshot[],
  isSql: boolean,
  lag: string | undefined,
): Promise<void> {
  const shift = lag === undefined ? 0 : Number.parseInt(lag, 10) * (lag.endsWith("hours") ? HOUR : 24 * HOUR);
  const days = [...new Set(snapshots.map(({ known }) => dayOf(known)))];
  const times = snapshots.map(({ known }) => known);
  const asked = [
    ...days.flatMap((day) => [day, dayOf(Date.parse(day) - 24 * HOUR), dayOf(Date.parse(day) + 24 * HOUR)]),
    ...times.flatMap((time) => [time - 1, time].map((each) => new Date(each).toISOString())),
  ];
  for (const asOf of asked) {
    const bound = (asOf.length === 10 ? Date.parse(asOf) + 24 * HOUR : Date.parse(asOf) + 1) - shift;
    const expected = snapshots.filter(({ known }) => known < bound).at(-1);
    if (expected === undefined) {
      await expect(mirror.frame({ asOf, lag })).rejects.toMatchObject({ code: "BadArgument" });
      continue;
    }
    expect(linesOf(await mirror.frame({ asOf, lag }))).toEqual(linesOfRows(expected.rows));
    const some = await mirror.frame({
      asOf,
      lag,
      columns: ["close", "ticker"],
      where: { date: { gte: "2024-02-01" } },
    });
    const left = expected.rows.filter(({ date }) => date >= "2024-02-01");
    expect(linesOf(some)).toEqual(left.map(({ close, ticker }) => [close, ticker].join(",")).sort());
    if (isSql)
      expect(linesOf(await mirror.sql("select * from this", { asOf, lag }))).toEqual(linesOfRows(expected.rows));
  }
  expect(linesOf(await mirror.frame())).toEqual(linesOfRows((snapshots.at(-1) as Snapshot).rows));
}

/** The lines of the first list that the second lacks, as often as it lacks them. */
function without(first: readonly string[], second: readonly string[]): string[] {
  const left = [...second];
  return first.filter((line) => {
    const at = left.indexOf(line);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/** All states from one on: the rows of the first, and with each later one those that it has more. */
async function comparePeriods(mirror: Mirror, snapshots: readonly Snapshot[]): Promise<void> {
  for (const [i, { known, rows }] of snapshots.entries()) {
    // Several states may be known from the same time on: the last of them is meant.
    if (snapshots[i + 1]?.known === known) continue;
    const visible = linesOfRows(rows);
    for (const [j, state] of snapshots.slice(i).entries()) {
      if (j > 0) visible.push(...without(linesOfRows(state.rows), linesOfRows(snapshots[i + j - 1].rows)));
      if (snapshots[i + j + 1]?.known === state.known) continue;
      const [from, asOf] = [known, state.known].map((time) => new Date(time).toISOString());
      expect(linesOf(await mirror.frame({ from, asOf }))).toEqual([...visible].sort());
    }
  }
}

async function compareChanges(mirror: Mirror, snapshots: readonly Snapshot[], hasKey: boolean): Promise<void> {
  const [first, last] = [snapshots[0], snapshots[snapshots.length - 1]];
  const changes = await mirror.changes(new Date(first.known), new Date(last.known));
  // Several states may be known from the same time on: the last of them is meant.
  const from = snapshots.filter(({ known }) => known === first.known).at(-1) as Snapshot;
  const [before, after] = [linesOf(changes.before), linesOf(changes.after)];
  const [old, fresh] = [linesOfRows(from.rows), linesOfRows(last.rows)];
  expect([...linesOf(changes.removed), ...before].sort()).toEqual(without(old, fresh).sort());
  expect([...linesOf(changes.added), ...after].sort()).toEqual(without(fresh, old).sort());
  const keys = (frame: Frame): string[] => linesOf(frame.select("ticker", "date"));
  expect(keys(changes.before)).toEqual(keys(changes.after));
  // What has a partner is a change.
  const gone = keys(changes.removed);
  if (hasKey) expect(keys(changes.added).filter((key) => gone.includes(key))).toEqual([]);
  else expect(before).toEqual([]);
}
