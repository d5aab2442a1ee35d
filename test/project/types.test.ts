import { expectTypeOf, it } from "vitest";
import { type Cell, type Column, connect, Frame, type Service, type TableQuery, unlisted } from "../../src/index.js";

/* Inferred types are promises too: this file is checked by `npm run types`; nothing in it asks a service. */
interface Price {
  ticker: string;
  date: string;
  close: number | null;
}

const service: Service = connect({ url: "http://127.0.0.1:9", apiKey: "k" });
const prices = service.table<Price>("MARKET/PRICES");

it("a query's select narrows the row type, in the order named", () => {
  expectTypeOf(prices.select("date", "close").frame).returns.resolves.toEqualTypeOf<
    Frame<Pick<Price, "date" | "close">>
  >();
});

it("a misspelt column is an error of the compiler", () => {
  const misspelt = (): void => {
    // @ts-expect-error: there is no column clse
    prices.select("clse");
    // @ts-expect-error: there is no column tickr
    prices.where({ tickr: "AAA" });
    // @ts-expect-error: there is no column clse
    Frame.fromRows<Price>([], [{ name: "close", type: "double" }]).column("clse");
  };
  expectTypeOf(misspelt).returns.toBeVoid();
});

it("a table without a declared type takes any column name", () => {
  expectTypeOf(service.table("ANY/TABLE").select("whatever").frame).returns.resolves.toEqualTypeOf<
    Frame<Pick<Record<string, Cell>, "whatever">>
  >();
});

it("a frame's columns and rows carry the row type", () => {
  const frame = null as unknown as Frame<Price>;
  const read = () => frame.column("close");
  expectTypeOf(read).returns.toEqualTypeOf<Column<number | null>>();
  const chosen = () => frame.select("ticker");
  expectTypeOf(chosen).returns.toEqualTypeOf<Frame<Pick<Price, "ticker">>>();
});

it("columns compute columns of the right cells", () => {
  interface Trade {
    ticker: string;
    close: number | null;
    size: number | bigint;
    isOpen: boolean | null;
  }
  const types = () => {
    const trades = null as unknown as Frame<Trade>;
    const [close, size, ticker, isOpen] = [
      trades.column("close"),
      trades.column("size"),
      trades.column("ticker"),
      trades.column("isOpen"),
    ];
    expectTypeOf(close.add(1)).toEqualTypeOf<Column<number | null>>();
    expectTypeOf(close.mul(size)).toEqualTypeOf<Column<number | bigint | null>>();
    expectTypeOf(size.add(1)).toEqualTypeOf<Column<number | bigint>>();
    expectTypeOf(size.add(null)).toEqualTypeOf<Column<number | bigint | null>>();
    expectTypeOf(close.gt("50.25")).toEqualTypeOf<Column<boolean | null>>();
    expectTypeOf(size.gt(5)).toEqualTypeOf<Column<boolean>>();
    expectTypeOf(ticker.startsWith("A")).toEqualTypeOf<Column<boolean>>();
    expectTypeOf(close.fill(0)).toEqualTypeOf<Column<number>>();
    expectTypeOf(close.isNull()).toEqualTypeOf<Column<boolean>>();
    expectTypeOf(trades.with({ value: close.mul(2) }).column("value")).toEqualTypeOf<Column<number | null>>();
    expectTypeOf(trades.filter(close.gt(1).and(isOpen))).toEqualTypeOf<Frame<Trade>>();
    const untyped = (null as unknown as Frame).column("any");
    untyped.add(1).gt("2").and(untyped.contains("x")).or(untyped.eq(true));
    // @ts-expect-error: text is not added
    ticker.add(1);
    // @ts-expect-error: numbers have no letters
    close.contains("A");
    // @ts-expect-error: text is compared with text
    ticker.eq(5);
    // @ts-expect-error: truth values have no size
    isOpen.round();
  };
  expectTypeOf(types).returns.toBeVoid();
});

it("option values are unions that still take an unlisted value on purpose", () => {
  const series = service.dataset("MARKET/AAA");
  series.collapse("monthly").transform("rdiff").order("asc").format("xml");
  series.collapse(unlisted("semiannual"));
  const wrong = (): void => {
    // @ts-expect-error: not a value of the vocabulary
    series.collapse("montly");
    // @ts-expect-error: not a value of the vocabulary
    series.transform("rdif");
    // @ts-expect-error: not a format
    series.format("yaml");
  };
  expectTypeOf(wrong).returns.toBeVoid();
});

it("conditions name what a table filters by, also after a selection", () => {
  const filtered = null as unknown as TableQuery<Price, Pick<Price, "ticker">>;
  const conditions = (): void => {
    filtered.select("close").where({ ticker: "AAA" });
    // @ts-expect-error: the table does not filter by close
    filtered.where({ close: 1 });
  };
  expectTypeOf(conditions).returns.toBeVoid();
});

it("a series with a row type has its titles, and column() keeps the dates beside one", () => {
  const series = service.dataset<{ Date: string; Open: number | null; Close: number | null }>("MARKET/AAA");
  const chosen = () => series.column("Close").frame;
  expectTypeOf(chosen).returns.returns.resolves.toEqualTypeOf<Frame<{ Date: string; Close: number | null }>>();
  const wrong = (): void => {
    // @ts-expect-error: there is no column Clsoe
    series.column("Clsoe");
  };
  expectTypeOf(wrong).returns.toBeVoid();
  expectTypeOf(
    service.dataset("ANY/SERIES").column("whatever").column(4).frame,
  ).returns.resolves.toEqualTypeOf<Frame>();
});
