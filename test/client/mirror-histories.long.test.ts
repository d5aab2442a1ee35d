import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { nasdaqDataLink, specification } from "../../src/spec/profile.js";
import { BOUNDS, DAMAGES, day, linesOf, openCopy, PLACES, runHistory } from "./history-run.js";
import { type HistoryRow, historyTable } from "./history-table.js";

const root = mkdtempSync(join(tmpdir(), "arrowbook-histories-"));
const [plain, data] = [await historyTable(specification), await historyTable(nasdaqDataLink)];
afterAll(async () => {
  for (const { server } of [plain, data]) await server.close();
  rmSync(root, { recursive: true });
});

const text = fc.constantFrom("A", "b", "", null);
const change = fc.record({
  ticker: text,
  date: fc.constantFrom("2024-01-01", "2024-01-02"),
  note: text,
  isFuture: fc.boolean().chain((first) => fc.boolean().map((second) => first && second)),
});
const step = fc.record({ changes: fc.array(change, { maxLength: 5 }), damage: fc.constantFrom(...DAMAGES) });
const history = fc.record({
  bounds: fc.constantFrom(...BOUNDS),
  wholeEvery: fc.constantFrom(2, 100),
  isDated: fc.boolean(),
  steps: fc.array(step, { minLength: 2, maxLength: 5 }),
});
const RUNS = { "a folder": 8, parts: 8, "a file": 4 };

it.each([plain, data].flatMap((table) => PLACES.map((place) => [table.profile.name, place, table] as const)))(
  "%s: a copy as %s has the rows of the service after every change",
  async (_, place, table) => {
    await fc.assert(
      fc.asyncProperty(history, async (each) => {
        await runHistory(table, root, place, each);
      }),
      { numRuns: RUNS[place], seed: 27 },
    );
  },
);

const row = (ticker: string | null, note: string | null, changed: string): HistoryRow => ({
  ticker,
  date: "2024-01-01",
  note,
  changed,
});

it.each(["a folder", "a file"] as const)("replaces rows whose key has empty text, in %s", async (place) => {
  data.set([row("", "x", day(1)), row("A", "", day(1))], `${day(1)}T12:00:00Z`);
  const mirror = await openCopy(data, root, { bounds: [], place, since: "changed" });
  const rows = [row("", "y", day(2)), row("A", "", day(1))];
  data.set(rows, `${day(2)}T12:00:00Z`);
  expect(await mirror.sync()).toMatchObject({ change: "since", rows: 2 });
  expect(linesOf((await mirror.frame()).rows(), nasdaqDataLink)).toEqual(linesOf(rows, nasdaqDataLink));
});

it("joins the filter on the column of changes with the day of the update", async () => {
  plain.set([row("A", "x", day(2)), row("b", "x", day(1))], `${day(3)}T12:00:00Z`);
  const bounds = [["changed", "gte", [day(1)]]] as const;
  const mirror = await openCopy(plain, root, { bounds, place: "a folder", since: "changed" });
  const rows = [row("A", "x", day(2)), row("b", "y", day(4))];
  plain.set(rows, `${day(4)}T12:00:00Z`);
  expect(await mirror.plan()).toMatchObject({ change: "since", update: { column: "changed", day: day(2) } });
  expect(await mirror.sync()).toMatchObject({ change: "since", received: 2, rows: 2 });
  expect(linesOf((await mirror.frame()).rows(), specification)).toEqual(linesOf(rows, specification));
});

it.each(["a folder", "a file"] as const)("a date in the future does not hide later changes from %s", async (place) => {
  plain.set([row("A", "x", "2099-12-31"), row("b", "x", day(1))], `${day(1)}T12:00:00Z`);
  const mirror = await openCopy(plain, root, { bounds: [], place, since: "changed" });
  const rows = [row("A", "x", "2099-12-31"), row("b", "y", day(2))];
  plain.set(rows, `${day(2)}T12:00:00Z`);
  expect(await mirror.sync()).toMatchObject({ change: "since", rows: 2 });
  expect(linesOf((await mirror.frame()).rows(), specification)).toEqual(linesOf(rows, specification));
});
