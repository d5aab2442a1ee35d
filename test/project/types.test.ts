import { expectTypeOf, it } from "vitest";
import { type Cell, type Column, connect, Frame, type Service, unlisted } from "../../src/index.js";

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
