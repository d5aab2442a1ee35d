import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { Table } from "../../src/columns/arrow/arrow.js";
import { Frame } from "../../src/frame/frame.js";
import { cellsIn, inBatches, namesOf, tableFrom } from "./tables.js";

type Values = (string | number | null)[];
interface Line {
  readonly table?: string;
  readonly columns?: Record<string, readonly [string, Values]>;
  readonly case?: string;
  readonly call?: readonly [string, ...unknown[]];
  readonly tolerance?: number;
  readonly expected?: Record<string, Values>;
}

const lines = readFileSync(new URL("oracle/pandas.jsonl", import.meta.url), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as Line);

const tables = new Map<string, Table>();
for (const { table, columns } of lines)
  if (table !== undefined && columns !== undefined) tables.set(table, tableFrom(columns));

const tableNamed = (name: string): Table => {
  const found = tables.get(name);
  if (found === undefined) throw new Error(`no table ${name}`);
  return found;
};

/** The frame that a line's call gives, on `table`. */
function called(table: Table, [method, ...args]: readonly [string, ...unknown[]]): Frame {
  const frame = Frame.from(table);
  const values = args.map((arg) => {
    const other = (arg as { $frame?: string }).$frame;
    return other === undefined ? arg : Frame.from(tableNamed(other));
  });
  if (method === "align")
    return Frame.align([frame, ...(values.slice(0, -1) as Frame[])], values[values.length - 1] as object);
  if (method.startsWith("groupBy:")) return frame.groupBy(method.slice(8)).agg(values[0] as object);
  return (frame as unknown as Record<string, (...rest: unknown[]) => Frame>)[method](...values);
}

/** Weighted deviations of one value are null here; after nulls, pandas has 0 for them where it rounds so. */
const isUndefined = ([method, , how]: readonly unknown[], got: unknown, value: unknown): boolean =>
  method === "ewm" && (how === "std" || how === "var") && got === null && value === 0;

/** Where two columns differ by more than `tolerance` of the larger of the value and the column's largest. */
function differences(
  found: readonly unknown[],
  expected: Values,
  tolerance: number,
  call: readonly unknown[],
): string[] {
  if (found.length !== expected.length) return [`${found.length} rows, not ${expected.length}`];
  const largest = Math.max(0, ...expected.map((v) => (typeof v === "number" ? Math.abs(v) : 0)));
  const wrong: string[] = [];
  for (const [row, value] of expected.entries()) {
    const got = found[row];
    const near = typeof value === "number" && typeof got === "number" && Math.abs(got - value) <= tolerance * largest;
    if (got !== value && !near && !isUndefined(call, got, value)) wrong.push(`row ${row}: ${got}, not ${value}`);
  }
  return wrong;
}

const cases = lines.filter((line) => line.case !== undefined).map((line) => [line.case as string, line] as const);

it("there are cases", () => expect(cases.length).toBeGreaterThan(200));

it.each(cases)("%s", (_, { table = "", call = [""], tolerance = 0, expected = {} }) => {
  const whole = tableNamed(table);
  for (const one of [whole, inBatches(whole, 37)]) {
    const { table: result } = called(one, call);
    const wrong: Record<string, string[]> = {};
    for (const [name, values] of Object.entries(expected)) {
      const found = namesOf(result).includes(name) ? cellsIn(result, name) : [];
      const differing = differences(found, values, tolerance, call);
      if (differing.length > 0) wrong[name] = differing.slice(0, 5);
    }
    expect(wrong).toEqual({});
  }
});
