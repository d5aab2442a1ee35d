import fc from "fast-check";
import { expect, it } from "vitest";
import { statement } from "../../src/engine/clickhouse/statement.js";
import { forAll } from "../support/for-all.js";

it.each([
  ["x", "String", "x"],
  [7, "Int64", 7],
  [1.5, "Float64", 1.5],
  [2 ** 60, "Float64", 2 ** 60],
  [-0, "Float64", "-0"],
  [Number.NaN, "Float64", Number.NaN],
  [true, "Bool", true],
  [null, "Nullable(String)", null],
  [2n ** 63n - 1n, "Int64", 2n ** 63n - 1n],
  [2n ** 63n, "Int128", 2n ** 63n],
  [-(2n ** 127n) - 1n, "Int256", -(2n ** 127n) - 1n],
  [new Date(1_709_168_523_004), "DateTime64(3,'UTC')", "2024-02-29 01:02:03.004"],
])("binds %s as %s", (value, type, bound) => {
  expect(statement("SELECT $1", [value])).toEqual({
    sql: `SELECT {p1:${type}}`,
    params: { p1: bound },
    returnsRows: true,
  });
});

it.each([[undefined], [{}], [[1]], [new Date(Number.NaN)], [2n ** 255n], [Symbol("x")]])(
  "refuses to bind %s",
  (value) => {
    expect(() => statement("SELECT $1", [value])).toThrow(
      expect.objectContaining({ name: "InputError", code: "BadArgument" }),
    );
  },
);

it("writes long values into the statement: the address of a request has at most 1 MB", () => {
  const bound = (value: unknown) => statement("SELECT $1, '$1'", [value]);
  const text = "it's \\ $1 \0".repeat(300);
  const literal = `'${"it\\'s \\\\ $1 \\0".repeat(300)}'`;
  expect(bound(text)).toMatchObject({ sql: `SELECT ${literal}, '$1'`, params: {} });
  const list = Array.from({ length: 1_000 }, (_, i) => `it's ${i}`);
  const quoted = list.map((each) => `'${each.replace("'", "\\'")}'`).join(",");
  expect(bound(list)).toMatchObject({ sql: `SELECT CAST([${quoted}] AS Array(String)), '$1'`, params: {} });
  const numbers = Array.from({ length: 1_000 }, (_, i) => -1_000_000_007n * BigInt(i));
  expect(bound(numbers)).toMatchObject({ sql: `SELECT CAST([${numbers}] AS Array(Int64)), '$1'`, params: {} });
  expect(bound(numbers.slice(0, 3))).toMatchObject({ sql: "SELECT {p1:Array(Int64)}, '$1'" });
  expect(() => bound([2n ** 63n])).toThrow(expect.objectContaining({ code: "BadArgument" }));
});

it("refuses missing values, values that are not an array, and a FORMAT", () => {
  const code = (run: () => unknown) => {
    try {
      run();
    } catch (error) {
      return (error as { code: string }).code;
    }
    return undefined;
  };
  expect(code(() => statement("SELECT $2", ["x"]))).toBe("BadArgument");
  expect(code(() => statement("SELECT $1", "x" as never))).toBe("BadArgument");
  expect(code(() => statement(5 as never, []))).toBe("BadArgument");
  expect(code(() => statement("SELECT 1 FORMAT CSV; -- text", []))).toBe("BadStatement");
  expect(code(() => statement("SELECT 'FORMAT CSV'", []))).toBeUndefined();
});

/** Pieces that hold `$1` without meaning a parameter. */
const quoted = fc
  .tuple(
    fc.constantFrom("'", '"', "`"),
    fc.array(fc.constantFrom("a", "$1", " ", "--", "/*", "\\\\", "''", "\\'", '\\"', "\\`"), { maxLength: 5 }),
  )
  .map(([quote, parts]) => `${quote}${parts.filter((part) => quote === "'" || part !== "''").join("")}${quote}`);
const comment = fc.constantFrom("-- $1 it's\n", "/* $1 ' */", "# $1 `\n", "#! $1\n");
const heredoc = fc.constantFrom("$$ $1 ' $$", "$tag$ $1 $tag$", "$1$ x $1$");

it("parameters are found between any strings, names, comments and heredocs, and only there", () => {
  forAll(
    500,
    fc.array(fc.oneof(quoted, comment, heredoc, fc.constant("$1"), fc.constant("+ f(x)")), { maxLength: 12 }),
    (parts) => {
      const { sql } = statement(`SELECT ${parts.join(" ")}`, ["v"]);
      const expected = parts.map((part) =>
        part === "$1" ? "{p1:String}" : part.startsWith("/*") ? " " : /^(--|#)/.test(part) ? " \n" : part,
      );
      expect(sql).toBe(`SELECT ${expected.join(" ")}`.replace(/[\s;]+$/, ""));
    },
  );
});

it.each([
  ["SELECT 1", true],
  [" ( select 1 ) ", true],
  ["-- INSERT\n/* DROP */ WITH 1 AS x SELECT x", true],
  ["SHOW TABLES", true],
  ["EXPLAIN SELECT 1", true],
  ["DESCRIBE TABLE t", true],
  ["EXISTS t", true],
  ["INSERT INTO t SELECT 1", false],
  ["CREATE TABLE selected (a Int8) ENGINE = Memory", false],
  ["-- SELECT\nDROP TABLE t", false],
  ["TRUNCATE TABLE t", false],
])("%s returns rows: %s", (sql, returnsRows) => {
  expect(statement(sql, undefined).returnsRows).toBe(returnsRows);
});
