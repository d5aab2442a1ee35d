import { describe, expect, expectTypeOf, it } from "vitest";
import { Frame } from "../../src/frame/frame.js";
import { textsOf } from "../series/tables.js";
import { columnSpecs } from "../support/column-specs.js";

interface Row {
  a: string;
  b: number;
}

const frame = Frame.fromRows<Row>([
  { a: "x", b: 2 },
  { a: "y", b: 1 },
  { a: "x", b: 1 },
]);
const order = (sorted: Frame<Row>) => [...sorted.rows()].map(({ a, b }) => a + b).join(" ");
const errorOf = (run: () => unknown): unknown => {
  try {
    return run();
  } catch (error) {
    return error;
  }
};

describe("sort() takes names, pairs and one list of them", () => {
  it.each<[string, () => Frame<Row>, string]>([
    ["names", () => frame.sort("a", "b"), "x1 x2 y1"],
    ["a list of names", () => frame.sort(["a", "b"]), "x1 x2 y1"],
    ["a list of one name", () => frame.sort(["b"]), "y1 x1 x2"],
    ["an empty list", () => frame.sort([]), "x2 y1 x1"],
    ["a pair", () => frame.sort(["b", "desc"]), "x2 y1 x1"],
    ["a list of one pair", () => frame.sort([["a", "desc"]]), "y1 x2 x1"],
    ["pairs", () => frame.sort(["a", "desc"], ["b", "asc"]), "y1 x1 x2"],
    ["a list of pairs and names", () => frame.sort([["a", "desc"], "b"]), "y1 x1 x2"],
  ])("%s", (_, sorted, expected) => expect(order(sorted())).toBe(expected));

  it("refuses a list of two that can be read both ways, and shows both spellings", () => {
    const words = frame.rename({ b: "desc" });
    const error = errorOf(() => words.sort(["a", "desc"]));
    expect(error).toMatchObject({ name: "InputError", code: "AmbiguousSort", column: "desc" });
    expect((error as { hint: string }).hint).toContain('sort("a", "desc")');
    expect((error as { hint: string }).hint).toContain('sort([["a", "desc"]])');
    const both = [...words.sort("a", "desc").rows()].map((row) => row.a + row.desc);
    const falling = [...words.sort([["a", "desc"]]).rows()].map((row) => row.a + row.desc);
    expect([both, falling]).toEqual([
      ["x1", "x2", "y1"],
      ["y1", "x2", "x1"],
    ]);
  });

  it.each<[string, () => unknown, string, string]>([
    ["an unknown second name", () => frame.sort(["a", "up" as "b"]), "UnknownColumn", '"asc" or "desc"'],
    ["an unknown direction", () => frame.sort(["a", "up" as "asc"], "b"), "UnknownValue", '"asc" or "desc"'],
    ["an unknown direction in a list", () => frame.sort([["a", "up" as "asc"]]), "UnknownValue", '"asc" or "desc"'],
    ["a pair in a pair", () => frame.sort([[["a", "asc"] as never, "asc"]]), "BadArgument", "name"],
    ["a list beside a list", () => frame.sort(["a", "b"], ["b", "a"]), "BadArgument", "Pass pairs"],
  ])("an error for %s", (_, run, code, hint) => {
    expect(run).toThrow(expect.objectContaining({ code, hint: expect.stringContaining(hint) }));
  });
});

describe("corr() gives one number for two names and the matrix for a list", () => {
  const numbers = Frame.fromRows([1, 2, 3, 4].map((x) => ({ x, y: -x, z: x * x, note: "n" })));

  it("computes both", () => {
    expect(numbers.corr("x", "y")).toBe(-1);
    expect(numbers.corr("x", "z")).toBeCloseTo(0.98437, 5);
    expect(numbers.corr("x", "z", "spearman")).toBe(1);
    expect(numbers.head(1).corr("x", "y")).toBe(null);
    const matrix = numbers.corr(["y", "x"]);
    expect(matrix.columns.map(({ name }) => name)).toEqual(["column", "y", "x"]);
    expect(matrix.column("column").toArray()).toEqual(["y", "x"]);
    expect(matrix.column("x").get(0)).toBe(numbers.corr("x", "y"));
    expect(numbers.corr().columns.map(({ name }) => name)).toEqual(["column", "x", "y", "z"]);
    expect(numbers.corr(undefined, "spearman").column("z").toNumbers()).toEqual(Float64Array.of(1, -1, 1));
    expectTypeOf(numbers.corr("x", "y")).toEqualTypeOf<number | null>();
    expectTypeOf(numbers.corr(["x", "y"])).toEqualTypeOf<Frame>();
  });

  it.each<[string, () => unknown, string]>([
    ["one name", () => (numbers as unknown as { corr(a: string): unknown }).corr("x"), "BadArgument"],
    [
      "a list and a name",
      () => (numbers as unknown as { corr(a: unknown, b: string): unknown }).corr(["x"], "y"),
      "UnknownValue",
    ],
    ["a column of text", () => numbers.corr("x", "note"), "WrongType"],
    ["an unknown column", () => numbers.corr("x", "w"), "UnknownColumn"],
    ["an unknown method", () => numbers.corr("x", "y", "kendall" as "pearson"), "UnknownValue"],
  ])("an error for %s", (_, run, code) => {
    expect(run).toThrow(expect.objectContaining({ name: "InputError", code }));
  });
});

it("head() and tail() show 5 rows by default", () => {
  const long = Frame.fromRows(Array.from({ length: 12 }, (_, n) => ({ n })));
  expect([...long.column("n").toArray()].slice(0, 5)).toEqual([...long.head().column("n").toArray()]);
  expect([...long.column("n").toArray()].slice(-5)).toEqual([...long.tail().column("n").toArray()]);
});

describe("query() takes the names of the dataset query", () => {
  const daily = Frame.fromRows(
    Array.from({ length: 90 }, (_, n) => ({
      Date: new Date(Date.UTC(2024, 0, 1 + n)).toISOString().slice(0, 10),
      Open: n,
      Close: 2 * n,
    })),
    columnSpecs({ Date: "Date", Open: "double", Close: "double" }),
  );

  it("trims, picks a column, collapses, transforms, orders and limits", () => {
    const options = { from: "2024-01-10", to: "2024-03-10", collapse: "monthly", order: "desc", limit: 2 } as const;
    expect(textsOf(daily.query({ ...options, column: "Close" }).table)).toEqual([
      ["2024-03-31", "138.0"],
      ["2024-02-29", "118.0"],
    ]);
    expect(daily.query({ from: "2024-03-29" }).numRows).toBe(2);
    expect(daily.query({ to: "2024-01-02" }).numRows).toBe(2);
  });

  it("counts columns as the dataset query does, where 0 is the dates alone", () => {
    const names = (column: number) => daily.query({ column }).columns.map(({ name }) => name);
    expect([names(0), names(1), names(2)]).toEqual([["Date"], ["Date", "Open"], ["Date", "Close"]]);
    expect(() => daily.query({ column: 3 })).toThrow(expect.objectContaining({ code: "UnknownColumn" }));
  });

  it("refuses the names of the wire, and text that is not a date", () => {
    expect(() => daily.query({ start_date: "2024-01-10" } as never)).toThrow(
      expect.objectContaining({ code: "UnknownOption" }),
    );
    expect(() => daily.query({ from: "10.1.2024" })).toThrow(expect.objectContaining({ code: "BadArgument" }));
  });
});
