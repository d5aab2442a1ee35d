import { inspect } from "node:util";
import { describe, expect, expectTypeOf, it } from "vitest";
import { makeData, makeVector, Null, Table } from "../../src/columns/arrow/arrow.js";
import { InputError } from "../../src/errors/errors.js";
import type { Column } from "../../src/frame/cells/column.js";
import type { AnyRow } from "../../src/frame/cells/row-types.js";
import { Frame } from "../../src/frame/frame.js";
import { columnSpecs } from "../support/column-specs.js";

const columns = columnSpecs({ ticker: "String", date: "Date", close: "BigDecimal(15,4)", volume: "Integer" });

interface Price {
  ticker: string;
  date: string;
  close: number | null;
  volume: number | bigint | null;
}

const prices = Frame.fromRows<Price>(
  [
    { ticker: "BBB", date: "2024-02-29", close: "1.5", volume: 9007199254740993n },
    { ticker: "AAA", date: "2024-03-01", close: null, volume: 2 },
    { ticker: "AAA", date: "2024-02-29", close: "12345678901.2345", volume: null },
  ],
  columns,
  { code: "MARKET/PRICES", complete: true },
);

const codeOf = (run: () => unknown): unknown => {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(InputError);
    return (error as InputError).code;
  }
  return "no error";
};

describe("rows and columns", () => {
  it("reads rows with the nearest numbers and ISO dates", () => {
    expect([...prices.rows()]).toEqual([
      { ticker: "BBB", date: "2024-02-29", close: 1.5, volume: 9007199254740993n },
      { ticker: "AAA", date: "2024-03-01", close: null, volume: 2 },
      { ticker: "AAA", date: "2024-02-29", close: 12345678901.2345, volume: null },
    ]);
  });

  it("gives exact decimals as text or unscaled, and dates as Date", () => {
    const row = (options: object) => [...prices.rows(options)][0];
    expect(row({ decimals: "string" }).close).toBe("1.5000");
    expect(row({ decimals: "bigint" }).close).toBe(15000n);
    expect(row({ dates: "date" }).date).toEqual(new Date("2024-02-29T00:00:00Z"));
  });

  it("walks the rows again and again", () => {
    const rows = prices.rows();
    expect([...rows].length + [...rows].length).toBe(6);
  });

  it("describes itself", () => {
    expect(prices.columns).toEqual(columns);
    expect([prices.numRows, prices.numColumns]).toEqual([3, 4]);
    expect(prices.nbytes).toBeGreaterThan(3 * (4 + 4 + 16 + 8));
    expect(prices.source?.code).toBe("MARKET/PRICES");
  });

  it("reads a column as numbers, text, dates, bigints and single values", () => {
    const close = prices.column("close");
    expect(close.toNumbers()).toEqual(Float64Array.of(1.5, Number.NaN, 12345678901.2345));
    expect(close.toStrings()).toEqual(["1.5000", null, "12345678901.2345"]);
    expect(close.toBigInts()).toEqual([15000n, null, 123456789012345n]);
    expect(prices.column("date").toDates()[1]).toEqual(new Date(Date.UTC(2024, 2, 1)));
    expect([close.nullCount, close.length, close.name, close.type]).toEqual([1, 3, "close", "BigDecimal(15,4)"]);
    expect([close.get(0), close.get(1), prices.column("ticker").get(2)]).toEqual([1.5, null, "AAA"]);
    expect([...close]).toEqual([1.5, null, 12345678901.2345]);
    expect(prices.column(0).name).toBe("ticker");
    expect(codeOf(() => close.get(3))).toBe("OutOfRange");
  });

  it("names the nearest column for an unknown one", () => {
    expect(() => prices.column("clsoe" as "close")).toThrow(
      expect.objectContaining({ code: "UnknownColumn", column: "clsoe", hint: 'Did you mean "close"?' }),
    );
    expect(codeOf(() => prices.select("Close" as "close"))).toBe("UnknownColumn");
    expect(codeOf(() => prices.sort("x" as "close"))).toBe("UnknownColumn");
    expect(codeOf(() => prices.rename({ y: "z" } as object))).toBe("UnknownColumn");
    expect(codeOf(() => prices.column("constructor" as "close"))).toBe("UnknownColumn");
    expect(codeOf(() => prices.column(4))).toBe("UnknownColumn");
  });
});

