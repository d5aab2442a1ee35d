import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.js";
import { linesOf, linesOfRows, type Quote, QuoteTable, rowsFrame } from "./as-of-run.js";

const root = temporaryFolder("storage");
const ROWS = 100_000;
const DAYS = 30;

/** Numbers that look random, the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const dayOf = (i: number): string => new Date(Date.UTC(2000, 0, 1 + i)).toISOString().slice(0, 10);
const bytesIn = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".parquet"))
    .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);

it("30 refreshes of 100,000 rows with edits, deletions and repeated keys: every state, and no more bytes than changed", async () => {
  const below = numbers(7);
  const price = (): string => `${below(900)}.${String(below(10_000)).padStart(4, "0")}${"0".repeat(24)}`;
  const quote = (i: number, changed: string): Quote => ({
    ticker: `T${i % 500}`,
    date: dayOf(Math.floor(i / 500)),
    close: price(),
    changed,
  });
  const table = new QuoteTable();
  const folder = join(root, "copy");
  const mirror = table.mirror(folder, { history: true });
  let rows = Array.from({ length: ROWS }, (_, i) => quote(i, "2024-01-01"));
  let next = ROWS;
  const changed: Quote[] = [...rows];
  const archived: string[] = [];
  for (let day = 0; day < DAYS; day++) {
    const today = dayOf(9_000 + day);
    if (day > 0) {
      const fresh: Quote[] = [];
      for (let k = 0; k < 1_000; k++) {
        const at = below(rows.length);
        rows[at] = { ...rows[at], close: price(), changed: today };
        fresh.push(rows[at]);
      }
      const gone = new Set(Array.from({ length: 300 }, () => below(rows.length)));
      rows = rows.filter((_, i) => !gone.has(i));
      for (let k = 0; k < 500; k++) fresh.push(quote(next++, today));
      const repeated = Array.from({ length: 100 }, () => rows[below(rows.length)]);
      for (const row of repeated) fresh.push(row, { ...row, close: price() });
      rows.push(...fresh.slice(1_000));
      changed.push(...fresh);
    }
    table.rows = rows;
    table.refreshed = `${today}T06:00:00Z`;
    archived.push(linesOfRows(rows).join("\n"));
    await mirror.sync();
  }
  for (const [day, lines] of archived.entries()) {
    expect(linesOf(await mirror.frame({ asOf: dayOf(9_000 + day) })).join("\n") === lines, `day ${day}`).toBe(true);
  }
  const alone = join(root, "changed.parquet");
  await rowsFrame(changed).toParquet(alone);
  expect(bytesIn(folder)).toBeLessThan(1.3 * statSync(alone).size);
}, 600_000);
