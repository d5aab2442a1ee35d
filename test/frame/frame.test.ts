import { DateDay, Int64, Table, vectorFromArray } from "apache-arrow";
import { expect, it } from "vitest";
import { Frame } from "../../src/frame/frame.js";

const frame = Frame.from(
  new Table({
    ticker: vectorFromArray(["b", "a", null]),
    close: vectorFromArray([1.5, null, 2]),
    volume: vectorFromArray([1n, 2n ** 60n, null], new Int64()),
    date: vectorFromArray([0, 86_400_000, null], new DateDay()),
  }),
);

it("reads rows, columns and cells", () => {
  expect([...frame.rows()]).toEqual([
    { ticker: "b", close: 1.5, volume: 1, date: "1970-01-01" },
    { ticker: "a", close: null, volume: 2n ** 60n, date: "1970-01-02" },
    { ticker: null, close: 2, volume: null, date: null },
  ]);
  expect(frame.column("close").toNumbers()).toEqual(Float64Array.of(1.5, Number.NaN, 2));
  expect(() => frame.column("clsoe")).toThrow(expect.objectContaining({ code: "UnknownColumn" }));
});

it("filters, sorts, selects, cuts and puts together", () => {
  expect(frame.sort("ticker").column("ticker").toArray()).toEqual(["a", "b", null]);
  expect(frame.filter((row) => row.close !== null).numRows).toBe(2);
  expect(frame.select("date").rename({ date: "day" }).head(1).columns).toEqual([{ name: "day", type: "Date" }]);
  expect(Frame.concat([frame, frame.tail(1)]).numRows).toBe(4);
  expect([...frame.with({ twice: (row) => Number(row.close) * 2 }).column("twice")]).toEqual([3, 0, 4]);
});