describe("verbs", () => {
  it("selects, drops and renames without copying", () => {
    const few = prices.select("close", "ticker");
    expect(few.columns.map((c) => c.name)).toEqual(["close", "ticker"]);
    expect(few.column("close").vector.data[0].values.buffer).toBe(prices.column("close").vector.data[0].values.buffer);
    expect(prices.drop("volume").columns.length).toBe(3);
    const named = prices.rename({ close: "price" });
    expect(named.columns[2]).toEqual({ name: "price", type: "BigDecimal(15,4)" });
    expect(prices.rename(["a", "b", "c", "d"]).columns.map((c) => c.name)).toEqual(["a", "b", "c", "d"]);
    expect(codeOf(() => prices.rename(["a"]))).toBe("DifferentLength");
    expect(few.source).toBe(prices.source);
  });

  it("adds and replaces columns", () => {
    const frame = prices.with({
      twice: (row) => (row.close === null ? null : row.close * 2),
      year: (row) => Number(row.date.slice(0, 4)),
      flag: [true, null, false],
      raw: Float64Array.of(1, 2, 3),
      copy: prices.column("close"),
      ticker: (row) => row.ticker.toLowerCase(),
    });
    expect(frame.columns.map((c) => `${c.name} ${c.type}`)).toEqual([
      "ticker String",
      "date Date",
      "close BigDecimal(15,4)",
      "volume Integer",
      "twice double",
      "year double",
      "flag boolean",
      "raw double",
      "copy BigDecimal(15,4)",
    ]);
    expect(frame.column("twice").toArray()).toEqual([3, null, 24691357802.469]);
    expect(frame.column("copy").toStrings()).toEqual(prices.column("close").toStrings());
    expect(frame.column("flag").toArray()).toEqual([true, null, false]);
    expect(frame.column("ticker").toArray()).toEqual(["bbb", "aaa", "aaa"]);
    expect(prices.columns.length).toBe(4);
    const exact = prices.with({ half: ["0.5", null, "1"] }, { half: "BigDecimal(4,2)" });
    expect(exact.column("half").toStrings()).toEqual(["0.50", null, "1.00"]);
    expect(codeOf(() => prices.with({ short: [1] }))).toBe("DifferentLength");
    expect(codeOf(() => prices.with({ mixed: [1, "a", null] }))).toBe("MixedTypes");
  });

  it("adds one value to every row, and refuses a value that is not a column", () => {
    const frame = prices.with({ word: "abc", size: 2, none: null, day: "2024-02-29" }, { day: "Date" });
    expect(frame.column("word").toArray()).toEqual(["abc", "abc", "abc"]);
    expect(frame.column("size").toArray()).toEqual([2, 2, 2]);
    expect(frame.column("none").toArray()).toEqual([null, null, null]);
    expect(frame.columns.slice(-4).map((c) => c.type)).toEqual(["String", "double", "String", "Date"]);
    expectTypeOf(frame.column("word")).toEqualTypeOf<Column<string>>();
    for (const none of [undefined, {}, new Set([1, 2, 3])]) {
      expect(codeOf(() => prices.with({ none } as never))).toBe("BadArgument");
    }
  });

  it("takes whole numbers beside bigints for integers", () => {
    const again = prices.with({ volume: prices.column("volume").toArray() });
    expect(again.column("volume").type).toBe("Integer");
    expect(again.column("volume").toStrings()).toEqual(["9007199254740993", "2", null]);
    expect(prices.with({ whole: [1, 2, 3] }).column("whole").type).toBe("double");
    expect(() => prices.with({ mixed: [1.5, 2n, null] })).toThrow(
      expect.objectContaining({ code: "MixedTypes", hint: expect.stringContaining("with(") }),
    );
    expect(() => Frame.fromRows([{ a: 2n }, { a: 2 ** 60 }])).toThrow(
      expect.objectContaining({ code: "MixedTypes", hint: expect.stringContaining("fromRows(") }),
    );
  });

  it("filters by test and by mask", () => {
    expect([...prices.filter((row) => row.ticker === "AAA").rows()].length).toBe(2);
    expect(prices.filter([1, 0, 1]).column("ticker").toArray()).toEqual(["BBB", "AAA"]);
    const flags = prices.with({ flag: [true, null, false] }).column("flag");
    expect(prices.filter(flags).numRows).toBe(1);
    expect(prices.filter(() => false).numRows).toBe(0);
    expect(codeOf(() => prices.filter([true]))).toBe("DifferentLength");
  });

  it("sorts by several keys, nulls last", () => {
    const order = (frame: Frame<Price>) => [...frame.rows()].map((row) => `${row.ticker} ${row.date}`);
    expect(order(prices.sort("ticker", ["date", "desc"]))).toEqual([
      "AAA 2024-03-01",
      "AAA 2024-02-29",
      "BBB 2024-02-29",
    ]);
    expect(order(prices.sort(["close", "desc"]))).toEqual(["AAA 2024-02-29", "BBB 2024-02-29", "AAA 2024-03-01"]);
    expect(codeOf(() => prices.sort(["close", "up" as "asc"], "date"))).toBe("UnknownValue");
  });

  it("cuts", () => {
    const tickers = (frame: Frame<Price>) => frame.column("ticker").toArray().join();
    expect(tickers(prices.head(2))).toBe("BBB,AAA");
    expect(tickers(prices.tail(1))).toBe("AAA");
    expect(tickers(prices.slice(1))).toBe("AAA,AAA");
    expect(tickers(prices.slice(-3, -2))).toBe("BBB");
    expect(prices.slice(2, 1).numRows + prices.tail(0).numRows + prices.head(0).numRows).toBe(0);
    expect(prices.head(99).numRows).toBe(3);
    expect(tickers(prices.take([2, 0, 0]))).toBe("AAA,BBB,BBB");
    expect(codeOf(() => prices.take([3]))).toBe("OutOfRange");
  });

  it("puts frames together, dictionaries of their own and all", () => {
    const more = Frame.fromRows<Price>([{ ticker: "CCC", date: "2024-01-01", close: "2", volume: 1 }], columns);
    const both = Frame.concat([prices, more, prices.head(1)]);
    expect(both.column("ticker").toArray()).toEqual(["BBB", "AAA", "AAA", "CCC", "BBB"]);
    expect(both.sort("ticker").column("ticker").toArray()).toEqual(["AAA", "AAA", "BBB", "BBB", "CCC"]);
    expect(codeOf(() => Frame.concat([prices, prices.rename({ close: "c" }) as never]))).toBe("DifferentColumns");
    expect(codeOf(() => Frame.concat([]))).toBe("NoFrames");
    const other = Frame.fromRows<Price>([], [columns[0], columns[1], { name: "close", type: "Boolean" }, columns[3]]);
    expect(codeOf(() => Frame.concat([prices, other]))).toBe("DifferentColumns");
  });

  it("keeps its source, but says complete or truncated of all its rows only", () => {
    expect(prices.sort("date").drop("close").source).toBe(prices.source);
    for (const part of [prices.head(1), prices.filter((row) => row.ticker === "AAA"), prices.slice(1)]) {
      expect(part.source).toEqual({ code: "MARKET/PRICES" });
      expect(String(part)).not.toContain("complete");
    }
  });

  it("never changes", () => {
    expect(Object.isFrozen(prices)).toBe(true);
    expect(Frame.from(prices.table).columns).toEqual(columns);
  });
});

