import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type CellReading,
  type FilterComparison,
  mayMeet,
  unmetFilter,
} from "../../src/client/pages/filter-predicate.js";
import { Frame } from "../../src/frame/frame.js";
import { parseType } from "../../src/spec/columns.js";
import { OPERATORS } from "../../src/spec/vocabulary.js";
import { formatDate } from "../../src/value/date.js";
import { runs } from "../support/whole.js";

const reading: CellReading = { emptyIsNull: false };

/** Texts of numbers with at most so many digits. */
const plain = (scale: number, digits: number) =>
  fc.bigInt({ min: -(10n ** BigInt(digits)), max: 10n ** BigInt(digits) }).map((unscaled) => {
    const text = (unscaled < 0n ? -unscaled : unscaled).toString().padStart(scale + 1, "0");
    const cut = text.length - scale;
    return `${unscaled < 0n ? "-" : ""}${text.slice(0, cut)}${scale === 0 ? "" : `.${text.slice(cut)}`}`;
  });
/** Cells of each type; two that differ do so beyond any leniency. */
const COLUMNS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  Integer: fc.oneof(plain(0, 2), plain(0, 15), plain(0, 18)),
  "BigDecimal(12,4)": fc.oneof(plain(4, 5), plain(4, 11)),
  "BigDecimal(38,10)": fc.oneof(plain(10, 12), plain(10, 37)),
  "BigDecimal(50,28)": fc.oneof(plain(28, 15), plain(28, 49)),
  Date: fc.integer({ min: 19_000, max: 19_020 }).map(formatDate),
  DateTime: fc.integer({ min: 19_000, max: 19_020 }).map((n) => `${formatDate(n * 3 - 38_000)}T00:00:00Z`),
  double: fc.integer({ min: -40, max: 40 }).map((n) => String(n / 8)),
  String: fc.stringMatching(/^[a-e]{1,3}$/),
};

/** How two texts of a type compare: by big integers and strings, independently of the code under test. */
const compare = (type: string, a: string, b: string): number => {
  const { kind, scale = 0 } = parseType(type);
  if (kind === "decimal" || kind === "integer") {
    const units = (text: string): bigint => {
      const [whole, fraction = ""] = text.split(".");
      return BigInt(`${whole}${fraction.padEnd(scale, "0")}`);
    };
    const difference = units(a) - units(b);
    return difference < 0n ? -1 : Number(difference > 0n);
  }
  if (kind === "double") return Number(a) - Number(b);
  return a < b ? -1 : Number(a > b);
};
const isOneOf = (type: string, cell: string | null, values: readonly string[]): boolean =>
  cell !== null && values.some((value) => compare(type, cell, value) === 0);
const HOLDS: Readonly<Record<FilterComparison["operator"], (signed: number) => boolean>> = {
  eq: (signed) => signed === 0,
  gt: (signed) => signed > 0,
  gte: (signed) => signed >= 0,
  lt: (signed) => signed < 0,
  lte: (signed) => signed <= 0,
};

