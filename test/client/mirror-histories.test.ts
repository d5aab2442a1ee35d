import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import type { Mirror, MirrorOptions } from "../../src/client/mirror/mirror.js";
import { nasdaqDataLink, type Profile, specification } from "../../src/spec/profile.js";
import { serviceOf } from "../faults/bulk-fixtures.js";
import { type Bounds, type HistoryRow, historyTable, meets } from "./history-table.js";

const root = mkdtempSync(join(tmpdir(), "arrowbook-histories-"));
const tables = {
  specification: await historyTable(specification),
  nasdaqDataLink: await historyTable(nasdaqDataLink),
};
afterAll(async () => {
  for (const { server } of Object.values(tables)) await server.close();
  rmSync(root, { recursive: true });
});

const PROFILES: readonly Profile[] = [specification, nasdaqDataLink];
type Place = "a folder" | "parts" | "a file";

/** The rows as lines in an order of their own; empty text is null where exports write both alike. */
function linesOf(rows: Iterable<object>, { csvQuotesEmptyText }: Profile): string[] {
  const cell = (value: unknown): unknown => (value === "" && !csvQuotesEmptyText.value ? null : value);
  return [...(rows as Iterable<HistoryRow>)]
    .map(({ ticker, date, note, changed }) => JSON.stringify([ticker, date, note, changed].map(cell)))
    .sort();
}

const day = (i: number): string => `2024-02-${String(i).padStart(2, "0")}`;

/** Opens a mirror of the rows that meet the bounds. */
function open(profile: Profile, bounds: Bounds, place: Place, options: MirrorOptions): Promise<Mirror> {
  const { server } = tables[profile.name as keyof typeof tables];
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

const text = fc.constantFrom("A", "b", "", null);
const change = fc.record({
  ticker: text,
  date: fc.constantFrom("2024-01-01", "2024-01-02"),
  note: text,
  isFuture: fc.boolean().chain((first) => fc.boolean().map((second) => first && second)),
});
const BOUNDS: readonly Bounds[] = [
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
const history = fc.record({
  bounds: fc.constantFrom(...BOUNDS),
  wholeEvery: fc.constantFrom(2, 100),
  isDated: fc.boolean(),
  steps: fc.array(fc.array(change, { maxLength: 5 }), { minLength: 2, maxLength: 5 }),
});

it.each(
  PROFILES.flatMap((profile) =>
    (["a folder", "parts", "a file"] as const).map((place) => [profile.name, place] as const),
  ),
)("%s: a copy as %s has the rows of the service after every change", async (name, place) => {
  const profile = PROFILES.find((each) => each.name === name) ?? specification;
  const { set } = tables[profile.name as keyof typeof tables];
  await fc.assert(
    fc.asyncProperty(history, async ({ bounds, wholeEvery, isDated, steps }) => {
      const rows = new Map<string, HistoryRow>();
      let mirror: Mirror | undefined;
      for (const [i, step] of steps.entries()) {
        for (const { ticker, date, note, isFuture } of step) {
          const changed = isFuture ? "2031-01-01" : day(i + 1);
          rows.set(linesOf([{ ticker, date }], profile)[0], { ticker, date, note, changed });
        }
        set([...rows.values()], isDated ? `${day(i + 1)}T12:00:00Z` : null);
        mirror ??= await open(profile, bounds, place, { since: "changed", wholeEvery });
        await mirror.sync();
        const found = linesOf((await mirror.frame()).rows(), profile);
        expect(found).toEqual(
          linesOf(
            [...rows.values()].filter((row) => meets(row, bounds)),
            profile,
          ),
        );
      }
    }),
    { numRuns: place === "a file" ? 5 : 12, seed: 27 },
  );
});

const row = (ticker: string | null, note: string | null, changed: string): HistoryRow => ({
  ticker,
  date: "2024-01-01",
  note,
  changed,
});

it.each(["a folder", "a file"] as const)("replaces rows whose key has empty text, in %s", async (place) => {
  const { set } = tables.nasdaqDataLink;
  set([row("", "x", day(1)), row("A", "", day(1))], `${day(1)}T12:00:00Z`);
  const mirror = await open(nasdaqDataLink, [], place, { since: "changed" });
  const rows = [row("", "y", day(2)), row("A", "", day(1))];
  set(rows, `${day(2)}T12:00:00Z`);
  expect(await mirror.sync()).toMatchObject({ change: "since", rows: 2 });
  expect(linesOf((await mirror.frame()).rows(), nasdaqDataLink)).toEqual(linesOf(rows, nasdaqDataLink));
});

it("joins the filter on the column of changes with the day of the update", async () => {
  const { set } = tables.specification;
  set([row("A", "x", day(2)), row("b", "x", day(1))], `${day(3)}T12:00:00Z`);
  const mirror = await open(specification, [["changed", "gte", [day(1)]]], "a folder", { since: "changed" });
  const rows = [row("A", "x", day(2)), row("b", "y", day(4))];
  set(rows, `${day(4)}T12:00:00Z`);
  expect(await mirror.plan()).toMatchObject({ change: "since", update: { column: "changed", day: day(2) } });
  expect(await mirror.sync()).toMatchObject({ change: "since", received: 2, rows: 2 });
  expect(linesOf((await mirror.frame()).rows(), specification)).toEqual(linesOf(rows, specification));
});

it.each(["a folder", "a file"] as const)("a date in the future does not hide later changes from %s", async (place) => {
  const { set } = tables.specification;
  set([row("A", "x", "2099-12-31"), row("b", "x", day(1))], `${day(1)}T12:00:00Z`);
  const mirror = await open(specification, [], place, { since: "changed" });
  const rows = [row("A", "x", "2099-12-31"), row("b", "y", day(2))];
  set(rows, `${day(2)}T12:00:00Z`);
  expect(await mirror.sync()).toMatchObject({ change: "since", rows: 2 });
  expect(linesOf((await mirror.frame()).rows(), specification)).toEqual(linesOf(rows, specification));
});
