import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { unmetFilter } from "../../src/client/pages/filter-predicate.js";
import type { Data, Table, Vector } from "../../src/columns/arrow/arrow.js";
import { chunkReader } from "../../src/columns/arrow/cell-reader.js";
import { compare, isIn } from "../../src/columns/predicate/compare.js";
import { type Bounds, predicateOf, rowsMeeting } from "../../src/columns/predicate/predicate.js";
import { duckdbEngine } from "../../src/engine/duckdb/duckdb.js";
import { Frame } from "../../src/frame/frame.js";
import { filterSql } from "../../src/server/data/filter-sql.js";
import { specification } from "../../src/spec/profile.js";
import { OPERATORS } from "../../src/spec/vocabulary.js";
import { forAllAsync } from "../support/for-all.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { runs } from "../support/whole.js";

/*
 * One predicate in all its uses: random cells and constants choose the same rows as a method of a column, as marks of
 * batches, as a comparison with a column of constants, as a condition on a file, as SQL of a filter, and in DuckDB's
 * own SQL; bounds and the check of a reply agree with them.
 */

const folder = temporaryFolder("predicate");
const engine = await duckdbEngine();
afterAll(async () => {
  await engine.close();
});

const digits = (scale: number, size: number) =>
  fc.oneof(
    fc.integer({ min: -3, max: 3 }).map((n) => (n * 10 ** scale) / 10 ** scale),
    fc.integer({ min: -size, max: size }).map((n) => n / 10 ** scale),
  );
const plain = (scale: number) => (n: number) => (n + 0).toFixed(scale);
const day = fc.integer({ min: -4, max: 4 }).map((n) => new Date(n * 86_400_000).toISOString().slice(0, 10));
const time = fc
  .oneof(
    fc.integer({ min: -4, max: 4 }).map((n) => n * 43_200_000),
    fc.integer({ min: -2e8, max: 2e8 }),
  )
  .map((ms) => new Date(ms).toISOString());
const text = fc.constantFrom("", "A", "AB", "B", "a", "Ä", "\u{1F600}", "\uFFFD");

/** Cells of a type, constants beside them, and the type in which DuckDB compares both exactly. */
const KINDS = [
  {
    type: "BigDecimal(9,2)",
    cell: digits(2, 900).map(plain(2)),
    value: digits(4, 90_000).map(plain(4)),
    sql: "DECIMAL(38,6)",
  },
  {
    type: "BigDecimal(40,3)",
    cell: digits(3, 9_000).map(plain(3)),
    value: digits(5, 900_000).map(plain(5)),
    sql: "DECIMAL(38,6)",
  },
  { type: "Integer", cell: digits(0, 90).map(plain(0)), value: digits(1, 900).map(plain(1)), sql: "DECIMAL(38,6)" },
  { type: "double", cell: digits(1, 90).map(String), value: digits(1, 90).map(String), sql: "DOUBLE" },
  { type: "String", cell: text, value: text.filter((value) => value !== ""), sql: "VARCHAR" },
  { type: "Date", cell: day, value: day, sql: "DATE" },
  { type: "DateTime", cell: time, value: fc.oneof(day, time), sql: "TIMESTAMP" },
  { type: "Boolean", cell: fc.constantFrom("true", "false"), value: fc.constantFrom("true", "false"), sql: "BOOLEAN" },
] as const;

const cases = fc.constantFrom(...KINDS).chain(({ type, cell, value, sql }) =>
  fc.record({
    type: fc.constant<string>(type),
    sql: fc.constant<string>(sql),
    cells: fc.array(fc.option(cell as fc.Arbitrary<string>, { freq: 5 }), { minLength: 1, maxLength: 30 }),
    operator: fc.constantFrom(...OPERATORS),
    constants: fc.uniqueArray(value as fc.Arbitrary<string>, { minLength: 1, maxLength: 3 }),
    layout: fc.constantFrom("dictionary", "utf8" as const),
  }),
);

type Case = typeof cases extends fc.Arbitrary<infer Value> ? Value : never;

/** Integers of which all, some and none are greater: a few random inputs may lack one of these. */
const EXAMPLES = ["0", "1", "2"].map((least): [Case] => [
  {
    type: "Integer",
    sql: "DECIMAL(38,6)",
    cells: ["1", "2", null],
    operator: "gt",
    constants: [least],
    layout: "utf8",
  },
]);
const INPUTS = { numRuns: runs(150), examples: EXAMPLES };

const METHODS = { eq: "eq", gt: "gt", gte: "ge", lt: "lt", lte: "le" } as const;
const SIGNS = { eq: "=", gt: ">", gte: ">=", lt: "<", lte: "<=" } as const;
const place = { column: "c", method: "test()" };

/** The rows where a column of truth values is true. */
const trueIn = (vector: Vector): number[] => [...vector].flatMap((value, i) => (value === true ? [i] : []));