it("adopts record batches and what holds a table", () => {
  const [batch] = prices.table.batches;
  expect(Frame.from(batch).toCSV()).toBe(prices.toCSV());
  const stranger = { table: prices.table, source: prices.source };
  expect(Frame.from(stranger).toCSV()).toBe(prices.toCSV());
  expect(Frame.from(stranger).source?.code).toBe("MARKET/PRICES");
  expect(Frame.from(stranger, { code: "X" }).source?.code).toBe("X");
  for (const none of [null, undefined, 1, {}, { table: {} }, { table: null }, []]) {
    expect(codeOf(() => Frame.from(none))).toBe("BadArgument");
  }
});

it("counts the nulls of a column that holds nothing else, whole or cut", () => {
  const nothing = makeData({ type: new Null(), length: 5 });
  const frame = Frame.from(new Table({ none: makeVector(nothing) }));
  expect(frame.column("none").nullCount).toBe(5);
  expect(frame.slice(1, 3).column("none").nullCount).toBe(2);
  expect(frame.slice(1, 3).column("none").vector.nullCount).toBe(2);
});

it("names types as the service does", () => {
  expect(() => prices.transform("diff", { columns: "ticker" } as never)).toThrow(/: String\./);
  expect(() => prices.collapse("monthly", { on: "close" } as never)).toThrow(/: BigDecimal\(15,4\)\./);
  const other = prices.with({ close: ["1", null, "2"] }, { close: "double" });
  expect(() => Frame.concat([prices, other] as never)).toThrow(/BigDecimal\(15,4\) .*double/);
  expect(() => prices.column("ticker").toNumbers()).toThrow(/type String/);
});

