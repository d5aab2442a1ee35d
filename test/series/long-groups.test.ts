import { describe, expect, it } from "vitest";
import { Frame } from "../../src/frame/frame.js";

// As many rows as are summarized in one pass.
const ROWS = 20_000;

type Cell = string | null;

/** The rows of a column whose value of row i, null for every eleventh, is `of(i)`. */
const cells = (of: (i: number) => string): Cell[] =>
  Array.from({ length: ROWS }, (_, i) => (i % 11 === 4 ? null : of((i * 7919) % ROWS)));

const SIGN = ["", "-"];
const COLUMNS: Readonly<Record<string, readonly [type: string, values: Cell[]]>> = {
  price: ["BigDecimal(15,4)", cells((i) => `${SIGN[i % 2]}${i}.${1000 + (i % 9)}`)],
  full: ["BigDecimal(19,0)", cells((i) => (i % 3 === 0 ? "-9223372036854775808" : "9223372036854775807"))],
  wide: ["BigDecimal(30,0)", cells((i) => (i === 77 ? "123456789012345678901234567890" : `${i}`))],
  wider: ["BigDecimal(60,2)", cells((i) => `${i}.25`)],
  count: ["Integer", cells((i) => `${i - 9_000}`)],
  day: ["Date", cells((i) => `20${10 + (i % 80)}-01-15`)],
  time: ["DateTime", cells((i) => `2024-01-01T00:${String(i % 60).padStart(2, "0")}:00Z`)],
};

/** Whole units without the point. */
const units = (text: string): bigint => BigInt(text.replace(".", ""));

function total(values: readonly string[], digits: number): string | null {
  if (values.length === 0) return null;
  const sum = values.reduce((all, value) => all + units(value), 0n);
  const size = String(sum < 0n ? -sum : sum).padStart(digits + 1, "0");
  const point = digits === 0 ? "" : `.${size.slice(-digits)}`;
  return `${sum < 0n ? "-" : ""}${size.slice(0, size.length - digits)}${point}`;
}

describe.each([3, 500, 19_000])("%i groups of many rows", (groups) => {
  const keys = Array.from({ length: ROWS }, (_, i) => `g${Math.floor(i / 3) % groups}`);
  const frame = Frame.fromRows(
    keys.map((key, i) => Object.fromEntries([["key", key], ...Object.entries(COLUMNS).map(([n, [, v]]) => [n, v[i]])])),
    [{ name: "key", type: "String" }, ...Object.entries(COLUMNS).map(([name, [type]]) => ({ name, type }))],
  ) as Frame;
  const order = [...new Set(keys)];
  const rowsOf = new Map<string, number[]>(order.map((key) => [key, []]));
  for (const [row, key] of keys.entries()) rowsOf.get(key)?.push(row);

  it.each(Object.keys(COLUMNS))("have the least and the largest %s, of equal ones the first", (name) => {
    const found = frame.groupBy("key").agg({ [name]: ["min", "max"] } as never) as unknown as Frame;
    expect(found.column("key").toStrings()).toEqual(order);
    const texts = frame.column(name).toStrings();
    const isNumber = name !== "day" && name !== "time";
    const isLess = (a: string, b: string): boolean => (isNumber ? units(a) < units(b) : a < b);
    const extreme = (key: string, isBetter: (a: string, b: string) => boolean): Cell =>
      (rowsOf.get(key) as number[]).reduce<Cell>((best, row) => {
        const text = texts[row];
        return text !== null && (best === null || isBetter(text, best)) ? text : best;
      }, null);
    expect(found.column(`${name}_min`).toStrings().join()).toBe(order.map((key) => extreme(key, isLess)).join());
    const isMore = (a: string, b: string): boolean => isLess(b, a);
    expect(found.column(`${name}_max`).toStrings().join()).toBe(order.map((key) => extreme(key, isMore)).join());
  });

  it.each(["price", "full", "wide", "wider", "count"])("have the exact sum and the nearest mean of %s", (name) => {
    const how = name === "full" ? ["mean", "count"] : ["sum", "mean", "count"];
    const found = frame.groupBy("key").agg({ [name]: how } as never) as unknown as Frame;
    const texts = frame.column(name).toStrings();
    const held = order.map((key) =>
      (rowsOf.get(key) as number[]).flatMap((row) => (texts[row] === null ? [] : [texts[row] as string])),
    );
    const digits = texts.find((text) => text !== null)?.split(".")[1]?.length ?? 0;
    const totals = held.map((values) => total(values, digits));
    if (name !== "full") expect(found.column(`${name}_sum`).toStrings().join()).toBe(totals.join());
    expect(found.column(`${name}_mean`).toArray()).toEqual(
      totals.map((sum, group) => (sum === null ? null : Number(sum) / held[group].length)),
    );
    expect(found.column(`${name}_count`).toStrings()).toEqual(held.map(({ length }) => String(length)));
  });
});
