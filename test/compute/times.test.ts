import { describe, expect, it } from "vitest";
import { makeData, Table, Timestamp, TimeUnit, Vector } from "../../src/columns/arrow/arrow.js";
import { Frame } from "../../src/index.js";

describe("a Date beside a column of dates", () => {
  const hours = Array.from({ length: 49 }, (_, i) => new Date(Date.UTC(2024, 1, 28, i - 12, 30 * (i % 2))));

  it("is the day that it is as a cell", () => {
    for (const date of hours) {
      const frame = Frame.fromRows([{ on: date }, { on: null }], [{ name: "on", type: "Date" }]);
      const on = frame.column("on");
      expect(on.eq(date).toArray()).toEqual([true, null]);
      expect(on.ne(date).toArray()).toEqual([false, null]);
      expect(on.isIn([date]).toArray()).toEqual([true, null]);
      expect(on.between(date, date).toArray()).toEqual([true, null]);
      expect(on.ge(date).toArray()).toEqual([true, null]);
      expect(on.lt(date).toArray()).toEqual([false, null]);
      expect(on.fill(date).get(1)).toBe(on.get(0));
    }
  });

  it("in every time zone", () => {
    for (const [zone, day] of [
      ["Asia/Tokyo", "2024-02-28"],
      ["Europe/Berlin", "2024-02-28"],
      ["UTC", "2024-02-29"],
      ["America/New_York", "2024-02-29"],
    ]) {
      const before = process.env.TZ;
      process.env.TZ = zone;
      try {
        const date = new Date(2024, 1, 29);
        const on = Frame.fromRows([{ on: date }], [{ name: "on", type: "Date" }]).column("on");
        expect([on.get(0), on.eq(date).get(0), on.isIn([date]).get(0)]).toEqual([day, true, true]);
      } finally {
        if (before === undefined) delete process.env.TZ;
        else process.env.TZ = before;
      }
    }
  });
});

it("constants finer than a millisecond are exact beside every unit", () => {
  const units = [
    [TimeUnit.MICROSECOND, 1_000_000n, 6],
    [TimeUnit.NANOSECOND, 1_000_000_000n, 9],
  ] as const;
  for (const [unit, perSecond, digits] of units) {
    const second = 1_709_210_096n; // 2024-02-29T12:34:56Z
    for (const fraction of [0n, 1n, 999_999n, perSecond - 1n]) {
      const data = BigInt64Array.of(second * perSecond + fraction - 1n, second * perSecond + fraction);
      const type = new Timestamp(unit, "UTC");
      const at = Frame.from(new Table({ at: new Vector([makeData({ type, data, length: 2 })]) }) as never).column("at");
      const text = `2024-02-29T12:34:56.${String(fraction).padStart(digits, "0")}Z`;
      expect(at.eq(text as never).toArray()).toEqual([false, true]);
      expect(at.lt(text as never).toArray()).toEqual([true, false]);
      expect(at.isIn([text] as never).toArray()).toEqual([false, true]);
    }
  }
});