describe("what is asked for wrongly", () => {
  const wrong = (run: () => unknown, code: string, hint: string) =>
    expect(run).toThrow(expect.objectContaining({ name: "InputError", code, hint: expect.stringContaining(hint) }));
  const near = (name: string) => `Did you mean "${name}"`;

  it("names the nearest option and option value", () => {
    wrong(() => prices.rows({ decimals: "strng" } as never), "UnknownValue", near("string"));
    wrong(() => prices.rows({ dates: "isoo" } as never), "UnknownValue", near("iso"));
    wrong(() => prices.rows({ decimal: "string" } as never), "UnknownOption", near("decimals"));
    wrong(() => prices.column("close").toArray({ decimals: "text" } as never), "UnknownValue", "string");
    wrong(() => prices.toIPC({ wideDecimals: "text" } as never), "UnknownValue", "string");
    wrong(() => prices.toIPC("string" as never), "BadArgument", "wideDecimals");
    wrong(() => prices.toCSV({ escapeFormula: true } as never), "UnknownOption", near("escapeFormulae"));
    wrong(() => prices.toHTML({ maxrows: 3 } as never), "UnknownOption", near("maxRows"));
    wrong(() => prices.explore({ pages: 3 } as never), "UnknownOption", near("page"));
    wrong(() => prices.collapse("monthly", { bye: "ticker" } as never), "UnknownOption", near("by"));
    wrong(() => prices.transform("diff", { By: "ticker" } as never), "UnknownOption", near("by"));
    wrong(() => prices.query({ colapse: "monthly" } as never), "UnknownOption", near("collapse"));
    wrong(() => prices.returns({ kinds: "log" } as never), "UnknownOption", near("kind"));
    wrong(() => prices.rolling(2, "mean", { minPeriod: 1 } as never), "UnknownOption", near("minPeriods"));
    wrong(() => prices.asof(prices, { tolerence: 1 } as never), "UnknownOption", near("tolerance"));
    wrong(() => Frame.align([prices, prices], { suffix: ["a"] } as never), "UnknownOption", near("suffixes"));
    wrong(() => Frame.fromJSON("{}", { decimals: "float" } as never), "UnknownValue", near("float64"));
  });

  it("takes names one by one or as a list, and nothing else", () => {
    expect(prices.select(["close", "ticker"]).columns.map((c) => c.name)).toEqual(["close", "ticker"]);
    expect(prices.drop(["close", "date"]).columns.map((c) => c.name)).toEqual(["ticker", "volume"]);
    expect(prices.groupBy(["ticker"]).count().numRows).toBe(2);
    expect(prices.unique(["ticker"]).numRows).toBe(2);
    expect(prices.describe(["volume"]).numColumns).toBe(prices.describe("volume").numColumns);
    expectTypeOf(prices.select(["close"])).toEqualTypeOf<Frame<Pick<Price, "close">>>();
    wrong(() => prices.collapse("monthly", { by: 1 } as never), "BadArgument", "names");
    wrong(() => prices.select(null as never), "BadArgument", "name");
    wrong(() => prices.column(["close"] as never), "BadArgument", "name");
  });

  it("says what is missing or of another kind", () => {
    const frame = prices as never as Record<string, (...args: unknown[]) => unknown>;
    for (const name of ["rename", "with", "filter", "take", "pivot", "query", "ewm"]) {
      expect([name, codeOf(() => frame[name](null))]).toEqual([name, "BadArgument"]);
      expect([name, codeOf(() => frame[name]())]).toEqual([name, "BadArgument"]);
    }
    expect(codeOf(() => frame.sort(null))).toBe("BadArgument");
    expect(codeOf(() => frame.fill(null))).toBe("UnknownValue");
    expect(codeOf(() => frame.collapse("monthly", { by: "ticker", value: null }))).toBe("UnknownValue");
    expect(codeOf(() => frame.collapse("monthly", { by: "ticker", value: { close: null } }))).toBe("UnknownValue");
    expect(codeOf(() => prices.groupBy("ticker").agg(undefined as never))).toBe("BadArgument");
    expect(codeOf(() => prices.groupBy("ticker").agg({ close: null } as never))).toBe("UnknownValue");
    expect(codeOf(() => frame.asof(null))).toBe("BadArgument");
    expect(codeOf(() => Frame.concat(prices as never))).toBe("BadArgument");
    expect(codeOf(() => Frame.align([1] as never))).toBe("BadArgument");
    expect(codeOf(() => Frame.fromJSON(undefined as never))).toBe("BadArgument");
    expect(prices.asof(prices.table as never, { by: "ticker" }).numRows).toBe(3);
  });

  it("says what columns are", () => {
    wrong(() => Frame.fromRows([{ a: 1 }], ["a"] as never), "BadArgument", "{ name:");
    wrong(() => Frame.fromRows([{ a: 1 }], "a" as never), "BadArgument", "{ name:");
  });
});

