import { expect, it } from "vitest";
import { connect } from "../../src/client/service.js";

const table = connect({ url: "http://127.0.0.1:9", apiKey: "k" }).table("MARKET/PRICES");

it.each<[string, unknown, string]>([
  ["an undefined value", { ticker: undefined }, "ticker"],
  ["an undefined value beside another", { date: "2024-01-02", ticker: undefined }, "ticker"],
  ["an undefined bound", { date: { gte: undefined } }, "date"],
  ["an undefined bound beside another", { date: { gte: "2024-01-02", lte: undefined } }, "date"],
  ["an object without a bound", { date: {} }, "date"],
  ["an undefined value in a list", { ticker: ["AAA", undefined] }, "ticker"],
  ["null", { ticker: null }, "ticker"],
  ["an empty list", { ticker: [] }, "ticker"],
  ["not a number", { volume: Number.NaN }, "volume"],
])("where() refuses %s, which would not restrict the rows", (_, conditions, column) => {
  expect(() => table.where(conditions as never)).toThrow(
    expect.objectContaining({ name: "InputError", code: "BadFilter", column, hint: expect.any(String) }),
  );
});
