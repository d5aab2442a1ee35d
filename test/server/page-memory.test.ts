import fc from "fast-check";
import { expect, it } from "vitest";
import { forAllAsync } from "../support/for-all.js";
import { runs } from "../support/whole.js";
import { folderOf, started } from "./support.js";

const COLUMNS = ["id", "word", "long", "day", "at", "price", "wide", "double", "yes"];
const TYPES = ["Integer", "String", "String", "Date", "DateTime", "BigDecimal(15,4)", "BigDecimal(50,2)", "double"];
const ROWS = 3_000;

/** The cells of row `i` as JSON carries them; every seventh cell is null. */
function cells(i: number, seed: number): (string | number | boolean | null)[] {
  const all = [
    i,
    `w${(i * seed) % 9}`,
    `long text ${"é".repeat(i % 30)} ${i * seed}`,
    `2024-0${1 + (i % 9)}-1${i % 10}`,
    `2024-01-01T00:00:${10 + (i % 50)}Z`,
    (i * seed) / 4,
    i * seed,
    i / 8,
    i % 2 === 0,
  ];
  return all.map((cell, k) => (k > 0 && (i + k) % 7 === 0 ? null : cell));
}

const table = (code: string) => ({
  vendor_code: "V",
  datatable_code: code,
  name: code,
  columns: COLUMNS.map((name, k) => ({ name, type: TYPES[k] ?? "Boolean" })),
  filters: ["id"],
  file: `${code}.csv`,
});

interface Ask {
  readonly table: number;
  readonly columns: readonly number[];
  readonly size: number;
  readonly isGzip: boolean;
  readonly leavesAfter: number | null;
}

const ask: fc.Arbitrary<Ask> = fc.record({
  table: fc.constantFrom(0, 1),
  columns: fc.subarray([0, 1, 2, 3, 4, 5, 6, 7, 8], { minLength: 1 }),
  size: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: ROWS })),
  isGzip: fc.boolean(),
  leavesAfter: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat(20) }),
});

it("pages that are made at one time, in memory that is used again, hold the rows of their own queries", async () => {
  const seeds = [3, 1_000_003];
  const csv = (seed: number) =>
    [COLUMNS, ...Array.from({ length: ROWS }, (_, i) => cells(i, seed).map((cell) => cell ?? ""))].join("\n");
  const data = folderOf({
    "catalog.json": { databases: [], tables: [table("A"), table("B")] },
    "A.csv": `${csv(seeds[0])}\n`,
    "B.csv": `${csv(seeds[1])}\n`,
  });
  const service = await started({ data, replyCacheBytes: 0 });
  const got = async ({ table: k, columns, size, isGzip, leavesAfter }: Ask) => {
    const names = columns.map((c) => COLUMNS[c]).join();
    const query = `api_key=sample&qopts.columns=${names}&qopts.per_page=${size}`;
    const reply = await fetch(`${service.url}/api/v3/datatables/V/${"AB"[k]}.json?${query}`, {
      headers: { "accept-encoding": isGzip ? "gzip" : "identity" },
      signal: leavesAfter === null ? null : AbortSignal.timeout(leavesAfter),
    });
    const { datatable } = (await reply.json()) as { datatable: { data: unknown[][] } };
    return datatable.data;
  };
  await forAllAsync(runs(40), fc.array(ask, { minLength: 1, maxLength: 8 }), async (asks) => {
    const replies = await Promise.allSettled(asks.map(got));
    for (const [i, reply] of replies.entries()) {
      const { table: k, columns, size, leavesAfter } = asks[i];
      if (reply.status === "rejected") {
        expect(leavesAfter).not.toBeNull();
        continue;
      }
      const expected = Array.from({ length: Math.min(size, ROWS) }, (_, row) => {
        const all = cells(row, seeds[k]);
        return columns.map((c) => all[c]);
      });
      expect(reply.value).toEqual(expected);
    }
  });
});