it("the first row that does not meet a filter is found, by every type and operator", () => {
  const cases = fc.constantFrom(...Object.keys(COLUMNS)).chain((type) =>
    fc.record({
      type: fc.constant(type),
      pool: fc.array(COLUMNS[type], { minLength: 1, maxLength: 12 }),
      picks: fc.array(fc.option(fc.nat(11), { freq: 30 }), { minLength: 1, maxLength: 40 }),
      operator: fc.constantFrom(...OPERATORS),
      wanted: fc.array(fc.nat(11), { minLength: 1, maxLength: 9 }),
      meeting: fc.boolean(),
    }),
  );
  let found = 0;
  fc.assert(
    fc.property(cases, ({ type, pool, picks, operator, wanted, meeting }) => {
      const values = [...new Set(wanted.map((i) => pool[i % pool.length]))].slice(0, operator === "eq" ? 9 : 1);
      // Of timestamps and doubles but 0, a bound itself may be beyond it before the service rounds it.
      const isLoose = ["DateTime", "double"].includes(type) && (operator === "gt" || operator === "lt");
      const meets = (cell: string | null): boolean =>
        cell !== null && values.some((value) => HOLDS[operator](compare(type, cell, value)));
      const all = picks.map((i) => (i === null ? null : pool[i % pool.length]));
      const cells = meeting ? all.filter(meets) : all;
      const expected = cells.findIndex(
        (cell) => !meets(cell) && !(isLoose && cell !== "0" && isOneOf(type, cell, values)),
      );
      const column = { name: "c", type };
      const { batches } = Frame.fromRows(
        cells.map((c) => ({ c })),
        [column],
      ).table;
      const unmet = unmetFilter({ column: "c", operator, values }, column, batches, 0, reading);
      if (unmet !== undefined) found++;
      expect(unmet?.row ?? -1).toBe(expected);
    }),
    { numRuns: runs(1_500) },
  );
  expect(found).toBeGreaterThan(runs(200, 15));
});

describe("a service may count a cell as meeting a filter", () => {
  const may = (type: string, operator: FilterComparison["operator"], value: string, cell: string | null, more = {}) =>
    mayMeet({ column: "c", operator, values: [value] }, parseType(type), cell, { ...reading, ...more });

  it.each([
    ["String", "eq", "AAPL", "aapl", true],
    ["String", "eq", "été", "ETE ", true],
    ["String", "eq", "AAA", "AAB", false],
    ["String", "gte", "b", "B", true],
    ["String", "gte", "b", "A", false],
    ["String", "lt", "10", "9", true],
    ["DateTime", "lte", "2024-01-31", "2024-01-31T23:00:00Z", true],
    ["DateTime", "lte", "2024-01-31", "2024-02-02T00:00:00Z", false],
    ["DateTime", "eq", "2024-01-31T10:00:00Z", "2024-01-31T10:00:00.500Z", true],
    ["DateTime", "eq", "2024-01-31T10:00:00Z", "2024-01-31T10:00:05Z", false],
    ["double", "gt", "0.3", "0.30000000000000004", true],
    ["double", "gt", "0.3", "0.29999", false],
    ["float", "eq", "16777216", "16777200", true],
    ["double", "eq", "16777216", "16777200", false],
    ["BigDecimal(10,2)", "lte", "1.239", "1.24", false],
    ["Integer", "eq", "1", "2", false],
    ["Date", "gte", "2024-01-02", "2024-01-01", false],
    ["String", "eq", "a", null, false],
  ] as const)("%s %s %s: %s is %s", (type, operator, value, cell, expected) => {
    expect(may(type, operator, value, cell)).toBe(expected);
  });

  it("as far as the cells were changed while they were read", () => {
    expect(may("BigDecimal(10,2)", "lte", "1.239", "1.24", { onPrecisionLoss: "round" })).toBe(true);
    expect(may("BigDecimal(10,2)", "lte", "1.239", "1.26", { onPrecisionLoss: "round" })).toBe(false);
    expect(may("Integer", "eq", "1", null, { onBadCell: "null" })).toBe(true);
    expect(may("String", "lt", "a", null, { emptyIsNull: true })).toBe(true);
    expect(may("String", "eq", "a", null, { emptyIsNull: true })).toBe(false);
  });
});

it("what cannot be compared is not refused", () => {
  const column = { name: "c", type: "Date" };
  const { batches } = Frame.fromRows([{ c: "2024-01-01" }], [column]).table;
  const unmet = (operator: string, value: string, type = "Date") =>
    unmetFilter({ column: "c", operator, values: [value] }, { name: "c", type }, batches, 0, reading);
  expect(unmet("gte", "tomorrow")).toBeUndefined();
  expect(unmet("like", "2025%")).toBeUndefined();
  expect(unmet("eq", "2025-01-01", "geometry")).toBeUndefined();
  expect(unmet("eq", "2025-01-01")).toEqual({ row: 0, text: "2024-01-01" });
});