describe("hostile and repeated names", () => {
  const names = ["__proto__", "constructor", "toString", "", " a ", "2", "hasOwnProperty"];
  const row = Object.fromEntries(names.map((name, i) => [name, `v${i}`]));
  const frame = Frame.fromRows(
    [row],
    names.map((name) => ({ name, type: "String" })),
  );

  it("keeps every one in rows, columns and verbs", () => {
    const [back] = frame.rows();
    for (const [i, name] of names.entries()) {
      expect(Object.getOwnPropertyDescriptor(back, name)?.value).toBe(`v${i}`);
      expect(frame.column(name).get(0)).toBe(`v${i}`);
      expect(frame.select(name).sort(name).column(0).get(0)).toBe(`v${i}`);
      expect(
        frame
          .with({ [name]: ["w"] })
          .column(name)
          .get(0),
      ).toBe("w");
    }
    expect(Object.getPrototypeOf(back)).toBe(Object.prototype);
    expect(
      Frame.fromRows([{}], [{ name: "constructor", type: "String" }])
        .column("constructor")
        .get(0),
    ).toBe(null);
  });

  it("distinguishes repeated names", () => {
    const twice = frame.select("2", "2", " a ").rename(["x", "x", "x_2"]);
    expect([...twice.rows()]).toEqual([{ x: "v5", x_3: "v5", x_2: "v4" }]);
    expect(codeOf(() => twice.column("x"))).toBe("AmbiguousColumn");
    expect(codeOf(() => twice.with({ x: 1 }))).toBe("AmbiguousColumn");
    expect(codeOf(() => twice.cast({ x: "String" }))).toBe("AmbiguousColumn");
    expect(twice.column(1).get(0)).toBe("v5");
  });
});

it("infers types from values when there are none", () => {
  const frame = Frame.fromRows([
    { a: 1.5, b: "x", c: true, d: 5n, e: null },
    { a: null, b: null, c: null, d: null, e: null },
  ]);
  expect(frame.columns.map((c) => c.type)).toEqual(["double", "String", "boolean", "Integer", "String"]);
  expect(codeOf(() => Frame.fromRows([[1]]))).toBe("BadArgument");
});

it("keeps whole numbers beyond 2^53 as they are", () => {
  const types = ["Integer", "BigDecimal(38,2)"];
  const texts = types.map(
    (type) =>
      Frame.fromRows([{ a: 2 ** 60 }], [{ name: "a", type }])
        .column("a")
        .toStrings()[0],
  );
  expect(texts).toEqual(["1152921504606846976", "1152921504606846976.00"]);
});

it("refuses rows that cannot be walked through", () => {
  for (const rows of [Promise.resolve([{ a: 1 }]), { a: 1 }, null, undefined, 5]) {
    expect(codeOf(() => Frame.fromRows(rows as never))).toBe("BadArgument");
  }
});

it("narrows the row type", () => {
  expectTypeOf(prices.select("close", "date").rows()).toEqualTypeOf<Iterable<Pick<Price, "close" | "date">>>();
  expectTypeOf(prices.column("close")).toEqualTypeOf<Column<number | null>>();
  expectTypeOf(Frame.from(prices.table)).toEqualTypeOf<Frame<AnyRow>>();
  expectTypeOf(prices.rename({ close: "price" } as const).column("price")).toEqualTypeOf<Column<number | null>>();
  expectTypeOf(prices.with({ up: (row) => row.close !== null }).column("up")).toEqualTypeOf<Column<boolean>>();
  // @ts-expect-error: a misspelt column is a compile error
  expect(() => prices.column("clsoe")).toThrow();
});

it("renders as text and HTML", () => {
  expect(inspect(prices).replace(/\d+ B/, "n B")).toBe(
    [
      "   ticker  date                   close            volume",
      "   String  Date        BigDecimal(15,4)           Integer",
      "0  BBB     2024-02-29            1.5000  9007199254740993",
      "1  AAA     2024-03-01              null                 2",
      "2  AAA     2024-02-29  12345678901.2345              null",
      "3 rows × 4 columns · n B · MARKET/PRICES · complete",
    ].join("\n"),
  );
});