/** The least and the greatest present value, found without the code under test. */
function boundsOf(vector: Vector): Bounds | undefined {
  const [data] = vector.data as readonly Data[];
  const { valid, integer, number, text } = chunkReader(data);
  const rows = Array.from({ length: data.length }, (_, i) => i).filter(valid);
  if (rows.length === 0) return undefined;
  const isOf = (values: (bigint | number)[]): Bounds => {
    const sorted = values.sort((a, b) => (a < b ? -1 : Number(a > b)));
    return { least: sorted[0], most: sorted[sorted.length - 1] };
  };
  if (integer !== undefined) return isOf(rows.map(integer));
  if (number !== undefined) return isOf(rows.map(number));
  const sorted = rows.map((i) => Buffer.from(text(i))).sort(Buffer.compare);
  return { least: sorted[0], most: sorted[sorted.length - 1] };
}

it("a predicate chooses the same rows in every use, and those of DuckDB", async () => {
  const verdicts = { none: 0, some: 0, all: 0 };
  await forAllAsync(INPUTS, cases, async ({ type, sql, cells, operator, constants, layout }) => {
    const values = operator === "eq" ? constants : constants.slice(0, 1);
    const typed = values.map((value) => (type === "Boolean" ? value === "true" : value));
    const columns = [
      { name: "c0", type },
      { name: "n", type: "Integer" },
    ];
    const rows = cells.map((c0, n) => ({ c0, n }));
    const frame = Frame.fromRows(rows, columns, { text: layout === "utf8" ? "utf8" : "auto" } as never);
    const vector = frame.column("c0").vector;
    const [batch] = frame.table.batches;

    // Column methods.
    const found = operator === "eq" ? isIn(vector, typed, place) : compare(vector, METHODS[operator], typed[0], place);
    const expected = trueIn(found);
    expect(found.nullCount).toBe(cells.filter((cell) => cell === null).length);
    if (values.length === 1) expect(trueIn(compare(vector, METHODS[operator], typed[0], place))).toEqual(expected);

    // DuckDB compares in a type that holds all digits.
    await engine.load("cells", frame.table);
    const chosen = async (where: string, params: readonly unknown[] = []): Promise<number[]> => {
      const table: Table = await engine.query(`select n from cells where ${where} order by n`, params);
      return table.numRows === 0 ? [] : [...(table.getChildAt(0) as Vector)].map(Number);
    };
    const literal = (value: string): string => `'${value}'::${sql}`;
    const own = values.map((value) => `c0::${sql} ${SIGNS[operator]} ${literal(value)}`).join(" or ");
    expect(await chosen(own)).toEqual(expected);

    // Marks of batches, and bounds.
    const predicate = predicateOf(vector.type, operator, typed, place);
    expect(Array.from(rowsMeeting(batch, [{ column: 0, predicate }]) ?? rows.keys())).toEqual(expected);
    const bounds = boundsOf(vector);
    const present = cells.length - found.nullCount;
    const verdict = type === "Boolean" || bounds === undefined ? "some" : predicate.within(bounds);
    verdicts[verdict]++;
    if (verdict === "none") expect(expected).toEqual([]);
    if (verdict === "all") expect(expected.length).toBe(present);
    if (operator !== "eq" && verdict === "some" && bounds !== undefined && type !== "Boolean") {
      expect(expected.length).toBeGreaterThan(0);
      expect(expected.length).toBeLessThan(present);
    }

    // A column of constants, of a type that holds them exactly.
    if (values.length === 1) {
      const wide = type.startsWith("BigDecimal") || type === "Integer" ? "BigDecimal(20,6)" : type;
      const like = type === "DateTime" && values[0].length === 10 ? `${values[0]}T00:00:00Z` : values[0];
      const other = Frame.fromRows(
        rows.map(() => ({ v: like })),
        [{ name: "v", type: wide }],
      ).column("v").vector;
      expect(trueIn(compare(vector, METHODS[operator], other, place))).toEqual(expected);
    }

    // Conditions on a file.
    const path = join(folder, "cells.parquet");
    await frame.toParquet(path);
    const where = { c0: operator === "eq" ? typed : { [operator]: typed[0] } };
    const read = await Frame.fromParquet(path, { where: where as never, columns: ["n"] });
    expect(read.column("n").toArray()).toEqual(expected);

    // SQL of the filters of a service, which are on columns of at most 38 digits.
    const filter = { column: "c0", operator, values };
    if (!type.startsWith("BigDecimal(40")) {
      const table = { columns, filters: ["c0"] } as never;
      const { sql: condition, params } = filterSql(table, [filter], specification, engine.dialect);
      expect(await chosen(condition, params)).toEqual(expected);
    }

    // The check of a reply accepts what the service chose, and finds a row that it did not, unless a service may.
    const sent = expected.length === 0 ? [] : frame.take(expected).table.batches;
    const reading = { emptyIsNull: false };
    expect(unmetFilter(filter, columns[0], sent, 0, reading)).toBeUndefined();
    const unmet = unmetFilter(filter, columns[0], [batch], 0, reading);
    if (unmet !== undefined) expect(expected).not.toContain(unmet.row);
    const isExact = !["double", "String", "DateTime"].includes(type);
    if (isExact) expect(unmet?.row).toBe([...rows.keys()].find((row) => !expected.includes(row)));
  });
  expect(Math.min(verdicts.none, verdicts.some, verdicts.all)).toBeGreaterThan(runs(5, 0));
});
